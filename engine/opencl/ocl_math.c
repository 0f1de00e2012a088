/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_math.h"

#include <stdio.h>
#include <string.h>

#include "opencl/ocl_program.h"

static enum vrs_status fail_extension(const struct vrs_ocl_caps *caps, const char *what, const char *extension, const char *instead,
				      struct vrs_error *err)
{
	return vrs_fail(err, VRS_EUNSUPPORTED, "%s does not compute %s (its driver does not list %s): use %s", caps->name, what, extension, instead);
}

enum vrs_status vrs_ocl_math_check_options(const struct vrs_session_options *options, struct vrs_error *err)
{
	bool half = options->device_math == VRS_DEVICE_MATH_HALF, dot = options->device_math == VRS_DEVICE_MATH_DOT;
	bool bytes = options->precision == VRS_PRECISION_INT8 || options->precision == VRS_PRECISION_MIXED;
	const char *precision = vrs_precision_name(options->precision);

	if (bytes && !dot)
		return vrs_fail(err, VRS_EINVAL, "the OpenCL backend computes in fp32 or fp16, and in %s only with --device-math dot", precision);
	if (!bytes && options->precision != VRS_PRECISION_FP32 && options->precision != VRS_PRECISION_FP16)
		return vrs_fail(err, VRS_EINVAL, "the OpenCL backend computes in fp32 or fp16, not in %s", precision);
	if (half && options->precision != VRS_PRECISION_FP16)
		return vrs_fail(err, VRS_EINVAL, "--device-math half is for --precision fp16, not for %s", precision);
	if (dot && !bytes)
		return vrs_fail(err, VRS_EINVAL, "--device-math dot is for --precision int8 and mixed, not for %s", precision);
	return VRS_OK;
}

enum vrs_status vrs_ocl_math_check(const struct vrs_ocl_caps *caps, const struct vrs_session_options *options, struct vrs_error *err)
{
	enum vrs_status status = vrs_ocl_math_check_options(options, err);

	if (status != VRS_OK)
		return status;
	if (options->device_math == VRS_DEVICE_MATH_HALF && !caps->fp16_math)
		return fail_extension(caps, "in halves", "cl_khr_fp16", "--device-math float", err);
	if (options->device_math == VRS_DEVICE_MATH_DOT && !caps->int8_dot)
		return fail_extension(caps, "dot products of bytes", "cl_khr_integer_dot_product", "--precision fp16 or fp32", err);
	return VRS_OK;
}

enum vrs_status vrs_ocl_math_begin(struct vrs_ocl_plan *plan, enum vrs_device_math math)
{
	bool emulated = plan->caps.emulated, single = plan->half && plan->caps.is_cpu && (!plan->caps.fp16_math || emulated);
	enum vrs_status status = single ? vrs_ocl_source_include(&plan->source, "half_single") : VRS_OK;

	if (status != VRS_OK)
		return status;
	if (math == VRS_DEVICE_MATH_HALF)
		return vrs_ocl_source_include(&plan->source, emulated ? "math_half_emulated" : "math_half");
	return math == VRS_DEVICE_MATH_DOT ? vrs_ocl_source_include(&plan->source, emulated ? "math_dot_emulated" : "math_dot") : VRS_OK;
}

const char *vrs_ocl_math_build_options(const struct vrs_ocl_plan *plan)
{
	bool version_3 = strncmp(plan->caps.version, "OpenCL 3", strlen("OpenCL 3")) == 0;

	return plan->dot && !plan->caps.emulated && version_3 ? VRS_OCL_BUILD_OPTIONS_3 : VRS_OCL_BUILD_OPTIONS;
}

/* "half4", "float", ... */
static void define_type(struct vrs_ocl_plan *plan, const char *name, const char *type, int vector)
{
	if (vector == 1)
		vrs_ocl_define(&plan->defines, name, "%s", type);
	else
		vrs_ocl_define(&plan->defines, name, "%s%d", type, vector);
}

static void define_load(struct vrs_ocl_plan *plan, int vector)
{
	if (vector == 1)
		vrs_ocl_define_text(plan, "LOADMV(p)", "(*(p))");
	else
		vrs_ocl_define(&plan->defines, "LOADMV(p)", "vload%d(0, p)", vector);
}

/* One rounding to an operation: a fused one is named, others have nothing to be fused with. */
static void define_halves(struct vrs_ocl_plan *plan, int vector)
{
	if (plan->caps.emulated) {
		vrs_ocl_define(&plan->defines, "MULADD(a, f, sum)", "vrs_round_half%d((sum) + (a) * (f))", vector);
		vrs_ocl_define(&plan->defines, "MULTIPLY(f, a)", "vrs_round_half%d((f) * (a))", vector);
		vrs_ocl_define_text(plan, "MULTIPLY1(f, a)", "vrs_round_half1((f) * (a))");
		vrs_ocl_define_text(plan, "WIDEN(v)", "(v)");
		return;
	}
	vrs_ocl_define_text(plan, "MULADD(a, f, sum)", "fma((MULV)(a), f, sum)");
	vrs_ocl_define_text(plan, "MULTIPLY(f, a)", "((f) * (a))");
	vrs_ocl_define_text(plan, "MULTIPLY1(f, a)", "((f) * (a))");
	if (vector == 1)
		vrs_ocl_define_text(plan, "WIDEN(v)", "convert_float(v)");
	else
		vrs_ocl_define(&plan->defines, "WIDEN(v)", "convert_float%d(v)", vector);
}

void vrs_ocl_define_math(struct vrs_ocl_plan *plan, int vector, bool half)
{
	const char *type = half && !plan->caps.emulated ? "half" : "float";

	vrs_ocl_define_int(plan, "HALF_MATH", half);
	define_type(plan, "MUL_T", type, 1);
	define_type(plan, "MULV", type, vector);
	define_load(plan, vector);
	if (half) {
		vrs_ocl_define_int(plan, "HALF_RUN", VRS_OCL_HALF_RUN);
		define_halves(plan, vector);
		return;
	}
	vrs_ocl_define_text(plan, "MULADD(a, f, sum)", "((sum) + (a) * (f))");
	vrs_ocl_define_text(plan, "MULTIPLY(f, a)", "((f) * (a))");
	vrs_ocl_define_text(plan, "MULTIPLY1(f, a)", "((f) * (a))");
}

/* From floats in memory, or halves that were read as floats. */
static void define_rounded(struct vrs_ocl_plan *plan, const char *one, const char *many, const char *name, int vector)
{
	char round[32];

	if (plan->caps.emulated)
		(void)snprintf(round, sizeof round, "vrs_round_half%d", vector);
	else if (vector == 1)
		(void)snprintf(round, sizeof round, "convert_half_rte");
	else
		(void)snprintf(round, sizeof round, "convert_half%d_rte", vector);
	vrs_ocl_define(&plan->defines, one, "%s(%s_LD(p, i))", plan->caps.emulated ? "vrs_round_half1" : "convert_half_rte", name);
	vrs_ocl_define(&plan->defines, many, "%s(%s_LDV(p, i))", round, name);
}

void vrs_ocl_define_factor(struct vrs_ocl_plan *plan, const char *name, int32_t value, int vector, bool aligned, bool half)
{
	char one[64], many[64];

	if (value < 0)
		return; /* the argument's own call has noted it */
	bool halves = plan->values[value].type == VRS_F16;

	(void)snprintf(one, sizeof one, "%s_LDM(p, i)", name);
	(void)snprintf(many, sizeof many, "%s_LDMV(p, i)", name);
	if (!half || (halves && plan->caps.emulated)) {
		vrs_ocl_define(&plan->defines, one, "%s_LD(p, i)", name);
		vrs_ocl_define(&plan->defines, many, "%s_LDV(p, i)", name);
	} else if (!halves) {
		define_rounded(plan, one, many, name, vector);
	} else {
		vrs_ocl_define_text(plan, one, "((p)[i])");
		if (vector == 1)
			vrs_ocl_define_text(plan, many, "((p)[i])");
		else if (aligned)
			vrs_ocl_define(&plan->defines, many, "(*(__global const half%d *)((p) + (i)))", vector);
		else
			vrs_ocl_define(&plan->defines, many, "vload%d(0, (p) + (i))", vector);
	}
}
