/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Depthwise convolution: y[p][n] = EPILOGUE(b[n] + s[n / MULTIPLIER] * sum over taps of x[p through the tap][n / MULTIPLIER] * w[tap][n]).  A
 * work-item makes ITEM_M pixels of a row times VECTOR channels.  SHARED: it reads each pixel of x that they share once, all of it unrolled; not with
 * wide dilation, where they share few, nor with wide windows.
 *   x  [batch][height][width][channels]   w  [KERNEL_H][KERNEL_W][outputs, rounded up to VECTOR]   b  [outputs, rounded up] (BIAS)
 *   s  [batch][1][1][channels] (SCALED)   y  [batch][out_height][out_width][outputs], outputs = channels * MULTIPLIER
 * TAIL: outputs is no multiple of VECTOR.  Dimension 0 of the work-items: vectors of channels, 1: tiles of a row, 2: batch * out_height.  MUL_T
 * and what else has to do with products: ocl_math.h.
 */
#define COLUMNS ((ITEM_M - 1) * STRIDE_W + (KERNEL_W - 1) * DILATION_W + 1)
#if HALF_MATH
#define TOTAL part
#else
#define TOTAL sum
#endif

/* VECTOR channels from n on of what begins at element `from`; zeros behind the last. */
static MULV NAME(load)(__global const x_T *x, int from, int n, int outputs)
{
#if MULTIPLIER == 1 && !TAIL
	return x_LDMV(x, from + n);
#else
	MUL_T parts[VECTOR];

#if MULTIPLIER == 1
	if (n + VECTOR <= outputs)
		return x_LDMV(x, from + n);
#endif
	for (int j = 0; j < VECTOR; j++)
		parts[j] = n + j < outputs ? x_LDM(x, from + (n + j) / MULTIPLIER) : (MUL_T)0;
	return LOADMV(parts);
#endif
}

/* sum += a row of taps; x: at the row, w: at the taps, pitch apart, all: no column lies outside of the row. */
static void NAME(add_row)(MULV sum[ITEM_M], __global const x_T *x, __global const w_T *w, int pitch, int ix0, int width, int channels, int n,
	int outputs, const bool all)
{
#if SHARED
	MULV f[KERNEL_W];

#pragma unroll
	for (int kx = 0; kx < KERNEL_W; kx++)
		f[kx] = w_LDMV(w, kx * pitch);
#pragma unroll
	for (int j = 0; j < COLUMNS; j++) {
		int ix = ix0 + j;
		MULV value = (MULV)(0);

		if (all || (ix >= 0 && ix < width))
			value = NAME(load)(x, ix * channels, n, outputs);
#pragma unroll
		for (int m = 0; m < ITEM_M; m++) {
			int tap = j - m * STRIDE_W;

			if (tap >= 0 && tap % DILATION_W == 0 && tap / DILATION_W < KERNEL_W)
				sum[m] = MULADD(value, f[tap / DILATION_W], sum[m]);
		}
	}
#else
	for (int kx = 0; kx < KERNEL_W; kx++) {
		MULV f = w_LDMV(w, kx * pitch);

#pragma unroll
		for (int m = 0; m < ITEM_M; m++) {
			int ix = ix0 + m * STRIDE_W + kx * DILATION_W;

			if (all || (ix >= 0 && ix < width))
				sum[m] = MULADD(NAME(load)(x, ix * channels, n, outputs), f, sum[m]);
		}
	}
#endif
}

__kernel void KERNEL(__global const x_T *x, __global const w_T *w,
#if BIAS
	__global const b_T *b,
#endif
#if SCALED
	__global const s_T *s,
#endif
	__global y_T *y, int height, int width, int channels, int out_height, int out_width, int outputs, int pad_top, int pad_left EPILOGUE_ARGS)
{
	int item = (int)get_global_id(0), ox = (int)get_global_id(1) * ITEM_M, z = (int)get_global_id(2);

#if FOLDS > 1
	UNFOLD(item, z, (int)get_global_size(0) / FOLDS, (int)get_global_size(2));
#endif
	int n = item * VECTOR, image = z / out_height, oy = z - image * out_height;
	int pitch = (outputs + VECTOR - 1) / VECTOR * VECTOR, ix0 = ox * STRIDE_W - pad_left;
	bool whole = ix0 >= 0 && ix0 + COLUMNS <= width;
	VEC sum[ITEM_M];

	if (n >= outputs || ox >= out_width)
		return;
#pragma unroll
	for (int m = 0; m < ITEM_M; m++)
		sum[m] = 0.0f;
	for (int ky = 0; ky < KERNEL_H; ky++) {
		int iy = oy * STRIDE_H - pad_top + ky * DILATION_H;

		if (iy < 0 || iy >= height)
			continue;
		__global const x_T *row = x + (image * height + iy) * width * channels;
		__global const w_T *taps = w + ky * KERNEL_W * pitch + n;

#if HALF_MATH
		MULV part[ITEM_M]; /* a row has at most HALF_RUN taps */

#pragma unroll
		for (int m = 0; m < ITEM_M; m++)
			part[m] = (MULV)(0);
#endif
		if (whole)
			NAME(add_row)(TOTAL, row, taps, pitch, ix0, width, channels, n, outputs, true);
		else
			NAME(add_row)(TOTAL, row, taps, pitch, ix0, width, channels, n, outputs, false);
#if HALF_MATH
#pragma unroll
		for (int m = 0; m < ITEM_M; m++)
			sum[m] += WIDEN(part[m]);
#endif
	}
#if SCALED
	float factors[VECTOR];

	for (int j = 0; j < VECTOR; j++)
		factors[j] = n + j < outputs ? s_LD(s, image * channels + (n + j) / MULTIPLIER) : 0.0f;
#endif
#pragma unroll
	for (int m = 0; m < ITEM_M; m++) {
		int i = ((image * out_height + oy) * out_width + ox + m) * outputs + n;
		VEC value = sum[m];

#if SCALED
		value *= LOADV(factors);
#endif
#if BIAS
		value += b_LDV(b, n);
#endif
		if (ox + m < out_width && (!TAIL || n + VECTOR <= outputs)) {
			y_STV(y, i, EPILOGUEV(value, i));
		} else if (ox + m < out_width) {
			float parts[VECTOR];

			STOREV(value, parts);
			for (int j = 0; n + j < outputs; j++)
				y_ST(y, i + j, EPILOGUE(parts[j], i + j));
		}
	}
}
#undef COLUMNS
#undef TOTAL
