/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Winograd convolution F(4x4, 3x3), last of three kernels: y = EPILOGUE(b + A' m A) of each tile, 4x4 pixels; matrices as in winograd_in.cl.  A
 * work-item makes a tile of VECTOR channels.
 *   m  [36][plane][pitch], the products   b  [pitch] (BIAS)   y  [batch][out_height][out_width][outputs]   pitch: outputs up to whole vectors
 * TAIL: outputs is no multiple of VECTOR.  Dimension 0 of the work-items: vectors of channels, 1: tiles_x, 2: batch * tiles_y.
 */
static void NAME(transform)(const VEC m[6], VEC t[4])
{
	VEC sum1 = m[1] + m[2], sum2 = m[3] + m[4], gap1 = m[1] - m[2], gap2 = m[3] - m[4];

	t[0] = m[0] + sum1 + sum2;
	t[1] = gap1 + 2.0f * gap2;
	t[2] = sum1 + 4.0f * sum2;
	t[3] = gap1 + 8.0f * gap2 + m[5];
}

__kernel void KERNEL(__global const m_T *m,
#if BIAS
	__global const b_T *b,
#endif
	__global y_T *y, int out_height, int out_width, int outputs, int tiles_x, int tiles_y, int plane, int pitch EPILOGUE_ARGS)
{
	int item = (int)get_global_id(0), tx = (int)get_global_id(1), z = (int)get_global_id(2);

#if FOLDS > 1
	UNFOLD(item, z, (int)get_global_size(0) / FOLDS, (int)get_global_size(2));
#endif
	int n = item * VECTOR, image = z / tiles_y;
	int ty = z - image * tiles_y, from = (z * tiles_x + tx) * pitch + n;
	VEC columns[6][4]; /* [column][row] */

	if (n >= outputs || tx >= tiles_x)
		return;
#pragma unroll
	for (int j = 0; j < 6; j++) {
		VEC d[6];

#pragma unroll
		for (int i = 0; i < 6; i++)
			d[i] = m_LDV(m, (i * 6 + j) * plane * pitch + from);
		NAME(transform)(d, columns[j]);
	}
#pragma unroll
	for (int i = 0; i < 4; i++) {
		int oy = ty * 4 + i;
		VEC d[6], t[4];

#pragma unroll
		for (int j = 0; j < 6; j++)
			d[j] = columns[j][i];
		NAME(transform)(d, t);
#pragma unroll
		for (int j = 0; j < 4; j++) {
			int ox = tx * 4 + j, at = ((image * out_height + oy) * out_width + ox) * outputs + n;
			VEC value = t[j];

#if BIAS
			value += b_LDV(b, n);
#endif
			if (oy < out_height && ox < out_width && (!TAIL || n + VECTOR <= outputs)) {
				y_STV(y, at, EPILOGUEV(value, at));
			} else if (oy < out_height && ox < out_width) {
				float parts[VECTOR];

				STOREV(value, parts);
				for (int k = 0; n + k < outputs; k++)
					y_ST(y, at + k, EPILOGUE(parts[k], at + k));
			}
		}
	}
}
