/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards smoothing that looks ahead: order and latency, that a still picture is averaged and a moving one is not, that scenes do not mix, and that
 * mattes of frames between those that the network saw lie where the people are then, beside the luma of their view.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "matte/temporal.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

#define SIDE 32
#define PIXELS (SIDE * SIDE)

static struct vrs_temporal *made(const struct vrs_temporal_options *options)
{
	struct vrs_temporal *temporal;
	assert_int_equal(vrs_temporal_create(&temporal, &arena, options), VRS_OK);
	return temporal;
}

/* Uniform frames of these values in; what comes out, in order, with the luma 100 + 50 * moves at odd frames. Returns the first pixel of each. */
static int through(const struct vrs_temporal_options *options, const float *values, int n, bool moves, int reset_at, float *ret)
{
	static float alpha[PIXELS];
	static uint8_t luma[PIXELS];
	struct vrs_temporal *temporal = made(options);
	int taken = 0;
	struct vrs_temporal_frame out;
	for (int k = 0; k < n; k++) {
		for (int i = 0; i < PIXELS; i++)
			alpha[i] = values[k];
		memset(luma, moves && k % 2 ? 150 : 100, sizeof luma);
		if (k == reset_at)
			vrs_temporal_reset(temporal);
		const struct vrs_temporal_frame in = {.alpha = values[k] < 0 ? NULL : alpha, .luma = luma};
		assert_false(vrs_temporal_push(temporal, &in));
		if (vrs_temporal_take(temporal, false, &out)) {
			assert_int_equal(k - taken, vrs_temporal_latency(options));
			ret[taken++] = out.alpha[PIXELS - 1];
		}
	}
	while (vrs_temporal_take(temporal, true, &out))
		ret[taken++] = out.alpha[PIXELS - 1];
	return taken;
}

#define ASSERT_NEAR(a, b) assert_true(fabs((double)(a) - (double)(b)) < 1e-4)

static void test_centred_mean(void **state)
{
	(void)state;
	const struct vrs_temporal_options o = {.width = SIDE, .height = SIDE, .smoothing = 1, .window = 3, .stride = 1, .motion_gate = 10};
	const float values[] = {0, 1, 0, 1, 1, 1};
	float got[6];
	/* weights 1/2, 1, 1/2; at the ends only what exists */
	assert_int_equal(through(&o, values, 6, false, -1, got), 6);
	const float want[] = {1.0f / 3, 0.5f, 0.5f, 0.75f, 1, 1};
	for (int i = 0; i < 6; i++)
		ASSERT_NEAR(got[i], want[i]);
	/* neighbours with another luma have no say */
	assert_int_equal(through(&o, values, 6, true, -1, got), 6);
	for (int i = 0; i < 6; i++)
		ASSERT_NEAR(got[i], values[i]);
	/* a scene begins at frame 2 */
	assert_int_equal(through(&o, values, 6, false, 2, got), 6);
	ASSERT_NEAR(got[1], 2.0f / 3);
	ASSERT_NEAR(got[2], 1.0f / 3);
}

static void test_windows(void **state)
{
	(void)state;
	float values[40], got[40];
	for (int i = 0; i < 40; i++)
		values[i] = 0.25f;
	for (int window = 1; window <= 9; window++)
		for (int stride = 1; stride <= 4; stride++)
			for (int n = 1; n < 40; n += 13) {
				const struct vrs_temporal_options o = {.width = SIDE, .height = SIDE, .smoothing = 0.5, .window = window, .stride = stride};
				float with_gaps[40];
				for (int i = 0; i < n; i++)
					with_gaps[i] = i % stride ? -1 : values[i];
				assert_int_equal(vrs_temporal_latency(&o), window / 2 + stride - 1);
				assert_int_equal(through(&o, with_gaps, n, false, -1, got), n);
				for (int i = 0; i < n; i++)
					ASSERT_NEAR(got[i], 0.25);
			}
}

static void test_between(void **state)
{
	(void)state;
	const struct vrs_temporal_options o = {.width = SIDE, .height = SIDE, .smoothing = 1, .window = 1, .stride = 3};
	const float values[] = {0, -1, -1, 0.9f, -1, -1};
	float got[6];
	/* evenly from one to the next; after the last one it stays */
	assert_int_equal(through(&o, values, 6, false, -1, got), 6);
	const float want[] = {0, 0.3f, 0.6f, 0.9f, 0.9f, 0.9f};
	for (int i = 0; i < 6; i++)
		ASSERT_NEAR(got[i], want[i]);
	/* not across scenes: frame 2 begins one, and shows what comes */
	assert_int_equal(through(&o, values, 6, false, 2, got), 6);
	ASSERT_NEAR(got[1], 0);
	ASSERT_NEAR(got[2], 0.9);
}

/* A square person of 8 pixels, left edge at picture position x, in a view. */
static void draw(float *alpha, const struct vrs_rect *view, double x)
{
	for (int i = 0; i < PIXELS; i++) {
		double px = view->x + (i % SIDE + 0.5) * view->width / SIDE, py = view->y + (i / SIDE + 0.5) * view->height / SIDE;
		alpha[i] = px >= x && px < x + 8 && py >= 8 && py < 16 ? 1 : 0;
	}
}

static void test_between_moves(void **state)
{
	(void)state;
	const struct vrs_temporal_options o = {.width = SIDE, .height = SIDE, .smoothing = 1, .window = 1, .stride = 2, .keeps_luma = true};
	static const struct vrs_rect views[] = {{0, 0, 32, 32}, {4, 0, 32, 32}};
	static float alpha[PIXELS], want[PIXELS];
	static uint8_t luma[PIXELS];
	struct vrs_temporal *temporal = made(&o);
	struct vrs_temporal_frame out;
	/* the person walks by 8 pixels, the view by 4: half way the person is 4 further, whatever the view */
	for (int k = 0; k < 3; k++) {
		draw(alpha, &views[k / 2], 4 + 4 * k);
		const struct vrs_temporal_frame in = {.alpha = k == 1 ? NULL : alpha, .luma = luma, .view = &views[k / 2]};
		vrs_temporal_push(temporal, &in);
		if (!vrs_temporal_take(temporal, k == 2, &out))
			continue;
		draw(want, out.view, 4 + 4 * (k - 1));
		for (int i = 0; i < PIXELS; i++)
			assert_true(fabsf(out.alpha[i] - want[i]) < 0.01f);
	}
}

/* Luma of a view of a picture that is a ramp. */
static void draw_luma(uint8_t *luma, const struct vrs_rect *view)
{
	for (int i = 0; i < PIXELS; i++)
		luma[i] = (uint8_t)(view->x + i % SIDE + 2 * (view->y + i / SIDE));
}

/* Stride 3 with the views a, a, a and b: whatever view a frame has when it is taken, its luma is of that. Frame n may begin a scene. */
static void check_luma(const struct vrs_rect *a, const struct vrs_rect *b, int scene_at)
{
	const struct vrs_temporal_options o = {.width = SIDE, .height = SIDE, .smoothing = 1, .window = 1, .stride = 3, .keeps_luma = true};
	static float alpha[PIXELS];
	static uint8_t luma[PIXELS], want[PIXELS];
	struct vrs_temporal *temporal = made(&o);
	struct vrs_temporal_frame out;
	int taken = 0, in_b = 0;
	for (int k = 0; k < 4 || taken < 4; k++) {
		const struct vrs_rect *view = k == 3 ? b : a;
		const struct vrs_temporal_frame in = {.alpha = k % 3 ? NULL : alpha, .luma = luma, .view = view};
		draw(alpha, view, 10);
		draw_luma(luma, view);
		if (k == scene_at)
			vrs_temporal_reset(temporal);
		if (k < 4)
			vrs_temporal_push(temporal, &in);
		if (!vrs_temporal_take(temporal, k >= 3, &out))
			continue;
		draw_luma(want, out.view);
		assert_memory_equal(out.luma, want, PIXELS);
		in_b += memcmp(out.view, b, sizeof *b) == 0;
		taken++;
	}
	assert_int_equal(in_b, memcmp(a, b, sizeof *a) == 0 ? 4 : scene_at == 1 ? 3 : 2);
}

static void test_luma_is_of_the_view(void **state)
{
	static const struct vrs_rect views[] = {{4, 2, 32, 32}, {9, 2, 32, 32}, {0, 5, 32, 32}, {40, 2, 32, 32}};
	(void)state;
	for (int a = 0; a < 4; a++)
		for (int b = 0; b < 4; b++)
			for (int scene_at = -1; scene_at <= 3; scene_at++)
				if (scene_at != 0)
					check_luma(&views[a], &views[b], scene_at == 3 ? -1 : scene_at);
}

/* A person over most of a matte. */
static void draw_wide(float *alpha)
{
	for (int i = 0; i < PIXELS; i++)
		alpha[i] = i % SIDE >= 3 && i % SIDE < SIDE - 3 && i / SIDE >= 4 && i / SIDE < SIDE - 4 ? 1 : 0;
}

/* On a circle of 1000, from a view of 900 to one of 160 in five frames: the four between. before: another pair of views went through first. */
static void shrink(bool before, float ret[4][PIXELS])
{
	const struct vrs_temporal_options o = {.width = SIDE, .height = SIDE, .circle = 1000, .smoothing = 1, .window = 1, .stride = 5};
	static const struct vrs_rect views[] = {{100, 0, 700, 500}, {370, 0, 160, 500}, {0, 0, 900, 500}, {370, 0, 160, 500}};
	static float alpha[PIXELS];
	struct vrs_temporal *temporal = made(&o);
	struct vrs_temporal_frame out;
	int taken = before ? -6 : 0;
	draw_wide(alpha);
	for (int pair = before ? 0 : 1; pair < 2; pair++) {
		vrs_temporal_reset(temporal);
		for (int k = 0; k <= 5; k++) {
			const struct vrs_temporal_frame in = {.alpha = k % 5 ? NULL : alpha, .view = &views[2 * pair + k / 5]};
			vrs_temporal_push(temporal, &in);
			while (vrs_temporal_take(temporal, k == 5, &out)) {
				if (taken > 0 && taken < 5)
					memcpy(ret[taken - 1], out.alpha, sizeof ret[0]);
				taken++;
			}
		}
	}
	assert_int_equal(taken, 6);
}

static void test_between_on_a_circle(void **state)
{
	static float one[4][PIXELS], other[4][PIXELS];
	(void)state;
	shrink(false, one);
	shrink(true, other);
	assert_memory_equal(one, other, sizeof one);
	for (int n = 0; n < 4; n++) { /* the person shows once */
		const float *row = one[n] + SIDE * SIDE / 2;
		int begins = row[0] > 0.5f;
		for (int x = 1; x < SIDE; x++)
			begins += row[x] > 0.05f && row[x - 1] <= 0.05f;
		assert_int_equal(begins, 1);
	}
}

static void test_refusals(void **state)
{
	(void)state;
	struct vrs_temporal *temporal;
	const struct vrs_temporal_options good = {.width = 2, .height = 2, .smoothing = 1, .window = 1, .stride = 1};
	struct vrs_temporal_options bad[5] = {good, good, good, good, good};
	bad[0].width = 0;
	bad[1].smoothing = 0;
	bad[2].window = 0;
	bad[3].stride = 0;
	bad[4].motion_gate = NAN;
	for (int i = 0; i < 5; i++)
		assert_int_equal(vrs_temporal_create(&temporal, &arena, &bad[i]), VRS_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_centred_mean),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_between_moves),
		cmocka_unit_test(test_luma_is_of_the_view),
		cmocka_unit_test(test_between_on_a_circle),
		cmocka_unit_test(test_refusals),
	};
	return cmocka_run_group_tests_name("temporal", tests, NULL, free_arena);
}
