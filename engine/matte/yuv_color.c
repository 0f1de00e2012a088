/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/yuv_color.h"

#include <math.h>

#include "kernels/picture.h"

/* Y'CbCr of a format: kr, kb: weights of red and blue in luma (H.273 table 4); code value = offset + gain * (Y' in 0..1, or Cb, Cr in -0.5..0.5). */
struct coefficients {
	double kr, kb, luma_offset, luma_gain, chroma_offset, chroma_gain;
};

static struct coefficients coefficients_of(const struct vrs_picture_format *format)
{
	static const double weights[][2] = {[VRS_MATRIX_BT601] = {0.299, 0.114}, [VRS_MATRIX_BT709] = {0.2126, 0.0722},
		[VRS_MATRIX_BT2020] = {0.2627, 0.0593}};
	double unit = (double)(1 << (format->bit_depth - 8)), top = (double)((1 << format->bit_depth) - 1);
	bool full = format->range == VRS_RANGE_FULL;
	return (struct coefficients){.kr = weights[format->matrix][0], .kb = weights[format->matrix][1], .luma_offset = full ? 0 : 16 * unit,
		.luma_gain = full ? top : 219 * unit, .chroma_offset = 128 * unit, .chroma_gain = full ? top : 224 * unit};
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
	const struct coefficients k = coefficients_of(format);
	return to_code(k.luma_offset + k.luma_gain * grey / 255.0, format->bit_depth);
}

void vrs_yuv_to_share(double ret_rgb[3], const struct vrs_picture_format *format, const double yuv[3])
{
	const struct coefficients k = coefficients_of(format);
	double y = (yuv[0] - k.luma_offset) / k.luma_gain, b = (yuv[1] - k.chroma_offset) / k.chroma_gain, r = (yuv[2] - k.chroma_offset) / k.chroma_gain;
	ret_rgb[0] = y + 2 * (1 - k.kr) * r;
	ret_rgb[2] = y + 2 * (1 - k.kb) * b;
	ret_rgb[1] = (y - k.kr * ret_rgb[0] - k.kb * ret_rgb[2]) / (1 - k.kr - k.kb);
}

void vrs_yuv_codes(double ret_yuv[3], const struct vrs_picture_format *format, const double rgb[3])
{
	const struct coefficients k = coefficients_of(format);
	double y = k.kr * rgb[0] + (1 - k.kr - k.kb) * rgb[1] + k.kb * rgb[2];
	ret_yuv[0] = k.luma_offset + k.luma_gain * y;
	ret_yuv[1] = k.chroma_offset + k.chroma_gain * (rgb[2] - y) / (2 * (1 - k.kb));
	ret_yuv[2] = k.chroma_offset + k.chroma_gain * (rgb[0] - y) / (2 * (1 - k.kr));
}

void vrs_yuv_kernel_args(struct vrs_color_kernel_args *ret_args, const struct vrs_picture_format *format, bool bgr, const float mean[3],
			 const float scale[3])
{
	const struct coefficients k = coefficients_of(format);
	double kg = 1 - k.kr - k.kb, per_code = ldexp(1.0, format->bit_depth - 15); /* code values per sample15 unit */
	/* r g b as sums over Y', Cb, Cr */
	const double m[3][3] = {{1, 0, 2 * (1 - k.kr)}, {1, -2 * (1 - k.kb) * k.kb / kg, -2 * (1 - k.kr) * k.kr / kg}, {1, 2 * (1 - k.kb), 0}};
	for (int c = 0; c < 3; c++) {
		int from = bgr ? 2 - c : c;
		double bias = -k.luma_offset / k.luma_gain;
		ret_args->m[c][0] = (float)(per_code / k.luma_gain);
		for (int i = 1; i < 3; i++) {
			ret_args->m[c][i] = (float)(m[from][i] * per_code / k.chroma_gain);
			bias -= m[from][i] * k.chroma_offset / k.chroma_gain;
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
	static const int places[][2] = {{-1, 0}, {-1, 0}, {0, 0}, {-1, -1}, {0, -1}, {-1, 1}, {0, 1}};
	int location = format->chroma_location;
	return places[location >= 0 && location <= 6 ? location : 0][axis] * half;
}

struct vrs_rect vrs_plane_rect(const struct vrs_picture_format *format, const struct vrs_rect *part, int group)
{
	if (group == 0)
		return *part;
	int sx = format->chroma_shift_x, sy = format->chroma_shift_y;
	struct vrs_rect rect = {.x = part->x >> sx, .y = part->y >> sy};
	rect.width = ((part->x + part->width + (1 << sx) - 1) >> sx) - rect.x;
	rect.height = ((part->y + part->height + (1 << sy) - 1) >> sy) - rect.y;
	return rect;
}

struct vrs_plane_grid vrs_plane_grid_make(const struct vrs_picture_format *format, const struct vrs_rect *part, int group)
{
	struct vrs_plane_grid grid = {.step = {1, 1}, .extent = {part->width, part->height}};
	if (group == 1) {
		struct vrs_rect plane = vrs_plane_rect(format, part, group);
		grid.step[0] = 1 << format->chroma_shift_x;
		grid.step[1] = 1 << format->chroma_shift_y;
		/* the plane's part may begin before the part where that begins at an odd place */
		grid.offset[0] = vrs_chroma_offset(format, 0) + plane.x * grid.step[0] - part->x;
		grid.offset[1] = vrs_chroma_offset(format, 1) + plane.y * grid.step[1] - part->y;
	}
	return grid;
}
