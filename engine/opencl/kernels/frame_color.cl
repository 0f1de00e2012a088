/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Horizontal half of an area scale of Y, U and V, and what the network gets of it: the arithmetic of vrs_downscale_columns (kernels/scale_ref.c) and
 * vrs_color_rgb_f32 (kernels/color_ref.c), whose order of operations is kept and where nothing is fused.
 *
 *     sample15 = (sum over t < used of row[first + t] * weights[t] + 2^13) >> 14
 *     dst[c] = clamp(y m[c][0] + u m[c][1] + v m[c][2] + bias[c], 0, 1) * scale[c] + offset[c]
 *
 * luma, u, v: rows of the vertical half, [height][..] elements; u and v lie chroma_step elements apart, v begins at v_at, and without chroma (u
 * NULL) both are neutral.  tables: of luma at luma_at and of chroma at chroma_at lie {first, used} of output x, from *_weights_at on its weights,
 * *_taps each.  color: m, bias, scale, offset, 18 floats.  dst: height * width * 3 floats from dst_at on.  luma15 (NULL: not wanted): [height] rows
 * of luma15_pitch elements, the scaled luma.
 *
 * A work-item (x, i) makes pixel (x, i).
 */
#pragma OPENCL FP_CONTRACT OFF

int NAME(sum)(__global const ushort *row, int step, __global const int *axis, __global const int *weights, int taps, int x)
{
	int first = axis[2 * x], used = axis[2 * x + 1], sum = 1 << 13;

	for (int t = 0; t < used; t++)
		sum += row[(first + t) * step] * weights[taps * x + t];
	return sum >> 14;
}

__kernel void KERNEL(__global const ushort *luma, int luma_pitch, __global const ushort *u, __global const ushort *v, int v_at, int chroma_step,
		     int chroma_pitch, __global const int *tables, int luma_at, int luma_weights_at, int luma_taps, int chroma_at,
		     int chroma_weights_at, int chroma_taps, __global const float *color, __global float *dst, int dst_at, __global ushort *luma15,
		     int luma15_pitch, int width, int height)
{
	int x = (int)get_global_id(0), i = (int)get_global_id(1);

	if (x >= width || i >= height)
		return;
	int y15 = NAME(sum)(luma + i * luma_pitch, 1, tables + luma_at, tables + luma_weights_at, luma_taps, x), u15 = 16384, v15 = 16384;

	if (u) {
		u15 = NAME(sum)(u + i * chroma_pitch, chroma_step, tables + chroma_at, tables + chroma_weights_at, chroma_taps, x);
		v15 = NAME(sum)(v + i * chroma_pitch + v_at, chroma_step, tables + chroma_at, tables + chroma_weights_at, chroma_taps, x);
	}
	float fy = (float)y15, fu = (float)u15, fv = (float)v15;

	dst += dst_at + (i * width + x) * 3;
	for (int c = 0; c < 3; c++) {
		float value = fy * color[3 * c] + fu * color[3 * c + 1] + fv * color[3 * c + 2] + color[9 + c];
		value = value > 0.0f ? value : 0.0f;
		value = value < 1.0f ? value : 1.0f;
		dst[c] = value * color[12 + c] + color[15 + c];
	}
	if (luma15)
		luma15[i * luma15_pitch + x] = (ushort)y15;
}
