/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/cpu/plan/cpu_plan_sweep.h"

#include <string.h>

#include "backend/cpu/plan/cpu_plan_reach.h"
#include "base/assert.h"

/*
 * Pixels of a step: they share a reading of the weights, and whole tiles.  More of them need larger rings, which pays where the weights leave little
 * of the second-level cache anyway (Zen 3: MobileNetV3 2 % faster on one thread and 3 % on two, but networks with small weights 1 % slower).
 */
#define STEP_PIXELS 48
#define STEP_PIXELS_HEAVY 64
#define HEAVY_WEIGHTS ((size_t)128 << 10) /* bytes of a region */

void vrs_cpu_sweep_init(struct vrs_cpu_sweep *s, struct vrs_cpu_plan *plan, int first, int count)
{
	VRS_ASSERT(count > 0 && count <= VRS_CPU_SWEEP_OPS);
	VRS_ASSERT(first >= 0 && first + count <= plan->op_count);
	memset(s, 0, sizeof *s);
	s->plan = plan;
	s->first = first;
	s->count = count;
	for (int i = 0; i < count; i++) {
		for (int j = i + 1; j < count; j++)
			if (vrs_cpu_op_reads(&plan->ops[first + j], plan->ops[first + i].out))
				s->readers[i][s->reader_count[i]++] = (uint8_t)j;
		s->inner[i] = s->reader_count[i] > 0;
	}
}

const struct vrs_cpu_value *vrs_cpu_sweep_value(const struct vrs_cpu_sweep *s, int i)
{
	return &s->plan->values[s->plan->ops[s->first + i].out];
}

/* First row of each operation that belongs to a band starting at row y of the last one. Bands of all threads use the same cuts. */
static void band_cut(const struct vrs_cpu_sweep *s, int y, int *cut)
{
	int height = vrs_cpu_sweep_value(s, s->count - 1)->height;
	cut[s->count - 1] = y;
	for (int i = s->count - 2; i >= 0; i--) {
		const struct vrs_cpu_value *value = vrs_cpu_sweep_value(s, i);
		int best = value->height;
		if (y <= 0) {
			best = 0;
		} else if (y < height && !s->inner[i]) {
			best = (int)((int64_t)y * value->height / height);
		} else if (y < height) {
			for (int r = 0; r < s->reader_count[i]; r++) {
				int j = s->readers[i][r], begin = value->height, end;
				if (cut[j] < vrs_cpu_sweep_value(s, j)->height)
					vrs_cpu_op_rows(s->plan, &s->plan->ops[s->first + j], s->plan->ops[s->first + i].out, cut[j], cut[j] + 1, &begin, &end);
				best = begin < best ? begin : best;
			}
		}
		cut[i] = best;
	}
}

/* Rows of operation i to be made before its readers reach their targets. Notes how many rows must be kept for them. */
static int rows_needed(struct vrs_cpu_sweep *s, int i)
{
	int value = s->plan->ops[s->first + i].out, need = s->next[i], oldest = s->next[i];
	for (int r = 0; r < s->reader_count[i]; r++) {
		int j = s->readers[i][r], begin, end;
		const struct vrs_cpu_op *reader = &s->plan->ops[s->first + j];
		if (s->next[j] >= vrs_cpu_sweep_value(s, j)->height)
			continue;
		int until = s->target[j] > s->next[j] ? s->target[j] : s->next[j] + 1;
		vrs_cpu_op_rows(s->plan, reader, value, s->next[j], until, &begin, &end);
		if (s->target[j] > s->next[j] && end > need)
			need = end;
		oldest = begin < oldest ? begin : oldest;
	}
	if (need - oldest > s->ring[i])
		s->ring[i] = need - oldest;
	return need;
}

static bool makes_all_rows(const struct vrs_cpu_sweep *s, int i)
{
	const struct vrs_cpu_value *value = vrs_cpu_sweep_value(s, i);
	return value->in_arena || value->sum_mem_item >= 0;
}

static bool needs_preparation(const struct vrs_cpu_sweep *s, int i)
{
	const struct vrs_cpu_op *op = &s->plan->ops[s->first + i];
	const struct vrs_cpu_value *value = vrs_cpu_sweep_value(s, i);
	return op->prepared || op->temp_rows > 0 || op->kind == VRS_CPU_DECONV || (value->ring_rows && value->pad_left + value->pad_right > 0);
}

enum vrs_status vrs_cpu_sweep_band(struct vrs_cpu_sweep *s, int image, int y0, int y1, int chunk, bool emit)
{
	enum vrs_status status = VRS_OK;
	int last = s->count - 1, height = vrs_cpu_sweep_value(s, last)->height;
	VRS_ASSERT(y0 >= 0 && y0 <= y1 && y1 <= height && chunk > 0);
	band_cut(s, y0, s->begin);
	band_cut(s, y1, s->own_end);
	memcpy(s->next, s->begin, sizeof s->next);
	for (int i = 0; emit && status == VRS_OK && i < s->count; i++)
		if (needs_preparation(s, i))
			status = vrs_cpu_plan_push(s->plan, (struct vrs_cpu_item){.op = s->first + i, .image = image, .y1 = -1, .own_end = s->own_end[i]});
	for (int y = y0; status == VRS_OK && y < y1;) {
		y = y1 - y > chunk ? y + chunk : y1;
		for (int i = last; i >= 0; i--) {
			int need = i == last ? y : 0;
			if (i < last && !s->inner[i])
				need = (int)((int64_t)y * vrs_cpu_sweep_value(s, i)->height / height);
			if (y == y1 && makes_all_rows(s, i) && s->own_end[i] > need)
				need = s->own_end[i];
			s->target[i] = need > s->next[i] ? need : s->next[i];
			int inner = rows_needed(s, i);
			s->target[i] = inner > s->target[i] ? inner : s->target[i];
			if (s->target[i] - s->next[i] > s->ring[i])
				s->ring[i] = s->target[i] - s->next[i];
		}
		for (int i = 0; i < s->count; i++) {
			VRS_ASSERT(s->target[i] >= s->next[i] && s->target[i] <= vrs_cpu_sweep_value(s, i)->height);
			if (emit && status == VRS_OK && s->target[i] > s->next[i])
				status = vrs_cpu_plan_push(s->plan, (struct vrs_cpu_item){
					.op = s->first + i, .image = image, .y0 = s->next[i], .y1 = s->target[i], .own_end = s->own_end[i],
				});
			s->next[i] = s->target[i];
		}
	}
	return status;
}

static size_t weights_bytes(const struct vrs_cpu_sweep *s)
{
	size_t floats = 0;
	for (int i = 0; i < s->count; i++)
		floats += s->plan->ops[s->first + i].weights_count;
	return floats * sizeof(float);
}

int vrs_cpu_sweep_chunk(const struct vrs_cpu_sweep *s)
{
	const struct vrs_cpu_op *last = &s->plan->ops[s->first + s->count - 1];
	int pixels = weights_bytes(s) > HEAVY_WEIGHTS ? STEP_PIXELS_HEAVY : STEP_PIXELS;
	int width = vrs_cpu_sweep_value(s, s->count - 1)->width, rows = (pixels + width - 1) / width;
	if (last->kind == VRS_CPU_WINOGRAD) {
		int64_t unit = (int64_t)last->tile * last->window.dilation_h, across = (width + last->tile - 1) / last->tile * (int64_t)last->window.dilation_h;
		int64_t wanted = (last->tiles + across - 1) / across * unit, height = vrs_cpu_sweep_value(s, s->count - 1)->height;
		rows = (int)(wanted < height ? wanted : height);
	}
	if (last->kind == VRS_CPU_DECONV)
		rows = (rows + last->window.stride_h - 1) / last->window.stride_h * last->window.stride_h;
	VRS_ASSERT(rows > 0);
	return rows;
}

/* Rough cost of one row: multiply-adds plus traffic. */
static double row_cost(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_cpu_value *out = &plan->values[op->out];
	double elements = (double)out->width * out->channels, taps = (double)op->window.kernel_h * op->window.kernel_w;
	if (op->kind == VRS_CPU_CONV)
		return elements * (taps * op->group_in + 8);
	if (op->kind == VRS_CPU_DWCONV)
		return elements * (2 * taps + 8);
	return elements * 8;
}

double vrs_cpu_sweep_redundancy(struct vrs_cpu_sweep *s, int bands)
{
	double total = 0, extra = 0;
	int height = vrs_cpu_sweep_value(s, s->count - 1)->height;
	if (bands < 2 || height < 2)
		return 0;
	int cut[VRS_CPU_SWEEP_OPS];
	band_cut(s, height / 2, cut);
	(void)vrs_cpu_sweep_band(s, 0, 0, height / 2, 1, false);
	for (int i = 0; i < s->count; i++) {
		double cost = row_cost(s->plan, &s->plan->ops[s->first + i]);
		total += cost * vrs_cpu_sweep_value(s, i)->height;
		extra += cost * (s->next[i] > cut[i] ? s->next[i] - cut[i] : 0) * (bands - 1);
	}
	return total > 0 ? extra / total : 0;
}

size_t vrs_cpu_sweep_ring_bytes(struct vrs_cpu_sweep *s)
{
	size_t bytes = 0;
	(void)vrs_cpu_sweep_band(s, 0, 0, vrs_cpu_sweep_value(s, s->count - 1)->height, vrs_cpu_sweep_chunk(s), false);
	for (int i = 0; i < s->count; i++)
		if (s->inner[i])
			bytes += (size_t)s->ring[i] * vrs_cpu_row_floats(vrs_cpu_sweep_value(s, i)) * vrs_dtype_size(vrs_cpu_sweep_value(s, i)->dtype);
	return bytes;
}
