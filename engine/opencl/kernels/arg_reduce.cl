/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y[o] = the place of the largest or smallest number of a line of n elements, `step` apart in x: of equal ones the first, or with LAST the last one.
 * A NaN is neither, but in the first place nothing is larger or smaller than it.  LANES work-items of a group share a line, a group makes COLUMNS lines;
 * LANES 1: a work-item makes a line.
 *   x  any shape   y  [outputs] long   kept  [rank][2]: size, step in x of the dims of y, innermost first
 */
/* Does number a at place i win over b at place j? Place -1 has no number. */
bool NAME(wins)(NUMBER a, int i, NUMBER b, int j)
{
#if FLOATS
	if (isnan(a))
		return false;
#endif
	if (i < 0 || j < 0)
		return j < 0;
	return a == b ? (i > j) == LAST : BEATS(a, b);
}

__kernel void KERNEL(__global const x_T *restrict x, __global long *restrict y, __global const int *kept, int outputs, int n, int step)
{
#if LANES > 1
	__local NUMBER numbers[LANES * COLUMNS];
	__local int places[LANES * COLUMNS];
	int me = (int)get_local_id(0), lane = me / COLUMNS, o = (int)get_group_id(0) * COLUMNS + me % COLUMNS;
#else
	int lane = 0, o = (int)get_global_id(0);
#endif
	int base = vrs_place(kept, kept_RANK, min(o, outputs - 1)), best = -1;
	NUMBER number = 0;

	for (int i = lane; i < n; i += LANES) {
		NUMBER v = x_GET(x, base + i * step);

		if (NAME(wins)(v, i, number, best)) {
			number = v;
			best = i;
		}
	}
#if LANES > 1
	numbers[me] = number;
	places[me] = best;
	for (int reach = LANES / 2; reach > 0; reach /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < reach && NAME(wins)(numbers[me + reach * COLUMNS], places[me + reach * COLUMNS], numbers[me], places[me])) {
			numbers[me] = numbers[me + reach * COLUMNS];
			places[me] = places[me + reach * COLUMNS];
		}
	}
	best = places[me];
#endif
#if FLOATS
	NUMBER first = x_GET(x, base);

	best = isnan(first) ? 0 : best;
#endif
	if (lane == 0 && o < outputs)
		y[o] = max(best, 0);
}
