/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y[m][n] = sum over k of a[m][k] * b[k][n] for each of `matrices` of some leading dims, for devices whose caches do what local memory does on others.
 * A work-item makes ROWS x 8 results in registers.  Rows beyond the last one repeat it and are not stored; columns beyond it are made singly.
 *   a  [..][m][k] or [..][k][m]   b  [..][k][n] or [..][n][k]   y  [..][m][n]   lead  [rank][3]: size, step in a, step in b, innermost dim first
 *   a_row, a_column, b_row, b_column: steps from row to row, column to column; B_DENSE: b_column is 1
 */
#if B_DENSE
#define FOUR(at) b_LD4(b, at)
#else
#define FOUR(at) (float4)(b_LD(b, at), b_LD(b, (at) + b_column), b_LD(b, (at) + 2 * b_column), b_LD(b, (at) + 3 * b_column))
#endif

__kernel void KERNEL(__global const a_T *restrict a, __global const b_T *restrict b, __global y_T *restrict y, __global const int *lead, int m, int n,
		     int k, int a_row, int a_column, int b_row, int b_column, int matrices)
{
	int across = (n + 7) / 8, down = (m + ROWS - 1) / ROWS, item = (int)get_global_id(0);
	int column = item % across * 8, row = item / across % down * ROWS, matrix = item / across / down, rest = matrix, at_a = 0, at_b = 0;

	if (matrix >= matrices)
		return;
	for (int i = 0; i < lead_RANK; i++) {
		int size = lead[3 * i], next = rest / size, place = rest - next * size;

		at_a += place * lead[3 * i + 1];
		at_b += place * lead[3 * i + 2];
		rest = next;
	}
	int rows = min(ROWS, m - row), to = (matrix * m + row) * n;

	if (column + 8 > n) {
		for (int r = 0; r < rows; r++)
			for (int c = column; c < n; c++) {
				float sum = 0.0f;

				for (int i = 0; i < k; i++)
					sum = mad(a_LD(a, at_a + (row + r) * a_row + i * a_column), b_LD(b, at_b + i * b_row + c * b_column), sum);
				y_ST(y, to + r * n + c, sum);
			}
		return;
	}
	float4 left[ROWS], right[ROWS];
	int from[ROWS];

	for (int r = 0; r < ROWS; r++) {
		left[r] = right[r] = (float4)(0.0f);
		from[r] = at_a + min(row + r, m - 1) * a_row;
	}
	at_b += column * b_column;
	for (int i = 0; i < k; i++, at_b += b_row) {
		float4 p = FOUR(at_b), q = FOUR(at_b + 4 * b_column);

		for (int r = 0; r < ROWS; r++) {
			float v = a_LD(a, from[r] + i * a_column);

			left[r] = mad((float4)(v), p, left[r]);
			right[r] = mad((float4)(v), q, right[r]);
		}
	}
	for (int r = 0; r < rows; r++) {
		y_ST4(y, to + r * n + column, left[r]);
		y_ST4(y, to + r * n + column + 4, right[r]);
	}
}
#undef FOUR
