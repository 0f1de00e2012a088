/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ONNX operators on single elements. */
#include <float.h>
#include <math.h>

#include "graph/eval.h"
#include "graph/onnx_build.h"

/* The code is the function, without numbers of its own. */
static enum vrs_status build_function(const struct vrs_onnx_node *node)
{
	return vrs_onnx_done(vrs_onnx_unary(node, (enum vrs_act)node->op->code, 0, 0, vrs_onnx_input(node, 0), 0));
}

/* LeakyRelu, Elu and Selu, whose numbers are attributes. */
static enum vrs_status build_slope(const struct vrs_onnx_node *node)
{
	enum vrs_act act = (enum vrs_act)node->op->code;
	float alpha = vrs_onnx_float(node, "alpha", act == VRS_ACT_LEAKY ? 0.01f : act == VRS_ACT_ELU ? 1 : 1.67326319217681884765625f);
	float gamma = act == VRS_ACT_SELU ? vrs_onnx_float(node, "gamma", 1.05070102214813232421875f) : 0;

	return vrs_onnx_done(vrs_onnx_unary(node, act, alpha, gamma, vrs_onnx_input(node, 0), 0));
}

static enum vrs_status build_relu(const struct vrs_onnx_node *node)
{
	int32_t x = vrs_onnx_input(node, 0);

	if (!vrs_dtype_is_float(vrs_onnx_type_of(node, x)))
		return vrs_onnx_done(vrs_onnx_binary(node, VRS_MAX, x, vrs_onnx_number_like(node, x, 0), 0));
	return vrs_onnx_done(vrs_onnx_unary(node, VRS_ACT_RELU, 0, 0, x, 0));
}

/* Bounds known at import, of floats and in order: one activation. */
static int32_t clip_constant(const struct vrs_onnx_node *node, int32_t x, float lo, float hi)
{
	bool open = isinf(hi) || hi >= FLT_MAX;

	if (lo == 0 && hi == 6)
		return vrs_onnx_unary(node, VRS_ACT_RELU6, 0, 0, x, 0);
	if (lo == 0 && open)
		return vrs_onnx_unary(node, VRS_ACT_RELU, 0, 0, x, 0);
	return vrs_onnx_unary(node, VRS_ACT_CLIP, lo, hi, x, 0);
}

/* A bound: its value if it is known, or infinity when it is left out. False: computed by the network. */
static bool read_bound(const struct vrs_onnx_node *node, int32_t tensor, float left_out, float *ret)
{
	const struct vrs_graph_tensor *constant = vrs_onnx_constant(node, tensor);

	*ret = left_out;
	if (tensor < 0)
		return true;
	if (constant == NULL || constant->dtype != VRS_F32 || vrs_tensor_elements(constant) != 1)
		return false;
	*ret = ((const float *)constant->data)[0];
	return true;
}

static enum vrs_status build_clip(const struct vrs_onnx_node *node)
{
	int32_t x = vrs_onnx_input(node, 0), low = vrs_onnx_input(node, 1), high = vrs_onnx_input(node, 2);
	float lo, hi;

	if (node->opset < 11) {
		lo = vrs_onnx_float(node, "min", -FLT_MAX);
		hi = vrs_onnx_float(node, "max", FLT_MAX);
		if (vrs_onnx_type_of(node, x) == VRS_F32 && lo <= hi)
			return vrs_onnx_done(clip_constant(node, x, lo, hi));
		low = vrs_onnx_number_like(node, x, (double)lo);
		high = vrs_onnx_number_like(node, x, (double)hi);
		if (low < 0 || high < 0)
			return vrs_onnx_done(low < 0 ? low : high);
	} else if (read_bound(node, low, -INFINITY, &lo) && read_bound(node, high, INFINITY, &hi) && vrs_onnx_type_of(node, x) == VRS_F32 && lo <= hi) {
		return vrs_onnx_done(clip_constant(node, x, lo, hi));
	}
	if (low >= 0)
		x = vrs_onnx_binary(node, VRS_MAX, x, low, high >= 0 ? -1 : 0);
	if (high >= 0)
		x = vrs_onnx_binary(node, VRS_MIN, x, high, 0);
	return low < 0 && high < 0 ? vrs_onnx_alias(node, x, 0) : vrs_onnx_done(x);
}

/* max(0, min(1, alpha * x + beta)) */
static enum vrs_status build_hard_sigmoid(const struct vrs_onnx_node *node)
{
	float alpha = vrs_onnx_float(node, "alpha", 0.2f), beta = vrs_onnx_float(node, "beta", 0.5f);
	int32_t x = vrs_onnx_input(node, 0);

	if (fabsf(alpha - 1.0f / 6) < 1e-6f && beta == 0.5f)
		return vrs_onnx_done(vrs_onnx_unary(node, VRS_ACT_HSIGMOID, 0, 0, x, 0));
	x = vrs_onnx_unary(node, VRS_ACT_LINEAR, alpha, beta, x, -1);
	return vrs_onnx_done(vrs_onnx_unary(node, VRS_ACT_CLIP, 0, 1, x, 0));
}

/* max(0, x) + min(0, alpha * (exp(x / alpha) - 1)) */
static enum vrs_status build_celu(const struct vrs_onnx_node *node)
{
	float alpha = vrs_onnx_float(node, "alpha", 1);
	int32_t x = vrs_onnx_input(node, 0);

	if (!(alpha > 0))
		return vrs_onnx_unsupported(node, "attribute alpha = %g", (double)alpha);
	if (alpha == 1)
		return vrs_onnx_done(vrs_onnx_unary(node, VRS_ACT_ELU, 1, 0, x, 0));
	x = vrs_onnx_unary(node, VRS_ACT_LINEAR, 1 / alpha, 0, x, -1);
	x = vrs_onnx_unary(node, VRS_ACT_ELU, 1, 0, x, -1);
	return vrs_onnx_done(vrs_onnx_unary(node, VRS_ACT_LINEAR, alpha, 0, x, 0));
}

/* x above alpha, 0 elsewhere. */
static enum vrs_status build_thresholded(const struct vrs_onnx_node *node)
{
	int32_t x = vrs_onnx_input(node, 0), limit = vrs_onnx_number_like(node, x, (double)vrs_onnx_float(node, "alpha", 1));
	int32_t above = vrs_onnx_binary(node, VRS_GREATER, x, limit, -1);

	return vrs_onnx_done(vrs_onnx_plain(node, VRS_OP_WHERE, 3, (const int32_t[]){above, x, vrs_onnx_number_like(node, x, 0)}, 0));
}

static enum vrs_status build_gelu(const struct vrs_onnx_node *node)
{
	bool plain = vrs_onnx_is(node, "approximate", "none", "none");

	if (!plain && !vrs_onnx_is(node, "approximate", "tanh", "none"))
		return vrs_onnx_unsupported(node, "attribute approximate");
	return vrs_onnx_done(vrs_onnx_unary(node, plain ? VRS_ACT_GELU : VRS_ACT_GELU_TANH, 0, 0, vrs_onnx_input(node, 0), 0));
}

static enum vrs_status build_binary(const struct vrs_onnx_node *node)
{
	return vrs_onnx_done(vrs_onnx_binary(node, (enum vrs_binary)node->op->code, vrs_onnx_input(node, 0), vrs_onnx_input(node, 1), 0));
}

/* A slope broadcasts to x; older networks also give one number a channel, without the dims behind it. */
static enum vrs_status build_prelu(const struct vrs_onnx_node *node)
{
	int64_t dims[VRS_MAX_RANK] = {-1, 1, 1, 1, 1, 1, 1, 1};
	int32_t x = vrs_onnx_input(node, 0), slope = vrs_onnx_input(node, 1);
	const struct vrs_graph_tensor *x_known = vrs_onnx_known(node, x), *slope_known = vrs_onnx_known(node, slope);

	if (x_known != NULL && slope_known != NULL && slope_known->rank == 1 && slope_known->dims[0] > 1 && x_known->rank > 2 &&
	    slope_known->dims[0] == x_known->dims[1] && slope_known->dims[0] != x_known->dims[x_known->rank - 1])
		slope = vrs_onnx_reshape(node, slope, x_known->rank - 1, dims, -1);
	return vrs_onnx_done(vrs_onnx_binary(node, VRS_PRELU, x, slope, 0));
}

static enum vrs_status build_mod(const struct vrs_onnx_node *node)
{
	enum vrs_binary op = vrs_onnx_int(node, "fmod", 0) != 0 ? VRS_FMOD : VRS_MOD;

	return vrs_onnx_done(vrs_onnx_binary(node, op, vrs_onnx_input(node, 0), vrs_onnx_input(node, 1), 0));
}

/* Any number of inputs, from left to right; a mean (code VRS_DIV) is divided at the end. */
static enum vrs_status build_variadic(const struct vrs_onnx_node *node)
{
	bool mean = node->op->code == VRS_DIV;
	int count = vrs_onnx_inputs(node);
	int32_t x = vrs_onnx_input(node, 0);

	if (count == 1)
		return vrs_onnx_alias(node, x, 0);
	for (int i = 1; i < count; i++)
		x = vrs_onnx_binary(node, mean ? VRS_ADD : (enum vrs_binary)node->op->code, x, vrs_onnx_input(node, i), i + 1 == count && !mean ? 0 : -1);
	if (mean)
		x = vrs_onnx_binary(node, VRS_DIV, x, vrs_onnx_number_like(node, x, count), 0);
	return vrs_onnx_done(x);
}

const struct vrs_onnx_op vrs_onnx_elementwise_ops[] = {
	{"Sigmoid", 7, 21, 1, build_function, VRS_ACT_SIGMOID},            {"Tanh", 7, 21, 1, build_function, VRS_ACT_TANH},
	{"HardSwish", 14, 21, 1, build_function, VRS_ACT_HSWISH},          {"LeakyRelu", 7, 21, 1, build_slope, VRS_ACT_LEAKY},
	{"Elu", 7, 21, 1, build_slope, VRS_ACT_ELU},                       {"Selu", 7, 21, 1, build_slope, VRS_ACT_SELU},
	{"Softplus", 7, 21, 1, build_function, VRS_ACT_SOFTPLUS},          {"Softsign", 7, 21, 1, build_function, VRS_ACT_SOFTSIGN},
	{"Mish", 18, 21, 1, build_function, VRS_ACT_MISH},                 {"Erf", 9, 21, 1, build_function, VRS_ACT_ERF},
	{"Abs", 7, 21, 1, build_function, VRS_ACT_ABS},                    {"Neg", 7, 21, 1, build_function, VRS_ACT_NEG},
	{"Sqrt", 7, 21, 1, build_function, VRS_ACT_SQRT},                  {"Exp", 7, 21, 1, build_function, VRS_ACT_EXP},
	{"Log", 7, 21, 1, build_function, VRS_ACT_LOG},                    {"Floor", 7, 21, 1, build_function, VRS_ACT_FLOOR},
	{"Ceil", 7, 21, 1, build_function, VRS_ACT_CEIL},                  {"Round", 11, 21, 1, build_function, VRS_ACT_ROUND},
	{"Sign", 9, 21, 1, build_function, VRS_ACT_SIGN},                  {"Reciprocal", 7, 21, 1, build_function, VRS_ACT_RECIPROCAL},
	{"Sin", 7, 21, 1, build_function, VRS_ACT_SIN},                    {"Cos", 7, 21, 1, build_function, VRS_ACT_COS},
	{"Not", 7, 21, 1, build_function, VRS_ACT_NOT},                    {"Relu", 7, 21, 1, build_relu, 0},
	{"Clip", 7, 21, 1, build_clip, 0},                                 {"HardSigmoid", 7, 21, 1, build_hard_sigmoid, 0},
	{"Celu", 12, 21, 1, build_celu, 0},                                {"ThresholdedRelu", 10, 21, 1, build_thresholded, 0},
	{"Gelu", 20, 21, 1, build_gelu, 0},                                {"Add", 7, 21, 2, build_binary, VRS_ADD},
	{"Sub", 7, 21, 2, build_binary, VRS_SUB},                          {"Mul", 7, 21, 2, build_binary, VRS_MUL},
	{"Div", 7, 21, 2, build_binary, VRS_DIV},                          {"Pow", 7, 21, 2, build_binary, VRS_POW},
	{"Equal", 7, 21, 2, build_binary, VRS_EQUAL},                      {"Less", 7, 21, 2, build_binary, VRS_LESS},
	{"LessOrEqual", 12, 21, 2, build_binary, VRS_LESS_EQUAL},          {"Greater", 7, 21, 2, build_binary, VRS_GREATER},
	{"GreaterOrEqual", 12, 21, 2, build_binary, VRS_GREATER_EQUAL},    {"And", 7, 21, 2, build_binary, VRS_AND},
	{"Or", 7, 21, 2, build_binary, VRS_OR},                            {"Xor", 7, 21, 2, build_binary, VRS_XOR},
	{"PRelu", 7, 21, 2, build_prelu, 0},                               {"Mod", 10, 21, 2, build_mod, 0},
	{"Min", 7, 21, VRS_ONNX_ALL, build_variadic, VRS_MIN},             {"Max", 7, 21, VRS_ONNX_ALL, build_variadic, VRS_MAX},
	{"Sum", 7, 21, VRS_ONNX_ALL, build_variadic, VRS_ADD},             {"Mean", 7, 21, VRS_ONNX_ALL, build_variadic, VRS_DIV},
	{"Where", 9, 21, 3, vrs_onnx_build_plain, VRS_OP_WHERE},
	{0},
};
