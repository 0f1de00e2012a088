/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/kernels_u8.h"

#include <string.h>

#include "machine/cpu_features.h"

#define TABLE(suffix, vector_lanes) \
	{ \
		.isa = #suffix, \
		.lanes = vector_lanes, \
		.conv = vrs_conv_u8_rows__##suffix, \
		.dwconv = vrs_dwconv_u8_rows__##suffix, \
		.quantize = vrs_quantize_u8_rows__##suffix, \
		.dequantize = vrs_dequantize_u8_rows__##suffix, \
		.eltwise = vrs_eltwise_u8_rows__##suffix, \
		.resize = vrs_resize_u8_rows__##suffix, \
		.row_sum = vrs_row_sum_u8__##suffix, \
		.max_pool = vrs_max_pool_u8_rows__ref, \
	}
static const struct vrs_kernels_u8 tables[] = {TABLE(ref, 8), TABLE(avx2, 8), TABLE(avx512vnni, 16)};

void vrs_kernels_u8_init(struct vrs_kernels_u8 *kernels, unsigned features)
{
	bool avx2 = strcmp(vrs_cpu_isa(features), "ref") != 0, vnni = avx2 && (features & VRS_CPU_AVX512) && (features & VRS_CPU_AVX512VNNI);
	*kernels = tables[vnni ? 2 : avx2];
}
