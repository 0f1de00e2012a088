/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vr/alpha_pack.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "vr/alpha_disc.h"

#define LEAST_HEIGHT 40   /* discs of 16 samples */
#define PI 3.14159265358979323846
#define EXACT_MULTIPLE 160 /* of 20: whole tiles; of 32: what encoders pad to */

struct vrs_alpha_pack {
	struct vrs_alpha_pack_options options;
	struct vrs_picture_format format;  /* of the carrier */
	struct vrs_rect eyes[2];           /* of the source, left first; the same twice for a source with one */
	struct vrs_lens source, carrier;
	bool same_lens;                    /* nothing to draw anew, only to copy */
	struct vrs_remap *maps[2];         /* luma, chroma; NULL when copied, or when there is no chroma */
	struct vrs_alpha_disc *disc;
};

static enum vrs_status refuse(const struct vrs_layout *layout, struct vrs_error *err)
{
	switch (layout->projection) {
	case VRS_PROJECTION_FISHEYE:
		if (layout->pixel_aspect > 0 && fabs(layout->pixel_aspect - 1) > 1e-6)
			return vrs_fail(err, VRS_EUNSUPPORTED, "alpha packing needs round fisheye pictures, these are squeezed; give them their full size "
					"first, or use --output-mode green");
		return VRS_OK;
	case VRS_PROJECTION_HEQUIRECT:
		return VRS_OK;
	case VRS_PROJECTION_EQUIRECT:
		return vrs_fail(err, VRS_EUNSUPPORTED, "alpha packing holds what a fisheye lens sees, not a 360-degree video; use --output-mode green");
	case VRS_PROJECTION_FLAT:
		return vrs_fail(err, VRS_EUNSUPPORTED, "alpha packing is for VR180 and fisheye video, not for flat video; use --output-mode green");
	case VRS_PROJECTION_UNKNOWN:
		break;
	}
	return vrs_fail(err, VRS_EUNSUPPORTED, "alpha packing needs to know the projection; give --projection hequirect or fisheye:190, or use "
				"--output-mode green");
}

/* A fisheye circle is as large as the shorter side; an equirectangular picture may be squeezed on one. */
static int carrier_height(const struct vrs_alpha_pack_options *options, const struct vrs_rect *eye)
{
	int shorter = eye->width < eye->height ? eye->width : eye->height, longer = eye->width + eye->height - shorter;
	int height = options->layout.projection == VRS_PROJECTION_FISHEYE ? shorter : longer;

	if (options->exact_size)
		return (height + EXACT_MULTIPLE - 1) / EXACT_MULTIPLE * EXACT_MULTIPLE;
	return height & ~((1 << (options->format.chroma_shift_x > 1 || options->format.chroma_shift_y > 1 ? 2 : 1)) - 1);
}

double vrs_alpha_pack_angle(const struct vrs_layout *layout, double asked)
{
	if (asked > 0)
		return asked;
	return layout->projection == VRS_PROJECTION_FISHEYE && layout->fov_degrees > 0 ? layout->fov_degrees : 180;
}

enum vrs_status vrs_alpha_pack_lenses(struct vrs_lens *ret_source, struct vrs_lens *ret_carrier, const struct vrs_layout *layout, double asked,
				      int width, int height, int carrier_height, struct vrs_error *err)
{
	enum vrs_status status = vrs_lens_of_layout(ret_source, layout, width, height, err);

	if (status != VRS_OK)
		return status;
	return vrs_lens_init(ret_carrier, VRS_PROJECTION_FISHEYE, vrs_alpha_pack_angle(layout, asked), carrier_height, carrier_height, err);
}

static enum vrs_status plan(struct vrs_alpha_pack *pack, struct vrs_error *err)
{
	const struct vrs_alpha_pack_options *o = &pack->options;
	enum vrs_status status = refuse(&o->layout, err);

	if (status != VRS_OK)
		return status;
	for (int i = 0; i < 2; i++)
		pack->eyes[i] = vrs_layout_eye(&o->layout, o->format.width, o->format.height, i < vrs_layout_eyes(&o->layout) ? i : 0);
	const struct vrs_rect *eye = &pack->eyes[0];
	int height = carrier_height(o, eye);
	if (height < LEAST_HEIGHT)
		return vrs_fail(err, VRS_EUNSUPPORTED, "alpha packing needs eyes of %d pixels or more, these have %dx%d; use --output-mode green",
				LEAST_HEIGHT, eye->width, eye->height);
	pack->format = o->format;
	pack->format.width = 2 * height;
	pack->format.height = height;
	pack->format.planes = 3;
	if (o->format.planes == 1)
		pack->format.chroma_shift_x = pack->format.chroma_shift_y = 1;
	status = vrs_alpha_pack_lenses(&pack->source, &pack->carrier, &o->layout, o->fov_degrees, eye->width, eye->height, height, err);
	pack->same_lens = o->layout.projection == VRS_PROJECTION_FISHEYE && fabs(pack->carrier.h_fov - pack->source.h_fov) < 1e-6 &&
			  eye->width == height && eye->height == height;
	return status;
}

static struct vrs_remap_grid grid_of(const struct vrs_alpha_pack *pack, int width, int height, int group)
{
	int sx = group ? pack->format.chroma_shift_x : 0, sy = group ? pack->format.chroma_shift_y : 0;
	const double *offset = pack->options.chroma_offset;

	return (struct vrs_remap_grid){.width = (width + (1 << sx) - 1) >> sx, .height = (height + (1 << sy) - 1) >> sy,
		.step = {1 << sx, 1 << sy}, .offset = {group ? offset[0] : 0, group ? offset[1] : 0}};
}

static enum vrs_status make_maps(struct vrs_alpha_pack *pack, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;

	for (int group = 0; group < (pack->options.format.planes > 1 ? 2 : 1) && status == VRS_OK && !pack->same_lens; group++) {
		const struct vrs_remap_options options = {.target = pack->carrier, .source = pack->source,
			.target_grid = grid_of(pack, pack->format.height, pack->format.height, group),
			.source_grid = grid_of(pack, pack->eyes[0].width, pack->eyes[0].height, group)};
		status = vrs_remap_create(&pack->maps[group], &options, err);
	}
	return status;
}

enum vrs_status vrs_alpha_pack_create(struct vrs_alpha_pack **ret_pack, const struct vrs_alpha_pack_options *options, struct vrs_error *err)
{
	if (vrs_picture_format_check(&options->format))
		return vrs_fail(err, VRS_EINVAL, "a picture of %dx%d cannot be packed", options->format.width, options->format.height);
	struct vrs_alpha_pack *pack = vrs_calloc(1, sizeof *pack);
	if (!pack)
		return vrs_fail_nomem(err);
	pack->options = *options;
	enum vrs_status status = plan(pack, err);
	if (status == VRS_OK)
		status = make_maps(pack, err);
	if (status == VRS_OK)
		status = vrs_alpha_disc_create(&pack->disc, &pack->carrier, &pack->source, err);
	if (status != VRS_OK) {
		vrs_alpha_pack_destroy(pack);
		return status;
	}
	*ret_pack = pack;
	return VRS_OK;
}

void vrs_alpha_pack_destroy(struct vrs_alpha_pack *pack)
{
	if (!pack)
		return;
	vrs_remap_destroy(pack->maps[0]);
	vrs_remap_destroy(pack->maps[1]);
	vrs_alpha_disc_destroy(pack->disc);
	vrs_free(pack);
}

const struct vrs_picture_format *vrs_alpha_pack_format(const struct vrs_alpha_pack *pack)
{
	return &pack->format;
}

double vrs_alpha_pack_fov(const struct vrs_alpha_pack *pack)
{
	return pack->carrier.h_fov * 180 / PI;
}

struct vrs_alpha_pack_parts vrs_alpha_pack_parts(const struct vrs_alpha_pack *pack)
{
	return (struct vrs_alpha_pack_parts){.options = &pack->options, .eyes = {pack->eyes[0], pack->eyes[1]}, .maps = {pack->maps[0], pack->maps[1]},
		.disc = vrs_alpha_disc_map(pack->disc)};
}

/* Samples of row y that lie in the circle of a picture of this grid. */
static void circle_span(const struct vrs_remap_grid *grid, int y, int *ret_first, int *ret_end)
{
	double radius = grid->width * grid->step[0] / 2;
	double dy = (y + 0.5) * grid->step[1] + grid->offset[1] - grid->height * grid->step[1] / 2, rest = radius * radius - dy * dy;
	double half = rest > 0 ? sqrt(rest) : -1;
	int first = (int)ceil((radius - half - grid->offset[0]) / grid->step[0] - 0.5);
	int end = (int)floor((radius + half - grid->offset[0]) / grid->step[0] - 0.5) + 1;

	*ret_first = half < 0 ? grid->width : first < 0 ? 0 : first;
	*ret_end = end < *ret_first ? *ret_first : end > grid->width ? grid->width : end;
}

void vrs_alpha_pack_span(const struct vrs_alpha_pack *pack, int group, int y, int *ret_first, int *ret_end)
{
	const struct vrs_remap_grid grid = grid_of(pack, pack->format.height, pack->format.height, group);

	circle_span(&grid, y, ret_first, ret_end);
}

/* An eye through the same lens: rows of its circle, black beside them. */
static void copy_circle(const struct vrs_remap_grid *grid, const struct vrs_remap_canvas *canvas, const struct vrs_remap_plane *source, int black)
{
	for (int y = 0; y < grid->height; y++) {
		int first, end;
		circle_span(grid, y, &first, &end);
		uint8_t *to = (uint8_t *)canvas->data + canvas->stride_bytes * y;
		const uint8_t *from = (const uint8_t *)source->data + source->stride_bytes * y;
		ptrdiff_t bytes = canvas->sample_bytes;
		vrs_samples_fill(to, black, first, canvas->sample_bytes);
		memcpy(to + first * bytes, from + first * bytes, (size_t)(end - first) * (size_t)bytes);
		vrs_samples_fill(to + end * bytes, black, grid->width - end, canvas->sample_bytes);
	}
}

static void draw_eye(const struct vrs_alpha_pack *pack, struct vrs_frame *dst, const struct vrs_frame *src, int eye, int p)
{
	int group = p > 0, bytes = vrs_sample_bytes(&pack->format), sx = group ? pack->format.chroma_shift_x : 0;
	int sy = group ? pack->format.chroma_shift_y : 0, black = pack->options.black[p];
	const struct vrs_rect *rect = &pack->eyes[eye];
	struct vrs_remap_grid from = grid_of(pack, rect->width, rect->height, group);
	struct vrs_remap_grid to = grid_of(pack, pack->format.height, pack->format.height, group);
	const struct vrs_remap_canvas canvas = {.data = dst->data[p] + (ptrdiff_t)eye * to.width * bytes, .stride_bytes = dst->stride_bytes[p],
		.sample_bytes = bytes};

	if (p >= src->format.planes) { /* a grey source */
		for (int y = 0; y < to.height; y++)
			vrs_samples_fill((uint8_t *)canvas.data + canvas.stride_bytes * y, black, to.width, bytes);
		return;
	}
	const struct vrs_remap_plane plane = {.data = src->data[p] + src->stride_bytes[p] * (rect->y >> sy) + (ptrdiff_t)(rect->x >> sx) * bytes,
		.stride_bytes = src->stride_bytes[p], .width = from.width, .height = from.height};
	if (pack->same_lens)
		copy_circle(&to, &canvas, &plane, black);
	else
		vrs_remap_draw(pack->maps[group], &canvas, &plane, black, 0, to.height);
}

void vrs_alpha_pack_run(const struct vrs_alpha_pack *pack, struct vrs_frame *dst, const struct vrs_frame *src, const struct vrs_matte *mattes,
			const struct vrs_rect *views)
{
	bool mono = vrs_layout_eyes(&pack->options.layout) == 1;

	for (int p = 0; p < 3; p++)
		for (int eye = 0; eye < 2; eye++)
			draw_eye(pack, dst, src, eye, p);
	for (int eye = 0; eye < 2; eye++) {
		int i = mono ? 0 : eye;
		const struct vrs_rect inside = {.x = views[i].x - pack->eyes[i].x, .y = views[i].y - pack->eyes[i].y, .width = views[i].width,
			.height = views[i].height};
		vrs_alpha_disc_draw(pack->disc, dst, eye == 0 ? pack->format.height : 0, &mattes[i], &inside, pack->options.codes,
				    pack->options.colored);
	}
}
