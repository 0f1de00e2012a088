/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * People over a background, or alpha itself, in one pass over a plane: the arithmetic of vrs_upscale_row (kernels/scale_ref.c) and vrs_composite_row
 * and _over (kernels/composite_ref.c).
 *
 *     wide(r) = (m[r][left] * (2^14 - w) + m[r][left + 1] * w + 2^13) >> 14, m in alpha15: (a << 7) + (a >> 1)
 *     alpha = wide(upper) + (((wide(upper + 1) - wide(upper)) * weight + 2^14) >> 15)
 *     dst = b + (((s - b) * alpha + 2^14) >> 15), s where alpha is 32767
 *
 * src, dst, behind: planes of `height` rows of `width` pixels, CHANNELS elements T each, samples SHIFT bits up; s is solid (by channel) where src is
 * NULL, b is ground where behind is NULL.  dst may be src.  mattes: rows of matte_pitch bytes, one matte of matte_width x matte_height under the
 * other.  tables: from pieces_at on, eight ints for each rectangle of the plane that a matte covers: x, y, width, height, where {left, w} of its
 * columns lie and {upper, weight} of its rows (in ints), the first row of its
 * matte, and one that is not used.  Elsewhere alpha is 0.
 *
 * A work-item (x, y) makes elements 4 x .. 4 x + 3 of row y.
 */
#define PIXELS (4 / CHANNELS)

int NAME(wide)(__global const uchar *row, int2 column, int last)
{
	int left = row[column.x], right = row[min(column.x + 1, last)];

	left = (left << 7) + (left >> 1);
	right = (right << 7) + (right >> 1);
	return (left * (16384 - column.y) + right * column.y + 8192) >> 14;
}

int NAME(alpha)(__global const uchar *mattes, int pitch, int matte_width, int matte_height, __global const int *tables, int pieces_at, int pieces,
		int x, int y)
{
	for (int i = 0; i < pieces; i++) {
		int8 piece = vload8(0, tables + pieces_at + 8 * i);
		int column = x - piece.s0, row = y - piece.s1;

		if (column < 0 || column >= piece.s2 || row < 0 || row >= piece.s3)
			continue;
		int2 across = vload2(column, tables + piece.s4), down = vload2(row, tables + piece.s5);
		__global const uchar *matte = mattes + (piece.s6 + down.x) * pitch;
		int above = NAME(wide)(matte, across, matte_width - 1);

		if (down.x + 1 >= matte_height)
			return above;
		return above + (((NAME(wide)(matte + pitch, across, matte_width - 1) - above) * down.y + 16384) >> 15);
	}
	return 0;
}

__kernel void KERNEL(__global const T *src, int src_pitch, __global T *dst, int dst_pitch, __global const T *behind, int behind_pitch,
		     __global const uchar *mattes, int matte_pitch, int matte_width, int matte_height, __global const int *tables, int pieces_at,
		     int pieces, int2 solid, int2 ground, int width, int height)
{
	int x = PIXELS * (int)get_global_id(0), y = (int)get_global_id(1), elements = width * CHANNELS, at = x * CHANNELS;

	if (x >= width || y >= height)
		return;
	int alpha[PIXELS], shown = 0;

	for (int i = 0; i < PIXELS; i++) {
		alpha[i] = x + i < width ? NAME(alpha)(mattes, matte_pitch, matte_width, matte_height, tables, pieces_at, pieces, x + i, y) : 0;
		alpha[i] += alpha[i] == 32767; /* the whole of it, at any depth */
		shown |= alpha[i];
	}
	dst += y * dst_pitch + at;
	src = src ? src + y * src_pitch + at : 0;
	behind = behind ? behind + y * behind_pitch + at : 0;
	if (at + 4 <= elements) { /* rows begin at multiples of 64 elements */
		int4 b = CHANNELS == 2 ? (int4)(ground, ground) : (int4)ground.x, s = CHANNELS == 2 ? (int4)(solid, solid) : (int4)solid.x;
		int4 a = CHANNELS == 2 ? (int4)(alpha[0], alpha[0], alpha[1], alpha[1])
				       : (int4)(alpha[0], alpha[1], alpha[PIXELS - 2], alpha[PIXELS - 1]);

		if (behind)
			b = convert_int4(*(__global const T4 *)behind) >> SHIFT;
		if (shown && src)
			s = convert_int4(*(__global const T4 *)src) >> SHIFT;
		if (shown)
			b += ((s - b) * a + 16384) >> 15;
		*(__global T4 *)dst = CONVERT_T4(b << SHIFT);
		return;
	}
	for (int k = 0; at + k < elements; k++) {
		int c = k % CHANNELS, b = behind ? behind[k] >> SHIFT : c ? ground.y : ground.x;
		int s = src && shown ? src[k] >> SHIFT : c ? solid.y : solid.x;

		dst[k] = (T)((b + (((s - b) * alpha[k / CHANNELS] + 16384) >> 15)) << SHIFT);
	}
}

#undef PIXELS
