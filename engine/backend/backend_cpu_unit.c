/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Execution of a unit of the plan: where rows are, and what happens before and after an operation makes some. */
#include <string.h>

#include "backend/cpu_u8.h"
#include "base/clock.h"
#include "base/mem.h"

#define ALIGNMENT 64

size_t vrs_cpu_row_floats(const struct vrs_cpu_value *value)
{
	return (size_t)value->width * (size_t)value->channels;
}

size_t vrs_cpu_value_size(const struct vrs_cpu_value *value)
{
	return value->half ? sizeof(uint16_t) : vrs_dtype_size(value->dtype);
}

char *vrs_cpu_arena_row(const struct vrs_cpu_thread *thread, const struct vrs_cpu_value *value, int image, int y)
{
	size_t element = ((size_t)(value->one_image ? 0 : image) * (size_t)value->height + (size_t)y) * vrs_cpu_row_floats(value);
	return thread->arena + value->arena_offset + element * vrs_cpu_value_size(value);
}

static float *ring_row(const struct vrs_cpu_thread *thread, const struct vrs_cpu_value *value, int y)
{
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
	return in_ring(thread, value, y) ? ring_row(thread, value, y) : (float *)(void *)vrs_cpu_arena_row(thread, value, image, y);
}

const float *vrs_cpu_row(const struct vrs_cpu_thread *thread, int id, int image, int y)
{
	const struct vrs_cpu_value *value = &thread->plan->values[id];
	if (value->constant)
		return (const float *)value->constant + ((size_t)image * (size_t)value->height + (size_t)y) * vrs_cpu_row_floats(value);
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
	bool ring = in_ring(thread, value, y0);
	int y = y0 + 1, end = ring ? y0 + value->ring_rows - y0 % value->ring_rows : y1;
	while (y < y1 && y < end && in_ring(thread, value, y) == ring)
		y++;
	*ret_gap = ring ? (ptrdiff_t)value->ring_stride - (ptrdiff_t)vrs_cpu_row_floats(value) : 0;
	return y;
}

struct vrs_epilogue vrs_cpu_epilogue(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image, int y)
{
	struct vrs_epilogue e = { .act = op->fused_act, .lo = op->lo, .hi = op->hi, .residual_before = op->residual_before };
	if (op->fused_residual) {
		e.residual = vrs_cpu_row(thread, op->residual, image, y);
		e.residual_px = thread->plan->values[op->residual].channels;
	}
	return e;
}

void vrs_cpu_share_columns(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int y, int y0, int y1, int *begin, int *end)
{
	int step = op->kind == VRS_CPU_WINOGRAD ? op->tile * op->window.dilation_h : 1;
	*begin = y - y0 < step ? thread->share->x0 : 0;
	*end = thread->share->x1 && y >= (y1 - 1) / step * step ? thread->share->x1 : thread->plan->values[op->out].width;
}

/* The floats of row y that the current item makes: its channels are those of a map of one pixel. */
static size_t finished_part(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int y, int y0, int y1, size_t *ret_first)
{
	int begin, end, channels = thread->plan->values[op->out].channels;
	vrs_cpu_share_columns(op, thread, y, y0, y1, &begin, &end);
	*ret_first = (size_t)begin * (size_t)channels + (size_t)thread->share->c0;
	return thread->share->c1 ? (size_t)(thread->share->c1 - thread->share->c0) : (size_t)(end - begin) * (size_t)channels;
}

/* What the kernel could not do of the epilogue, on the finished rows. */
static void finish_rows(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_kernels *kernels = &thread->plan->kernels;
	bool add = op->residual >= 0 && !op->fused_residual;
	for (int y = y0; y < y1; y++) {
		size_t first, count = finished_part(op, thread, y, y0, y1, &first);
		float *row = vrs_cpu_out_row(thread, op->out, image, y) + first;
		struct vrs_eltwise_row sum = {
			.op = VRS_KBIN_ADD, .a = row, .a_ch = 1, .b_ch = 1, .pixels = 1, .channels = (int)count, .out = row,
			.b = add ? vrs_cpu_row(thread, op->residual, image, y) + first : NULL,
		};
		if (add && op->residual_before)
			kernels->eltwise(&sum);
		if (op->finish_act != VRS_KACT_NONE)
			kernels->act(&(struct vrs_act_row){ .act = op->finish_act, .lo = op->lo, .hi = op->hi, .in = row, .out = row, .count = count });
		if (add && !op->residual_before)
			kernels->eltwise(&sum);
	}
}

/* Owned rows: into the arena, and their channel sums. */
static void keep_rows(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *out = &plan->values[op->out];
	for (int y = y0; y < y1; y++) {
		const float *row = vrs_cpu_row(thread, op->out, image, y);
		char *to = vrs_cpu_arena_row(thread, out, image, y);
		if (out->copied && out->half)
			plan->narrow(row, (uint16_t *)(void *)to, vrs_cpu_row_floats(out));
		else if (out->copied)
			memcpy(to, row, vrs_cpu_row_floats(out) * vrs_cpu_value_size(out));
		if (out->sum_mem_item >= 0) {
			float *sums = (float *)(void *)(thread->arena + out->sum_offset);
			sums += ((size_t)image * (size_t)out->height + (size_t)y) * (size_t)out->channels;
			if (vrs_cpu_value_is_u8(out))
				vrs_cpu_u8_row_sums(thread, out, (const uint8_t *)(const void *)row, sums);
			else
				plan->kernels.row_sum(row, out->channels, out->width, out->channels, sums);
		}
	}
}

/* At the start of a band: zero columns of the ring, widened and scaled weights, no products yet. */
static void prepare(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *out = &plan->values[op->out];
	size_t left = (size_t)out->pad_left * (size_t)out->channels, right = (size_t)out->pad_right * (size_t)out->channels;
	for (int y = 0; y < out->ring_rows && left + right > 0; y++) {
		float *row = ring_row(thread, out, y);
		char *first = (char *)(void *)row;
		size_t size = vrs_cpu_value_is_u8(out) ? 1 : sizeof *row;
		memset(first - left * size, (int)out->zero, left * size);
		memset(first + vrs_cpu_row_floats(out) * size, (int)out->zero, right * size);
	}
	memset(thread->scratch + op->tag_scratch, 0, (size_t)op->temp_rows * sizeof *thread->scratch);
	if (op->prepared && op->u8)
		vrs_cpu_u8_prepare(op, thread, image);
	if (!op->prepared || op->u8)
		return;
	float *to = thread->scratch + op->weights_scratch;
	const float *from = plan->weights + op->weights_offset;
	if (op->half_weights) {
		plan->widen(plan->half_weights + op->weights_offset, to, op->weights_count);
		from = to;
	}
	if (op->scale < 0 || op->scaled_rows)
		return;
	const struct vrs_cpu_value *scale = &plan->values[op->scale];
	const float *factors = vrs_cpu_row(thread, op->scale, scale->images > 1 ? image : 0, 0);
	size_t group = op->weights_count / (size_t)op->groups;
	int k = op->group_in * op->window.kernel_h * op->window.kernel_w;
	for (int g = 0; g < op->groups; g++)
		plan->kernels.conv_scale(to + (size_t)g * group, from + (size_t)g * group, factors + (ptrdiff_t)g * op->group_in, op->group_in, k,
					 op->group_out, plan->kernels.lanes);
}

static void run_item(struct vrs_cpu_thread *thread, const struct vrs_cpu_item *item)
{
	const struct vrs_cpu_op *op = &thread->plan->ops[item->op];
	const struct vrs_cpu_value *out = &thread->plan->values[op->out];
	thread->region = op->region;
	thread->own_end[op->out] = item->own_end;
	thread->share = &item->share;
	if (item->y1 < 0) {
		prepare(op, thread, item->image);
		return;
	}
	op->run(op, thread, item->image, item->y0, item->y1);
	if (op->kind == VRS_CPU_FLAT)
		return;
	if (op->finish_act != VRS_KACT_NONE || (op->residual >= 0 && !op->fused_residual))
		finish_rows(op, thread, item->image, item->y0, item->y1);
	if (thread->observe)
		thread->observe(thread->observe_cookie, thread, op->out, item->image, item->y0, item->y1);
	if (out->copied || out->sum_mem_item >= 0)
		keep_rows(op, thread, item->image, item->y0, item->y1 < item->own_end ? item->y1 : item->own_end);
}

void vrs_cpu_run_unit(struct vrs_cpu_thread *thread, const struct vrs_cpu_unit *unit)
{
	const struct vrs_cpu_item *items = thread->plan->items + unit->first;
	for (size_t i = 0; i < unit->count; i++) {
		if (thread->op_ns) {
			uint64_t start = vrs_now_ns();
			run_item(thread, &items[i]);
			thread->op_ns[items[i].op] += vrs_now_ns() - start;
		} else {
			run_item(thread, &items[i]);
		}
	}
}

char *vrs_cpu_arena_create(const struct vrs_cpu_plan *plan)
{
	return vrs_alloc_pages(plan->arena_bytes + ALIGNMENT);
}

char *vrs_cpu_arena_reserve(const struct vrs_cpu_plan *plan)
{
	return vrs_reserve_pages(plan->arena_bytes + ALIGNMENT);
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
	thread->scratch = vrs_alloc_pages(bytes);
	thread->scratch_bytes = bytes;
	thread->own_end = vrs_calloc((size_t)plan->value_count, sizeof *thread->own_end);
	thread->seg = vrs_calloc(plan->max_segs, sizeof *thread->seg);
	if (profile)
		thread->op_ns = vrs_calloc((size_t)plan->op_count + 1, sizeof *thread->op_ns);
	return thread->scratch && thread->own_end && thread->seg && (!profile || thread->op_ns) ? VRS_OK : VRS_ENOMEM;
}

void vrs_cpu_thread_fini(struct vrs_cpu_thread *thread)
{
	vrs_free_pages(thread->scratch, thread->scratch_bytes);
	vrs_free(thread->own_end);
	vrs_free(thread->seg);
	vrs_free(thread->op_ns);
}
