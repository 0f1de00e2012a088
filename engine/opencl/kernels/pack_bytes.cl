/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of a tensor for conv_dot.cl: q = x * inverse + zero, rounded to nearest even, 0..255.  A work-item makes a word of four channels.
 *   x  [pixels][channels]   y  [pixels][quads] words, zeros behind the last channel; words: of all pixels
 */
__kernel void KERNEL(__global const x_T *x, __global y_T *y, int words, int channels, int quads, float inverse, float zero)
{
	int i = (int)get_global_id(0);

	if (i >= words)
		return;
	int pixel = i / quads, c = (i - pixel * quads) * 4, from = pixel * channels + c;
	float4 value;

	if (c + 4 <= channels) {
		value = x_LD4(x, from);
	} else {
		float parts[4];

		for (int j = 0; j < 4; j++)
			parts[j] = c + j < channels ? x_LD(x, from + j) : 0.0f;
		value = vload4(0, parts);
	}
	y[i] = as_uint(convert_uchar4_sat_rte(fma(value, (float4)(inverse), (float4)(zero))));
}
