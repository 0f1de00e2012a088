/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards base/frame: plane sizes of odd pictures, alignment, readable bytes behind the last row, and refusal of impossible formats. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include <vrseg/frame.h>

#include "base/mem.h"

static const struct vrs_picture_format yuv420 = {.width = 37, .height = 21, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1, .bit_depth = 8};

static void chroma_rounds_up(void **state)
{
	(void)state;
	assert_int_equal(vrs_plane_width(&yuv420, 0), 37);
	assert_int_equal(vrs_plane_height(&yuv420, 0), 21);
	assert_int_equal(vrs_plane_width(&yuv420, 1), 19);
	assert_int_equal(vrs_plane_height(&yuv420, 2), 11);
	assert_int_equal(vrs_plane_width(&yuv420, 3), 37);
	assert_int_equal(vrs_plane_height(&yuv420, 3), 21);
}

static void planes_are_aligned_and_apart(void **state)
{
	static const int depths[] = {8, 10, 16};
	static const int planes[] = {1, 3, 4};

	(void)state;
	for (int d = 0; d < 3; d++) {
		for (int n = 0; n < 3; n++) {
			struct vrs_picture_format format = yuv420;
			struct vrs_frame frame = {0};
			int bytes = depths[d] > 8 ? 2 : 1;
			volatile uint8_t sink = 0;

			format.bit_depth = depths[d];
			format.planes = planes[n];
			assert_int_equal(vrs_frame_alloc(&frame, &format), VRS_OK);
			assert_true(frame.pts == INT64_MIN && frame.owner);
			for (int p = 0; p < planes[n]; p++) {
				assert_true((uintptr_t)frame.data[p] % 64 == 0 && frame.stride_bytes[p] % 64 == 0);
				assert_true(frame.stride_bytes[p] >= vrs_plane_width(&format, p) * bytes);
				memset(frame.data[p], 16 + p, (size_t)frame.stride_bytes[p] * (size_t)vrs_plane_height(&format, p));
			}
			/* No plane was written over by the one after it, and vector loads may run past the last row. */
			for (int p = 0; p < planes[n]; p++) {
				const uint8_t *end = frame.data[p] + frame.stride_bytes[p] * vrs_plane_height(&format, p);

				assert_int_equal(frame.data[p][0], 16 + p);
				assert_int_equal(end[-1], 16 + p);
				for (int i = 0; i < 64; i++)
					sink = sink ^ end[i];
			}
			for (int p = planes[n]; p < 4; p++)
				assert_null(frame.data[p]);
			vrs_frame_unref(&frame);
			assert_null(frame.data[0]);
			assert_null(frame.owner);
			vrs_frame_unref(&frame);
		}
	}
	vrs_frame_unref(NULL);
}

static void impossible_formats_are_refused(void **state)
{
	struct vrs_frame frame = {.index = 5};

	(void)state;
#define REFUSE(field, value)                                                  \
	do {                                                                  \
		struct vrs_picture_format format = yuv420;                    \
		format.field = value;                                         \
		assert_int_equal(vrs_frame_alloc(&frame, &format), VRS_EINVAL); \
	} while (0)
	REFUSE(width, 0);
	REFUSE(width, -1);
	REFUSE(width, 65537);
	REFUSE(height, 0);
	REFUSE(height, 2147483647);
	REFUSE(planes, 2);
	REFUSE(planes, 5);
	REFUSE(bit_depth, 7);
	REFUSE(bit_depth, 17);
	REFUSE(chroma_shift_x, 3);
	REFUSE(chroma_shift_y, -1);
	assert_int_equal(frame.index, 5);
}

static void lack_of_memory_is_reported(void **state)
{
	struct vrs_frame frame = {.index = 5};

	(void)state;
	vrs_mem_fail_after(1, false);
	assert_int_equal(vrs_frame_alloc(&frame, &yuv420), VRS_ENOMEM);
	vrs_mem_fail_after(0, false);
	assert_int_equal(frame.index, 5);
}

static int releases;

static void count_release(void *owner)
{
	releases += *(int *)owner;
}

static void owners_get_their_reference_back_once(void **state)
{
	int weight = 1;
	struct vrs_frame frame = {.format = yuv420, .owner = &weight, .unref = count_release};

	(void)state;
	vrs_frame_unref(&frame);
	vrs_frame_unref(&frame);
	assert_int_equal(releases, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chroma_rounds_up),
		cmocka_unit_test(planes_are_aligned_and_apart),
		cmocka_unit_test(impossible_formats_are_refused),
		cmocka_unit_test(lack_of_memory_is_reported),
		cmocka_unit_test(owners_get_their_reference_back_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
