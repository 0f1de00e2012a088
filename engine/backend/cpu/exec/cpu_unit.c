/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Execution of a unit of the plan: what happens before and after an operation makes some. */

#include <string.h>

#include "backend/cpu/exec/cpu_routines.h"
#include "base/assert.h"
#include "base/clock.h"

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
			kernels->act(&(struct vrs_act_row){.act = op->finish_act, .lo = op->lo, .hi = op->hi, .in = row, .out = row, .count = count});
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

/* At the start of a band: zero columns of the ring (zero points of bytes), widened and scaled weights, no products yet. */
static void prepare(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *out = &plan->values[op->out];
	size_t left = (size_t)out->pad_left * (size_t)out->channels, right = (size_t)out->pad_right * (size_t)out->channels;
	bool u8 = vrs_cpu_value_is_u8(out);
	int zero = u8 ? (int)out->zero : 0;
	for (int y = 0; y < out->ring_rows && left + right > 0; y++) {
		float *row = vrs_cpu_ring_row(thread, out, y);
		char *first = (char *)(void *)row;
		size_t size = u8 ? 1 : sizeof *row;
		memset(first - left * size, zero, left * size);
		memset(first + vrs_cpu_row_floats(out) * size, zero, right * size);
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
	VRS_ASSERT(op->weights_scratch + op->weights_count <= thread->plan->scratch_floats);
	const float *factors = vrs_cpu_scale_row(op, thread, image);
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
	VRS_ASSERT(item->op >= 0 && item->op < thread->plan->op_count);
	VRS_ASSERT(op->routine < VRS_CPU_ROUTINES && vrs_cpu_routines[op->routine].run);
	VRS_ASSERT(item->image >= 0 && (out->images == 0 || item->image < out->images));
	thread->region = op->region;
	thread->own_end[op->out] = item->own_end;
	thread->share = &item->share;
	if (item->y1 < 0) {
		prepare(op, thread, item->image);
		return;
	}
	VRS_ASSERT(op->kind == VRS_CPU_FLAT || item->y1 <= out->height);
	vrs_cpu_routines[op->routine].run(op, thread, item->image, item->y0, item->y1);
	thread->made_end[op->out] = item->y1;
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
	VRS_ASSERT(unit->first + unit->count <= thread->plan->item_count);
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
