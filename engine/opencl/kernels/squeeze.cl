/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Squeeze-excitation: the average of each channel from the map, or from sums over its chunks, then LAYERS (1 or 2) products with weights, each with a
 * bias and a function,
 *   mean[c] = factor * sum over s of x[n][s][c];  middle = ACT_1(w1 * mean + bias1);  y[n] = ACT_2(w2 * middle + bias2)
 * A group of LANES work-items makes SLICE outputs of a picture, with two layers all of them.  Several work-items share a value where there are few:
 * SHARE_0 VEC channels, SHARE_1 and SHARE_2 an output of a layer; powers of two.
 *   x  [batch][chunks][channels], pixels or chunks   w1  [channels][middle]   bias1  [middle]   w2  [middle][outputs]   bias2  [outputs]
 *   y  [batch][outputs]   global: LANES * batch, slices
 * One layer: w1 and bias1 make y, whose channels are `outputs`; w2 and bias2 are not read.
 */
/* For each o from `begin` to `end` - 1: total = sum of `term` over i below `depth`, then `finish`. */
#define vrs_squeeze(T, part, begin, end, depth, SHARE, term, finish) \
	for (int first = (begin); first < (end); first += LANES / SHARE) { \
		int o = first + lane % (LANES / SHARE); \
		T total = 0.0f; \
\
		for (int i = lane / (LANES / SHARE); i < (depth) && o < (end); i += SHARE) \
			total += term; \
		part[lane] = total; \
		barrier(CLK_LOCAL_MEM_FENCE); \
		for (int half_share = SHARE / 2; half_share > 0; half_share /= 2) { \
			if (lane < half_share * (LANES / SHARE)) \
				part[lane] += part[lane + half_share * (LANES / SHARE)]; \
			barrier(CLK_LOCAL_MEM_FENCE); \
		} \
		if (lane < LANES / SHARE && o < (end)) { \
			total = part[lane]; \
			finish; \
		} \
		barrier(CLK_LOCAL_MEM_FENCE); \
	}
#if VEC == 4
#define PUT_MEAN vstore4(total * factor, o, mean)
#else
#define PUT_MEAN mean[o] = total * factor
#endif

__kernel void KERNEL(__global const x_T *x, __global const w1_T *w1, __global const float *bias1, __global const w2_T *w2,
		     __global const float *bias2, __global y_T *y, int chunks, float factor)
{
	__local V sums[LANES];
	__local float *part = (__local float *)sums;
	__local float mean[CHANNELS];
	__local float middle[MIDDLE];
	int lane = (int)get_local_id(0), n = (int)get_group_id(0);

	vrs_squeeze(V, sums, 0, CHANNELS / VEC, chunks, SHARE_0, LDV(x, x, (n * chunks + i) * CHANNELS + o * VEC), PUT_MEAN)
#if LAYERS == 2
	vrs_squeeze(float, part, 0, MIDDLE, CHANNELS, SHARE_1, mean[i] * w1_LD(w1, i * MIDDLE + o), total += bias1[o]; middle[o] = ACT_1(total))
	vrs_squeeze(float, part, 0, OUTPUTS, MIDDLE, SHARE_2, middle[i] * w2_LD(w2, i * OUTPUTS + o),
		    total += bias2[o]; y_ST(y, n * OUTPUTS + o, ACT_2(total)))
#else
	int slice = (int)get_group_id(1) * SLICE, slice_end = min(slice + SLICE, OUTPUTS);

	vrs_squeeze(float, part, slice, slice_end, CHANNELS, SHARE_1, mean[i] * w1_LD(w1, i * OUTPUTS + o),
		    total += bias1[o]; y_ST(y, n * OUTPUTS + o, ACT_1(total)))
#endif
}
#undef vrs_squeeze
#undef PUT_MEAN
