/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the network's output to matte bytes, as vrs_alpha_from_output and the last step of matte/postprocess.c make them:
 *
 *     dst = curve[(uchar)(alpha * 255 + 0.5)], alpha = clamp(s, 0, 1) of s = x, 1 / (1 + exp(-x)) or the softmax of two; NaN is background
 *
 * src: `height` rows of `width` pixels, CHANNELS floats each, from src_at on; float number CHANNEL is read.  KIND 0: probability, 1: logits, 2:
 * softmax of the first two.  dst: rows of `pitch` bytes from dst_at on.  curve: 256 bytes.
 *
 * A work-item (x, y) makes one byte.
 */
#pragma OPENCL FP_CONTRACT OFF

__kernel void KERNEL(__global const float *src, int src_at, __global uchar *dst, int dst_at, int pitch,
		     __global const uchar *curve, int width, int height)
{
	int x = (int)get_global_id(0), y = (int)get_global_id(1);

	if (x >= width || y >= height)
		return;
	src += src_at + (y * width + x) * CHANNELS;
	float value = src[CHANNEL];

#if KIND == 1
	value = 1.0f / (1.0f + exp(-value));
#elif KIND == 2
	value = 1.0f / (1.0f + exp(src[CHANNEL ? CHANNEL - 1 : 1] - value));
#endif
	value = value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
	dst[dst_at + y * pitch + x] = curve[(uchar)(value * 255.0f + 0.5f)];
}
