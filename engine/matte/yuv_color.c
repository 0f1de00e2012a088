/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/yuv_color.h"

#include <math.h>

#include "kernels/picture.h"

/* Weights of red and blue in luma (H.273 table 4); green has the rest. */
static void matrix_weights(enum vrs_matrix matrix, double *kr, double *kb)
{
	switch (matrix) {
	case VRS_MATRIX_BT601:
		*kr = 0.299;
		*kb = 0.114;
		return;
	case VRS_MATRIX_BT2020:
		*kr = 0.2627;
		*kb = 0.0593;
		return;
	case VRS_MATRIX_BT709:
		break;
	}
	*kr = 0.2126;
	*kb = 0.0722;
}

/* Code value = offset + gain * (Y' in 0..1, or Cb and Cr in -0.5..0.5). */
static void code_range(const struct vrs_picture_format *format, double *luma_offset, double *luma_gain, double *chroma_offset, double *chroma_gain)
{
	double unit = (double)(1 << (format->bit_depth - 8)), top = (double)((1 << format->bit_depth) - 1);
	bool full = format->range == VRS_RANGE_FULL;
	*luma_offset = full ? 0 : 16 * unit;
	*luma_gain = full ? top : 219 * unit;
	*chroma_offset = 128 * unit;
	*chroma_gain = full ? top : 224 * unit;
}

static int to_code(double value, int bit_depth)
{
	double top = (double)((1 << bit_depth) - 1), rounded = floor(value + 0.5);
	return (int)(rounded < 0 ? 0 : rounded > top ? top : rounded);
}

void vrs_yuv_from_rgb(int ret_yuv[3], const struct vrs_picture_format *format, const uint8_t rgb[3])
{
	const double share[3] = {rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0};
	vrs_yuv_from_share(ret_yuv, format, share);
}

void vrs_yuv_from_share(int ret_yuv[3], const struct vrs_picture_format *format, const double rgb[3])
{
	double yuv[3];
	vrs_yuv_codes(yuv, format, rgb);
	for (int c = 0; c < 3; c++)
		ret_yuv[c] = to_code(yuv[c], format->bit_depth);
}

int vrs_luma_from_grey(const struct vrs_picture_format *format, int grey)
{
	double yo, yg, co, cg;
	code_range(format, &yo, &yg, &co, &cg);
	return to_code(yo + yg * grey / 255.0, format->bit_depth);
}

void vrs_yuv_to_share(double ret_rgb[3], const struct vrs_picture_format *format, const double yuv[3])
{
	double kr, kb, yo, yg, co, cg;
	matrix_weights(format->matrix, &kr, &kb);
	code_range(format, &yo, &yg, &co, &cg);
	double y = (yuv[0] - yo) / yg, b = (yuv[1] - co) / cg, r = (yuv[2] - co) / cg;
	ret_rgb[0] = y + 2 * (1 - kr) * r;
	ret_rgb[2] = y + 2 * (1 - kb) * b;
	ret_rgb[1] = (y - kr * ret_rgb[0] - kb * ret_rgb[2]) / (1 - kr - kb);
}

void vrs_yuv_codes(double ret_yuv[3], const struct vrs_picture_format *format, const double rgb[3])
{
	double kr, kb, yo, yg, co, cg;
	matrix_weights(format->matrix, &kr, &kb);
	code_range(format, &yo, &yg, &co, &cg);
	double y = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2];
	ret_yuv[0] = yo + yg * y;
	ret_yuv[1] = co + cg * (rgb[2] - y) / (2 * (1 - kb));
	ret_yuv[2] = co + cg * (rgb[0] - y) / (2 * (1 - kr));
}

void vrs_yuv_kernel_args(struct vrs_color_kernel_args *ret_args, const struct vrs_picture_format *format, bool bgr, const float mean[3],
			 const float scale[3])
{
	double kr, kb, yo, yg, co, cg;
	matrix_weights(format->matrix, &kr, &kb);
	code_range(format, &yo, &yg, &co, &cg);
	double kg = 1 - kr - kb, per_code = ldexp(1.0, format->bit_depth - 15); /* code values per sample15 unit */
	/* r g b as sums over Y', Cb, Cr */
	const double m[3][3] = {{1, 0, 2 * (1 - kr)}, {1, -2 * (1 - kb) * kb / kg, -2 * (1 - kr) * kr / kg}, {1, 2 * (1 - kb), 0}};
	for (int c = 0; c < 3; c++) {
		int from = bgr ? 2 - c : c;
		double bias = -yo / yg;
		ret_args->m[c][0] = (float)(per_code / yg);
		for (int i = 1; i < 3; i++) {
			ret_args->m[c][i] = (float)(m[from][i] * per_code / cg);
			bias -= m[from][i] * co / cg;
		}
		ret_args->bias[c] = (float)bias;
		ret_args->scale[c] = scale[from];
		ret_args->offset[c] = -mean[from] * scale[from];
	}
}

double vrs_chroma_offset(const struct vrs_picture_format *format, int axis)
{
	int shift = axis == 0 ? format->chroma_shift_x : format->chroma_shift_y;
	double half = ((1 << shift) - 1) / 2.0;
	/* AVChromaLocation: 0 unspecified (as left), 1 left, 2 centre, 3 top left, 4 top, 5 bottom left, 6 bottom */
	switch (format->chroma_location) {
	case 2:
		return 0;
	case 3:
		return -half;
	case 4:
		return axis == 0 ? 0 : -half;
	case 5:
		return axis == 0 ? -half : half;
	case 6:
		return axis == 0 ? 0 : half;
	default:
		return axis == 0 ? -half : 0;
	}
}
