/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nodes to operations on rows, in depth-first order from the outputs, so that an operation stands as close before its reader as it can.  A tensor
 * without elements has no operation: every operation makes at least one row of one pixel of one channel, which all later steps and kernels rely on.
 */
#include "backend/cpu/plan/cpu_plan_steps.h"

#include <math.h>
#include <string.h>

#include "backend/cpu/plan/cpu_plan_conv.h"
#include "backend/cpu/plan/cpu_plan_deconv.h"
#include "backend/cpu/plan/cpu_plan_flat.h"
#include "backend/cpu/plan/cpu_plan_reach.h"
#include "base/assert.h"
#include "base/buf.h"
#include "base/mem.h"
#include "graph/eval.h"
#include "kernels/weight_pack.h"

#define MAX_SPREAD (1 << 20) /* floats of repeated rows */
#define MAX_ITEMS ((size_t)1 << 20)

struct lowering {
	struct vrs_cpu_plan *plan;
	int *value_of;   /* [tensor] */
	int *tile;       /* [node] m of a convolution by tiles of m x m; 0: others */
	int32_t *order;  /* nodes */
	int32_t ordered;
	struct vrs_error *err;
};

/* Dimensions right-aligned as [images][height][width][channels]. */
static void value_shape(struct vrs_cpu_value *value, const struct vrs_graph_tensor *tensor)
{
	int64_t dims[4] = {1, 1, 1, 1};
	for (int i = 0; i < tensor->rank; i++) {
		int to = 4 - tensor->rank + i;
		dims[to < 0 ? 0 : to] *= tensor->dims[i];
	}
	value->images = (int)dims[0];
	value->height = (int)dims[1];
	value->width = (int)dims[2];
	value->channels = (int)dims[3];
}

static int value_for(struct lowering *low, int32_t tensor)
{
	if (low->value_of[tensor] >= 0)
		return low->value_of[tensor];
	const struct vrs_graph_tensor *t = &low->plan->graph.tensors[tensor];
	struct vrs_cpu_value value = {
		.tensor = tensor, .dtype = t->dtype, .constant = t->data, .op = -1, .region = -1, .last_region = -1, .mem_item = -1, .sum_mem_item = -1,
	};
	value_shape(&value, t);
	low->value_of[tensor] = vrs_cpu_plan_add_value(low->plan, &value);
	return low->value_of[tensor];
}

/* Node operands in the order in which they should be computed: input 0 first, the residual last. */
static int32_t operand(const struct vrs_node *node, int i)
{
	if (i < node->inputs)
		return node->in[i];
	if (i == node->inputs)
		return node->scale;
	return i == node->inputs + 1 ? node->residual : -1;
}

static enum vrs_status order_nodes(struct lowering *low)
{
	const struct vrs_graph *graph = &low->plan->graph;
	size_t count = (size_t)graph->node_count;
	int32_t *stack = vrs_calloc(count + 1, sizeof *stack);
	int *next = vrs_calloc(count + 1, sizeof *next); /* next operand of each node; -1: done */
	if (!stack || !next) {
		vrs_free(stack);
		vrs_free(next);
		return vrs_cpu_plan_no_memory(low->err);
	}
	for (int32_t o = 0; o < graph->output_count; o++) {
		int32_t depth = 0, root = graph->tensors[graph->outputs[o]].producer;
		if (root >= 0 && next[root] == 0)
			stack[depth++] = root;
		while (depth > 0) {
			int32_t id = stack[depth - 1];
			const struct vrs_node *node = &graph->nodes[id];
			if (next[id] > node->inputs + 1) {
				VRS_ASSERT(low->ordered < graph->node_count);
				low->order[low->ordered++] = id;
				next[id] = -1;
				depth--;
				continue;
			}
			int32_t tensor = operand(node, next[id]++);
			int32_t producer = tensor >= 0 ? graph->tensors[tensor].producer : -1;
			if (producer >= 0 && next[producer] == 0)
				stack[depth++] = producer;
		}
	}
	vrs_free(stack);
	vrs_free(next);
	return VRS_OK;
}

static enum vrs_kernel_act kernel_act(const struct vrs_node *node, float *lo, float *hi)
{
	*lo = 0.0f;
	*hi = INFINITY;
	switch (node->act) {
	case VRS_ACT_NONE: return VRS_KACT_NONE;
	case VRS_ACT_RELU: return VRS_KACT_CLAMP;
	case VRS_ACT_RELU6: *hi = 6.0f; return VRS_KACT_CLAMP;
	case VRS_ACT_CLIP: *lo = node->act_lo; *hi = node->act_hi; return VRS_KACT_CLAMP;
	case VRS_ACT_HSWISH: return VRS_KACT_HSWISH;
	case VRS_ACT_HSIGMOID: return VRS_KACT_HSIGMOID;
	case VRS_ACT_SIGMOID: return VRS_KACT_SIGMOID;
	case VRS_ACT_TANH: return VRS_KACT_TANH;
	case VRS_ACT_LEAKY: *lo = node->act_lo; return VRS_KACT_LEAKY;
	case VRS_ACT_SILU: return VRS_KACT_SILU;
	default: break;
	}
	if (!vrs_cpu_act_has_kernel(node->act))
		return VRS_KACT_NONE; /* never asked for, see has_kernel */
	*lo = node->act_lo;
	*hi = node->act_hi;
	_Static_assert(VRS_KACT_RECIPROCAL - VRS_KACT_ELU == VRS_ACT_RECIPROCAL - VRS_ACT_ELU, "functions of rows stand in one order");
	return (enum vrs_kernel_act)(VRS_KACT_ELU + (node->act - VRS_ACT_ELU));
}

/* Split the node's epilogue into what the kernel does and what is done on its finished rows. */
static void lower_epilogue(struct vrs_cpu_op *op, const struct vrs_node *node, bool kernel_has_epilogue)
{
	enum vrs_kernel_act act = kernel_act(node, &op->lo, &op->hi);
	bool simple = act == VRS_KACT_NONE || act == VRS_KACT_CLAMP || act == VRS_KACT_HSWISH ||
		      (op->kind == VRS_CPU_WINOGRAD && act <= VRS_KACT_SILU);
	op->residual_before = node->residual_before;
	op->fused_act = kernel_has_epilogue && simple ? act : VRS_KACT_NONE;
	op->finish_act = kernel_has_epilogue && simple ? VRS_KACT_NONE : act;
	op->fused_residual = op->residual >= 0 && kernel_has_epilogue && (simple || node->residual_before);
}

/*
 * As phases, or one product with all taps of all output channels of a group, n = (ky * KW + kx) * Cout / groups + channel, then an overlapping sum.
 * Where each group has one channel only the sum: [KH][KW][Cout].
 */
static void lower_deconv(const struct vrs_cpu_plan *plan, struct vrs_cpu_op *op)
{
	const struct vrs_window *w = &op->window;
	int lanes = plan->kernels.lanes, taps = w->kernel_h * w->kernel_w, n = op->group_out * taps;
	vrs_cpu_op_set_kind(op, VRS_CPU_DECONV);
	if (vrs_cpu_lower_deconv_phases(plan, op))
		return;
	if (vrs_cpu_deconv_is_depthwise(op)) {
		op->weights_count = (size_t)op->groups * (size_t)taps;
		return;
	}
	op->weights_count = (size_t)op->groups * vrs_pack_size(n, op->group_in, lanes);
	op->bias_count = (size_t)op->groups * vrs_pack_size(n, 1, lanes);
	op->temp_rows = ((w->kernel_h - 1) * w->dilation_h + w->stride_h) / w->stride_h + 1;
	op->temp_px = (int)op->bias_count;
	op->temp_count = (size_t)op->temp_rows * (size_t)plan->values[op->in[0]].width * (size_t)op->temp_px;
	if (vrs_cpu_deconv_has_planes(plan, op)) {
		struct vrs_deconv_row row = vrs_cpu_deconv_row(plan, op);
		op->temp_count += vrs_deconv_scratch(&row);
	}
}

/*
 * Several outputs an input: rows in which each input is repeated once an output are those of an ordinary depthwise convolution.  A ring keeps the
 * rows of a window, with their zero columns.
 */
static bool lower_spread(const struct vrs_cpu_plan *plan, struct vrs_cpu_op *op, int out)
{
	const struct vrs_window *w = &op->window;
	int64_t columns = vrs_cpu_op_columns(plan, op), own = (int64_t)w->pad_left + plan->values[op->in[0]].width;
	double row = (double)(columns > own ? columns : own) * out;
	double rows = (double)(w->kernel_h - 1) * w->dilation_h + 1;
	if (rows * row > MAX_SPREAD)
		return false;
	vrs_cpu_op_set_kind(op, VRS_CPU_CONV);
	op->routine = VRS_CPU_RUN_DWCONV_SPREAD;
	op->weights_count = vrs_pack_size(out, 1 + w->kernel_h * w->kernel_w, plan->kernels.lanes);
	op->temp_rows = (int)rows;
	op->temp_px = (int)row;
	op->temp_count = (size_t)op->temp_rows * (size_t)op->temp_px;
	return true;
}

static void lower_conv(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op, const struct vrs_node *node)
{
	int in = plan->values[op->in[0]].channels, out = plan->values[op->out].channels;
	int lanes = plan->kernels.lanes, taps = op->window.kernel_h * op->window.kernel_w;
	bool depthwise = vrs_node_is_depthwise(&plan->graph, node);
	op->inputs = 1;
	op->groups = op->window.groups;
	op->group_in = in / op->groups;
	op->group_out = out / op->groups;
	if (depthwise && out == in && op->scale < 0) {
		vrs_cpu_op_set_kind(op, VRS_CPU_DWCONV);
		op->weights_count = vrs_pack_size(out, 1 + taps, lanes);
	} else if (depthwise && node->op == VRS_OP_CONV && op->scale < 0 && lower_spread(plan, op, out)) {
		return;
	} else if (node->op == VRS_OP_CONV) {
		vrs_cpu_op_set_kind(op, VRS_CPU_CONV);
		int together = op->scale < 0 ? vrs_cpu_groups_together(plan, op->groups, op->group_out) : 1;
		op->groups /= together;
		op->group_in *= together;
		op->group_out *= together;
		op->weights_count = (size_t)op->groups * vrs_pack_size(op->group_out, op->group_in * taps, lanes);
		op->bias_count = (size_t)op->groups * vrs_pack_size(op->group_out, 1, lanes);
	} else {
		lower_deconv(plan, op);
	}
	op->half_weights = vrs_cpu_weights_may_be_half(plan, op);
	op->prepared = op->half_weights || op->scale >= 0;
	if (vrs_cpu_conv_takes_bf16(plan, op))
		vrs_cpu_lower_bf16(plan, op);
}

/* Coordinates as the reference has them; positions outside are clamped to the border pixels. */
static enum vrs_status make_axis(struct vrs_cpu_axis *axis, const struct vrs_resize_axis *along, struct vrs_error *err)
{
	axis->index0 = vrs_calloc((size_t)along->out, sizeof *axis->index0);
	axis->index1 = vrs_calloc((size_t)along->out, sizeof *axis->index1);
	axis->weight = vrs_calloc((size_t)along->out, sizeof *axis->weight);
	if (!axis->index0 || !axis->index1 || !axis->weight)
		return vrs_cpu_plan_no_memory(err);
	for (int64_t i = 0; i < along->out; i++) {
		int64_t low, high;
		double weight;
		vrs_resize_pair(along, i, &low, &high, &weight);
		axis->index0[i] = (int)low;
		axis->index1[i] = (int)high;
		axis->weight[i] = (float)weight;
	}
	return VRS_OK;
}

/*
 * Any number of taps: each position has as many as the largest, the rest without weight.  Positions whose value comes from outside have none (a first
 * place of -1).  The range of an axis that may run backwards is all of it.
 */
static enum vrs_status make_taps(struct vrs_cpu_axis *axis, const struct vrs_resize_axis *along, struct vrs_error *err)
{
	bool ordered = along->resize->coord != VRS_COORD_TF_CROP_AND_RESIZE;
	size_t out = (size_t)along->out;
	axis->taps = 1;
	for (int64_t i = 0; i < along->out; i++) {
		int taps = vrs_resize_taps(along, i, NULL, NULL);
		axis->taps = taps > axis->taps ? taps : axis->taps;
	}
	size_t taps = (size_t)axis->taps;
	axis->index0 = vrs_calloc(out, sizeof *axis->index0);
	axis->index1 = vrs_calloc(out, sizeof *axis->index1);
	axis->places = vrs_realloc_array(NULL, out * taps, sizeof *axis->places);
	axis->weight = vrs_calloc(out * taps, sizeof *axis->weight);
	if (!axis->index0 || !axis->index1 || !axis->places || !axis->weight)
		return vrs_cpu_plan_no_memory(err);
	for (size_t i = 0; i < out; i++) {
		int32_t *places = axis->places + i * taps;
		int count = vrs_resize_taps(along, (int64_t)i, places, axis->weight + i * taps);
		for (size_t k = (size_t)count; k < taps; k++)
			places[k] = count > 0 ? places[count - 1] : -1;
		axis->index0[i] = ordered ? places[0] : 0;
		axis->index1[i] = ordered ? places[taps - 1] : (int32_t)along->in - 1;
	}
	return VRS_OK;
}

static enum vrs_status lower_resize(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	bool pair = vrs_resize_is_pair(&node->u.resize);
	vrs_cpu_op_set_kind(op, VRS_CPU_RESIZE);
	op->routine = pair ? VRS_CPU_RUN_RESIZE : VRS_CPU_RUN_RESIZE_TAPS;
	op->inputs = 1;
	op->temp_count = (size_t)in->width * (size_t)in->channels;
	struct vrs_resize_axis rows = {&node->u.resize, 0, in->height, out->height}, columns = {&node->u.resize, 1, in->width, out->width};
	enum vrs_status status = pair ? make_axis(&op->rows, &rows, err) : make_taps(&op->rows, &rows, err);
	if (status != VRS_OK)
		return status;
	return pair ? make_axis(&op->columns, &columns, err) : make_taps(&op->columns, &columns, err);
}

/* Rows of floats in, rows of floats out: images, height and width of every operand agree with the result's, or are repeated. */
static bool is_float_map(const struct vrs_graph *graph, const struct vrs_node *node)
{
	for (int k = 0; k < node->inputs; k++)
		if (node->in[k] < 0 || graph->tensors[node->in[k]].dtype != VRS_F32)
			return false;
	return graph->tensors[node->out].dtype == VRS_F32 && (node->op == VRS_OP_UNARY || graph->tensors[node->out].rank <= 4);
}

/* Forwards, of all images, in no more than four dims. */
static bool is_row_slice(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *x = &graph->tensors[node->in[0]], *y = &graph->tensors[node->out];
	if (node->op != VRS_OP_SLICE || x->dtype != VRS_F32 || x->rank > 4 || (x->rank == 4 && x->dims[0] != y->dims[0]))
		return false;
	for (int i = 0; i < x->rank; i++)
		if (node->u.slice.step[i] < 1)
			return false;
	return vrs_tensor_elements(y) > 0;
}

static bool has_binary_kernel(enum vrs_binary op)
{
	return op <= VRS_MAX || op == VRS_PRELU;
}

/* Functions of elements that plain C computes row by row; false: the node is none. */
static bool plain_routine(const struct vrs_graph *graph, const struct vrs_node *node, enum vrs_cpu_routine *ret_routine)
{
	if (node->residual >= 0 || !is_float_map(graph, node))
		return false;
	*ret_routine = node->op == VRS_OP_UNARY ? VRS_CPU_RUN_FUNCTION : VRS_CPU_RUN_ARITHMETIC;
	if (node->op == VRS_OP_UNARY)
		return !vrs_cpu_act_has_kernel(node->act);
	return node->op == VRS_OP_BINARY && !has_binary_kernel(node->u.binary.op) && node->act == VRS_ACT_NONE;
}

/*
 * Is there a row kernel for what the node does, on floats?  Not for reshapes, paddings, odd ranks, concatenations over other axes, nor where an
 * operand has no elements.
 */
static bool has_kernel(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_window *w = &node->u.window;
	if (vrs_node_reads_nothing(graph, node))
		return false;
	if (!vrs_cpu_act_has_kernel(node->act) || graph->tensors[node->out].dtype != VRS_F32 || graph->tensors[node->in[0]].dtype != VRS_F32)
		return false;
	switch (node->op) {
	case VRS_OP_CONV:
	case VRS_OP_DECONV: return graph->tensors[node->in[1]].data != NULL && (node->in[2] < 0 || graph->tensors[node->in[2]].data != NULL);
	case VRS_OP_BINARY: return has_binary_kernel(node->u.binary.op) && graph->tensors[node->out].rank <= 4;
	case VRS_OP_CONCAT: return graph->tensors[node->out].rank <= 4 && node->u.concat.axis == graph->tensors[node->out].rank - 1;
	case VRS_OP_PAD:
	case VRS_OP_RESHAPE: return false;
	case VRS_OP_POOL_AVG: return !(w->count_pad && w->ceil); /* the last window may count fewer places */
	default: return node->op <= VRS_OP_RESHAPE;
	}
}

static enum vrs_status lower_kind(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op, const struct vrs_node *node, struct vrs_error *err)
{
	if (is_row_slice(&plan->graph, node)) {
		vrs_cpu_op_set_kind(op, VRS_CPU_SLICE);
		op->inputs = 1;
		return VRS_OK;
	}
	enum vrs_cpu_routine plain;
	if (plain_routine(&plan->graph, node, &plain)) {
		op->kind = node->op == VRS_OP_UNARY ? VRS_CPU_UNARY : VRS_CPU_BINARY;
		op->routine = plain;
		return VRS_OK;
	}
	if (!has_kernel(&plan->graph, node)) {
		vrs_cpu_lower_flat(plan, op, node);
		return VRS_OK;
	}
	switch (node->op) {
	case VRS_OP_CONV:
	case VRS_OP_DECONV:
		op->window = node->u.window;
		if (op->tile == VRS_CPU_STRIPS)
			vrs_cpu_lower_strips(plan, op);
		else if (op->tile)
			vrs_cpu_lower_wino(plan, op, op->tile);
		else
			lower_conv(plan, op, node);
		return VRS_OK;
	case VRS_OP_POOL_MAX:
	case VRS_OP_POOL_AVG:
		vrs_cpu_op_set_kind(op, VRS_CPU_POOL);
		op->window = node->u.window;
		return VRS_OK;
	case VRS_OP_GLOBAL_AVG:
		vrs_cpu_op_set_kind(op, VRS_CPU_GLOBAL_AVG);
		op->temp_count = 2 * (size_t)plan->values[op->out].channels;
		return VRS_OK;
	case VRS_OP_RESIZE: return lower_resize(plan, op, node, err);
	case VRS_OP_BINARY:
		vrs_cpu_op_set_kind(op, VRS_CPU_BINARY);
		op->binary = node->u.binary.op == VRS_PRELU ? VRS_KBIN_PRELU : (enum vrs_kernel_binary)node->u.binary.op;
		return VRS_OK;
	case VRS_OP_UNARY:
		vrs_cpu_op_set_kind(op, VRS_CPU_UNARY);
		return VRS_OK;
	case VRS_OP_SOFTMAX:
		vrs_cpu_op_set_kind(op, VRS_CPU_SOFTMAX);
		return VRS_OK;
	case VRS_OP_CONCAT:
		vrs_cpu_op_set_kind(op, VRS_CPU_CONCAT);
		return VRS_OK;
	default: break;
	}
	return vrs_fail(err, VRS_EUNSUPPORTED, "the CPU backend cannot run operator %s", vrs_op_name(node->op));
}

static bool is_read_through(const struct lowering *low, const struct vrs_node *node)
{
	return low->plan->fusion && vrs_cpu_concat_is_read_through(low->plan, node, low->tile);
}

/* The node whose inputs are those of an operation: a convolution by tiles reads the parts of a concatenation. */
static const struct vrs_node *parts_of(const struct lowering *low, const struct vrs_node *node)
{
	const struct vrs_graph *graph = &low->plan->graph;
	int32_t producer = low->tile[node - graph->nodes] ? graph->tensors[node->in[0]].producer : -1;
	return producer >= 0 && is_read_through(low, &graph->nodes[producer]) ? &graph->nodes[producer] : node;
}

/* Operands of a node as values; weights and other constants that the operation packs stay out. */
static enum vrs_status lower_operands(struct lowering *low, struct vrs_cpu_op *op, const struct vrs_node *node)
{
	bool packed = (node->op == VRS_OP_CONV || node->op == VRS_OP_DECONV || node->op == VRS_OP_RESIZE) && has_kernel(&low->plan->graph, node);
	const struct vrs_node *inputs = parts_of(low, node);
	op->inputs = packed && inputs == node ? 1 : inputs->inputs;
	for (int i = 0; i < op->inputs; i++) {
		op->in[i] = inputs->in[i] >= 0 ? value_for(low, inputs->in[i]) : -1;
		if (op->in[i] < 0 && inputs->in[i] >= 0)
			return vrs_cpu_plan_no_memory(low->err);
	}
	op->out = value_for(low, node->out);
	op->residual = node->residual >= 0 ? value_for(low, node->residual) : -1;
	op->scale = node->scale >= 0 ? value_for(low, node->scale) : -1;
	if (op->out < 0 || (node->residual >= 0 && op->residual < 0) || (node->scale >= 0 && op->scale < 0))
		return vrs_cpu_plan_no_memory(low->err);
	return VRS_OK;
}

static enum vrs_status lower_node(struct lowering *low, int32_t id)
{
	struct vrs_cpu_plan *plan = low->plan;
	const struct vrs_node *node = &plan->graph.nodes[id];
	if (is_read_through(low, node) || vrs_tensor_elements(&plan->graph.tensors[node->out]) == 0)
		return VRS_OK;
	enum vrs_status status = vrs_array_grow(&plan->ops, &plan->op_cap, (size_t)plan->op_count + 1, sizeof *plan->ops, MAX_ITEMS);
	if (status != VRS_OK)
		return vrs_cpu_plan_no_memory(low->err);
	struct vrs_cpu_op *op = &plan->ops[plan->op_count];
	memset(op, 0, sizeof *op);
	op->node = id;
	op->region = -1;
	op->tile = low->tile[id];
	status = lower_operands(low, op, node);
	if (status != VRS_OK)
		return status;
	plan->op_count++; /* from here on plan_fini frees its tables */
	status = lower_kind(plan, op, node, low->err);
	if (status != VRS_OK)
		return status;
	bool epilogue = op->kind == VRS_CPU_CONV || op->kind == VRS_CPU_WINOGRAD || op->kind == VRS_CPU_DWCONV || op->kind == VRS_CPU_BINARY ||
		op->routine == VRS_CPU_RUN_RESIZE || op->routine == VRS_CPU_RUN_DECONV_PHASES;
	if (op->kind != VRS_CPU_FLAT && op->routine != VRS_CPU_RUN_FUNCTION && op->routine != VRS_CPU_RUN_ARITHMETIC)
		lower_epilogue(op, node, epilogue);
	if (op->kind == VRS_CPU_UNARY && op->residual < 0) {
		op->fused_act = op->finish_act;
		op->finish_act = VRS_KACT_NONE;
	}
	VRS_ASSERT(plan->values[op->out].op < 0); /* one operation makes a value */
	plan->values[op->out].op = plan->op_count - 1;
	return VRS_OK;
}

/* Whether Winograd tiles in float are faster than the product of 8 bits, which takes this share of the time of the direct one in float. */
static bool tiles_beat_int8(const struct vrs_cpu_plan *plan, const struct vrs_node *node)
{
	struct vrs_cpu_conv_candidate candidates[VRS_CPU_CONV_CANDIDATES];
	double share = plan->kernels_u8.lanes > 8 ? 0.3 : 0.5;
	int count = vrs_cpu_conv_candidates(plan, node, candidates);
	for (int i = 1; i < count; i++)
		if (candidates[i].cycles < 0.9 * share * candidates[0].cycles) /* the rest pays for conversions */
			return true;
	return false;
}

/* Layers of 8 bits are products without tiles; with int8 but no precisions yet (calibration) all are that gain. */
static bool is_int8(const struct vrs_cpu_plan *plan, int32_t node)
{
	return plan->int8 && (!plan->node_precision || plan->node_precision[node]) && !tiles_beat_int8(plan, &plan->graph.nodes[node]);
}

enum vrs_status vrs_cpu_plan_lower(struct vrs_cpu_plan *plan, struct vrs_error *err)
{
	const struct vrs_graph *graph = &plan->graph;
	struct lowering low = {.plan = plan, .err = err};
	low.value_of = vrs_calloc((size_t)graph->tensor_count + 1, sizeof *low.value_of);
	low.order = vrs_calloc((size_t)graph->node_count + 1, sizeof *low.order);
	low.tile = vrs_calloc((size_t)graph->node_count + 1, sizeof *low.tile);
	enum vrs_status status = low.value_of && low.order && low.tile ? VRS_OK : vrs_cpu_plan_no_memory(err);
	for (int32_t i = 0; status == VRS_OK && i < graph->node_count; i++)
		low.tile[i] = graph->nodes[i].dead || is_int8(plan, i) ? 0 : vrs_cpu_conv_choose(plan, &graph->nodes[i]);
	for (int32_t i = 0; status == VRS_OK && i < graph->tensor_count; i++)
		low.value_of[i] = -1;
	for (int32_t i = 0; status == VRS_OK && i < graph->input_count; i++) {
		int id = value_for(&low, graph->inputs[i]);
		if (id < 0)
			status = vrs_cpu_plan_no_memory(err);
		else
			plan->values[id].is_input = true;
	}
	if (status == VRS_OK)
		status = order_nodes(&low);
	for (int32_t i = 0; status == VRS_OK && i < low.ordered; i++)
		status = lower_node(&low, low.order[i]);
	for (int32_t i = 0; status == VRS_OK && i < graph->output_count; i++) {
		int id = value_for(&low, graph->outputs[i]);
		if (id < 0)
			status = vrs_cpu_plan_no_memory(err);
		else
			plan->values[id].is_output = true;
	}
	vrs_free(low.value_of);
	vrs_free(low.tile);
	vrs_free(low.order);
	return status;
}
