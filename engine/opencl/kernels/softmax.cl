/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y = exp(x - most) / sum of exp(x - most) over each row of n values, or with LOGARITHM x - most - log(sum); most is the largest value of the row.
 * LANES work-items of a group share a row; LANES 1: a work-item makes a row.  Each takes four values at a time, and the rest of a row singly.
 *   x, y  [rows][n]
 */
#if LANES > 1
#define JOIN_LANES(a, JOIN) \
	parts[lane] = a; \
	for (int reach = LANES / 2; reach > 0; reach /= 2) { \
		barrier(CLK_LOCAL_MEM_FENCE); \
		if (lane < reach) \
			parts[lane] = JOIN(parts[lane], parts[lane + reach]); \
	} \
	barrier(CLK_LOCAL_MEM_FENCE); \
	a = parts[0]; \
	barrier(CLK_LOCAL_MEM_FENCE)
#else
#define JOIN_LANES(a, JOIN)
#endif
#define SUM(a, b) ((a) + (b))
#if LOGARITHM
#define RESULT(v) ((v) - most - log(sum))
#else
#define RESULT(v) (exp((v) - most) / sum)
#endif

__kernel void KERNEL(__global const x_T *restrict x, __global y_T *restrict y, int rows, int n)
{
#if LANES > 1
	__local float parts[LANES];
	int lane = (int)get_local_id(0), row = (int)get_group_id(0);
#else
	int lane = 0, row = (int)get_global_id(0);

	if (row >= rows)
		return;
#endif
	int base = row * n, fours = n & ~3;
	float4 most4 = (float4)(-INFINITY), sum4 = (float4)(0.0f);
	float most = -INFINITY, sum = 0.0f;

	for (int i = lane * 4; i < fours; i += LANES * 4)
		most4 = fmax(most4, x_LD4(x, base + i));
	for (int i = fours + lane; i < n; i += LANES)
		most = fmax(most, x_LD(x, base + i));
	most = fmax(most, fmax(fmax(most4.x, most4.y), fmax(most4.z, most4.w)));
	JOIN_LANES(most, fmax);
	for (int i = lane * 4; i < fours; i += LANES * 4)
		sum4 += exp(x_LD4(x, base + i) - most);
	for (int i = fours + lane; i < n; i += LANES)
		sum += exp(x_LD(x, base + i) - most);
	sum += sum4.x + sum4.y + sum4.z + sum4.w;
	JOIN_LANES(sum, SUM);
	for (int i = lane * 4; i < fours; i += LANES * 4) {
		float4 v = RESULT(x_LD4(x, base + i));

		y_ST4(y, base + i, v);
	}
	for (int i = fours + lane; i < n; i += LANES) {
		float v = RESULT(x_LD(x, base + i));

		y_ST(y, base + i, v);
	}
}
#undef JOIN_LANES
#undef SUM
#undef RESULT
