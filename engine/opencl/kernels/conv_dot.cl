/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Convolution of bytes: y[p][n] = EPILOGUE(f[n] * (sum over k of a[p][k] * w[k][n]) + b[n]) with sums in int; p: pixel of the output, n: its channel,
 * k: tap and channel of the input; the matrix a is x seen through the window, and `outside` where that sees nothing.  Four channels of the input
 * are a word, whose products one operation adds up (ocl_dot.h).  A work-item makes ITEM_M pixels times ITEM_N channels in registers.
 *   x  [batch][height][width][quads] words   w  [blocks of ITEM_N channels][KERNEL_H * KERNEL_W * quads][ITEM_N] words, zeros in what is added
 *   f, b  [outputs, rounded up to ITEM_N]    y  [batch][out_height][out_width][outputs]
 * BYTES: y are words as pack_bytes.cl makes them, by inverse and zero.  Dimension 0 of the work-items: blocks, 1: tiles of pixels, 2: batch.
 */
#define VECTORS (ITEM_N / 4)

__kernel void KERNEL(__global const x_T *x, __global const w_T *w, __global const f_T *f, __global const b_T *b, __global y_T *y,
	int height, int width, int quads, int out_height, int out_width, int outputs, int pad_top, int pad_left, int outside, float inverse,
	float zero EPILOGUE_ARGS)
{
	int block = (int)get_global_id(0), tile = (int)get_global_id(1), image = (int)get_global_id(2);

#if FOLDS > 1
	UNFOLD(block, tile, (int)get_global_size(0) / FOLDS, (int)get_global_size(1));
#endif
	int first = tile * ITEM_M, pixels = out_height * out_width, row[ITEM_M], column[ITEM_M], place[ITEM_M], sum[ITEM_M][ITEM_N];

	if (first >= pixels || block * ITEM_N >= outputs)
		return;
#pragma unroll
	for (int m = 0; m < ITEM_M; m++) {
		int p = min(first + m, pixels - 1), oy = p / out_width;

		row[m] = oy * STRIDE_H - pad_top;
		column[m] = (p - oy * out_width) * STRIDE_W - pad_left;
#pragma unroll
		for (int n = 0; n < ITEM_N; n++)
			sum[m][n] = 0;
	}
	w += block * (KERNEL_H * KERNEL_W * quads) * ITEM_N;
	for (int tap = 0; tap < KERNEL_H * KERNEL_W; tap++) {
#pragma unroll
		for (int m = 0; m < ITEM_M; m++) {
			int iy = row[m] + tap / KERNEL_W * DILATION_H, ix = column[m] + tap % KERNEL_W * DILATION_W;
			bool inside = iy >= 0 && iy < height && ix >= 0 && ix < width;

			place[m] = inside ? ((image * height + iy) * width + ix) * quads : -1;
		}
		for (int k = 0; k < quads; k++, w += ITEM_N) {
			int words[ITEM_N];

#pragma unroll
			for (int n = 0; n < ITEM_N; n++)
				words[n] = w[n];
#pragma unroll
			for (int m = 0; m < ITEM_M; m++) {
				uint a = place[m] >= 0 ? x[place[m] + k] : (uint)outside;

#pragma unroll
				for (int n = 0; n < ITEM_N; n++)
					sum[m][n] = DOT4(a, words[n], sum[m][n]);
			}
		}
	}
#pragma unroll
	for (int m = 0; m < ITEM_M; m++) {
#pragma unroll
		for (int q = 0; q < VECTORS; q++) {
			int n = block * ITEM_N + q * 4, p = image * pixels + first + m, i = p * outputs + n;

			if (first + m >= pixels || n >= outputs)
				continue;
			float4 value = fma(convert_float4(vload4(q, sum[m])), vload4(0, f + n), vload4(0, b + n));
#if BYTES
			if (n + 4 <= outputs) {
				value = EPILOGUEV(value, i);
			} else {
				float parts[4];

				vstore4(value, 0, parts);
				for (int j = 0; j < 4; j++)
					parts[j] = n + j < outputs ? EPILOGUE(parts[j], i + j) : 0.0f;
				value = vload4(0, parts);
			}
			y[p * ((outputs + 3) / 4) + n / 4] = as_uint(convert_uchar4_sat_rte(fma(value, (float4)(inverse), (float4)(zero))));
#else
			if (n + 4 <= outputs) {
				y_STV(y, i, EPILOGUEV(value, i));
			} else {
				float parts[4];

				vstore4(value, 0, parts);
				for (int j = 0; n + j < outputs; j++)
					y_ST(y, i + j, EPILOGUE(parts[j], i + j));
			}
#endif
		}
	}
}
#undef VECTORS
