/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums over pixels in chunks: y[n][s][c] = factor * sum of x[n][p][c] over `chunk` pixels p from s * chunk on.  A group makes ACROSS * VEC channels of
 * one chunk: each of its LANES / ACROSS rows of work-items adds every so manieth pixel, then the rows are added in a tree.
 *   x  [batch][pixels][channels]   y  [batch][chunks][channels]   global: LANES * groups along the channels, chunks, batch
 */
__kernel void KERNEL(__global const x_T *x, __global y_T *y, int pixels, int channels, int chunk, float factor)
{
	__local V part[LANES];
	int lane = (int)get_local_id(0), c = ((int)get_group_id(0) * ACROSS + lane % ACROSS) * VEC;
	int s = (int)get_global_id(1), n = (int)get_global_id(2), first = s * chunk, last = first + min(chunk, pixels - first);
	V sum = (V)(0);

	for (int p = first + lane / ACROSS; p < last && c < channels; p += LANES / ACROSS)
		sum += LDV(x, x, (n * pixels + p) * channels + c);
	part[lane] = sum;
	for (int half_lanes = LANES / 2; half_lanes >= ACROSS; half_lanes /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < half_lanes)
			part[lane] += part[lane + half_lanes];
	}
	if (lane < ACROSS && c < channels)
		STV(y, y, (n * (int)get_global_size(1) + s) * channels + c, part[lane] * factor);
}
