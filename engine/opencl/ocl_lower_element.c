/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators that make each element from the same place of their inputs: functions of one and of two. */
#include <string.h>

#include "opencl/ocl_lower.h"
#include "opencl/ocl_shapes.h"
#include "opencl/ocl_values.h"

#define GROUP 64     /* work-items */
#define BROADCAST 6  /* dims of kernels/binary_dims.cl */

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
		return VRS_EUNSUPPORTED;
	vrs_ocl_step_begin(plan, node, "unary");
	vrs_ocl_arg_tensor(plan, "x", node->in[0]);
	vrs_ocl_arg_tensor_out(plan, "y", node->out);
	vrs_ocl_arg_int(plan, (int64_t)n);
	vrs_ocl_define_act(plan, "ACT(v)", node->act, node->act_lo, node->act_hi);
	return vrs_ocl_step_end(plan, 1, (size_t[]){(n + 3) / 4}, (size_t[]){GROUP}, err);
}

/* The same elements under other dims: the same memory, or a copy where both names must have memory of their own. */
enum vrs_status vrs_ocl_lower_reshape(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	size_t n = vrs_tensor_elements(tensor_of(plan, node->out));
	bool real = is_float(plan, node->in[0]) && is_float(plan, node->out);

	if (vrs_ocl_value_alias(plan, node->out, node->in[0]))
		return VRS_OK;
	vrs_ocl_step_begin(plan, node, real ? "unary" : "copy_flat");
	if (real) {
		vrs_ocl_arg_tensor(plan, "x", node->in[0]);
		vrs_ocl_arg_tensor_out(plan, "y", node->out);
		vrs_ocl_define_act(plan, "ACT(v)", VRS_ACT_NONE, 0, 0);
	} else {
		vrs_ocl_arg_raw(plan, "x", node->in[0]);
		vrs_ocl_arg_raw_out(plan, "y", node->out);
	}
	vrs_ocl_arg_int(plan, (int64_t)n);
	return vrs_ocl_step_end(plan, 1, (size_t[]){real ? (n + 3) / 4 : n}, (size_t[]){GROUP}, err);
}

static const char *const operators[VRS_BINARY_COUNT] = {
	[VRS_ADD] = "((a) + (b))", [VRS_SUB] = "((a) - (b))", [VRS_MUL] = "((a) * (b))", [VRS_DIV] = "((a) / (b))", [VRS_MIN] = "fmin((a), (b))",
	[VRS_MAX] = "fmax((a), (b))", [VRS_POW] = "pow((a), (b))", [VRS_MOD] = "((a) - floor((a) / (b)) * (b))", [VRS_FMOD] = "fmod((a), (b))",
	[VRS_PRELU] = "(fmax((a), 0.0f) + fmin((a), 0.0f) * (b))",
};

/* Broadcasting by a table of dims. */
static enum vrs_status binary_dims(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	struct vrs_ocl_walk walk;
	int32_t table[3 * BROADCAST] = {0};
	size_t n = vrs_tensor_elements(tensor_of(plan, node->out));

	vrs_ocl_walk_init(&walk, tensor_of(plan, node->out));
	vrs_ocl_walk_add(&walk, tensor_of(plan, node->in[0]));
	vrs_ocl_walk_add(&walk, tensor_of(plan, node->in[1]));
	vrs_ocl_walk_merge(&walk);
	if (walk.rank > BROADCAST)
		return VRS_EUNSUPPORTED;
	for (int k = 0; k < walk.rank; k++) {
		table[3 * k] = (int32_t)walk.dims[k];
		table[3 * k + 1] = (int32_t)walk.step[0][k];
		table[3 * k + 2] = (int32_t)walk.step[1][k];
	}
	int32_t dims = vrs_ocl_weights_i32(plan, table, 3 * BROADCAST);

	vrs_ocl_step_begin(plan, node, "binary_dims");
	vrs_ocl_arg_tensor(plan, "a", node->in[0]);
	vrs_ocl_arg_tensor(plan, "b", node->in[1]);
	vrs_ocl_arg_tensor_out(plan, "y", node->out);
	vrs_ocl_arg_value(plan, "dims", dims);
	vrs_ocl_arg_int(plan, (int64_t)n);
	vrs_ocl_define_int(plan, "RANK", walk.rank);
	vrs_ocl_define_text(plan, "OP(a, b)", operators[node->u.binary.op]);
	vrs_ocl_epilogue(plan, node);
	return vrs_ocl_step_end(plan, 1, (size_t[]){n}, (size_t[]){GROUP}, err);
}

enum vrs_status vrs_ocl_lower_binary(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *a = tensor_of(plan, node->in[0]), *b = tensor_of(plan, node->in[1]);
	size_t n = vrs_tensor_elements(tensor_of(plan, node->out)), na = vrs_tensor_elements(a), nb = vrs_tensor_elements(b);

	if (!is_float(plan, node->in[0]) || !is_float(plan, node->in[1]) || !is_float(plan, node->out) || !operators[node->u.binary.op] ||
	    !vrs_ocl_has_act(node->act))
		return VRS_EUNSUPPORTED;
	if ((na != n && na != 1) || (nb != n && nb != 1))
		return binary_dims(plan, node, err);
	vrs_ocl_step_begin(plan, node, "binary");
	vrs_ocl_arg_tensor(plan, "a", node->in[0]);
	vrs_ocl_arg_tensor(plan, "b", node->in[1]);
	vrs_ocl_arg_tensor_out(plan, "y", node->out);
	vrs_ocl_arg_int(plan, (int64_t)n);
	vrs_ocl_define_int(plan, "A_STEP", na == n);
	vrs_ocl_define_int(plan, "B_STEP", nb == n);
	vrs_ocl_define_text(plan, "OP(a, b)", operators[node->u.binary.op]);
	vrs_ocl_epilogue(plan, node);
	return vrs_ocl_step_end(plan, 1, (size_t[]){(n + 3) / 4}, (size_t[]){GROUP}, err);
}
