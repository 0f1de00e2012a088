/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The builder calls of ocl_plan.h: a step, its arguments and the defines of its kernel. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "opencl/ocl_values.h"

#define MAX_STEPS (1u << 20)

static struct vrs_ocl_step *current(struct vrs_ocl_plan *plan)
{
	return plan->status == VRS_OK ? &plan->steps[plan->step_count] : NULL;
}

void vrs_ocl_step_begin(struct vrs_ocl_plan *plan, const struct vrs_node *node, const char *template_name)
{
	plan->status = vrs_array_grow(&plan->steps, &plan->step_cap, (size_t)plan->step_count + 1, sizeof *plan->steps, MAX_STEPS);
	if (plan->status != VRS_OK)
		return;
	struct vrs_ocl_step *step = &plan->steps[plan->step_count];

	memset(step, 0, sizeof *step);
	step->node = (int32_t)(node - plan->graph.nodes);
	if (!vrs_strcpy(step->template_name, sizeof step->template_name, template_name))
		plan->status = VRS_EINTERNAL;
	memset(&plan->defines, 0, sizeof plan->defines);
}

static struct vrs_ocl_arg *add_arg(struct vrs_ocl_plan *plan, enum vrs_ocl_arg_kind kind)
{
	struct vrs_ocl_step *step = current(plan);

	if (step && step->arg_count == VRS_OCL_MAX_ARGS) {
		plan->status = VRS_ELIMIT;
		return NULL;
	}
	if (!step)
		return NULL;
	struct vrs_ocl_arg *arg = &step->args[step->arg_count++];

	*arg = (struct vrs_ocl_arg){.kind = kind, .value = -1};
	return arg;
}

/* The type of a value's elements in a kernel; unsigned integers of its size for what is only moved. */
static const char *type_name(enum vrs_dtype type, bool raw)
{
	static const char *const raws[] = {[1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "ulong"};
	static const char *const names[VRS_DTYPE_COUNT] = {
		[VRS_F32] = "float", [VRS_F16] = "half", [VRS_I32] = "int", [VRS_I64] = "long", [VRS_U8] = "uchar", [VRS_I8] = "char",
		[VRS_BOOL] = "uchar", [VRS_F64] = "double", [VRS_BF16] = "ushort", [VRS_I16] = "short", [VRS_U16] = "ushort", [VRS_U32] = "uint",
		[VRS_U64] = "ulong",
	};

	return raw ? raws[vrs_dtype_size(type)] : names[type];
}

static void define_access(struct vrs_ocl_plan *plan, const char *name, enum vrs_dtype type)
{
	static const char *const parts[] = {"LD", "LD4", "ST", "ST4"};
	static const char *const names[] = {"ld", "ld4", "st", "st4"};
	const char *suffix = type == VRS_F16 ? "f16" : "f32";
	char define[64];

	for (int i = 0; i < 4; i++) {
		(void)snprintf(define, sizeof define, "%s_%s", name, parts[i]);
		vrs_ocl_define(&plan->defines, define, "vrs_%s_%s", names[i], suffix);
	}
	(void)snprintf(define, sizeof define, "%s_HALF", name);
	vrs_ocl_define(&plan->defines, define, "%d", type == VRS_F16);
}

static void arg_value(struct vrs_ocl_plan *plan, const char *name, int32_t value, bool raw)
{
	char define[64];

	if (value < 0 && plan->status == VRS_OK)
		plan->status = value < -1 ? (enum vrs_status)value : VRS_EINTERNAL;
	struct vrs_ocl_arg *arg = add_arg(plan, VRS_OCL_ARG_VALUE);

	if (!arg)
		return;
	arg->value = value;
	enum vrs_dtype type = plan->values[value].type;

	(void)snprintf(define, sizeof define, "%s_T", name);
	vrs_ocl_define(&plan->defines, define, "%s", type_name(type, raw));
	if (!raw && (type == VRS_F32 || type == VRS_F16))
		define_access(plan, name, type);
}

void vrs_ocl_arg_value(struct vrs_ocl_plan *plan, const char *name, int32_t value)
{
	arg_value(plan, name, value, false);
}

void vrs_ocl_arg_tensor(struct vrs_ocl_plan *plan, const char *name, int32_t tensor)
{
	arg_value(plan, name, vrs_ocl_value_of(plan, tensor), false);
}

void vrs_ocl_arg_raw(struct vrs_ocl_plan *plan, const char *name, int32_t tensor)
{
	arg_value(plan, name, vrs_ocl_value_of(plan, tensor), true);
}

void vrs_ocl_arg_int(struct vrs_ocl_plan *plan, int64_t integer)
{
	struct vrs_ocl_arg *arg = add_arg(plan, VRS_OCL_ARG_INT);

	if (arg && (integer < INT32_MIN || integer > INT32_MAX))
		plan->status = VRS_ELIMIT;
	else if (arg)
		arg->integer = (int32_t)integer;
}

void vrs_ocl_arg_float(struct vrs_ocl_plan *plan, double real)
{
	struct vrs_ocl_arg *arg = add_arg(plan, VRS_OCL_ARG_FLOAT);

	if (arg)
		arg->real = (float)real;
}

void vrs_ocl_define_int(struct vrs_ocl_plan *plan, const char *name, int64_t value)
{
	vrs_ocl_define(&plan->defines, name, "%" PRId64, value);
}

void vrs_ocl_define_text(struct vrs_ocl_plan *plan, const char *name, const char *value)
{
	vrs_ocl_define(&plan->defines, name, "%s", value);
}

void vrs_ocl_epilogue(struct vrs_ocl_plan *plan, const struct vrs_node *node)
{
	static const char *const before[] = {"(v)", "((v) + r_LD(r, i))", "((v) + r_LD4(r, i))"};
	bool residual = node->residual >= 0, first = residual && node->residual_before;

	vrs_ocl_define_act(plan, "EPILOGUE_ACT(v)", node->act, node->act_lo, node->act_hi);
	if (residual)
		vrs_ocl_arg_tensor(plan, "r", node->residual);
	vrs_ocl_define_text(plan, "EPILOGUE_ARGS", residual ? ", __global const r_T *r" : "");
	vrs_ocl_define(&plan->defines, "EPILOGUE(v, i)", "(EPILOGUE_ACT(%s)%s)", before[first ? 1 : 0], residual && !first ? " + r_LD(r, i)" : "");
	vrs_ocl_define(&plan->defines, "EPILOGUE4(v, i)", "(EPILOGUE_ACT(%s)%s)", before[first ? 2 : 0], residual && !first ? " + r_LD4(r, i)" : "");
}

/* Work-items of whole groups. false: more than a size_t counts. */
static bool round_up(size_t *value, size_t to)
{
	size_t rest = to > 0 ? *value % to : 0;

	return rest == 0 || vrs_add_size(*value, to - rest, value);
}

enum vrs_status vrs_ocl_step_end(struct vrs_ocl_plan *plan, int dims, const size_t *global, const size_t *local, struct vrs_error *err)
{
	struct vrs_ocl_step *step = current(plan);
	bool nothing = false;

	if (!step)
		return plan->status == VRS_ENOMEM ? vrs_fail_nomem(err)
						  : vrs_fail(err, plan->status, "a tensor of the network is too large for an OpenCL device");
	step->dims = dims;
	for (int i = 0; i < dims; i++) {
		nothing = nothing || global[i] == 0;
		step->global[i] = global[i];
		step->local[i] = local ? local[i] : 0;
		if (!round_up(&step->global[i], step->local[i]) || step->global[i] > INT32_MAX)
			return vrs_fail(err, VRS_ELIMIT, "a tensor of the network is too large for an OpenCL device");
	}
	if (nothing)
		return VRS_OK; /* no elements: the step is left out */
	enum vrs_status status = vrs_ocl_source_add(&plan->source, step->template_name, &plan->defines, step->kernel, err);

	if (status == VRS_OK)
		plan->step_count++;
	return status;
}

enum vrs_status vrs_ocl_step_end_folded(struct vrs_ocl_plan *plan, int dim, const size_t global[3], const size_t local[3], struct vrs_error *err)
{
	size_t groups = (global[dim] + local[dim] - 1) / local[dim], folds = (groups + VRS_OCL_MOST_GROUPS - 1) / VRS_OCL_MOST_GROUPS;
	size_t folded[3] = {global[0], global[1], global[2]};

	while (dim == 2 && folds > 1 && groups % folds != 0)
		folds++;
	vrs_ocl_define_int(plan, "FOLDS", folds > 1 ? (int64_t)folds : 1);
	if (folds > 1) {
		if (!round_up(&folded[0], local[0]) || !vrs_mul_size(folded[0], folds, &folded[0]))
			return vrs_fail(err, VRS_ELIMIT, "a tensor of the network is too large for an OpenCL device");
		folded[dim] = (groups + folds - 1) / folds * local[dim];
	}
	return vrs_ocl_step_end(plan, 3, folded, local, err);
}
