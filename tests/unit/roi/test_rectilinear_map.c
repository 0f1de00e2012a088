/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards where the picture of one look lies in that of another, where looks go through a camera: a place of the eye is found where the lenses say
 * that both pictures show it, on both sides of the seam of a circle, also where one of the parts is looked at as it is.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "roi/rectilinear_look.h"
#include "roi/state_warp.h"

#define SIDE 64
#define BOUND (1.0 / 128) /* half a pixel of the finest states of such a network */
#define EYE_X 1024 /* the eye begins there */

static const struct vrs_rectilinear_aim all;

struct fixture {
	struct vrs_settings settings;
	struct vrs_layout layout;
	struct vrs_roi_plan plan;
	struct vrs_arena arena;
	struct vrs_rectilinear_look *look;
};

static void open_look(struct fixture *f, enum vrs_projection projection, double fov, int width)
{
	const struct vrs_rect eye = {projection == VRS_PROJECTION_EQUIRECT ? 0 : EYE_X, 0, width, 1024};
	struct vrs_error err = {0};
	memset(f, 0, sizeof *f);
	f->settings.matte.view_projection = VRS_VIEW_PROJECTION_GNOMONIC;
	f->layout = (struct vrs_layout){.projection = projection, .fov_degrees = fov, .pixel_aspect = 1};
	f->plan.settings = &f->settings;
	f->plan.layout = &f->layout;
	f->plan.eyes = 1;
	f->plan.format = (struct vrs_picture_format){.width = eye.x + eye.width, .height = 1024, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1,
		.bit_depth = 8, .circle = projection == VRS_PROJECTION_EQUIRECT ? width : 0};
	f->plan.shape = (struct vrs_network_shape){1, SIDE, SIDE, SIDE, SIDE};
	f->plan.look_size = SIDE * SIDE;
	f->plan.follow[0] = vrs_follow_make(&eye, &eye, &f->plan.format);
	if (vrs_rectilinear_look_plan(&f->plan, &err) || vrs_rectilinear_look_create(&f->look, &f->arena, &f->plan))
		fail_msg("%s", err.text);
}

static void close_look(struct fixture *f)
{
	vrs_rectilinear_look_fini(f->look);
	vrs_arena_free(&f->arena);
}

/* Where (0..1) a look shows column x and row y of the eye. */
static void seen_at(const struct fixture *f, const struct vrs_rect *part, double x, double y, double ret[2])
{
	struct vrs_rect in_eye = vrs_roi_in_eye(&f->plan, 0, part);
	struct vrs_rectilinear_view view;
	double direction[3], u, v;
	if (!vrs_rectilinear_view_make(&view, &f->plan.rectilinear_eye, &in_eye, &all)) {
		ret[0] = (x - in_eye.x) / in_eye.width;
		ret[1] = (y - in_eye.y) / in_eye.height;
		return;
	}
	if (f->plan.format.circle && x < in_eye.x)
		x += f->plan.format.circle;
	assert_true(vrs_lens_direction(&view.source, x + view.part[0] - in_eye.x, y, direction));
	assert_true(vrs_lens_position(&view.camera, direction, &u, &v));
	ret[0] = (u - view.window[0]) / (view.window[2] - view.window[0]);
	ret[1] = (v - view.window[1]) / (view.window[3] - view.window[1]);
}

/* A place across the new picture in the old one, by the map. */
static void mapped(const struct vrs_state_map *map, const double at[2], double ret[2])
{
	double u = at[0] * VRS_STATE_GRID, v = at[1] * VRS_STATE_GRID;
	int i = u < VRS_STATE_GRID ? (int)u : VRS_STATE_GRID - 1, j = v < VRS_STATE_GRID ? (int)v : VRS_STATE_GRID - 1;
	for (int axis = 0; axis < 2; axis++) {
		double above = map->at[j][i][axis] + (u - i) * (map->at[j][i + 1][axis] - map->at[j][i][axis]);
		double below = map->at[j + 1][i][axis] + (u - i) * (map->at[j + 1][i + 1][axis] - map->at[j + 1][i][axis]);
		ret[axis] = above + (v - j) * (below - above);
	}
	if (map->turn > 0)
		ret[0] -= floor((ret[0] - 0.5) / map->turn + 0.5) * map->turn;
}

/* x0..x1, y0..y1 of the eye is in both parts. */
static void check(struct fixture *f, struct vrs_rect from, struct vrs_rect to, int x0, int x1, int y0, int y1)
{
	struct vrs_state_map map;
	assert_true(vrs_rectilinear_look_map(f->look, 0, &from, &all, &to, &all, &map));
	assert_false(map.same);
	for (int y = y0; y <= y1; y += (y1 - y0) / 4)
		for (int x = x0; x <= x1; x += (x1 - x0) / 4) {
			double here[2], want[2], got[2];
			seen_at(f, &to, x, y, here);
			seen_at(f, &from, x, y, want);
			mapped(&map, here, got);
			assert_float_equal(got[0], want[0], BOUND);
			assert_float_equal(got[1], want[1], BOUND);
		}
	if (to.width == 1024) /* is looked at as it is */
		return;
	assert_true(vrs_rectilinear_look_map(f->look, 0, &to, &all, &to, &all, &map) && map.same);
	assert_float_equal(vrs_state_map_covered(&map), 1, 0);
}

static void test_half_sphere(void **state)
{
	struct fixture f;
	(void)state;
	open_look(&f, VRS_PROJECTION_HEQUIRECT, 180, 1024);
	check(&f, (struct vrs_rect){EYE_X + 300, 500, 200, 400}, (struct vrs_rect){EYE_X + 340, 520, 240, 380}, 344, 496, 524, 896);
	check(&f, (struct vrs_rect){EYE_X + 300, 200, 200, 400}, (struct vrs_rect){EYE_X + 260, 240, 200, 300}, 304, 456, 244, 536);
	/* the whole eye is looked at as it is */
	check(&f, (struct vrs_rect){EYE_X, 0, 1024, 1024}, (struct vrs_rect){EYE_X + 300, 500, 200, 400}, 304, 496, 504, 896);
	check(&f, (struct vrs_rect){EYE_X + 300, 500, 200, 400}, (struct vrs_rect){EYE_X, 0, 1024, 1024}, 320, 480, 560, 840);
	close_look(&f);
}

static void test_circle(void **state)
{
	struct fixture f;
	(void)state;
	open_look(&f, VRS_PROJECTION_EQUIRECT, 360, 2048);
	check(&f, (struct vrs_rect){1948, 500, 200, 400}, (struct vrs_rect){20, 520, 160, 360}, 24, 96, 524, 876);
	check(&f, (struct vrs_rect){20, 520, 160, 360}, (struct vrs_rect){1948, 500, 200, 400}, 24, 96, 524, 876);
	close_look(&f);
}

static void test_parts_as_they_are(void **state)
{
	struct fixture f;
	struct vrs_state_map map;
	const struct vrs_rect whole = {EYE_X, 0, 1024, 1024}, most = {EYE_X, 0, 1000, 1024};
	(void)state;
	open_look(&f, VRS_PROJECTION_HEQUIRECT, 180, 1024);
	assert_false(vrs_rectilinear_look_map(f.look, 0, &whole, &all, &most, &all, &map));
	assert_false(vrs_rectilinear_look_map(NULL, 0, &whole, &all, &most, &all, &map));
	close_look(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_half_sphere),
		cmocka_unit_test(test_circle),
		cmocka_unit_test(test_parts_as_they_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
