/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards where pictures are searched for people: in square views of each eye that hold every column of a circle, and every sample of a half
 * sphere, at whole chroma samples, and in views of the network's shape where that is much higher than wide; all views when nobody is known, one at a
 * time else; what the views show is where the frame is looked at, also across the seam; pictures that one view shows are not searched.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "roi/roi_search.h"
#include "roi/roi_worker.h"

static struct vrs_settings settings;

static void set_up(struct vrs_roi_plan *plan, int width, int height, int eyes, int circle)
{
	memset(plan, 0, sizeof *plan);
	settings.matte.view_size = 0.7;
	plan->settings = &settings;
	plan->format = (struct vrs_picture_format){.width = width * eyes, .height = height, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1,
		.bit_depth = 8, .circle = circle};
	plan->follows = true;
	plan->eyes = eyes;
	plan->regions = 1;
	for (int i = 0; i < eyes; i++) {
		struct vrs_rect eye = {i * width, 0, width, height};
		plan->follow[i] = vrs_follow_make(&eye, &eye, &plan->format);
	}
}

static void test_views(void **state)
{
	(void)state;
	static const int sizes[][2] = {{3840, 1920}, {2048, 1024}, {960, 480}, {1920, 1920}, {5760, 2880}, {4096, 512}, {64, 32}};
	struct vrs_roi_plan *plan = vrs_calloc(1, sizeof *plan);
	assert_non_null(plan);
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
		for (int eye = 0; eye < 2; eye++) {
			static int times[8192];
			set_up(plan, sizes[s][0], sizes[s][1], 2, sizes[s][0]);
			int views = vrs_roi_search_views(plan), least = 1 << 30;
			assert_in_range(views, 4, VRS_REGIONS_MAX);
			memset(times, 0, sizeof times);
			for (int k = 1; k < views; k++) {
				struct vrs_rect view = vrs_roi_search_view(plan, eye, k);
				assert_true(vrs_rect_fits(&view, &plan->format) && view.x / sizes[s][0] == eye);
				assert_true(view.width == view.height && (view.x | view.y | view.width) % 2 == 0);
				for (int x = 0; x < view.width; x++)
					times[(view.x + x) % sizes[s][0]]++;
			}
			for (int x = 0; x < sizes[s][0]; x++)
				least = times[x] < least ? times[x] : least;
			if (2 * sizes[s][0] < 10 * sizes[s][1]) /* wider ones would take more views than there may be */
				assert_true(least >= 1);
		}
	set_up(plan, 1920, 1920, 2, 0);
	assert_int_equal(vrs_roi_search_views(plan), 0);
	set_up(plan, 3840, 1920, 1, 3840);
	plan->follows = false;
	assert_int_equal(vrs_roi_search_views(plan), 0);
	vrs_free(plan);
}

/* Somebody who is seen by one square view only, which goes across the seam. */
static void test_found(void **state)
{
	(void)state;
	struct vrs_roi_plan *plan = vrs_calloc(1, sizeof *plan);
	struct vrs_roi_set set = {0};
	assert_non_null(plan);
	set_up(plan, 2048, 1024, 1, 2048);
	plan->shape.matte_width = plan->shape.matte_height = 32;
	plan->look_size = 32 * 32;
	int views = set.of_input = vrs_roi_search_views(plan), across = 0;
	set.rects = vrs_calloc((size_t)views, sizeof *set.rects);
	set.alpha = vrs_calloc((size_t)views * plan->look_size, sizeof *set.alpha);
	assert_true(set.rects && set.alpha);
	struct vrs_regions now = {.count = 1, .rect = {plan->follow[0].eye}};
	for (int k = 0; k < views; k++) {
		set.rects[k] = k ? vrs_roi_search_view(plan, 0, k) : plan->follow[0].eye;
		if (set.rects[k].x + set.rects[k].width > 2048)
			across = k;
	}
	int all[VRS_REGIONS_MAX];
	assert_int_equal(vrs_roi_search_due(plan, 30, true, false, all), views);
	vrs_roi_search_judge(plan, &set, all, views, 0, &now); /* nobody */
	assert_memory_equal(&now.rect[0], &plan->follow[0].eye, sizeof(struct vrs_rect));
	const struct vrs_rect *view = &set.rects[across];
	int column = (2048 - view->x) * 32 / view->width; /* of the seam */
	assert_in_range(column, 4, 28);
	for (int y = 10; y < 20; y++)
		for (int x = column - 3; x < column + 3; x++)
			set.alpha[(size_t)across * plan->look_size + (size_t)(y * 32 + x)] = 1;
	vrs_roi_search_judge(plan, &set, all, views, 0, &now);
	const struct vrs_rect *part = &now.rect[0];
	assert_int_equal(now.count, 1);
	assert_true(part->x < 2048 && part->x + part->width > 2048 && part->width < 400 && part->height < 600);
	vrs_free(set.rects);
	vrs_free(set.alpha);
	vrs_free(plan);
}

/* Half of each side in the middle of a square eye. */
static void set_up_half_sphere(struct vrs_roi_plan *plan, int side)
{
	set_up(plan, side, side, 2, 0);
	for (int i = 0; i < 2; i++) {
		struct vrs_rect middle = {i * side + side / 4, side / 4, side / 2, side / 2};
		plan->follow[i] = vrs_follow_make(&plan->follow[i].eye, &middle, &plan->format);
	}
}

static void test_half_sphere(void **state)
{
	(void)state;
	static const int sides[] = {1024, 1920, 360, 2880};
	struct vrs_roi_plan *plan = vrs_calloc(1, sizeof *plan);
	assert_non_null(plan);
	for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
		static bool seen[64][64]; /* parts of the eye; the start view's own need no square */
		int due[VRS_REGIONS_MAX], unit = sides[s] / 64;
		set_up_half_sphere(plan, sides[s]);
		memset(seen, 0, sizeof seen);
		assert_int_equal(vrs_roi_search_views(plan), 9);
		for (int k = 1; k < 9; k++) {
			struct vrs_rect view = vrs_roi_search_view(plan, 1, k);
			assert_true(vrs_rect_fits(&view, &plan->format) && view.x >= sides[s] && (view.x | view.y | view.width | view.height) % 4 == 0);
			for (int y = 0; y < 64; y++)
				for (int x = 0; x < 64; x++)
					seen[y][x] |= view.x - sides[s] <= x * unit && view.x - sides[s] + view.width >= (x + 1) * unit &&
						      view.y <= y * unit && view.y + view.height >= (y + 1) * unit;
		}
		for (int i = 0; i < 64 * 64; i++)
			assert_true(seen[i / 64][i % 64] || (i / 64 >= 15 && i / 64 <= 48) || (i % 64 >= 15 && i % 64 <= 48));
		assert_int_equal(vrs_roi_search_due(plan, 0, false, true, due), 0);
		assert_int_equal(vrs_roi_search_due(plan, 60, true, true, due), 9);
		bool turned[9] = {false};
		for (uint64_t frame = 0; frame < 240; frame += 30) {
			assert_int_equal(vrs_roi_search_due(plan, frame, true, false, due), 1);
			turned[due[0]] = true;
		}
		for (int k = 1; k < 9; k++)
			assert_true(turned[k]);
	}
	assert_int_equal(vrs_roi_search_small(plan), 9);
	set_up_half_sphere(plan, 1024);
	plan->follow[0].start.width = plan->follow[1].start.width = 800; /* shows the eye well enough */
	assert_int_equal(vrs_roi_search_views(plan), 0);
	vrs_free(plan);
}

/* Views for a network's picture that is higher than wide have its shape, and each sample of the eye is in one; others get squares. */
static void test_tall(void **state)
{
	(void)state;
	static const int shapes[][2] = {{192, 352}, {256, 448}, {128, 256}};
	static const int sides[] = {960, 1920, 360, 1024};
	struct vrs_roi_plan *plan = vrs_calloc(1, sizeof *plan);
	assert_non_null(plan);
	for (size_t i = 0; i < 12; i++) {
		int side = sides[i % 4], width = shapes[i / 4][0], height = shapes[i / 4][1];
		static bool seen[64][64];
		set_up_half_sphere(plan, side);
		plan->shape.matte_width = width;
		plan->shape.matte_height = height;
		memset(seen, 0, sizeof seen);
		assert_int_equal(vrs_roi_search_views(plan), 9);
		for (int k = 1; k < 9; k++) {
			struct vrs_rect view = vrs_roi_search_view(plan, 1, k);
			double stretch = (double)view.height * width / ((double)view.width * height);
			assert_true(vrs_rect_fits(&view, &plan->format) && view.x >= side && (view.x | view.y | view.width | view.height) % 4 == 0);
			assert_true(stretch > 0.95 && stretch < 1.05);
			for (int y = 0; y < 64; y++)
				for (int x = 0; x < 64; x++)
					seen[y][x] |= view.x - side <= x * side / 64 && view.x - side + view.width >= (x + 1) * side / 64 - 4 &&
						      view.y <= y * side / 64 && view.y + view.height >= (y + 1) * side / 64 - 4;
		}
		for (int cell = 0; cell < 64 * 64; cell++)
			assert_true(seen[cell / 64][cell % 64]);
	}
	set_up_half_sphere(plan, 1024);
	plan->shape.matte_width = 288;
	plan->shape.matte_height = 320;
	assert_int_equal(vrs_roi_search_view(plan, 0, 1).width, 512);
	assert_int_equal(vrs_roi_search_view(plan, 0, 1).height, 512);
	vrs_free(plan);
}

/* Where people are tracked: every column of the horizon lies in a small view, with room for somebody beside it. */
static void test_small(void **state)
{
	(void)state;
	static const int sides[] = {1024, 1920, 360, 2880, 480};
	struct vrs_roi_plan *plan = vrs_calloc(1, sizeof *plan);
	assert_non_null(plan);
	for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
		set_up_half_sphere(plan, sides[s]);
		plan->tracks = true;
		int first = vrs_roi_search_small(plan), views = vrs_roi_search_views(plan), least = sides[s] / 16, end = sides[s];
		assert_true(first == 9 && views > first && views <= VRS_REGIONS_MAX);
		for (int k = first; k < views; k++) {
			struct vrs_rect view = vrs_roi_search_view(plan, 1, k);
			assert_true(vrs_rect_fits(&view, &plan->format) && (view.x | view.y | view.width | view.height) % 4 == 0);
			assert_in_range(view.width, sides[s] / 5, sides[s] / 4);
			assert_true(view.y < sides[s] / 2 - view.height / 3 && view.y + view.height > sides[s] / 2 + view.height / 3);
			assert_true(view.x >= sides[s] && view.x <= (k > first ? end - least : sides[s])); /* views overlap */
			end = view.x + view.width;
		}
		assert_in_range(end, 2 * sides[s] - 4, 2 * sides[s]);
	}
	/* elsewhere there are none */
	set_up(plan, 1920, 1920, 2, 0);
	plan->tracks = true;
	assert_int_equal(vrs_roi_search_small(plan), vrs_roi_search_views(plan));
	set_up(plan, 3840, 1920, 1, 3840);
	plan->tracks = true;
	assert_int_equal(vrs_roi_search_small(plan), vrs_roi_search_views(plan));
	vrs_free(plan);
}

/* Somebody at the side is looked at too, and alone when nobody is in the middle; who is known already changes nothing. */
static void test_beside(void **state)
{
	(void)state;
	struct vrs_roi_plan *plan = vrs_calloc(1, sizeof *plan);
	struct vrs_roi_set set = {0};
	assert_non_null(plan);
	set_up_half_sphere(plan, 1024);
	plan->shape.matte_width = plan->shape.matte_height = 32;
	plan->look_size = 32 * 32;
	set.of_input = 9;
	set.rects = vrs_calloc(9, sizeof *set.rects);
	set.alpha = vrs_calloc(9 * plan->look_size, sizeof *set.alpha);
	assert_true(set.rects && set.alpha);
	const struct vrs_rect start = plan->follow[0].start;
	int all[VRS_REGIONS_MAX];
	struct vrs_regions now = {.count = 1, .rect = {start}};
	for (int k = 0; k < 9; k++)
		set.rects[k] = k ? vrs_roi_search_view(plan, 0, k) : start;
	assert_int_equal(vrs_roi_search_due(plan, 0, true, true, all), 9);
	for (int y = 8; y < 24; y++) /* view 1 is the left one: columns 32 to 128 of the picture */
		for (int x = 2; x < 8; x++)
			set.alpha[plan->look_size + (size_t)(y * 32 + x)] = 1;
	vrs_roi_search_judge(plan, &set, all, 9, 0, &now);
	const struct vrs_rect *part = &now.rect[0];
	assert_true(now.count == 1 && part->x < 32 && part->x + part->width > 128 && part->x + part->width < 200);

	now = (struct vrs_regions){.count = 1, .rect = {start}};
	vrs_roi_search_judge(plan, &set, &(int){1}, 1, 0, &now);
	assert_true(part->x < 32 && part->x + part->width == start.x + start.width);

	memset(set.alpha, 0, 9 * plan->look_size * sizeof(float));
	for (int y = 8; y < 24; y++) /* within the middle */
		for (int x = 20; x < 28; x++)
			set.alpha[plan->look_size + (size_t)(y * 32 + x)] = 1;
	now = (struct vrs_regions){.count = 1, .rect = {start}};
	vrs_roi_search_judge(plan, &set, &(int){1}, 1, 0, &now);
	assert_memory_equal(&now.rect[0], &start, sizeof start);
	vrs_free(set.rects);
	vrs_free(set.alpha);
	vrs_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_views),
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_half_sphere),
		cmocka_unit_test(test_tall),
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_beside),
	};
	return cmocka_run_group_tests_name("roi_search", tests, NULL, NULL);
}
