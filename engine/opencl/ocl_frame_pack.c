/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_frame_pack.h"

#include "base/mem.h"
#include "opencl/ocl_frame_state.h"

#define RUN 32
#define ON_CURVE (-1)
#define SEAM 0x40000000
#define CURVE_INTS 6
#define MAX_SIDE 16384         /* as in vr/remap_build.c: positions of such planes fit s15.16 */

/* A map on the device. */
struct device_map {
	int width, height, source_width, source_height, runs;
	cl_mem curves, inside, kinds, positions;
};

struct vrs_ocl_pack {
	struct vrs_device_pack_options options; /* without the tables */
	struct device_map maps[2], disc;
	cl_mem spans[2], codes;
};

static bool map_fits(const struct vrs_device_map *map)
{
	size_t runs = ((size_t)map->width + RUN - 1) / RUN * (size_t)map->height;

	if (map->width < 1 || map->height < 1 || map->width > MAX_SIDE || map->height > MAX_SIDE || map->source_width < 2 || map->source_height < 2 ||
	    map->source_width > MAX_SIDE || map->source_height > MAX_SIDE || map->position_count < 0 || map->position_count > INT32_MAX / (2 * RUN))
		return false;
	for (size_t i = 0; i < runs; i++) {
		int32_t kind = map->kinds[i], own = kind & ~SEAM;
		if (kind == ON_CURVE || map->inside[i] == 0)
			continue;
		if (kind < 0 || own >= map->position_count)
			return false;
		for (int t = 0; t < RUN && (kind & SEAM); t++) {
			int32_t u = map->positions[2 * RUN * own + t];
			if (u < 0 || u >> 16 > map->source_width)
				return false;
		}
	}
	return true;
}

static enum vrs_status make_map(struct device_map *map, const struct vrs_ocl_frame *frame, const struct vrs_device_map *tables, struct vrs_error *err)
{
	static const int32_t none[2 * RUN];

	if (!map_fits(tables))
		return vrs_fail(err, VRS_EINVAL, "a map of %dx%d samples that leads outside of its source", tables->width, tables->height);
	*map = (struct device_map){.width = tables->width, .height = tables->height, .source_width = tables->source_width,
		.source_height = tables->source_height, .runs = (tables->width + RUN - 1) / RUN};
	size_t n = (size_t)map->runs * (size_t)map->height, own = (size_t)tables->position_count;
	enum vrs_status status = vrs_ocl_buffer_of(&map->curves, frame->context, tables->curves, n * CURVE_INTS * sizeof *tables->curves, err);

	if (status == VRS_OK)
		status = vrs_ocl_buffer_of(&map->inside, frame->context, tables->inside, n * sizeof *tables->inside, err);
	if (status == VRS_OK)
		status = vrs_ocl_buffer_of(&map->kinds, frame->context, tables->kinds, n * sizeof *tables->kinds, err);
	if (status == VRS_OK)
		status = vrs_ocl_buffer_of(&map->positions, frame->context, own ? tables->positions : none, (own ? own : 1) * sizeof none, err);
	return status;
}

static void drop_map(struct device_map *map)
{
	vrs_ocl_release(map->curves);
	vrs_ocl_release(map->inside);
	vrs_ocl_release(map->kinds);
	vrs_ocl_release(map->positions);
}

/* The part of plane p that an eye's rectangle covers; its last samples may stand for less than two. */
static struct vrs_rect eye_plane(const struct vrs_device_pack_options *o, int eye, int p)
{
	int sx = p ? o->packed.chroma_shift_x : 0, sy = p ? o->packed.chroma_shift_y : 0;
	const struct vrs_rect *rect = &o->eyes[eye];

	return (struct vrs_rect){rect->x >> sx, rect->y >> sy, (rect->width + (1 << sx) - 1) >> sx, (rect->height + (1 << sy) - 1) >> sy};
}

/* Whether the eyes lie in the source's planes of a group and are what its map, or its copy, expects. */
static bool group_fits(const struct vrs_device_pack_options *o, int group)
{
	int width = vrs_plane_width(&o->packed, group), height = vrs_plane_height(&o->packed, group);
	const struct vrs_device_map *map = &o->maps[group];

	for (int eye = 0; eye < 2; eye++) {
		struct vrs_rect rect = eye_plane(o, eye, group);
		bool same = map->width > 0 ? rect.width == map->source_width && rect.height == map->source_height
					   : o->spans[group] && 2 * rect.width == width && rect.height == height;
		if (!same || rect.x < 0 || rect.y < 0 || rect.x > vrs_plane_width(&o->source, group) - rect.width ||
		    rect.y > vrs_plane_height(&o->source, group) - rect.height)
			return false;
	}
	return map->width == 0 || (2 * map->width == width && map->height == height);
}

static bool options_fit(const struct vrs_device_pack_options *o)
{
	const struct vrs_picture_format *packed = &o->packed;
	int sx = packed->chroma_shift_x, sy = packed->chroma_shift_y;

	if (vrs_picture_format_check(&o->source) != VRS_OK || vrs_picture_format_check(packed) != VRS_OK || packed->planes != 3 ||
	    packed->width != 2 * packed->height || packed->height % (1 << (sx > sy ? sx : sy)) || o->matte_width < 2 || o->matte_height < 2 ||
	    o->matte_width > MAX_SIDE || o->matte_height > MAX_SIDE)
		return false;
	return o->disc.width == o->disc.height && o->disc.width % 2 == 0 && o->disc.width <= packed->height && group_fits(o, 0) &&
	       (o->source.planes == 1 || group_fits(o, 1));
}

static enum vrs_status make_group(struct vrs_ocl_pack *pack, const struct vrs_ocl_frame *frame, const struct vrs_device_pack_options *options,
				  int group, struct vrs_error *err)
{
	if (options->maps[group].width > 0)
		return make_map(&pack->maps[group], frame, &options->maps[group], err);
	size_t rows = (size_t)vrs_plane_height(&options->packed, group);
	return vrs_ocl_buffer_of(&pack->spans[group], frame->context, options->spans[group], 2 * rows * sizeof **options->spans, err);
}

enum vrs_status vrs_ocl_pack_create(struct vrs_ocl_pack **ret_pack, const struct vrs_ocl_frame *frame, const struct vrs_device_pack_options *options,
				    struct vrs_error *err)
{
	if (!options_fit(options))
		return vrs_fail(err, VRS_EINVAL, "pictures of %dx%d cannot be packed into %dx%d", options->source.width, options->source.height,
				options->packed.width, options->packed.height);
	struct vrs_ocl_pack *pack = vrs_calloc(1, sizeof *pack);
	if (!pack)
		return vrs_fail_nomem(err);
	pack->options = *options;
	enum vrs_status status = make_group(pack, frame, options, 0, err);
	if (status == VRS_OK && options->source.planes > 1)
		status = make_group(pack, frame, options, 1, err);
	if (status == VRS_OK)
		status = make_map(&pack->disc, frame, &options->disc, err);
	if (status == VRS_OK)
		status = vrs_ocl_buffer_of(&pack->codes, frame->context, options->codes, sizeof options->codes, err);
	if (status != VRS_OK) {
		vrs_ocl_pack_destroy(pack);
		return status;
	}
	*ret_pack = pack;
	return VRS_OK;
}

void vrs_ocl_pack_destroy(struct vrs_ocl_pack *pack)
{
	if (!pack)
		return;
	drop_map(&pack->maps[0]);
	drop_map(&pack->maps[1]);
	drop_map(&pack->disc);
	vrs_ocl_release(pack->spans[0]);
	vrs_ocl_release(pack->spans[1]);
	vrs_ocl_release(pack->codes);
	vrs_free(pack);
}

static void add_map_args(struct vrs_ocl_work *work, const struct device_map *map)
{
	vrs_ocl_work_mem(work, map->curves);
	vrs_ocl_work_mem(work, map->inside);
	vrs_ocl_work_mem(work, map->kinds);
	vrs_ocl_work_mem(work, map->positions);
	vrs_ocl_work_int(work, map->runs);
}

/* Plane p of an eye: drawn, or its circle copied. */
static void queue_eye(struct vrs_ocl_work *work, const struct vrs_ocl_frame *frame, const struct vrs_ocl_pack *pack,
		      const struct vrs_ocl_picture *dst, const struct vrs_ocl_picture *src, int eye, int p)
{
	const struct vrs_ocl_plane *to = &dst->planes[p], *from = &src->planes[p];
	const struct device_map *map = &pack->maps[p > 0];
	struct vrs_rect rect = eye_plane(&pack->options, eye, p);
	int width = to->width / 2, channels = to->channels;
	const int fill[2] = {pack->options.black[p], pack->options.black[channels == 2 ? 2 : p]};

	vrs_ocl_work_kernel(work, frame->kernels[map->curves ? VRS_OCL_FRAME_REMAP : VRS_OCL_FRAME_CIRCLE][channels - 1]);
	vrs_ocl_work_mem(work, from->buffer);
	vrs_ocl_work_int(work, rect.y * from->pitch + rect.x * channels);
	vrs_ocl_work_int(work, from->pitch);
	if (map->curves) {
		vrs_ocl_work_int(work, map->source_width);
		vrs_ocl_work_int(work, map->source_height);
	}
	vrs_ocl_work_mem(work, to->buffer);
	vrs_ocl_work_int(work, eye * width * channels);
	vrs_ocl_work_int(work, to->pitch);
	if (map->curves)
		add_map_args(work, map);
	else
		vrs_ocl_work_mem(work, pack->spans[p > 0]);
	vrs_ocl_work_int2(work, fill);
	vrs_ocl_work_int(work, width);
	vrs_ocl_work_int(work, to->height);
	vrs_ocl_work_queue(work, width, to->height);
}

/* Chroma of a grey source: black everywhere, as a composition of nothing. */
static void queue_black(struct vrs_ocl_work *work, const struct vrs_ocl_frame *frame, const struct vrs_ocl_pack *pack,
			const struct vrs_ocl_picture *dst, int p)
{
	const struct vrs_ocl_plane *to = &dst->planes[p];
	const int black[2] = {pack->options.black[p], pack->options.black[to->channels == 2 ? 2 : p]};

	vrs_ocl_work_kernel(work, frame->kernels[VRS_OCL_FRAME_COMPOSE][to->channels - 1]);
	vrs_ocl_work_mem(work, NULL);
	vrs_ocl_work_int(work, 0);
	vrs_ocl_work_mem(work, to->buffer);
	vrs_ocl_work_int(work, to->pitch);
	vrs_ocl_work_mem(work, NULL);
	vrs_ocl_work_int(work, 0);
	vrs_ocl_work_mem(work, NULL);
	for (int i = 0; i < 3; i++)
		vrs_ocl_work_int(work, 0);
	vrs_ocl_work_mem(work, NULL);
	vrs_ocl_work_int(work, 0);
	vrs_ocl_work_int(work, 0);
	vrs_ocl_work_int2(work, black);
	vrs_ocl_work_int2(work, black);
	vrs_ocl_work_int(work, to->width);
	vrs_ocl_work_int(work, to->height);
	vrs_ocl_work_queue(work, (to->width + 4 / to->channels - 1) / (4 / to->channels), to->height);
}

static void queue_disc(struct vrs_ocl_work *work, const struct vrs_ocl_frame *frame, const struct vrs_ocl_pack *pack,
		       const struct vrs_ocl_picture *dst, const struct vrs_ocl_picture *mattes, int eye, int which,
		       const struct vrs_device_disc_place *place)
{
	const struct vrs_device_pack_options *o = &pack->options;
	const struct vrs_ocl_plane *luma = &dst->planes[0], *u = &dst->planes[1], *v = &dst->planes[dst->plane_count - 1];
	int size = pack->disc.width, left = (eye == 0 ? o->packed.height : 0) - size / 2, top = -size / 2;
	int sx = o->packed.chroma_shift_x, sy = o->packed.chroma_shift_y;

	vrs_ocl_work_kernel(work, frame->kernels[VRS_OCL_FRAME_DISC][0]);
	vrs_ocl_work_mem(work, mattes->planes[0].buffer);
	vrs_ocl_work_int(work, which * o->matte_height * mattes->planes[0].pitch);
	vrs_ocl_work_int(work, mattes->planes[0].pitch);
	vrs_ocl_work_int2(work, (const int[2]){o->matte_width, o->matte_height});
	vrs_ocl_work_long2(work, place->factor);
	vrs_ocl_work_long2(work, place->shift);
	add_map_args(work, &pack->disc);
	vrs_ocl_work_int(work, size);
	vrs_ocl_work_int(work, left);
	vrs_ocl_work_int(work, top);
	vrs_ocl_work_mem(work, luma->buffer);
	vrs_ocl_work_int(work, luma->pitch);
	vrs_ocl_work_mem(work, o->colored ? u->buffer : NULL);
	vrs_ocl_work_mem(work, o->colored ? v->buffer : NULL);
	vrs_ocl_work_int(work, u->channels - 1);
	vrs_ocl_work_int(work, u->channels);
	vrs_ocl_work_int(work, u->pitch);
	vrs_ocl_work_mem(work, pack->codes);
	vrs_ocl_work_int(work, o->packed.width);
	vrs_ocl_work_int(work, o->packed.height);
	vrs_ocl_work_queue(work, (size >> sx) + 2, (size >> sy) + 2);
}

static enum vrs_status check(const struct vrs_ocl_frame *frame, const struct vrs_ocl_pack *pack, const struct vrs_ocl_picture *dst,
			     const struct vrs_ocl_picture *src, const struct vrs_ocl_picture *mattes, const int which[2], struct vrs_error *err)
{
	const struct vrs_device_pack_options *o = &pack->options;
	const struct vrs_picture_format *to = &dst->format.samples, *from = &src->format.samples;
	enum vrs_status status = vrs_ocl_frame_check(frame, dst, err);

	if (status == VRS_OK)
		status = vrs_ocl_frame_check(frame, src, err);
	if (status != VRS_OK)
		return status;
	if (to->width != o->packed.width || to->height != o->packed.height || dst->plane_count == 1 || from->width != o->source.width ||
	    from->height != o->source.height || (src->plane_count == 1) != (o->source.planes == 1))
		return vrs_fail(err, VRS_EINVAL, "a picture of another format than that of the pack's tables");
	for (int eye = 0; eye < 2; eye++)
		if (mattes->plane_count != 1 || mattes->sample_bytes != 1 || mattes->planes[0].width != o->matte_width || which[eye] < 0 ||
		    mattes->planes[0].height / o->matte_height <= which[eye])
			return vrs_fail(err, VRS_EINVAL, "there is no matte %d of %dx%d for a disc", which[eye], o->matte_width, o->matte_height);
	return VRS_OK;
}

enum vrs_status vrs_ocl_frame_pack(struct vrs_ocl_frame *frame, const struct vrs_ocl_pack *pack, struct vrs_ocl_picture *dst,
				   struct vrs_ocl_picture *src, struct vrs_ocl_picture *mattes, const int which[2],
				   const struct vrs_device_disc_place places[2], struct vrs_error *err)
{
	enum vrs_status status = check(frame, pack, dst, src, mattes, which, err);
	struct vrs_ocl_work work;

	if (status != VRS_OK)
		return status;
	vrs_ocl_work_begin(&work, frame->context, "pack a frame");
	vrs_ocl_work_use(&work, dst);
	vrs_ocl_work_use(&work, src);
	vrs_ocl_work_use(&work, mattes);
	for (int p = 0; p < dst->plane_count; p++) {
		for (int eye = 0; eye < 2 && p < src->plane_count; eye++)
			queue_eye(&work, frame, pack, dst, src, eye, p);
		if (p >= src->plane_count)
			queue_black(&work, frame, pack, dst, p);
	}
	for (int eye = 0; eye < 2; eye++)
		queue_disc(&work, frame, pack, dst, mattes, eye, which[eye], &places[eye]);
	return vrs_ocl_work_end(&work, err);
}
