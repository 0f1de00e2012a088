/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_dot.h"

#include <string.h>

#include "backend/quant_graph.h"
#include "base/mem.h"
#include "graph/pass_edit.h"
#include "kernels/weight_scale_u8.h"
#include "opencl/ocl_values.h"
#include "opencl/ocl_vector.h"

enum { ITEM_M = 4, ITEM_N = 8, GROUP_M = 16, GROUP_N = 4 };

struct vrs_ocl_dot {
	bool *node;                /* [node] multiplies bytes */
	struct vrs_quant_step *step; /* [tensor] of inputs of these nodes */
	int32_t *bytes;            /* [tensor] value of its bytes; -1: none yet */
};

/* Weights as bytes, and what turns sums into numbers. Values of the plan. */
struct packed {
	int32_t weights, factors, biases;
};

static bool suits(const struct vrs_graph *graph, const struct vrs_node *node, const struct vrs_calibration *calibration)
{
	struct vrs_ocl_conv conv;

	if (node->dead || node->op != VRS_OP_CONV || node->scale >= 0 || vrs_ocl_conv_init(&conv, graph, node) != VRS_OK)
		return false;
	return conv.window.groups == 1 && !conv.depthwise && !graph->tensors[node->in[0]].data &&
	       vrs_quant_range_is_usable(&calibration->ranges[node->in[0]]) && vrs_quant_weights_are_ordinary(graph, node);
}

enum vrs_status vrs_ocl_dot_begin(struct vrs_ocl_plan *plan, const struct vrs_session_options *options, struct vrs_error *err)
{
	const struct vrs_calibration *calibration = options->calibration;
	const uint8_t *precision = options->precision == VRS_PRECISION_MIXED ? calibration->mixed : calibration->int8;
	const struct vrs_graph *graph = &plan->graph;
	struct vrs_ocl_dot *dot = plan->dot = vrs_calloc(1, sizeof *dot);

	if (!dot)
		return vrs_fail_nomem(err);
	dot->node = vrs_calloc((size_t)graph->node_count + 1, sizeof *dot->node);
	dot->step = vrs_calloc((size_t)graph->tensor_count + 1, sizeof *dot->step);
	dot->bytes = vrs_calloc((size_t)graph->tensor_count + 1, sizeof *dot->bytes);
	if (!dot->node || !dot->step || !dot->bytes)
		return vrs_fail_nomem(err);
	VRS_TRY(vrs_quant_graph_match(dot->node, graph, options->fusion, calibration, err));
	for (int32_t i = 0; i < graph->tensor_count; i++)
		dot->bytes[i] = -1;
	for (int32_t i = 0; i < graph->node_count; i++) {
		dot->node[i] = dot->node[i] && precision[i] == VRS_NODE_INT8 && suits(graph, &graph->nodes[i], calibration);
		if (dot->node[i])
			dot->step[graph->nodes[i].in[0]] = vrs_quant_step_of(&calibration->ranges[graph->nodes[i].in[0]]);
	}
	return VRS_OK;
}

void vrs_ocl_dot_fini(struct vrs_ocl_plan *plan)
{
	if (!plan->dot)
		return;
	vrs_free(plan->dot->node);
	vrs_free(plan->dot->step);
	vrs_free(plan->dot->bytes);
	vrs_free(plan->dot);
}

bool vrs_ocl_is_dot(const struct vrs_ocl_plan *plan, const struct vrs_node *node)
{
	return plan->dot && plan->dot->node[node - plan->graph.nodes];
}

/* Words of four bytes for a tensor, at the first call. */
static int32_t bytes_of(struct vrs_ocl_plan *plan, int32_t tensor, bool *ret_new)
{
	const struct vrs_graph_tensor *t = &plan->graph.tensors[tensor];
	size_t pixels = (size_t)t->dims[0] * (size_t)t->dims[1] * (size_t)t->dims[2], words;

	*ret_new = plan->dot->bytes[tensor] < 0;
	if (!*ret_new)
		return plan->dot->bytes[tensor];
	if (!vrs_mul_size(pixels, (size_t)(t->dims[3] + 3) / 4, &words))
		return VRS_ELIMIT;
	int32_t value = vrs_ocl_scratch(plan, words);

	if (value >= 0)
		plan->values[value].type = VRS_U32; /* of the same size */
	plan->dot->bytes[tensor] = value >= 0 ? value : -1;
	return value;
}

/* The node's input as bytes: what its producer has made, or what another step makes of its floats. */
static int32_t input_bytes(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *t = &plan->graph.tensors[node->in[0]];
	const struct vrs_quant_step *step = &plan->dot->step[node->in[0]];
	int64_t quads = (t->dims[3] + 3) / 4, words = t->dims[0] * t->dims[1] * t->dims[2] * quads;
	bool is_new;
	int32_t value = bytes_of(plan, node->in[0], &is_new);

	if (value < 0 || !is_new)
		return value;
	vrs_ocl_step_begin(plan, node, "pack_bytes");
	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_value(plan, "y", value);
	vrs_ocl_arg_int(plan, words);
	vrs_ocl_arg_int(plan, t->dims[3]);
	vrs_ocl_arg_int(plan, quads);
	vrs_ocl_arg_float(plan, (double)(1.0f / step->scale));
	vrs_ocl_arg_float(plan, (double)step->zero);
	enum vrs_status status = vrs_ocl_step_end(plan, 1, (size_t[]){(size_t)words}, NULL, err);

	return status == VRS_OK ? value : (int32_t)status;
}

static bool reads_bytes(const void *cookie, const struct vrs_graph *graph, int32_t node)
{
	(void)graph;
	return ((const struct vrs_ocl_plan *)cookie)->dot->node[node];
}

/* Weights of one output, channels filled up to whole words, as the CPU backend quantises them. */
static void fill_row(const struct vrs_ocl_conv *conv, size_t output, float *row, size_t pitch)
{
	size_t taps = (size_t)conv->window.kernel_h * (size_t)conv->window.kernel_w, channels = (size_t)conv->channels;

	for (size_t t = 0; t < taps; t++)
		memcpy(row + t * pitch, conv->weights + (output * taps + t) * channels, channels * sizeof *row);
}

/* Real numbers: step.scale * scale[n] * (sum(w q) - zero * sum(w)) + bias[n]. */
static void fill_packed(const struct vrs_ocl_conv *conv, const struct vrs_quant_step *step, float *row, int8_t *q, int32_t *words, float *factors,
			float *biases)
{
	size_t pitch = (size_t)(conv->channels + 3) / 4 * 4, k = (size_t)conv->window.kernel_h * (size_t)conv->window.kernel_w * pitch;

	for (size_t n = 0; n < (size_t)conv->outputs; n++) {
		int32_t sum, *to = words + n / ITEM_N * (k / 4) * ITEM_N + n % ITEM_N;

		fill_row(conv, n, row, pitch);
		float m = step->scale * vrs_quantize_weights_best(q, row, k, &sum);

		for (size_t i = 0; i < k / 4; i++)
			memcpy(&to[i * ITEM_N], q + 4 * i, 4);
		factors[n] = m;
		biases[n] = (conv->bias ? conv->bias[n] : 0.0f) - m * step->zero * (float)sum;
	}
}

static enum vrs_status pack(struct vrs_ocl_plan *plan, const struct vrs_ocl_conv *conv, const struct vrs_quant_step *step, struct packed *ret_packed)
{
	size_t quads = (size_t)(conv->channels + 3) / 4, wide = ((size_t)conv->outputs + ITEM_N - 1) / ITEM_N * ITEM_N, k, words;

	if (!vrs_mul_size(quads, (size_t)conv->window.kernel_h * (size_t)conv->window.kernel_w, &k) || !vrs_mul_size(k, wide, &words) || words > INT32_MAX)
		return VRS_ELIMIT;
	float *row = vrs_calloc(4 * k, sizeof *row), *factors = vrs_calloc(wide, sizeof *factors), *biases = vrs_calloc(wide, sizeof *biases);
	int8_t *q = vrs_calloc(4 * k, sizeof *q);
	int32_t *packed = vrs_calloc(words, sizeof *packed);
	bool ready = row && factors && biases && q && packed;

	if (ready) {
		fill_packed(conv, step, row, q, packed, factors, biases);
		ret_packed->weights = vrs_ocl_weights_i32(plan, packed, words);
		ret_packed->factors = vrs_ocl_weights_f32(plan, factors, wide);
		ret_packed->biases = vrs_ocl_weights_f32(plan, biases, wide);
	}
	vrs_free(row);
	vrs_free(factors);
	vrs_free(biases);
	vrs_free(q);
	vrs_free(packed);
	return ready ? VRS_OK : VRS_ENOMEM;
}

static void conv_args(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_conv *conv, int32_t y, bool bytes)
{
	const struct vrs_quant_step *in = &plan->dot->step[node->in[0]], *out = &plan->dot->step[node->out];
	bool aligned = conv->outputs % 4 == 0;
	const int64_t sizes[] = {
		conv->height, conv->width, (conv->channels + 3) / 4, conv->out_height, conv->out_width, conv->outputs, conv->window.pad_top,
		conv->window.pad_left, (int32_t)((uint32_t)in->zero * 0x01010101u),
	};

	vrs_ocl_arg_value(plan, "y", y);
	if (!bytes)
		vrs_ocl_define_vector_access(plan, "y", y, 4, aligned);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		vrs_ocl_arg_int(plan, sizes[i]);
	vrs_ocl_arg_float(plan, bytes ? (double)(1.0f / out->scale) : 0);
	vrs_ocl_arg_float(plan, bytes ? (double)out->zero : 0);
	vrs_ocl_vector_epilogue(plan, node, 4, aligned);
	vrs_ocl_define_vector(plan, 4);
	vrs_ocl_define_window(plan, &conv->window);
	vrs_ocl_define_int(plan, "ITEM_M", ITEM_M);
	vrs_ocl_define_int(plan, "ITEM_N", ITEM_N);
	vrs_ocl_define_int(plan, "BYTES", bytes);
}

/* Work-items of a group along channels and pixels, as many as the device takes. */
static void choose_group(const struct vrs_ocl_caps *caps, size_t ret_local[3])
{
	ret_local[0] = caps->max_items[0] >= GROUP_N && caps->max_group >= GROUP_N ? GROUP_N : 1;
	ret_local[1] = caps->max_items[1] >= GROUP_M && caps->max_group >= GROUP_M * ret_local[0] ? GROUP_M : 1;
	ret_local[2] = 1;
}

enum vrs_status vrs_ocl_dot_steps(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_conv *conv, struct vrs_error *err)
{
	struct packed packed = {-1, -1, -1};
	bool bytes = vrs_is_read_first_by(&plan->graph, node->out, reads_bytes, plan), is_new;
	int32_t x = input_bytes(plan, node, err), y = bytes ? bytes_of(plan, node->out, &is_new) : vrs_ocl_value_of(plan, node->out);
	size_t blocks = (size_t)((conv->outputs + ITEM_N - 1) / ITEM_N), tiles = (size_t)((conv->out_height * conv->out_width + ITEM_M - 1) / ITEM_M);
	size_t local[3];

	if (x < 0)
		return x == VRS_ENOMEM ? vrs_fail_nomem(err) : vrs_fail(err, (enum vrs_status)x, "a tensor of the network is too large for an OpenCL device");
	enum vrs_status status = pack(plan, conv, &plan->dot->step[node->in[0]], &packed);

	if (status != VRS_OK)
		return status == VRS_ENOMEM ? vrs_fail_nomem(err) : vrs_fail(err, status, "a tensor of the network is too large for an OpenCL device");
	choose_group(&plan->caps, local);
	vrs_ocl_step_begin(plan, node, "conv_dot");
	vrs_ocl_arg_value(plan, "x", x);
	vrs_ocl_arg_value(plan, "w", packed.weights);
	vrs_ocl_arg_value(plan, "f", packed.factors);
	vrs_ocl_arg_value(plan, "b", packed.biases);
	conv_args(plan, node, conv, y, bytes);
	return vrs_ocl_step_end_folded(plan, 1, (size_t[]){blocks, tiles, (size_t)conv->batch}, local, err);
}
