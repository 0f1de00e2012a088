/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/cpu/exec/cpu_routines.h"

#include <stdio.h>
#include <string.h>

const struct vrs_cpu_routine_row vrs_cpu_routines[VRS_CPU_ROUTINES] = {
	[VRS_CPU_RUN_CONV] = {vrs_cpu_rows_conv, "conv_f32_rows__"},
	[VRS_CPU_RUN_CONV_BF16] = {vrs_cpu_rows_conv_bf16, "conv_bf16_rows__avx512bf16"},
	[VRS_CPU_RUN_STRIPS_BF16] = {vrs_cpu_rows_strips, "strips_bf16__avx512bf16"},
	[VRS_CPU_RUN_WINOGRAD] = {vrs_cpu_rows_wino, "winograd"},
	[VRS_CPU_RUN_DWCONV] = {vrs_cpu_rows_dwconv, "dwconv_f32_rows__"},
	[VRS_CPU_RUN_DWCONV_SPREAD] = {vrs_cpu_rows_dwconv_spread, "dwconv_f32_rows__"},
	[VRS_CPU_RUN_DECONV] = {vrs_cpu_rows_deconv, "conv_f32_rows__"},
	[VRS_CPU_RUN_DECONV_PHASES] = {vrs_cpu_rows_deconv_phases, "conv_f32_rows__"},
	[VRS_CPU_RUN_POOL] = {vrs_cpu_rows_pool, "pool_f32_rows__"},
	[VRS_CPU_RUN_GLOBAL_AVG] = {vrs_cpu_rows_global_avg, "global_avg_f32"},
	[VRS_CPU_RUN_RESIZE] = {vrs_cpu_rows_resize, "resize_f32_rows__"},
	[VRS_CPU_RUN_BINARY] = {vrs_cpu_rows_binary, "eltwise_f32_rows__"},
	[VRS_CPU_RUN_UNARY] = {vrs_cpu_rows_unary, "act_f32_rows__"},
	[VRS_CPU_RUN_SOFTMAX] = {vrs_cpu_rows_softmax, "softmax_f32_rows__"},
	[VRS_CPU_RUN_CONCAT] = {vrs_cpu_rows_concat, "copy"},
	[VRS_CPU_RUN_LOAD] = {vrs_cpu_rows_load, "copy"},
	[VRS_CPU_RUN_SLICE] = {vrs_cpu_rows_cut, "copy"},
	[VRS_CPU_RUN_FUNCTION] = {vrs_cpu_rows_function, "act_f32_rows__"},
	[VRS_CPU_RUN_ARITHMETIC] = {vrs_cpu_rows_arithmetic, "eltwise_f32_rows__"},
	[VRS_CPU_RUN_U8_CONV] = {vrs_cpu_u8_rows_conv, "conv_u8_rows__"},
	[VRS_CPU_RUN_U8_DWCONV] = {vrs_cpu_u8_rows_dwconv, "dwconv_u8_rows__"},
	[VRS_CPU_RUN_U8_RESIZE] = {vrs_cpu_u8_rows_resize, "resize_u8_rows__"},
	[VRS_CPU_RUN_U8_BINARY] = {vrs_cpu_u8_rows_binary, "eltwise_u8_rows__"},
	[VRS_CPU_RUN_U8_CONCAT] = {vrs_cpu_u8_rows_concat, "eltwise_u8_rows__"},
	[VRS_CPU_RUN_U8_POOL] = {vrs_cpu_u8_rows_pool, "max_pool_u8_rows__ref"},
	[VRS_CPU_RUN_QUANTIZE] = {vrs_cpu_u8_rows_quantize, "quantize"},
	[VRS_CPU_RUN_DEQUANTIZE] = {vrs_cpu_u8_rows_dequantize, "dequantize"},
	[VRS_CPU_RUN_RESIZE_TAPS] = {vrs_cpu_rows_resize_taps, "blend_f32_rows__"},
	[VRS_CPU_RUN_FLAT_COPY] = {vrs_cpu_flat_copy, "copy"},
	[VRS_CPU_RUN_FLAT_MOVE] = {vrs_cpu_flat, "copy"}, /* pieces of rows as the reference moves them */
	[VRS_CPU_RUN_FLAT_PAD] = {vrs_cpu_flat_pad, "copy"},
	[VRS_CPU_RUN_FLAT_TRANSPOSE] = {vrs_cpu_flat_transpose, "transpose"},
	[VRS_CPU_RUN_FLAT_MATMUL] = {vrs_cpu_flat_matmul, "conv_f32_rows__"},
	[VRS_CPU_RUN_FLAT_REDUCE] = {vrs_cpu_flat_reduce, "reduce_f32__"},
	[VRS_CPU_RUN_FLAT_ARG_REDUCE] = {vrs_cpu_flat_arg_reduce, "arg_f32__"},
	[VRS_CPU_RUN_FLAT_BINARY] = {vrs_cpu_flat_binary, "elements"},
	[VRS_CPU_RUN_FLAT_WHERE] = {vrs_cpu_flat_where, "elements"},
	[VRS_CPU_RUN_FLAT_NOT] = {vrs_cpu_flat_not, "elements"},
	[VRS_CPU_RUN_FLAT_CAST] = {vrs_cpu_flat_cast, "elements"},
	[VRS_CPU_RUN_FLAT_LAYER_NORM] = {vrs_cpu_flat_layer_norm, "norm_f32__"},
	[VRS_CPU_RUN_FLAT_INSTANCE_NORM] = {vrs_cpu_flat_instance_norm, "norm_f32__"},
	[VRS_CPU_RUN_FLAT_QUANT] = {vrs_cpu_flat_quant, "elements"},
	[VRS_CPU_RUN_FLAT_POOL] = {vrs_cpu_flat_pool, "pool_f32"},
	[VRS_CPU_RUN_FLAT] = {vrs_cpu_flat, "reference"},
};

void vrs_cpu_kernel_name(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, char *buf, size_t size)
{
	enum vrs_cpu_routine routine = op->u8 && op->kind == VRS_CPU_DECONV ? VRS_CPU_RUN_U8_CONV : op->routine;
	const char *name = vrs_cpu_routines[routine].name, *isa = op->u8 ? plan->kernels_u8.isa : plan->kernels.isa;
	if (routine == VRS_CPU_RUN_WINOGRAD)
		(void)snprintf(buf, size, "%s%d%s_f32__%s", name, op->tile, op->window.kernel_h == 5 ? "_5x5" : "", isa);
	else if (op->kind == VRS_CPU_LOAD && plan->values[op->in[0]].half)
		(void)snprintf(buf, size, "widen");
	else
		(void)snprintf(buf, size, "%s%s", name, name[strlen(name) - 1] == '_' ? isa : "");
}
