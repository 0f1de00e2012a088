/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/cpu/plan/cpu_plan.h"

#include <string.h>

#include "backend/cpu/plan/cpu_plan_flat.h"
#include "backend/cpu/plan/cpu_plan_reach.h"
#include "backend/cpu/plan/cpu_plan_steps.h"
#include "backend/cpu/plan/cpu_plan_u8.h"
#include "base/assert.h"
#include "base/mem.h"
#include "graph/mem_plan.h"
#include "kernels/winograd.h"

#define ALIGNMENT 64
#define DEFAULT_CACHE_BYTES ((size_t)384 << 10)
#define DEFAULT_HALF_MIN_BYTES (((size_t)1 << 20) + 1) /* a second-level cache, and the room of a share of the third */

static void add_item(struct vrs_mem_item *items, int *count, int *id, size_t bytes, int first, int last)
{
	*id = *count;
	VRS_ASSERT(first <= last);
	items[(*count)++] = (struct vrs_mem_item){.bytes = bytes, .first = first, .last = last};
}

/*
 * The operand of an elementwise operation, alone in its region, whose memory the output can take: same rows, in the arena, read for the last
 * time.  The kernels read an element before they write it.  -1: none.
 */
static int dying_operand(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_cpu_value *out = &plan->values[op->out];
	bool elementwise = op->kind == VRS_CPU_UNARY || op->kind == VRS_CPU_BINARY;
	if (!elementwise || plan->regions[op->region].op_count != 1 || !out->in_arena || out->copied || out->is_output)
		return -1;
	for (int k = 0; k < op->inputs; k++) {
		const struct vrs_cpu_value *in = &plan->values[op->in[k]];
		bool same = in->images == out->images && in->height == out->height && in->width == out->width && in->channels == out->channels;
		if (same && in->in_arena && !in->is_input && !in->is_output && !in->half && in->dtype == out->dtype &&
		    in->last_region == op->region && op->in[k] != op->residual)
			return op->in[k];
	}
	return -1;
}

/* Outputs that take the memory of an operand, in the order of operations, so that the operand has its own: values may be numbered otherwise. */
static void share_items(struct vrs_cpu_plan *plan, struct vrs_mem_item *items)
{
	for (int i = 0; i < plan->op_count; i++) {
		struct vrs_cpu_value *v = &plan->values[plan->ops[i].out];
		int shared = v->op == i && v->in_arena ? dying_operand(plan, &plan->ops[i]) : -1;
		if (shared < 0)
			continue;
		v->mem_item = plan->values[shared].mem_item;
		VRS_ASSERT(v->mem_item >= 0);
		if (v->last_region > items[v->mem_item].last)
			items[v->mem_item].last = v->last_region;
	}
}

/* Arena: every value that crosses regions, and the row sums of global averages. Inputs and outputs live all the time. */
static enum vrs_status plan_arena(struct vrs_cpu_plan *plan, struct vrs_error *err)
{
	struct vrs_mem_item *items = vrs_calloc(2 * (size_t)plan->value_count + 1, sizeof *items);
	int count = 0;
	if (!items)
		return vrs_cpu_plan_no_memory(err);
	for (int i = 0; i < plan->value_count; i++) {
		struct vrs_cpu_value *v = &plan->values[i];
		bool lasting = v->is_input || v->is_output;
		v->one_image = plan->image_unit_count > 0 && !lasting;
		size_t rows = (size_t)(v->one_image ? 1 : v->images) * (size_t)v->height, row = (size_t)v->width * (size_t)v->channels;
		int first = lasting || v->op < 0 ? 0 : v->region, last = lasting ? plan->region_count : v->last_region;
		if (v->in_arena && (v->op < 0 || dying_operand(plan, &plan->ops[v->op]) < 0))
			add_item(items, &count, &v->mem_item, rows * row * vrs_cpu_value_size(v), first, last > first ? last : first);
		if (v->sum_mem_item >= 0)
			add_item(items, &count, &v->sum_mem_item, (size_t)v->images * (size_t)v->height * (size_t)v->channels * sizeof(float), v->region,
				 v->last_region > v->region ? v->last_region : v->region);
	}
	share_items(plan, items);
	enum vrs_status status = vrs_mem_plan(items, count, &plan->arena_bytes, &plan->arena_lower_bound);
	for (int i = 0; status == VRS_OK && i < plan->value_count; i++) {
		struct vrs_cpu_value *v = &plan->values[i];
		v->arena_offset = v->in_arena ? items[v->mem_item].offset : 0;
		v->sum_offset = v->sum_mem_item >= 0 ? items[v->sum_mem_item].offset : 0;
		VRS_ASSERT(v->arena_offset % ALIGNMENT == 0 && v->sum_offset % ALIGNMENT == 0);
		VRS_ASSERT(!v->in_arena || v->arena_offset + items[v->mem_item].bytes <= plan->arena_bytes);
	}
	vrs_free(items);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot place the tensors of the network in memory: %s", vrs_status_str(status));
	return VRS_OK;
}

/* Row pointers of a batch of tiles, and zeros instead of any input row. */
static void wino_limits(struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	size_t segs = (size_t)op->tiles * (size_t)op->inputs * (size_t)VRS_WINO_SIDE(op->tile, op->window.kernel_h);
	plan->max_segs = segs > plan->max_segs ? segs : plan->max_segs;
	plan->zero_floats = op->bias_count > plan->zero_floats ? op->bias_count : plan->zero_floats;
	for (int k = 0; k < op->inputs; k++) {
		size_t row = vrs_cpu_row_floats(&plan->values[op->in[k]]);
		plan->zero_floats = row > plan->zero_floats ? row : plan->zero_floats;
	}
}

/* A row pointer for each row of the window, and zeros instead of an input row. */
static void deconv_limits(struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	size_t row = vrs_cpu_row_floats(&plan->values[op->in[0]]), segs = (size_t)op->window.kernel_h;
	plan->max_segs = segs > plan->max_segs ? segs : plan->max_segs;
	plan->zero_floats = row > plan->zero_floats ? row : plan->zero_floats;
}

/* The zero row is as long as the longest padded input row; the segment list as long as the largest window. */
static enum vrs_status plan_limits(struct vrs_cpu_plan *plan, struct vrs_error *err)
{
	plan->max_segs = 1;
	plan->zero_floats = VRS_CPU_MATMUL_COLUMNS;
	for (int i = 0; i < plan->op_count; i++) {
		const struct vrs_cpu_op *op = &plan->ops[i];
		if (op->kind == VRS_CPU_WINOGRAD)
			wino_limits(plan, op);
		for (size_t taps = (size_t)(op->rows.taps > op->columns.taps ? op->rows.taps : op->columns.taps); taps > plan->max_segs;)
			plan->max_segs = taps;
		if (op->kind == VRS_CPU_DECONV)
			deconv_limits(plan, op);
		if (op->kind != VRS_CPU_CONV && op->kind != VRS_CPU_DWCONV && op->kind != VRS_CPU_POOL)
			continue;
		const struct vrs_window *w = &op->window;
		const struct vrs_cpu_value *in = &plan->values[op->in[0]];
		size_t segs = (size_t)w->kernel_h * (size_t)w->kernel_w;
		size_t reach = (size_t)vrs_cpu_op_columns(plan, op);
		size_t row = (reach > (size_t)in->width ? reach : (size_t)in->width) * (size_t)in->channels;
		if (op->routine == VRS_CPU_RUN_DWCONV_SPREAD)
			row = (size_t)op->temp_px;
		if (segs > (size_t)1 << 20)
			return vrs_fail(err, VRS_EUNSUPPORTED, "a window of %dx%d is too large for the CPU backend", w->kernel_w, w->kernel_h);
		plan->max_segs = segs > plan->max_segs ? segs : plan->max_segs;
		plan->zero_floats = row > plan->zero_floats ? row : plan->zero_floats;
	}
	plan->zeros = vrs_alloc_aligned(ALIGNMENT, plan->zero_floats * sizeof *plan->zeros);
	if (!plan->zeros)
		return vrs_cpu_plan_no_memory(err);
	memset(plan->zeros, 0, plan->zero_floats * sizeof *plan->zeros);
	return VRS_OK;
}

/* How 16 bits are read and written. */
static void init_storage(struct vrs_cpu_plan *plan, const struct vrs_session_options *options)
{
	bool bf16 = options->precision == VRS_PRECISION_BF16;
	plan->half = bf16 || options->precision == VRS_PRECISION_FP16;
	plan->dot = bf16 && plan->kernels.conv_bf16 != NULL;
	plan->half_min_bytes = options->half_min_bytes < 0 ? DEFAULT_HALF_MIN_BYTES : (size_t)options->half_min_bytes;
	plan->widen = bf16 ? plan->kernels.bf16_to_float : plan->kernels.half_to_float;
	plan->narrow = bf16 ? plan->kernels.float_to_bf16 : plan->kernels.float_to_half;
}

/* Precisions and ranges are read by the numbers of the rewritten graph's nodes and tensors, so they must be those of this one. */
static enum vrs_status init_int8(struct vrs_cpu_plan *plan, const struct vrs_session_options *options, struct vrs_error *err)
{
	const struct vrs_calibration *calibration = options->calibration;
	bool mixed = options->precision == VRS_PRECISION_MIXED;
	plan->int8 = mixed || options->precision == VRS_PRECISION_INT8;
	if (!plan->int8 || !calibration)
		return VRS_OK;
	VRS_TRY(vrs_calibration_check(calibration, &plan->graph, err));
	plan->node_precision = mixed ? calibration->mixed : calibration->int8;
	return VRS_OK;
}

enum vrs_status vrs_cpu_plan_begin(struct vrs_cpu_plan *plan, const struct vrs_graph *graph, unsigned features, int threads,
				   const struct vrs_session_options *options, struct vrs_error *err)
{
	VRS_ASSERT(threads > 0);
	memset(plan, 0, sizeof *plan);
	plan->threads = threads;
	plan->fusion = options->fusion;
	plan->cache_bytes = DEFAULT_CACHE_BYTES;
	vrs_kernels_init(&plan->kernels, features);
	init_storage(plan, options);
	vrs_kernels_u8_init(&plan->kernels_u8, features);
	if (vrs_graph_copy(&plan->graph, graph) != VRS_OK)
		return vrs_cpu_plan_no_memory(err);
	enum vrs_status status = plan->fusion ? vrs_cpu_plan_rewrite(&plan->graph, err) : VRS_OK;
	return status == VRS_OK ? init_int8(plan, options, err) : status;
}

enum vrs_status vrs_cpu_plan_complete(struct vrs_cpu_plan *plan, const struct vrs_session_options *options, struct vrs_error *err)
{
	VRS_ASSERT(plan->op_count == 0 && plan->value_count == 0); /* once */
	enum vrs_status status = vrs_cpu_plan_lower(plan, err);
	if (status == VRS_OK && plan->node_precision)
		status = vrs_cpu_plan_quantize(plan, options->calibration, plan->node_precision, err);
	if (status == VRS_OK)
		status = vrs_cpu_plan_regions(plan, err);
	if (status == VRS_OK)
		status = plan_limits(plan, err);
	if (status == VRS_OK)
		status = vrs_cpu_plan_pack_weights(plan, err);
	if (status == VRS_OK && vrs_cpu_plan_images(plan) != VRS_OK)
		status = vrs_cpu_plan_no_memory(err);
	return status == VRS_OK ? plan_arena(plan, err) : status;
}

enum vrs_status vrs_cpu_plan_init(struct vrs_cpu_plan *plan, const struct vrs_graph *graph, unsigned features, int threads,
				  const struct vrs_session_options *options, struct vrs_error *err)
{
	enum vrs_status status = vrs_cpu_plan_begin(plan, graph, features, threads, options, err);
	return status == VRS_OK ? vrs_cpu_plan_complete(plan, options, err) : status;
}

static void free_axis(struct vrs_cpu_axis *axis)
{
	vrs_free(axis->index0);
	vrs_free(axis->index1);
	vrs_free(axis->places);
	vrs_free(axis->weight);
}

void vrs_cpu_plan_fini(struct vrs_cpu_plan *plan)
{
	for (int i = 0; i < plan->op_count; i++) {
		free_axis(&plan->ops[i].rows);
		free_axis(&plan->ops[i].columns);
		vrs_cpu_u8_free(plan->ops[i].u8);
	}
	vrs_free(plan->tuned);
	vrs_free(plan->items);
	vrs_free(plan->units);
	vrs_free(plan->unit_start);
	vrs_free(plan->image_units);
	vrs_free(plan->ops);
	vrs_free(plan->values);
	vrs_free(plan->regions);
	vrs_free_pages(plan->weights, plan->weights_bytes);
	vrs_free_aligned(plan->half_weights);
	vrs_free_aligned(plan->zeros);
	vrs_graph_fini(&plan->graph);
	memset(plan, 0, sizeof *plan);
}
