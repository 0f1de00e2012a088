/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Quantised operators.  Those that compute on integers become dequantize, the float operator, quantize: the numbers are the same up to the
 * rounding of float, and backends that have integer kernels recognise the form.
 */
#include "graph/eval.h"
#include "graph/import_try.h"
#include "graph/onnx_parts.h"

/* scale and zero are ids; zero -1: none. */
static int32_t convert(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, enum vrs_op op, int32_t x, int32_t scale, int32_t zero,
		       int axis, enum vrs_dtype to, int output)
{
	struct vrs_node made;

	if (x < 0 || scale < 0)
		return x < 0 ? x : scale;
	vrs_node_init(&made, op, node->name);
	made.inputs = 3;
	made.in[0] = x;
	made.in[1] = scale;
	made.in[2] = zero;
	made.u.quant.axis = axis;
	made.u.quant.to = to;
	return vrs_onnx_emit(build, node, &made, output);
}

static bool is_quantised(enum vrs_dtype type)
{
	return type == VRS_U8 || type == VRS_I8 || type == VRS_U16 || type == VRS_I16 || type == VRS_I32;
}

static enum vrs_status build_linear(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, enum vrs_op op)
{
	int64_t axis = vrs_onnx_int(node, "axis", 1), block = vrs_onnx_int(node, "block_size", 0), asked = vrs_onnx_int(node, "output_dtype", 0);
	enum vrs_dtype to = VRS_U8, zero_type;
	int32_t x, scale, zero = vrs_onnx_input(build, node, 2);

	VRS_TRY(vrs_onnx_need(build, node, 0, &x));
	VRS_TRY(vrs_onnx_need(build, node, 1, &scale));
	if (block != 0)
		return vrs_onnx_unsupported(build, node, "quantisation in blocks (block_size = %lld)", (long long)block);
	if (op == VRS_OP_QUANTIZE && asked != 0 && zero < 0 && (!vrs_onnx_element_type(asked, &to) || !is_quantised(to)))
		return vrs_onnx_unsupported(build, node, "output_dtype = %lld", (long long)asked);
	zero_type = zero >= 0 ? vrs_onnx_type_of(build, zero) : to;
	if (zero >= 0 && vrs_onnx_known(build, zero) != NULL && !is_quantised(zero_type))
		return vrs_onnx_unsupported(build, node, "zero points of type %s", vrs_dtype_name(zero_type));
	if (axis < -VRS_MAX_RANK || axis > VRS_MAX_RANK)
		return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "axis %lld", (long long)axis);
	return vrs_onnx_done(convert(build, node, op, x, scale, zero, (int)axis, to, 0));
}

static enum vrs_status build_quantize(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	return build_linear(build, node, VRS_OP_QUANTIZE);
}

static enum vrs_status build_dequantize(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	return build_linear(build, node, VRS_OP_DEQUANTIZE);
}

/* u8 with the range of x, 0 included: scale = (max - min) / 255, zero = round(-min / scale), saturated. */
static enum vrs_status build_dynamic_quantize(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int32_t x, least, most, scale, zero;
	int rank;

	VRS_TRY(vrs_onnx_need(build, node, 0, &x));
	rank = vrs_onnx_rank(build, x);
	if (rank < 0)
		return vrs_onnx_unsupported(build, node, "an input of unknown shape");
	x = vrs_onnx_cast(build, node, x, VRS_F32, -1);
	most = vrs_onnx_reshape(build, node, vrs_onnx_reduce(build, node, VRS_REDUCE_MAX, x, (1u << rank) - 1, -1), 0, (const int64_t[]){0}, -1);
	least = vrs_onnx_reshape(build, node, vrs_onnx_reduce(build, node, VRS_REDUCE_MIN, x, (1u << rank) - 1, -1), 0, (const int64_t[]){0}, -1);
	most = vrs_onnx_binary(build, node, VRS_MAX, most, vrs_onnx_scalar(build, 0), -1);
	least = vrs_onnx_binary(build, node, VRS_MIN, least, vrs_onnx_scalar(build, 0), -1);
	scale = vrs_onnx_binary(build, node, VRS_SUB, most, least, -1);
	scale = vrs_onnx_binary(build, node, VRS_DIV, scale, vrs_onnx_scalar(build, 255), vrs_onnx_has_output(node, 1) ? 1 : -1);
	zero = vrs_onnx_unary(build, node, VRS_ACT_NEG, 0, 0, least, -1);
	zero = vrs_onnx_binary(build, node, VRS_DIV, zero, scale, -1);
	zero = vrs_onnx_unary(build, node, VRS_ACT_CLIP, 0, 255, vrs_onnx_unary(build, node, VRS_ACT_ROUND, 0, 0, zero, -1), -1);
	zero = vrs_onnx_cast(build, node, zero, VRS_U8, vrs_onnx_has_output(node, 2) ? 2 : -1);
	VRS_TRY(vrs_onnx_done(zero));
	return vrs_onnx_done(convert(build, node, VRS_OP_QUANTIZE, x, scale, zero, 0, VRS_U8, 0));
}

/* ---- convolutions and products on integers: the float operator over the converted operands ---- */

/* x, its scale and zero point at inputs i, i + 1, i + 2. */
static enum vrs_status dequantized(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int i, int axis, int32_t *ret_id)
{
	int32_t x, scale;

	VRS_TRY(vrs_onnx_need(build, node, i, &x));
	VRS_TRY(vrs_onnx_need(build, node, i + 1, &scale));
	*ret_id = convert(build, node, VRS_OP_DEQUANTIZE, x, scale, vrs_onnx_input(build, node, i + 2), axis, VRS_F32, -1);
	return vrs_onnx_done(*ret_id);
}

static enum vrs_status quantized(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t y)
{
	int32_t scale, zero;

	VRS_TRY(vrs_onnx_need(build, node, 6, &scale));
	VRS_TRY(vrs_onnx_need(build, node, 7, &zero));
	return vrs_onnx_done(convert(build, node, VRS_OP_QUANTIZE, y, scale, zero, 0, VRS_U8, 0));
}

/* The bias is in units of the product of both scales. */
static enum vrs_status build_qlinear_conv(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int32_t in[3], bias = vrs_onnx_input(build, node, 8), scale, y = -1;

	VRS_TRY(dequantized(build, node, 0, 0, &in[0]));
	VRS_TRY(dequantized(build, node, 3, 0, &in[1]));
	in[2] = -1;
	if (bias >= 0) {
		scale = vrs_onnx_binary(build, node, VRS_MUL, vrs_onnx_input(build, node, 1), vrs_onnx_input(build, node, 4), -1);
		in[2] = convert(build, node, VRS_OP_DEQUANTIZE, bias, scale, -1, 0, VRS_F32, -1);
		VRS_TRY(vrs_onnx_done(in[2]));
	}
	VRS_TRY(vrs_onnx_convolve(build, node, VRS_OP_CONV, in, -1, &y));
	return y < 0 ? VRS_OK : quantized(build, node, y); /* none: reported as not supported */
}

static enum vrs_status build_qlinear_matmul(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int32_t in[2], y;

	VRS_TRY(dequantized(build, node, 0, -2, &in[0])); /* several scales: one a row */
	VRS_TRY(dequantized(build, node, 3, -1, &in[1])); /* one a column */
	VRS_TRY(vrs_onnx_done(y = vrs_onnx_multiply(build, node, in[0], in[1], -1)));
	return quantized(build, node, y);
}

/* x - zero as floats: the product of two of them is the product of integers, exact to 2^24. */
static enum vrs_status minus_zero(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int i, int axis, int32_t *ret_id)
{
	const struct vrs_graph_tensor *known;
	int32_t x, zero = vrs_onnx_input(build, node, i + 2), scale;
	int64_t count = 1;

	VRS_TRY(vrs_onnx_need(build, node, i, &x));
	known = zero >= 0 ? vrs_onnx_known(build, zero) : NULL;
	if (known != NULL && known->rank == 1)
		count = known->dims[0];
	scale = vrs_onnx_scalar(build, 1);
	if (count > 1) {
		struct vrs_node made;

		vrs_node_init(&made, VRS_OP_EXPAND, node->name);
		made.inputs = 2;
		made.in[0] = scale;
		made.in[1] = vrs_onnx_i64s(build, 1, &count);
		scale = scale < 0 || made.in[1] < 0 ? -1 : vrs_onnx_emit(build, node, &made, -1);
	}
	*ret_id = convert(build, node, VRS_OP_DEQUANTIZE, x, scale, zero, axis, VRS_F32, -1);
	return vrs_onnx_done(*ret_id);
}

static enum vrs_status build_integer(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, bool conv)
{
	int32_t in[3] = {-1, -1, -1}, y = -1;

	VRS_TRY(minus_zero(build, node, 0, conv ? 0 : -2, &in[0]));
	VRS_TRY(minus_zero(build, node, 1, conv ? 0 : -1, &in[1]));
	if (conv)
		VRS_TRY(vrs_onnx_convolve(build, node, VRS_OP_CONV, in, -1, &y));
	else
		VRS_TRY(vrs_onnx_done(y = vrs_onnx_multiply(build, node, in[0], in[1], -1)));
	if (y < 0)
		return VRS_OK; /* reported as not supported */
	return vrs_onnx_done(vrs_onnx_cast(build, node, vrs_onnx_unary(build, node, VRS_ACT_ROUND, 0, 0, y, -1), VRS_I32, 0));
}

static enum vrs_status build_conv_integer(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	return build_integer(build, node, true);
}

static enum vrs_status build_matmul_integer(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	return build_integer(build, node, false);
}

const struct vrs_onnx_op vrs_onnx_quant_ops[] = {
	{"QuantizeLinear", 10, 21, build_quantize},
	{"DequantizeLinear", 10, 21, build_dequantize},
	{"DynamicQuantizeLinear", 11, 21, build_dynamic_quantize},
	{"QLinearConv", 10, 21, build_qlinear_conv},
	{"QLinearMatMul", 10, 21, build_qlinear_matmul},
	{"ConvInteger", 10, 21, build_conv_integer},
	{"MatMulInteger", 10, 21, build_matmul_integer},
	{0},
};
