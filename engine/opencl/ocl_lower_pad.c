/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Padding and cropping of every kind, and gathering by indices, in units as in ocl_lower_move.c. */
#include <string.h>

#include "graph/eval.h"
#include "graph/eval_rows.h"
#include "opencl/ocl_element.h"
#include "opencl/ocl_lower.h"
#include "opencl/ocl_move.h"

/* Operands of the table of a padding, whose sizes are those of the output. */
enum { PAD_SIZE, PAD_BEFORE, PAD_STEP, PAD_OPERANDS };

static bool is_padded(const struct vrs_node *node, int dim)
{
	return node->u.pad.before[dim] != 0 || node->u.pad.after[dim] != 0;
}

/* Neighbours without padding are one dim. */
static void find_pad_dims(const struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_ocl_dims *dims)
{
	const struct vrs_graph_tensor *x = &plan->graph.tensors[node->in[0]], *y = &plan->graph.tensors[node->out];
	int64_t strides[VRS_MAX_RANK];
	bool open = false; /* the last dim has no padding */

	vrs_ocl_dims_init(dims, PAD_OPERANDS);
	vrs_dense_strides(x, strides);
	for (int i = 0; i < y->rank; i++) {
		bool merged = open && !is_padded(node, i);
		int at = merged ? dims->count - 1 : dims->count++;

		dims->size[at] = y->dims[i] * (merged ? dims->size[at] : 1);
		dims->step[PAD_SIZE][at] = x->dims[i] * (merged ? dims->step[PAD_SIZE][at] : 1);
		dims->step[PAD_BEFORE][at] = node->u.pad.before[i];
		dims->step[PAD_STEP][at] = strides[i];
		open = !is_padded(node, i);
	}
	if (dims->count == 0) /* a scalar */
		dims->size[dims->count++] = dims->step[PAD_SIZE][0] = 1;
}

/* In units of elements of the innermost dim, when it has no padding; their number. */
static int widen_pad(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_ocl_dims *dims)
{
	int64_t multiples[VRS_MAX_RANK];
	int last = dims->count - 1, count = 0;

	if (dims->size[last] != dims->step[PAD_SIZE][last] || dims->step[PAD_BEFORE][last] != 0)
		return 1;
	multiples[count++] = dims->size[last];
	int unit = vrs_ocl_unit(plan, node->in[0], node->out, multiples, count);

	dims->size[last] /= unit;
	dims->step[PAD_SIZE][last] /= unit;
	for (int i = 0; i < last; i++)
		dims->step[PAD_STEP][i] /= unit;
	return unit;
}

/* The fill value behind the other arguments, and what stores a unit of it. */
static void arg_fill(struct vrs_ocl_plan *plan, const struct vrs_node *node, int unit)
{
	enum vrs_dtype type = vrs_ocl_stored_type(plan, node->out), own = plan->graph.tensors[node->out].dtype;
	int size = (int)vrs_dtype_size(type);
	union { unsigned char bytes[8]; int32_t words[2]; } fill = {{0}};

	if (!vrs_ocl_moves_raw(plan, node->in[0], node->out)) {
		vrs_ocl_define_text(plan, "FILL_T", "float");
		vrs_ocl_define_text(plan, "FILL(y, i, low, high)", unit == 4 ? "y_ST4(y, (i) * 4, (float4)(low))" : "y_ST(y, i, low)");
		vrs_ocl_arg_float(plan, vrs_load_f64(own, node->u.pad.fill, 0));
		vrs_ocl_arg_float(plan, 0);
		return;
	}
	for (int i = 0; i < 8 / size; i++)
		if (type == own)
			memcpy(fill.bytes + i * size, node->u.pad.fill, (size_t)size);
		else
			vrs_store_f64(type, fill.bytes, (size_t)i, vrs_load_f64(own, node->u.pad.fill, 0));
	vrs_ocl_define_text(plan, "FILL_T", "uint");
	vrs_ocl_define_text(plan, "FILL(y, i, low, high)",
			    size * unit == 16  ? "((__global uint4 *)(y))[i] = (uint4)(low, high, low, high)"
			    : size * unit == 8 ? "((__global uint2 *)(y))[i] = (uint2)(low, high)"
					       : "((__global UNIT_T *)(y))[i] = (UNIT_T)(low)");
	vrs_ocl_arg_int(plan, fill.words[0]);
	vrs_ocl_arg_int(plan, fill.words[1]);
}

enum vrs_status vrs_ocl_lower_pad(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	struct vrs_ocl_dims dims;
	int64_t items = 1;

	if (vrs_tensor_elements(&plan->graph.tensors[node->out]) == 0)
		return VRS_OK;
	find_pad_dims(plan, node, &dims);
	int unit = widen_pad(plan, node, &dims);

	for (int i = 0; i < dims.count; i++)
		items *= dims.size[i];
	vrs_ocl_step_begin(plan, node, "pad");
	vrs_ocl_arg_move(plan, node->in[0], node->out);
	vrs_ocl_arg_dims(plan, "dims", &dims);
	vrs_ocl_arg_int(plan, items);
	arg_fill(plan, node, unit);
	vrs_ocl_define_unit(plan, node->in[0], node->out, unit);
	vrs_ocl_define_int(plan, "MODE", node->u.pad.mode);
	return vrs_ocl_step_end_line(plan, items, err);
}

enum vrs_status vrs_ocl_lower_gather(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	const struct vrs_graph_tensor *x = &plan->graph.tensors[node->in[0]];
	int64_t outer = 1, inner = 1, count = (int64_t)vrs_tensor_elements(&plan->graph.tensors[node->in[1]]);
	int axis = node->u.gather.axis;

	if (vrs_tensor_elements(&plan->graph.tensors[node->out]) == 0)
		return VRS_OK;
	for (int i = 0; i < axis; i++)
		outer *= x->dims[i];
	for (int i = axis + 1; i < x->rank; i++)
		inner *= x->dims[i];
	int unit = vrs_ocl_unit(plan, node->in[0], node->out, &inner, 1);
	int64_t items = outer * count * (inner / unit);

	vrs_ocl_step_begin(plan, node, "gather");
	vrs_ocl_arg_move(plan, node->in[0], node->out);
	vrs_ocl_arg_tensor(plan, "indices", node->in[1]);
	vrs_ocl_arg_int(plan, items);
	vrs_ocl_arg_int(plan, count);
	vrs_ocl_arg_int(plan, inner / unit);
	vrs_ocl_arg_int(plan, x->dims[axis]);
	vrs_ocl_define_unit(plan, node->in[0], node->out, unit);
	return vrs_ocl_step_end_line(plan, items, err);
}
