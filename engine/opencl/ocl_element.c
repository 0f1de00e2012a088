/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_element.h"

#include <stdio.h>

#include "base/assert.h"
#include "graph/eval.h"
#include "graph/eval_rows.h"
#include "opencl/ocl_values.h"

#define LINE_GROUP 64

void vrs_ocl_dims_init(struct vrs_ocl_dims *dims, int operands)
{
	VRS_ASSERT(operands >= 1 && operands <= VRS_OCL_MAX_OPERANDS);
	*dims = (struct vrs_ocl_dims){.operands = operands};
}

/* Is the last dim one go of `size` steps of the dim that follows it? */
static bool continues(const struct vrs_ocl_dims *dims, int64_t size, const int64_t *steps)
{
	if (dims->count == 0)
		return false;
	for (int k = 0; k < dims->operands; k++)
		if (dims->step[k][dims->count - 1] != steps[k] * size)
			return false;
	return true;
}

void vrs_ocl_dims_add(struct vrs_ocl_dims *dims, int64_t size, const int64_t *steps)
{
	if (size == 1)
		return;
	bool merged = continues(dims, size, steps);
	int at = merged ? dims->count - 1 : dims->count++;

	VRS_ASSERT(at < VRS_OCL_MAX_DIMS);
	dims->size[at] = merged ? dims->size[at] * size : size;
	for (int k = 0; k < dims->operands; k++)
		dims->step[k][at] = steps[k];
}

void vrs_ocl_dims_broadcast(struct vrs_ocl_dims *dims, const struct vrs_ocl_plan *plan, int32_t out, const int32_t *tensors)
{
	const struct vrs_graph_tensor *y = &plan->graph.tensors[out];
	int64_t strides[VRS_OCL_MAX_OPERANDS][VRS_MAX_RANK] = {{0}}, steps[VRS_OCL_MAX_OPERANDS];

	for (int k = 0; k < dims->operands; k++) {
		const struct vrs_graph_tensor *x = &plan->graph.tensors[tensors[k]];
		int64_t *own = strides[k] + y->rank - x->rank;

		vrs_dense_strides(x, own);
		for (int i = 0; i < x->rank; i++)
			own[i] = x->dims[i] == 1 ? 0 : own[i];
	}
	for (int i = 0; i < y->rank; i++) {
		for (int k = 0; k < dims->operands; k++)
			steps[k] = strides[k][i];
		vrs_ocl_dims_add(dims, y->dims[i], steps);
	}
}

void vrs_ocl_arg_dims(struct vrs_ocl_plan *plan, const char *name, const struct vrs_ocl_dims *dims)
{
	int32_t table[VRS_OCL_MAX_DIMS * (1 + VRS_OCL_MAX_OPERANDS)] = {1};
	int row = 1 + dims->operands, rank = dims->count > 0 ? dims->count : 1;
	char define[64];

	for (int i = 0; i < dims->count; i++)
		for (int k = 0; k < row; k++) {
			int64_t value = k == 0 ? dims->size[i] : dims->step[k - 1][i];

			if (value < INT32_MIN || value > INT32_MAX)
				plan->status = plan->status == VRS_OK ? VRS_ELIMIT : plan->status;
			else
				table[(dims->count - 1 - i) * row + k] = (int32_t)value;
		}
	(void)snprintf(define, sizeof define, "%s_RANK", name);
	vrs_ocl_define_int(plan, define, rank);
	if (plan->status == VRS_OK)
		vrs_ocl_arg_value(plan, name, vrs_ocl_weights_i32(plan, table, (size_t)(rank * row)));
}

enum vrs_dtype vrs_ocl_stored_type(struct vrs_ocl_plan *plan, int32_t tensor)
{
	int32_t value = vrs_ocl_value_of(plan, tensor);

	return value >= 0 ? plan->values[value].type : plan->graph.tensors[tensor].dtype; /* a failure comes back when it becomes an argument */
}

const char *vrs_ocl_number_type(enum vrs_dtype type)
{
	if (type == VRS_F64)
		return "double";
	if (vrs_dtype_is_float(type))
		return "float";
	return type == VRS_U64 ? "ulong" : "long";
}

bool vrs_ocl_has_type(const struct vrs_ocl_plan *plan, enum vrs_dtype type)
{
	return type != VRS_F64 || plan->caps.fp64;
}

void vrs_ocl_define_get(struct vrs_ocl_plan *plan, const char *name, enum vrs_dtype type)
{
	char define[64], text[64];

	(void)snprintf(define, sizeof define, "%s_GET(p, i)", name);
	switch (type) {
	case VRS_F32:
	case VRS_F64: vrs_ocl_define_text(plan, define, "((p)[i])"); break;
	case VRS_F16: vrs_ocl_define_text(plan, define, "vrs_ld_f16(p, i)"); break;
	case VRS_BF16: vrs_ocl_define_text(plan, define, "as_float((uint)(p)[i] << 16)"); break;
	default:
		(void)snprintf(text, sizeof text, "((%s)(p)[i])", vrs_ocl_number_type(type));
		vrs_ocl_define_text(plan, define, text);
	}
}

static void define_put_integer(struct vrs_ocl_plan *plan, const char *define, enum vrs_dtype type, enum vrs_ocl_put put)
{
	static const char *const names[VRS_DTYPE_COUNT] = {
		[VRS_I32] = "int", [VRS_I64] = "long", [VRS_U8] = "uchar", [VRS_I8] = "char", [VRS_I16] = "short", [VRS_U16] = "ushort",
		[VRS_U32] = "uint", [VRS_U64] = "ulong",
	};
	char text[128];

	if (put == VRS_OCL_PUT_TRUNCATED)
		(void)snprintf(text, sizeof text, "((p)[i] = isnan(v) ? (%s)0 : convert_%s_sat_rtz(v))", names[type], names[type]);
	else
		(void)snprintf(text, sizeof text, put == VRS_OCL_PUT_SATURATED ? "((p)[i] = convert_%s_sat(v))" : "((p)[i] = (%s)(v))", names[type]);
	vrs_ocl_define_text(plan, define, text);
}

void vrs_ocl_define_put(struct vrs_ocl_plan *plan, const char *name, enum vrs_dtype type, enum vrs_ocl_put put)
{
	char define[64];

	(void)snprintf(define, sizeof define, "%s_PUT(p, i, v)", name);
	switch (type) {
	case VRS_F32: vrs_ocl_define_text(plan, define, "((p)[i] = (float)(v))"); break;
	case VRS_F64: vrs_ocl_define_text(plan, define, "((p)[i] = (double)(v))"); break;
	case VRS_F16: vrs_ocl_define_text(plan, define, "vrs_st_f16(p, i, (float)(v))"); break;
	case VRS_BF16: vrs_ocl_define_text(plan, define, "((p)[i] = vrs_to_bf16((float)(v)))"); break;
	case VRS_BOOL: vrs_ocl_define_text(plan, define, "((p)[i] = (v) != 0)"); break;
	default: define_put_integer(plan, define, type, put); break;
	}
}

int vrs_ocl_group_size(const struct vrs_ocl_plan *plan, int most)
{
	size_t room = plan->caps.max_group < plan->caps.max_items[0] ? plan->caps.max_group : plan->caps.max_items[0];
	int size = 1;

	while (size * 2 <= most && (size_t)size * 2 <= room && size < 256)
		size *= 2;
	return size;
}

enum vrs_status vrs_ocl_step_end_line(struct vrs_ocl_plan *plan, int64_t items, struct vrs_error *err)
{
	size_t global = (size_t)items, local = (size_t)vrs_ocl_group_size(plan, LINE_GROUP);

	return vrs_ocl_step_end(plan, 1, &global, &local, err);
}
