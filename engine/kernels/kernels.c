/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/kernels.h"

#include <vrseg/log.h>

#include "machine/cpu_features.h"

#define FILL(kernels, suffix, vector_lanes) \
	do { \
		(kernels)->isa = #suffix; \
		(kernels)->lanes = vector_lanes; \
		(kernels)->conv = vrs_conv_f32_rows__##suffix; \
		(kernels)->winograd = vrs_winograd_f32__##suffix; \
		(kernels)->dwconv = vrs_dwconv_f32_rows__##suffix; \
		(kernels)->eltwise = vrs_eltwise_f32_rows__##suffix; \
		(kernels)->act = vrs_act_f32_rows__##suffix; \
		(kernels)->resize = vrs_resize_f32_rows__##suffix; \
		(kernels)->pool = vrs_pool_f32_rows__##suffix; \
		(kernels)->softmax = vrs_softmax_f32_rows__##suffix; \
		(kernels)->row_sum = vrs_row_sum_f32__##suffix; \
		(kernels)->conv_scale = vrs_conv_scale_f32__##suffix; \
		(kernels)->half_to_float = vrs_half_to_float__##suffix; \
		(kernels)->float_to_half = vrs_float_to_half__##suffix; \
		(kernels)->bf16_to_float = vrs_bf16_to_float__##suffix; \
		(kernels)->float_to_bf16 = vrs_float_to_bf16__##suffix; \
		(kernels)->conv_name = "conv_f32_rows__" #suffix; \
		(kernels)->conv_bf16_name = ""; \
		(kernels)->winograd4_name = "winograd4_f32__" #suffix; \
		(kernels)->winograd2_name = "winograd2_f32__" #suffix; \
		(kernels)->winograd4_5_name = "winograd4_5x5_f32__" #suffix; \
		(kernels)->winograd2_5_name = "winograd2_5x5_f32__" #suffix; \
		(kernels)->dwconv_name = "dwconv_f32_rows__" #suffix; \
		(kernels)->eltwise_name = "eltwise_f32_rows__" #suffix; \
		(kernels)->act_name = "act_f32_rows__" #suffix; \
		(kernels)->resize_name = "resize_f32_rows__" #suffix; \
		(kernels)->pool_name = "pool_f32_rows__" #suffix; \
		(kernels)->softmax_name = "softmax_f32_rows__" #suffix; \
	} while (0)

static void fill_ref(struct vrs_kernels *kernels)
{
	FILL(kernels, ref, 8);
	kernels->conv_bf16 = NULL;
}

/* Overlays, in <isa> order; each also needs its CPU features. */
static void fill_avx2(struct vrs_kernels *kernels)
{
	FILL(kernels, avx2, 8);
}

static void fill_avx512(struct vrs_kernels *kernels)
{
	FILL(kernels, avx512, 16);
}

/* over avx512; isa stays "avx512" */
static void fill_avx512bf16(struct vrs_kernels *kernels)
{
	kernels->conv_bf16 = vrs_conv_bf16_rows__avx512bf16;
	kernels->float_to_bf16 = vrs_float_to_bf16__avx512bf16;
	kernels->conv_bf16_name = "conv_bf16_rows__avx512bf16";
}

void vrs_kernels_init(struct vrs_kernels *kernels, unsigned features)
{
	const unsigned avx2 = VRS_CPU_AVX2 | VRS_CPU_FMA | VRS_CPU_F16C;
	fill_ref(kernels);
	if ((features & avx2) == avx2)
		fill_avx2(kernels);
	if ((features & avx2) == avx2 && (features & VRS_CPU_AVX512)) {
		fill_avx512(kernels);
		if (features & VRS_CPU_AVX512BF16)
			fill_avx512bf16(kernels);
	}
	vrs_log_once("kernels", VRS_LOG_DEBUG, "kernels: %s, %s, %s, %s, %s, %s", kernels->conv_name, kernels->dwconv_name, kernels->eltwise_name,
		     kernels->act_name, kernels->resize_name, kernels->pool_name);
}
