/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/matte_kind.h"

#include <math.h>
#include <stdlib.h>

#define STEP 2            /* every second sample of every second row is looked at */
#define DARK 20           /* of 255: black, as encoders leave it */
#define BRIGHT 235
#define NEUTRAL 4         /* chroma codes beside the middle, of 8 bits */
#define MOST_COLOURED 0.002 /* of the samples of a matte */
#define LEAST_EXTREME 0.8 /* of the samples of a matte are black or white */
#define LEAST_WHITE 0.001 /* of the samples of a matte that shows somebody; without that a picture may be meant that is still dark */
#define MOST_LIT 0.01     /* of the samples between eyes and discs of a packed picture */
#define DISC 0.2          /* radius, of the height */
#define MARGIN 0.01       /* of the height, around circles */

/* 0..255 by depth alone. */
static int sample(const struct vrs_frame *frame, int plane, int x, int y)
{
	const uint8_t *row = frame->data[plane] + frame->stride_bytes[plane] * y;
	return frame->format.bit_depth == 8 ? row[x] : ((const uint16_t *)(const void *)row)[x] >> (frame->format.bit_depth - 8);
}

static int grey(const struct vrs_frame *frame, int x, int y)
{
	int value = sample(frame, 0, x, y);
	if (frame->format.range == VRS_RANGE_FULL)
		return value;
	value = (value - 16) * 255 / 219;
	return value < 0 ? 0 : value > 255 ? 255 : value;
}

struct vrs_frame vrs_alpha_as_grey(const struct vrs_frame *frame)
{
	struct vrs_frame alpha = {.format = frame->format, .pts = frame->pts, .index = frame->index};
	alpha.format.planes = 1;
	alpha.format.chroma_shift_x = alpha.format.chroma_shift_y = 0;
	alpha.format.range = VRS_RANGE_FULL;
	alpha.data[0] = frame->data[3];
	alpha.stride_bytes[0] = frame->stride_bytes[3];
	return alpha;
}

/* A channel that hides nothing is one that an encoder wanted. */
static bool hides_something(const struct vrs_frame *frame)
{
	struct vrs_frame alpha = vrs_alpha_as_grey(frame);
	for (int y = 0; y < alpha.format.height; y += STEP)
		for (int x = 0; x < alpha.format.width; x += STEP)
			if (sample(&alpha, 0, x, y) < BRIGHT)
				return true;
	return false;
}

static double coloured_share(const struct vrs_frame *frame)
{
	int64_t coloured = 0, all = 0;
	if (frame->format.planes < 3)
		return 0;
	for (int y = 0; y < vrs_plane_height(&frame->format, 1); y += STEP)
		for (int x = 0; x < vrs_plane_width(&frame->format, 1); x += STEP, all++)
			coloured += abs(sample(frame, 1, x, y) - 128) > NEUTRAL || abs(sample(frame, 2, x, y) - 128) > NEUTRAL;
	return all ? (double)coloured / (double)all : 0;
}

/* Shares of dark and of bright samples. */
static void count_extremes(const struct vrs_frame *frame, double *ret_dark, double *ret_bright)
{
	int64_t dark = 0, bright = 0, all = 0;
	for (int y = 0; y < frame->format.height; y += STEP)
		for (int x = 0; x < frame->format.width; x += STEP, all++) {
			int value = grey(frame, x, y);
			dark += value < DARK;
			bright += value > BRIGHT;
		}
	*ret_dark = (double)dark / (double)all;
	*ret_bright = (double)bright / (double)all;
}

static double wrapped(double distance, double length)
{
	return distance - length * round(distance / length);
}

/* Is everything black that lies neither in an eye's circle nor in a disc (vr/alpha_pack.h), and not all of the rest? */
static bool looks_packed(const struct vrs_frame *frame)
{
	double w = frame->format.width, h = frame->format.height, margin = MARGIN * h;
	int64_t lit = 0, between = 0, shown = 0;
	if (frame->format.width != 2 * frame->format.height)
		return false;
	for (int y = 0; y < frame->format.height; y += STEP)
		for (int x = 0; x < frame->format.width; x += STEP) {
			double down = wrapped(y, h), eye = hypot(wrapped(x - h / 2, h), y - h / 2);
			bool in_disc = hypot(wrapped(x, w / 2), down) < DISC * h + margin, bright = grey(frame, x, y) >= DARK;
			shown += bright && eye < h / 2;
			if (in_disc || eye < h / 2 + margin)
				continue;
			between++;
			lit += bright;
		}
	return between > 0 && (double)lit <= MOST_LIT * (double)between && shown > between;
}

struct vrs_matte_kind_guess vrs_matte_kind_of_frame(const struct vrs_frame *frame, bool tagged)
{
	double dark, bright;
	if (frame->format.planes == 4 && hides_something(frame))
		return (struct vrs_matte_kind_guess){VRS_MATTE_KIND_CUTOUT, false, "it has an alpha channel"};
	count_extremes(frame, &dark, &bright);
	bool coloured = coloured_share(frame) > MOST_COLOURED;
	if (!coloured && dark + bright >= LEAST_EXTREME)
		return bright >= LEAST_WHITE ? (struct vrs_matte_kind_guess){VRS_MATTE_KIND_MATTE, false, "it is black and white"}
					     : (struct vrs_matte_kind_guess){.kind = VRS_MATTE_KIND_AUTO};
	if (tagged)
		return (struct vrs_matte_kind_guess){VRS_MATTE_KIND_PACK, false, "its name has the tag alpha"};
	if (looks_packed(frame))
		return (struct vrs_matte_kind_guess){VRS_MATTE_KIND_PACK, false, "two fisheye circles and discs in their corners, all else is black"};
	return (struct vrs_matte_kind_guess){VRS_MATTE_KIND_AUTO, true, coloured ? "a picture in colour without an alpha channel"
										 : "a grey picture, and not black and white as a matte is"};
}
