/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_formula.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/assert.h"

static size_t elements_of(const struct vrs_ocl_plan *plan, int32_t tensor)
{
	return vrs_tensor_elements(&plan->graph.tensors[tensor]);
}

/* Floats, as many as the output has, or one. */
static bool is_operand(const struct vrs_ocl_plan *plan, int32_t tensor, size_t n)
{
	return plan->graph.tensors[tensor].dtype == VRS_F32 && (elements_of(plan, tensor) == n || elements_of(plan, tensor) == 1);
}

bool vrs_ocl_is_elementwise(const struct vrs_ocl_plan *plan, const struct vrs_node *node)
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

static int input_place(const struct vrs_ocl_formula *p, int32_t tensor)
{
	for (int i = 0; i < p->input_count; i++)
		if (p->inputs[i] == tensor)
			return i;
	return -1;
}

/* Put the node in the place of its result, an input of the program so far.  false: too many nodes or inputs, and nothing has changed. */
static bool take_node(struct vrs_ocl_formula *p, const struct vrs_node *node)
{
	struct vrs_ocl_formula more = *p;
	int32_t operands[3] = {-1, -1, -1};
	int count = operands_of(node, operands), place = input_place(p, node->out);

	if (more.node_count == VRS_OCL_FORMULA_NODES)
		return false;
	more.nodes[more.node_count++] = node;
	if (place >= 0)
		more.inputs[place] = more.inputs[--more.input_count];
	for (int i = 0; i < count; i++) {
		if (input_place(&more, operands[i]) >= 0)
			continue;
		if (more.input_count == VRS_OCL_FORMULA_INPUTS)
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

void vrs_ocl_formula_collect(const struct vrs_ocl_plan *plan, const struct vrs_node *last, bool marked, struct vrs_ocl_formula *p)
{
	size_t n = elements_of(plan, last->out);
	bool changed = true;

	*p = (struct vrs_ocl_formula){.node_count = 0};
	(void)take_node(p, last);
	while (changed) {
		changed = false;
		for (int i = 0; i < p->input_count && !changed; i++) {
			const struct vrs_node *node = producer_for(plan, p->inputs[i]);
			bool fits = node && plan->node_done[node - plan->graph.nodes] == marked && vrs_ocl_is_elementwise(plan, node) &&
				    elements_of(plan, node->out) == n;

			changed = fits && take_node(p, node);
		}
	}
}

void vrs_ocl_text_put(struct vrs_ocl_text *text, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text->data + text->used, sizeof text->data - text->used, format, args);
	va_end(args);
	VRS_ASSERT(length >= 0 && text->used + (size_t)length < sizeof text->data); /* the limits of formulas and pieces see to it */
	text->used += (size_t)length;
}

/* The variable of a tensor: v of an input, t of a node's result. */
static void put_variable(struct vrs_ocl_text *text, const struct vrs_ocl_formula *p, int32_t tensor)
{
	int place = input_place(p, tensor);

	for (int k = 0; place < 0 && k < p->node_count; k++)
		if (p->nodes[k]->out == tensor) {
			vrs_ocl_text_put(text, "t%d", k);
			return;
		}
	vrs_ocl_text_put(text, "v%d", place);
}

/* tk = op(..) [+ residual]; function; [+ residual], by the defines OP_prefix_k and ACT_prefix_k. */
static void put_node(struct vrs_ocl_plan *plan, struct vrs_ocl_text *text, const struct vrs_ocl_formula *p, const char *type, int prefix, int k)
{
	const struct vrs_node *node = p->nodes[k];
	char name[32];

	vrs_ocl_text_put(text, "%s t%d = ", type, k);
	if (node->op == VRS_OP_BINARY) {
		(void)snprintf(name, sizeof name, "OP_%d_%d(a, b)", prefix, k);
		vrs_ocl_define_text(plan, name, vrs_ocl_operator(node->u.binary.op));
		vrs_ocl_text_put(text, "OP_%d_%d(", prefix, k);
		put_variable(text, p, node->in[0]);
		vrs_ocl_text_put(text, ", ");
		put_variable(text, p, node->in[1]);
		vrs_ocl_text_put(text, ")");
	} else {
		put_variable(text, p, node->in[0]);
	}
	for (int before = 1; before >= 0; before--) {
		if (node->residual >= 0 && node->residual_before == before) {
			vrs_ocl_text_put(text, "; t%d += ", k);
			put_variable(text, p, node->residual);
		}
		if (before && node->act != VRS_ACT_NONE) {
			(void)snprintf(name, sizeof name, "ACT_%d_%d(v)", prefix, k);
			vrs_ocl_define_act(plan, name, node->act, node->act_lo, node->act_hi);
			vrs_ocl_text_put(text, "; t%d = ACT_%d_%d(t%d)", k, prefix, k, k);
		}
	}
	vrs_ocl_text_put(text, "; ");
}

void vrs_ocl_formula_put(struct vrs_ocl_plan *plan, const struct vrs_ocl_formula *formula, const char *type, int prefix, struct vrs_ocl_text *text)
{
	for (int k = formula->node_count - 1; k >= 0; k--)
		put_node(plan, text, formula, type, prefix, k);
}
