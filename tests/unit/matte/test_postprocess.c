/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards alpha from the network's numbers, smoothing with reset at scene cuts, cutoff and gamma. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "matte/matte_expand.h"
#include "matte/postprocess.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

static void test_output_kinds(void **state)
{
	(void)state;
	float alpha[4];
	vrs_alpha_from_output(alpha, (const float[]){-0.5f, 0.25f, 1.5f, NAN}, 4, 1, 0, VRS_ALPHA_PROBABILITY);
	assert_true(alpha[0] == 0 && alpha[1] == 0.25f && alpha[2] == 1 && alpha[3] == 0);
	vrs_alpha_from_output(alpha, (const float[]){0, 2, -100, 100}, 4, 1, 0, VRS_ALPHA_LOGITS);
	assert_true(alpha[0] == 0.5f && fabsf(alpha[1] - 0.880797f) < 1e-6f && alpha[2] == 0 && alpha[3] == 1);
	vrs_alpha_from_output(alpha, (const float[]){1, 1, 3, 1, 0, 200}, 3, 2, 1, VRS_ALPHA_SOFTMAX2);
	assert_true(alpha[0] == 0.5f && fabsf(alpha[1] - 0.119203f) < 1e-6f && alpha[2] == 1);
	/* further channels are skipped */
	vrs_alpha_from_output(alpha, (const float[]){0.5f, 9, 9, 0.75f, 9, 9}, 2, 3, 0, VRS_ALPHA_PROBABILITY);
	assert_true(alpha[0] == 0.5f && alpha[1] == 0.75f);
}

/* One frame in, its matte out; true: it begins a new scene. */
static bool next_matte(struct vrs_postprocess *post, const float *alpha, const struct vrs_rect *view, const struct vrs_scene_signature *signature,
		       struct vrs_matte *matte)
{
	const struct vrs_temporal_frame frame = {.alpha = alpha, .view = view, .signature = signature};
	bool cut = vrs_postprocess_push(post, &frame);
	assert_true(vrs_postprocess_take(post, false, matte, NULL));
	return cut;
}

/* Last value that a pixel shows after a sequence of alphas. */
static int last_shown(const struct vrs_postprocess_options *options, const float *sequence, int n)
{
	struct vrs_postprocess *post;
	struct vrs_matte matte;
	assert_int_equal(vrs_postprocess_create(&post, &arena, options), VRS_OK);
	assert_int_equal(vrs_matte_init(&matte, &arena, 1, 1), VRS_OK);
	for (int i = 0; i < n; i++)
		assert_false(next_matte(post, &sequence[i], NULL, NULL, &matte));
	int shown = matte.data[0];
	return shown;
}

static void test_curve_and_smoothing(void **state)
{
	(void)state;
	struct vrs_postprocess_options o = {.temporal = {.width = 1, .height = 1, .smoothing = 1, .window = 1, .stride = 1},
		.gamma = 1};
	assert_int_equal(last_shown(&o, (const float[]){0.3f}, 1), 77);
	assert_int_equal(last_shown(&o, (const float[]){1, 0}, 2), 0);
	o.temporal.smoothing = 0.25;
	/* 1 -> 0.75 -> 0.5625 */
	assert_int_equal(last_shown(&o, (const float[]){1, 0, 0}, 3), (int)lrint(0.5625 * 255));
	o.temporal.smoothing = 1;
	o.cutoff = 0.5;
	assert_int_equal(last_shown(&o, (const float[]){0.49f}, 1), 0);
	assert_int_equal(last_shown(&o, (const float[]){1}, 1), 255);
	assert_in_range(last_shown(&o, (const float[]){0.75f}, 1), 127, 129);
	o.cutoff = 0;
	o.gamma = 2;
	assert_in_range(last_shown(&o, (const float[]){0.5f}, 1), 63, 65);
	o.gamma = 0;
	struct vrs_postprocess *post;
	assert_int_equal(vrs_postprocess_create(&post, &arena, &o), VRS_EINVAL);
	o.gamma = 1;
	o.temporal.smoothing = 0;
	assert_int_equal(vrs_postprocess_create(&post, &arena, &o), VRS_EINVAL);
	o.temporal.smoothing = 1;
	o.cutoff = 0.96;
	assert_int_equal(vrs_postprocess_create(&post, &arena, &o), VRS_EINVAL);
}

/* People grow across the seam of an eye that shows 360 degrees, where the view is all of it. */
static void test_seam(void **state)
{
	(void)state;
	enum { WIDE = 16 };
	const float alpha[WIDE] = {1};
	for (int circle = 0; circle <= 4 * WIDE; circle += 2 * WIDE) {
		const struct vrs_postprocess_options o = {.temporal = {.width = WIDE, .height = 1, .smoothing = 1, .window = 1, .stride = 1, .circle = circle},
			.gamma = 1, .grow = 4}; /* of the picture, which is twice as wide */
		const struct vrs_rect view = {0, 0, 2 * WIDE, 2};
		struct vrs_scene_signature signature = {0};
		struct vrs_postprocess *post;
		struct vrs_matte matte;
		assert_int_equal(vrs_postprocess_create(&post, &arena, &o), VRS_OK);
		assert_int_equal(vrs_matte_init(&matte, &arena, WIDE, 1), VRS_OK);
		(void)next_matte(post, alpha, &view, &signature, &matte);
		for (int x = 0; x < WIDE; x++)
			assert_int_equal(matte.data[x], x <= 2 || (circle == 2 * WIDE && x >= WIDE - 2) ? 255 : 0);
	}
}

#define SIDE 64

/* A picture of soft shapes; seed chooses the scene, shift moves it, gain makes it brighter. */
static struct vrs_scene_signature scene(uint64_t seed, int shift, double gain)
{
	struct vrs_rng rng;
	struct vrs_scene_signature signature;
	vrs_rng_init(&rng, seed);
	double ax = 0.02 + vrs_rng_unit(&rng) * 0.1, ay = 0.02 + vrs_rng_unit(&rng) * 0.1, base = vrs_rng_unit(&rng) * 0.5;
	vrs_scene_signature_begin(&signature);
	for (int y = 0; y < SIDE; y++) {
		uint16_t row[SIDE];
		for (int x = 0; x < SIDE; x++) {
			double value = gain * (base + 0.25 * (1 + sin(ax * (x + shift) * 2) * cos(ay * y * 2)));
			row[x] = (uint16_t)(32767 * fmin(1, value));
		}
		vrs_scene_signature_row(&signature, row, y, SIDE, SIDE);
	}
	vrs_scene_signature_end(&signature);
	return signature;
}

static void test_scene_cuts(void **state)
{
	(void)state;
	struct vrs_scene_signature room = scene(1, 0, 1), moved = scene(1, 2, 1), brighter = scene(1, 0, 1.1), other = scene(9, 0, 1);
	assert_false(vrs_scene_cut(&room, &room));
	assert_false(vrs_scene_cut(&room, &moved));
	assert_false(vrs_scene_cut(&room, &brighter));
	assert_true(vrs_scene_cut(&room, &other));
	assert_true(vrs_scene_cut(&other, &room));
	float total = 0;
	for (int i = 0; i < VRS_SCENE_BINS; i++)
		total += room.histogram[i];
	assert_true(fabsf(total - 1) < 1e-4f);
}

/* At a cut the old scene must not shine through; without one it does. */
static void test_smoothing_restarts(void **state)
{
	(void)state;
	const struct vrs_postprocess_options o = {.temporal = {.width = 1, .height = 1, .smoothing = 0.1, .window = 1, .stride = 1},
		.gamma = 1};
	struct vrs_scene_signature room = scene(1, 0, 1), moved = scene(1, 2, 1), other = scene(9, 0, 1);
	struct vrs_postprocess *post;
	struct vrs_matte matte;
	const float one = 1, zero = 0;
	assert_int_equal(vrs_postprocess_create(&post, &arena, &o), VRS_OK);
	assert_int_equal(vrs_matte_init(&matte, &arena, 1, 1), VRS_OK);
	assert_false(next_matte(post, &one, NULL, &room, &matte));
	assert_false(next_matte(post, &zero, NULL, &moved, &matte));
	assert_int_equal(matte.data[0], (int)lrint(0.9 * 255));
	assert_true(next_matte(post, &zero, NULL, &other, &matte));
	assert_int_equal(matte.data[0], 0);
	vrs_postprocess_reset(post);
	assert_false(next_matte(post, &one, NULL, &room, &matte));
	assert_int_equal(matte.data[0], 255);
}

/* A person who stands still keeps a steady opacity while the view moves and is scaled; where the view before did not look there is no past. */
static void test_past_moves_along(void **state)
{
	(void)state;
	enum { SIZE = 32 };
	const struct vrs_postprocess_options o = {.temporal = {.width = SIZE, .height = SIZE, .smoothing = 0.25, .window = 1, .stride = 1},
		.gamma = 1};
	static const struct vrs_rect views[] = {{0, 0, 64, 64}, {16, 8, 32, 48}, {40, 40, 80, 40}};
	struct vrs_postprocess *post;
	struct vrs_matte matte;
	float alpha[SIZE * SIZE];
	assert_int_equal(vrs_postprocess_create(&post, &arena, &o), VRS_OK);
	assert_int_equal(vrs_matte_init(&matte, &arena, SIZE, SIZE), VRS_OK);
	for (size_t k = 0; k < sizeof views / sizeof views[0]; k++) {
		const struct vrs_rect *v = &views[k];
		/* opacity as a plane over the picture in the first two, then nothing: what is left there is the past */
		for (int i = 0; i < SIZE * SIZE; i++) {
			double x = v->x + (i % SIZE + 0.5) * v->width / SIZE, y = v->y + (i / SIZE + 0.5) * v->height / SIZE;
			alpha[i] = k < 2 ? (float)((x + y) / 128) : 0;
		}
		(void)next_matte(post, alpha, v, NULL, &matte);
		for (int i = 0; i < SIZE * SIZE; i++) {
			double x = v->x + (i % SIZE + 0.5) * v->width / SIZE, y = v->y + (i / SIZE + 0.5) * v->height / SIZE;
			bool seen = x < 48 && y < 56;
			double want = k < 2 ? (x + y) / 128 : seen ? 0.75 * (x + y) / 128 : 0;
			bool border = k == 2 && (fabs(x - 48) < 3 || fabs(y - 56) < 3);
			assert_true(border || fabs(matte.data[i] - 255 * want) < 4);
		}
	}
}

#define WIDE 48
#define HIGH 40

/* Random people and picture. */
static void random_frame(struct vrs_rng *rng, float *alpha, uint8_t *luma)
{
	for (int i = 0; i < WIDE * HIGH; i++) {
		alpha[i] = (float)vrs_rng_unit(rng);
		luma[i] = (uint8_t)vrs_rng_below(rng, 256);
	}
}

/* Settings that are off change no byte, also with their latency and frame after frame. */
static void test_identities(void **state)
{
	(void)state;
	const struct vrs_postprocess_options plain = {.temporal = {.width = WIDE, .height = HIGH, .smoothing = 1, .window = 1, .stride = 1}, .gamma = 1};
	struct vrs_postprocess_options ways[] = {plain, plain, plain, plain};
	ways[0].temporal.motion_gate = 12;
	ways[1].refine_radius = 4;
	ways[1].refine_eps = 0.001;
	ways[1].refine_limit = 0; /* may not move anything */
	ways[2].temporal.window = 3;
	ways[2].temporal.motion_gate = 0.5; /* each luma differs from the one before: nothing is smoothed */
	ways[3].temporal.smoothing = 0.3;
	ways[3].temporal.motion_gate = 0.5;
	static float alpha[6][WIDE * HIGH];
	static uint8_t luma[6][WIDE * HIGH], want[WIDE * HIGH], got[WIDE * HIGH];
	struct vrs_rng rng;
	vrs_rng_init(&rng, 5);
	for (int n = 0; n < 6; n++) {
		random_frame(&rng, alpha[n], luma[n]);
		for (int i = 0; i < WIDE * HIGH; i++)
			luma[n][i] = (uint8_t)(n * 7 + i % 50);
	}
	for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
		struct vrs_postprocess *post, *other;
		struct vrs_matte matte = {WIDE, HIGH, WIDE, want}, same = {WIDE, HIGH, WIDE, got};
		assert_int_equal(vrs_postprocess_create(&post, &arena, &plain), VRS_OK);
		assert_int_equal(vrs_postprocess_create(&other, &arena, &ways[w]), VRS_OK);
		int latency = vrs_temporal_latency(&ways[w].temporal), taken = 0;
		for (int n = 0; n < 6 + latency; n++) {
			const struct vrs_temporal_frame frame = {.alpha = alpha[n % 6], .luma = luma[n % 6]};
			if (n < 6)
				vrs_postprocess_push(other, &frame);
			if (!vrs_postprocess_take(other, n >= 6, &same, NULL))
				continue;
			assert_int_equal(n - taken, latency);
			const struct vrs_temporal_frame shown = {.alpha = alpha[taken], .luma = luma[taken]};
			vrs_postprocess_push(post, &shown);
			assert_true(vrs_postprocess_take(post, false, &matte, NULL));
			assert_memory_equal(want, got, sizeof want);
			taken++;
		}
		assert_int_equal(taken, 6);
		assert_false(vrs_postprocess_take(other, true, &same, NULL));
	}
}

/* What needs luma says so. */
static void test_needs_luma(void **state)
{
	(void)state;
	struct vrs_postprocess_options o = {.temporal = {.width = 1, .height = 1, .smoothing = 1, .motion_gate = 10, .window = 1, .stride = 1}, .gamma = 1};
	assert_false(vrs_postprocess_needs_luma(&o));
	o.temporal.smoothing = 0.5;
	assert_true(vrs_postprocess_needs_luma(&o));
	o.temporal.motion_gate = 0;
	assert_false(vrs_postprocess_needs_luma(&o));
	o.temporal.window = 5;
	assert_false(vrs_postprocess_needs_luma(&o));
	o.temporal.motion_gate = 1;
	assert_true(vrs_postprocess_needs_luma(&o));
	o = (struct vrs_postprocess_options){.refine_radius = 3};
	assert_true(vrs_postprocess_needs_luma(&o));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output_kinds),
		cmocka_unit_test(test_curve_and_smoothing),
		cmocka_unit_test(test_seam),
		cmocka_unit_test(test_scene_cuts),
		cmocka_unit_test(test_smoothing_restarts),
		cmocka_unit_test(test_past_moves_along),
		cmocka_unit_test(test_identities),
		cmocka_unit_test(test_needs_luma),
	};
	return cmocka_run_group_tests_name("postprocess", tests, NULL, free_arena);
}
