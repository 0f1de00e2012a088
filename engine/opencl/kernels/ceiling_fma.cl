/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the arithmetic units give: ROUNDS times eight independent chains of multiply-adds of four lanes in registers, 64 * ROUNDS operations a work-item.
 * a and b come from the host, so that nothing is known when the kernel is compiled.
 *   y  [work-items] float
 */
__kernel void KERNEL(__global float *y, float a, float b)
{
	float4 c[8];

	for (int k = 0; k < 8; k++)
		c[k] = (float4)((float)get_global_id(0) + (float)k);
	for (int i = 0; i < ROUNDS; i++)
#pragma unroll
		for (int k = 0; k < 8; k++)
			c[k] = mad(c[k], (float4)(a), (float4)(b));
	float4 sum = c[0] + c[1] + c[2] + c[3] + c[4] + c[5] + c[6] + c[7];

	y[get_global_id(0)] = sum.x + sum.y + sum.z + sum.w;
}
