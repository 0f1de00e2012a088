/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y[i] = c ? a : b with broadcasting (the table of ocl_element.h); a work-item makes one of n elements.
 *   y  [n]   c  of bytes   a, b  as y, but with dims of 1 repeated   dims  [rank][4]: size, step in c, a, b, innermost dim first
 */
__kernel void KERNEL(__global const c_T *restrict c, __global const a_T *restrict a, __global const b_T *restrict b, __global y_T *restrict y,
		     __global const int *dims, int n)
{
	int i = (int)get_global_id(0);

	if (i >= n)
		return;
	int rest = i, ic = 0, ia = 0, ib = 0;

	for (int k = 0; k < dims_RANK; k++) {
		int size = dims[4 * k], next = rest / size, place = rest - next * size;

		ic += place * dims[4 * k + 1];
		ia += place * dims[4 * k + 2];
		ib += place * dims[4 * k + 3];
		rest = next;
	}
	CHOOSE(y, i, c[ic], a, ia, b, ib);
}
