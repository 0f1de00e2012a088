/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the arithmetic units give: ROUNDS times eight independent chains of multiply-adds in registers, of LANES lanes: 4, or 16 where the units are a
 * CPU's, which compilers do not fill with fours.  16 * LANES * ROUNDS operations a work-item.
 * a and b come from the host, so that nothing is known when the kernel is compiled.
 *   y  [work-items] float
 */
#if LANES == 16
#define VECTOR float16
#else
#define VECTOR float4
#endif
/* mad may be two operations where fma is one, and fma a function where there is no such unit. */
#if LANES == 16 || defined(FP_FAST_FMAF)
#define MULTIPLY_ADD fma
#else
#define MULTIPLY_ADD mad
#endif
__kernel void KERNEL(__global float *y, float a, float b)
{
	VECTOR c[8];

	for (int k = 0; k < 8; k++)
		c[k] = (VECTOR)((float)get_global_id(0) + (float)k);
	for (int i = 0; i < ROUNDS; i++)
#pragma unroll
		for (int k = 0; k < 8; k++)
			c[k] = MULTIPLY_ADD(c[k], (VECTOR)(a), (VECTOR)(b));
	VECTOR all = c[0] + c[1] + c[2] + c[3] + c[4] + c[5] + c[6] + c[7];
#if LANES == 16
	float8 eight = all.lo + all.hi;
	float4 sum = eight.lo + eight.hi;
#else
	float4 sum = all;
#endif

	y[get_global_id(0)] = sum.x + sum.y + sum.z + sum.w;
}
