/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the cameras for parts of an eye, for every lens and on both sides of the seam of a 360 degree picture: the maps from the picture around a
 * part to the window and from the window to the part are those of the lenses in double precision within 1/16 sample, going there and back ends where
 * it began, windows hold all of a part or all of its people, straight lines of the world are straight in them, and what no plane shows is refused.
 * A map that is changed draws what a new one draws.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "vr/rectilinear_view.h"

#define PI 3.14159265358979323846
#define SIDE 96        /* of windows and mattes; a multiple of runs */
#define BOUND (1.0 / 16)

static const struct vrs_rectilinear_aim all;

struct film {
	enum vrs_projection projection;
	double fov, pixel_aspect;
	int width, height;      /* of an eye */
};

static const struct film films[] = {
	{VRS_PROJECTION_HEQUIRECT, 180, 1, 1024, 1024}, {VRS_PROJECTION_HEQUIRECT, 180, 2, 512, 1024}, {VRS_PROJECTION_HEQUIRECT, 180, 0.5, 1024, 512},
	{VRS_PROJECTION_EQUIRECT, 360, 1, 2048, 1024}, {VRS_PROJECTION_EQUIRECT, 0, 2, 1024, 1024}, {VRS_PROJECTION_FISHEYE, 180, 1, 1024, 1024},
	{VRS_PROJECTION_FISHEYE, 200, 1, 900, 1000},
};

#define FILMS (sizeof films / sizeof films[0])

static struct vrs_rectilinear_eye eye_of(const struct film *film)
{
	struct vrs_layout layout = {.projection = film->projection, .fov_degrees = film->fov, .pixel_aspect = film->pixel_aspect};
	struct vrs_rectilinear_eye eye;
	struct vrs_error err = {0};
	if (vrs_rectilinear_eye_init(&eye, &layout, film->width, film->height, &err))
		fail_msg("%s", err.text);
	return eye;
}

/* Up to half a half sphere across; of a fisheye inside the circle; on a circle anywhere. */
static struct vrs_rect random_part(struct vrs_rng *rng, const struct film *film)
{
	bool turn = film->projection == VRS_PROJECTION_EQUIRECT, fisheye = film->projection == VRS_PROJECTION_FISHEYE;
	int width = film->width / (turn ? 2 : 1), edge = fisheye ? film->width / 5 : 0;
	struct vrs_rect part = {.width = 16 + 2 * (int)vrs_rng_below(rng, (uint64_t)width / 5)};
	part.height = 16 + 2 * (int)vrs_rng_below(rng, (uint64_t)film->height / 6);
	part.x = turn ? 2 * (int)vrs_rng_below(rng, (uint64_t)film->width / 2)
		      : edge + 2 * (int)vrs_rng_below(rng, (uint64_t)(width - 2 * edge - part.width) / 2);
	part.y = edge + 2 * (int)vrs_rng_below(rng, (uint64_t)(film->height - 2 * edge - part.height) / 2);
	return part;
}

/* Where sample (i, j) of the target lies in samples of the source's grid, in double. */
static bool truth(const struct vrs_remap_options *o, double i, double j, double *u, double *v)
{
	const struct vrs_remap_grid *t = &o->target_grid, *s = &o->source_grid;
	double d[3];
	if (!vrs_lens_direction(&o->target, (i + 0.5) * t->step[0] + t->offset[0], (j + 0.5) * t->step[1] + t->offset[1], d) ||
	    !vrs_lens_position(&o->source, d, u, v))
		return false;
	*u = (*u - s->offset[0]) / s->step[0] - 0.5;
	*v = (*v - s->offset[1]) / s->step[1] - 0.5;
	return true;
}

/* Every position of a map; those at the very rim of a circle may be shown or not. Returns how many were compared. */
static int check_map(const struct vrs_remap_options *options)
{
	struct vrs_remap *map;
	int count = 0;
	assert_int_equal(vrs_remap_create(&map, options, NULL), VRS_OK);
	for (int y = 0; y < SIDE; y++)
		for (int run = 0; run < SIDE / VRS_REMAP_RUN; run++) {
			int32_t u[VRS_REMAP_RUN], v[VRS_REMAP_RUN];
			uint32_t shown = vrs_remap_run(map, run, y, u, v);
			for (int k = 0; k < VRS_REMAP_RUN; k++) {
				double want_u, want_v;
				if (!truth(options, run * VRS_REMAP_RUN + k, y, &want_u, &want_v) || !(shown >> k & 1))
					continue;
				assert_true(fabs(u[k] / 65536.0 - want_u) < BOUND && fabs(v[k] / 65536.0 - want_v) < BOUND);
				count++;
			}
		}
	vrs_remap_destroy(map);
	return count;
}

/* From a place of the part to the window and back. */
static void check_round(const struct vrs_remap_options *in, const struct vrs_remap_options *out, const struct vrs_rectilinear_view *view)
{
	for (int k = 0; k < 25; k++) {
		double u, v, i = k % 5 * (SIDE - 1) / 4.0, j = k / 5 * (SIDE - 1) / 4.0, back_u, back_v;
		if (!truth(out, i, j, &u, &v))
			continue;
		assert_true(u > -1 && v > -1 && u < SIDE && v < SIDE); /* the window holds the part */
		assert_true(truth(in, u, v, &back_u, &back_v));
		double x = view->from[0] + (back_u + 0.5) * in->source_grid.step[0], y = view->from[1] + (back_v + 0.5) * in->source_grid.step[1];
		assert_true(fabs(x - view->part[0] - (i + 0.5) * (view->part[2] - view->part[0]) / SIDE) < 1e-6);
		assert_true(fabs(y - view->part[1] - (j + 0.5) * (view->part[3] - view->part[1]) / SIDE) < 1e-6);
	}
}

static void test_maps(void **state)
{
	(void)state;
	struct vrs_rng rng;
	int made = 0, tried = 0;
	vrs_rng_init(&rng, 1);
	for (int kind = 0; kind < 84; kind++) {
		const struct film *film = &films[(size_t)kind % FILMS];
		struct vrs_rectilinear_eye eye = eye_of(film);
		struct vrs_rect part = random_part(&rng, film);
		struct vrs_rectilinear_view view;
		tried++;
		if (!vrs_rectilinear_view_make(&view, &eye, &part, &all))
			continue;
		made++;
		assert_true(view.bend >= 0 && view.bend <= 1 && view.around.height <= film->height && view.around.width <= film->width);
		assert_true(eye.is_circle || (view.around.x >= 0 && view.around.x + view.around.width <= film->width));
		assert_true(view.around.y >= 0 && view.around.y + view.around.height <= film->height);
		struct vrs_remap_options in = vrs_rectilinear_view_to_window(&view, SIDE, SIDE, 80, 70), out = vrs_rectilinear_view_to_part(&view,
			SIDE, SIDE, SIDE, SIDE);
		assert_true(check_map(&in) > SIDE * SIDE / 4);
		assert_true(check_map(&out) > SIDE * SIDE / 4);
		check_round(&in, &out, &view);
	}
	assert_true(made * 2 > tried);
}

/* Of equirectangular pictures the column does not matter: the same maps, on the seam too. */
static void test_columns(void **state)
{
	(void)state;
	for (size_t f = 0; f < FILMS; f++) {
		struct vrs_rectilinear_eye eye = eye_of(&films[f]);
		if (films[f].projection == VRS_PROJECTION_FISHEYE)
			continue;
		struct vrs_rect part = {films[f].width / 2 - 40, films[f].height / 2, 80, films[f].height / 4}, other = part;
		struct vrs_rectilinear_view a, b;
		other.x = eye.is_circle ? films[f].width - 40 : part.x + 44;
		assert_true(vrs_rectilinear_view_make(&a, &eye, &part, &all) && vrs_rectilinear_view_make(&b, &eye, &other, &all));
		assert_memory_equal(a.window, b.window, sizeof a.window);
		assert_memory_equal(&a.camera, &b.camera, sizeof a.camera);
		assert_memory_equal(a.from, b.from, sizeof a.from);
		assert_int_equal(a.around.width, b.around.width);
		assert_int_equal(b.around.x - a.around.x, other.x - part.x);
	}
}

/* An edge of a door, upright 30 degrees to the right, seen from a camera that looks far down: straight, but not in the film. */
static void test_straight(void **state)
{
	(void)state;
	struct vrs_rectilinear_eye eye = eye_of(&films[0]);
	struct vrs_rect part = {400, 600, 300, 300};
	struct vrs_rectilinear_view view;
	double at[3][2];
	assert_true(vrs_rectilinear_view_make(&view, &eye, &part, &all));
	for (int k = 0; k < 3; k++) {
		double d[3] = {tan(PI / 6), -0.4 - 0.4 * k, 1}, u, v; /* the door stands in the plane z = 1 */
		double local[3] = {d[0], d[1], d[2]};
		double lon = (part.x + part.width / 2.0 - 512) / 1024 * PI; /* the part's middle is ahead */
		local[0] = d[0] * cos(lon) - d[2] * sin(lon);
		local[2] = d[0] * sin(lon) + d[2] * cos(lon);
		assert_true(vrs_lens_position(&view.camera, local, &u, &v));
		at[k][0] = u;
		at[k][1] = v;
	}
	double cross = (at[1][0] - at[0][0]) * (at[2][1] - at[0][1]) - (at[1][1] - at[0][1]) * (at[2][0] - at[0][0]);
	double length = hypot(at[2][0] - at[0][0], at[2][1] - at[0][1]);
	assert_true(length > 100 && fabs(cross) / length < 1e-6);
}

/* What the bend says: nothing at the horizon, much far from it. */
static void test_bend(void **state)
{
	(void)state;
	struct vrs_rectilinear_eye eye = eye_of(&films[0]);
	struct vrs_rect level = {412, 412, 200, 200}, low = {412, 700, 200, 300};
	struct vrs_rectilinear_view view;
	assert_true(vrs_rectilinear_view_make(&view, &eye, &level, &all) && view.bend < 0.05);
	assert_true(vrs_rectilinear_view_make(&view, &eye, &low, &all) && view.bend > 0.6);
}

/* A blob of people in a matte: the window holds all of it, and is not much larger. */
static void test_aim(void **state)
{
	(void)state;
	static float alpha[SIDE * SIDE];
	struct vrs_rng rng;
	int made = 0;
	vrs_rng_init(&rng, 3);
	for (int kind = 0; kind < 140; kind++) {
		const struct film *film = &films[(size_t)kind % FILMS];
		struct vrs_rectilinear_eye eye = eye_of(film);
		struct vrs_rect part = random_part(&rng, film), next = part;
		struct vrs_rectilinear_aim aim;
		struct vrs_rectilinear_view view;
		int left = 10 + (int)vrs_rng_below(&rng, 30), top = 10 + (int)vrs_rng_below(&rng, 30);
		memset(alpha, 0, sizeof alpha);
		for (int y = top; y < top + 40; y++)
			for (int x = left; x < left + 40; x++)
				alpha[y * SIDE + x] = 1;
		if (eye.is_circle && part.x > film->width / 2)
			next.x -= film->width; /* the same place */
		(void)vrs_rectilinear_view_aim(&aim, &eye, &part, &next, NULL, alpha, SIDE, SIDE);
		if (!(aim.window[2] > aim.window[0]) || !vrs_rectilinear_view_make(&view, &eye, &next, &aim))
			continue;
		made++;
		struct vrs_remap_options out = vrs_rectilinear_view_to_part(&view, SIDE, SIDE, SIDE, SIDE);
		double low[2] = {SIDE, SIDE}, high[2] = {0, 0};
		for (int y = top; y < top + 40; y++)
			for (int x = left; x < left + 40; x++) {
				double at[2];
				if (!truth(&out, x, y, &at[0], &at[1]))
					continue;
				for (int axis = 0; axis < 2; axis++) {
					low[axis] = fmin(low[axis], at[axis]);
					high[axis] = fmax(high[axis], at[axis]);
				}
			}
		for (int axis = 0; axis < 2; axis++)
			assert_true(low[axis] > 0 && high[axis] < SIDE - 1 && high[axis] - low[axis] > SIDE / 4);
	}
	assert_true(made > 70);
}

static void test_cut(void **state)
{
	(void)state;
	static float alpha[SIDE * SIDE];
	struct vrs_rectilinear_eye eye = eye_of(&films[0]);
	struct vrs_rect part = {300, 600, 300, 300};
	struct vrs_rectilinear_aim aim, wider;
	struct vrs_rectilinear_view view;
	for (int i = 0; i < SIDE * SIDE; i++)
		alpha[i] = i / SIDE >= 30 && i / SIDE < 60 && i % SIDE >= 30 && i % SIDE < 60;
	assert_true(vrs_rectilinear_view_aim(&aim, &eye, &part, &part, NULL, alpha, SIDE, SIDE)); /* seen without a camera: worth another look */
	assert_true(vrs_rectilinear_view_make(&view, &eye, &part, &aim));
	assert_false(vrs_rectilinear_view_aim(&wider, &eye, &part, &part, &view, alpha, SIDE, SIDE));
	assert_memory_equal(&aim, &wider, sizeof aim);
	for (int y = 30; y < 60; y++) /* they go on to the right of the window */
		for (int x = 60; x < 80; x++)
			alpha[y * SIDE + x] = 1;
	assert_true(vrs_rectilinear_view_aim(&wider, &eye, &part, &part, &view, alpha, SIDE, SIDE));
	assert_true(wider.window[2] - wider.window[0] > 1.5 * (aim.window[2] - aim.window[0]));
	for (int y = 30; y < 60; y++) /* they end at a border of the part: nobody knows how far they go */
		for (int x = 80; x < SIDE; x++)
			alpha[y * SIDE + x] = 1;
	assert_false(vrs_rectilinear_view_aim(&wider, &eye, &part, &part, NULL, alpha, SIDE, SIDE));
	assert_memory_equal(&wider, &all, sizeof all);
	memset(alpha, 0, sizeof alpha);
	assert_false(vrs_rectilinear_view_aim(&wider, &eye, &part, &part, &view, alpha, SIDE, SIDE));
	assert_memory_equal(&wider, &all, sizeof all);
}

static void test_refused(void **state)
{
	(void)state;
	struct vrs_rectilinear_eye eye = eye_of(&films[3]);
	struct vrs_rectilinear_view view;
	const struct vrs_rect whole = {0, 0, 2048, 1024}, wide = {100, 300, 1000, 400};
	struct vrs_error err = {0};
	assert_false(vrs_rectilinear_view_make(&view, &eye, &whole, &all));
	assert_false(vrs_rectilinear_view_make(&view, &eye, &wide, &all));
	struct vrs_layout layout = {.projection = VRS_PROJECTION_FLAT, .pixel_aspect = 1};
	assert_int_equal(vrs_rectilinear_eye_init(&eye, &layout, 100, 100, &err), VRS_ECONFIG);
	layout.projection = VRS_PROJECTION_UNKNOWN;
	assert_int_equal(vrs_rectilinear_eye_init(&eye, &layout, 100, 100, &err), VRS_ECONFIG);
	layout.projection = VRS_PROJECTION_FISHEYE;
	layout.pixel_aspect = 2;
	assert_int_equal(vrs_rectilinear_eye_init(&eye, &layout, 100, 100, &err), VRS_ECONFIG);
}

static void draw(const struct vrs_remap *map, const uint16_t *source, int width, int height, uint16_t *dst)
{
	const struct vrs_remap_plane plane = {.data = source, .stride_bytes = width * 2, .width = width, .height = height};
	const struct vrs_remap_canvas canvas = {.data = dst, .stride_bytes = SIDE * 2, .sample_bytes = 2};
	vrs_remap_draw(map, &canvas, &plane, 7, 0, SIDE);
}

static void test_change(void **state)
{
	(void)state;
	static uint16_t source[80 * 70 + 32], a[SIDE * SIDE], b[SIDE * SIDE];
	struct vrs_remap *changed = NULL, *fresh;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 4);
	for (int i = 0; i < 80 * 70; i++)
		source[i] = (uint16_t)vrs_rng_below(&rng, 32768);
	for (int kind = 0; kind < 42; kind++) {
		const struct film *film = &films[(size_t)kind % FILMS];
		struct vrs_rectilinear_eye eye = eye_of(film);
		struct vrs_rect part = random_part(&rng, film);
		struct vrs_rectilinear_view view;
		if (!vrs_rectilinear_view_make(&view, &eye, &part, &all))
			continue;
		struct vrs_remap_options options = vrs_rectilinear_view_to_window(&view, SIDE, SIDE, 80, 70);
		assert_int_equal(vrs_remap_create(&fresh, &options, NULL), VRS_OK);
		assert_int_equal(changed ? vrs_remap_change(changed, &options, NULL) : vrs_remap_create(&changed, &options, NULL), VRS_OK);
		draw(fresh, source, 80, 70, a);
		draw(changed, source, 80, 70, b);
		assert_memory_equal(a, b, sizeof a);
		options.target_grid.width++;
		assert_int_equal(vrs_remap_change(changed, &options, NULL), VRS_EINVAL);
		draw(changed, source, 80, 70, b);
		assert_memory_equal(a, b, sizeof a);
		vrs_remap_destroy(fresh);
	}
	vrs_remap_destroy(changed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_straight),
		cmocka_unit_test(test_bend),
		cmocka_unit_test(test_aim),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_change),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
