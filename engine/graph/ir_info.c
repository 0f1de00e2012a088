/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about single operators: names, cost, and the meaning of activations. */
#include <math.h>

#include "graph/ir.h"

static const char *const act_names[] = {
	[VRS_ACT_NONE] = "none",         [VRS_ACT_RELU] = "relu",         [VRS_ACT_RELU6] = "relu6", [VRS_ACT_CLIP] = "clip",
	[VRS_ACT_HSWISH] = "hswish",     [VRS_ACT_HSIGMOID] = "hsigmoid", [VRS_ACT_SIGMOID] = "sigmoid", [VRS_ACT_TANH] = "tanh",
	[VRS_ACT_LEAKY] = "leaky_relu",  [VRS_ACT_SILU] = "silu",
	[VRS_ACT_ELU] = "elu",           [VRS_ACT_SELU] = "selu",         [VRS_ACT_GELU] = "gelu",     [VRS_ACT_GELU_TANH] = "gelu_tanh",
	[VRS_ACT_SOFTPLUS] = "softplus", [VRS_ACT_MISH] = "mish",         [VRS_ACT_SOFTSIGN] = "softsign", [VRS_ACT_LINEAR] = "linear",
	[VRS_ACT_ERF] = "erf",           [VRS_ACT_ABS] = "abs",           [VRS_ACT_NEG] = "neg",       [VRS_ACT_SQRT] = "sqrt",
	[VRS_ACT_EXP] = "exp",           [VRS_ACT_LOG] = "log",           [VRS_ACT_FLOOR] = "floor",   [VRS_ACT_CEIL] = "ceil",
	[VRS_ACT_ROUND] = "round",       [VRS_ACT_SIGN] = "sign",         [VRS_ACT_RECIPROCAL] = "reciprocal", [VRS_ACT_SIN] = "sin",
	[VRS_ACT_COS] = "cos",           [VRS_ACT_NOT] = "not",
};

static const char *const binary_names[] = {
	[VRS_ADD] = "add", [VRS_SUB] = "sub", [VRS_MUL] = "mul", [VRS_DIV] = "div", [VRS_MIN] = "min", [VRS_MAX] = "max",
	[VRS_POW] = "pow", [VRS_MOD] = "mod", [VRS_FMOD] = "fmod", [VRS_PRELU] = "prelu", [VRS_EQUAL] = "equal", [VRS_LESS] = "less",
	[VRS_LESS_EQUAL] = "less_equal", [VRS_GREATER] = "greater", [VRS_GREATER_EQUAL] = "greater_equal", [VRS_AND] = "and", [VRS_OR] = "or",
	[VRS_XOR] = "xor",
};

const char *vrs_act_name(enum vrs_act act)
{
	return (unsigned)act < sizeof act_names / sizeof *act_names ? act_names[act] : "unknown";
}

const char *vrs_binary_name(enum vrs_binary op)
{
	return (unsigned)op < sizeof binary_names / sizeof *binary_names ? binary_names[op] : "unknown";
}

static const struct {
	const char *name;
	size_t size;
} dtypes[VRS_DTYPE_COUNT] = {
	[VRS_F32] = {"float32", 4}, [VRS_F16] = {"float16", 2}, [VRS_I32] = {"int32", 4},     [VRS_I64] = {"int64", 8},
	[VRS_U8] = {"uint8", 1},    [VRS_I8] = {"int8", 1},     [VRS_BOOL] = {"bool", 1},     [VRS_F64] = {"float64", 8},
	[VRS_BF16] = {"bfloat16", 2}, [VRS_I16] = {"int16", 2}, [VRS_U16] = {"uint16", 2},    [VRS_U32] = {"uint32", 4},
	[VRS_U64] = {"uint64", 8},
};

size_t vrs_dtype_size(enum vrs_dtype dtype)
{
	return (unsigned)dtype < VRS_DTYPE_COUNT ? dtypes[dtype].size : 0;
}

const char *vrs_dtype_name(enum vrs_dtype dtype)
{
	return (unsigned)dtype < VRS_DTYPE_COUNT ? dtypes[dtype].name : "unknown";
}

bool vrs_node_is_depthwise(const struct vrs_graph *graph, const struct vrs_node *node)
{
	return node->op == VRS_OP_CONV && node->in[1] >= 0 && graph->tensors[node->in[1]].rank == 3;
}

bool vrs_node_reads_nothing(const struct vrs_graph *graph, const struct vrs_node *node)
{
	for (int k = 0; k < node->inputs; k++)
		if (node->in[k] >= 0 && !vrs_node_needs_value(node, k) && vrs_tensor_elements(&graph->tensors[node->in[k]]) == 0)
			return true;
	return false;
}

uint64_t vrs_node_macs(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *w, *pixels;
	uint64_t channels;

	if (!node->dead && node->op == VRS_OP_MATMUL) {
		const struct vrs_graph_tensor *a = &graph->tensors[node->in[0]];

		return vrs_tensor_elements(&graph->tensors[node->out]) * (uint64_t)a->dims[a->rank - (node->u.matmul.transpose_a && a->rank > 1 ? 2 : 1)];
	}
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

/* log(1 + exp(x)) without overflow. */
static double softplus(double x)
{
	return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
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
	case VRS_ACT_ELU: return x < 0 ? (double)lo * expm1(x) : x;
	case VRS_ACT_SELU: return (double)hi * (x < 0 ? (double)lo * expm1(x) : x);
	case VRS_ACT_GELU: return x / 2 * (1 + erf(x / sqrt(2)));
	case VRS_ACT_GELU_TANH: return x / 2 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
	case VRS_ACT_SOFTPLUS: return softplus(x);
	case VRS_ACT_MISH: return x * tanh(softplus(x));
	case VRS_ACT_SOFTSIGN: return x / (1 + fabs(x));
	case VRS_ACT_LINEAR: return (double)lo * x + (double)hi;
	case VRS_ACT_ERF: return erf(x);
	case VRS_ACT_ABS: return fabs(x);
	case VRS_ACT_NEG: return -x;
	case VRS_ACT_SQRT: return sqrt(x);
	case VRS_ACT_EXP: return exp(x);
	case VRS_ACT_LOG: return log(x);
	case VRS_ACT_FLOOR: return floor(x);
	case VRS_ACT_CEIL: return ceil(x);
	case VRS_ACT_ROUND: return nearbyint(x);
	case VRS_ACT_SIGN: return x > 0 ? 1 : x < 0 ? -1 : x;
	case VRS_ACT_RECIPROCAL: return 1 / x;
	case VRS_ACT_SIN: return sin(x);
	case VRS_ACT_COS: return cos(x);
	case VRS_ACT_NOT: return x == 0;
	case VRS_ACT_COUNT: break;
	}
	return x;
}
