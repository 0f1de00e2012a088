/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Convolution as a matrix product: y[p][n] = EPILOGUE(b[n] + sum over k of (a[p][k] * s[k]) * w[k][n]), p: pixel of the output, n: its channel, k:
 * tap and channel of the input; the matrix a is x seen through the window (implicit GEMM).  A work-item makes ITEM_M pixels times ITEM_N channels
 * in registers and reads everything from global memory: no barrier, for devices whose caches do what local memory would.
 *   x  [batch][height][width][channels], a group reads depth of them; PLANES: [planes][width][depth], of a plane out_height * out_width pixels count
 *   w  [groups or planes][blocks of BLOCK output channels][KERNEL_H * KERNEL_W * depth][BLOCK], zeros behind the last channel
 *   b  [groups][blocks][BLOCK] (BIAS)   s  [batch][1][1][channels] (SCALED)
 *   y  [batch][out_height][out_width][outputs]; PLANES: [planes][width][outputs]
 * POINT: pixel p of the output is pixel p of x.  RUNS 1: the taps of a row lie side by side in memory (one group, no dilation), so that a sum runs
 * over them at once; KERNEL_W: a tap at a time.  PIXELS_FIRST: dimension 0 of the work-items counts tiles of pixels, 1 channels; else vice versa.
 * Dimension 2: batch * groups.  MUL_T and what else has to do with products: ocl_math.h.
 */
#define BLOCK (GROUP_N * ITEM_N)
#define VECTORS (ITEM_N / VECTOR)
#define SPAN (RUNS == 1 ? KERNEL_W : 1)

/* sum += x * w over `count` elements; from: where each pixel's begin; used: 0 for pixels whose values count as zeros. */
static void NAME(multiply)(MULV sum[ITEM_M][VECTORS], __global const x_T *x, const int from[ITEM_M], const int used[ITEM_M], const bool all,
	__global const w_T *w, int count
#if SCALED
	, __global const s_T *s, int factor
#endif
	)
{
	for (int k = 0; k < count; k++) {
		MULV f[VECTORS];

#pragma unroll
		for (int q = 0; q < VECTORS; q++)
			f[q] = w_LDMV(w, k * BLOCK + q * GROUP_N * VECTOR);
#if SCALED
		MUL_T scale = s_LDM(s, factor + k); /* of x, as conv_gemm.cl has it: either way gives the same bits */
#endif
#pragma unroll
		for (int m = 0; m < ITEM_M; m++) {
			MUL_T value = x_LDM(x, from[m] + k);
#if SCALED
			value = MULTIPLY1(value, scale);
#endif
			MUL_T a = all || used[m] ? value : (MUL_T)0;

#pragma unroll
			for (int q = 0; q < VECTORS; q++)
				sum[m][q] = MULADD(a, f[q], sum[m][q]);
		}
	}
}

#if HALF_MATH
/* Short sums become a part of those in floats, and begin anew. */
static void NAME(settle)(VEC sum[ITEM_M][VECTORS], MULV part[ITEM_M][VECTORS])
{
#pragma unroll
	for (int i = 0; i < ITEM_M * VECTORS; i++) {
		sum[i / VECTORS][i % VECTORS] += WIDEN(part[i / VECTORS][i % VECTORS]);
		part[i / VECTORS][i % VECTORS] = (MULV)(0);
	}
}

/*
 * The same with sums in floats, HALF_RUN products at a time, of which *filled are in `part` so far.  Runs are counted along all of k, as conv_gemm.cl
 * counts them: they may begin in one tap and end in the next, so that no tile changes bits.
 */
static void NAME(add)(VEC sum[ITEM_M][VECTORS], MULV part[ITEM_M][VECTORS], int *filled, __global const x_T *x, const int from[ITEM_M],
	const int used[ITEM_M], const bool all, __global const w_T *w, int count
#if SCALED
	, __global const s_T *s, int factor
#endif
	)
{
	for (int first = 0, run; first < count; first += run) {
		run = min(HALF_RUN - *filled, count - first);
		NAME(multiply)(part, x + first, from, used, all, w + first * BLOCK, run
#if SCALED
			, s, factor + first
#endif
			);
		*filled += run;
		if (*filled == HALF_RUN) {
			NAME(settle)(sum, part);
			*filled = 0;
		}
	}
}
#define ADD NAME(add)
#define SUMS sum, part, &filled
#else
#define ADD NAME(multiply)
#define SUMS sum
#endif

__kernel void KERNEL(__global const x_T *x, __global const w_T *w,
#if BIAS
	__global const b_T *b,
#endif
#if SCALED
	__global const s_T *s,
#endif
	__global y_T *y, int height, int width, int channels, int out_height, int out_width, int outputs, int depth, int group_outputs, int groups,
	int pad_top, int pad_left EPILOGUE_ARGS)
{
	int tile = (int)get_global_id(PIXELS_FIRST ? 0 : 1), item = (int)get_global_id(PIXELS_FIRST ? 1 : 0), z = (int)get_global_id(2);

#if FOLDS > 1
#if PIXELS_FIRST
	UNFOLD(tile, item, (int)get_global_size(0) / FOLDS, (int)get_global_size(1));
#else
	UNFOLD(item, tile, (int)get_global_size(0) / FOLDS, (int)get_global_size(1));
#endif
#endif
	int block = (int)((uint)item / GROUP_N), lane = (int)((uint)item % GROUP_N) * VECTOR;
	int image = z / groups, group = z - image * groups, blocks = (group_outputs + BLOCK - 1) / BLOCK;
	int pixels = out_height * out_width, first = tile * ITEM_M;
	VEC sum[ITEM_M][VECTORS];

	if (first >= pixels || block * BLOCK + lane >= group_outputs)
		return;
#pragma unroll
	for (int q = 0; q < VECTORS; q++) {
#if BIAS
		VEC start = b_LDV(b, (group * blocks + block) * BLOCK + q * GROUP_N * VECTOR + lane);
#else
		VEC start = 0.0f;
#endif

#pragma unroll
		for (int m = 0; m < ITEM_M; m++)
			sum[m][q] = start;
	}
	w += ((PLANES ? z : group) * blocks + block) * (KERNEL_H * KERNEL_W * depth) * BLOCK + lane;
#if SCALED
#define FACTORS , s, image * channels + group * depth
#else
#define FACTORS
#endif
	int place[ITEM_M], used[ITEM_M];
#if HALF_MATH
	MULV part[ITEM_M][VECTORS];
	int filled = 0;

#pragma unroll
	for (int i = 0; i < ITEM_M * VECTORS; i++)
		part[i / VECTORS][i % VECTORS] = (MULV)(0);
#endif

#if POINT
#pragma unroll
	for (int m = 0; m < ITEM_M; m++) {
		place[m] = (image * height * width + min(first + m, pixels - 1)) * channels + group * depth;
		used[m] = 1;
	}
	ADD(SUMS, x, place, used, true, w, depth FACTORS);
#else
	int row[ITEM_M], column[ITEM_M];

#pragma unroll
	for (int m = 0; m < ITEM_M; m++) {
		int p = min(first + m, pixels - 1), oy = p / out_width;

		row[m] = oy * STRIDE_H - pad_top;
		column[m] = (p - oy * out_width) * STRIDE_W - pad_left;
	}
	for (int ky = 0; ky < KERNEL_H; ky++) {
		for (int run = 0; run < RUNS; run++) {
			bool whole = true;

#pragma unroll
			for (int m = 0; m < ITEM_M; m++) {
				int iy = row[m] + ky * DILATION_H, ix = column[m] + run * DILATION_W;

				used[m] = iy >= 0 && iy < height && ix >= 0 && ix + SPAN <= width;
				place[m] = used[m] ? ((image * height + iy) * width + ix) * channels + group * depth : 0;
				whole = whole && used[m];
			}
			if (whole) {
				ADD(SUMS, x, place, used, true, w, SPAN * depth FACTORS);
				w += SPAN * depth * BLOCK;
				continue;
			}
			for (int kx = 0; kx < SPAN; kx++, w += depth * BLOCK) {
#pragma unroll
				for (int m = 0; m < ITEM_M; m++) {
					int iy = row[m] + ky * DILATION_H, ix = column[m] + (run + kx) * DILATION_W;

					used[m] = iy >= 0 && iy < height && ix >= 0 && ix < width;
					place[m] = used[m] ? ((image * height + iy) * width + ix) * channels + group * depth : 0;
				}
				ADD(SUMS, x, place, used, false, w, depth FACTORS);
			}
		}
	}
#endif
#if HALF_MATH
	if (filled > 0)
		NAME(settle)(sum, part);
#endif
#pragma unroll
	for (int m = 0; m < ITEM_M; m++) {
#pragma unroll
		for (int q = 0; q < VECTORS; q++) {
			int n = block * BLOCK + q * GROUP_N * VECTOR + lane;
			int i = (image * (PLANES ? width : pixels) + first + m) * outputs + group * group_outputs + n;
			VEC value = sum[m][q];

			if (first + m < pixels && n + VECTOR <= group_outputs) {
				y_STV(y, i, EPILOGUEV(value, i));
			} else if (first + m < pixels) {
				float parts[VECTOR];

				STOREV(value, parts);
				for (int j = 0; n + j < group_outputs && j < VECTOR; j++)
					y_ST(y, i + j, EPILOGUE(parts[j], i + j));
			}
		}
	}
}
#undef BLOCK
#undef VECTORS
#undef SPAN
#undef FACTORS
#undef ADD
#undef SUMS
