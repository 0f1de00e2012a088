/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * y = (x - mean) * factor * scale[c] + bias[c] with the mean and factor of the picture and the group of the channel.  A work-item makes VEC channels of
 * one pixel.
 *   x, y  [batch][pixels][channels]   norms  [batch][groups][2]   scale, bias  [channels]   depth = channels of a group   n = elements of y / VEC
 */
__kernel void KERNEL(__global const x_T *x, __global y_T *y, __global const float *norms, __global const scale_T *scale, __global const bias_T *bias,
		     int pixels, int channels, int depth, int n)
{
	int item = (int)get_global_id(0);

	if (item >= n)
		return;
	int vectors = channels / VEC, c = item % vectors * VEC, at = item / vectors / pixels * (channels / depth);
	V v = LDV(x, x, item * VEC);

#if VEC == 4
	int a = 2 * (at + c / depth), b = 2 * (at + (c + 1) / depth), d = 2 * (at + (c + 2) / depth), e = 2 * (at + (c + 3) / depth);

	v = (v - (float4)(norms[a], norms[b], norms[d], norms[e])) * (float4)(norms[a + 1], norms[b + 1], norms[d + 1], norms[e + 1]);
#else
	int a = 2 * (at + c / depth);

	v = (v - norms[a]) * norms[a + 1];
#endif
	STV(y, y, item * VEC, v * LDV(scale, scale, c) + LDV(bias, bias, c));
}
