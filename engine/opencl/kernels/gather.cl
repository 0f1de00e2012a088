/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y[o][k][j] = x[o][indices[k]][j]: an index counts from the end when negative, and one outside is moved to the next border, since indices are data.  A
 * work-item makes one of `items` units (MOVE) of j.
 *   x  [outer][n][inner]   y  [outer][count][inner]   indices  [count] int or long
 */
__kernel void KERNEL(__global const x_T *restrict x, __global y_T *restrict y, __global const indices_T *restrict indices, int items, int count,
		     int inner, int n)
{
	int i = (int)get_global_id(0);

	if (i >= items)
		return;
	int row = i / inner, outer = row / count;
	long index = indices[row - outer * count];

	index = clamp(index < 0 && index >= -n ? index + n : index, 0L, (long)n - 1);
	MOVE(y, i, x, (outer * n + (int)index) * inner + (i - row * inner));
}
