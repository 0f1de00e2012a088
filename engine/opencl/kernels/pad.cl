/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y = x with rows, columns and so on added or (negative) taken away at both ends of each dim; a work-item makes one of `items` units (MOVE).  MODE is an
 * enum vrs_pad_mode: 0 the fill value, 1 reflection that repeats no border (period 2 (n - 1)), 2 the border, 3 the other end.
 *   x, y  dense   dims  [rank][4]: size in y, size in x, elements added before, step in x, innermost dim first   low, high: the fill value
 */

/* Place in a dim of n that place i takes its value from; -1: the fill value. */
int NAME(source)(int i, int n)
{
	if (i >= 0 && i < n)
		return i;
#if MODE == 0
	return -1;
#elif MODE == 2
	return i < 0 ? 0 : n - 1;
#elif MODE == 3
	return (i % n + n) % n;
#else
	if (n == 1)
		return 0;
	int period = 2 * (n - 1);

	i = (i % period + period) % period;
	return i < n ? i : period - i;
#endif
}

__kernel void KERNEL(__global const x_T *restrict x, __global y_T *restrict y, __global const int *dims, int items, FILL_T low, FILL_T high)
{
	int i = (int)get_global_id(0);

	if (i >= items)
		return;
	int rest = i, from = 0;
	bool inside = true;

	for (int k = 0; k < dims_RANK; k++) {
		int size = dims[4 * k], next = rest / size, place = NAME(source)(rest - next * size - dims[4 * k + 2], dims[4 * k + 1]);

		inside = inside && place >= 0;
		from += place * dims[4 * k + 3];
		rest = next;
	}
	if (inside)
		MOVE(y, i, x, from);
	else
		FILL(y, i, low, high);
}
