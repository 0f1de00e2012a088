/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plane of one lens drawn from that of another: the maps of vr/remap.h, the arithmetic of kernels/remap_ref.c.
 *
 * Target pixel (x, y) belongs to run at = y * runs + x / 32, of which it is number t = x % 32.  kinds[at] is -1 where its position lies on the run's
 * curve, six ints at curves + 6 at:
 *
 *     u = c[0] + t c[1] + t (t - 1) / 2 c[2], v the same way of c[3 ..]      both s15.16
 *
 * else the number of the run's own positions, 32 u and 32 v at positions + 64 number, with bit 30 set where the source closes to a circle and the
 * run crosses its seam.  Bit t of inside[at] is 0 where the source shows nothing: there is fill.  The sample is the bilinear mix of four, weights of
 * 7 bits, positions outside of the source are those of its border.
 *
 * src: source_height rows of source_width pixels from src_at on; dst: height rows of width pixels from dst_at on; CHANNELS elements T a pixel,
 * samples SHIFT bits up.
 *
 * A work-item (x, y) makes one pixel.
 */
__kernel void KERNEL(__global const T *src, int src_at, int src_pitch, int source_width, int source_height, __global T *dst, int dst_at,
		     int dst_pitch, __global const int *curves, __global const uint *inside, __global const int *kinds,
		     __global const int *positions, int runs, int2 fill, int width, int height)
{
	int x = (int)get_global_id(0), y = (int)get_global_id(1), t = x & 31;

	if (x >= width || y >= height)
		return;
	int at = y * runs + (x >> 5), kind = kinds[at], u, v;

	dst += dst_at + y * dst_pitch + x * CHANNELS;
	if (!(inside[at] >> t & 1)) {
		for (int c = 0; c < CHANNELS; c++)
			dst[c] = (T)((c ? fill.y : fill.x) << SHIFT);
		return;
	}
	if (kind == -1) {
		__global const int *curve = curves + 6 * at;
		int steps = t * (t - 1) / 2;
		u = curve[0] + t * curve[1] + steps * curve[2];
		v = curve[3] + t * curve[4] + steps * curve[5];
	} else {
		__global const int *own = positions + 64 * (kind & 0x3fffffff);
		u = own[t];
		v = own[32 + t];
	}
	v = clamp(v, 0, ((source_height - 1) << 16) - 1);
	int left, next;

	if (kind != -1 && (kind & 0x40000000)) {
		left = u >> 16; /* 0..source_width */
		left -= left >= source_width ? source_width : 0;
		next = left + 1 == source_width ? 0 : left + 1;
	} else {
		u = clamp(u, 0, ((source_width - 1) << 16) - 1);
		left = u >> 16;
		next = left + 1;
	}
	int right = ((u & 0xffff) + 256) >> 9, down = ((v & 0xffff) + 256) >> 9;
	__global const T *above = src + src_at + (v >> 16) * src_pitch, *below = above + src_pitch;

	for (int c = 0; c < CHANNELS; c++) {
		int a = left * CHANNELS + c, b = next * CHANNELS + c;
		int upper = (above[a] >> SHIFT) * (128 - right) + (above[b] >> SHIFT) * right;
		int lower = (below[a] >> SHIFT) * (128 - right) + (below[b] >> SHIFT) * right;
		dst[c] = (T)(((upper * (128 - down) + lower * down + (1 << 13)) >> 14) << SHIFT);
	}
}
