/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mean and squares around it of each channel over chunks of pixels.  A group makes ACROSS * VEC channels of one chunk: each of its LANES / ACROSS rows of
 * work-items goes over its pixels twice, for the mean and for the squares around it; then the rows are merged in a tree as
 *   mean = ma + d * nb / n, squares = sa + sb + d * d * na * nb / n with d = mb - ma, n = na + nb
 * (Chan, Golub and LeVeque, Updating Formulae and a Pairwise Algorithm for Computing Sample Variances, 1979).
 *   x  [batch][pixels][channels]   means, squares  [batch][chunks][channels]   global: LANES * groups along the channels, chunks, batch
 */
__kernel void KERNEL(__global const x_T *x, __global float *means, __global float *squares, int pixels, int channels, int chunk)
{
	__local V part_mean[LANES];
	__local V part_squares[LANES];
	__local float part_count[LANES];
	int lane = (int)get_local_id(0), c = ((int)get_group_id(0) * ACROSS + lane % ACROSS) * VEC;
	int s = (int)get_global_id(1), n = (int)get_global_id(2), first = s * chunk, last = first + min(chunk, pixels - first);
	float count = 0.0f;
	V sum = (V)(0), mean = (V)(0);

	for (int p = first + lane / ACROSS; p < last && c < channels; p += LANES / ACROSS) {
		sum += LDV(x, x, (n * pixels + p) * channels + c);
		count += 1.0f;
	}
	if (count > 0.0f)
		mean = sum / count;
	sum = (V)(0);
	for (int p = first + lane / ACROSS; p < last && c < channels; p += LANES / ACROSS) {
		V d = LDV(x, x, (n * pixels + p) * channels + c) - mean;

		sum += d * d;
	}
	part_mean[lane] = mean;
	part_squares[lane] = sum;
	part_count[lane] = count;
	for (int step = LANES / 2; step >= ACROSS; step /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < step && part_count[lane + step] > 0.0f) {
			float all = part_count[lane] + part_count[lane + step], share = part_count[lane + step] / all;
			V d = part_mean[lane + step] - part_mean[lane];

			part_mean[lane] += d * share;
			part_squares[lane] += part_squares[lane + step] + d * d * (part_count[lane] * share);
			part_count[lane] = all;
		}
	}
	if (lane < ACROSS && c < channels) {
		int to = (n * (int)get_global_size(1) + s) * channels + c;

		STV(means, means, to, part_mean[lane]);
		STV(squares, squares, to, part_squares[lane]);
	}
}
