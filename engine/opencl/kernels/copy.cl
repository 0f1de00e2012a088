/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y[y0 + sum of place * Y] = x[x0 + sum of place * X] over all places of some dims: slice, transpose, expand, tile, an input of a concat.  All counts,
 * steps and places are in units of one or more elements (MOVE).  A work-item moves RUN units of the innermost dim, which has `runs` such pieces; DENSE
 * says that they lie side by side in x and in y.
 *   x, y  any shape   dims  [rank][3]: size, step in x, step in y, innermost dim first
 */
__kernel void KERNEL(__global const x_T *restrict x, __global y_T *restrict y, __global const int *dims, int items, int runs, int x0, int y0)
{
	int i = (int)get_global_id(0);

	if (i >= items)
		return;
	int rest = i / runs, first = (i - rest * runs) * RUN, end = first + min(RUN, dims[0] - first);

	for (int k = 1; k < dims_RANK; k++) {
		int size = dims[3 * k], next = rest / size, place = rest - next * size;

		x0 += place * dims[3 * k + 1];
		y0 += place * dims[3 * k + 2];
		rest = next;
	}
	int x_step = DENSE ? 1 : dims[1], y_step = DENSE ? 1 : dims[2];

	for (int j = first; j < end; j++)
		MOVE(y, y0 + j * y_step, x, x0 + j * x_step);
}
