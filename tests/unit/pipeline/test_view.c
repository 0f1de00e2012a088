/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards which part of an eye the network sees, and how threads are shared out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/thread_plan.h"
#include "roi/roi_plan.h"

static struct vrs_settings settings(enum vrs_view view, double size)
{
	return (struct vrs_settings){.matte = {.view = (int)view, .view_size = size}};
}

static const struct vrs_picture_format format = {.width = 3840, .height = 1920, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1,
	.bit_depth = 8};

static void assert_rect(struct vrs_rect rect, int x, int y, int width, int height)
{
	assert_int_equal(rect.x, x);
	assert_int_equal(rect.y, y);
	assert_int_equal(rect.width, width);
	assert_int_equal(rect.height, height);
}

static void test_views(void **state)
{
	(void)state;
	struct vrs_layout vr180 = {.stereo = VRS_STEREO_SBS, .projection = VRS_PROJECTION_HEQUIRECT};
	struct vrs_layout flat = {.stereo = VRS_STEREO_MONO, .projection = VRS_PROJECTION_FLAT};
	struct vrs_layout unknown = {.stereo = VRS_STEREO_SBS, .projection = VRS_PROJECTION_UNKNOWN};
	struct vrs_layout full = {.stereo = VRS_STEREO_TB, .projection = VRS_PROJECTION_EQUIRECT};
	struct vrs_settings automatic = settings(VRS_VIEW_AUTO, 0.5), whole = settings(VRS_VIEW_WHOLE, 0.5), centre = settings(VRS_VIEW_CENTRE, 0.3);
	assert_rect(vrs_view_rect(&vr180, &automatic, &format, 0), 480, 480, 960, 960);
	assert_rect(vrs_view_rect(&vr180, &automatic, &format, 1), 1920 + 480, 480, 960, 960);
	assert_rect(vrs_view_rect(&unknown, &automatic, &format, 1), 1920 + 480, 480, 960, 960);
	assert_rect(vrs_view_rect(&vr180, &whole, &format, 1), 1920, 0, 1920, 1920);
	assert_rect(vrs_view_rect(&flat, &automatic, &format, 0), 0, 0, 3840, 1920);
	assert_rect(vrs_view_rect(&full, &automatic, &format, 0), 0, 0, 3840, 960);
	assert_rect(vrs_view_rect(&flat, &centre, &format, 0), 1344, 672, 1152, 576);
	/* odd sizes: the view begins where chroma samples begin, and stays inside */
	struct vrs_picture_format odd = format;
	odd.width = 643;
	odd.height = 361;
	struct vrs_rect rect = vrs_view_rect(&flat, &centre, &odd, 0);
	assert_int_equal(rect.x % 2, 0);
	assert_int_equal(rect.y % 2, 0);
	assert_true(rect.x + rect.width <= 643 && rect.y + rect.height <= 361 && rect.width >= 190 && rect.width <= 196);
	struct vrs_settings tiny = settings(VRS_VIEW_CENTRE, 0.1);
	odd.width = odd.height = 3;
	rect = vrs_view_rect(&flat, &tiny, &odd, 0);
	assert_true(rect.width >= 1 && rect.height >= 1 && rect.x + rect.width <= 3 && rect.y + rect.height <= 3);
}

static void assert_plan(int threads, int streams, int decode, int cpus, bool encodes, int want_threads, int want_streams, int want_decode)
{
	struct vrs_settings s = {.engine = {.threads = threads, .streams = streams}, .pipeline = {.decode_threads = decode}};
	struct vrs_thread_plan plan = vrs_thread_plan_make(&s, cpus, encodes);
	assert_int_equal(plan.threads, want_threads);
	assert_int_equal(plan.streams, want_streams);
	assert_int_equal(plan.decode, want_decode);
}

static void test_thread_plan(void **state)
{
	(void)state;
	assert_plan(0, 0, 0, 2, true, 1, 1, 3);
	assert_plan(0, 0, 0, 2, false, 1, 2, 3);
	assert_plan(0, 0, 0, 16, true, 1, 8, 16);
	assert_plan(0, 0, 0, 0, true, 1, 1, 2);
	assert_plan(4, 0, 0, 16, false, 4, 4, 16);
	assert_plan(0, 2, 0, 16, true, 8, 2, 16);
	assert_plan(3, 5, 7, 2, true, 3, 5, 7);
	assert_plan(8, 0, 1, 2, true, 8, 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_views),
		cmocka_unit_test(test_thread_plan),
	};
	return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
