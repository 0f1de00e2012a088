/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ONNX operators on single elements. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "graph/eval.h"
#include "graph/onnx_build.h"
#include "graph/onnx_parts.h"

static bool is_type(const struct vrs_onnx_node *node, const char *type)
{
	return strcmp(node->proto->op_type, type) == 0;
}

/* One activation whose numbers are attributes: lo and hi are named, NULL where there is none. */
static const struct {
	const char *type;
	enum vrs_act act;
	const char *lo, *hi;
	float lo_default, hi_default;
} functions[] = {
	{"Sigmoid", VRS_ACT_SIGMOID, NULL, NULL, 0, 0},
	{"Tanh", VRS_ACT_TANH, NULL, NULL, 0, 0},
	{"HardSwish", VRS_ACT_HSWISH, NULL, NULL, 0, 0},
	{"LeakyRelu", VRS_ACT_LEAKY, "alpha", NULL, 0.01f, 0},
	{"Elu", VRS_ACT_ELU, "alpha", NULL, 1, 0},
	{"Selu", VRS_ACT_SELU, "alpha", "gamma", 1.67326319217681884765625f, 1.05070102214813232421875f},
	{"Softplus", VRS_ACT_SOFTPLUS, NULL, NULL, 0, 0},
	{"Softsign", VRS_ACT_SOFTSIGN, NULL, NULL, 0, 0},
	{"Mish", VRS_ACT_MISH, NULL, NULL, 0, 0},
	{"Erf", VRS_ACT_ERF, NULL, NULL, 0, 0},
	{"Abs", VRS_ACT_ABS, NULL, NULL, 0, 0},
	{"Neg", VRS_ACT_NEG, NULL, NULL, 0, 0},
	{"Sqrt", VRS_ACT_SQRT, NULL, NULL, 0, 0},
	{"Exp", VRS_ACT_EXP, NULL, NULL, 0, 0},
	{"Log", VRS_ACT_LOG, NULL, NULL, 0, 0},
	{"Floor", VRS_ACT_FLOOR, NULL, NULL, 0, 0},
	{"Ceil", VRS_ACT_CEIL, NULL, NULL, 0, 0},
	{"Round", VRS_ACT_ROUND, NULL, NULL, 0, 0},
	{"Sign", VRS_ACT_SIGN, NULL, NULL, 0, 0},
	{"Reciprocal", VRS_ACT_RECIPROCAL, NULL, NULL, 0, 0},
	{"Sin", VRS_ACT_SIN, NULL, NULL, 0, 0},
	{"Cos", VRS_ACT_COS, NULL, NULL, 0, 0},
	{"Not", VRS_ACT_NOT, NULL, NULL, 0, 0},
};

static enum vrs_status build_function(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		float lo, hi;

		if (!is_type(node, functions[i].type))
			continue;
		lo = functions[i].lo != NULL ? vrs_onnx_float(node, functions[i].lo, functions[i].lo_default) : functions[i].lo_default;
		hi = functions[i].hi != NULL ? vrs_onnx_float(node, functions[i].hi, functions[i].hi_default) : functions[i].hi_default;
		return vrs_onnx_done(vrs_onnx_unary(build, node, functions[i].act, lo, hi, vrs_onnx_input(build, node, 0), 0));
	}
	return vrs_onnx_unsupported(build, node, "no function of this name");
}

static enum vrs_status build_relu(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int32_t x = vrs_onnx_input(build, node, 0);

	if (x >= 0 && !vrs_dtype_is_float(vrs_onnx_type_of(build, x)))
		return vrs_onnx_done(vrs_onnx_binary(build, node, VRS_MAX, x, vrs_onnx_number_like(build, x, 0), 0));
	return vrs_onnx_done(vrs_onnx_unary(build, node, VRS_ACT_RELU, 0, 0, x, 0));
}

/* Bounds known at import, of floats and in order: one activation. */
static int32_t clip_constant(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, float lo, float hi)
{
	bool open = isinf(hi) || hi >= FLT_MAX;

	if (lo == 0 && hi == 6)
		return vrs_onnx_unary(build, node, VRS_ACT_RELU6, 0, 0, x, 0);
	if (lo == 0 && open)
		return vrs_onnx_unary(build, node, VRS_ACT_RELU, 0, 0, x, 0);
	return vrs_onnx_unary(build, node, VRS_ACT_CLIP, lo, hi, x, 0);
}

/* A bound: its value if it is known, or infinity when it is left out. False: computed by the network. */
static bool read_bound(struct vrs_onnx_build *build, int32_t tensor, float left_out, float *ret)
{
	const struct vrs_graph_tensor *constant = vrs_onnx_constant(build, tensor);

	*ret = left_out;
	if (tensor < 0)
		return true;
	if (constant == NULL || constant->dtype != VRS_F32 || vrs_tensor_elements(constant) != 1)
		return false;
	*ret = ((const float *)constant->data)[0];
	return true;
}

static enum vrs_status build_clip(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int32_t x = vrs_onnx_input(build, node, 0), low = vrs_onnx_input(build, node, 1), high = vrs_onnx_input(build, node, 2);
	float lo, hi;

	if (x < 0)
		return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "it has no input");
	if (node->opset < 11) {
		lo = vrs_onnx_float(node, "min", -FLT_MAX);
		hi = vrs_onnx_float(node, "max", FLT_MAX);
		if (vrs_onnx_type_of(build, x) == VRS_F32 && lo <= hi)
			return vrs_onnx_done(clip_constant(build, node, x, lo, hi));
		low = vrs_onnx_number_like(build, x, (double)lo);
		high = vrs_onnx_number_like(build, x, (double)hi);
		if (low < 0 || high < 0)
			return vrs_onnx_done(low < 0 ? low : high);
	} else if (read_bound(build, low, -INFINITY, &lo) && read_bound(build, high, INFINITY, &hi) && vrs_onnx_type_of(build, x) == VRS_F32 && lo <= hi) {
		return vrs_onnx_done(clip_constant(build, node, x, lo, hi));
	}
	if (low >= 0)
		x = vrs_onnx_binary(build, node, VRS_MAX, x, low, high >= 0 ? -1 : 0);
	if (high >= 0)
		x = vrs_onnx_binary(build, node, VRS_MIN, x, high, 0);
	return low < 0 && high < 0 ? vrs_onnx_alias(build, node, x, 0) : vrs_onnx_done(x);
}

/* max(0, min(1, alpha * x + beta)) */
static enum vrs_status build_hard_sigmoid(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	float alpha = vrs_onnx_float(node, "alpha", 0.2f), beta = vrs_onnx_float(node, "beta", 0.5f);
	int32_t x = vrs_onnx_input(build, node, 0);

	if (fabsf(alpha - 1.0f / 6) < 1e-6f && beta == 0.5f)
		return vrs_onnx_done(vrs_onnx_unary(build, node, VRS_ACT_HSIGMOID, 0, 0, x, 0));
	x = vrs_onnx_unary(build, node, VRS_ACT_LINEAR, alpha, beta, x, -1);
	return vrs_onnx_done(vrs_onnx_unary(build, node, VRS_ACT_CLIP, 0, 1, x, 0));
}

/* max(0, x) + min(0, alpha * (exp(x / alpha) - 1)) */
static enum vrs_status build_celu(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	float alpha = vrs_onnx_float(node, "alpha", 1);
	int32_t x = vrs_onnx_input(build, node, 0);

	if (!(alpha > 0))
		return vrs_onnx_unsupported(build, node, "attribute alpha = %g", (double)alpha);
	if (alpha == 1)
		return vrs_onnx_done(vrs_onnx_unary(build, node, VRS_ACT_ELU, 1, 0, x, 0));
	x = vrs_onnx_unary(build, node, VRS_ACT_LINEAR, 1 / alpha, 0, x, -1);
	x = vrs_onnx_unary(build, node, VRS_ACT_ELU, 1, 0, x, -1);
	return vrs_onnx_done(vrs_onnx_unary(build, node, VRS_ACT_LINEAR, alpha, 0, x, 0));
}

/* Input a where the condition holds, b elsewhere. */
static int32_t where(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t condition, int32_t a, int32_t b, int output)
{
	struct vrs_node made;

	if (condition < 0 || a < 0 || b < 0)
		return condition < 0 ? condition : a < 0 ? a : b;
	vrs_node_init(&made, VRS_OP_WHERE, node->name);
	made.inputs = 3;
	made.in[0] = condition;
	made.in[1] = a;
	made.in[2] = b;
	return vrs_onnx_emit(build, node, &made, output);
}

static enum vrs_status build_thresholded(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int32_t x = -1, above;
	enum vrs_status status = vrs_onnx_need(build, node, 0, &x);

	if (status != VRS_OK)
		return status;
	above = vrs_onnx_binary(build, node, VRS_GREATER, x, vrs_onnx_number_like(build, x, (double)vrs_onnx_float(node, "alpha", 1)), -1);
	return vrs_onnx_done(where(build, node, above, x, vrs_onnx_number_like(build, x, 0), 0));
}

static enum vrs_status build_gelu(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	bool plain = vrs_onnx_is(node, "approximate", "none", "none");

	if (!plain && !vrs_onnx_is(node, "approximate", "tanh", "none"))
		return vrs_onnx_unsupported(build, node, "attribute approximate");
	return vrs_onnx_done(vrs_onnx_unary(build, node, plain ? VRS_ACT_GELU : VRS_ACT_GELU_TANH, 0, 0, vrs_onnx_input(build, node, 0), 0));
}

static const struct {
	const char *type;
	enum vrs_binary op;
} binaries[] = {
	{"Add", VRS_ADD}, {"Sub", VRS_SUB}, {"Mul", VRS_MUL}, {"Div", VRS_DIV}, {"Pow", VRS_POW},
	{"Equal", VRS_EQUAL}, {"Less", VRS_LESS}, {"LessOrEqual", VRS_LESS_EQUAL}, {"Greater", VRS_GREATER},
	{"GreaterOrEqual", VRS_GREATER_EQUAL}, {"And", VRS_AND}, {"Or", VRS_OR}, {"Xor", VRS_XOR},
	{"Min", VRS_MIN}, {"Max", VRS_MAX}, {"Sum", VRS_ADD}, {"Mean", VRS_ADD},
};

static enum vrs_binary binary_of(const struct vrs_onnx_node *node)
{
	for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
		if (is_type(node, binaries[i].type))
			return binaries[i].op;
	return VRS_BINARY_COUNT; /* refused by vrs_node_validate */
}

static enum vrs_status emit_binary(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, enum vrs_binary op)
{
	int32_t a = -1, b = -1;
	enum vrs_status status = vrs_onnx_need(build, node, 0, &a);

	if (status == VRS_OK)
		status = vrs_onnx_need(build, node, 1, &b);
	return status == VRS_OK ? vrs_onnx_done(vrs_onnx_binary(build, node, op, a, b, 0)) : status;
}

static enum vrs_status build_binary(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	return emit_binary(build, node, binary_of(node));
}

/* A slope broadcasts to x; older networks also give one number a channel, without the dims behind it. */
static enum vrs_status build_prelu(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int64_t dims[VRS_MAX_RANK] = {-1, 1, 1, 1, 1, 1, 1, 1};
	const struct vrs_graph_tensor *x_known, *slope_known;
	int32_t x = -1, slope = -1;
	enum vrs_status status = vrs_onnx_need(build, node, 0, &x);

	if (status == VRS_OK)
		status = vrs_onnx_need(build, node, 1, &slope);
	if (status != VRS_OK)
		return status;
	x_known = vrs_onnx_known(build, x);
	slope_known = vrs_onnx_known(build, slope);
	if (x_known != NULL && slope_known != NULL && slope_known->rank == 1 && slope_known->dims[0] > 1 && x_known->rank > 2 &&
	    slope_known->dims[0] == x_known->dims[1] && slope_known->dims[0] != x_known->dims[x_known->rank - 1])
		slope = vrs_onnx_reshape(build, node, slope, x_known->rank - 1, dims, -1);
	return vrs_onnx_done(vrs_onnx_binary(build, node, VRS_PRELU, x, slope, 0));
}

static enum vrs_status build_mod(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	return emit_binary(build, node, vrs_onnx_int(node, "fmod", 0) != 0 ? VRS_FMOD : VRS_MOD);
}

/* Any number of inputs, from left to right; a mean is divided at the end. */
static enum vrs_status build_variadic(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	bool mean = is_type(node, "Mean");
	int count = vrs_onnx_inputs(node);
	int32_t x = -1;
	enum vrs_status status = vrs_onnx_need(build, node, 0, &x);

	if (status != VRS_OK)
		return status;
	if (count == 1)
		return vrs_onnx_alias(build, node, x, 0);
	for (int i = 1; i < count && x >= 0; i++) {
		int32_t next = -1;

		status = vrs_onnx_need(build, node, i, &next);
		if (status != VRS_OK)
			return status;
		x = vrs_onnx_binary(build, node, binary_of(node), x, next, i + 1 == count && !mean ? 0 : -1);
	}
	if (mean && x >= 0)
		x = vrs_onnx_binary(build, node, VRS_DIV, x, vrs_onnx_number_like(build, x, count), 0);
	return vrs_onnx_done(x);
}

static enum vrs_status build_where(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int32_t in[3] = {-1, -1, -1};
	enum vrs_status status = VRS_OK;

	for (int i = 0; i < 3 && status == VRS_OK; i++)
		status = vrs_onnx_need(build, node, i, &in[i]);
	return status == VRS_OK ? vrs_onnx_done(where(build, node, in[0], in[1], in[2], 0)) : status;
}

const struct vrs_onnx_op vrs_onnx_elementwise_ops[] = {
	{"Sigmoid", 7, 21, build_function},   {"Tanh", 7, 21, build_function},        {"HardSwish", 14, 21, build_function},
	{"LeakyRelu", 7, 21, build_function}, {"Elu", 7, 21, build_function},         {"Selu", 7, 21, build_function},
	{"Softplus", 7, 21, build_function},  {"Softsign", 7, 21, build_function},    {"Mish", 18, 21, build_function},
	{"Erf", 9, 21, build_function},       {"Abs", 7, 21, build_function},         {"Neg", 7, 21, build_function},
	{"Sqrt", 7, 21, build_function},      {"Exp", 7, 21, build_function},         {"Log", 7, 21, build_function},
	{"Floor", 7, 21, build_function},     {"Ceil", 7, 21, build_function},        {"Round", 11, 21, build_function},
	{"Sign", 9, 21, build_function},      {"Reciprocal", 7, 21, build_function},  {"Sin", 7, 21, build_function},
	{"Cos", 7, 21, build_function},       {"Not", 7, 21, build_function},         {"Relu", 7, 21, build_relu},
	{"Clip", 7, 21, build_clip},          {"HardSigmoid", 7, 21, build_hard_sigmoid}, {"Celu", 12, 21, build_celu},
	{"ThresholdedRelu", 10, 21, build_thresholded}, {"Gelu", 20, 21, build_gelu},
	{"Add", 7, 21, build_binary},         {"Sub", 7, 21, build_binary},           {"Mul", 7, 21, build_binary},
	{"Div", 7, 21, build_binary},         {"Pow", 7, 21, build_binary},           {"PRelu", 7, 21, build_prelu},
	{"Equal", 7, 21, build_binary},       {"Less", 7, 21, build_binary},          {"LessOrEqual", 12, 21, build_binary},
	{"Greater", 7, 21, build_binary},     {"GreaterOrEqual", 12, 21, build_binary}, {"And", 7, 21, build_binary},
	{"Or", 7, 21, build_binary},          {"Xor", 7, 21, build_binary},           {"Mod", 10, 21, build_mod},
	{"Min", 7, 21, build_variadic},       {"Max", 7, 21, build_variadic},         {"Sum", 7, 21, build_variadic},
	{"Mean", 7, 21, build_variadic},      {"Where", 9, 21, build_where},
	{NULL, 0, 0, NULL},
};
