/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y[o] = FINISH(all elements of line o by STEP): an output is a place in the dims that are kept, its line all places in those that are gone.
 * LANES work-items of a group share a line, and join what they have in a tree; a group makes COLUMNS lines.  LANES 1: a work-item makes a line.
 * Partial results of at most PART elements each keep the error of long sums small.
 *   x  any shape   y  [outputs]   kept, gone  [rank][2]: size, step in x, innermost dim first; a line has n elements
 *   START, STEP(a, v), JOIN(a, b), FINISH(a, n): of numbers.  LOG_SUM_EXP: `most` is the largest value of the line, so that no exp overflows.
 */
#define PART 32

/* Every LANES-th element of a line, from number `lane` on, whose first is at `base`. */
NUMBER NAME(along)(__global const x_T *restrict x, __global const int *gone, int base, int lane, int n, NUMBER most)
{
	NUMBER a = START;

	for (int i = lane; i < n;) {
		NUMBER part = START;
		int end = min(n, i + PART * LANES);

		for (; i < end; i += LANES) {
			NUMBER v = x_GET(x, base + vrs_place(gone, gone_RANK, i));

			part = STEP(part, v);
		}
		a = JOIN(a, part);
	}
	return a;
}

#if LOG_SUM_EXP
#define LARGER(a, b) (b > a || isnan(b) ? b : a)

NUMBER NAME(largest)(__global const x_T *restrict x, __global const int *gone, int base, int lane, int n)
{
	NUMBER a = -INFINITY;

	for (int i = lane; i < n; i += LANES) {
		NUMBER v = x_GET(x, base + vrs_place(gone, gone_RANK, i));

		a = LARGER(a, v);
	}
	return a;
}
#endif

/* The results of all lanes of a column become one, which every lane has in `a`. */
#if LANES > 1
#define JOIN_LANES(a, JOIN) \
	parts[me] = a; \
	for (int reach = LANES / 2; reach > 0; reach /= 2) { \
		barrier(CLK_LOCAL_MEM_FENCE); \
		if (lane < reach) { \
			NUMBER left = parts[me], right = parts[me + reach * COLUMNS]; \
			parts[me] = JOIN(left, right); \
		} \
	} \
	barrier(CLK_LOCAL_MEM_FENCE); \
	a = parts[me % COLUMNS]; \
	barrier(CLK_LOCAL_MEM_FENCE)
#else
#define JOIN_LANES(a, JOIN)
#endif

__kernel void KERNEL(__global const x_T *restrict x, __global y_T *restrict y, __global const int *kept, __global const int *gone, int outputs, int n)
{
#if LANES > 1
	__local NUMBER parts[LANES * COLUMNS];
	int me = (int)get_local_id(0), lane = me / COLUMNS, o = (int)get_group_id(0) * COLUMNS + me % COLUMNS;
#else
	int lane = 0, o = (int)get_global_id(0);
#endif
	int base = vrs_place(kept, kept_RANK, min(o, outputs - 1));
	NUMBER most = 0;

#if LOG_SUM_EXP
	most = NAME(largest)(x, gone, base, lane, n);
	JOIN_LANES(most, LARGER);
	most = isfinite(most) ? most : 0;
#endif
	NUMBER a = NAME(along)(x, gone, base, lane, n, most);

	JOIN_LANES(a, JOIN);
	if (lane == 0 && o < outputs) {
		NUMBER v = FINISH(a, n);

		y_PUT(y, o, v);
	}
}
#undef PART
#undef LARGER
#undef JOIN_LANES
