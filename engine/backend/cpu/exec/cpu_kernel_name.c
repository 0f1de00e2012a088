/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/cpu/exec/cpu_kernel_name.h"

static const char *u8_kernel_name(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_kernels_u8 *kernels = &plan->kernels_u8;
	switch (op->kind) {
	case VRS_CPU_DWCONV: return kernels->dwconv_name;
	case VRS_CPU_RESIZE: return kernels->resize_name;
	case VRS_CPU_BINARY:
	case VRS_CPU_CONCAT: return kernels->eltwise_name;
	case VRS_CPU_POOL: return "max_pool_u8_rows__ref";
	case VRS_CPU_QUANTIZE: return "quantize";
	case VRS_CPU_DEQUANTIZE: return "dequantize";
	default: return kernels->conv_name;
	}
}

const char *vrs_cpu_kernel_name(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	if (op->u8)
		return u8_kernel_name(plan, op);
	switch (op->kind) {
	case VRS_CPU_CONV: return op->dot ? plan->kernels.conv_bf16_name : plan->kernels.conv_name;
	case VRS_CPU_DECONV: return plan->kernels.conv_name;
	case VRS_CPU_WINOGRAD:
		if (op->window.kernel_h == 5)
			return op->tile == 4 ? plan->kernels.winograd4_5_name : plan->kernels.winograd2_5_name;
		return op->tile == 4 ? plan->kernels.winograd4_name : plan->kernels.winograd2_name;
	case VRS_CPU_DWCONV: return plan->kernels.dwconv_name;
	case VRS_CPU_POOL: return plan->kernels.pool_name;
	case VRS_CPU_RESIZE: return plan->kernels.resize_name;
	case VRS_CPU_BINARY: return plan->kernels.eltwise_name;
	case VRS_CPU_UNARY: return plan->kernels.act_name;
	case VRS_CPU_GLOBAL_AVG: return "global_avg_f32";
	case VRS_CPU_SOFTMAX: return plan->kernels.softmax_name;
	case VRS_CPU_SLICE:
	case VRS_CPU_CONCAT: return "copy";
	case VRS_CPU_QUANTIZE: return "quantize";
	case VRS_CPU_DEQUANTIZE: return "dequantize";
	case VRS_CPU_LOAD: return plan->values[op->in[0]].half ? "widen" : "copy";
	case VRS_CPU_FLAT: return "whole_tensor";
	}
	return "";
}
