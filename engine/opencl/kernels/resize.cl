/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A resize that takes two neighbours an axis at most, or the nearest one (NEAREST).  A work-item makes VEC channels of one output pixel.
 *   x  [batch][height][width][channels]   y  [batch][out_h][out_w][channels]   n = elements of y / VEC
 *   places [out_h + out_w][2]: the neighbours of each output row, then of each output column; weights [out_h + out_w]: of the second one
 */
__kernel void KERNEL(__global const x_T *x, __global y_T *y, __global const int *places, __global const float *weights, int height, int width,
		     int channels, int out_h, int out_w, int n)
{
	int item = (int)get_global_id(0);

	if (item >= n)
		return;
	int vectors = channels / VEC, c = item % vectors * VEC, pixel = item / vectors, ox = pixel % out_w, row = pixel / out_w, oy = row % out_h;
	int map = row / out_h * height, left = places[2 * (out_h + ox)], top = (map + places[2 * oy]) * width;
	V result;

	if (NEAREST) {
		result = LDV(x, x, (top + left) * channels + c);
	} else {
		int right = places[2 * (out_h + ox) + 1], bottom = (map + places[2 * oy + 1]) * width;
		float across = weights[out_h + ox], down = weights[oy];
		V a = LDV(x, x, (top + left) * channels + c), b = LDV(x, x, (top + right) * channels + c);
		V above = a * (1.0f - across) + b * across;

		a = LDV(x, x, (bottom + left) * channels + c);
		b = LDV(x, x, (bottom + right) * channels + c);
		result = above * (1.0f - down) + (a * (1.0f - across) + b * across) * down;
	}
	STV(y, y, item * VEC, result);
}
