/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Quantised operators.  Those that compute on integers become dequantize, the float operator, quantize: the numbers are the same up to the
 * rounding of float, and backends that have integer kernels recognise the form.
 */
#include "graph/onnx_build.h"

/* scale and zero are ids; zero -1: none. */
static int32_t convert(const struct vrs_onnx_node *node, enum vrs_op op, int32_t x, int32_t scale, int32_t zero, int axis, enum vrs_dtype to,
		       int output)
{
	struct vrs_node made = vrs_node_of(op, node->name, 3, (const int32_t[]){x, scale, zero});

	made.u.quant.axis = axis;
	made.u.quant.to = to;
	return vrs_onnx_emit(node, &made, output);
}

static bool is_quantised(enum vrs_dtype type)
{
	return type == VRS_U8 || type == VRS_I8 || type == VRS_U16 || type == VRS_I16 || type == VRS_I32;
}

static enum vrs_status build_linear(const struct vrs_onnx_node *node)
{
	int64_t block = vrs_onnx_int(node, "block_size", 0), asked = vrs_onnx_int(node, "output_dtype", 0);
	int32_t zero = vrs_onnx_input(node, 2);
	enum vrs_op op = (enum vrs_op)node->op->code;
	enum vrs_dtype to = VRS_U8, zero_type;
	int axis;

	if (block != 0)
		return vrs_onnx_unsupported(node, "quantisation in blocks (block_size = %lld)", (long long)block);
	if (op == VRS_OP_QUANTIZE && asked != 0 && zero < 0 && (!vrs_onnx_dtype(asked, &to) || !is_quantised(to)))
		return vrs_onnx_unsupported(node, "output_dtype = %lld", (long long)asked);
	zero_type = zero >= 0 ? vrs_onnx_type_of(node, zero) : to;
	if (zero >= 0 && vrs_onnx_known(node, zero) != NULL && !is_quantised(zero_type))
		return vrs_onnx_unsupported(node, "zero points of type %s", vrs_dtype_name(zero_type));
	VRS_TRY(vrs_onnx_axis(node, 1, &axis));
	return vrs_onnx_done(convert(node, op, vrs_onnx_input(node, 0), vrs_onnx_input(node, 1), zero, axis, to, 0));
}

/* The largest or smallest value of x, as a scalar. */
static int32_t extreme(const struct vrs_onnx_node *node, enum vrs_reduce op, int32_t x, int rank)
{
	return vrs_onnx_reshape(node, vrs_onnx_reduce(node, op, x, (1u << rank) - 1, -1), 0, (const int64_t[]){0}, -1);
}

/* u8 with the range of x, 0 included: scale = (max - min) / 255, zero = round(-min / scale), saturated. */
static enum vrs_status build_dynamic_quantize(const struct vrs_onnx_node *node)
{
	int32_t x = vrs_onnx_input(node, 0), least, most, scale, zero;
	int rank = vrs_onnx_rank(node, x);

	if (rank < 0)
		return vrs_onnx_unsupported(node, "an input of unknown shape");
	x = vrs_onnx_cast(node, x, VRS_F32, -1);
	most = extreme(node, VRS_REDUCE_MAX, x, rank);
	least = extreme(node, VRS_REDUCE_MIN, x, rank);
	most = vrs_onnx_binary(node, VRS_MAX, most, vrs_onnx_scalar(node, 0), -1);
	least = vrs_onnx_binary(node, VRS_MIN, least, vrs_onnx_scalar(node, 0), -1);
	scale = vrs_onnx_binary(node, VRS_SUB, most, least, -1);
	scale = vrs_onnx_binary(node, VRS_DIV, scale, vrs_onnx_scalar(node, 255), vrs_onnx_has_output(node, 1) ? 1 : -1);
	zero = vrs_onnx_unary(node, VRS_ACT_NEG, 0, 0, least, -1);
	zero = vrs_onnx_binary(node, VRS_DIV, zero, scale, -1);
	zero = vrs_onnx_unary(node, VRS_ACT_CLIP, 0, 255, vrs_onnx_unary(node, VRS_ACT_ROUND, 0, 0, zero, -1), -1);
	zero = vrs_onnx_cast(node, zero, VRS_U8, vrs_onnx_has_output(node, 2) ? 2 : -1);
	VRS_TRY(vrs_onnx_done(zero));
	return vrs_onnx_done(convert(node, VRS_OP_QUANTIZE, x, scale, zero, 0, VRS_U8, 0));
}

/* ---- convolutions and products on integers: the float operator over the converted operands ---- */

/* x, its scale and zero point at inputs i, i + 1, i + 2. */
static enum vrs_status dequantized(const struct vrs_onnx_node *node, int i, int axis, int32_t *ret_id)
{
	int32_t x, scale;

	VRS_TRY(vrs_onnx_need(node, i, &x));
	VRS_TRY(vrs_onnx_need(node, i + 1, &scale));
	*ret_id = convert(node, VRS_OP_DEQUANTIZE, x, scale, vrs_onnx_input(node, i + 2), axis, VRS_F32, -1);
	return vrs_onnx_done(*ret_id);
}

static enum vrs_status quantized(const struct vrs_onnx_node *node, int32_t y)
{
	int32_t scale, zero;

	VRS_TRY(vrs_onnx_need(node, 6, &scale));
	VRS_TRY(vrs_onnx_need(node, 7, &zero));
	return vrs_onnx_done(convert(node, VRS_OP_QUANTIZE, y, scale, zero, 0, VRS_U8, 0));
}

/* The bias is in units of the product of both scales. */
static enum vrs_status build_qlinear_conv(const struct vrs_onnx_node *node)
{
	int32_t in[3], bias = vrs_onnx_input(node, 8), scale, y = -1;

	VRS_TRY(dequantized(node, 0, 0, &in[0]));
	VRS_TRY(dequantized(node, 3, 0, &in[1]));
	in[2] = -1;
	if (bias >= 0) {
		scale = vrs_onnx_binary(node, VRS_MUL, vrs_onnx_input(node, 1), vrs_onnx_input(node, 4), -1);
		in[2] = convert(node, VRS_OP_DEQUANTIZE, bias, scale, -1, 0, VRS_F32, -1);
		VRS_TRY(vrs_onnx_done(in[2]));
	}
	VRS_TRY(vrs_onnx_convolve(node, VRS_OP_CONV, in, -1, &y));
	return y < 0 ? VRS_OK : quantized(node, y); /* none: reported as not supported */
}

static enum vrs_status build_qlinear_matmul(const struct vrs_onnx_node *node)
{
	int32_t in[2], y;

	VRS_TRY(dequantized(node, 0, -2, &in[0])); /* several scales: one a row */
	VRS_TRY(dequantized(node, 3, -1, &in[1])); /* one a column */
	VRS_TRY(vrs_onnx_done(y = vrs_onnx_multiply(node, in[0], in[1], -1)));
	return quantized(node, y);
}

/* x - zero as floats: the product of two of them is the product of integers, exact to 2^24. */
static enum vrs_status minus_zero(const struct vrs_onnx_node *node, int i, int axis, int32_t *ret_id)
{
	int32_t zero = vrs_onnx_input(node, i + 2), scale = vrs_onnx_scalar(node, 1);
	const struct vrs_graph_tensor *known = vrs_onnx_known(node, zero);
	int64_t count = known != NULL && known->rank == 1 ? known->dims[0] : 1;

	if (count > 1)
		scale = vrs_onnx_plain(node, VRS_OP_EXPAND, 2, (const int32_t[]){scale, vrs_onnx_i64s(node, 1, &count)}, -1);
	*ret_id = convert(node, VRS_OP_DEQUANTIZE, vrs_onnx_input(node, i), scale, zero, axis, VRS_F32, -1);
	return vrs_onnx_done(*ret_id);
}

static enum vrs_status build_integer(const struct vrs_onnx_node *node)
{
	bool conv = node->op->code == VRS_OP_CONV;
	int32_t in[3] = {-1, -1, -1}, y = -1;

	VRS_TRY(minus_zero(node, 0, conv ? 0 : -2, &in[0]));
	VRS_TRY(minus_zero(node, 1, conv ? 0 : -1, &in[1]));
	if (conv)
		VRS_TRY(vrs_onnx_convolve(node, VRS_OP_CONV, in, -1, &y));
	else
		VRS_TRY(vrs_onnx_done(y = vrs_onnx_multiply(node, in[0], in[1], -1)));
	if (y < 0)
		return VRS_OK; /* reported as not supported */
	return vrs_onnx_done(vrs_onnx_cast(node, vrs_onnx_unary(node, VRS_ACT_ROUND, 0, 0, y, -1), VRS_I32, 0));
}

const struct vrs_onnx_op vrs_onnx_quant_ops[] = {
	{"QuantizeLinear", 10, 21, 2, build_linear, VRS_OP_QUANTIZE},
	{"DequantizeLinear", 10, 21, 2, build_linear, VRS_OP_DEQUANTIZE},
	{"DynamicQuantizeLinear", 11, 21, 1, build_dynamic_quantize, 0},
	{"QLinearConv", 10, 21, 2, build_qlinear_conv, 0},
	{"QLinearMatMul", 10, 21, 2, build_qlinear_matmul, 0},
	{"ConvInteger", 10, 21, 2, build_integer, VRS_OP_CONV},
	{"MatMulInteger", 10, 21, 2, build_integer, VRS_OP_MATMUL},
	{0},
};
