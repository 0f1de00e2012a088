/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * QUANTIZE 1: y[i] = saturate(round_half_even(x[i] / scale[k]) + zero[k]), 0: y[i] = (x[i] - zero[k]) * scale[k], with k = i / inner % count; a
 * work-item makes one of n elements.
 *   x  [n]   scale, zero  [count]   y  [n]
 */
#if QUANTIZE
/*
 * Where the quotient falls on a half, its last bit decides; division in OpenCL may be off by 2.5 of them.  One step of Newton's method with an exact
 * residual corrects it (Markstein).
 */
float NAME(quotient)(float x, float scale)
{
	float q = x / scale, more = fma(-q, scale, x) / scale;

	return isfinite(more) ? q + more : q;
}
#endif

__kernel void KERNEL(__global const x_T *restrict x, __global const scale_T *restrict scale, __global const zero_T *restrict zero,
		     __global y_T *restrict y, int n, int inner, int count)
{
	int i = (int)get_global_id(0);

	if (i >= n)
		return;
	int k = i / inner % count;
	float s = scale_GET(scale, k);
	long z = zero_GET(zero, k);

#if QUANTIZE
	float q = rint(NAME(quotient)((float)x_GET(x, i), s));
	long v = isnan(q) ? 0 : convert_long(clamp(q, -0x1p40f, 0x1p40f)) + z; /* saturates in any case */
#else
	float v = (float)(x_GET(x, i) - z) * s;
#endif
	y_PUT(y, i, v);
}
