/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/kernels.h"

#include <string.h>

#include <vrseg/log.h>

#include "machine/cpu_features.h"

#define TABLE(suffix, vector_lanes) \
	{ \
		.isa = #suffix, \
		.lanes = vector_lanes, \
		.conv = vrs_conv_f32_rows__##suffix, \
		.winograd = vrs_winograd_f32__##suffix, \
		.dwconv = vrs_dwconv_f32_rows__##suffix, \
		.deconv = vrs_deconv_f32_rows__##suffix, \
		.eltwise = vrs_eltwise_f32_rows__##suffix, \
		.act = vrs_act_f32_rows__##suffix, \
		.resize = vrs_resize_f32_rows__##suffix, \
		.pool = vrs_pool_f32_rows__##suffix, \
		.softmax = vrs_softmax_f32_rows__##suffix, \
		.reduce_line = vrs_reduce_f32_line__##suffix, \
		.reduce_lines = vrs_reduce_f32_lines__##suffix, \
		.arg_lines = vrs_arg_f32_lines__##suffix, \
		.arg_rows = vrs_arg_f32_rows__##suffix, \
		.reduce_rows = vrs_reduce_f32_rows__##suffix, \
		.norm_line = vrs_norm_f32_line__##suffix, \
		.norm_rows = vrs_norm_f32_rows__##suffix, \
		.blend = vrs_blend_f32_rows__##suffix, \
		.dot = vrs_dot_f32_rows__##suffix, \
		.product = vrs_product_f32_rows__##suffix, \
		.row_sum = vrs_row_sum_f32__##suffix, \
		.conv_scale = vrs_conv_scale_f32__##suffix, \
		.half_to_float = vrs_half_to_float__##suffix, \
		.float_to_half = vrs_float_to_half__##suffix, \
		.bf16_to_float = vrs_bf16_to_float__##suffix, \
		.float_to_bf16 = vrs_float_to_bf16__##suffix, \
	}
static const struct vrs_kernels tables[] = {TABLE(ref, 8), TABLE(avx2, 8), TABLE(avx512, 16)};

void vrs_kernels_init(struct vrs_kernels *kernels, unsigned features)
{
	const char *isa = vrs_cpu_isa(features);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (strcmp(tables[i].isa, isa) == 0)
			*kernels = tables[i];
	if (kernels->lanes == 16 && (features & VRS_CPU_AVX512BF16)) {
		kernels->conv_bf16 = vrs_conv_bf16_rows__avx512bf16;
		kernels->strip_input = vrs_strip_input_bf16__avx512bf16;
		kernels->strip_output = vrs_strip_output_f32__avx512bf16;
		kernels->float_to_bf16 = vrs_float_to_bf16__avx512bf16;
	}
	vrs_log_once("kernels", VRS_LOG_DEBUG, "kernels: %s%s", kernels->isa, kernels->conv_bf16 ? ", bfloat16" : "");
}
