/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Products of matrices.  With constant weights they become 1x1 convolutions over a map whose pixels are the rows, so that the kernels of
 * convolutions, their packed weights and their epilogues serve them.
 */
#include "graph/onnx_build.h"

static int32_t product(const struct vrs_onnx_node *node, int32_t a, int32_t b, bool transpose_a, bool transpose_b, int output)
{
	struct vrs_node made = vrs_node_of(VRS_OP_MATMUL, node->name, 2, (const int32_t[]){a, b});

	made.u.matmul.transpose_a = transpose_a;
	made.u.matmul.transpose_b = transpose_b;
	return vrs_onnx_emit(node, &made, output);
}

/* Weights [N][K] as those of a convolution. */
static int32_t pointwise(const struct vrs_onnx_node *node, int32_t x, int32_t weights, int32_t bias, int output)
{
	weights = vrs_onnx_reshape(node, weights, 4, (const int64_t[]){0, 1, 1, -1}, -1);
	return vrs_onnx_plain(node, VRS_OP_CONV, 3, (const int32_t[]){x, weights, bias}, output);
}

/* x [..][K] with one to four dims times weights [N][K] transposed: [..][N]. */
static int32_t linear(const struct vrs_onnx_node *node, int32_t x, int32_t weights, int32_t bias, int rank, int output)
{
	int64_t k = vrs_onnx_known(node, weights)->dims[1], n = vrs_onnx_known(node, weights)->dims[0];
	const int64_t map[4] = {rank == 3 ? 0 : 1, 1, rank == 1 ? 1 : -1, k}, back[3][3] = {{n}, {-1, n}, {0, -1, n}};

	if (rank == 4)
		return pointwise(node, x, weights, bias, output);
	x = pointwise(node, vrs_onnx_reshape(node, x, 4, map, -1), weights, bias, -1);
	return vrs_onnx_reshape(node, x, rank, back[rank - 1], output);
}

/* Can a product with these weights be a convolution?  A matrix that is constant, and a left operand whose last dim is its K. */
static bool is_linear(const struct vrs_onnx_node *node, int32_t x, int32_t weights, bool transposed)
{
	const struct vrs_graph_tensor *w = vrs_onnx_constant(node, weights), *known = vrs_onnx_known(node, x);

	return w != NULL && w->rank == 2 && known != NULL && known->rank >= 1 && known->rank <= 4 && vrs_onnx_constant(node, x) == NULL &&
	       vrs_tensor_elements(w) > 0 && vrs_tensor_elements(known) > 0 && known->dims[known->rank - 1] == w->dims[transposed ? 1 : 0];
}

int32_t vrs_onnx_multiply(const struct vrs_onnx_node *node, int32_t a, int32_t b, int output)
{
	if (!is_linear(node, a, b, false))
		return product(node, a, b, false, false, output);
	b = vrs_onnx_transpose(node, b, (const int[]){1, 0}, 2, -1);
	return b < 0 ? b : linear(node, a, b, -1, vrs_onnx_rank(node, a), output);
}

/* Both operands, as floats; the type of the first. */
static enum vrs_status read_operands(const struct vrs_onnx_node *node, int32_t *ret_a, int32_t *ret_b, enum vrs_dtype *ret_type)
{
	*ret_type = vrs_onnx_type_of(node, vrs_onnx_input(node, 0));
	VRS_TRY(vrs_onnx_done(*ret_a = vrs_onnx_cast(node, vrs_onnx_input(node, 0), VRS_F32, -1)));
	return vrs_onnx_done(*ret_b = vrs_onnx_cast(node, vrs_onnx_input(node, 1), VRS_F32, -1));
}

static enum vrs_status build_matmul(const struct vrs_onnx_node *node)
{
	enum vrs_dtype type;
	int32_t a, b;

	VRS_TRY(read_operands(node, &a, &b, &type));
	return vrs_onnx_done_as(node, vrs_onnx_multiply(node, a, b, vrs_onnx_slot(type)), type);
}

/* A factor on a tensor; 1 changes nothing. */
static int32_t times(const struct vrs_onnx_node *node, float factor, int32_t x, int output)
{
	return factor == 1 && output < 0 ? x : vrs_onnx_unary(node, VRS_ACT_LINEAR, factor, 0, x, output);
}

/* Constant bias of N values, or one for all of them. */
static bool is_bias(const struct vrs_onnx_node *node, int32_t c, int64_t n)
{
	const struct vrs_graph_tensor *known = vrs_onnx_constant(node, c);

	return known != NULL && (int64_t)vrs_tensor_elements(known) == n && (known->rank == 0 || known->dims[known->rank - 1] == n);
}

/* alpha * a b + beta * c, where b is a constant: both factors go into the weights. */
static int32_t gemm_linear(const struct vrs_onnx_node *node, int32_t a, int32_t b, int32_t c, int output)
{
	float alpha = vrs_onnx_float(node, "alpha", 1), beta = vrs_onnx_float(node, "beta", 1);
	bool transposed = vrs_onnx_int(node, "transB", 0) != 0, bias;
	int32_t y;

	b = times(node, alpha, b, -1);
	if (!transposed && b >= 0)
		b = vrs_onnx_transpose(node, b, (const int[]){1, 0}, 2, -1);
	if (c >= 0)
		c = times(node, beta, c, -1);
	if (b < 0 || c < -1)
		return b < 0 ? b : c;
	bias = c >= 0 && is_bias(node, c, vrs_onnx_known(node, b)->dims[0]);
	if (bias)
		c = vrs_onnx_reshape(node, c, 1, (const int64_t[]){-1}, -1);
	y = linear(node, a, b, bias ? c : -1, 2, c >= 0 && !bias ? -1 : output);
	return c >= 0 && !bias ? vrs_onnx_binary(node, VRS_ADD, y, c, output) : y;
}

static enum vrs_status build_gemm(const struct vrs_onnx_node *node)
{
	float alpha = vrs_onnx_float(node, "alpha", 1), beta = vrs_onnx_float(node, "beta", 1);
	bool ta = vrs_onnx_int(node, "transA", 0) != 0, tb = vrs_onnx_int(node, "transB", 0) != 0;
	int32_t a, b, c = vrs_onnx_input(node, 2), y;
	enum vrs_dtype type;
	int out;

	VRS_TRY(read_operands(node, &a, &b, &type));
	out = vrs_onnx_slot(type);
	if (c >= 0)
		VRS_TRY(vrs_onnx_done(c = vrs_onnx_cast(node, c, VRS_F32, -1)));
	if (ta && vrs_onnx_constant(node, b) != NULL) {
		VRS_TRY(vrs_onnx_done(a = vrs_onnx_transpose(node, a, (const int[]){1, 0}, 2, -1)));
		ta = false;
	}
	if (!ta && vrs_onnx_rank(node, a) == 2 && is_linear(node, a, b, tb)) {
		y = gemm_linear(node, a, b, c, out);
	} else {
		y = times(node, alpha, product(node, a, b, ta, tb, alpha == 1 && c < 0 ? out : -1), alpha != 1 && c < 0 ? out : -1);
		if (c >= 0)
			y = vrs_onnx_binary(node, VRS_ADD, y, times(node, beta, c, -1), out);
	}
	return vrs_onnx_done_as(node, y, type);
}

const struct vrs_onnx_op vrs_onnx_matmul_ops[] = {
	{"MatMul", 7, 21, 2, build_matmul, 0},
	{"Gemm", 7, 21, 2, build_gemm, 0},
	{0},
};
