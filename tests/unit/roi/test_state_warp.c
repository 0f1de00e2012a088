/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards how maps of a network's state move with a view: a picture's ramp stays where it is in the picture, whatever views it is seen from; beyond
 * the old view its border goes on; on a circle views are near across the seam; and how much of a view the old one shows.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "roi/state_warp.h"

#define SIDE 32
#define CHANNELS 3

static struct vrs_rect rect(int x, int y, int width, int height)
{
	return (struct vrs_rect){x, y, width, height};
}

/* Channels of a map: x, y and a constant, in the picture's samples, at the middles of its pixels. */
static void fill(float *map, const struct vrs_rect *view, int height, int width)
{
	for (int j = 0; j < height; j++)
		for (int i = 0; i < width; i++, map += CHANNELS) {
			map[0] = (float)view->x + ((float)i + 0.5f) * (float)view->width / (float)width;
			map[1] = (float)view->y + ((float)j + 0.5f) * (float)view->height / (float)height;
			map[2] = 7;
		}
}

static float clamp(float value, float low, float high)
{
	return value < low ? low : value > high ? high : value;
}

static void test_places_stay(void **state)
{
	(void)state;
	static const int sizes[][2] = {{SIDE, SIDE}, {SIDE / 2, 24}, {5, 3}, {1, 2}};
	const struct vrs_rect from = rect(100, 40, 200, 120), tos[] = {rect(100, 40, 200, 120), rect(120, 48, 180, 100), rect(60, 20, 280, 200),
		rect(290, 150, 60, 60), rect(110, 50, 20, 20)};
	static float src[SIDE * SIDE * CHANNELS], want[SIDE * SIDE * CHANNELS], got[SIDE * SIDE * CHANNELS];
	for (size_t s = 0; s < 4; s++)
		for (size_t t = 0; t < 5; t++) {
			struct vrs_state_map map;
			int height = sizes[s][0], width = sizes[s][1];
			float half_x = 100.0f / (float)width, half_y = 60.0f / (float)height;
			fill(src, &from, height, width);
			fill(want, &tos[t], height, width);
			vrs_state_map_set(&map, &from, &tos[t], 0);
			assert_true(map.same == (t == 0));
			vrs_state_warp(&map, got, src, height, width, CHANNELS);
			for (int i = 0; i < height * width; i++) {
				assert_float_equal(got[i * CHANNELS], clamp(want[i * CHANNELS], 100 + half_x, 300 - half_x), 1e-3);
				assert_float_equal(got[i * CHANNELS + 1], clamp(want[i * CHANNELS + 1], 40 + half_y, 160 - half_y), 1e-3);
				assert_float_equal(got[i * CHANNELS + 2], 7, 1e-6);
			}
		}
}

static void test_circles_close(void **state)
{
	(void)state;
	/* 1000 around: the old view crosses the seam, the new one begins behind it */
	const struct vrs_rect from = rect(900, 0, 200, 100), to = rect(0, 0, 100, 100);
	static float src[SIDE * SIDE * CHANNELS], got[SIDE * SIDE * CHANNELS];
	struct vrs_state_map map;
	fill(src, &from, SIDE, SIDE);
	vrs_state_map_set(&map, &from, &to, 1000);
	assert_float_equal(vrs_state_map_covered(&map), 1, 0);
	vrs_state_warp(&map, got, src, SIDE, SIDE, CHANNELS);
	for (int i = 0; i < SIDE; i++)
		assert_float_equal(got[i * CHANNELS], clamp(1000 + ((float)i + 0.5f) * 100 / SIDE, 0, 1100 - 100.0f / SIDE), 1e-2);
	vrs_state_map_set(&map, &to, &from, 1000);
	assert_float_equal(vrs_state_map_covered(&map), 0.5, 0);
	vrs_state_map_set(&map, &from, &to, 0);
	assert_float_equal(vrs_state_map_covered(&map), 0, 0);
	/* all around: nothing is beyond a border */
	const struct vrs_rect whole = rect(300, 0, 1000, 100), turned = rect(800, 0, 1000, 100);
	vrs_state_map_set(&map, &whole, &turned, 1000);
	assert_float_equal(vrs_state_map_covered(&map), 1, 0);
	fill(src, &whole, SIDE, SIDE);
	vrs_state_warp(&map, got, src, SIDE, SIDE, CHANNELS);
	assert_float_equal(got[SIDE / 4 * CHANNELS], src[SIDE * 3 / 4 * CHANNELS], 1e-2);
	assert_float_equal(got[SIDE * 3 / 4 * CHANNELS], src[SIDE / 4 * CHANNELS], 1e-2);
}

static void test_cover(void **state)
{
	(void)state;
	const struct vrs_rect from = rect(0, 0, 64, 64);
	static const struct {
		struct vrs_rect to;
		double covered;
	} cases[] = {{{0, 0, 64, 64}, 1}, {{16, 16, 16, 16}, 1}, {{32, 0, 64, 64}, 0.5}, {{0, 0, 128, 128}, 0.25}, {{64, 64, 8, 8}, 0}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_state_map map;
		vrs_state_map_set(&map, &from, &cases[i].to, 0);
		assert_float_equal(vrs_state_map_covered(&map), cases[i].covered, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places_stay),
		cmocka_unit_test(test_circles_close),
		cmocka_unit_test(test_cover),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
