/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Convolution as a matrix product by tiles in local memory; matrices and arguments are those of conv_direct.cl.  A work-group makes TILE_M pixels
 * times TILE_N channels in steps of STEP_K products: its work-items fetch a step of both matrices together, then each multiplies ITEM_M pixels by
 * ITEM_N channels in registers.  (V. Volkov, J. Demmel, "Benchmarking GPUs to tune dense linear algebra", SC 2008; C. Nugteren,
 * "CLBlast: a tuned OpenCL BLAS library", IWOCL 2018.)  SPLIT slices of the group share the steps, where pixels and channels alone would leave a
 * device idle; their sums are added at the end.
 *   w  [groups or planes][blocks of TILE_N output channels][KERNEL_H * KERNEL_W * depth, rounded up to SPLIT * STEP_K][TILE_N], zeros in what is
 *      added
 * WIDE: elements of x that are fetched at once, 4 where depth is a multiple of it.  Dimension 0 of the work-items: channels, 1: pixels, 2: slices,
 * batch * groups.  MUL_T and what else has to do with products: ocl_math.h.
 */
#define THREADS (GROUP_M * GROUP_N) /* of a slice */
#define TILE_M (GROUP_M * ITEM_M)
#define TILE_N (GROUP_N * ITEM_N)
#define VECTORS (ITEM_N / 4)
#define LANES (STEP_K / WIDE)       /* fetch a row of a step; a divisor of THREADS */
#define ROWS (THREADS / LANES)      /* fetched at once */
#define FETCHES ((TILE_M + ROWS - 1) / ROWS)
#define PITCH (TILE_M + 4)          /* factors from k to k + 1 */
#define A_TILE (STEP_K * PITCH / 4) /* vectors of four */
#define W_TILE (STEP_K * TILE_N / 4)
#define TOTALS (SPLIT > 1 ? SPLIT * TILE_M * TILE_N / 4 : 0)
#define POOL (SPLIT * (A_TILE + W_TILE) > TOTALS ? SPLIT * (A_TILE + W_TILE) : TOTALS)
#if HALF_MATH
#define RUN HALF_RUN                /* products of a sum; a divisor of STEP_K */
#define TOTAL part
#else
#define RUN STEP_K
#define TOTAL sum
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_N, GROUP_M, SPLIT)))
void KERNEL(__global const x_T *x, __global const w_T *w,
#if BIAS
	__global const b_T *b,
#endif
#if SCALED
	__global const s_T *s,
#endif
	__global y_T *y, int height, int width, int channels, int out_height, int out_width, int outputs, int depth, int group_outputs, int groups,
	int pad_top, int pad_left EPILOGUE_ARGS)
{
	__local float4 pool[POOL];
	int lane_n = (int)get_local_id(0), lane_m = (int)get_local_id(1), slice = (int)get_local_id(2);
	__local MULV *a_tile = (__local MULV *)pool + slice * (A_TILE + W_TILE), *w_tile = a_tile + A_TILE;
	__local MUL_T *a_parts = (__local MUL_T *)a_tile;
	uint thread = (uint)(lane_m * GROUP_N + lane_n);
	int fetch_m = (int)(thread / LANES), fetch_k = (int)(thread % LANES) * WIDE;
	int block = (int)get_group_id(0), tile = (int)get_group_id(1), z = (int)get_group_id(2);

#if FOLDS > 1
	UNFOLD(block, tile, (int)get_num_groups(0) / FOLDS, (int)get_num_groups(1));
#endif
	int image = z / groups, group = z - image * groups, blocks = (group_outputs + TILE_N - 1) / TILE_N;
	int pixels = out_height * out_width, first = tile * TILE_M;
	int products = KERNEL_H * KERNEL_W * depth, steps = (products + SPLIT * STEP_K - 1) / (SPLIT * STEP_K);
	float4 sum[ITEM_M][VECTORS];
	int row[FETCHES], column[FETCHES];

	w += (((PLANES ? z : group) * blocks + block) * steps * SPLIT + slice) * STEP_K * TILE_N;
#pragma unroll
	for (int q = 0; q < VECTORS; q++) {
		float4 start = 0.0f;

#if BIAS
		if (slice == 0)
			start = b_LD4(b, ((group * blocks + block) * VECTORS + q) * GROUP_N * 4 + lane_n * 4);
#endif
#pragma unroll
		for (int m = 0; m < ITEM_M; m++)
			sum[m][q] = start;
	}
	/* Where the window of each row begins; far outside for rows that are no pixels. */
#pragma unroll
	for (int u = 0; u < FETCHES; u++) {
		int at = first + fetch_m + u * ROWS, p = min(at, pixels - 1), oy = p / out_width;

		row[u] = at < pixels ? oy * STRIDE_H - pad_top : -(1 << 30);
		column[u] = (p - oy * out_width) * STRIDE_W - pad_left;
	}
	int c = fetch_k + slice * STEP_K, ky = 0, kx = 0;

	for (int step = 0; step < steps; step++, c += SPLIT * STEP_K, w += SPLIT * STEP_K * TILE_N) {
		for (; c >= depth; c -= depth) {
			kx++;
			ky += kx == KERNEL_W;
			kx = kx == KERNEL_W ? 0 : kx;
		}
#pragma unroll
		for (int u = 0; u < FETCHES; u++) {
			int m = fetch_m + u * ROWS, iy = row[u] + ky * DILATION_H, ix = column[u] + kx * DILATION_W;
			int to = fetch_k * PITCH + m;
			bool mine = TILE_M % ROWS == 0 || m < TILE_M, inside = mine && ky < KERNEL_H && iy >= 0 && iy < height && ix >= 0 && ix < width;
			int i = inside ? ((image * height + iy) * width + ix) * channels + group * depth + c : 0;
#if WIDE == 4
			MULV value = inside ? x_LDMV(x, i) : (MULV)(0);
#if SCALED
			MULV scale = inside ? s_LDMV(s, image * channels + group * depth + c) : (MULV)(0);

			value = MULTIPLY(value, scale);
#endif

			if (mine) {
				a_parts[to] = value.x;
				a_parts[to + PITCH] = value.y;
				a_parts[to + 2 * PITCH] = value.z;
				a_parts[to + 3 * PITCH] = value.w;
			}
#else
			MUL_T value = inside ? x_LDM(x, i) : (MUL_T)0;
#if SCALED
			MUL_T scale = inside ? s_LDM(s, image * channels + group * depth + c) : (MUL_T)0;

			value = MULTIPLY1(value, scale);
#endif

			if (mine)
				a_parts[to] = value;
#endif
		}
		for (int i = (int)thread; i < W_TILE; i += THREADS)
			w_tile[i] = w_LDMV(w, i * 4);
		barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
		for (int first_k = 0; first_k < STEP_K; first_k += RUN) {
#if HALF_MATH
			MULV part[ITEM_M][VECTORS];

#pragma unroll
			for (int i = 0; i < ITEM_M * VECTORS; i++)
				part[i / VECTORS][i % VECTORS] = (MULV)(0);
#endif
#pragma unroll
			for (int k = first_k; k < first_k + RUN; k++) {
				MULV f[VECTORS];
				MUL_T a[ITEM_M];

#pragma unroll
				for (int q = 0; q < VECTORS; q++)
					f[q] = w_tile[k * (TILE_N / 4) + q * GROUP_N + lane_n];
#if ITEM_M % 4 == 0
#pragma unroll
				for (int m = 0; m < ITEM_M; m += 4) {
					MULV four = a_tile[(k * PITCH + lane_m * ITEM_M + m) / 4];

					a[m] = four.x;
					a[m + 1] = four.y;
					a[m + 2] = four.z;
					a[m + 3] = four.w;
				}
#else
#pragma unroll
				for (int m = 0; m < ITEM_M; m++)
					a[m] = a_parts[k * PITCH + lane_m * ITEM_M + m];
#endif
#pragma unroll
				for (int i = 0; i < ITEM_M * VECTORS; i++)
					TOTAL[i / VECTORS][i % VECTORS] = MULADD(a[i / VECTORS], f[i % VECTORS], TOTAL[i / VECTORS][i % VECTORS]);
			}
#if HALF_MATH
#pragma unroll
			for (int i = 0; i < ITEM_M * VECTORS; i++)
				sum[i / VECTORS][i % VECTORS] += WIDEN(part[i / VECTORS][i % VECTORS]);
#endif
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
#if SPLIT > 1
#pragma unroll
	for (int i = 0; i < ITEM_M * VECTORS; i++)
		pool[(slice * ITEM_M * VECTORS + i) * THREADS + (int)thread] = sum[i / VECTORS][i % VECTORS];
	barrier(CLK_LOCAL_MEM_FENCE);
#endif
#pragma unroll
	for (int i = 0; i < ITEM_M * VECTORS; i++) {
		int m = i / VECTORS, q = i % VECTORS, p = first + lane_m * ITEM_M + m, n = block * TILE_N + (q * GROUP_N + lane_n) * 4;
		int to = (image * (PLANES ? width : pixels) + p) * outputs + group * group_outputs + n;
		float4 value = sum[m][q];

#if SPLIT > 1
		/* Slices finish vectors by turns. */
		if (i % SPLIT != slice)
			continue;
		value = pool[i * THREADS + (int)thread];
		for (int k = 1; k < SPLIT; k++)
			value += pool[(k * ITEM_M * VECTORS + i) * THREADS + (int)thread];
#endif
		if (p < pixels && n + 4 <= group_outputs) {
			y_STV(y, to, EPILOGUE4(value, to));
		} else if (p < pixels) {
			float parts[4];

			vstore4(value, 0, parts);
			for (int j = 0; n + j < group_outputs; j++)
				y_ST(y, to + j, EPILOGUE(parts[j], to + j));
		}
	}
}
#undef THREADS
#undef TILE_M
#undef TILE_N
#undef VECTORS
#undef LANES
#undef ROWS
#undef FETCHES
#undef PITCH
#undef A_TILE
#undef W_TILE
#undef TOTALS
#undef POOL
#undef RUN
#undef TOTAL
