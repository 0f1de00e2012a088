/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A round picture copied, its surroundings filled: pixels [first, end) of row y come from src, the others are fill.
 *
 * spans: {first, end} of every row.  src, dst: `height` rows of `width` pixels from src_at and dst_at on, CHANNELS elements T a pixel, SHIFT bits up.
 *
 * A work-item (x, y) makes one pixel.
 */
__kernel void KERNEL(__global const T *src, int src_at, int src_pitch, __global T *dst, int dst_at, int dst_pitch, __global const int *spans,
		     int2 fill, int width, int height)
{
	int x = (int)get_global_id(0), y = (int)get_global_id(1);

	if (x >= width || y >= height)
		return;
	int first = spans[2 * y], end = spans[2 * y + 1];

	dst += dst_at + y * dst_pitch + x * CHANNELS;
	src += src_at + y * src_pitch + x * CHANNELS;
	for (int c = 0; c < CHANNELS; c++)
		dst[c] = x >= first && x < end ? src[c] : (T)((c ? fill.y : fill.x) << SHIFT);
}
