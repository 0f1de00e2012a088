/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/kernels_u8.h"

#include "machine/cpu_features.h"

#define FILL(kernels, suffix, vector_lanes) \
	do { \
		(kernels)->isa = #suffix; \
		(kernels)->lanes = vector_lanes; \
		(kernels)->conv = vrs_conv_u8_rows__##suffix; \
		(kernels)->dwconv = vrs_dwconv_u8_rows__##suffix; \
		(kernels)->quantize = vrs_quantize_u8_rows__##suffix; \
		(kernels)->dequantize = vrs_dequantize_u8_rows__##suffix; \
		(kernels)->eltwise = vrs_eltwise_u8_rows__##suffix; \
		(kernels)->resize = vrs_resize_u8_rows__##suffix; \
		(kernels)->row_sum = vrs_row_sum_u8__##suffix; \
		(kernels)->conv_name = "conv_u8_rows__" #suffix; \
		(kernels)->dwconv_name = "dwconv_u8_rows__" #suffix; \
		(kernels)->resize_name = "resize_u8_rows__" #suffix; \
		(kernels)->eltwise_name = "eltwise_u8_rows__" #suffix; \
	} while (0)

void vrs_kernels_u8_init(struct vrs_kernels_u8 *kernels, unsigned features)
{
	const unsigned avx2 = VRS_CPU_AVX2 | VRS_CPU_FMA | VRS_CPU_F16C, vnni = avx2 | VRS_CPU_AVX512 | VRS_CPU_AVX512VNNI;
	FILL(kernels, ref, 8);
	kernels->max_pool = vrs_max_pool_u8_rows__ref;
	kernels->lut = vrs_lut_u8__ref;
	if ((features & avx2) == avx2)
		FILL(kernels, avx2, 8);
	if ((features & vnni) == vnni)
		FILL(kernels, avx512vnni, 16);
}
