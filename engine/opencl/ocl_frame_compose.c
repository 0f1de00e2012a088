/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_frame_compose.h"

#include <string.h>

#include "base/mem.h"
#include "base/wraparound.h"
#include "opencl/ocl_error.h"
#include "opencl/ocl_frame_state.h"

#define PIECE_INTS 8

struct vrs_ocl_compose {
	struct vrs_ocl_compose_options options; /* without the tables */
	int pieces_at[2], pieces[2];   /* of a group: place in the tables, and how many */
	cl_mem tables;
};

struct vrs_ocl_picture_format vrs_ocl_matte_format(int width, int height, int count)
{
	return (struct vrs_ocl_picture_format){.samples = {.width = width, .height = height * count, .planes = 1, .bit_depth = 8}};
}

static bool axis_fits(const int32_t *index, const int16_t *weight, int n, int matte_size)
{
	bool fits = true;

	for (int i = 0; i < n && fits; i++)
		fits = index[i] >= 0 && index[i] < matte_size && weight[i] >= 0;
	return fits;
}

/* The spans of a view in a plane; 0: it leads outside. */
static int spans_of(const struct vrs_ocl_compose_options *options, int view, int group, struct vrs_rect ret_pieces[2])
{
	const struct vrs_ocl_matte_axes *axes = &options->views[view][group];
	int width = vrs_plane_width(&options->format, group), height = vrs_plane_height(&options->format, group);

	if (axes->rect.width < 1 || axes->rect.height < 1 || axes->rect.y < 0 || axes->rect.y > height - axes->rect.height || axes->rect.x < 0 ||
	    axes->rect.x >= width || axes->rect.width > width)
		return 0;
	int count = vrs_wraparound_spans(&axes->rect, options->format.circle >> (group ? options->format.chroma_shift_x : 0), ret_pieces);

	for (int i = 0; i < count; i++)
		if (ret_pieces[i].x < 0 || ret_pieces[i].x > width - ret_pieces[i].width)
			return 0;
	return axis_fits(axes->index, axes->weight, axes->rect.width, options->matte_width) &&
	       axis_fits(axes->row, axes->row_weight, axes->rect.height, options->matte_height) ? count : 0;
}

/* Pairs of an axis; returns where they lie. */
static int place_axis(int32_t *tables, size_t *used, const int32_t *index, const int16_t *weight, int n)
{
	int at = (int)*used;

	for (int i = 0; i < n; i++) {
		tables[at + 2 * i] = index[i];
		tables[at + 2 * i + 1] = weight[i];
	}
	*used += 2 * (size_t)n;
	return at;
}

/* Pieces of a group, whose spans fit. */
static void place_group(struct vrs_ocl_compose *compose, const struct vrs_ocl_compose_options *options, int group, int32_t *tables, size_t *used)
{
	compose->pieces_at[group] = (int)*used;
	*used += 2 * VRS_OCL_COMPOSE_VIEWS * PIECE_INTS;
	for (int view = 0; view < options->view_count; view++) {
		const struct vrs_ocl_matte_axes *axes = &options->views[view][group];
		struct vrs_rect spans[2];
		int count = spans_of(options, view, group, spans), before = 0;
		int across = place_axis(tables, used, axes->index, axes->weight, axes->rect.width);
		int down = place_axis(tables, used, axes->row, axes->row_weight, axes->rect.height);

		for (int i = 0; i < count; i++) {
			int32_t *piece = tables + compose->pieces_at[group] + PIECE_INTS * compose->pieces[group]++;

			piece[0] = spans[i].x;
			piece[1] = spans[i].y;
			piece[2] = spans[i].width;
			piece[3] = spans[i].height;
			piece[4] = across + 2 * before;
			piece[5] = down;
			piece[6] = view * options->matte_height;
			before += spans[i].width;
		}
	}
}

static int groups_of(const struct vrs_ocl_compose_options *options)
{
	return options->format.planes == 1 ? 1 : 2;
}

static enum vrs_status upload_tables(struct vrs_ocl_compose *compose, const struct vrs_ocl_frame *frame,
				     const struct vrs_ocl_compose_options *options, struct vrs_error *err)
{
	size_t ints = 0, used = 0;

	for (int group = 0; group < groups_of(options); group++) {
		ints += 2 * VRS_OCL_COMPOSE_VIEWS * PIECE_INTS;
		for (int view = 0; view < options->view_count; view++) {
			const struct vrs_rect *rect = &options->views[view][group].rect;
			struct vrs_rect spans[2];

			if (spans_of(options, view, group, spans) == 0)
				return vrs_fail(err, VRS_EINVAL, "matte tables that lead outside of a picture of %dx%d", options->format.width,
						options->format.height);
			ints += 2 * ((size_t)rect->width + (size_t)rect->height); /* of at most 65536 each */
		}
	}
	int32_t *tables = vrs_calloc(ints, sizeof *tables);
	if (!tables)
		return vrs_fail_nomem(err);
	for (int group = 0; group < groups_of(options); group++)
		place_group(compose, options, group, tables, &used);
	enum vrs_status status = vrs_ocl_buffer_of(&compose->tables, frame->context, tables, ints * sizeof *tables, err);
	vrs_free(tables);
	return status;
}

enum vrs_status vrs_ocl_compose_create(struct vrs_ocl_compose **ret_compose, const struct vrs_ocl_frame *frame,
				       const struct vrs_ocl_compose_options *options, struct vrs_error *err)
{
	if (vrs_picture_format_check(&options->format) != VRS_OK || options->view_count < 0 || options->view_count > VRS_OCL_COMPOSE_VIEWS ||
	    options->matte_width < 1 || options->matte_height < 1)
		return vrs_fail(err, VRS_EINVAL, "%d mattes of %dx%d cannot be composed", options->view_count, options->matte_width,
				options->matte_height);
	struct vrs_ocl_compose *compose = vrs_calloc(1, sizeof *compose);
	if (!compose)
		return vrs_fail_nomem(err);
	compose->options = *options;
	memset(compose->options.views, 0, sizeof compose->options.views);
	enum vrs_status status = upload_tables(compose, frame, options, err);
	if (status != VRS_OK) {
		vrs_ocl_compose_destroy(compose);
		return status;
	}
	*ret_compose = compose;
	return VRS_OK;
}

void vrs_ocl_compose_destroy(struct vrs_ocl_compose *compose)
{
	if (!compose)
		return;
	vrs_ocl_release(compose->tables);
	vrs_free(compose);
}

static bool holds_mattes(const struct vrs_ocl_picture *mattes, int width, int height, int count)
{
	return mattes && mattes->plane_count == 1 && mattes->sample_bytes == 1 && mattes->planes[0].width == width &&
	       mattes->planes[0].height / height >= count;
}

/* Whether the output has this many entries of width x height pixels, all of which an int counts. */
static bool holds_output(const struct vrs_ocl_frame *frame, cl_mem output, int width, int height, int count)
{
	size_t bytes = 0, floats = (size_t)frame->options.output_channels;

	return clGetMemObjectInfo(output, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS && vrs_mul_size(floats, (size_t)width, &floats) &&
	       vrs_mul_size(floats, (size_t)height, &floats) && vrs_mul_size(floats, (size_t)count, &floats) && floats <= INT32_MAX &&
	       floats * sizeof(float) <= bytes;
}

enum vrs_status vrs_ocl_frame_matte(struct vrs_ocl_frame *frame, cl_mem output, int batch, int width, int height,
				    struct vrs_ocl_picture *mattes, int i, struct vrs_error *err)
{
	struct vrs_ocl_work work;

	if (width < 1 || height < 1 || i < 0 || i == INT32_MAX || !holds_mattes(mattes, width, height, i + 1))
		return vrs_fail(err, VRS_EINVAL, "there is no room for matte %d of %dx%d", i, width, height);
	if (batch < 0 || batch == INT32_MAX || !holds_output(frame, output, width, height, batch + 1))
		return vrs_fail(err, VRS_EINVAL, "the network's output has no matte %d of %dx%d", batch, width, height);
	const struct vrs_ocl_plane *plane = &mattes->planes[0];
	vrs_ocl_work_begin(&work, frame->context, "make a matte");
	vrs_ocl_work_use(&work, mattes);
	vrs_ocl_work_kernel(&work, frame->kernels[VRS_OCL_FRAME_MATTE][0]);
	vrs_ocl_work_mem(&work, output);
	vrs_ocl_work_int(&work, batch * width * height * frame->options.output_channels);
	vrs_ocl_work_mem(&work, plane->buffer);
	vrs_ocl_work_int(&work, i * height * plane->pitch);
	vrs_ocl_work_int(&work, plane->pitch);
	vrs_ocl_work_mem(&work, frame->curve);
	vrs_ocl_work_int(&work, width);
	vrs_ocl_work_int(&work, height);
	vrs_ocl_work_queue(&work, width, height);
	return vrs_ocl_work_end(&work, err);
}

static bool same_size(const struct vrs_ocl_picture *picture, const struct vrs_picture_format *format)
{
	return picture->format.samples.width == format->width && picture->format.samples.height == format->height;
}

static enum vrs_status check(const struct vrs_ocl_frame *frame, const struct vrs_ocl_compose *compose, const struct vrs_ocl_picture *dst,
			     const struct vrs_ocl_picture *src, const struct vrs_ocl_picture *mattes, const struct vrs_ocl_picture *behind,
			     struct vrs_error *err)
{
	const struct vrs_ocl_compose_options *o = &compose->options;
	const struct vrs_ocl_picture *const pictures[3] = {dst, src, behind};

	for (int i = 0; i < 3; i++) {
		if (!pictures[i])
			continue;
		enum vrs_status status = vrs_ocl_frame_check(frame, pictures[i], err);
		if (status != VRS_OK)
			return status;
		if (!same_size(pictures[i], &o->format) || (pictures[i] != src && pictures[i]->format.samples.planes != o->format.planes))
			return vrs_fail(err, VRS_EINVAL, "a picture of another format than that of the views");
	}
	if (o->view_count > 0 && !holds_mattes(mattes, o->matte_width, o->matte_height, o->view_count))
		return vrs_fail(err, VRS_EINVAL, "%d views need as many mattes of %dx%d", o->view_count, o->matte_width, o->matte_height);
	return VRS_OK;
}

static void add_plane_args(struct vrs_ocl_work *work, const struct vrs_ocl_picture *picture, int p)
{
	bool has = picture && p < picture->plane_count;

	vrs_ocl_work_mem(work, has ? picture->planes[p].buffer : NULL);
	vrs_ocl_work_int(work, has ? picture->planes[p].pitch : 0);
}

static void queue_plane(struct vrs_ocl_work *work, const struct vrs_ocl_frame *frame, const struct vrs_ocl_compose *compose,
			const struct vrs_ocl_picture *dst, const struct vrs_ocl_picture *src, const struct vrs_ocl_picture *mattes,
			const struct vrs_ocl_blend *blend, int p)
{
	const struct vrs_ocl_plane *plane = &dst->planes[p];
	int group = p > 0, pixels = 4 / plane->channels, last = plane->channels == 2 ? 2 : p;

	vrs_ocl_work_kernel(work, frame->kernels[VRS_OCL_FRAME_COMPOSE][plane->channels - 1]);
	add_plane_args(work, src, p);
	add_plane_args(work, dst, p);
	add_plane_args(work, blend->behind, p);
	add_plane_args(work, mattes, 0);
	vrs_ocl_work_int(work, compose->options.matte_width);
	vrs_ocl_work_int(work, compose->options.matte_height);
	vrs_ocl_work_mem(work, compose->tables);
	vrs_ocl_work_int(work, compose->pieces_at[group]);
	vrs_ocl_work_int(work, compose->pieces[group]);
	vrs_ocl_work_int2(work, (const int[2]){blend->solid[p], blend->solid[last]});
	vrs_ocl_work_int2(work, (const int[2]){blend->ground[p], blend->ground[last]});
	vrs_ocl_work_int(work, plane->width);
	vrs_ocl_work_int(work, plane->height);
	vrs_ocl_work_queue(work, (plane->width + pixels - 1) / pixels, plane->height);
}

enum vrs_status vrs_ocl_frame_compose(struct vrs_ocl_frame *frame, const struct vrs_ocl_compose *compose, struct vrs_ocl_picture *dst,
				      struct vrs_ocl_picture *src, struct vrs_ocl_picture *mattes, const struct vrs_ocl_blend *blend,
				      struct vrs_error *err)
{
	enum vrs_status status = check(frame, compose, dst, src, mattes, blend->behind, err);
	struct vrs_ocl_work work;

	if (status != VRS_OK)
		return status;
	vrs_ocl_work_begin(&work, frame->context, "compose a frame");
	vrs_ocl_work_use(&work, dst);
	vrs_ocl_work_use(&work, src);
	vrs_ocl_work_use(&work, mattes);
	vrs_ocl_work_use(&work, blend->behind);
	for (int p = 0; p < dst->plane_count; p++)
		queue_plane(&work, frame, compose, dst, src, mattes, blend, p);
	return vrs_ocl_work_end(&work, err);
}
