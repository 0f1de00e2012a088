/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Winograd convolution F(4x4, 3x3), first of three kernels: v = B' d B of each tile of 6x6 pixels, which begin 4 apart.  (A. Lavin, S. Gray, "Fast
 * algorithms for convolutional neural networks", CVPR 2016; points 0, 1, -1, 2, -2, infinity, matrices as in engine/kernels/winograd_points.h.)
 * A work-item makes the 36 points of a tile for VECTOR channels.
 *   x  [batch][height][width][channels]
 *   v  [36][plane][pitch], of a plane batch * tiles_y * tiles_x tiles count, pitch: channels and zeros up to whole vectors
 * TAIL: channels is no multiple of VECTOR.  Dimension 0 of the work-items: vectors of channels, 1: tiles_x, 2: batch * tiles_y.
 */
/* VECTOR channels from c on of the pixel at `from`. */
static VEC NAME(load)(__global const x_T *x, int from, int c, int channels)
{
#if TAIL
	float parts[VECTOR];

	if (c + VECTOR > channels) {
		for (int j = 0; j < VECTOR; j++)
			parts[j] = c + j < channels ? x_LD(x, from + c + j) : 0.0f;
		return LOADV(parts);
	}
#endif
	return x_LDV(x, from + c);
}

static void NAME(transform)(const VEC d[6], VEC t[6])
{
	t[0] = 4.0f * d[0] - 5.0f * d[2] + d[4];
	t[1] = d[3] + d[4] - 4.0f * (d[1] + d[2]);
	t[2] = d[4] - d[3] + 4.0f * (d[1] - d[2]);
	t[3] = d[4] - d[2] + 2.0f * (d[3] - d[1]);
	t[4] = d[4] - d[2] - 2.0f * (d[3] - d[1]);
	t[5] = 4.0f * d[1] - 5.0f * d[3] + d[5];
}

__kernel void KERNEL(__global const x_T *x, __global v_T *v, int height, int width, int channels, int tiles_x, int tiles_y, int plane, int pitch,
	int pad_top, int pad_left)
{
	int item = (int)get_global_id(0), tx = (int)get_global_id(1), z = (int)get_global_id(2);

#if FOLDS > 1
	UNFOLD(item, z, (int)get_global_size(0) / FOLDS, (int)get_global_size(2));
#endif
	int c = item * VECTOR, image = z / tiles_y;
	int iy0 = (z - image * tiles_y) * 4 - pad_top, ix0 = tx * 4 - pad_left;
	VEC columns[6][6]; /* [column][row] */

	if (c >= pitch || tx >= tiles_x)
		return;
#pragma unroll
	for (int j = 0; j < 6; j++) {
		int ix = ix0 + j;
		VEC d[6];

#pragma unroll
		for (int i = 0; i < 6; i++) {
			int iy = iy0 + i;

			d[i] = 0.0f;
			if (iy >= 0 && iy < height && ix >= 0 && ix < width)
				d[i] = NAME(load)(x, ((image * height + iy) * width + ix) * channels, c, channels);
		}
		NAME(transform)(d, columns[j]);
	}
	int to = (z * tiles_x + tx) * pitch + c;

#pragma unroll
	for (int i = 0; i < 6; i++) {
		VEC d[6], t[6];

#pragma unroll
		for (int j = 0; j < 6; j++)
			d[j] = columns[j][i];
		NAME(transform)(d, t);
#pragma unroll
		for (int j = 0; j < 6; j++)
			v_STV(v, (i * 6 + j) * plane * pitch + to, t[j]);
	}
}
