/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y[i] = FUNCTION(x[i]) for numbers of any type, converted to that of y; a work-item makes one of n elements.
 *   x  [n]   y  [n]
 */
__kernel void KERNEL(__global const x_T *restrict x, __global y_T *restrict y, int n)
{
	int i = (int)get_global_id(0);

	if (i >= n)
		return;
	NUMBER v = x_GET(x, i);
	NUMBER r = FUNCTION(v);

	y_PUT(y, i, r);
}
