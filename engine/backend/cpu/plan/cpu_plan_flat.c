/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Operations on whole tensors: which routine makes a node that does not fit rows, its scratch memory, and into how many parts threads may cut it.
 * What has no routine runs on the code of the reference, in one part.
 */
#include "backend/cpu/plan/cpu_plan_flat.h"

#include "graph/eval.h"

#define MIN_ELEMENTS 8192       /* read and written: less is not worth the threads' meeting */
#define PARTS_A_THREAD 4
#define MAX_PRODUCT (1 << 16)   /* of a product's length: its packed columns lie in scratch memory */

static const struct vrs_graph_tensor *operand(const struct vrs_cpu_plan *plan, const struct vrs_node *node, int k)
{
	return &plan->graph.tensors[node->in[k]];
}

static bool has_floats(const struct vrs_cpu_plan *plan, const struct vrs_node *node)
{
	for (int k = 0; k < node->inputs; k++)
		if (node->in[k] >= 0 && operand(plan, node, k)->dtype != VRS_F32)
			return false;
	return true;
}

static enum vrs_cpu_routine binary_routine(const struct vrs_cpu_plan *plan, const struct vrs_node *node)
{
	enum vrs_dtype a = operand(plan, node, 0)->dtype, b = operand(plan, node, 1)->dtype, y = plan->graph.tensors[node->out].dtype;
	enum vrs_binary op = node->u.binary.op;
	bool compares = op >= VRS_EQUAL && op <= VRS_GREATER_EQUAL, combines = op >= VRS_AND && op <= VRS_XOR;
	if (a == VRS_F32 && b == VRS_F32)
		return y == VRS_F32 || (y == VRS_BOOL && compares) ? VRS_CPU_RUN_FLAT_BINARY : VRS_CPU_RUN_FLAT;
	if (a == VRS_BOOL || b == VRS_BOOL)
		return a == b && combines ? VRS_CPU_RUN_FLAT_BINARY : VRS_CPU_RUN_FLAT;
	bool usual = a == b && !vrs_dtype_is_float(a) && node->act == VRS_ACT_NONE && node->residual < 0;
	return usual && ((op <= VRS_MAX && y == a) || (compares && y == VRS_BOOL)) ? VRS_CPU_RUN_FLAT_BINARY : VRS_CPU_RUN_FLAT;
}

static enum vrs_cpu_routine matmul_routine(const struct vrs_cpu_plan *plan, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *a = operand(plan, node, 0);
	bool turned = node->u.matmul.transpose_a && a->rank > 1;
	return a->dims[a->rank - (turned ? 2 : 1)] <= MAX_PRODUCT ? VRS_CPU_RUN_FLAT_MATMUL : VRS_CPU_RUN_FLAT;
}

/* To or from 8 bits with scales of floats. */
static enum vrs_cpu_routine quant_routine(const struct vrs_cpu_plan *plan, const struct vrs_node *node)
{
	enum vrs_dtype x = operand(plan, node, 0)->dtype, y = plan->graph.tensors[node->out].dtype, bytes = node->op == VRS_OP_QUANTIZE ? y : x;
	bool floats = (node->op == VRS_OP_QUANTIZE ? x : y) == VRS_F32 && operand(plan, node, 1)->dtype == VRS_F32;
	return floats && (bytes == VRS_U8 || bytes == VRS_I8) ? VRS_CPU_RUN_FLAT_QUANT : VRS_CPU_RUN_FLAT;
}

static enum vrs_cpu_routine routine_of(const struct vrs_cpu_plan *plan, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *x = operand(plan, node, 0), *y = &plan->graph.tensors[node->out];
	bool floats = has_floats(plan, node) && y->dtype == VRS_F32;
	switch (node->op) {
	case VRS_OP_RESHAPE: return VRS_CPU_RUN_FLAT_COPY;
	case VRS_OP_CONCAT:
	case VRS_OP_SLICE:
	case VRS_OP_GATHER:
	case VRS_OP_EXPAND:
	case VRS_OP_TILE:
	case VRS_OP_SHAPE: return VRS_CPU_RUN_FLAT_MOVE;
	case VRS_OP_TRANSPOSE: return vrs_dtype_size(y->dtype) == sizeof(float) ? VRS_CPU_RUN_FLAT_TRANSPOSE : VRS_CPU_RUN_FLAT_MOVE;
	case VRS_OP_PAD: return y->rank > 0 ? VRS_CPU_RUN_FLAT_PAD : VRS_CPU_RUN_FLAT_COPY;
	case VRS_OP_WHERE: return VRS_CPU_RUN_FLAT_WHERE;
	case VRS_OP_CAST: return VRS_CPU_RUN_FLAT_CAST;
	case VRS_OP_BINARY: return binary_routine(plan, node);
	case VRS_OP_UNARY: return x->dtype == VRS_BOOL && node->act == VRS_ACT_NOT ? VRS_CPU_RUN_FLAT_NOT : VRS_CPU_RUN_FLAT;
	case VRS_OP_MATMUL: return floats ? matmul_routine(plan, node) : VRS_CPU_RUN_FLAT;
	case VRS_OP_REDUCE: return y->dtype == VRS_F32 && x->dtype == VRS_F32 ? VRS_CPU_RUN_FLAT_REDUCE : VRS_CPU_RUN_FLAT;
	case VRS_OP_ARG_REDUCE: return x->dtype == VRS_F32 ? VRS_CPU_RUN_FLAT_ARG_REDUCE : VRS_CPU_RUN_FLAT;
	case VRS_OP_LAYER_NORM: return floats ? VRS_CPU_RUN_FLAT_LAYER_NORM : VRS_CPU_RUN_FLAT;
	case VRS_OP_INSTANCE_NORM: return floats ? VRS_CPU_RUN_FLAT_INSTANCE_NORM : VRS_CPU_RUN_FLAT;
	case VRS_OP_QUANTIZE:
	case VRS_OP_DEQUANTIZE: return quant_routine(plan, node);
	case VRS_OP_POOL_AVG:
	case VRS_OP_POOL_INDEX: return x->dtype == VRS_F32 ? VRS_CPU_RUN_FLAT_POOL : VRS_CPU_RUN_FLAT;
	default: return VRS_CPU_RUN_FLAT;
	}
}

static size_t scratch_of(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *x = operand(plan, node, 0);
	bool turned = op->routine == VRS_CPU_RUN_FLAT_MATMUL && node->u.matmul.transpose_a && x->rank > 1;
	int64_t channels = x->rank > 0 ? x->dims[x->rank - 1] : 1;
	switch (op->routine) {
	case VRS_CPU_RUN_FLAT_MATMUL: /* packed columns; rows put right */
		return (size_t)x->dims[x->rank - (turned ? 2 : 1)] * (size_t)(VRS_CPU_MATMUL_COLUMNS + (turned ? VRS_CPU_MATMUL_ROWS : 0));
	case VRS_CPU_RUN_FLAT_REDUCE: return (size_t)VRS_CPU_REDUCE_COLUMNS * 4; /* a double and two floats each */
	case VRS_CPU_RUN_FLAT_POOL: return (size_t)channels;
	case VRS_CPU_RUN_FLAT_INSTANCE_NORM: /* a double and three floats each */
		return 5 * (size_t)vrs_cpu_norm_block(channels, node->u.norm.groups > 0 ? channels / node->u.norm.groups : 1);
	default: return 0;
	}
}

static int parts_of(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, const struct vrs_node *node)
{
	size_t elements = vrs_tensor_elements(&plan->graph.tensors[node->out]) + vrs_tensor_elements(operand(plan, node, 0));
	bool whole = op->routine == VRS_CPU_RUN_FLAT || op->routine == VRS_CPU_RUN_FLAT_MOVE;
	return whole || plan->threads == 1 || elements < MIN_ELEMENTS ? 1 : plan->threads * PARTS_A_THREAD;
}

void vrs_cpu_lower_flat(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op, const struct vrs_node *node)
{
	vrs_cpu_op_set_kind(op, VRS_CPU_FLAT);
	op->routine = vrs_node_reads_nothing(&plan->graph, node) ? VRS_CPU_RUN_FLAT : routine_of(plan, node);
	op->temp_count = scratch_of(plan, op, node);
	op->parts = parts_of(plan, op, node);
	plan->values[op->out].flat = true;
	for (int i = 0; i < op->inputs; i++)
		if (op->in[i] >= 0)
			plan->values[op->in[i]].flat = true;
	if (op->residual >= 0)
		plan->values[op->residual].flat = true;
}
