/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y[i] = ACT(x[i]), n elements of any shape; a work-item makes four.
 *   x  [n]   y  [n]
 */
__kernel void KERNEL(__global const x_T *x, __global y_T *y, int n)
{
	int i = (int)get_global_id(0) * 4;

	if (i + 4 <= n) {
		float4 v = x_LD4(x, i);
		y_ST4(y, i, ACT(v));
	} else {
		for (; i < n; i++) {
			float v = x_LD(x, i);
			y_ST(y, i, ACT(v));
		}
	}
}
