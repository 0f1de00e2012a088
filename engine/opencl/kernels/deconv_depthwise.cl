/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transposed convolution of each channel alone, read backwards as in deconv.cl.  A work-item makes VEC channels of one output pixel.
 *   x     [batch][height][width][channels]   w  [KERNEL_H][KERNEL_W][channels]   bias  [channels]
 *   y     [batch][out_h][out_w][channels]    n = elements of y / VEC
 */
__kernel void KERNEL(__global const x_T *x, __global const w_T *w, __global const bias_T *bias, __global y_T *y, int height, int width, int channels,
		     int out_h, int out_w, int n EPILOGUE_ARGS)
{
	int item = (int)get_global_id(0);

	if (item >= n)
		return;
	int vectors = channels / VEC, c = item % vectors * VEC, pixel = item / vectors, ox = pixel % out_w, row = pixel / out_w;
	int oy = row % out_h, picture = row / out_h;
	V sum = LDV(bias, bias, c);

	for (int ky = 0; ky < KERNEL_H; ky++) {
		int down = oy + PAD_TOP - ky * DILATION_H, iy = down / STRIDE_H;

		if (down < 0 || down % STRIDE_H != 0 || iy >= height)
			continue;
		for (int kx = 0; kx < KERNEL_W; kx++) {
			int across = ox + PAD_LEFT - kx * DILATION_W, ix = across / STRIDE_W;

			if (across < 0 || across % STRIDE_W != 0 || ix >= width)
				continue;
			sum += LDV(x, x, ((picture * height + iy) * width + ix) * channels + c) * LDV(w, w, (ky * KERNEL_W + kx) * channels + c);
		}
	}
	STV(y, y, item * VEC, EPILOGUEV(sum, item * VEC));
}
