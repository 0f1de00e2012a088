/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which operations and values of a plan are 8 bits, and the conversions between.
 *
 * Layers with weights follow the calibration; operations that only move or combine values join in where all their inputs come from 8-bit
 * operations and some reader is one.  A value is u8 where its producer can make it so and a reader wants it so.  Tensors of one pixel stay float
 * (squeeze-excitation), unless their layer has many weights.
 */
#include "backend/cpu/plan/cpu_plan_u8.h"

#include "backend/cpu/plan/cpu_plan_reach.h"
#include "backend/cpu/plan/cpu_plan_steps.h"
#include "base/assert.h"
#include "base/mem.h"

#define MIN_WEIGHTS 32768 /* of a layer of one pixel */
#define WIDE 16           /* channels from which on kernels of bytes that go pixel by pixel are faster than those of floats */

#define MAX_PRODUCTS (INT32_MAX / (255 * 64)) /* of a sum in 32 bits: the weights of two neighbours add up to 128 at most (weight_pack_u8.h) */
#define MAX_ROW (INT32_MAX / 255) /* pixels of a row that is summed for an average */

struct quantizing {
	struct vrs_cpu_plan *plan;
	const struct vrs_calibration *calibration;
	const uint8_t *precision;
	bool *u8;          /* [operation] runs on u8 values */
	int *uses;         /* [value] operands of such operations that read it as u8 */
	int *first_reader, *readers; /* operations that have a value among their inputs: readers[first_reader[value]] to the next value's */
	int *dropped;      /* operations that no longer run on u8 values, whose neighbours are still to be looked at */
	int dropped_count;
	int *converted;    /* [value of the start] its copy in the other form; -1: none */
	struct vrs_cpu_op *ops;
	int count;
	size_t cap;
};

static bool moves_values(const struct vrs_cpu_op *op)
{
	return op->kind == VRS_CPU_RESIZE || op->kind == VRS_CPU_CONCAT || op->kind == VRS_CPU_POOL || op->kind == VRS_CPU_BINARY;
}

static bool same_rows(const struct vrs_cpu_value *a, const struct vrs_cpu_value *b)
{
	return a->images == b->images && a->height == b->height && a->width == b->width && a->channels == b->channels;
}

/* Do the products of an output fit a sum? Packed weights are padded: channels to quads, depthwise columns to pairs. */
static bool sum_fits(const struct vrs_cpu_op *op)
{
	int64_t height = op->window.kernel_h, width = op->window.kernel_w, channels = VRS_U8_CHANNELS(op->group_in);
	switch (op->kind) {
	case VRS_CPU_CONV: return channels * height * width <= MAX_PRODUCTS;
	case VRS_CPU_DECONV: return channels <= MAX_PRODUCTS;
	case VRS_CPU_DWCONV: return (height + 1) / 2 * 2 * width <= MAX_PRODUCTS;
	default: return true;
	}
}

bool vrs_cpu_op_may_be_u8(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	if (op->node < 0 || op->kind == VRS_CPU_FLAT || op->inputs < 1 || op->in[0] < 0)
		return false;
	const struct vrs_node *node = &plan->graph.nodes[op->node];
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	bool quads = in->channels % 4 == 0 && out->channels % 4 == 0, wide = quads && in->channels >= WIDE;
	bool whole = op->finish_act == VRS_KACT_NONE && (op->residual < 0 || op->fused_residual);
	if (in->constant || in->dtype != VRS_F32 || out->dtype != VRS_F32 || out->width > MAX_ROW || !sum_fits(op))
		return false;
	switch (op->kind) {
	case VRS_CPU_CONV:
		return op->groups == 1 && !vrs_node_is_depthwise(&plan->graph, node) && (op->residual < 0 || op->fused_residual) &&
		       ((int64_t)out->width * out->height > 1 || op->weights_count >= MIN_WEIGHTS) && vrs_quant_weights_are_ordinary(&plan->graph, node);
	case VRS_CPU_DWCONV: return wide && whole && (int64_t)out->width * out->height > 1 && vrs_quant_weights_are_ordinary(&plan->graph, node);
	case VRS_CPU_DECONV:
		return op->scale < 0 && op->groups == 1 && !vrs_cpu_deconv_overlaps(plan, op) && in->channels % 4 == 0 &&
		       vrs_quant_weights_are_ordinary(&plan->graph, node);
	case VRS_CPU_RESIZE: return wide && whole && op->routine == VRS_CPU_RUN_RESIZE;
	case VRS_CPU_POOL: return quads && whole && node->op == VRS_OP_POOL_MAX;
	case VRS_CPU_BINARY:
		return quads && whole && op->residual < 0 && op->binary != VRS_KBIN_DIV && op->binary != VRS_KBIN_PRELU && op->inputs == 2 &&
		       same_rows(in, &plan->values[op->in[1]]) && same_rows(in, out) && !plan->values[op->in[1]].constant && out->width * out->height > 1;
	case VRS_CPU_CONCAT:
		for (int k = 0; k < op->inputs; k++)
			wide = wide && op->in[k] >= 0 && plan->values[op->in[k]].channels >= WIDE && plan->values[op->in[k]].channels % 4 == 0 &&
			       !plan->values[op->in[k]].constant;
		return wide && whole && out->width * out->height > 1;
	default: return false;
	}
}

static const struct vrs_quant_range *range_of(const struct quantizing *q, int value)
{
	static const struct vrs_quant_range unknown = {0, 0};
	int32_t tensor = q->plan->values[value].tensor;
	return tensor >= 0 ? &q->calibration->ranges[tensor] : &unknown;
}

static bool has_range(const struct quantizing *q, int value)
{
	return vrs_quant_range_is_usable(range_of(q, value));
}

/* Operands that an 8-bit operation reads as u8: all but the factors. */
static bool operand_is_u8(const struct vrs_cpu_op *op, int k)
{
	return k >= 0 ? op->in[k] >= 0 : op->residual >= 0 && op->fused_residual;
}

/* Add to the uses of an operation's operands. */
static void count_uses(struct quantizing *q, const struct vrs_cpu_op *op, int by)
{
	for (int k = -1; k < op->inputs; k++)
		if (operand_is_u8(op, k))
			q->uses[k < 0 ? op->residual : op->in[k]] += by;
}

static bool ranges_known(const struct quantizing *q, const struct vrs_cpu_op *op)
{
	bool known = op->kind == VRS_CPU_DECONV || op->kind == VRS_CPU_CONV || has_range(q, op->out);
	for (int k = -1; k < op->inputs; k++)
		if (operand_is_u8(op, k))
			known = known && has_range(q, k < 0 ? op->residual : op->in[k]);
	return known;
}

static bool stays(const struct quantizing *q, int i)
{
	const struct vrs_cpu_op *op = &q->plan->ops[i];
	if (!moves_values(op))
		return true;
	for (int k = 0; k < op->inputs; k++) {
		int producer = q->plan->values[op->in[k]].op;
		if (producer < 0 || !q->u8[producer])
			return false;
	}
	return q->uses[op->out] > 0;
}

static void drop_unless_it_stays(struct quantizing *q, int i)
{
	if (i < 0 || !q->u8[i] || stays(q, i))
		return;
	q->u8[i] = false;
	q->dropped[q->dropped_count++] = i;
}

/* Tables of who reads what. */
static enum vrs_status find_readers(struct quantizing *q)
{
	const struct vrs_cpu_plan *plan = q->plan;
	int total = 0;
	q->uses = vrs_calloc((size_t)plan->value_count + 1, sizeof *q->uses);
	q->first_reader = vrs_calloc((size_t)plan->value_count + 2, sizeof *q->first_reader);
	q->readers = vrs_calloc((size_t)plan->op_count * VRS_NODE_MAX_INPUTS + 1, sizeof *q->readers);
	q->dropped = vrs_calloc((size_t)plan->op_count + 1, sizeof *q->dropped);
	if (!q->uses || !q->first_reader || !q->readers || !q->dropped)
		return VRS_ENOMEM;
	int *end = q->first_reader + 1; /* of each value, counted first and filled up to */
	for (int i = 0; i < plan->op_count; i++)
		for (int k = 0; k < plan->ops[i].inputs; k++)
			if (plan->ops[i].in[k] >= 0)
				end[plan->ops[i].in[k]]++;
	for (int v = 0; v < plan->value_count; v++) {
		int count = end[v];
		end[v] = total;
		total += count;
	}
	for (int i = 0; i < plan->op_count; i++)
		for (int k = 0; k < plan->ops[i].inputs; k++)
			if (plan->ops[i].in[k] >= 0)
				q->readers[end[plan->ops[i].in[k]]++] = i;
	return VRS_OK;
}

/* From all that could be 8 bits, drop what does not pay, and then its neighbours: each operation once, each time with a look at those around it. */
static enum vrs_status choose_operations(struct quantizing *q)
{
	const struct vrs_cpu_plan *plan = q->plan;
	enum vrs_status status = find_readers(q);
	if (status != VRS_OK)
		return status;
	for (int i = 0; i < plan->op_count; i++) {
		const struct vrs_cpu_op *op = &plan->ops[i];
		q->u8[i] = vrs_cpu_op_may_be_u8(plan, op) && ranges_known(q, op) && (moves_values(op) || q->precision[op->node] == VRS_NODE_INT8);
		if (q->u8[i])
			count_uses(q, op, 1);
	}
	for (int i = 0; i < plan->op_count; i++)
		drop_unless_it_stays(q, i);
	while (q->dropped_count > 0) {
		const struct vrs_cpu_op *op = &plan->ops[q->dropped[--q->dropped_count]];
		count_uses(q, op, -1);
		for (int k = -1; k < op->inputs; k++)
			if (operand_is_u8(op, k))
				drop_unless_it_stays(q, plan->values[k < 0 ? op->residual : op->in[k]].op);
		for (int r = q->first_reader[op->out]; r < q->first_reader[op->out + 1]; r++)
			drop_unless_it_stays(q, q->readers[r]);
	}
	return VRS_OK;
}

static void set_scale(struct vrs_cpu_value *value, const struct vrs_quant_range *range)
{
	struct vrs_quant_step step = vrs_quant_step_of(range);
	value->dtype = VRS_U8;
	value->scale = step.scale;
	value->zero = step.zero;
	value->channels = VRS_U8_CHANNELS(value->channels);
}

/* Values whose producers make them u8. */
static void choose_values(struct quantizing *q)
{
	struct vrs_cpu_plan *plan = q->plan;
	for (int i = 0; i < plan->op_count; i++) {
		const struct vrs_cpu_op *op = &plan->ops[i];
		struct vrs_cpu_value *out = &plan->values[op->out];
		bool only = op->kind == VRS_CPU_DWCONV || moves_values(op); /* kernels that have no float result */
		bool possible = q->u8[i] && op->kind != VRS_CPU_DECONV && out->channels % 4 == 0 && op->finish_act == VRS_KACT_NONE && has_range(q, op->out);
		if (!possible || !(only || (q->uses[op->out] > 0 && !out->is_output)))
			continue;
		set_scale(out, range_of(q, op->out));
		if (op->kind == VRS_CPU_POOL) { /* the maximum of bytes has their scale; an input that is still to be converted gets it from the same range */
			const struct vrs_cpu_value *in = &plan->values[op->in[0]];
			if (vrs_cpu_value_is_u8(in)) {
				out->scale = in->scale;
				out->zero = in->zero;
			} else {
				set_scale(out, range_of(q, op->in[0]));
			}
		}
	}
}

static enum vrs_status append(struct quantizing *q, const struct vrs_cpu_op *op)
{
	return vrs_cpu_plan_add_op(q->plan, op, &q->ops, &q->count, &q->cap);
}

/* The operation that makes value `to` of value `from` in the other form. */
static enum vrs_status append_conversion(struct quantizing *q, int from, int to)
{
	bool up = vrs_cpu_value_is_u8(&q->plan->values[to]);
	return append(q, &(struct vrs_cpu_op){
		.kind = up ? VRS_CPU_QUANTIZE : VRS_CPU_DEQUANTIZE, .routine = up ? VRS_CPU_RUN_QUANTIZE : VRS_CPU_RUN_DEQUANTIZE, .node = -1, .region = -1,
		.inputs = 1, .in = {from}, .out = to, .residual = -1, .scale = -1, .groups = 1,
	});
}

/* A copy of a value in the other form, without an operation yet; id or negative status. */
static int add_copy(struct quantizing *q, int value)
{
	struct vrs_cpu_value copy = q->plan->values[value];
	const struct vrs_graph_tensor *tensor = copy.tensor >= 0 ? &q->plan->graph.tensors[copy.tensor] : NULL;
	bool u8 = vrs_cpu_value_is_u8(&copy);
	copy.tensor = -1;
	copy.is_input = copy.is_output = copy.flat = false;
	copy.constant = NULL;
	if (u8) {
		copy.dtype = VRS_F32;
		copy.scale = copy.zero = 0;
		copy.channels = tensor ? (int)tensor->dims[tensor->rank - 1] : copy.channels;
	} else {
		set_scale(&copy, range_of(q, value));
	}
	return vrs_cpu_plan_add_value(q->plan, &copy);
}

static enum vrs_status convert_operand(struct quantizing *q, int *operand, bool u8)
{
	if (*operand < 0 || q->plan->values[*operand].constant || vrs_cpu_value_is_u8(&q->plan->values[*operand]) == u8)
		return VRS_OK;
	int value = *operand;
	if (q->converted[value] < 0) {
		int copy = add_copy(q, value);
		if (copy < 0)
			return VRS_ENOMEM;
		q->converted[value] = copy;
		enum vrs_status status = append_conversion(q, value, copy);
		if (status != VRS_OK)
			return status;
	}
	*operand = q->converted[value];
	VRS_ASSERT(vrs_cpu_value_is_u8(&q->plan->values[*operand]) == u8);
	return VRS_OK;
}

static enum vrs_cpu_routine u8_routine(const struct vrs_cpu_op *op)
{
	switch (op->kind) {
	case VRS_CPU_CONV: return VRS_CPU_RUN_U8_CONV;
	case VRS_CPU_DWCONV: return VRS_CPU_RUN_U8_DWCONV;
	case VRS_CPU_RESIZE: return VRS_CPU_RUN_U8_RESIZE;
	case VRS_CPU_BINARY: return VRS_CPU_RUN_U8_BINARY;
	case VRS_CPU_CONCAT: return VRS_CPU_RUN_U8_CONCAT;
	case VRS_CPU_POOL: return VRS_CPU_RUN_U8_POOL;
	default: return op->routine; /* transposed: floats from the product on */
	}
}

/* An operation with its operands in the form that it reads, conversions in front of it. */
static enum vrs_status rebuild_op(struct quantizing *q, struct vrs_cpu_op op, bool u8)
{
	enum vrs_status status = VRS_OK;
	for (int k = 0; status == VRS_OK && k < op.inputs; k++) {
		bool sums = op.kind == VRS_CPU_GLOBAL_AVG && q->plan->values[op.in[k]].op >= 0; /* reads what the producer of either form leaves */
		if (!sums)
			status = convert_operand(q, &op.in[k], u8);
	}
	if (status == VRS_OK)
		status = convert_operand(q, &op.residual, u8 && op.fused_residual);
	if (status == VRS_OK)
		status = convert_operand(q, &op.scale, false);
	if (u8)
		op.routine = u8_routine(&op);
	/* An output of the graph stays a float value: what the kernel makes is another. */
	int out = op.out;
	if (status == VRS_OK && vrs_cpu_value_is_u8(&q->plan->values[out]) && q->plan->values[out].is_output) {
		struct vrs_cpu_value made = q->plan->values[out], *value = &q->plan->values[out];
		const struct vrs_graph_tensor *tensor = &q->plan->graph.tensors[made.tensor];
		made.tensor = -1;
		made.is_output = false;
		value->dtype = VRS_F32;
		value->scale = value->zero = 0;
		value->channels = (int)tensor->dims[tensor->rank - 1];
		op.out = vrs_cpu_plan_add_value(q->plan, &made);
		if (op.out < 0)
			return VRS_ENOMEM;
		q->converted[out] = op.out;
	}
	if (status == VRS_OK)
		status = append(q, &op);
	return status == VRS_OK && op.out != out ? append_conversion(q, op.out, out) : status;
}

static enum vrs_status pack_all(struct vrs_cpu_plan *plan, const bool *u8_of_node)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; status == VRS_OK && i < plan->op_count; i++) {
		struct vrs_cpu_op *op = &plan->ops[i];
		if (op->node >= 0 && !u8_of_node[op->node])
			continue;
		op->u8 = vrs_calloc(1, sizeof *op->u8);
		status = op->u8 ? vrs_cpu_u8_pack(plan, op) : VRS_ENOMEM;
	}
	return status;
}

/* The new list of operations; the old one's tables move with them. */
static enum vrs_status rebuild(struct quantizing *q, bool *u8_of_node)
{
	struct vrs_cpu_plan *plan = q->plan;
	enum vrs_status status = VRS_OK;
	for (int i = 0; status == VRS_OK && i < plan->op_count; i++) {
		if (plan->ops[i].node >= 0)
			u8_of_node[plan->ops[i].node] = q->u8[i];
		status = rebuild_op(q, plan->ops[i], q->u8[i]);
	}
	if (status != VRS_OK)
		return status;
	vrs_free(plan->ops);
	plan->ops = q->ops;
	plan->op_count = q->count;
	plan->op_cap = q->cap;
	q->ops = NULL;
	return pack_all(plan, u8_of_node);
}

enum vrs_status vrs_cpu_plan_quantize(struct vrs_cpu_plan *plan, const struct vrs_calibration *calibration, const uint8_t *precision,
				      struct vrs_error *err)
{
	struct quantizing q = {.plan = plan, .calibration = calibration, .precision = precision};
	VRS_ASSERT(calibration->tensor_count == plan->graph.tensor_count && calibration->node_count == plan->graph.node_count);
	q.u8 = vrs_calloc((size_t)plan->op_count + 1, sizeof *q.u8);
	q.converted = vrs_realloc_array(NULL, 2 * (size_t)plan->value_count + 1, sizeof *q.converted);
	bool *u8_of_node = vrs_calloc((size_t)plan->graph.node_count + 1, sizeof *u8_of_node);
	enum vrs_status status = q.u8 && q.converted && u8_of_node ? VRS_OK : VRS_ENOMEM;
	for (int i = 0; status == VRS_OK && i < 2 * plan->value_count + 1; i++)
		q.converted[i] = -1;
	if (status == VRS_OK)
		status = choose_operations(&q);
	if (status == VRS_OK) {
		choose_values(&q);
		status = rebuild(&q, u8_of_node);
	}
	vrs_free(q.ops);
	vrs_free(q.u8);
	vrs_free(q.uses);
	vrs_free(q.first_reader);
	vrs_free(q.readers);
	vrs_free(q.dropped);
	vrs_free(q.converted);
	vrs_free(u8_of_node);
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "out of memory while the network is planned for 8 bits");
}
