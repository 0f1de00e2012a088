/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of one and two inputs that follow each other, such as the update of a recurrent unit, as one kernel (kernels/elementwise.cl). */
#include <stdio.h>

#include "opencl/ocl_formula.h"
#include "opencl/ocl_fuse.h"
#include "opencl/ocl_maps.h"

static size_t elements_of(const struct vrs_ocl_plan *plan, int32_t tensor)
{
	return vrs_tensor_elements(&plan->graph.tensors[tensor]);
}

void vrs_ocl_mark_elementwise(struct vrs_ocl_plan *plan)
{
	for (int32_t i = plan->graph.node_count - 1; i >= 0 && plan->fusion; i--) {
		struct vrs_ocl_formula p;

		if (plan->node_done[i] || !vrs_ocl_is_elementwise(plan, &plan->graph.nodes[i]))
			continue;
		vrs_ocl_formula_collect(plan, &plan->graph.nodes[i], false, &p);
		for (int k = 1; k < p.node_count; k++)
			plan->node_done[p.nodes[k] - plan->graph.nodes] = true;
	}
}

static void define_program(struct vrs_ocl_plan *plan, const struct vrs_ocl_formula *p)
{
	struct vrs_ocl_text args = {.used = 0}, text = {.used = 0};

	for (int k = 0; k < p->input_count; k++) {
		char name[8];

		(void)snprintf(name, sizeof name, "x%d", k);
		vrs_ocl_arg_tensor(plan, name, p->inputs[k]);
		vrs_ocl_text_put(&args, "__global const x%d_T *x%d, ", k, k);
		vrs_ocl_text_put(&text, elements_of(plan, p->inputs[k]) == 1 ? "V v%d = (V)(x%d_LD(x%d, 0)); " : "V v%d = LDV(x%d, x%d, i); ", k, k, k);
	}
	vrs_ocl_formula_put(plan, p, "V", 0, &text);
	vrs_ocl_define_text(plan, "ARGS", args.data);
	vrs_ocl_define_text(plan, "PROGRAM", text.data);
	vrs_ocl_define_text(plan, "RESULT", "t0");
}

enum vrs_status vrs_ocl_fuse_elementwise(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	struct vrs_ocl_formula p = {.node_count = 0};
	size_t n = elements_of(plan, node->out);

	if (plan->fusion && vrs_ocl_is_elementwise(plan, node))
		vrs_ocl_formula_collect(plan, node, true, &p);
	if (p.node_count < 2)
		return VRS_EUNSUPPORTED;
	vrs_ocl_step_begin(plan, node, "elementwise");
	define_program(plan, &p);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	n /= (size_t)vrs_ocl_map_vector(plan, (int64_t)n);
	vrs_ocl_arg_int(plan, (int64_t)n);
	return vrs_ocl_map_end(plan, n, err);
}
