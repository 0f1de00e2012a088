/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the epilogue as OpenCL C, for float and float4 alike; vrs_act_apply (graph/ir_info.c) defines them.  A NaN stays one: fmax and fmin
 * would pass over it, and for clamp it is undefined.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "opencl/ocl_values.h"

#define MAX_EXPRESSION 512

#define SOFTPLUS "(log1p(exp(-fabs(v))) + fmax((v), 0.0f))"
#define NEGATIVE "fmin((v), 0.0f)"
#define UNLESS_NAN(expression) "(isnan(v) ? (v) : " expression ")"
#define POSITIVE UNLESS_NAN("fmax((v), 0.0f)")

/* LO and HI stand for the two parameters. */
static const char *const expressions[VRS_ACT_COUNT] = {
	[VRS_ACT_NONE] = "(v)",
	[VRS_ACT_RELU] = POSITIVE,
	[VRS_ACT_RELU6] = UNLESS_NAN("clamp((v), 0.0f, 6.0f)"),
	[VRS_ACT_CLIP] = UNLESS_NAN("fmin(fmax((v), LO), HI)"),
	[VRS_ACT_HSWISH] = "((v) * clamp((v) + 3.0f, 0.0f, 6.0f) * (1.0f / 6.0f))",
	[VRS_ACT_HSIGMOID] = UNLESS_NAN("clamp((v) * (1.0f / 6.0f) + 0.5f, 0.0f, 1.0f)"),
	[VRS_ACT_SIGMOID] = "(1.0f / (1.0f + exp(-(v))))",
	[VRS_ACT_TANH] = "tanh(v)",
	[VRS_ACT_LEAKY] = "(" POSITIVE " + LO * " NEGATIVE ")",
	[VRS_ACT_SILU] = "((v) / (1.0f + exp(-(v))))",
	[VRS_ACT_ELU] = "(" POSITIVE " + LO * expm1(" NEGATIVE "))",
	[VRS_ACT_SELU] = "(HI * (" POSITIVE " + LO * expm1(" NEGATIVE ")))",
	[VRS_ACT_GELU] = "((v) * 0.5f * (1.0f + erf((v) * M_SQRT1_2_F)))",
	[VRS_ACT_GELU_TANH] = "((v) * 0.5f * (1.0f + tanh(0.7978845608028654f * ((v) + 0.044715f * (v) * (v) * (v)))))",
	[VRS_ACT_SOFTPLUS] = SOFTPLUS,
	[VRS_ACT_MISH] = "((v) * tanh(" SOFTPLUS "))",
	[VRS_ACT_SOFTSIGN] = "((v) / (1.0f + fabs(v)))",
	[VRS_ACT_LINEAR] = "(LO * (v) + HI)",
	[VRS_ACT_ERF] = "erf(v)",
	[VRS_ACT_ABS] = "fabs(v)",
	[VRS_ACT_NEG] = "(-(v))",
	[VRS_ACT_SQRT] = "sqrt(v)",
	[VRS_ACT_EXP] = "exp(v)",
	[VRS_ACT_LOG] = "log(v)",
	[VRS_ACT_FLOOR] = "floor(v)",
	[VRS_ACT_CEIL] = "ceil(v)",
	[VRS_ACT_ROUND] = "rint(v)",
	[VRS_ACT_SIGN] = UNLESS_NAN("sign(v)"),
	[VRS_ACT_RECIPROCAL] = "(1.0f / (v))",
	[VRS_ACT_SIN] = "sin(v)",
	[VRS_ACT_COS] = "cos(v)",
};

/* A float in OpenCL C, exact: "0x1.8p+1f", "INFINITY", "NAN". Returns text. */
static const char *float_text(double value, char text[48])
{
	if (isnan(value))
		(void)snprintf(text, 48, "NAN");
	else if (isinf(value))
		(void)snprintf(text, 48, value > 0 ? "INFINITY" : "(-INFINITY)");
	else
		(void)snprintf(text, 48, "(%af)", (double)(float)value);
	return text;
}

bool vrs_ocl_has_act(enum vrs_act act)
{
	return (unsigned)act < VRS_ACT_COUNT && expressions[act] != NULL;
}

void vrs_ocl_define_act(struct vrs_ocl_plan *plan, const char *name, enum vrs_act act, float lo, float hi)
{
	char text[MAX_EXPRESSION], number[48];
	size_t used = 0;

	if (!vrs_ocl_has_act(act)) {
		plan->status = VRS_EINTERNAL;
		return;
	}
	for (const char *at = expressions[act]; *at; at++) {
		bool low = strncmp(at, "LO", 2) == 0;

		VRS_ASSERT(used + sizeof number < sizeof text); /* the longest expression has 150 characters */
		if (low || strncmp(at, "HI", 2) == 0) {
			(void)float_text((double)(low ? lo : hi), number);
			memcpy(text + used, number, strlen(number));
			used += strlen(number);
			at++;
		} else {
			text[used++] = *at;
		}
	}
	text[used] = '\0';
	vrs_ocl_define(&plan->defines, name, "%s", text);
}
