/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole frames (backend/frame_device.h) by the kernels of ocl_frame.h: planes go up and come down through pinned memory, one frame at a time. */
#include "opencl/frame_opencl.h"

#include <string.h>

#include <vrseg/machine.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "opencl/ocl_frame_compose.h"
#include "opencl/ocl_frame_pack.h"
#include "opencl/ocl_memory.h"
#include "opencl/ocl_staging.h"

struct vrs_frame_work {
	struct vrs_device_pack_options options; /* without the tables */
	int matte_count;
	struct vrs_ocl_context *context;
	struct vrs_ocl_frame *frame;
	struct vrs_ocl_pack *pack;
	uint64_t bytes_held;       /* of the device's memory, by vrs_ocl_memory_take */
	struct vrs_ocl_picture source, packed, mattes;
	struct vrs_ocl_staging *source_up, *mattes_up, *packed_down;
	struct vrs_ocl_transfers transfers;
	bool failed;
};

static void work_destroy(struct vrs_frame_work *work)
{
	if (!work)
		return;
	vrs_ocl_staging_destroy(work->source_up);
	vrs_ocl_staging_destroy(work->mattes_up);
	vrs_ocl_staging_destroy(work->packed_down);
	vrs_ocl_picture_fini(&work->source);
	vrs_ocl_picture_fini(&work->packed);
	vrs_ocl_picture_fini(&work->mattes);
	vrs_ocl_pack_destroy(work->pack);
	vrs_ocl_frame_destroy(work->frame);
	if (work->context)
		vrs_ocl_memory_give(work->context, work->bytes_held);
	vrs_ocl_context_close(work->context);
	vrs_free(work);
}

/* Packed pictures have no alpha plane: that of a source stays on the host. */
static struct vrs_picture_format without_alpha(const struct vrs_picture_format *format)
{
	struct vrs_picture_format ret = *format;

	ret.planes = format->planes == 4 ? 3 : format->planes;
	return ret;
}

static enum vrs_status create_kernels(struct vrs_frame_work *work, const struct vrs_frame_work_options *options, struct vrs_error *err)
{
	struct vrs_ocl_frame_options frame = {.format = {.samples = work->options.packed}, .output_channels = 1};
	enum vrs_status status;

	for (int i = 0; i < 256; i++)
		frame.curve[i] = (uint8_t)i;
	status = vrs_ocl_frame_create(&work->frame, work->context, &frame, options->program_cache, err);
	return status != VRS_OK ? status : vrs_ocl_pack_create(&work->pack, work->frame, &work->options, err);
}

/* A picture on the device and its way there, or from there. */
static enum vrs_status create_picture(struct vrs_ocl_picture *picture, struct vrs_ocl_staging **ret_staging, const struct vrs_frame_work *work,
				      const struct vrs_ocl_picture_format *format, struct vrs_error *err)
{
	enum vrs_status status = vrs_ocl_picture_init(picture, work->context, format, err);

	return status != VRS_OK ? status : vrs_ocl_staging_create(ret_staging, work->context, format, &work->transfers, err);
}

/* Of source, packed picture and mattes. */
static void formats_of(const struct vrs_frame_work *work, struct vrs_ocl_picture_format ret_formats[3])
{
	const struct vrs_device_pack_options *o = &work->options;

	ret_formats[0] = (struct vrs_ocl_picture_format){.samples = o->source};
	ret_formats[1] = (struct vrs_ocl_picture_format){.samples = o->packed};
	ret_formats[2] = vrs_ocl_matte_format(o->matte_width, o->matte_height, work->matte_count);
}

static enum vrs_status create_pictures(struct vrs_frame_work *work, struct vrs_error *err)
{
	struct vrs_ocl_picture_format formats[3];

	formats_of(work, formats);
	enum vrs_status status = create_picture(&work->source, &work->source_up, work, &formats[0], err);

	if (status == VRS_OK)
		status = create_picture(&work->packed, &work->packed_down, work, &formats[1], err);
	return status != VRS_OK ? status : create_picture(&work->mattes, &work->mattes_up, work, &formats[2], err);
}

/* What the tables of a map take; width and height are those of pictures. */
static uint64_t map_bytes(const struct vrs_device_map *map)
{
	uint64_t runs = ((uint64_t)map->width + 31) / 32 * (uint64_t)map->height;

	return runs * (6 * sizeof *map->curves + sizeof *map->inside + sizeof *map->kinds) + (uint64_t)map->position_count * 64 * sizeof *map->positions;
}

/* Before kernels are built: pictures, and tables of maps. */
static enum vrs_status take_memory(struct vrs_frame_work *work, double share, struct vrs_error *err)
{
	const struct vrs_device_pack_options *o = &work->options;
	struct vrs_ocl_claim claim = {.most = vrs_ocl_memory_limit(&work->context->caps, 0, share), .what = "packing frames",
				      .remedy = "let the CPU pack (--device-frames off)"};
	struct vrs_ocl_picture_format formats[3];

	claim.bytes = map_bytes(&o->maps[0]) + map_bytes(&o->maps[1]) + map_bytes(&o->disc);
	formats_of(work, formats);
	for (int i = 0; i < 3; i++) {
		struct vrs_ocl_picture layout;
		enum vrs_status status = vrs_ocl_picture_layout(&layout, &formats[i], err);

		if (status != VRS_OK)
			return status;
		for (int p = 0; p < layout.plane_count; p++)
			claim.bytes += vrs_ocl_plane_bytes(&layout, p);
	}
	enum vrs_status status = vrs_ocl_memory_take(work->context, &claim, err);

	work->bytes_held = status == VRS_OK ? claim.bytes : 0;
	return status;
}

static void drop_tables(struct vrs_device_pack_options *options)
{
	const struct vrs_device_map none = {.width = 0};

	options->maps[0] = options->maps[1] = options->disc = none;
	options->spans[0] = options->spans[1] = NULL;
}

static enum vrs_status work_create(struct vrs_frame_work **ret_work, const struct vrs_frame_work_options *options, struct vrs_error *err)
{
	if (options->mattes < 1 || options->mattes > 2)
		return vrs_fail(err, VRS_EINVAL, "a picture with %d mattes cannot be packed", options->mattes);
	struct vrs_frame_work *work = vrs_calloc(1, sizeof *work);
	if (!work)
		return vrs_fail_nomem(err);
	work->options = options->pack;
	work->options.source = without_alpha(&options->pack.source);
	work->matte_count = options->mattes;
	work->transfers = (struct vrs_ocl_transfers){.pinned = options->pinned_memory, .async = options->async_transfers};
	enum vrs_status status = vrs_ocl_context_open(&work->context, options->device, false, err);
	if (status == VRS_OK)
		status = take_memory(work, options->memory_share, err);
	if (status == VRS_OK)
		status = create_kernels(work, options, err);
	if (status == VRS_OK)
		status = create_pictures(work, err);
	drop_tables(&work->options);
	if (status != VRS_OK) {
		work_destroy(work);
		return status;
	}
	*ret_work = work;
	return VRS_OK;
}

static bool same_planes(const struct vrs_picture_format *a, const struct vrs_picture_format *b)
{
	return a->width == b->width && a->height == b->height && without_alpha(a).planes == b->planes && a->bit_depth == b->bit_depth &&
	       (b->planes == 1 || (a->chroma_shift_x == b->chroma_shift_x && a->chroma_shift_y == b->chroma_shift_y));
}

static enum vrs_status check(const struct vrs_frame_work *work, const struct vrs_frame *dst, const struct vrs_frame *src,
			     const struct vrs_matte *mattes, struct vrs_error *err)
{
	const struct vrs_device_pack_options *o = &work->options;
	bool fits = same_planes(&dst->format, &o->packed) && same_planes(&src->format, &o->source);

	for (int i = 0; i < work->matte_count; i++)
		fits = fits && mattes[i].width == o->matte_width && mattes[i].height == o->matte_height;
	return fits ? VRS_OK : vrs_fail(err, VRS_EINVAL, "a picture or a matte of another format than those that are packed here");
}

static void rows_of(const struct vrs_frame *frame, struct vrs_ocl_rows ret_rows[3])
{
	for (int p = 0; p < 3; p++)
		ret_rows[p] = (struct vrs_ocl_rows){.data = frame->data[p], .stride_bytes = frame->stride_bytes[p]};
}

/* Mattes lie one under the other. */
static enum vrs_status send_mattes(struct vrs_frame_work *work, const struct vrs_matte *mattes, struct vrs_error *err)
{
	struct vrs_ocl_rows rows[3];
	int height = work->options.matte_height;
	enum vrs_status status = vrs_ocl_staging_take(work->mattes_up, rows, err);

	if (status != VRS_OK)
		return status;
	for (int i = 0; i < work->matte_count; i++)
		for (int y = 0; y < height; y++)
			memcpy(rows[0].data + rows[0].stride_bytes * (i * height + y), mattes[i].data + mattes[i].stride * y, (size_t)mattes[i].width);
	return vrs_ocl_staging_send(work->mattes_up, &work->mattes, err);
}

static enum vrs_status pack_frame(struct vrs_frame_work *work, struct vrs_frame *dst, const struct vrs_frame *src, const struct vrs_matte *mattes,
				  const struct vrs_device_disc_place *places, struct vrs_error *err)
{
	struct vrs_ocl_rows rows[3];
	int last = work->matte_count - 1;
	const struct vrs_device_disc_place both[2] = {places[0], places[last]};

	rows_of(src, rows);
	enum vrs_status status = vrs_ocl_staging_up(work->source_up, &work->source, rows, err);
	if (status == VRS_OK)
		status = send_mattes(work, mattes, err);
	if (status == VRS_OK)
		status = vrs_ocl_frame_pack(work->frame, work->pack, &work->packed, &work->source, &work->mattes, (const int[2]){0, last}, both, err);
	if (status == VRS_OK)
		status = vrs_ocl_staging_fetch(work->packed_down, &work->packed, err);
	rows_of(dst, rows);
	return status != VRS_OK ? status : vrs_ocl_staging_down(work->packed_down, rows, err);
}

static enum vrs_status work_pack(struct vrs_frame_work *work, struct vrs_frame *dst, const struct vrs_frame *src, const struct vrs_matte *mattes,
				 const struct vrs_device_disc_place *places, struct vrs_error *err)
{
	enum vrs_status status = check(work, dst, src, mattes, err);

	if (status != VRS_OK)
		return status;
	if (work->failed)
		return vrs_fail(err, VRS_EDEVICE, "%s has failed before", work->context->caps.name);
	vrs_ocl_context_enter(work->context);
	status = pack_frame(work, dst, src, mattes, places, err);
	vrs_ocl_context_leave(work->context);
	work->failed = status != VRS_OK;
	return status;
}

/* The slot counts: of two devices of one model, one may have half the lanes. */
static enum vrs_status describe(struct vrs_frame_device_info *ret_info, const char *device, struct vrs_error *err)
{
	const struct vrs_cl_device *d = NULL;
	enum vrs_status status = vrs_ocl_context_device(&d, device, err);

	if (status != VRS_OK)
		return status;
	const char *const texts[] = {d->platform_name, d->name, d->version, d->driver, d->address};

	*ret_info = (struct vrs_frame_device_info){.is_host = d->is_cpu, .environment = VRS_HASH_INIT};
	(void)vrs_strcpy(ret_info->name, sizeof ret_info->name, d->name); /* a cut name is still a name */
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		ret_info->environment = vrs_hash_str(ret_info->environment, texts[i]);
	return VRS_OK;
}

const struct vrs_frame_device vrs_frame_device_opencl = {
	.describe = describe,
	.create = work_create,
	.destroy = work_destroy,
	.pack = work_pack,
};
