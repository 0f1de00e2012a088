/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/type_rules.h"

#include "graph/eval.h"

static enum vrs_status refuse(const struct vrs_graph *graph, const struct vrs_node *node, int k, struct vrs_error *err)
{
	const struct vrs_graph_tensor *in = &graph->tensors[node->in[k]];

	return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "input %d (%.60s) is %s, which this operator does not take here", k, in->name,
			     vrs_dtype_name(in->dtype));
}

static enum vrs_dtype type_of(const struct vrs_graph *graph, const struct vrs_node *node, int k)
{
	return graph->tensors[node->in[k]].dtype;
}

static bool is_index(enum vrs_dtype dtype)
{
	return dtype == VRS_I32 || dtype == VRS_I64;
}

static enum vrs_status check_binary(const struct vrs_graph *graph, const struct vrs_node *node, struct vrs_error *err)
{
	enum vrs_binary op = node->u.binary.op;
	enum vrs_dtype a = type_of(graph, node, 0), b = type_of(graph, node, 1);

	if (a != b && !(op == VRS_POW && b != VRS_BOOL))
		return refuse(graph, node, 1, err);
	if (op == VRS_AND || op == VRS_OR || op == VRS_XOR)
		return a == VRS_BOOL ? VRS_OK : refuse(graph, node, 0, err);
	return a != VRS_BOOL || op == VRS_EQUAL ? VRS_OK : refuse(graph, node, 0, err);
}

static enum vrs_status check_unary(const struct vrs_graph *graph, const struct vrs_node *node, struct vrs_error *err)
{
	enum vrs_dtype x = type_of(graph, node, 0);

	switch (node->act) {
	case VRS_ACT_NONE: return VRS_OK;
	case VRS_ACT_NOT: return x == VRS_BOOL ? VRS_OK : refuse(graph, node, 0, err);
	case VRS_ACT_ABS:
	case VRS_ACT_NEG:
	case VRS_ACT_SIGN: return x != VRS_BOOL ? VRS_OK : refuse(graph, node, 0, err);
	default: return vrs_dtype_is_float(x) ? VRS_OK : refuse(graph, node, 0, err);
	}
}

static enum vrs_status check_where(const struct vrs_graph *graph, const struct vrs_node *node, struct vrs_error *err)
{
	if (type_of(graph, node, 0) != VRS_BOOL)
		return refuse(graph, node, 0, err);
	return type_of(graph, node, 1) == type_of(graph, node, 2) ? VRS_OK : refuse(graph, node, 2, err);
}

/* All inputs from `first` on have the type of that one. */
static enum vrs_status check_same(const struct vrs_graph *graph, const struct vrs_node *node, int first, struct vrs_error *err)
{
	for (int k = first + 1; k < node->inputs; k++)
		if (type_of(graph, node, k) != type_of(graph, node, first))
			return refuse(graph, node, k, err);
	return VRS_OK;
}

/* Inputs from `first` on are indices or sizes. */
static enum vrs_status check_indices(const struct vrs_graph *graph, const struct vrs_node *node, int first, struct vrs_error *err)
{
	for (int k = first; k < node->inputs; k++)
		if (node->in[k] >= 0 && !is_index(type_of(graph, node, k)))
			return refuse(graph, node, k, err);
	return VRS_OK;
}

/* Epilogues work on F32. */
static enum vrs_status check_epilogue(const struct vrs_graph *graph, const struct vrs_node *node, struct vrs_error *err)
{
	bool extra = node->residual >= 0 || node->scale >= 0 || (node->op != VRS_OP_UNARY && node->act != VRS_ACT_NONE);

	if (!extra)
		return VRS_OK;
	if ((node->residual >= 0 && graph->tensors[node->residual].dtype != VRS_F32) ||
	    (node->scale >= 0 && graph->tensors[node->scale].dtype != VRS_F32) || vrs_node_dtype(graph, node) != VRS_F32)
		return VRS_NODE_FAIL(err, VRS_EUNSUPPORTED, graph, node, "its output or what is added to it is not %s", vrs_dtype_name(VRS_F32));
	return VRS_OK;
}

enum vrs_status vrs_node_check_types(const struct vrs_graph *graph, int32_t id, struct vrs_error *err)
{
	const struct vrs_node *node = &graph->nodes[id];

	VRS_TRY(check_epilogue(graph, node, err));
	switch (node->op) {
	case VRS_OP_BINARY: return check_binary(graph, node, err);
	case VRS_OP_UNARY: return check_unary(graph, node, err);
	case VRS_OP_WHERE: return check_where(graph, node, err);
	case VRS_OP_CONCAT: return check_same(graph, node, 0, err);
	case VRS_OP_PAD:
		return node->inputs <= 2 || node->in[2] < 0 || type_of(graph, node, 2) == type_of(graph, node, 0) ? VRS_OK : refuse(graph, node, 2, err);
	case VRS_OP_RANGE:
		VRS_TRY(check_same(graph, node, 0, err));
		return type_of(graph, node, 0) != VRS_BOOL ? VRS_OK : refuse(graph, node, 0, err);
	case VRS_OP_RESHAPE:
	case VRS_OP_SLICE:
	case VRS_OP_EXPAND:
	case VRS_OP_TILE:
	case VRS_OP_GATHER: return check_indices(graph, node, 1, err);
	case VRS_OP_REDUCE:
		VRS_TRY(check_indices(graph, node, 1, err));
		return type_of(graph, node, 0) != VRS_BOOL ? VRS_OK : refuse(graph, node, 0, err);
	case VRS_OP_ARG_REDUCE: return type_of(graph, node, 0) != VRS_BOOL ? VRS_OK : refuse(graph, node, 0, err);
	case VRS_OP_SOFTMAX: return type_of(graph, node, 0) == VRS_F32 ? VRS_OK : refuse(graph, node, 0, err);
	default: return VRS_OK; /* any type, or the rule of shapes looks at it */
	}
}

enum vrs_dtype vrs_node_dtype(const struct vrs_graph *graph, const struct vrs_node *node)
{
	switch (node->op) {
	case VRS_OP_CAST: return node->u.cast.to;
	case VRS_OP_SHAPE:
	case VRS_OP_POOL_INDEX:
	case VRS_OP_ARG_REDUCE: return VRS_I64;
	case VRS_OP_BINARY: return node->u.binary.op >= VRS_EQUAL ? VRS_BOOL : type_of(graph, node, 0);
	case VRS_OP_WHERE: return type_of(graph, node, 1);
	case VRS_OP_QUANTIZE: return node->inputs > 2 && node->in[2] >= 0 ? type_of(graph, node, 2) : node->u.quant.to;
	case VRS_OP_DEQUANTIZE: return type_of(graph, node, 1);
	default: return type_of(graph, node, 0);
	}
}
