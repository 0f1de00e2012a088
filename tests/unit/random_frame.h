/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by tests of pictures: samples of a frame of any depth, and frames of random samples. */
#ifndef VRS_TEST_RANDOM_FRAME_H
#define VRS_TEST_RANDOM_FRAME_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <vrseg/frame.h>

#include "base/rng.h"

static inline int sample_get(const struct vrs_frame *frame, int p, int x, int y)
{
	const uint8_t *row = frame->data[p] + frame->stride_bytes[p] * y;
	return frame->format.bit_depth > 8 ? ((const uint16_t *)(const void *)row)[x] : row[x];
}

static inline void sample_put(struct vrs_frame *frame, int p, int x, int y, int value)
{
	uint8_t *row = frame->data[p] + frame->stride_bytes[p] * y;
	if (frame->format.bit_depth > 8)
		((uint16_t *)(void *)row)[x] = (uint16_t)value;
	else
		row[x] = (uint8_t)value;
}

static inline void samples_fill(struct vrs_frame *frame, int value)
{
	for (int p = 0; p < frame->format.planes; p++)
		for (int y = 0; y < vrs_plane_height(&frame->format, p); y++)
			for (int x = 0; x < vrs_plane_width(&frame->format, p); x++)
				sample_put(frame, p, x, y, value);
}

static inline struct vrs_frame random_frame(const struct vrs_picture_format *format, struct vrs_rng *rng)
{
	struct vrs_frame frame;
	assert_int_equal(vrs_frame_alloc(&frame, format), VRS_OK);
	for (int p = 0; p < format->planes; p++)
		for (int y = 0; y < vrs_plane_height(format, p); y++)
			for (int x = 0; x < vrs_plane_width(format, p); x++)
				sample_put(&frame, p, x, y, (int)vrs_rng_below(rng, (uint64_t)1 << format->bit_depth));
	return frame;
}

#endif
