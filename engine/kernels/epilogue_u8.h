/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The epilogue of the u8 kernels for one element, in plain C: the definition that the vectors follow. */
#ifndef VRS_KERNELS_EPILOGUE_U8_H
#define VRS_KERNELS_EPILOGUE_U8_H

#include <math.h>

#include "kernels/kernels_u8.h"

static inline float vrs_clamp_scalar_u8(float x, float lo, float hi)
{
	x = x > lo ? x : lo;
	return x < hi ? x : hi;
}

static inline float vrs_act_scalar_u8(enum vrs_kernel_act act, float lo, float hi, float x)
{
	if (act == VRS_KACT_CLAMP)
		return vrs_clamp_scalar_u8(x, lo, hi);
	return act == VRS_KACT_HSWISH ? x * vrs_clamp_scalar_u8(x + 3.0f, 0.0f, 6.0f) : x;
}

/* factor multiplies the residual's scale and zero. */
static inline float vrs_epilogue_scalar_u8(const struct vrs_epilogue_u8 *e, float v, ptrdiff_t pixel, ptrdiff_t channel, const float *factor)
{
	float term = 0.0f;
	float f = factor ? factor[channel] : 1.0f;
	if (e->residual)
		term = fmaf((float)e->residual[pixel * e->residual_px + channel], e->residual_scale * f, e->residual_zero * f);
	if (e->residual && e->residual_before)
		v += term;
	v = vrs_act_scalar_u8(e->act, e->lo, e->hi, v);
	if (e->act == VRS_KACT_HSWISH)
		v = fmaf(v, e->out_scale, e->out_zero);
	return e->residual && !e->residual_before ? v + term : v;
}

/* Rounded to nearest even, 0..255. */
static inline uint8_t vrs_saturate_u8(float v)
{
	return v >= 255.0f ? 255 : v > 0.0f ? (uint8_t)lrintf(v) : 0;
}

#endif
