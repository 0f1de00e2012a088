/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/cpu_plan_conv.h"
#include "backend/cpu_u8.h"

#include <string.h>

#include "backend/cpu_tune.h"
#include "base/mem.h"
#include "graph/mem_plan.h"
#include "kernels/weight_pack.h"
#include "kernels/winograd.h"

#define ALIGNMENT 64
#define DEFAULT_CACHE_BYTES ((size_t)384 << 10)
#define DEFAULT_HALF_MIN_BYTES (((size_t)1 << 20) + 1) /* a second-level cache, and the room of a share of the third */

static enum vrs_status out_of_memory(struct vrs_error *err)
{
	return vrs_fail(err, VRS_ENOMEM, "out of memory while the network is planned");
}

/* [O][KH][KW][I] to rows n = (ky * KW + kx) * O + o of length I. */
static enum vrs_status pack_deconv(float *dst, const float *weights, int out, int taps, int in, int lanes)
{
	size_t size, count;
	if (!vrs_mul_size((size_t)out * (size_t)taps, (size_t)in, &count) || !vrs_mul_size(count, sizeof(float), &size))
		return VRS_ELIMIT;
	float *ordered = vrs_alloc(size);
	if (!ordered)
		return VRS_ENOMEM;
	for (int o = 0; o < out; o++)
		for (int t = 0; t < taps; t++)
			memcpy(ordered + ((size_t)t * (size_t)out + (size_t)o) * (size_t)in, weights + ((size_t)o * (size_t)taps + (size_t)t) * (size_t)in,
			       (size_t)in * sizeof *ordered);
	vrs_pack_conv(dst, ordered, out * taps, in, (size_t)in, lanes);
	vrs_free(ordered);
	return VRS_OK;
}

/* Depthwise weights [KH][KW][O] with several outputs an input, as groups of one input: rows of KH * KW. */
static enum vrs_status pack_multiplied(float *dst, const float *weights, const struct vrs_cpu_op *op, int taps, int lanes)
{
	size_t out = (size_t)op->groups * (size_t)op->group_out, group = op->weights_count / (size_t)op->groups;
	float *rows = vrs_realloc_array(NULL, (size_t)op->group_out * (size_t)taps, sizeof *rows);
	if (!rows)
		return VRS_ENOMEM;
	for (size_t g = 0; g < (size_t)op->groups; g++) {
		for (size_t n = 0; n < (size_t)op->group_out; n++)
			for (size_t t = 0; t < (size_t)taps; t++)
				rows[n * (size_t)taps + t] = weights[t * out + g * (size_t)op->group_out + n];
		vrs_pack_conv(dst + g * group, rows, op->group_out, taps, (size_t)taps, lanes);
	}
	vrs_free(rows);
	return VRS_OK;
}

static enum vrs_status pack_op(struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_node *node = &plan->graph.nodes[op->node];
	const float *weights = plan->graph.tensors[node->in[1]].data;
	const float *bias = node->inputs > 2 && node->in[2] >= 0 ? plan->graph.tensors[node->in[2]].data : NULL;
	int lanes = plan->kernels.lanes, taps = op->window.kernel_h * op->window.kernel_w, out = plan->values[op->out].channels;
	float *dst = plan->weights + op->weights_offset, *dst_bias = plan->weights + op->bias_offset;
	enum vrs_status status = VRS_OK;
	if (op->kind == VRS_CPU_WINOGRAD) {
		vrs_pack_wino(dst, weights, op->tile, op->window.kernel_h, out, op->group_in, lanes);
		vrs_pack_bias(dst_bias, bias, out, lanes);
		return VRS_OK;
	}
	if (op->dot) {
		int klen, segs = vrs_cpu_conv_segments(op, &klen);
		vrs_pack_conv_bf16(dst, weights, out, segs, klen, lanes);
		vrs_pack_bias(dst_bias, bias, out, lanes);
		return VRS_OK;
	}
	if (op->kind == VRS_CPU_DWCONV) {
		vrs_pack_dwconv(dst, weights, bias, out, taps, lanes);
		return VRS_OK;
	}
	if (op->kind == VRS_CPU_DECONV) {
		bool overlap = vrs_cpu_deconv_overlaps(plan, op);
		for (int t = 0; t < taps && bias && !overlap; t++)
			memcpy(dst_bias + (ptrdiff_t)t * out, bias, (size_t)out * sizeof *dst_bias);
		if (bias)
			memcpy(dst_bias + op->bias_count, bias, (size_t)out * sizeof *dst_bias);
		return pack_deconv(dst, weights, out, taps, op->group_in, lanes);
	}
	size_t k = (size_t)op->group_in * (size_t)taps, group = op->weights_count / (size_t)op->groups;
	size_t bias_group = op->bias_count / (size_t)op->groups;
	if (vrs_node_is_depthwise(&plan->graph, node))
		status = pack_multiplied(dst, weights, op, taps, lanes);
	for (size_t g = 0; g < (size_t)op->groups; g++) {
		size_t first = g * (size_t)op->group_out;
		if (!vrs_node_is_depthwise(&plan->graph, node))
			vrs_pack_conv(dst + g * group, weights + first * k, op->group_out, (int)k, k, lanes);
		vrs_pack_bias(dst_bias + g * bias_group, bias ? bias + first : NULL, op->group_out, lanes);
	}
	return status;
}

/* What 16 bits keep of weights that stay float. */
static void round_weights(const struct vrs_cpu_plan *plan, float *weights, size_t count)
{
	uint16_t halves[256];
	enum { BLOCK = sizeof halves / sizeof *halves };
	for (size_t i = 0; i < count; i += BLOCK) {
		size_t n = count - i < BLOCK ? count - i : BLOCK;
		plan->narrow(weights + i, halves, n);
		plan->widen(halves, weights + i, n);
	}
}

/* Weights become halves, and the float block keeps what lies behind them. */
static enum vrs_status narrow_weights(struct vrs_cpu_plan *plan, struct vrs_error *err)
{
	for (int i = 0; i < plan->op_count; i++) {
		struct vrs_cpu_op *op = &plan->ops[i];
		/* Depthwise weights include the bias; the output transform would enlarge what is rounded off transformed weights. */
		if (!op->half_weights && op->kind != VRS_CPU_DWCONV && op->kind != VRS_CPU_WINOGRAD)
			round_weights(plan, plan->weights + op->weights_offset, op->weights_count);
	}
	if (!plan->half_count)
		return VRS_OK;
	plan->half_weights = vrs_alloc_aligned(ALIGNMENT, (plan->half_count + 32) * sizeof *plan->half_weights);
	if (!plan->half_weights)
		return out_of_memory(err);
	plan->narrow(plan->weights, plan->half_weights, plan->half_count);
	size_t rest = plan->weights_count - plan->half_count;
	size_t bytes = (rest + 16) * sizeof(float);
	float *kept = vrs_alloc_pages(bytes);
	if (!kept)
		return out_of_memory(err);
	memcpy(kept, plan->weights + plan->half_count, rest * sizeof *kept);
	vrs_free_pages(plan->weights, plan->weights_bytes);
	plan->weights = kept;
	plan->weights_bytes = bytes;
	plan->weights_count = rest;
	for (int i = 0; i < plan->op_count; i++) {
		plan->ops[i].bias_offset -= plan->half_count;
		plan->ops[i].weights_offset -= plan->ops[i].half_weights ? 0 : plan->half_count;
	}
	return VRS_OK;
}

static size_t place_weights(struct vrs_cpu_plan *plan, size_t used, bool half)
{
	for (int i = 0; i < plan->op_count; i++) {
		struct vrs_cpu_op *op = &plan->ops[i];
		if (op->half_weights != half)
			continue;
		op->weights_offset = used;
		used += (op->weights_count + 15) / 16 * 16;
	}
	return used;
}

/* All packed weights and biases in one block, those in front that are to be halves. */
static enum vrs_status pack_weights(struct vrs_cpu_plan *plan, struct vrs_error *err)
{
	plan->half_count = place_weights(plan, 0, true);
	size_t used = place_weights(plan, plan->half_count, false);
	for (int i = 0; i < plan->op_count; i++) {
		struct vrs_cpu_op *op = &plan->ops[i];
		size_t extra = op->kind == VRS_CPU_DECONV ? (size_t)plan->values[op->out].channels : 0;
		op->bias_offset = used;
		used += (op->bias_count + extra + 15) / 16 * 16;
	}
	plan->weights_count = used;
	size_t bytes;
	if (!vrs_mul_size(used + 16, sizeof(float), &bytes))
		return out_of_memory(err);
	plan->weights = vrs_alloc_pages(bytes);
	plan->weights_bytes = bytes;
	if (!plan->weights)
		return out_of_memory(err);
	for (int i = 0; i < plan->op_count; i++) {
		if (plan->ops[i].weights_count && pack_op(plan, &plan->ops[i]) != VRS_OK)
			return out_of_memory(err);
	}
	return plan->half ? narrow_weights(plan, err) : VRS_OK;
}

static void add_item(struct vrs_mem_item *items, int *count, int *id, size_t bytes, int first, int last)
{
	*id = *count;
	items[(*count)++] = (struct vrs_mem_item){ .bytes = bytes, .first = first, .last = last };
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

/* Arena: every value that crosses regions, and the row sums of global averages. Inputs and outputs live all the time. */
static enum vrs_status plan_arena(struct vrs_cpu_plan *plan, struct vrs_error *err)
{
	struct vrs_mem_item *items = vrs_calloc(2 * (size_t)plan->value_count + 1, sizeof *items);
	int count = 0;
	if (!items)
		return out_of_memory(err);
	for (int i = 0; i < plan->value_count; i++) {
		struct vrs_cpu_value *v = &plan->values[i];
		bool lasting = v->is_input || v->is_output;
		v->one_image = plan->image_unit_count > 0 && !lasting;
		size_t rows = (size_t)(v->one_image ? 1 : v->images) * (size_t)v->height, row = (size_t)v->width * (size_t)v->channels;
		int first = lasting ? 0 : v->region, last = lasting ? plan->region_count : v->last_region;
		int shared = v->in_arena && v->op >= 0 ? dying_operand(plan, &plan->ops[v->op]) : -1;
		if (shared >= 0) {
			/* Values are numbered in the order in which nodes first name them, so the operand has its item already. */
			v->mem_item = plan->values[shared].mem_item;
			if (last > items[v->mem_item].last)
				items[v->mem_item].last = last;
		} else if (v->in_arena) {
			add_item(items, &count, &v->mem_item, rows * row * vrs_cpu_value_size(v), first, last > first ? last : first);
		}
		if (v->sum_mem_item >= 0)
			add_item(items, &count, &v->sum_mem_item, (size_t)v->images * (size_t)v->height * (size_t)v->channels * sizeof(float), v->region,
				 v->last_region > v->region ? v->last_region : v->region);
	}
	enum vrs_status status = vrs_mem_plan(items, count, &plan->arena_bytes, &plan->arena_lower_bound);
	for (int i = 0; status == VRS_OK && i < plan->value_count; i++) {
		struct vrs_cpu_value *v = &plan->values[i];
		v->arena_offset = v->in_arena ? items[v->mem_item].offset : 0;
		v->sum_offset = v->sum_mem_item >= 0 ? items[v->sum_mem_item].offset : 0;
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
	for (int k = 0; k < op->inputs; k++) {
		size_t row = vrs_cpu_row_floats(&plan->values[op->in[k]]);
		plan->zero_floats = row > plan->zero_floats ? row : plan->zero_floats;
	}
}

/* The zero row is as long as the longest padded input row; the segment list as long as the largest window. */
static enum vrs_status plan_limits(struct vrs_cpu_plan *plan, struct vrs_error *err)
{
	plan->max_segs = 1;
	plan->zero_floats = 16;
	for (int i = 0; i < plan->op_count; i++) {
		const struct vrs_cpu_op *op = &plan->ops[i];
		if (op->kind == VRS_CPU_WINOGRAD)
			wino_limits(plan, op);
		if (op->kind != VRS_CPU_CONV && op->kind != VRS_CPU_DWCONV && op->kind != VRS_CPU_POOL)
			continue;
		const struct vrs_window *w = &op->window;
		const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
		size_t segs = (size_t)w->kernel_h * (size_t)w->kernel_w;
		size_t reach = (size_t)(out->width - 1) * (size_t)w->stride_w + (size_t)(w->kernel_w - 1) * (size_t)w->dilation_w + 1;
		size_t row = (reach > (size_t)in->width ? reach : (size_t)in->width) * (size_t)in->channels;
		if (segs > (size_t)1 << 20)
			return vrs_fail(err, VRS_EUNSUPPORTED, "a window of %dx%d is too large for the CPU backend", w->kernel_w, w->kernel_h);
		plan->max_segs = segs > plan->max_segs ? segs : plan->max_segs;
		plan->zero_floats = row > plan->zero_floats ? row : plan->zero_floats;
	}
	plan->zeros = vrs_alloc_aligned(ALIGNMENT, plan->zero_floats * sizeof *plan->zeros);
	if (!plan->zeros)
		return out_of_memory(err);
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

static void init_int8(struct vrs_cpu_plan *plan, const struct vrs_session_options *options, unsigned features)
{
	bool mixed = options->precision == VRS_PRECISION_MIXED;
	vrs_kernels_u8_init(&plan->kernels_u8, features);
	plan->int8 = mixed || options->precision == VRS_PRECISION_INT8;
	if (plan->int8 && options->calibration)
		plan->node_precision = mixed ? options->calibration->mixed : options->calibration->int8;
}

/* The same choice for every node. */
static enum vrs_status set_choice(struct vrs_cpu_plan *plan, const struct vrs_cpu_tuned *all, struct vrs_error *err)
{
	plan->tuned = vrs_calloc((size_t)plan->graph.node_count + 1, sizeof *plan->tuned);
	if (!plan->tuned)
		return out_of_memory(err);
	for (int32_t i = 0; i < plan->graph.node_count; i++)
		plan->tuned[i] = *all;
	return VRS_OK;
}

enum vrs_status vrs_cpu_plan_init(struct vrs_cpu_plan *plan, const struct vrs_graph *graph, unsigned features, int threads,
				  const struct vrs_session_options *options, struct vrs_error *err)
{
	return vrs_cpu_plan_build(plan, graph, features, threads, options, NULL, err);
}

enum vrs_status vrs_cpu_plan_build(struct vrs_cpu_plan *plan, const struct vrs_graph *graph, unsigned features, int threads,
				   const struct vrs_session_options *options, const struct vrs_cpu_tuned *all, struct vrs_error *err)
{
	bool fusion = options->fusion;
	memset(plan, 0, sizeof *plan);
	plan->threads = threads;
	plan->fusion = fusion;
	plan->cache_bytes = DEFAULT_CACHE_BYTES;
	vrs_kernels_init(&plan->kernels, features);
	init_storage(plan, options);
	init_int8(plan, options, features);
	enum vrs_status status = vrs_graph_copy(&plan->graph, graph);
	if (status != VRS_OK)
		return vrs_fail(err, status, "out of memory while the network is planned");
	if (fusion)
		status = vrs_cpu_plan_rewrite(&plan->graph, err);
	if (status == VRS_OK && (all || options->autotune))
		status = all ? set_choice(plan, all, err) : vrs_cpu_tune(plan, features, options, err);
	if (status == VRS_OK)
		status = vrs_cpu_plan_lower(plan, err);
	if (status == VRS_OK && plan->node_precision)
		status = vrs_cpu_plan_quantize(plan, options->calibration, plan->node_precision, err);
	if (status == VRS_OK)
		status = vrs_cpu_plan_regions(plan, err);
	if (status == VRS_OK)
		status = plan_limits(plan, err);
	if (status == VRS_OK)
		status = pack_weights(plan, err);
	if (status == VRS_OK && vrs_cpu_plan_images(plan) != VRS_OK)
		status = vrs_fail(err, VRS_ENOMEM, "out of memory while the network is planned");
	return status == VRS_OK ? plan_arena(plan, err) : status;
}

static void free_axis(struct vrs_cpu_axis *axis)
{
	vrs_free(axis->index0);
	vrs_free(axis->index1);
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
