/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas: functions of one and two inputs that follow each other and end in one value, as the text of a kernel. */
#ifndef VRS_OPENCL_OCL_FORMULA_H
#define VRS_OPENCL_OCL_FORMULA_H

#include "opencl/ocl_plan.h"

#define VRS_OCL_FORMULA_INPUTS 8
#define VRS_OCL_FORMULA_NODES 8

/* Nodes that one kernel computes, the last one first, and the tensors that it reads: floats, as many as the last node makes, or one. */
struct vrs_ocl_formula {
	const struct vrs_node *nodes[VRS_OCL_FORMULA_NODES];
	int32_t inputs[VRS_OCL_FORMULA_INPUTS];
	int node_count, input_count;
};

struct vrs_ocl_text {
	char data[8192];
	size_t used;
};

/* Append as printf; there is always room for the formulas of a kernel. */
void vrs_ocl_text_put(struct vrs_ocl_text *text, const char *format, ...) VRS_PRINTF(2, 3);
/* A function of single floats that kernels know. */
bool vrs_ocl_is_elementwise(const struct vrs_ocl_plan *plan, const struct vrs_node *node);
/*
 * All that ends in `last` and fits in a kernel; nodes before their operands.  marked: take only nodes that a mark has (plan->node_done), else only
 * those without one.
 */
void vrs_ocl_formula_collect(const struct vrs_ocl_plan *plan, const struct vrs_node *last, bool marked, struct vrs_ocl_formula *ret_formula);
/* Declare t0, the result, and what it needs, as `type` from v0, v1, .. of the inputs; the defines OP_prefix_k and ACT_prefix_k go with it. */
void vrs_ocl_formula_put(struct vrs_ocl_plan *plan, const struct vrs_ocl_formula *formula, const char *type, int prefix, struct vrs_ocl_text *text);

#endif
