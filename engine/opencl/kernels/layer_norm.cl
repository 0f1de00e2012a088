/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of `count` elements to mean 0 and variance 1: y = (x - mean) / sqrt(variance + epsilon) * scale[i] + bias[i].  The mean comes first, then the
 * squares around it.  A group of LANES work-items makes LANES / ACROSS rows, ACROSS work-items share one.
 *   x, y  [rows][count]   scale, bias  [count] with HAS_SCALE, HAS_BIAS, else anything
 */
__kernel void KERNEL(__global const x_T *x, __global y_T *y, __global const scale_T *scale, __global const bias_T *bias, int rows, int count,
		     float epsilon)
{
	__local float part[LANES];
	int lane = (int)get_local_id(0), k = lane % ACROSS, row = (int)get_group_id(0) * (LANES / ACROSS) + lane / ACROSS;
	int from = row * count, length = row < rows ? count : 0;
	float mean = 0.0f, factor = 0.0f;

	for (int pass = 0; pass < 2; pass++) {
		V sum = (V)(0);

		for (int i = k * VEC; i < length; i += ACROSS * VEC) {
			V d = LDV(x, x, from + i) - mean;

			sum += pass == 0 ? d : d * d;
		}
		part[lane] = SUM(sum);
		for (int step = ACROSS / 2; step > 0; step /= 2) {
			barrier(CLK_LOCAL_MEM_FENCE);
			if (k < step)
				part[lane] += part[lane + step];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (pass == 0)
			mean = part[lane - k] / (float)count;
		else
			factor = 1.0f / sqrt(part[lane - k] / (float)count + epsilon);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (int i = k * VEC; i < length; i += ACROSS * VEC) {
		V v = (LDV(x, x, from + i) - mean) * factor;

		if (HAS_SCALE)
			v *= LDV(scale, scale, i);
		if (HAS_BIAS)
			v += LDV(bias, bias, i);
		STV(y, y, from + i, v);
	}
}
