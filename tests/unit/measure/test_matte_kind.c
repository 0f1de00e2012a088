/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards that mattes, packed pictures and cutouts are told from each other and from pictures without a matte, in 8 and 10 bits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/matte_kind.h"

#define HEIGHT 160

static struct vrs_frame frame_of(int width, int height, int planes, int depth)
{
	struct vrs_frame frame;
	const struct vrs_picture_format format = {.width = width, .height = height, .planes = planes, .chroma_shift_x = planes > 1,
		.chroma_shift_y = planes > 1, .bit_depth = depth, .range = VRS_RANGE_LIMITED, .primaries = 2, .transfer = 2};
	assert_int_equal(vrs_frame_alloc(&frame, &format), VRS_OK);
	for (int p = 0; p < planes; p++)
		for (int y = 0; y < vrs_plane_height(&format, p); y++)
			vrs_samples_fill(frame.data[p] + frame.stride_bytes[p] * y, (p == 0 ? 16 : p == 3 ? 255 : 128) << (depth - 8),
					 vrs_plane_width(&format, p), vrs_sample_bytes(&format));
	return frame;
}

static void put(struct vrs_frame *frame, int plane, int x, int y, int value)
{
	uint8_t *row = frame->data[plane] + frame->stride_bytes[plane] * y;
	if (frame->format.bit_depth == 8)
		row[x] = (uint8_t)value;
	else
		((uint16_t *)(void *)row)[x] = (uint16_t)(value << (frame->format.bit_depth - 8));
}

static void fill(struct vrs_frame *frame, int plane, int x0, int y0, int x1, int y1, int value)
{
	for (int y = y0; y < y1; y++)
		for (int x = x0; x < x1; x++)
			put(frame, plane, x, y, value);
}

static enum vrs_matte_kind kind_of(struct vrs_frame *frame, bool tagged, bool none)
{
	struct vrs_matte_kind_guess guess = vrs_matte_kind_of_frame(frame, tagged);
	assert_int_equal(guess.is_none, none);
	vrs_frame_unref(frame);
	return guess.kind;
}

static void test_mattes(void **state)
{
	(void)state;
	for (int depth = 8; depth <= 10; depth += 2) {
		struct vrs_frame frame = frame_of(2 * HEIGHT, HEIGHT, 3, depth), black = frame_of(2 * HEIGHT, HEIGHT, 3, depth);
		fill(&frame, 0, 50, 40, 90, 120, 235);
		assert_int_equal(kind_of(&frame, depth == 10, false), VRS_MATTE_KIND_MATTE); /* whatever its name says */
		assert_int_equal(kind_of(&black, false, false), VRS_MATTE_KIND_AUTO);
	}
}

/* Two grey or coloured circles of radius HEIGHT / 2, and a disc around the middle of the upper edge. */
static struct vrs_frame packed(int depth)
{
	struct vrs_frame frame = frame_of(2 * HEIGHT, HEIGHT, 3, depth);
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < 2 * HEIGHT; x++) {
			if (hypot(x % HEIGHT - HEIGHT / 2.0, y - HEIGHT / 2.0) < HEIGHT / 2.0) {
				put(&frame, 0, x, y, 110);
				put(&frame, 1, x / 2, y / 2, 100);
			}
			if (hypot(x - HEIGHT, y) < 0.1 * HEIGHT)
				put(&frame, 0, x, y, 235);
		}
	return frame;
}

static void test_packs(void **state)
{
	(void)state;
	for (int depth = 8; depth <= 10; depth += 2) {
		struct vrs_frame pack = packed(depth), lit = packed(depth);
		assert_int_equal(kind_of(&pack, false, false), VRS_MATTE_KIND_PACK);
		fill(&lit, 0, (int)(0.25 * HEIGHT), 0, (int)(0.4 * HEIGHT), 3, 200); /* between circle and disc */
		fill(&lit, 0, (int)(1.25 * HEIGHT), 0, (int)(1.4 * HEIGHT), 3, 200);
		fill(&lit, 0, 0, HEIGHT / 4, 4, HEIGHT / 3, 200);
		assert_int_equal(kind_of(&lit, false, true), VRS_MATTE_KIND_AUTO);
		struct vrs_frame tagged = frame_of(2 * HEIGHT, HEIGHT, 3, depth);
		fill(&tagged, 0, 0, 0, 2 * HEIGHT, HEIGHT, 90);
		assert_int_equal(kind_of(&tagged, true, false), VRS_MATTE_KIND_PACK);
	}
}

static void test_cutouts(void **state)
{
	(void)state;
	struct vrs_frame cutout = frame_of(HEIGHT, HEIGHT, 4, 8), opaque = frame_of(HEIGHT, HEIGHT, 4, 8);
	fill(&cutout, 3, 0, 0, HEIGHT, 80, 0);
	struct vrs_frame alpha = vrs_alpha_as_grey(&cutout);
	assert_int_equal(alpha.format.planes, 1);
	assert_int_equal(alpha.format.range, VRS_RANGE_FULL);
	assert_ptr_equal(alpha.data[0], cutout.data[3]);
	fill(&opaque, 0, 0, 0, HEIGHT, HEIGHT, 100);
	fill(&opaque, 1, 0, 0, HEIGHT / 2, HEIGHT / 2, 60);
	assert_int_equal(kind_of(&cutout, true, false), VRS_MATTE_KIND_CUTOUT);
	assert_int_equal(kind_of(&opaque, false, true), VRS_MATTE_KIND_AUTO); /* its channel hides nothing */
}

static void test_pictures(void **state)
{
	(void)state;
	struct vrs_frame colour = frame_of(HEIGHT, HEIGHT, 3, 8), grey = frame_of(HEIGHT, HEIGHT, 1, 8);
	fill(&colour, 1, 10, 10, 30, 30, 60);
	fill(&grey, 0, 0, 0, HEIGHT, HEIGHT / 2, 120);
	assert_int_equal(kind_of(&colour, false, true), VRS_MATTE_KIND_AUTO);
	assert_int_equal(kind_of(&grey, false, true), VRS_MATTE_KIND_AUTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mattes),
		cmocka_unit_test(test_packs),
		cmocka_unit_test(test_cutouts),
		cmocka_unit_test(test_pictures),
	};
	return cmocka_run_group_tests_name("matte_kind", tests, NULL, NULL);
}
