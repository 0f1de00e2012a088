/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of one and two inputs that follow each other, such as the update of a recurrent unit, as one kernel (kernels/elementwise.cl). */
#include <stdarg.h>
#include <stdio.h>

#include "base/assert.h"
#include "opencl/ocl_fuse.h"
#include "opencl/ocl_maps.h"

#define MAX_INPUTS 8
#define MAX_NODES 8

/* Nodes that one kernel computes, the last one first, and the tensors that it reads. */
struct program {
	const struct vrs_node *nodes[MAX_NODES];
	int32_t inputs[MAX_INPUTS];
	int node_count, input_count;
};

static size_t elements_of(const struct vrs_ocl_plan *plan, int32_t tensor)
{
	return vrs_tensor_elements(&plan->graph.tensors[tensor]);
}

/* Floats, as many as the output has, or one. */
static bool is_operand(const struct vrs_ocl_plan *plan, int32_t tensor, size_t n)
{
	return plan->graph.tensors[tensor].dtype == VRS_F32 && (elements_of(plan, tensor) == n || elements_of(plan, tensor) == 1);
}

/* A function of single elements that the kernel knows. */
static bool is_elementwise(const struct vrs_ocl_plan *plan, const struct vrs_node *node)
{
	size_t n = elements_of(plan, node->out);
	bool known = node->op == VRS_OP_UNARY || (node->op == VRS_OP_BINARY && vrs_ocl_operator(node->u.binary.op));

	if (node->dead || !known || n == 0 || plan->graph.tensors[node->out].dtype != VRS_F32 || !vrs_ocl_has_act(node->act))
		return false;
	return is_operand(plan, node->in[0], n) && (node->op == VRS_OP_UNARY || is_operand(plan, node->in[1], n));
}

/* The tensors of a node, without repetition: up to three. */
static int operands_of(const struct vrs_node *node, int32_t operands[3])
{
	const int32_t all[3] = {node->in[0], node->op == VRS_OP_BINARY ? node->in[1] : -1, node->residual};
	int count = 0;

	for (int k = 0; k < 3; k++) {
		bool there = all[k] < 0;

		for (int i = 0; i < count; i++)
			there = there || operands[i] == all[k];
		if (!there)
			operands[count++] = all[k];
	}
	return count;
}

static int input_place(const struct program *p, int32_t tensor)
{
	for (int i = 0; i < p->input_count; i++)
		if (p->inputs[i] == tensor)
			return i;
	return -1;
}

/* Put the node in the place of its result, an input of the program so far.  false: too many nodes or inputs, and nothing has changed. */
static bool take_node(struct program *p, const struct vrs_node *node)
{
	struct program more = *p;
	int32_t operands[3];
	int count = operands_of(node, operands), place = input_place(p, node->out);

	if (more.node_count == MAX_NODES)
		return false;
	more.nodes[more.node_count++] = node;
	if (place >= 0)
		more.inputs[place] = more.inputs[--more.input_count];
	for (int i = 0; i < count; i++) {
		if (input_place(&more, operands[i]) >= 0)
			continue;
		if (more.input_count == MAX_INPUTS)
			return false;
		more.inputs[more.input_count++] = operands[i];
	}
	*p = more;
	return true;
}

/* The node whose result one node alone reads; NULL: none. */
static const struct vrs_node *producer_for(const struct vrs_ocl_plan *plan, int32_t tensor)
{
	int32_t id = plan->graph.tensors[tensor].producer;

	return id >= 0 && !plan->graph.nodes[id].dead && plan->only_reader[tensor] >= 0 ? &plan->graph.nodes[id] : NULL;
}

/*
 * All that ends in `last` and fits in a kernel; nodes before their operands.  marked: take only nodes that a mark has (the second time), else only
 * those without one.
 */
static void collect(const struct vrs_ocl_plan *plan, const struct vrs_node *last, bool marked, struct program *p)
{
	size_t n = elements_of(plan, last->out);
	bool changed = true;

	*p = (struct program){.node_count = 0};
	(void)take_node(p, last);
	while (changed) {
		changed = false;
		for (int i = 0; i < p->input_count && !changed; i++) {
			const struct vrs_node *node = producer_for(plan, p->inputs[i]);
			bool fits = node && plan->node_done[node - plan->graph.nodes] == marked && is_elementwise(plan, node) &&
				    elements_of(plan, node->out) == n;

			changed = fits && take_node(p, node);
		}
	}
}

void vrs_ocl_mark_elementwise(struct vrs_ocl_plan *plan)
{
	for (int32_t i = plan->graph.node_count - 1; i >= 0 && plan->fusion; i--) {
		struct program p;

		if (plan->node_done[i] || !is_elementwise(plan, &plan->graph.nodes[i]))
			continue;
		collect(plan, &plan->graph.nodes[i], false, &p);
		for (int k = 1; k < p.node_count; k++)
			plan->node_done[p.nodes[k] - plan->graph.nodes] = true;
	}
}

struct text {
	char data[2048];
	size_t used;
};

VRS_PRINTF(2, 3)
static void put(struct text *text, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text->data + text->used, sizeof text->data - text->used, format, args);
	va_end(args);
	VRS_ASSERT(length >= 0 && text->used + (size_t)length < sizeof text->data); /* MAX_NODES and MAX_INPUTS see to it */
	text->used += (size_t)length;
}

/* The variable of a tensor: v of an input, t of a node's result. */
static void put_variable(struct text *text, const struct program *p, int32_t tensor)
{
	int place = input_place(p, tensor);

	for (int k = 0; place < 0 && k < p->node_count; k++)
		if (p->nodes[k]->out == tensor) {
			put(text, "t%d", k);
			return;
		}
	put(text, "v%d", place);
}

/* tk = op(..) [+ residual]; function; [+ residual], by the defines OP_k and ACT_k. */
static void put_node(struct vrs_ocl_plan *plan, struct text *text, const struct program *p, int k)
{
	const struct vrs_node *node = p->nodes[k];
	char name[32];

	put(text, "V t%d = ", k);
	if (node->op == VRS_OP_BINARY) {
		(void)snprintf(name, sizeof name, "OP_%d(a, b)", k);
		vrs_ocl_define_text(plan, name, vrs_ocl_operator(node->u.binary.op));
		put(text, "OP_%d(", k);
		put_variable(text, p, node->in[0]);
		put(text, ", ");
		put_variable(text, p, node->in[1]);
		put(text, ")");
	} else {
		put_variable(text, p, node->in[0]);
	}
	for (int before = 1; before >= 0; before--) {
		if (node->residual >= 0 && node->residual_before == before) {
			put(text, "; t%d += ", k);
			put_variable(text, p, node->residual);
		}
		if (before && node->act != VRS_ACT_NONE) {
			(void)snprintf(name, sizeof name, "ACT_%d(v)", k);
			vrs_ocl_define_act(plan, name, node->act, node->act_lo, node->act_hi);
			put(text, "; t%d = ACT_%d(t%d)", k, k, k);
		}
	}
	put(text, "; ");
}

static void define_program(struct vrs_ocl_plan *plan, const struct program *p)
{
	struct text args = {.used = 0}, text = {.used = 0};

	for (int k = 0; k < p->input_count; k++) {
		char name[8];

		(void)snprintf(name, sizeof name, "x%d", k);
		vrs_ocl_arg_tensor(plan, name, p->inputs[k]);
		put(&args, "__global const x%d_T *x%d, ", k, k);
		put(&text, elements_of(plan, p->inputs[k]) == 1 ? "V v%d = (V)(x%d_LD(x%d, 0)); " : "V v%d = LDV(x%d, x%d, i); ", k, k, k);
	}
	for (int k = p->node_count - 1; k >= 0; k--)
		put_node(plan, &text, p, k);
	vrs_ocl_define_text(plan, "ARGS", args.data);
	vrs_ocl_define_text(plan, "PROGRAM", text.data);
	vrs_ocl_define_text(plan, "RESULT", "t0");
}

enum vrs_status vrs_ocl_fuse_elementwise(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	struct program p = {.node_count = 0};
	size_t n = elements_of(plan, node->out);

	if (plan->fusion && is_elementwise(plan, node))
		collect(plan, node, true, &p);
	if (p.node_count < 2)
		return VRS_EUNSUPPORTED;
	vrs_ocl_step_begin(plan, node, "elementwise");
	define_program(plan, &p);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	n /= (size_t)vrs_ocl_map_vector(plan, (int64_t)n);
	vrs_ocl_arg_int(plan, (int64_t)n);
	return vrs_ocl_map_end(plan, n, err);
}
