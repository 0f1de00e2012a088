/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The largest value or the average of each window.  A work-item makes VEC channels of one output pixel; AVERAGE divides by the places of the window
 * that lie in the map, with COUNT_PAD also by those in its padding.
 *   x  [batch][height][width][channels]   y  [batch][out_h][out_w][channels]   n = elements of y / VEC
 */
__kernel void KERNEL(__global const x_T *x, __global y_T *y, int height, int width, int channels, int out_h, int out_w, int n)
{
	int item = (int)get_global_id(0);

	if (item >= n)
		return;
	int vectors = channels / VEC, c = item % vectors * VEC, pixel = item / vectors, ox = pixel % out_w, row = pixel / out_w;
	int top = row % out_h * STRIDE_H - PAD_TOP, left = ox * STRIDE_W - PAD_LEFT, picture = row / out_h;
	int rows = 0, columns = 0; /* that count */
	V result = AVERAGE ? (V)(0) : (V)(-INFINITY);

	for (int kx = 0; kx < KERNEL_W; kx++) {
		int ix = left + kx * DILATION_W;

		columns += COUNT_PAD ? ix < width + PAD_RIGHT : ix >= 0 && ix < width;
	}
	for (int ky = 0; ky < KERNEL_H; ky++) {
		int iy = top + ky * DILATION_H;

		rows += COUNT_PAD ? iy < height + PAD_BOTTOM : iy >= 0 && iy < height;
		if (iy < 0 || iy >= height)
			continue;
		for (int kx = 0; kx < KERNEL_W; kx++) {
			int ix = left + kx * DILATION_W;

			if (ix < 0 || ix >= width)
				continue;
			V v = LDV(x, x, ((picture * height + iy) * width + ix) * channels + c);

			result = AVERAGE ? result + v : result > v ? result : v;
		}
	}
	if (AVERAGE)
		result = rows * columns > 0 ? result / (float)(rows * columns) : (V)(0);
	STV(y, y, item * VEC, result);
}
