/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_lower.h"

#include "base/mem.h"
#include "opencl/ocl_fuse.h"
#include "opencl/ocl_values.h"

/* Operators without a row are computed on the host. */
static vrs_ocl_lower_fn *const table[VRS_OP_COUNT] = {
	[VRS_OP_CONV] = vrs_ocl_lower_conv,
	[VRS_OP_UNARY] = vrs_ocl_lower_unary,
	[VRS_OP_BINARY] = vrs_ocl_lower_binary,
	[VRS_OP_RESHAPE] = vrs_ocl_lower_reshape,
	[VRS_OP_CAST] = vrs_ocl_lower_cast,
	[VRS_OP_WHERE] = vrs_ocl_lower_where,
	[VRS_OP_QUANTIZE] = vrs_ocl_lower_quant,
	[VRS_OP_DEQUANTIZE] = vrs_ocl_lower_quant,
	[VRS_OP_CONCAT] = vrs_ocl_lower_concat,
	[VRS_OP_SLICE] = vrs_ocl_lower_slice,
	[VRS_OP_TRANSPOSE] = vrs_ocl_lower_transpose,
	[VRS_OP_EXPAND] = vrs_ocl_lower_expand,
	[VRS_OP_TILE] = vrs_ocl_lower_tile,
	[VRS_OP_PAD] = vrs_ocl_lower_pad,
	[VRS_OP_GATHER] = vrs_ocl_lower_gather,
	[VRS_OP_REDUCE] = vrs_ocl_lower_reduce,
	[VRS_OP_ARG_REDUCE] = vrs_ocl_lower_arg_reduce,
	[VRS_OP_SOFTMAX] = vrs_ocl_lower_softmax,
	[VRS_OP_MATMUL] = vrs_ocl_lower_matmul,
	[VRS_OP_DECONV] = vrs_ocl_lower_deconv,
	[VRS_OP_POOL_MAX] = vrs_ocl_lower_pool,
	[VRS_OP_POOL_AVG] = vrs_ocl_lower_pool,
	[VRS_OP_POOL_INDEX] = vrs_ocl_lower_pool,
	[VRS_OP_GLOBAL_AVG] = vrs_ocl_lower_global_avg,
	[VRS_OP_RESIZE] = vrs_ocl_lower_resize,
	[VRS_OP_LAYER_NORM] = vrs_ocl_lower_layer_norm,
	[VRS_OP_INSTANCE_NORM] = vrs_ocl_lower_instance_norm,
};

/* A step without a kernel: the executor fetches the operands and calls the reference. */
static enum vrs_status host_step(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	int32_t out = vrs_ocl_value_of(plan, node->out), residual = node->residual >= 0 ? vrs_ocl_value_of(plan, node->residual) : 0;
	int32_t scale = node->scale >= 0 ? vrs_ocl_value_of(plan, node->scale) : 0;

	if (out < 0 || residual < 0 || scale < 0)
		return vrs_fail_nomem(err);
	for (int k = 0; k < node->inputs; k++)
		if (node->in[k] >= 0 && !plan->graph.tensors[node->in[k]].data && vrs_ocl_value_of(plan, node->in[k]) < 0)
			return vrs_fail_nomem(err);
	if (vrs_array_grow(&plan->steps, &plan->step_cap, (size_t)plan->step_count + 1, sizeof *plan->steps, SIZE_MAX) != VRS_OK)
		return vrs_fail_nomem(err);
	plan->steps[plan->step_count++] = (struct vrs_ocl_step){.node = (int32_t)(node - plan->graph.nodes), .host = true};
	return VRS_OK;
}

enum vrs_status vrs_ocl_lower_now(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	enum vrs_status status = vrs_ocl_fuse_pieces(plan, node, err);

	if (status != VRS_EUNSUPPORTED)
		return status;
	VRS_TRY(vrs_ocl_settle(plan, node, err));
	status = vrs_ocl_fuse_se(plan, node, err);
	if (status == VRS_EUNSUPPORTED)
		status = vrs_ocl_fuse_chain(plan, node, err);
	if (status == VRS_EUNSUPPORTED)
		status = vrs_ocl_fuse_elementwise(plan, node, err);
	if (status == VRS_EUNSUPPORTED && table[node->op])
		status = table[node->op](plan, node, err);
	return status == VRS_EUNSUPPORTED ? host_step(plan, node, err) : status;
}

enum vrs_status vrs_ocl_lower(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	return vrs_ocl_defer(plan, node) ? VRS_OK : vrs_ocl_lower_now(plan, node, err);
}
