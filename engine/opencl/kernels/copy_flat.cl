/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y[i] = x[i], n elements of one type that nobody looks into; a work-item copies one.
 *   x  [n]   y  [n]
 */
__kernel void KERNEL(__global const x_T *x, __global y_T *y, int n)
{
	int i = (int)get_global_id(0);

	if (i < n)
		y[i] = x[i];
}
