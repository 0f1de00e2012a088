/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/cpu/exec/cpu_rows.h"

#include <string.h>

#include "base/assert.h"
#include "base/mem.h"

#define ALIGNMENT 64
#define LONG_COPY 48 /* floats from which on a call pays */

char *vrs_cpu_arena_row(const struct vrs_cpu_thread *thread, const struct vrs_cpu_value *value, int image, int y)
{
	VRS_ASSERT(y >= 0 && image >= 0);
	VRS_ASSERT((y < value->height && image < value->images) || (y == 0 && image == 0)); /* a tensor without elements has a start */
	size_t element = ((size_t)(value->one_image ? 0 : image) * (size_t)value->height + (size_t)y) * vrs_cpu_row_floats(value);
	VRS_ASSERT(value->arena_offset + element * vrs_cpu_value_size(value) <= thread->plan->arena_bytes);
	return thread->arena + value->arena_offset + element * vrs_cpu_value_size(value);
}

float *vrs_cpu_ring_row(const struct vrs_cpu_thread *thread, const struct vrs_cpu_value *value, int y)
{
	VRS_ASSERT(value->ring_rows > 0 && y >= 0);
	float *row = thread->scratch + value->ring_offset + (size_t)(y % value->ring_rows) * value->ring_stride;
	size_t pad = (size_t)value->pad_left * (size_t)value->channels;
	return row + (vrs_cpu_value_is_u8(value) ? pad / sizeof(float) : pad);
}

static bool in_ring(const struct vrs_cpu_thread *thread, const struct vrs_cpu_value *value, int y)
{
	if (!value->ring_rows || value->region != thread->region)
		return false;
	return !value->in_arena || value->copied || y >= thread->own_end[value - thread->plan->values];
}

float *vrs_cpu_out_row(const struct vrs_cpu_thread *thread, int id, int image, int y)
{
	const struct vrs_cpu_value *value = &thread->plan->values[id];
	return in_ring(thread, value, y) ? vrs_cpu_ring_row(thread, value, y) : (float *)(void *)vrs_cpu_arena_row(thread, value, image, y);
}

const float *vrs_cpu_row(const struct vrs_cpu_thread *thread, int id, int image, int y)
{
	VRS_ASSERT(id >= 0 && id < thread->plan->value_count);
	const struct vrs_cpu_value *value = &thread->plan->values[id];
	if (value->constant)
		return (const float *)value->constant + ((size_t)image * (size_t)value->height + (size_t)y) * vrs_cpu_row_floats(value);
	VRS_ASSERT(!in_ring(thread, value, y) || (y < thread->made_end[id] && y >= thread->made_end[id] - value->ring_rows));
	return vrs_cpu_out_row(thread, id, image, y);
}

bool vrs_cpu_rows_dense(const struct vrs_cpu_thread *thread, int id, int y0, int y1)
{
	const struct vrs_cpu_value *value = &thread->plan->values[id];
	bool first = in_ring(thread, value, y0), last = in_ring(thread, value, y1 - 1);
	if (first != last)
		return false;
	return !first || (value->pad_left + value->pad_right == 0 && y0 % value->ring_rows + (y1 - y0) <= value->ring_rows);
}

int vrs_cpu_rows_run(const struct vrs_cpu_thread *thread, int id, int y0, int y1, ptrdiff_t *ret_gap)
{
	const struct vrs_cpu_value *value = &thread->plan->values[id];
	VRS_ASSERT(y0 < y1);
	bool ring = in_ring(thread, value, y0);
	int y = y0 + 1, end = ring ? y0 + value->ring_rows - y0 % value->ring_rows : y1;
	while (y < y1 && y < end && in_ring(thread, value, y) == ring)
		y++;
	*ret_gap = ring ? (ptrdiff_t)value->ring_stride - (ptrdiff_t)vrs_cpu_row_floats(value) : 0;
	return y;
}

const float *vrs_cpu_tap_row(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image, int y, int ky)
{
	const struct vrs_window *w = &op->window;
	int64_t iy = (int64_t)y * w->stride_h - w->pad_top + (int64_t)ky * w->dilation_h;
	bool inside = iy >= 0 && iy < thread->plan->values[op->in[0]].height;
	return inside ? vrs_cpu_row(thread, op->in[0], image, (int)iy) : NULL;
}

void vrs_cpu_copy_columns(const struct vrs_cpu_value *in, const float *row, int64_t x0, int64_t x1, float *to)
{
	size_t channels = (size_t)in->channels, bytes = channels * sizeof *to;
	int64_t first = x0 < 0 ? 0 : x0, last = x1 > in->width ? in->width : x1;
	VRS_ASSERT(x0 < x1);
	memset(to, 0, (size_t)(x1 - x0) * bytes);
	if (row && first < last)
		memcpy(to + (size_t)(first - x0) * channels, row + (size_t)first * channels, (size_t)(last - first) * bytes);
}

#define COPY_PIXELS(count) \
	for (; pixels > 0; pixels--, from += from_px, to += to_px) \
		memcpy(to, from, (count) * sizeof *to)

/* Few floats are not worth a call: a size that the compiler knows becomes moves. */
void vrs_cpu_copy_pixels(const float *from, ptrdiff_t from_px, float *to, ptrdiff_t to_px, int pixels, int channels)
{
	if (pixels > 1 && from_px == channels && to_px == channels) {
		memcpy(to, from, (size_t)pixels * (size_t)channels * sizeof *to);
		return;
	}
	switch (channels) {
	case 1: COPY_PIXELS(1); return;
	case 2: COPY_PIXELS(2); return;
	case 3: COPY_PIXELS(3); return;
	case 4: COPY_PIXELS(4); return;
	case 6: COPY_PIXELS(6); return;
	case 8: COPY_PIXELS(8); return;
	case 16: COPY_PIXELS(16); return;
	default: break;
	}
	for (; pixels > 0 && channels < LONG_COPY; pixels--, from += from_px, to += to_px) {
		int c = 0;
		for (; c + 4 <= channels; c += 4)
			memcpy(to + c, from + c, 4 * sizeof *to);
		if (c < channels && channels > 4) /* the last four again */
			memcpy(to + channels - 4, from + channels - 4, 4 * sizeof *to);
	}
	COPY_PIXELS((size_t)channels);
}

const float *vrs_cpu_scale_row(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image)
{
	return op->scale < 0 ? NULL : vrs_cpu_row(thread, op->scale, thread->plan->values[op->scale].images > 1 ? image : 0, 0);
}

const float *vrs_cpu_operand_row(const struct vrs_cpu_thread *thread, int id, int image, int y, ptrdiff_t *px, int *ch)
{
	const struct vrs_cpu_value *value = &thread->plan->values[id];
	*px = value->width > 1 ? value->channels : 0;
	*ch = value->channels > 1;
	return vrs_cpu_row(thread, id, value->images > 1 ? image : 0, value->height > 1 ? y : 0);
}

const float *vrs_cpu_op_weights(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread)
{
	return op->prepared ? thread->scratch + op->weights_scratch : thread->plan->weights + op->weights_offset;
}

struct vrs_epilogue vrs_cpu_epilogue(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image, int y, int x)
{
	struct vrs_epilogue e = {.act = op->fused_act, .lo = op->lo, .hi = op->hi, .residual_before = op->residual_before};
	if (op->fused_residual) {
		e.residual_px = thread->plan->values[op->residual].channels;
		e.residual = vrs_cpu_row(thread, op->residual, image, y) + x * e.residual_px;
	}
	return e;
}

void vrs_cpu_share_columns(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int y, int y0, int y1, int *begin, int *end)
{
	int step = op->kind == VRS_CPU_WINOGRAD ? op->tile * op->window.dilation_h : 1;
	*begin = y - y0 < step ? thread->share->x0 : 0;
	VRS_ASSERT(y >= y0 && y < y1);
	*end = thread->share->x1 && y >= (y1 - 1) / step * step ? thread->share->x1 : thread->plan->values[op->out].width;
}

char *vrs_cpu_arena_create(const struct vrs_cpu_plan *plan, bool untouched)
{
	return vrs_alloc_pages(plan->arena_bytes + ALIGNMENT, !untouched);
}

void vrs_cpu_arena_destroy(const struct vrs_cpu_plan *plan, char *arena)
{
	vrs_free_pages(arena, plan->arena_bytes + ALIGNMENT);
}

enum vrs_status vrs_cpu_thread_init(struct vrs_cpu_thread *thread, const struct vrs_cpu_plan *plan, char *arena, bool profile)
{
	size_t bytes;
	if (!vrs_mul_size(plan->scratch_floats + 32, sizeof(float), &bytes))
		return VRS_ENOMEM;
	thread->plan = plan;
	thread->arena = arena;
	thread->scratch = vrs_alloc_pages(bytes, true);
	thread->scratch_bytes = bytes;
	thread->own_end = vrs_calloc((size_t)plan->value_count, sizeof *thread->own_end);
	thread->made_end = vrs_calloc((size_t)plan->value_count, sizeof *thread->made_end);
	thread->seg = vrs_calloc(plan->max_segs, sizeof *thread->seg);
	if (profile)
		thread->op_ns = vrs_calloc((size_t)plan->op_count + 1, sizeof *thread->op_ns);
	return thread->scratch && thread->own_end && thread->made_end && thread->seg && (!profile || thread->op_ns) ? VRS_OK : VRS_ENOMEM;
}

void vrs_cpu_thread_fini(struct vrs_cpu_thread *thread)
{
	vrs_free_pages(thread->scratch, thread->scratch_bytes);
	vrs_free(thread->own_end);
	vrs_free(thread->made_end);
	vrs_free(thread->seg);
	vrs_free(thread->op_ns);
}
