/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A disc of alpha packing (vr/alpha_disc.c): the matte of an eye, sampled through a map (frame_remap.cl) from the disc to the eye, drawn around a
 * point of the packed picture and wrapping around it.  Eye position to matte position, in fixed point: m = (u * factor >> 24) + shift.  The mix is
 * that of kernels/remap_ref.c; outside the matte alpha is 0, and where it is 0 nothing is written.
 *
 * matte: matte_height rows of matte_width bytes, from matte_at on.  The disc is size x size samples, its first one at (left, top) of the picture,
 * which may be negative.  picture: width x height samples of T, SHIFT bits up, chroma SHIFT_X and SHIFT_Y coarser.  codes: [3][256] by plane and
 * alpha.  u NULL: chroma stays; else a chroma sample takes the largest alpha of the luma samples that it stands for; samples of u and of v lie
 * chroma_step elements apart, v begins at v_at.
 *
 * A work-item makes the luma samples of one chroma sample, and that.
 */
int NAME(alpha)(__global const uchar *matte, int pitch, int2 extent, long2 factor, long2 shift, int u, int v)
{
	long x = ((u * factor.x) >> 24) + shift.x, y = ((v * factor.y) >> 24) + shift.y;

	if (x < -32768 || y < -32768 || x > ((long)extent.x << 16) - 32768 || y > ((long)extent.y << 16) - 32768)
		return 0;
	int across = clamp((int)x, 0, ((extent.x - 1) << 16) - 1), along = clamp((int)y, 0, ((extent.y - 1) << 16) - 1);
	int right = ((across & 0xffff) + 256) >> 9, down = ((along & 0xffff) + 256) >> 9;
	__global const uchar *above = matte + (along >> 16) * pitch + (across >> 16), *below = above + pitch;
	int upper = above[0] * (128 - right) + above[1] * right, lower = below[0] * (128 - right) + below[1] * right;

	return (upper * (128 - down) + lower * down + (1 << 13)) >> 14;
}

__kernel void KERNEL(__global const uchar *matte, int matte_at, int matte_pitch, int2 extent, long2 factor, long2 shift, __global const int *curves,
		     __global const uint *inside, __global const int *kinds, __global const int *positions, int runs, int size, int left, int top,
		     __global T *luma, int luma_pitch, __global T *u, __global T *v, int v_at, int chroma_step, int chroma_pitch,
		     __global const ushort *codes, int width, int height)
{
	int block_x = (left >> SHIFT_X) + (int)get_global_id(0), block_y = (top >> SHIFT_Y) + (int)get_global_id(1), largest = 0;

	if (block_x > (left + size - 1) >> SHIFT_X || block_y > (top + size - 1) >> SHIFT_Y)
		return;
	for (int k = 0; k < 1 << (SHIFT_X + SHIFT_Y); k++) {
		int x = (block_x << SHIFT_X) + (k & ((1 << SHIFT_X) - 1)), y = (block_y << SHIFT_Y) + (k >> SHIFT_X), i = x - left, j = y - top;

		if (i < 0 || i >= size || j < 0 || j >= size)
			continue;
		int at = j * runs + (i >> 5), t = i & 31, kind = kinds[at], alpha;

		if (!(inside[at] >> t & 1))
			continue;
		if (kind == -1) {
			__global const int *curve = curves + 6 * at;
			int steps = t * (t - 1) / 2;
			alpha = NAME(alpha)(matte + matte_at, matte_pitch, extent, factor, shift, curve[0] + t * curve[1] + steps * curve[2],
					    curve[3] + t * curve[4] + steps * curve[5]);
		} else {
			__global const int *own = positions + 64 * (kind & 0x3fffffff);
			alpha = NAME(alpha)(matte + matte_at, matte_pitch, extent, factor, shift, own[t], own[32 + t]);
		}
		if (!alpha)
			continue;
		x += x < 0 ? width : x >= width ? -width : 0;
		y += y < 0 ? height : 0;
		luma[y * luma_pitch + x] = (T)(codes[alpha] << SHIFT);
		largest = max(largest, alpha);
	}
	if (!u || !largest)
		return;
	block_x += block_x < 0 ? width >> SHIFT_X : block_x >= width >> SHIFT_X ? -(width >> SHIFT_X) : 0;
	block_y += block_y < 0 ? height >> SHIFT_Y : 0;
	int chroma = block_y * chroma_pitch + block_x * chroma_step;

	u[chroma] = (T)(codes[256 + largest] << SHIFT);
	v[chroma + v_at] = (T)(codes[512 + largest] << SHIFT);
}
