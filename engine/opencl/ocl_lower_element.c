/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators that make each element from the same place of their inputs: functions of one and of two. */

#include "opencl/ocl_element.h"
#include "opencl/ocl_lower.h"
#include "opencl/ocl_move.h"
#include "opencl/ocl_typed.h"

static const struct vrs_graph_tensor *tensor_of(const struct vrs_ocl_plan *plan, int32_t id)
{
	return &plan->graph.tensors[id];
}

static bool is_float(const struct vrs_ocl_plan *plan, int32_t id)
{
	return tensor_of(plan, id)->dtype == VRS_F32 || tensor_of(plan, id)->dtype == VRS_F16;
}

enum vrs_status vrs_ocl_lower_unary(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	size_t n = vrs_tensor_elements(tensor_of(plan, node->out));

	if (!is_float(plan, node->in[0]) || !is_float(plan, node->out) || !vrs_ocl_has_act(node->act))
		return vrs_ocl_lower_unary_typed(plan, node, err);
	vrs_ocl_step_begin(plan, node, "unary");
	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	vrs_ocl_arg_int(plan, (int64_t)n);
	vrs_ocl_define_act(plan, "ACT(v)", node->act, node->act_lo, node->act_hi);
	return vrs_ocl_step_end_line(plan, (int64_t)(n + 3) / 4, err);
}

/* The same elements under other dims: the same memory, or a copy where both names must have memory of their own. */
enum vrs_status vrs_ocl_lower_reshape(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	return vrs_ocl_emit_move(plan, node, err);
}

static const char *const operators[VRS_BINARY_COUNT] = {
	[VRS_ADD] = "((a) + (b))",
	[VRS_SUB] = "((a) - (b))",
	[VRS_MUL] = "((a) * (b))",
	[VRS_DIV] = "((a) / (b))",
	[VRS_MIN] = "((a) < (b) || isnan(a) ? (a) : (b))", /* a NaN on either side is the result, which fmin would pass over */
	[VRS_MAX] = "((a) > (b) || isnan(a) ? (a) : (b))",
	[VRS_POW] = "pow((a), (b))",
	[VRS_MOD] = "((a) - floor((a) / (b)) * (b))",
	[VRS_FMOD] = "fmod((a), (b))",
	[VRS_PRELU] = "((a) < 0.0f ? (a) * (b) : (a))",
};

const char *vrs_ocl_operator(enum vrs_binary op)
{
	return (unsigned)op < VRS_BINARY_COUNT ? operators[op] : NULL;
}

/* Fours along the innermost dim, where it is a multiple of four and operands walk or repeat along it. */
static bool widen(struct vrs_ocl_dims *dims)
{
	int last = dims->count - 1;

	if (last < 0 || dims->size[last] % 4 != 0 || dims->step[0][last] > 1 || dims->step[1][last] > 1)
		return false;
	dims->size[last] /= 4;
	dims->step[0][last] *= 4;
	dims->step[1][last] *= 4;
	return true;
}

static enum vrs_status binary_dims(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	int64_t n = (int64_t)vrs_tensor_elements(tensor_of(plan, node->out));
	struct vrs_ocl_dims dims;

	vrs_ocl_dims_init(&dims, 2);
	vrs_ocl_dims_broadcast(&dims, plan, node->out, node->in);
	bool vector = widen(&dims);
	int last = dims.count - 1;

	vrs_ocl_step_begin(plan, node, "binary_dims");
	vrs_ocl_arg_tensor(plan, "a", node->in[0]);
	vrs_ocl_arg_tensor(plan, "b", node->in[1]);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	vrs_ocl_arg_dims(plan, "dims", &dims);
	vrs_ocl_arg_int(plan, vector ? n / 4 : n);
	vrs_ocl_define_int(plan, "VECTOR", vector);
	vrs_ocl_define_int(plan, "A_REPEATS", vector && dims.step[0][last] == 0);
	vrs_ocl_define_int(plan, "B_REPEATS", vector && dims.step[1][last] == 0);
	vrs_ocl_define_text(plan, "OP(a, b)", operators[node->u.binary.op]);
	vrs_ocl_epilogue(plan, node);
	return vrs_ocl_step_end_line(plan, vector ? n / 4 : n, err);
}

enum vrs_status vrs_ocl_lower_binary(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *a = tensor_of(plan, node->in[0]), *b = tensor_of(plan, node->in[1]);
	size_t n = vrs_tensor_elements(tensor_of(plan, node->out)), na = vrs_tensor_elements(a), nb = vrs_tensor_elements(b);

	if (!is_float(plan, node->in[0]) || !is_float(plan, node->in[1]) || !is_float(plan, node->out) || !operators[node->u.binary.op] ||
	    !vrs_ocl_has_act(node->act))
		return vrs_ocl_lower_binary_typed(plan, node, err);
	if ((na != n && na != 1) || (nb != n && nb != 1))
		return binary_dims(plan, node, err);
	vrs_ocl_step_begin(plan, node, "binary");
	vrs_ocl_arg_tensor(plan, "a", node->in[0]);
	vrs_ocl_arg_tensor(plan, "b", node->in[1]);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	vrs_ocl_arg_int(plan, (int64_t)n);
	vrs_ocl_define_int(plan, "A_STEP", na == n);
	vrs_ocl_define_int(plan, "B_STEP", nb == n);
	vrs_ocl_define_text(plan, "OP(a, b)", operators[node->u.binary.op]);
	vrs_ocl_epilogue(plan, node);
	return vrs_ocl_step_end_line(plan, (int64_t)(n + 3) / 4, err);
}
