/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The place of the largest value of each window, the first one of equals, counted through x as [batch][channels][height][width], with COLUMN_MAJOR as
 * [batch][channels][width][height].  A work-item makes one of n elements.
 *   x  [batch][height][width][channels]   y  [batch][out_h][out_w][channels], 64 bits
 */
__kernel void KERNEL(__global const x_T *x, __global y_T *y, int height, int width, int channels, int out_h, int out_w, int n)
{
	int item = (int)get_global_id(0);

	if (item >= n)
		return;
	int c = item % channels, pixel = item / channels, ox = pixel % out_w, row = pixel / out_w;
	int top = row % out_h * STRIDE_H - PAD_TOP, left = ox * STRIDE_W - PAD_LEFT, picture = row / out_h;
	int place = 0;
	bool any = false;
	float most = -INFINITY;

	for (int ky = 0; ky < KERNEL_H; ky++) {
		int iy = top + ky * DILATION_H;

		if (iy < 0 || iy >= height)
			continue;
		for (int kx = 0; kx < KERNEL_W; kx++) {
			int ix = left + kx * DILATION_W;

			if (ix < 0 || ix >= width)
				continue;
			float v = x_LD(x, ((picture * height + iy) * width + ix) * channels + c);

			/* What is no number gives way to the next value. */
			if (!any || !(v <= most)) {
				most = v;
				place = (picture * channels + c) * height * width + (COLUMN_MAJOR ? ix * height + iy : iy * width + ix);
			}
			any = true;
		}
	}
	y[item] = (y_T)place;
}
