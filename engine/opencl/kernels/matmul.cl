/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y[m][n] = sum over k of a[m][k] * b[k][n] for each matrix of some leading dims.  A group of WIDTH x HEIGHT work-items makes HEIGHT * ROWS rows and
 * WIDTH * COLUMNS columns of a matrix, DEPTH values of k at a time from local memory; each makes ROWS x COLUMNS results, HEIGHT and WIDTH apart, so that
 * neighbours write neighbours.  A_ALONG_K, B_ALONG_K: which direction lies side by side in memory, so that loads do.
 *   a  [..][m][k] or [..][k][m]   b  [..][k][n] or [..][n][k]   y  [..][m][n]   lead  [rank][3]: size, step in a, step in b, innermost dim first
 *   a_row, a_column, b_row, b_column: steps from row to row, column to column
 */
#define TILE_M (HEIGHT * ROWS)
#define TILE_N (WIDTH * COLUMNS)
#define GROUP (WIDTH * HEIGHT)

__kernel __attribute__((reqd_work_group_size(WIDTH, HEIGHT, 1))) void KERNEL(__global const a_T *restrict a, __global const b_T *restrict b,
	__global y_T *restrict y, __global const int *lead, int m, int n, int k, int a_row, int a_column, int b_row, int b_column)
{
	__local float tile_a[DEPTH][TILE_M + 1], tile_b[DEPTH][TILE_N + 1];
	int x = (int)get_local_id(0), z = (int)get_local_id(1), me = z * WIDTH + x, matrix = (int)get_group_id(2);
	int row = (int)get_group_id(1) * TILE_M, column = (int)get_group_id(0) * TILE_N, rest = matrix, at_a = 0, at_b = 0;
	float sums[ROWS][COLUMNS];

	for (int i = 0; i < lead_RANK; i++) {
		int size = lead[3 * i], next = rest / size, place = rest - next * size;

		at_a += place * lead[3 * i + 1];
		at_b += place * lead[3 * i + 2];
		rest = next;
	}
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			sums[i][j] = 0.0f;
	for (int first = 0; first < k; first += DEPTH) {
		for (int i = me; i < TILE_M * DEPTH; i += GROUP) {
			int r = A_ALONG_K ? i / DEPTH : i % TILE_M, d = A_ALONG_K ? i % DEPTH : i / TILE_M;
			bool inside = row + r < m && first + d < k;

			tile_a[d][r] = inside ? a_LD(a, at_a + (row + r) * a_row + (first + d) * a_column) : 0.0f;
		}
		for (int i = me; i < TILE_N * DEPTH; i += GROUP) {
			int c = B_ALONG_K ? i / DEPTH : i % TILE_N, d = B_ALONG_K ? i % DEPTH : i / TILE_N;
			bool inside = column + c < n && first + d < k;

			tile_b[d][c] = inside ? b_LD(b, at_b + (first + d) * b_row + (column + c) * b_column) : 0.0f;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int d = 0; d < DEPTH; d++)
			for (int i = 0; i < ROWS; i++)
				for (int j = 0; j < COLUMNS; j++)
					sums[i][j] = mad(tile_a[d][z + i * HEIGHT], tile_b[d][x + j * WIDTH], sums[i][j]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++) {
			int to_row = row + z + i * HEIGHT, to_column = column + x + j * WIDTH;

			if (to_row < m && to_column < n)
				y_ST(y, (matrix * m + to_row) * n + to_column, sums[i][j]);
		}
}
#undef TILE_M
#undef TILE_N
#undef GROUP
