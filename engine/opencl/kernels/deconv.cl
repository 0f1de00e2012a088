/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transposed convolution, read backwards: each output pixel collects the taps that reach it,
 *   y[n][oy][ox][o] = EPILOGUE(bias[o] + sum over ky, kx, i of x[n][iy][ix][i] * w[o][ky][kx][i]),
 *   iy = (oy + PAD_TOP - ky * DILATION_H) / STRIDE_H and ix alike, where these divide without rest and lie in the map.
 * A work-item makes BLOCK (1 or 4) channels of PIXELS output pixels that lie STRIDE_W apart: they share taps, and read neighbours of a row.
 *   x     [batch][height][width][channels]
 *   w     [groups][blocks][KERNEL_H][KERNEL_W][depth][BLOCK]: of a group's `outputs` channels, BLOCK at a time, zeros beyond
 *   bias  [groups][blocks][BLOCK]
 *   y     [batch][out_h][out_w][groups * outputs]
 * columns: STRIDE_W * (output pixels of one phase / PIXELS, rounded up).  depth: input channels of a group; DEPTH_4: it is a multiple of 4.
 * n = batch * out_h * columns * groups * blocks work-items.
 */
__kernel void KERNEL(__global const x_T *x, __global const w_T *w, __global const float *bias, __global y_T *y, int height, int width, int channels,
		     int depth, int out_h, int out_w, int outputs, int groups, int blocks, int columns, int n EPILOGUE_ARGS)
{
	int item = (int)get_global_id(0);

	if (item >= n)
		return;
	int all = groups * blocks, block = item % all, column = item / all % columns, row = item / all / columns;
	int group = block / blocks, oy = row % out_h, picture = row / out_h;
	int first = column / STRIDE_W * PIXELS * STRIDE_W + column % STRIDE_W; /* of the output pixels */
	A sum[PIXELS];

	for (int t = 0; t < PIXELS; t++)
		sum[t] = LOAD_BIAS(bias, block * BLOCK);
	for (int ky = 0; ky < KERNEL_H; ky++) {
		int down = oy + PAD_TOP - ky * DILATION_H, iy = down / STRIDE_H;

		if (down < 0 || down % STRIDE_H != 0 || iy >= height)
			continue;
		for (int kx = 0; kx < KERNEL_W; kx++) {
			int across = first + PAD_LEFT - kx * DILATION_W, ix = across / STRIDE_W;

			if (across % STRIDE_W != 0)
				continue;
			int weights = ((block * KERNEL_H + ky) * KERNEL_W + kx) * depth * BLOCK;
			int from = ((picture * height + iy) * width + ix) * channels + group * depth;

#if DEPTH_4
			for (int i = 0; i < depth; i += 4) {
#if BLOCK == 4
				float4 w0 = w_LD4(w, weights + i * 4), w1 = w_LD4(w, weights + i * 4 + 4), w2 = w_LD4(w, weights + i * 4 + 8),
				       w3 = w_LD4(w, weights + i * 4 + 12);
#else
				float4 w0 = w_LD4(w, weights + i);
#endif
				for (int t = 0; t < PIXELS; t++) {
					if (ix + t < 0 || ix + t >= width)
						continue;
					float4 v = x_LD4(x, from + t * channels + i);
#if BLOCK == 4
					sum[t] += v.s0 * w0 + v.s1 * w1 + v.s2 * w2 + v.s3 * w3;
#else
					sum[t] += dot(v, w0);
#endif
				}
			}
#else
			for (int i = 0; i < depth; i++) {
				A w0 = LOAD_WEIGHTS(w, weights + i * BLOCK);

				for (int t = 0; t < PIXELS; t++)
					if (ix + t >= 0 && ix + t < width)
						sum[t] += x_LD(x, from + t * channels + i) * w0;
			}
#endif
		}
	}
	int o = block % blocks * BLOCK;

	for (int t = 0; t < PIXELS; t++) {
		int ox = first + t * STRIDE_W, to = ((row * out_w + ox) * groups + group) * outputs + o;

		if (ox >= out_w)
			break;
#if BLOCK == 4
		float part[4];

		if (o + 4 <= outputs) {
			y_ST4(y, to, EPILOGUE4(sum[t], to));
			continue;
		}
		vstore4(sum[t], 0, part);
		for (int k = 0; o + k < outputs; k++)
			y_ST(y, to + k, EPILOGUE(part[k], to + k));
#else
		y_ST(y, to, EPILOGUE(sum[t], to));
#endif
	}
}
