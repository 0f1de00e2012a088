/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about single operators: names, cost, and the meaning of activations. */
#include <math.h>

#include "graph/ir.h"

static const char *const op_names[VRS_OP_COUNT] = {
	[VRS_OP_CONV] = "conv",     [VRS_OP_DECONV] = "deconv",         [VRS_OP_POOL_MAX] = "pool_max", [VRS_OP_POOL_AVG] = "pool_avg",
	[VRS_OP_GLOBAL_AVG] = "global_avg", [VRS_OP_RESIZE] = "resize", [VRS_OP_BINARY] = "binary",     [VRS_OP_UNARY] = "unary",
	[VRS_OP_CONCAT] = "concat", [VRS_OP_SOFTMAX] = "softmax",       [VRS_OP_PAD] = "pad",           [VRS_OP_RESHAPE] = "reshape",
};

static const char *const act_names[] = {
	[VRS_ACT_NONE] = "none",         [VRS_ACT_RELU] = "relu",         [VRS_ACT_RELU6] = "relu6", [VRS_ACT_CLIP] = "clip",
	[VRS_ACT_HSWISH] = "hswish",     [VRS_ACT_HSIGMOID] = "hsigmoid", [VRS_ACT_SIGMOID] = "sigmoid", [VRS_ACT_TANH] = "tanh",
	[VRS_ACT_LEAKY] = "leaky_relu",  [VRS_ACT_SILU] = "silu",
};

static const char *const binary_names[] = {
	[VRS_ADD] = "add", [VRS_SUB] = "sub", [VRS_MUL] = "mul", [VRS_DIV] = "div", [VRS_MIN] = "min", [VRS_MAX] = "max",
};

const char *vrs_op_name(enum vrs_op op)
{
	return (unsigned)op < VRS_OP_COUNT ? op_names[op] : "unknown";
}

const char *vrs_act_name(enum vrs_act act)
{
	return (unsigned)act < sizeof act_names / sizeof *act_names ? act_names[act] : "unknown";
}

const char *vrs_binary_name(enum vrs_binary op)
{
	return (unsigned)op < sizeof binary_names / sizeof *binary_names ? binary_names[op] : "unknown";
}

size_t vrs_dtype_size(enum vrs_dtype dtype)
{
	switch (dtype) {
	case VRS_I64: return 8;
	case VRS_F32:
	case VRS_I32: return 4;
	case VRS_F16: return 2;
	case VRS_U8:
	case VRS_I8: return 1;
	}
	return 0;
}

bool vrs_node_is_depthwise(const struct vrs_graph *graph, const struct vrs_node *node)
{
	return node->op == VRS_OP_CONV && node->in[1] >= 0 && graph->tensors[node->in[1]].rank == 3;
}

uint64_t vrs_node_macs(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *w, *pixels;
	uint64_t channels;

	if (node->dead || (node->op != VRS_OP_CONV && node->op != VRS_OP_DECONV))
		return 0;
	w = &graph->tensors[node->in[1]];
	/* A convolution uses every weight of a channel once per output pixel, a transposed one once per input pixel. */
	pixels = &graph->tensors[node->op == VRS_OP_CONV ? node->out : node->in[0]];
	channels = (uint64_t)pixels->dims[3];
	return channels == 0 ? 0 : vrs_tensor_elements(pixels) / channels * vrs_tensor_elements(w);
}

static double clamp(double x, double lo, double hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

double vrs_act_apply(enum vrs_act act, float lo, float hi, double x)
{
	switch (act) {
	case VRS_ACT_NONE: return x;
	case VRS_ACT_RELU: return x < 0 ? 0 : x;
	case VRS_ACT_RELU6: return clamp(x, 0, 6);
	case VRS_ACT_CLIP: return clamp(x, (double)lo, (double)hi);
	case VRS_ACT_HSWISH: return x * clamp(x + 3, 0, 6) / 6;
	case VRS_ACT_HSIGMOID: return clamp(x / 6 + 0.5, 0, 1);
	case VRS_ACT_SIGMOID: return 1 / (1 + exp(-x));
	case VRS_ACT_TANH: return tanh(x);
	case VRS_ACT_LEAKY: return x < 0 ? x * (double)lo : x;
	case VRS_ACT_SILU: return x / (1 + exp(-x));
	}
	return x;
}
