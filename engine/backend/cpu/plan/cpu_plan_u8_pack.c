/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Weights and factors of operations on u8 values.  A layer computes, in real numbers, s_in * s_w[n] * (sum(w q) - z_in * sum(w)) + bias[n]; the
 * epilogue of its kernel works in steps of the output (v / s_out + z_out), or in real numbers where hard-swish or a float result asks for them.
 */
#include "backend/cpu/plan/cpu_plan_reach.h"
#include "backend/cpu/plan/cpu_plan_steps.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "kernels/weight_pack_u8.h"
#include "kernels/weight_scale_u8.h"

void vrs_cpu_u8_free(struct vrs_cpu_u8 *u8)
{
	if (!u8)
		return;
	vrs_free_aligned(u8->weights);
	vrs_free_aligned(u8->mult);
	vrs_free_aligned(u8->bias);
	vrs_free_aligned(u8->real_weights);
	vrs_free_aligned(u8->real_bias);
	vrs_free_aligned(u8->pad_row);
	vrs_free(u8->wx);
	vrs_free(u8);
}

static void *zeroed(size_t count, size_t size)
{
	size_t bytes;
	if (!vrs_mul_size(count + 64, size, &bytes))
		return NULL;
	void *data = vrs_alloc_aligned(64, bytes);
	if (data)
		memset(data, 0, bytes);
	return data;
}

/* Domain and constants of the epilogue. */
static void make_epilogue(const struct vrs_cpu_plan *plan, struct vrs_cpu_op *op)
{
	const struct vrs_cpu_value *out = &plan->values[op->out];
	struct vrs_cpu_u8 *u8 = op->u8;
	struct vrs_epilogue_u8 *e = &u8->epilogue;
	bool to_u8 = vrs_cpu_value_is_u8(out), hswish = op->fused_act == VRS_KACT_HSWISH;
	float step = to_u8 ? out->scale : 1.0f, zero = to_u8 ? out->zero : 0.0f;
	u8->unit = hswish ? 1.0f : step;
	u8->offset = hswish ? 0.0f : zero;
	e->act = op->fused_act;
	e->lo = op->lo / u8->unit + u8->offset;
	e->hi = op->hi / u8->unit + u8->offset;
	e->out_scale = hswish ? 1.0f / (6.0f * step) : 1.0f;
	e->out_zero = hswish ? zero : 0.0f;
	e->residual_before = op->residual_before;
	if (op->fused_residual) {
		const struct vrs_cpu_value *r = &plan->values[op->residual];
		e->residual_scale = r->scale / (op->residual_before ? u8->unit : step);
		e->residual_zero = -r->zero * e->residual_scale;
	}
	/* Saturation clips as well, when nothing is added after. */
	if (to_u8 && e->act == VRS_KACT_CLAMP && e->lo <= 0.0f && e->hi >= 255.0f && (!op->fused_residual || op->residual_before))
		e->act = VRS_KACT_NONE;
}

static void set_factor(struct vrs_cpu_u8 *u8, int n, float scale, int32_t sum, float bias)
{
	VRS_ASSERT(u8->unit > 0 && scale > 0);
	float m = u8->in_scale * scale;
	u8->mult[n] = m / u8->unit;
	u8->bias[n] = (bias - m * u8->in_zero * (float)sum) / u8->unit + u8->offset;
}

/* Weights of channel n of a dense layer, [KH][KW][I] with I padded; a transposed one has a channel for each tap. */
static void dense_row(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int n, float *row)
{
	const struct vrs_node *node = &plan->graph.nodes[op->node];
	const float *w = plan->graph.tensors[node->in[1]].data;
	size_t in = (size_t)op->group_in, padded = (size_t)VRS_U8_CHANNELS(op->group_in), taps = (size_t)op->window.kernel_h * (size_t)op->window.kernel_w;
	if (op->kind == VRS_CPU_DECONV) {
		size_t out = (size_t)plan->values[op->out].channels, tap = (size_t)n / out, o = (size_t)n % out;
		memcpy(row, w + (o * taps + tap) * in, in * sizeof *row);
		return;
	}
	for (size_t t = 0; t < taps; t++)
		memcpy(row + t * padded, w + ((size_t)n * taps + t) * in, in * sizeof *row);
}

static enum vrs_status pack_dense(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op)
{
	const struct vrs_node *node = &plan->graph.nodes[op->node];
	const float *bias = node->inputs > 2 && node->in[2] >= 0 ? plan->graph.tensors[node->in[2]].data : NULL;
	struct vrs_cpu_u8 *u8 = op->u8;
	bool deconv = op->kind == VRS_CPU_DECONV;
	int lanes = plan->kernels_u8.lanes, taps = op->window.kernel_h * op->window.kernel_w, out = plan->values[op->out].channels;
	int n = deconv ? out * taps : out, packed_n = deconv ? op->temp_px : n;
	u8->n = n;
	u8->k = VRS_U8_CHANNELS(op->group_in) * (deconv ? 1 : taps);
	u8->stride = (packed_n + lanes - 1) / lanes * lanes;
	size_t k = (size_t)u8->k, size;
	if (!vrs_mul_size(k, (size_t)u8->stride, &size))
		return VRS_ELIMIT;
	float *row = zeroed(k, sizeof *row);
	int8_t *q = zeroed(size, 1);
	u8->mult = zeroed((size_t)u8->stride, sizeof(float));
	u8->bias = zeroed((size_t)u8->stride, sizeof(float));
	u8->real_bias = zeroed((size_t)u8->stride, sizeof(float));
	if (op->scale >= 0)
		u8->real_weights = zeroed(size, sizeof(float));
	else
		u8->weights = zeroed(size, 1);
	u8->weight_bytes = (op->scale >= 0 ? size * sizeof(float) : size) + 3 * (size_t)u8->stride * sizeof(float);
	bool ready = row && q && u8->mult && u8->bias && u8->real_bias && (op->scale >= 0 ? u8->real_weights != NULL : u8->weights != NULL);
	for (int i = 0; ready && i < n; i++) {
		int32_t sum;
		dense_row(plan, op, i, row);
		u8->real_bias[i] = bias ? bias[i % out] : 0.0f;
		if (op->scale >= 0) {
			for (size_t j = 0; j < k; j++)
				u8->real_weights[j * (size_t)u8->stride + (size_t)i] = row[j];
			continue;
		}
		float scale = vrs_quantize_weights_best(q + (size_t)i * k, row, k, &sum);
		set_factor(u8, i, scale, sum, u8->real_bias[i]);
	}
	if (ready && op->scale < 0)
		vrs_pack_conv_u8(u8->weights, q, packed_n, u8->k, k, lanes);
	vrs_free_aligned(row);
	vrs_free_aligned(q);
	return ready ? VRS_OK : VRS_ENOMEM;
}

static enum vrs_status pack_depthwise(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op)
{
	const struct vrs_node *node = &plan->graph.nodes[op->node];
	const float *w = plan->graph.tensors[node->in[1]].data;
	const float *bias = node->inputs > 2 && node->in[2] >= 0 ? plan->graph.tensors[node->in[2]].data : NULL;
	struct vrs_cpu_u8 *u8 = op->u8;
	int kh = op->window.kernel_h, kw = op->window.kernel_w, channels = plan->values[op->out].channels, lanes = plan->kernels_u8.lanes;
	int column = (kh + 1) / 2 * 2; /* neighbours of a column are the pairs of the kernel */
	size_t taps = (size_t)(kh * kw), blocks = ((size_t)channels + VRS_U8_DW_BLOCK - 1) / VRS_U8_DW_BLOCK * VRS_U8_DW_BLOCK;
	float *row = zeroed((size_t)column * (size_t)kw, sizeof *row);
	int8_t *q = zeroed((size_t)column * (size_t)kw, 1), *all = zeroed(taps * (size_t)channels, 1);
	u8->mult = zeroed(blocks, sizeof(float));
	u8->bias = zeroed(blocks, sizeof(float));
	u8->weights = zeroed(vrs_pack_dwconv_u8_size(channels, kh, kw, lanes), 1);
	u8->weight_bytes = vrs_pack_dwconv_u8_size(channels, kh, kw, lanes) + 2 * blocks * sizeof(float);
	bool ready = row && q && all && u8->mult && u8->bias && u8->weights;
	for (int c = 0; ready && c < channels; c++) {
		int32_t sum;
		for (int t = 0; t < kh * kw; t++)
			row[t % kw * column + t / kw] = w[(ptrdiff_t)t * channels + c];
		float scale = vrs_quantize_weights_best(q, row, (size_t)column * (size_t)kw, &sum);
		for (int t = 0; t < kh * kw; t++)
			all[(ptrdiff_t)t * channels + c] = q[t % kw * column + t / kw];
		set_factor(u8, c, scale, sum, bias ? bias[c] : 0.0f);
	}
	if (ready)
		vrs_pack_dwconv_u8(u8->weights, all, channels, kh, kw, lanes);
	vrs_free_aligned(row);
	vrs_free_aligned(q);
	vrs_free_aligned(all);
	return ready ? VRS_OK : VRS_ENOMEM;
}

/* A row of zero points, as long as the longest window row. */
static enum vrs_status make_pad_row(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op)
{
	const struct vrs_cpu_value *in = &plan->values[op->in[0]];
	size_t reach = (size_t)vrs_cpu_op_columns(plan, op);
	size_t pixels = (reach > (size_t)in->width ? reach : (size_t)in->width) + (size_t)op->window.pad_left;
	op->u8->pad_row = zeroed(pixels * (size_t)in->channels, 1);
	if (!op->u8->pad_row)
		return VRS_ENOMEM;
	memset(op->u8->pad_row, (int)in->zero, pixels * (size_t)in->channels);
	return VRS_OK;
}

static enum vrs_status pack_resize(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op)
{
	struct vrs_cpu_u8 *u8 = op->u8;
	int width = plan->values[op->out].width;
	u8->scale = u8->in_scale / 16384.0f / u8->unit;
	u8->zero = -u8->in_zero * u8->in_scale / u8->unit + u8->offset;
	u8->wx = vrs_calloc((size_t)width, 1);
	for (int x = 0; u8->wx && x < width; x++)
		u8->wx[x] = (uint8_t)lrintf(op->columns.weight[x] * 128.0f);
	return u8->wx ? VRS_OK : VRS_ENOMEM;
}

enum vrs_status vrs_cpu_u8_pack(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op)
{
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	struct vrs_cpu_u8 *u8 = op->u8;
	enum vrs_status status = VRS_OK;
	u8->in_scale = in->scale;
	u8->in_zero = in->zero;
	make_epilogue(plan, op);
	switch (op->kind) {
	case VRS_CPU_CONV:
	case VRS_CPU_DECONV: status = pack_dense(plan, op); break;
	case VRS_CPU_DWCONV: status = pack_depthwise(plan, op); break;
	case VRS_CPU_RESIZE: return pack_resize(plan, op);
	case VRS_CPU_BINARY: /* real numbers, then one step to the output */
		u8->epilogue.act = op->fused_act;
		u8->epilogue.lo = op->lo;
		u8->epilogue.hi = op->hi;
		u8->epilogue.out_scale = (op->fused_act == VRS_KACT_HSWISH ? 1.0f / 6.0f : 1.0f) / out->scale;
		u8->epilogue.out_zero = out->zero;
		return VRS_OK;
	case VRS_CPU_QUANTIZE:
		u8->scale = 1.0f / out->scale;
		u8->zero = out->zero;
		return VRS_OK;
	case VRS_CPU_DEQUANTIZE:
		u8->scale = in->scale;
		u8->zero = -in->scale * in->zero;
		return VRS_OK;
	default: return VRS_OK;
	}
	if (status == VRS_OK && op->kind != VRS_CPU_DECONV)
		status = make_pad_row(plan, op);
	/* The float block of the plan has nothing of this operation; scaled weights lie where a convolution has its temporary rows. */
	op->weights_count = 0;
	if (op->kind == VRS_CPU_CONV)
		op->bias_count = 0;
	if (op->kind == VRS_CPU_CONV && op->scale >= 0)
		op->temp_count = 6 * (size_t)u8->stride + ((size_t)u8->k * (size_t)u8->stride + 3) / 4;
	return status;
}
