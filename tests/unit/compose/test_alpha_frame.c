/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards frames with alpha made of two: planes are those given, grey pictures get neutral chroma, and both references live until the frame goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compose/alpha_frame.h"

static int freed;

static void count_free(void *owner)
{
	(void)owner;
	freed++;
}

static void test_join(void **state)
{
	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		struct vrs_picture_format format = {.width = 33, .height = 21, .planes = kind & 1 ? 3 : 1, .bit_depth = kind & 2 ? 10 : 8,
			.chroma_shift_x = 1, .chroma_shift_y = kind & 1};
		uint16_t samples[33 * 21];
		struct vrs_frame frame = {.format = format, .pts = 7, .duration = 2, .index = 3, .owner = samples, .unref = count_free}, alpha = frame;
		struct vrs_alpha_frame *cutout;
		for (int p = 0; p < format.planes; p++)
			frame.data[p] = (uint8_t *)samples + p;
		alpha.format.planes = 1;
		alpha.data[0] = (uint8_t *)samples + 9;
		alpha.stride_bytes[0] = 64;
		assert_int_equal(vrs_alpha_frame_create(&cutout, &format), VRS_OK);
		freed = 0;
		assert_int_equal(vrs_alpha_frame_join(cutout, &frame, &alpha), VRS_OK);
		assert_null(alpha.data[0]);
		assert_int_equal(frame.format.planes, 4);
		assert_int_equal(frame.pts, 7);
		assert_int_equal(frame.duration, 2);
		assert_int_equal(frame.index, 3);
		assert_false(frame.writable);
		assert_ptr_equal(frame.data[0], samples);
		assert_ptr_equal(frame.data[3], (uint8_t *)samples + 9);
		assert_int_equal(frame.stride_bytes[3], 64);
		if (format.planes == 1) {
			const uint8_t *row = frame.data[2] + frame.stride_bytes[2] * 10;
			assert_int_equal(format.bit_depth > 8 ? ((const uint16_t *)(const void *)row)[16] : row[16], format.bit_depth > 8 ? 512 : 128);
		} else {
			assert_ptr_equal(frame.data[2], (uint8_t *)samples + 2);
		}
		assert_int_equal(freed, 0);
		vrs_frame_unref(&frame);
		assert_int_equal(freed, 2);
		vrs_alpha_frame_destroy(cutout);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_join)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
