/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_frame_scale.h"

#include <string.h>

#include "base/mem.h"
#include "opencl/ocl_error.h"
#include "opencl/ocl_frame_state.h"

#define COLORS 18 /* floats: m, bias, scale, offset */

/* Where an axis lies in the tables, in ints. */
struct placed_axis {
	int at, weights_at, taps;
};

struct placed_plane {
	struct placed_axis x, y;
	int first_column, columns, first_row, left, circle;
};

struct vrs_ocl_scale {
	struct vrs_picture_format format;
	int width, height;         /* of the input */
	struct placed_plane groups[2]; /* luma, chroma */
	cl_mem tables, color;
};

/* Every output reads inside [0, limit). */
static bool axis_fits(const struct vrs_ocl_axis *axis, int n, int limit)
{
	bool fits = axis->n == n && n >= 1 && axis->taps >= 1;

	for (int i = 0; i < n && fits; i++)
		fits = axis->used[i] >= 1 && axis->used[i] <= axis->taps && axis->first[i] >= 0 && axis->first[i] <= limit - axis->used[i];
	return fits;
}

static bool plane_fits(const struct vrs_ocl_plane_scale *plane, const struct vrs_ocl_scale_options *options, int p)
{
	int width = vrs_plane_width(&options->format, p), height = vrs_plane_height(&options->format, p);
	bool columns = plane->circle == 0 ? plane->first_column >= 0 && plane->columns <= width - plane->first_column
					  : plane->circle > 0 && plane->left >= 0 && plane->left <= width - plane->circle &&
						    plane->first_column >= plane->left && plane->first_column - plane->left < plane->circle &&
						    plane->columns <= 4 * plane->circle;

	return columns && plane->columns >= 1 && plane->first_row >= 0 && plane->first_row < height &&
	       axis_fits(&plane->x, options->luma.x.n, plane->columns) && axis_fits(&plane->y, options->luma.y.n, height - plane->first_row);
}

/* Append an axis to the tables. */
static struct placed_axis place_axis(int32_t *tables, size_t *used, const struct vrs_ocl_axis *axis)
{
	struct placed_axis placed = {.at = (int)*used, .weights_at = (int)*used + 2 * axis->n, .taps = axis->taps};

	for (int i = 0; i < axis->n; i++) {
		tables[placed.at + 2 * i] = axis->first[i];
		tables[placed.at + 2 * i + 1] = axis->used[i];
	}
	for (int i = 0; i < axis->n * axis->taps; i++)
		tables[placed.weights_at + i] = axis->weights[i];
	*used += (size_t)axis->n * (size_t)(2 + axis->taps);
	return placed;
}

/* Ints of an axis; more than a plane has samples makes no sense. */
static bool add_axis(size_t *ints, const struct vrs_ocl_axis *axis)
{
	size_t own;

	return vrs_mul_size((size_t)axis->n, (size_t)axis->taps + 2, &own) && vrs_add_size(*ints, own, ints) && *ints <= INT32_MAX / 4;
}

static enum vrs_status upload_tables(struct vrs_ocl_scale *scale, const struct vrs_ocl_frame *frame, const struct vrs_ocl_scale_options *options,
				     struct vrs_error *err)
{
	const struct vrs_ocl_plane_scale *const planes[2] = {&options->luma, &options->chroma};
	int groups = options->format.planes == 1 ? 1 : 2;
	size_t ints = 0, used = 0;

	for (int g = 0; g < groups; g++)
		if (!plane_fits(planes[g], options, g) || !add_axis(&ints, &planes[g]->x) || !add_axis(&ints, &planes[g]->y))
			return vrs_fail(err, VRS_EINVAL, "scale tables that lead outside of a picture of %dx%d", options->format.width,
					options->format.height);
	int32_t *tables = vrs_calloc(ints, sizeof *tables);
	if (!tables)
		return vrs_fail_nomem(err);
	for (int g = 0; g < groups; g++) {
		const struct vrs_ocl_plane_scale *p = planes[g];
		struct placed_plane *placed = &scale->groups[g];

		*placed = (struct placed_plane){.first_column = p->first_column, .columns = p->columns, .first_row = p->first_row, .left = p->left,
			.circle = p->circle};
		placed->x = place_axis(tables, &used, &p->x);
		placed->y = place_axis(tables, &used, &p->y);
	}
	enum vrs_status status = vrs_ocl_buffer_of(&scale->tables, frame->context, tables, ints * sizeof *tables, err);
	vrs_free(tables);
	return status;
}

enum vrs_status vrs_ocl_scale_create(struct vrs_ocl_scale **ret_scale, const struct vrs_ocl_frame *frame, const struct vrs_ocl_scale_options *options,
				     struct vrs_error *err)
{
	struct vrs_ocl_scale *scale = vrs_calloc(1, sizeof *scale);
	float color[COLORS];

	if (!scale)
		return vrs_fail_nomem(err);
	scale->format = options->format;
	scale->width = options->luma.x.n;
	scale->height = options->luma.y.n;
	memcpy(color, options->m, sizeof options->m);
	memcpy(color + 9, options->bias, sizeof options->bias);
	memcpy(color + 12, options->scale, sizeof options->scale);
	memcpy(color + 15, options->offset, sizeof options->offset);
	enum vrs_status status = upload_tables(scale, frame, options, err);
	if (status == VRS_OK)
		status = vrs_ocl_buffer_of(&scale->color, frame->context, color, sizeof color, err);
	if (status != VRS_OK) {
		vrs_ocl_scale_destroy(scale);
		return status;
	}
	*ret_scale = scale;
	return VRS_OK;
}

void vrs_ocl_scale_destroy(struct vrs_ocl_scale *scale)
{
	if (!scale)
		return;
	vrs_ocl_release(scale->tables);
	vrs_ocl_release(scale->color);
	vrs_free(scale);
}

/* Room for the rows of plane p. The compute queue is in order: one scale after another may use them. */
static enum vrs_status reserve_rows(struct vrs_ocl_frame *frame, int p, size_t bytes, struct vrs_error *err)
{
	int code = CL_SUCCESS;

	if (frame->row_bytes[p] >= bytes)
		return VRS_OK;
	vrs_ocl_release(frame->rows[p]);
	frame->row_bytes[p] = 0;
	frame->rows[p] = clCreateBuffer(frame->context->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
	if (code == CL_SUCCESS)
		frame->row_bytes[p] = bytes;
	return vrs_ocl_check(err, code, "hold scaled rows");
}

static size_t row_bytes(const struct vrs_ocl_scale *scale, const struct vrs_ocl_picture *src, int p)
{
	return (size_t)scale->height * (size_t)scale->groups[p > 0].columns * (size_t)src->planes[p].channels * sizeof(uint16_t);
}

static enum vrs_status check(struct vrs_ocl_frame *frame, const struct vrs_ocl_scale *scale, const struct vrs_ocl_picture *src, cl_mem dst, int batch,
			     const struct vrs_ocl_picture *luma15, struct vrs_error *err)
{
	size_t bytes = 0, floats = (size_t)scale->width * (size_t)scale->height * 3, needed = 0;
	enum vrs_status status = vrs_ocl_frame_check(frame, src, err);

	if (status != VRS_OK)
		return status;
	if (src->format.samples.width != scale->format.width || src->format.samples.height != scale->format.height ||
	    src->format.samples.planes != scale->format.planes)
		return vrs_fail(err, VRS_EINVAL, "a picture of another size than that of the scale's tables");
	if (clGetMemObjectInfo(dst, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) != CL_SUCCESS || batch < 0 ||
	    !vrs_mul_size(floats, (size_t)batch + 1, &needed) || needed > INT32_MAX || needed * sizeof(float) > bytes)
		return vrs_fail(err, VRS_EINVAL, "the network's input has no room for picture %d of %dx%d", batch, scale->width, scale->height);
	if (luma15 && (luma15->plane_count != 1 || luma15->sample_bytes != 2 || luma15->planes[0].width != scale->width ||
		       luma15->planes[0].height != scale->height))
		return vrs_fail(err, VRS_EINVAL, "scaled luma needs a grey picture of 16 bits and %dx%d", scale->width, scale->height);
	for (int p = 0; p < src->plane_count && status == VRS_OK; p++) {
		size_t own = row_bytes(scale, src, p);
		status = own > INT32_MAX ? vrs_fail(err, VRS_ELIMIT, "scaled rows are too large") : reserve_rows(frame, p, own, err);
	}
	return status;
}

static void queue_rows(struct vrs_ocl_work *work, const struct vrs_ocl_frame *frame, const struct vrs_ocl_scale *scale,
		       const struct vrs_ocl_picture *src, int p)
{
	const struct placed_plane *group = &scale->groups[p > 0];
	const struct vrs_ocl_plane *plane = &src->planes[p];

	vrs_ocl_work_kernel(work, frame->kernels[VRS_OCL_FRAME_ROWS][plane->channels - 1]);
	vrs_ocl_work_mem(work, plane->buffer);
	vrs_ocl_work_int(work, plane->pitch);
	vrs_ocl_work_mem(work, frame->rows[p]);
	vrs_ocl_work_mem(work, scale->tables);
	vrs_ocl_work_int(work, group->y.at);
	vrs_ocl_work_int(work, group->y.weights_at);
	vrs_ocl_work_int(work, group->y.taps);
	vrs_ocl_work_int(work, group->first_row);
	vrs_ocl_work_int(work, group->first_column);
	vrs_ocl_work_int(work, group->circle ? group->left + group->circle : INT32_MAX);
	vrs_ocl_work_int(work, group->circle);
	vrs_ocl_work_int(work, group->columns);
	vrs_ocl_work_int(work, scale->height);
	vrs_ocl_work_queue(work, (group->columns * plane->channels + 3) / 4, scale->height);
}

static void add_axis_args(struct vrs_ocl_work *work, const struct placed_axis *axis)
{
	vrs_ocl_work_int(work, axis->at);
	vrs_ocl_work_int(work, axis->weights_at);
	vrs_ocl_work_int(work, axis->taps);
}

static void queue_color(struct vrs_ocl_work *work, const struct vrs_ocl_frame *frame, const struct vrs_ocl_scale *scale,
			const struct vrs_ocl_picture *src, cl_mem dst, int batch, const struct vrs_ocl_picture *luma15)
{
	bool grey = src->plane_count == 1, interleaved = src->plane_count == 2;

	vrs_ocl_work_kernel(work, frame->kernels[VRS_OCL_FRAME_COLOR][0]);
	vrs_ocl_work_mem(work, frame->rows[0]);
	vrs_ocl_work_int(work, scale->groups[0].columns);
	vrs_ocl_work_mem(work, grey ? NULL : frame->rows[1]);
	vrs_ocl_work_mem(work, grey ? NULL : frame->rows[interleaved ? 1 : 2]);
	vrs_ocl_work_int(work, interleaved ? 1 : 0);
	vrs_ocl_work_int(work, interleaved ? 2 : 1);
	vrs_ocl_work_int(work, scale->groups[1].columns * (interleaved ? 2 : 1));
	vrs_ocl_work_mem(work, scale->tables);
	add_axis_args(work, &scale->groups[0].x);
	add_axis_args(work, &scale->groups[1].x);
	vrs_ocl_work_mem(work, scale->color);
	vrs_ocl_work_mem(work, dst);
	vrs_ocl_work_int(work, batch * scale->width * scale->height * 3);
	vrs_ocl_work_mem(work, luma15 ? luma15->planes[0].buffer : NULL);
	vrs_ocl_work_int(work, luma15 ? luma15->planes[0].pitch : 0);
	vrs_ocl_work_int(work, scale->width);
	vrs_ocl_work_int(work, scale->height);
	vrs_ocl_work_queue(work, scale->width, scale->height);
}

enum vrs_status vrs_ocl_frame_scale(struct vrs_ocl_frame *frame, const struct vrs_ocl_scale *scale, struct vrs_ocl_picture *src, cl_mem dst,
				    int batch, struct vrs_ocl_picture *luma15, struct vrs_error *err)
{
	enum vrs_status status = check(frame, scale, src, dst, batch, luma15, err);
	struct vrs_ocl_work work;

	if (status != VRS_OK)
		return status;
	vrs_ocl_work_begin(&work, frame->context, "scale a frame");
	vrs_ocl_work_use(&work, src);
	vrs_ocl_work_use(&work, luma15);
	for (int p = 0; p < src->plane_count; p++)
		queue_rows(&work, frame, scale, src, p);
	queue_color(&work, frame, scale, src, dst, batch, luma15);
	return vrs_ocl_work_end(&work, err);
}
