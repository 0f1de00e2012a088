/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far the results of 8 bits may lie from those of the reference: an error for each value of the network as the CPU plans it, from half a step of
 * each value that may be bytes, what the weights lose, and how much each operator can enlarge the errors of what it reads.  That holds for ranges
 * that contain every value of the run: those of VRS_RANGE_MINMAX over the inputs of a tame session.
 */
#ifndef TESTS_FUZZ_NETWORK_QUANTISED_H
#define TESTS_FUZZ_NETWORK_QUANTISED_H

#include "backend/cpu/plan/cpu_plan_steps.h"
#include "graph/quant.h"
#include "kernels/weight_pack_u8.h"
#include "kernels/weight_scale_u8.h"
#include "network_bytes.h"
#include "network_rounding.h"
#include "session/session_graph.h"

struct quantised {
	struct vrs_graph graph;        /* as the CPU plans it */
	const struct vrs_calibration *calibration;
	void **values;                 /* [tensor] of the reference */
	double *error;                 /* [tensor] how far another right value may be; infinite: as far as it likes; negative: not yet known */
};

static inline void *quantised_room(size_t count, size_t size)
{
	void *room = calloc(count + 1, size); /* libc: data of a test */

	if (room == NULL)
		abort();
	return room;
}

/* The largest magnitude; infinite where something is no number. */
static inline double quantised_largest(const struct quantised *q, int32_t tensor)
{
	const float *values = q->values[tensor];
	double largest = 0;

	for (size_t i = 0; i < vrs_tensor_elements(&q->graph.tensors[tensor]); i++)
		largest = isfinite(values[i]) ? fmax(largest, fabs((double)values[i])) : INFINITY;
	return largest;
}

static inline bool quantised_may_be_u8(const struct quantised *q, const struct vrs_node *node)
{
	return q->calibration->int8[node - q->graph.nodes] == VRS_NODE_INT8;
}

static inline bool quantised_reads(const struct vrs_node *node, int32_t tensor)
{
	for (int k = 0; k < node->inputs; k++)
		if (node->in[k] == tensor)
			return true;
	return node->residual == tensor;
}

/* Half a step of a value that an operation of bytes makes or reads. */
static inline double quantised_step(const struct quantised *q, int32_t tensor)
{
	const struct vrs_quant_range *range = &q->calibration->ranges[tensor];
	bool bytes = false;

	for (int32_t i = 0; i < q->graph.node_count; i++) {
		const struct vrs_node *node = &q->graph.nodes[i];

		bytes = bytes || (!node->dead && quantised_may_be_u8(q, node) && (node->out == tensor || quantised_reads(node, tensor)));
	}
	return bytes && vrs_quant_range_is_usable(range) ? 0.5 * (double)vrs_quant_step_of(range).scale : 0;
}

/* What the magnitudes of a row of weights lose together. */
static inline double quantised_row_loss(const float *row, size_t count)
{
	int8_t *bytes = quantised_room(count, 1);
	double loss = 0, scale;
	int32_t sum;

	scale = (double)vrs_quantize_weights_best(bytes, row, count, &sum);
	for (size_t i = 0; i < count; i++)
		loss += fabs((double)row[i] - scale * bytes[i]);
	free(bytes); /* libc: see quantised_room */
	return loss;
}

/*
 * The largest sum of one output's weights, and of what they lose as bytes.  The layer rounds them in rows as the plan packs them: all taps with the
 * channels in quads, the taps of a transposed one each for themselves, the columns of a depthwise one in pairs.
 */
static inline void quantised_weights(const struct quantised *q, const struct vrs_node *node, double *ret_sum, double *ret_loss)
{
	const struct vrs_graph_tensor *t = &q->graph.tensors[node->in[1]];
	bool depthwise = t->rank == 3;
	size_t taps = (size_t)(node->u.window.kernel_h * node->u.window.kernel_w), in = depthwise ? 1 : (size_t)t->dims[3];
	size_t outs = (size_t)t->dims[depthwise ? 2 : 0], kh = (size_t)node->u.window.kernel_h, kw = (size_t)node->u.window.kernel_w;
	size_t padded = depthwise ? (kh + 1) / 2 * 2 * kw : (in + 3) / 4 * 4 * taps;
	const float *w = q->values[node->in[1]];
	float *row = quantised_room(padded, sizeof *row);

	*ret_sum = *ret_loss = 0;
	for (size_t o = 0; o < outs; o++) {
		double sum = 0, loss = 0;

		memset(row, 0, padded * sizeof *row);
		for (size_t k = 0; k < taps; k++)
			for (size_t i = 0; i < in; i++) {
				float weight = depthwise ? w[k * outs + o] : w[(o * taps + k) * in + i];

				row[depthwise ? k % kw * ((kh + 1) / 2 * 2) + k / kw : k * (padded / taps) + i] = weight;
				sum += fabs((double)weight);
			}
		for (size_t k = 0; node->op == VRS_OP_DECONV && k < taps; k++)
			loss += quantised_row_loss(row + k * (padded / taps), padded / taps);
		*ret_loss = fmax(*ret_loss, node->op == VRS_OP_DECONV ? loss : quantised_row_loss(row, padded));
		*ret_sum = fmax(*ret_sum, sum);
	}
	free(row); /* libc: see quantised_room */
}

/* With factors of the input (node->scale), weights are rounded for each picture: those of a layer are no larger than its largest by its largest. */
static inline double quantised_layer(const struct quantised *q, const struct vrs_node *node, double terms)
{
	double x = quantised_largest(q, node->in[0]), e = q->error[node->in[0]], sum, loss, factor, wrong;

	if (node->in[1] < 0 || q->graph.tensors[node->in[1]].data == NULL || q->error[node->in[0]] == INFINITY)
		return INFINITY;
	quantised_weights(q, node, &sum, &loss);
	if (!quantised_may_be_u8(q, node))
		loss = 0;
	if (node->scale >= 0) {
		factor = quantised_largest(q, node->scale);
		wrong = q->error[node->scale];
		loss = loss > 0 ? terms * quantised_largest(q, node->in[1]) * (factor + wrong) / 60 : 0;
		e = e * (factor + wrong) + x * wrong;
		x *= factor;
	}
	sum += loss;
	e = sum * e + loss * x;
	return e + terms * (double)FLT_EPSILON * (sum * x + e + (node->in[2] >= 0 ? quantised_largest(q, node->in[2]) : 0));
}

/* Of both operands of a sum, product or choice. */
static inline double quantised_pair(const struct quantised *q, const struct vrs_node *node, enum vrs_binary op, double terms)
{
	double a = quantised_largest(q, node->in[0]), b = quantised_largest(q, node->in[1]), ea = q->error[node->in[0]], eb = q->error[node->in[1]];

	switch (op) {
	case VRS_ADD:
	case VRS_SUB: return ea + eb + (double)FLT_EPSILON * 4 * (a + ea + b + eb);
	case VRS_MUL: return terms * (a * eb + b * ea + ea * eb + (double)FLT_EPSILON * terms * (a + ea) * (b + eb));
	case VRS_MIN:
	case VRS_MAX: return fmax(ea, eb);
	default: return INFINITY;
	}
}

/* How much a function enlarges a difference. */
static inline double quantised_slope(const struct vrs_node *node)
{
	switch (node->act) {
	case VRS_ACT_NONE:
	case VRS_ACT_RELU:
	case VRS_ACT_RELU6:
	case VRS_ACT_CLIP:
	case VRS_ACT_HSIGMOID:
	case VRS_ACT_SIGMOID:
	case VRS_ACT_TANH: return 1;
	case VRS_ACT_SILU:
	case VRS_ACT_HSWISH: return 1.5;
	case VRS_ACT_LEAKY: return fmax(1, fabs((double)node->act_lo));
	case VRS_ACT_LINEAR: return fabs((double)node->act_lo);
	default: return INFINITY;
	}
}

/* A difference between neighbours by weights that are 128ths, along both axes. */
static inline double quantised_resize(const struct quantised *q, const struct vrs_node *node)
{
	double lost = quantised_may_be_u8(q, node) ? 4 * quantised_largest(q, node->in[0]) / 256 : 0;

	return vrs_resize_is_pair(&node->u.resize) ? q->error[node->in[0]] + lost : INFINITY;
}

static inline double quantised_reduce(const struct quantised *q, const struct vrs_node *node)
{
	double in = (double)vrs_tensor_elements(&q->graph.tensors[node->in[0]]), out = (double)vrs_tensor_elements(&q->graph.tensors[node->out]);

	if (node->u.reduce.op == VRS_REDUCE_SUM)
		return in / fmax(1, out) * q->error[node->in[0]];
	return node->u.reduce.op < VRS_REDUCE_PROD ? q->error[node->in[0]] : INFINITY;
}

/* Before the epilogue. */
static inline double quantised_operator(const struct quantised *q, const struct vrs_node *node)
{
	double terms = network_terms(&q->graph, node), error = 0;

	switch (node->op) {
	case VRS_OP_CONV:
	case VRS_OP_DECONV: return quantised_layer(q, node, terms);
	case VRS_OP_BINARY: return quantised_pair(q, node, node->u.binary.op, 1);
	case VRS_OP_MATMUL: return quantised_pair(q, node, VRS_MUL, terms);
	case VRS_OP_RESIZE: return quantised_resize(q, node);
	case VRS_OP_REDUCE: return quantised_reduce(q, node);
	case VRS_OP_CONCAT:
		for (int k = 0; k < node->inputs; k++)
			error = fmax(error, q->error[node->in[k]]);
		return error;
	case VRS_OP_SOFTMAX: return node->u.softmax.log ? INFINITY : q->error[node->in[0]];
	case VRS_OP_POOL_MAX:
	case VRS_OP_POOL_AVG:
	case VRS_OP_GLOBAL_AVG:
	case VRS_OP_UNARY:
	case VRS_OP_PAD:
	case VRS_OP_RESHAPE:
	case VRS_OP_TRANSPOSE:
	case VRS_OP_SLICE:
	case VRS_OP_GATHER:
	case VRS_OP_EXPAND:
	case VRS_OP_TILE: return q->error[node->in[0]];
	default: return INFINITY;
	}
}

/* Of what is added, which a resize multiplies by one factor a channel before. */
static inline double quantised_residual(const struct quantised *q, const struct vrs_node *node)
{
	double r = node->residual >= 0 ? quantised_largest(q, node->residual) : 0, e = node->residual >= 0 ? q->error[node->residual] : 0;

	if (node->op == VRS_OP_RESIZE && node->scale >= 0) {
		double factor = quantised_largest(q, node->scale), wrong = q->error[node->scale];

		e = e * (factor + wrong) + r * wrong;
		r *= factor;
	}
	return e + (double)FLT_EPSILON * 4 * (r + e);
}

static inline double quantised_error(const struct quantised *q, const struct vrs_node *node)
{
	double largest = quantised_largest(q, node->out), error = quantised_operator(q, node), residual = quantised_residual(q, node);

	error = node->residual_before ? quantised_slope(node) * (error + residual) : quantised_slope(node) * error + residual;
	error += quantised_step(q, node->out) + network_terms(&q->graph, node) * (double)FLT_EPSILON * (largest + error);
	return isfinite(error) && isfinite(largest) ? error : INFINITY;
}

static inline bool quantised_is_ready(const struct quantised *q, const struct vrs_node *node)
{
	for (int k = 0; k < node->inputs; k++)
		if (node->in[k] >= 0 && q->error[node->in[k]] < 0)
			return false;
	return (node->residual < 0 || q->error[node->residual] >= 0) && (node->scale < 0 || q->error[node->scale] >= 0);
}

/* Resizes have an epilogue in a plan only, which the reference does not know. */
static inline void quantised_resized(const struct quantised *q, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *t = &q->graph.tensors[node->out];
	const float *residual = node->residual >= 0 ? q->values[node->residual] : NULL, *scale = node->scale >= 0 ? q->values[node->scale] : NULL;
	size_t count = vrs_tensor_elements(t), channels = count > 0 ? (size_t)t->dims[3] : 1, image = count > 0 ? count / (size_t)t->dims[0] : 1;
	float *y = q->values[node->out];

	for (size_t i = 0; i < count; i++) {
		double factor = scale != NULL ? (double)scale[i / image * channels + i % channels] : 1;
		double more = residual != NULL ? factor * (double)residual[i] : 0, before = node->residual_before ? more : 0;

		y[i] = (float)(vrs_act_apply(node->act, node->act_lo, node->act_hi, (double)y[i] + before) + more - before);
	}
}

/* Compute the node and its error, or only tell that nothing is known of what is made of other types. */
static inline void quantised_node(struct quantised *q, const struct vrs_node *node)
{
	struct vrs_eval e = vrs_eval_from_values(&q->graph, node, q->values);
	bool floats = q->graph.tensors[node->out].dtype == VRS_F32 && q->graph.tensors[node->in[0]].dtype == VRS_F32;

	vrs_node_eval(&e);
	if (node->op == VRS_OP_RESIZE)
		quantised_resized(q, node);
	q->error[node->out] = floats ? quantised_error(q, node) : INFINITY;
}

/* Values and errors of the session's graph on the inputs of a tame session; nodes are not in order. */
static inline void quantised_run(struct quantised *q)
{
	bool more = true;

	q->values = quantised_room((size_t)q->graph.tensor_count, sizeof *q->values);
	q->error = quantised_room((size_t)q->graph.tensor_count, sizeof *q->error);
	for (int32_t i = 0; i < q->graph.tensor_count; i++) {
		const struct vrs_graph_tensor *t = &q->graph.tensors[i];
		size_t bytes = vrs_tensor_elements(t) * vrs_dtype_size(t->dtype);

		q->values[i] = quantised_room(bytes, 1);
		q->error[i] = t->data != NULL ? 0 : -1;
		if (t->data != NULL)
			memcpy(q->values[i], t->data, bytes);
	}
	for (int32_t i = 0; i < q->graph.input_count; i++) {
		int32_t input = q->graph.inputs[i];

		network_fill(q->values[input], VRS_F32, vrs_tensor_elements(&q->graph.tensors[input]), NETWORK_SEED + (unsigned)i, false);
		q->error[input] = quantised_step(q, input);
	}
	while (more) {
		more = false;
		for (int32_t i = 0; i < q->graph.node_count; i++) {
			const struct vrs_node *node = &q->graph.nodes[i];

			if (node->dead || q->error[node->out] >= 0 || !quantised_is_ready(q, node))
				continue;
			quantised_node(q, node);
			more = true;
		}
	}
}

/* A recipe's session of these options in 8 bits; calibration: of these inputs, and the whole range. */
static inline void quantised_init(struct quantised *q, const struct vrs_model *model, const struct vrs_session_options *options,
				  const struct vrs_calibration *calibration)
{
	*q = (struct quantised){.calibration = calibration};
	require(vrs_session_graph(&q->graph, model, options, NULL) == VRS_OK);
	if (options->fusion)
		require(vrs_cpu_plan_rewrite(&q->graph, NULL) == VRS_OK);
	require(vrs_calibration_check(calibration, &q->graph, NULL) == VRS_OK);
	quantised_run(q);
}

static inline void quantised_fini(struct quantised *q)
{
	for (int32_t i = 0; i < q->graph.tensor_count; i++)
		free(q->values[i]);
	free(q->values); /* libc: see quantised_room */
	free(q->error);
	vrs_graph_fini(&q->graph);
}

/* Are the session's outputs within their errors of the reference? */
static inline void quantised_expect(const struct quantised *q, struct vrs_session *session)
{
	for (int i = 0; i < q->graph.output_count; i++) {
		struct vrs_tensor_view y = vrs_session_output(session, i);
		int32_t output = q->graph.outputs[i];
		const float *want = q->values[output];

		require(y.elements == vrs_tensor_elements(&q->graph.tensors[output]));
		for (size_t k = 0; isfinite(q->error[output]) && k < y.elements; k++)
			require(fabs((double)y.data[k] - (double)want[k]) <= q->error[output]);
	}
}

#endif
