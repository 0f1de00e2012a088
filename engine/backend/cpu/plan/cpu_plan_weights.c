/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The weights of all operations, packed for their kernels, in one block. */
#include "backend/cpu/plan/cpu_plan_steps.h"

#include <string.h>

#include "backend/cpu/plan/cpu_plan_conv.h"
#include "backend/cpu/plan/cpu_plan_deconv.h"
#include "backend/cpu/plan/cpu_plan_reach.h"
#include "base/assert.h"
#include "base/mem.h"
#include "kernels/weight_pack.h"
#include "kernels/winograd.h"

#define ALIGNMENT 64

/*
 * Transposed convolution: [O][KH][KW][I] to rows n = (ky * KW + kx) * O + o of length I, group by group; depthwise to [KH][KW][O].  The bias is part
 * of the products where every output has one source; it also stands alone behind them.
 */
static enum vrs_status pack_deconv(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, const float *weights, const float *bias)
{
	size_t taps = (size_t)op->window.kernel_h * (size_t)op->window.kernel_w, out = (size_t)op->group_out, in = (size_t)op->group_in;
	size_t groups = (size_t)op->groups, count;
	float *dst = plan->weights + op->weights_offset, *dst_bias = plan->weights + op->bias_offset;
	if (bias)
		memcpy(dst_bias + op->bias_count, bias, groups * out * sizeof *bias);
	if (vrs_cpu_deconv_is_depthwise(op)) {
		for (size_t c = 0; c < groups; c++)
			for (size_t t = 0; t < taps; t++)
				dst[t * groups + c] = weights[c * taps + t];
		return VRS_OK;
	}
	float *ordered = vrs_mul_size(out * taps, in, &count) ? vrs_realloc_array(NULL, count, sizeof *ordered) : NULL;
	if (!ordered)
		return VRS_ENOMEM;
	for (size_t g = 0; g < groups; g++, weights += out * taps * in) {
		for (size_t o = 0; o < out; o++)
			for (size_t t = 0; t < taps; t++)
				memcpy(ordered + (t * out + o) * in, weights + (o * taps + t) * in, in * sizeof *ordered);
		vrs_pack_conv(dst + g * (op->weights_count / groups), ordered, (int)(out * taps), op->group_in, in, plan->kernels.lanes);
		for (size_t t = 0; t < taps && bias && !vrs_cpu_deconv_overlaps(plan, op); t++)
			memcpy(dst_bias + g * (op->bias_count / groups) + t * out, bias + g * out, out * sizeof *bias);
	}
	vrs_free(ordered);
	return VRS_OK;
}

/*
 * Weights of groups, of which several may be one of the operation: rows of [KH][KW][I], zero where input and output belong to different ones.  They
 * are [O][KH][KW][I], or depthwise [KH][KW][O].
 */
static enum vrs_status pack_groups(float *dst, const float *weights, const struct vrs_cpu_op *op, bool depthwise, int lanes)
{
	size_t taps = (size_t)op->window.kernel_h * (size_t)op->window.kernel_w, wide = (size_t)op->group_in, high = (size_t)op->group_out;
	size_t merged = (size_t)(op->window.groups / op->groups), in = wide / merged, out = high / merged, all = (size_t)op->groups * high;
	float *rows = vrs_realloc_array(NULL, high * taps * wide, sizeof *rows);
	if (!rows)
		return VRS_ENOMEM;
	for (size_t g = 0; g < (size_t)op->groups; g++, dst += op->weights_count / (size_t)op->groups) {
		memset(rows, 0, high * taps * wide * sizeof *rows);
		for (size_t n = 0; n < high; n++)
			for (size_t t = 0; t < taps; t++) {
				size_t o = g * high + n;
				const float *from = depthwise ? weights + t * all + o : weights + (o * taps + t) * in;
				memcpy(rows + (n * taps + t) * wide + n / out * in, from, in * sizeof *rows);
			}
		if (op->kind == VRS_CPU_WINOGRAD)
			vrs_pack_wino(dst, rows, op->tile, op->window.kernel_h, op->group_out, op->group_in, lanes);
		else
			vrs_pack_conv(dst, rows, op->group_out, (int)(taps * wide), taps * wide, lanes);
	}
	vrs_free(rows);
	return VRS_OK;
}

/* Weights of the depthwise kernel. */
static bool is_depthwise(const struct vrs_cpu_op *op)
{
	return op->kind == VRS_CPU_DWCONV || op->routine == VRS_CPU_RUN_DWCONV_SPREAD;
}

static enum vrs_status pack_op(struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_node *node = &plan->graph.nodes[op->node];
	const float *weights = plan->graph.tensors[node->in[1]].data;
	const float *bias = node->inputs > 2 && node->in[2] >= 0 ? plan->graph.tensors[node->in[2]].data : NULL;
	int lanes = plan->kernels.lanes, taps = op->window.kernel_h * op->window.kernel_w, out = plan->values[op->out].channels;
	float *dst = plan->weights + op->weights_offset, *dst_bias = plan->weights + op->bias_offset;
	VRS_ASSERT(op->weights_offset + op->weights_count <= plan->weights_count && op->weights_offset % 16 == 0);
	VRS_ASSERT(op->bias_offset + op->bias_count <= plan->weights_count && op->bias_offset % 16 == 0);
	if (op->routine == VRS_CPU_RUN_STRIPS_BF16) {
		vrs_pack_strips(dst, weights, out, op->group_in, lanes);
		vrs_pack_bias(dst_bias, bias, out, lanes);
		return VRS_OK;
	}
	if (op->kind == VRS_CPU_WINOGRAD && op->groups == 1) {
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
	if (is_depthwise(op)) {
		vrs_pack_dwconv(dst, weights, bias, out, taps, lanes);
		return VRS_OK;
	}
	if (op->routine == VRS_CPU_RUN_DECONV_PHASES)
		return vrs_cpu_pack_deconv_phases(plan, op, weights, bias);
	if (op->kind == VRS_CPU_DECONV)
		return pack_deconv(plan, op, weights, bias);
	for (size_t g = 0; g < (size_t)op->groups; g++)
		vrs_pack_bias(dst_bias + g * (op->bias_count / (size_t)op->groups), bias ? bias + g * (size_t)op->group_out : NULL, op->group_out, lanes);
	return pack_groups(dst, weights, op, vrs_node_is_depthwise(&plan->graph, node), lanes);
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
		if (!op->half_weights && !is_depthwise(op) && op->kind != VRS_CPU_WINOGRAD)
			round_weights(plan, plan->weights + op->weights_offset, op->weights_count);
	}
	if (!plan->half_count)
		return VRS_OK;
	plan->half_weights = vrs_alloc_aligned(ALIGNMENT, (plan->half_count + 32) * sizeof *plan->half_weights);
	if (!plan->half_weights)
		return vrs_cpu_plan_no_memory(err);
	plan->narrow(plan->weights, plan->half_weights, plan->half_count);
	size_t rest = plan->weights_count - plan->half_count;
	size_t bytes = (rest + 16) * sizeof(float);
	float *kept = vrs_alloc_pages(bytes, true);
	if (!kept)
		return vrs_cpu_plan_no_memory(err);
	memcpy(kept, plan->weights + plan->half_count, rest * sizeof *kept);
	vrs_free_pages(plan->weights, plan->weights_bytes);
	plan->weights = kept;
	plan->weights_bytes = bytes;
	plan->weights_count = rest;
	for (int i = 0; i < plan->op_count; i++) {
		VRS_ASSERT(plan->ops[i].bias_offset >= plan->half_count);
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
enum vrs_status vrs_cpu_plan_pack_weights(struct vrs_cpu_plan *plan, struct vrs_error *err)
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
		return vrs_cpu_plan_no_memory(err);
	plan->weights = vrs_alloc_pages(bytes, true);
	plan->weights_bytes = bytes;
	if (!plan->weights)
		return vrs_cpu_plan_no_memory(err);
	for (int i = 0; i < plan->op_count; i++) {
		if (plan->ops[i].weights_count && pack_op(plan, &plan->ops[i]) != VRS_OK)
			return vrs_cpu_plan_no_memory(err);
	}
	return plan->half ? narrow_weights(plan, err) : VRS_OK;
}
