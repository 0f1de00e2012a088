/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_vector.h"

#include <stdio.h>

#include "opencl/ocl_values.h"

void vrs_ocl_define_vector(struct vrs_ocl_plan *plan, int vector)
{
	vrs_ocl_define_int(plan, "VECTOR", vector);
	if (vector == 1) {
		vrs_ocl_define_text(plan, "VEC", "float");
		vrs_ocl_define_text(plan, "LOADV(p)", "(*(p))");
		vrs_ocl_define_text(plan, "STOREV(v, p)", "(*(p) = (v))");
		return;
	}
	vrs_ocl_define(&plan->defines, "VEC", "float%d", vector);
	vrs_ocl_define(&plan->defines, "LOADV(p)", "vload%d(0, p)", vector);
	vrs_ocl_define(&plan->defines, "STOREV(v, p)", "vstore%d(v, 0, p)", vector);
}

void vrs_ocl_define_vector_access(struct vrs_ocl_plan *plan, const char *name, int32_t value, int vector, bool aligned)
{
	char load[64], store[64];

	if (value < 0)
		return; /* the argument's own call has noted it */
	(void)snprintf(load, sizeof load, "%s_LDV(p, i)", name);
	(void)snprintf(store, sizeof store, "%s_STV(p, i, v)", name);
	if (vector == 1) {
		vrs_ocl_define(&plan->defines, load, "%s_LD(p, i)", name);
		vrs_ocl_define(&plan->defines, store, "%s_ST(p, i, v)", name);
	} else if (plan->values[value].type == VRS_F16) {
		vrs_ocl_define(&plan->defines, load, "vload%s_half%d(0, (p) + (i))", aligned ? "a" : "", vector);
		vrs_ocl_define(&plan->defines, store, "vstore%s_half%d_rte(v, 0, (p) + (i))", aligned ? "a" : "", vector);
	} else if (aligned) {
		vrs_ocl_define(&plan->defines, load, "(*(__global const float%d *)((p) + (i)))", vector);
		vrs_ocl_define(&plan->defines, store, "(*(__global float%d *)((p) + (i)) = (v))", vector);
	} else {
		vrs_ocl_define(&plan->defines, load, "vload%d(0, (p) + (i))", vector);
		vrs_ocl_define(&plan->defines, store, "vstore%d(v, 0, (p) + (i))", vector);
	}
}

void vrs_ocl_vector_epilogue(struct vrs_ocl_plan *plan, const struct vrs_node *node, int vector, bool aligned)
{
	bool residual = node->residual >= 0, first = residual && node->residual_before;

	vrs_ocl_epilogue(plan, node);
	if (residual)
		vrs_ocl_define_vector_access(plan, "r", vrs_ocl_value_of(plan, node->residual), vector, aligned);
	vrs_ocl_define(&plan->defines, "EPILOGUEV(v, i)", "(EPILOGUE_ACT(%s)%s)", first ? "((v) + r_LDV(r, i))" : "(v)",
		       residual && !first ? " + r_LDV(r, i)" : "");
}
