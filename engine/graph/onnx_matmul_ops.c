/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Products of matrices.  With constant weights they become 1x1 convolutions over a map whose pixels are the rows, so that the kernels of
 * convolutions, their packed weights and their epilogues serve them.
 */
#include "graph/import_try.h"
#include "graph/onnx_parts.h"

static int32_t product(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t a, int32_t b, bool transpose_a, bool transpose_b,
		       int output)
{
	struct vrs_node made;

	if (a < 0 || b < 0)
		return a < 0 ? a : b;
	vrs_node_init(&made, VRS_OP_MATMUL, node->name);
	made.inputs = 2;
	made.in[0] = a;
	made.in[1] = b;
	made.u.matmul.transpose_a = transpose_a;
	made.u.matmul.transpose_b = transpose_b;
	return vrs_onnx_emit(build, node, &made, output);
}

/* Weights [N][K] as those of a convolution. */
static int32_t pointwise(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int32_t weights, int32_t bias, int output)
{
	struct vrs_node made;

	if (x < 0 || weights < 0)
		return x < 0 ? x : weights;
	vrs_node_init(&made, VRS_OP_CONV, node->name);
	made.inputs = 3;
	made.in[0] = x;
	made.in[1] = vrs_onnx_reshape(build, node, weights, 4, (const int64_t[]){0, 1, 1, -1}, -1);
	made.in[2] = bias;
	return made.in[1] < 0 ? made.in[1] : vrs_onnx_emit(build, node, &made, output);
}

/* x [..][K] with one to four dims times weights [N][K] transposed: [..][N]. */
static int32_t linear(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, int32_t weights, int32_t bias, int rank, int output)
{
	int64_t k = vrs_onnx_known(build, weights)->dims[1], n = vrs_onnx_known(build, weights)->dims[0];
	int32_t y;

	switch (rank) {
	case 4: return pointwise(build, node, x, weights, bias, output);
	case 3:
		y = pointwise(build, node, vrs_onnx_reshape(build, node, x, 4, (const int64_t[]){0, 1, -1, k}, -1), weights, bias, -1);
		return vrs_onnx_reshape(build, node, y, 3, (const int64_t[]){0, -1, n}, output);
	case 2:
		y = pointwise(build, node, vrs_onnx_reshape(build, node, x, 4, (const int64_t[]){1, 1, -1, k}, -1), weights, bias, -1);
		return vrs_onnx_reshape(build, node, y, 2, (const int64_t[]){-1, n}, output);
	default:
		y = pointwise(build, node, vrs_onnx_reshape(build, node, x, 4, (const int64_t[]){1, 1, 1, k}, -1), weights, bias, -1);
		return vrs_onnx_reshape(build, node, y, 1, (const int64_t[]){n}, output);
	}
}

/* Can a product with these weights be a convolution?  A matrix that is constant, and a left operand whose last dim is its K. */
static bool is_linear(struct vrs_onnx_build *build, int32_t x, int32_t weights, bool transposed)
{
	const struct vrs_graph_tensor *w = vrs_onnx_constant(build, weights), *known = vrs_onnx_known(build, x);

	return w != NULL && w->rank == 2 && known != NULL && known->rank >= 1 && known->rank <= 4 && vrs_onnx_constant(build, x) == NULL &&
	       vrs_tensor_elements(w) > 0 && vrs_tensor_elements(known) > 0 && known->dims[known->rank - 1] == w->dims[transposed ? 1 : 0];
}

int32_t vrs_onnx_multiply(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t a, int32_t b, int output)
{
	if (!is_linear(build, a, b, false))
		return product(build, node, a, b, false, false, output);
	b = vrs_onnx_transpose(build, node, b, (const int[]){1, 0}, 2, -1);
	return b < 0 ? b : linear(build, node, a, b, -1, vrs_onnx_rank(build, a), output);
}

static enum vrs_status build_matmul(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	enum vrs_dtype type;
	int32_t a, b, y;

	VRS_TRY(vrs_onnx_need(build, node, 0, &a));
	VRS_TRY(vrs_onnx_need(build, node, 1, &b));
	type = vrs_onnx_type_of(build, a);
	VRS_TRY(vrs_onnx_done(a = vrs_onnx_cast(build, node, a, VRS_F32, -1)));
	VRS_TRY(vrs_onnx_done(b = vrs_onnx_cast(build, node, b, VRS_F32, -1)));
	y = vrs_onnx_multiply(build, node, a, b, vrs_onnx_slot(type));
	return vrs_onnx_done(type == VRS_F32 ? y : vrs_onnx_cast(build, node, y, type, 0));
}

/* A factor on a tensor; 1 changes nothing. */
static int32_t times(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, float factor, int32_t x, int output)
{
	return factor == 1 && output < 0 ? x : vrs_onnx_unary(build, node, VRS_ACT_LINEAR, factor, 0, x, output);
}

/* Constant bias of N values, or one for all of them. */
static bool is_bias(struct vrs_onnx_build *build, int32_t c, int64_t n)
{
	const struct vrs_graph_tensor *known = vrs_onnx_constant(build, c);

	return known != NULL && (int64_t)vrs_tensor_elements(known) == n && (known->rank == 0 || known->dims[known->rank - 1] == n);
}

/* alpha * a b + beta * c, where b is a constant: both factors go into the weights. */
static int32_t gemm_linear(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t a, int32_t b, int32_t c, int output)
{
	float alpha = vrs_onnx_float(node, "alpha", 1), beta = vrs_onnx_float(node, "beta", 1);
	bool transposed = vrs_onnx_int(node, "transB", 0) != 0, bias;
	int32_t y;

	b = times(build, node, alpha, b, -1);
	if (!transposed && b >= 0)
		b = vrs_onnx_transpose(build, node, b, (const int[]){1, 0}, 2, -1);
	if (c >= 0)
		c = times(build, node, beta, c, -1);
	if (b < 0 || c < -1)
		return b < 0 ? b : c;
	bias = c >= 0 && is_bias(build, c, vrs_onnx_known(build, b)->dims[0]);
	if (bias)
		c = vrs_onnx_reshape(build, node, c, 1, (const int64_t[]){-1}, -1);
	y = linear(build, node, a, b, bias ? c : -1, 2, c >= 0 && !bias ? -1 : output);
	return c >= 0 && !bias ? vrs_onnx_binary(build, node, VRS_ADD, y, c, output) : y;
}

static enum vrs_status build_gemm(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	float alpha = vrs_onnx_float(node, "alpha", 1), beta = vrs_onnx_float(node, "beta", 1);
	bool ta = vrs_onnx_int(node, "transA", 0) != 0, tb = vrs_onnx_int(node, "transB", 0) != 0;
	int32_t a, b, c = vrs_onnx_input(build, node, 2), y;
	enum vrs_dtype type;
	int out;

	VRS_TRY(vrs_onnx_need(build, node, 0, &a));
	VRS_TRY(vrs_onnx_need(build, node, 1, &b));
	type = vrs_onnx_type_of(build, a);
	out = vrs_onnx_slot(type);
	VRS_TRY(vrs_onnx_done(a = vrs_onnx_cast(build, node, a, VRS_F32, -1)));
	VRS_TRY(vrs_onnx_done(b = vrs_onnx_cast(build, node, b, VRS_F32, -1)));
	if (c >= 0)
		VRS_TRY(vrs_onnx_done(c = vrs_onnx_cast(build, node, c, VRS_F32, -1)));
	if (ta && vrs_onnx_constant(build, b) != NULL) {
		VRS_TRY(vrs_onnx_done(a = vrs_onnx_transpose(build, node, a, (const int[]){1, 0}, 2, -1)));
		ta = false;
	}
	if (!ta && vrs_onnx_rank(build, a) == 2 && is_linear(build, a, b, tb)) {
		y = gemm_linear(build, node, a, b, c, out);
	} else {
		y = times(build, node, alpha, product(build, node, a, b, ta, tb, alpha == 1 && c < 0 ? out : -1), alpha != 1 && c < 0 ? out : -1);
		if (c >= 0)
			y = vrs_onnx_binary(build, node, VRS_ADD, y, times(build, node, beta, c, -1), out);
	}
	return vrs_onnx_done(type == VRS_F32 ? y : vrs_onnx_cast(build, node, y, type, 0));
}

const struct vrs_onnx_op vrs_onnx_matmul_ops[] = {
	{"MatMul", 7, 21, build_matmul},
	{"Gemm", 7, 21, build_gemm},
	{0},
};
