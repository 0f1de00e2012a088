/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/packed_video.h"

#include <math.h>

#include "matte/yuv_color.h"

#define NOTHING (0.02 * 255)
#define SHRUNK 0.4 /* the mattes of an eye, of the frame */

/* Red of 0..255 is (Y - black) * luma + (Cr - middle) * chroma. */
struct red {
	double black, luma, middle, chroma;
};

/* From the colours that the codes of black, white and red stand for. */
static struct red red_of(const struct vrs_picture_format *format)
{
	static const uint8_t pure[3] = {255, 0, 0};
	int yuv[3];
	struct red red = {.black = vrs_luma_from_grey(format, 0), .middle = 1 << (format->bit_depth - 1)};

	red.luma = 255 / (vrs_luma_from_grey(format, 255) - red.black);
	vrs_yuv_from_rgb(yuv, format, pure);
	red.chroma = (255 - (yuv[0] - red.black) * red.luma) / (yuv[2] - red.middle);
	return red;
}

void vrs_alpha_unpack_place(int eye, double u, double v, double *ret_x, double *ret_y)
{
	/* in the atlas: an eye has half of the width */
	double x = u / 2 * SHRUNK, y = v * SHRUNK;

	/* upper halves lie at the bottom of the frame, lower halves at its top */
	*ret_y = v < 0.5 ? 1 - SHRUNK / 2 + y : y - SHRUNK / 2;
	if (eye == 0)
		*ret_x = 0.5 - SHRUNK / 4 + x;
	else
		*ret_x = u < 0.5 ? 1 - SHRUNK / 4 + x : x - SHRUNK / 4;
}

static double sample(const struct vrs_frame *frame, int p, int x, int y)
{
	const uint8_t *row = frame->data[p] + frame->stride_bytes[p] * y;

	return frame->format.bit_depth == 8 ? row[x] : ((const uint16_t *)(const void *)row)[x];
}

/* Bilinear at a place in samples, borders repeated. */
static double sample_between(const struct vrs_frame *frame, int p, double x, double y)
{
	int w = vrs_plane_width(&frame->format, p), h = vrs_plane_height(&frame->format, p);

	x = fmin(fmax(x, 0), w - 1);
	y = fmin(fmax(y, 0), h - 1);
	int i = (int)x, j = (int)y, right = i + 1 < w ? i + 1 : i, below = j + 1 < h ? j + 1 : j;
	x -= i;
	y -= j;
	return (1 - y) * ((1 - x) * sample(frame, p, i, j) + x * sample(frame, p, right, j)) +
	       y * ((1 - x) * sample(frame, p, i, below) + x * sample(frame, p, right, below));
}

static double red_at(const struct vrs_frame *frame, const struct red *red, double x, double y)
{
	const struct vrs_picture_format *f = &frame->format;
	double value = (sample_between(frame, 0, x - 0.5, y - 0.5) - red->black) * red->luma;

	if (f->planes >= 3) {
		double cx = (x - vrs_chroma_offset(f, 0)) / (1 << f->chroma_shift_x) - 0.5, cy = (y - vrs_chroma_offset(f, 1)) / (1 << f->chroma_shift_y) - 0.5;
		value += (sample_between(frame, 2, cx, cy) - red->middle) * red->chroma;
	}
	return value < NOTHING ? 0 : value > 255 ? 255 : value;
}

void vrs_packed_video_matte(struct vrs_matte *ret_matte, const struct vrs_frame *frame, int eye, int dx, int dy)
{
	struct red red = red_of(&frame->format);

	for (int j = 0; j < ret_matte->height; j++)
		for (int i = 0; i < ret_matte->width; i++) {
			double u = (i + 0.5) / ret_matte->width, v = (j + 0.5) / ret_matte->height, x, y, value = 0;
			vrs_alpha_unpack_place(eye, u, v, &x, &y);
			if (hypot(u - 0.5, v - 0.5) <= 0.5)
				value = red_at(frame, &red, x * frame->format.width + dx, y * frame->format.height + dy);
			ret_matte->data[ret_matte->stride * j + i] = (uint8_t)lrint(value);
		}
}
