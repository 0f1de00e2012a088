/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mean and factor 1 / sqrt(variance + epsilon) of each group of channels, from what instance_norm_chunks.cl left of each channel and chunk.  A group of
 * LANES work-items makes one; it merges as there.
 *   means, squares  [batch][chunks][channels]   norms  [batch][groups][2]   depth = channels of a group   global: LANES * groups, batch
 */
__kernel void KERNEL(__global const float *means, __global const float *squares, __global float *norms, int pixels, int channels, int chunk, int chunks,
		     int depth, float epsilon)
{
	__local float part_mean[LANES];
	__local float part_squares[LANES];
	__local float part_count[LANES];
	int lane = (int)get_local_id(0), group = (int)get_group_id(0), n = (int)get_global_id(1);
	float mean = 0.0f, sum = 0.0f, count = 0.0f;

	for (int i = lane; i < chunks * depth; i += LANES) {
		int s = i / depth, at = (n * chunks + s) * channels + group * depth + i % depth;
		float more = (float)min(chunk, pixels - s * chunk), d = means[at] - mean, share = more / (count + more);

		mean += d * share;
		sum += squares[at] + d * d * (count * share);
		count += more;
	}
	part_mean[lane] = mean;
	part_squares[lane] = sum;
	part_count[lane] = count;
	for (int step = LANES / 2; step > 0; step /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < step && part_count[lane + step] > 0.0f) {
			float all = part_count[lane] + part_count[lane + step], share = part_count[lane + step] / all;
			float d = part_mean[lane + step] - part_mean[lane];

			part_mean[lane] += d * share;
			part_squares[lane] += part_squares[lane + step] + d * d * (part_count[lane] * share);
			part_count[lane] = all;
		}
	}
	if (lane == 0) {
		int to = (n * (channels / depth) + group) * 2;

		norms[to] = part_mean[0];
		norms[to + 1] = 1.0f / sqrt(part_squares[0] / part_count[0] + epsilon);
	}
}
