/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards parts that go across the seam of a 360 degree picture: wherever the seam lies, the network's picture, the luma under a matte, the composed
 * frame, mattes moved between views, exclusions, views around people and the agreement of eyes are the same as where nothing crosses it.  Each check
 * turns a random picture of one or two eyes and compares bit for bit.
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
#include "matte/composite.h"
#include "matte/exclusion.h"
#include "matte/eye_agreement.h"
#include "matte/plane_scaler.h"
#include "matte/matte_expand.h"
#include "matte/preprocess.h"
#include "matte/regions.h"
#include "matte/temporal.h"
#include "unit/random_frame.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

#define CIRCLE 192
#define HEIGHT 40
#define SIDE 24
#define PIXELS (SIDE * SIDE)

static struct vrs_picture_format make_format(int kind)
{
	static const int depths[] = {8, 10, 8, 16};
	return (struct vrs_picture_format){.width = kind % 2 ? 2 * CIRCLE : CIRCLE, .height = HEIGHT, .planes = kind % 5 == 4 ? 1 : 3,
		.bit_depth = depths[kind % 4], .matrix = VRS_MATRIX_BT709, .chroma_shift_x = kind % 3, .chroma_shift_y = kind % 3 > 0,
		.chroma_location = kind % 7, .circle = CIRCLE};
}

/* Each eye of the frame turned by so many luma columns to the right. */
static struct vrs_frame turned(const struct vrs_frame *frame, int turn)
{
	struct vrs_frame to;
	assert_int_equal(vrs_frame_alloc(&to, &frame->format), VRS_OK);
	size_t bytes = (size_t)vrs_sample_bytes(&frame->format);
	for (int p = 0; p < frame->format.planes; p++) {
		int shift = p ? frame->format.chroma_shift_x : 0, circle = CIRCLE >> shift;
		for (int y = 0; y < vrs_plane_height(&frame->format, p); y++)
			for (int x = 0; x < vrs_plane_width(&frame->format, p); x++) {
				int at = x / circle * circle + (x % circle + (turn >> shift)) % circle;
				memcpy(to.data[p] + to.stride_bytes[p] * y + (size_t)at * bytes, frame->data[p] + frame->stride_bytes[p] * y + (size_t)x * bytes,
				       bytes);
			}
	}
	return to;
}

static bool same_samples(const struct vrs_frame *a, const struct vrs_frame *b)
{
	for (int p = 0; p < a->format.planes; p++)
		for (int y = 0; y < vrs_plane_height(&a->format, p); y++)
			if (memcmp(a->data[p] + a->stride_bytes[p] * y, b->data[p] + b->stride_bytes[p] * y,
				   (size_t)vrs_plane_width(&a->format, p) * (size_t)vrs_sample_bytes(&a->format)) != 0)
				return false;
	return true;
}

static struct vrs_rect turned_rect(const struct vrs_rect *rect, int turn)
{
	struct vrs_rect to = *rect;
	to.x = rect->x / CIRCLE * CIRCLE + (rect->x % CIRCLE + turn) % CIRCLE;
	return to;
}

/* In eye `eye`, on whole chroma samples, reaching at most to its right edge; with whole the full circle. */
static struct vrs_rect random_part(struct vrs_rng *rng, int eye, bool whole)
{
	struct vrs_rect rect = {.y = 4 * (int)vrs_rng_below(rng, 4), .width = whole ? CIRCLE : 4 + 4 * (int)vrs_rng_below(rng, CIRCLE / 4 - 1)};
	rect.height = 2 + 2 * (int)vrs_rng_below(rng, (uint64_t)(HEIGHT - rect.y) / 2 - 1);
	rect.x = eye * CIRCLE + 4 * (int)vrs_rng_below(rng, (uint64_t)(CIRCLE - rect.width) / 4 + 1);
	return rect;
}

static void seen(const struct vrs_frame *frame, const struct vrs_rect *part, float *rgb, uint8_t *luma, struct vrs_scene_signature *scene)
{
	int eye = part->x / CIRCLE * CIRCLE;
	const struct vrs_preprocess_options options = {.format = frame->format, .rect = {eye, 0, CIRCLE, HEIGHT}, .width = SIDE, .height = SIDE,
		.scale = {1, 1, 1}};
	struct vrs_preprocess *pre;
	struct vrs_luma_view view;
	assert_int_equal(vrs_preprocess_create(&pre, &arena, &options), VRS_OK);
	assert_int_equal(vrs_preprocess_place(pre, part), VRS_OK);
	vrs_preprocess_run(pre, frame, rgb, NULL);
	assert_int_equal(vrs_luma_view_init(&view, &arena, &frame->format, NULL, &options.rect, SIDE, SIDE), VRS_OK);
	assert_int_equal(vrs_luma_view_get(&view, frame, part, luma, scene), VRS_OK);
}

static void test_seen(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 1);
	for (int kind = 0; kind < 300; kind++) {
		struct vrs_picture_format format = make_format(kind);
		struct vrs_frame frame = random_frame(&format, &rng);
		struct vrs_rect part = random_part(&rng, kind % 2, kind % 11 == 10);
		int turn = 4 * (int)vrs_rng_below(&rng, CIRCLE / 4);
		struct vrs_frame other = turned(&frame, turn);
		struct vrs_rect there = turned_rect(&part, turn);
		static float rgb[2][PIXELS * 3];
		static uint8_t luma[2][PIXELS];
		struct vrs_scene_signature scene[2];
		seen(&frame, &part, rgb[0], luma[0], &scene[0]);
		seen(&other, &there, rgb[1], luma[1], &scene[1]);
		assert_memory_equal(rgb[0], rgb[1], sizeof rgb[0]);
		assert_memory_equal(luma[0], luma[1], sizeof luma[0]);
		vrs_frame_unref(&frame);
		vrs_frame_unref(&other);
	}
}

static struct vrs_matte random_matte(int kind, struct vrs_rng *rng)
{
	struct vrs_matte matte;
	assert_int_equal(vrs_matte_init(&matte, &arena, SIDE, SIDE), VRS_OK);
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			matte.data[matte.stride * y + x] = kind % 3 && (x < 5 || x > 15) ? 0 : (uint8_t)vrs_rng_below(rng, 256);
	return matte;
}

/* Frames of two places of the views, one after the other: fresh, prepared with a past, and in place. */
static void compose(const struct vrs_composite_options *o, const struct vrs_frame *frame, const struct vrs_rect views[2][2],
		    const struct vrs_matte *mattes, struct vrs_frame ret[3])
{
	struct vrs_picture_format out = o->mode == VRS_COMPOSITE_CUTOUT ? vrs_composite_alpha_format(&o->format) : vrs_composite_format(&o->format);
	struct vrs_composite *composite;
	struct vrs_composite_past past = {0};
	assert_int_equal(vrs_composite_create(&composite, &arena, o), VRS_OK);
	for (int i = 0; i < 3; i++)
		assert_int_equal(vrs_frame_alloc(&ret[i], &out), VRS_OK);
	vrs_composite_fill(composite, &ret[1]);
	for (int step = 0; step < 2; step++) {
		for (int i = 0; i < o->view_count; i++)
			assert_int_equal(vrs_composite_place(composite, i, &views[step][i]), VRS_OK);
		vrs_composite_run(composite, &ret[0], frame, mattes, NULL);
		vrs_composite_run(composite, &ret[1], frame, mattes, &past);
	}
	bool in_place = vrs_composite_in_place(composite) && o->mode != VRS_COMPOSITE_CUTOUT;
	const struct vrs_frame *from = in_place ? frame : &ret[0];
	for (int p = 0; p < out.planes; p++)
		for (int y = 0; y < vrs_plane_height(&out, p); y++)
			memcpy(ret[2].data[p] + ret[2].stride_bytes[p] * y, from->data[p] + from->stride_bytes[p] * y,
			       (size_t)vrs_plane_width(&out, p) * (size_t)vrs_sample_bytes(&out));
	if (in_place)
		vrs_composite_run(composite, &ret[2], &ret[2], mattes, NULL);
	assert_true(same_samples(&ret[0], &ret[1]) && same_samples(&ret[0], &ret[2]));
}

static void test_composed(void **state)
{
	(void)state;
	static const enum vrs_composite_mode modes[] = {VRS_COMPOSITE_GREEN, VRS_COMPOSITE_MATTE, VRS_COMPOSITE_GREEN, VRS_COMPOSITE_CUTOUT};
	struct vrs_rng rng;
	vrs_rng_init(&rng, 2);
	for (int kind = 0; kind < 240; kind++) {
		struct vrs_picture_format format = make_format(kind);
		struct vrs_composite_options o = {.format = format, .mode = modes[kind % 4], .color = {10, 200, 40}, .view_count = 1 + kind % 2,
			.views = {{0, 0, CIRCLE, HEIGHT}, {CIRCLE, 0, CIRCLE, HEIGHT}}, .matte_width = SIDE, .matte_height = SIDE};
		struct vrs_frame frame = random_frame(&format, &rng), here[3], there[3];
		int turn = 4 * (int)vrs_rng_below(&rng, CIRCLE / 4);
		struct vrs_frame other = turned(&frame, turn);
		struct vrs_matte mattes[2] = {random_matte(kind, &rng), random_matte(kind + 1, &rng)};
		struct vrs_rect views[2][2], away[2][2];
		for (int i = 0; i < 4; i++) {
			views[i / 2][i % 2] = random_part(&rng, i % 2, (kind + i) % 13 == 12);
			away[i / 2][i % 2] = turned_rect(&views[i / 2][i % 2], turn);
		}
		compose(&o, &frame, views, mattes, here);
		compose(&o, &other, away, mattes, there);
		struct vrs_frame want = turned(&here[0], turn);
		assert_true(same_samples(&want, &there[0]));
		struct vrs_rect outside = away[0][0];
		struct vrs_composite *composite;
		assert_int_equal(vrs_composite_create(&composite, &arena, &o), VRS_OK);
		outside.width = CIRCLE + 2;
		assert_int_equal(vrs_composite_place(composite, 0, &outside), VRS_EINVAL);
		for (int i = 0; i < 3; i++) {
			vrs_frame_unref(&here[i]);
			vrs_frame_unref(&there[i]);
		}
		vrs_frame_unref(&want);
		vrs_frame_unref(&frame);
		vrs_frame_unref(&other);
	}
}

/* A white person at any place around, before a plain wall: the softened surroundings that replace the wall have nothing of the person. */
static void test_surroundings(void **state)
{
	(void)state;
	for (int turn = 0; turn < CIRCLE; turn += 12) {
		struct vrs_picture_format format = make_format(1);
		format.bit_depth = 8;
		struct vrs_composite_options o = {.format = format, .view_count = 2, .views = {{0, 0, CIRCLE, HEIGHT}, {CIRCLE, 0, CIRCLE, HEIGHT}},
			.matte_width = SIDE, .matte_height = SIDE, .backdrop = {.kind = VRS_BACKDROP_BLUR, .part_count = 2, .blur = 0.1, .wraps = true,
			.parts = {{0, 0, CIRCLE, HEIGHT}, {CIRCLE, 0, CIRCLE, HEIGHT}}}};
		struct vrs_frame frame, dst;
		struct vrs_matte mattes[2];
		struct vrs_composite *composite;
		assert_int_equal(vrs_frame_alloc(&frame, &format), VRS_OK);
		assert_int_equal(vrs_frame_alloc(&dst, &format), VRS_OK);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(vrs_matte_init(&mattes[i], &arena, SIDE, SIDE), VRS_OK);
			for (int y = 0; y < SIDE; y++)
				memset(mattes[i].data + mattes[i].stride * y + 8, 255, 8);
		}
		for (int y = 0; y < HEIGHT; y++)
			for (int x = 0; x < 2 * CIRCLE; x++) /* matte samples 8..15 of a view of 48 columns */
				frame.data[0][frame.stride_bytes[0] * y + x] = (x % CIRCLE - turn + CIRCLE) % CIRCLE - 16 < 16 &&
									       (x % CIRCLE - turn + CIRCLE) % CIRCLE >= 16 ? 235 : 60;
		for (int p = 1; p < 3; p++)
			for (int y = 0; y < vrs_plane_height(&format, p); y++)
				memset(frame.data[p] + frame.stride_bytes[p] * y, 128, (size_t)vrs_plane_width(&format, p));
		assert_int_equal(vrs_composite_create(&composite, &arena, &o), VRS_OK);
		for (int i = 0; i < 2; i++)
			assert_int_equal(vrs_composite_place(composite, i, &(struct vrs_rect){i * CIRCLE + turn, 0, 48, HEIGHT}), VRS_OK);
		vrs_composite_run(composite, &dst, &frame, mattes, NULL);
		for (int y = 0; y < HEIGHT; y++)
			for (int x = 0; x < 2 * CIRCLE; x++) {
				int at = (x % CIRCLE - turn + CIRCLE) % CIRCLE, got = dst.data[0][dst.stride_bytes[0] * y + x];
				if (at >= 18 && at < 30)
					assert_int_equal(got, 235);
				else if (at < 16 || at >= 32)
					assert_in_range(got, 59, 61);
			}
		vrs_frame_unref(&frame);
		vrs_frame_unref(&dst);
	}
}

/* Smoothing in each of its ways over frames whose views move around the circle: the same alphas wherever they began. */
static void smoothed(const struct vrs_temporal_options *options, int turn, float ret[][PIXELS])
{
	struct vrs_temporal *temporal;
	struct vrs_rng rng;
	int taken = 0;
	vrs_rng_init(&rng, 9);
	assert_int_equal(vrs_temporal_create(&temporal, &arena, options), VRS_OK);
	for (int n = 0; n < 10; n++) {
		static float alpha[PIXELS];
		for (int i = 0; i < PIXELS; i++)
			alpha[i] = i % SIDE >= 7 && i % SIDE < 15 ? (float)vrs_rng_unit(&rng) : 0;
		const struct vrs_rect at = {4 * n, n % 3, n == 6 ? CIRCLE : 96 + 4 * n, HEIGHT}, view = turned_rect(&at, turn);
		const struct vrs_temporal_frame in = {.alpha = options->stride > 1 && n % options->stride ? NULL : alpha, .view = &view};
		struct vrs_temporal_frame out;
		(void)vrs_temporal_push(temporal, &in);
		if (vrs_temporal_take(temporal, false, &out))
			memcpy(ret[taken++], out.alpha, sizeof ret[0]);
	}
	struct vrs_temporal_frame out;
	while (vrs_temporal_take(temporal, true, &out))
		memcpy(ret[taken++], out.alpha, sizeof ret[0]);
	assert_int_equal(taken, 10);
}

static void test_smoothed(void **state)
{
	(void)state;
	static float here[10][PIXELS], there[10][PIXELS];
	for (int way = 0; way < 3; way++) {
		struct vrs_temporal_options o = {.width = SIDE, .height = SIDE, .circle = CIRCLE, .smoothing = way == 0 ? 0.5 : 1, .window = way == 1 ? 5 : 1,
			.stride = way == 2 ? 3 : 1};
		smoothed(&o, 0, here);
		for (int turn = 4; turn < CIRCLE; turn += 4) {
			smoothed(&o, turn, there);
			for (int n = 0; n < 10; n++)
				for (int i = 0; i < PIXELS; i++)
					assert_true(fabsf(here[n][i] - there[n][i]) < 1e-4f);
		}
	}
}

static void test_excluded(void **state)
{
	(void)state;
	for (int turn = 0; turn < CIRCLE; turn += 8) {
		const struct vrs_rect part = {24, 4, 96, 32}, there = turned_rect(&part, turn);
		float alpha[2][PIXELS];
		uint8_t bytes[2][PIXELS];
		for (int k = 0; k < 2; k++) {
			struct vrs_matte matte = {.width = SIDE, .height = SIDE, .stride = SIDE, .data = bytes[k]};
			struct vrs_exclusion *exclusion;
			struct vrs_exclusion_view *view;
			assert_int_equal(vrs_exclusion_create(&exclusion, &arena, CIRCLE, HEIGHT, true), VRS_OK);
			for (int x = 48; x < 80; x++) /* column by column: the box goes across the seam */
				vrs_exclusion_add_box(exclusion, (const double[]){(double)((x + k * turn) % CIRCLE) / CIRCLE, 0.25, 1.0 / CIRCLE, 0.5});
			assert_int_equal(vrs_exclusion_view_create(&view, &arena, exclusion, SIDE, SIDE), VRS_OK);
			for (int i = 0; i < PIXELS; i++)
				alpha[k][i] = 1;
			vrs_exclusion_view_alpha(view, k ? &there : &part, alpha[k]);
			memset(bytes[k], 255, sizeof bytes[k]);
			vrs_exclusion_view_matte(view, k ? &there : &part, &matte);
		}
		assert_memory_equal(alpha[0], alpha[1], sizeof alpha[0]);
		assert_memory_equal(bytes[0], bytes[1], sizeof bytes[0]);
		assert_true(alpha[0][12 * SIDE + 10] < 1e-6f && alpha[0][12 * SIDE] > 0.99f); /* something is */
		assert_true(bytes[0][12 * SIDE + 10] == 0 && bytes[0][12 * SIDE] == 255);
	}
}

/* A box of people as seen in a view, both on the circle. */
static void draw(float *alpha, const struct vrs_rect *view, int x, int width)
{
	for (int i = 0; i < PIXELS; i++) {
		double at = view->x % CIRCLE + (i % SIDE + 0.5) * view->width / SIDE - x;
		at -= floor(at / CIRCLE) * CIRCLE;
		if (at < width && i / SIDE >= 6 && i / SIDE < 20)
			alpha[i] = 1;
	}
}

/* Views around people, first of the whole circle and then of what that gave; people who stand apart; each turned by whole steps. */
static void test_followed(void **state)
{
	(void)state;
	struct vrs_picture_format format = make_format(1);
	format.chroma_shift_x = 1;
	const struct vrs_rect eye = {CIRCLE, 0, CIRCLE, HEIGHT};
	struct vrs_follow follow = vrs_follow_make(&eye, &eye, &format);
	struct vrs_rect first[3] = {{0}};
	assert_int_equal(CIRCLE % follow.step_x, 0);
	for (int turn = 0; turn < CIRCLE; turn += follow.step_x) {
		float alpha[PIXELS] = {0}, two[PIXELS] = {0};
		struct vrs_rect view = eye, next, wide;
		draw(alpha, &view, (80 + turn) % CIRCLE, 24);
		assert_int_equal(vrs_follow_judge(&follow, &view, alpha, SIDE, SIDE, &next), VRS_FOLLOW_AGAIN);
		assert_true(vrs_rect_fits(&next, &format) && next.width < 48);
		int begin = (next.x - turn + CIRCLE) % CIRCLE;
		assert_true(begin <= 80 && begin + next.width >= 104);
		memset(alpha, 0, sizeof alpha);
		draw(alpha, &next, (80 + turn) % CIRCLE, 24);
		(void)vrs_follow_judge(&follow, &next, alpha, SIDE, SIDE, &first[turn ? 1 : 0]);
		wide = vrs_follow_widen(&follow, &next);
		int middle = (wide.x + CIRCLE / 2 - next.x - next.width / 2 + 2 * CIRCLE) % CIRCLE;
		assert_true(wide.width == CIRCLE && (middle < 4 || middle > CIRCLE - 4)); /* nobody is cut */
		wide = vrs_follow_wider(&follow, &next, 1.5);
		assert_true(vrs_rect_fits(&wide, &format) && wide.width >= next.width && wide.width < 1.6 * next.width);
		/* who is cut off at the right */
		memset(alpha, 0, sizeof alpha);
		draw(alpha, &next, (110 + turn) % CIRCLE, 30);
		if (vrs_follow_judge(&follow, &next, alpha, SIDE, SIDE, &first[2]) == VRS_FOLLOW_AGAIN)
			assert_true(vrs_rect_fits(&first[2], &format));
		struct vrs_region_finder *finder;
		struct vrs_regions regions;
		draw(two, &view, (80 + turn) % CIRCLE, 24);
		draw(two, &view, (160 + turn) % CIRCLE, 24);
		assert_int_equal(vrs_region_finder_create(&finder, &arena, SIDE, SIDE), VRS_OK);
		vrs_region_find(finder, &follow, &view, two, 4, &regions);
		assert_int_equal(regions.count, 2);
		for (int r = 0; r < 2; r++)
			assert_true(vrs_rect_fits(&regions.rect[r], &format) && regions.rect[r].width < 56);
		struct vrs_rect both = vrs_regions_around(&regions, CIRCLE);
		assert_true(both.width >= 104 && both.width < 140);
	}
}

/* The eyes agree by the same, shifted by the same, at every place; also where their views of the whole circle are cut at other places. */
static void test_agreement(void **state)
{
	(void)state;
	double first = 0;
	for (int turn = 0; turn < CIRCLE; turn += 4)
		for (int whole = 0; whole < 2; whole++) {
			struct vrs_eye_agreement *agreement;
			struct vrs_eye_matte eyes[2];
			double shift;
			assert_int_equal(vrs_eye_agreement_create(&agreement, &arena, CIRCLE, HEIGHT, CIRCLE, SIDE, SIDE), VRS_OK);
			for (int k = 0; k < 2; k++) {
				struct vrs_rect part = {whole ? 40 * k : 60 - 4 * k, 0, whole ? CIRCLE : 72, HEIGHT};
				float alpha[PIXELS] = {0};
				eyes[k].part = turned_rect(&part, turn);
				assert_int_equal(vrs_matte_init(&eyes[k].matte, &arena, SIDE, SIDE), VRS_OK);
				draw(alpha, &eyes[k].part, (84 - 4 * k + turn) % CIRCLE, 24);
				for (int i = 0; i < PIXELS; i++)
					eyes[k].matte.data[i] = (uint8_t)(alpha[i] * 255);
			}
			double got = vrs_eye_agreement_measure(agreement, eyes, &shift);
			if (turn == 0 && !whole)
				first = got;
			assert_true(whole ? got > 0.7 : got > 0.9 && fabs(got - first) < 0.03 && fabs(shift - 4) < 2);
			vrs_eye_agreement_repair(agreement, eyes, shift, VRS_EYE_REPAIR_UNION);
		}
}

static void test_expanded(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 3);
	struct vrs_matte matte = random_matte(0, &rng), here, there;
	assert_int_equal(vrs_matte_init(&here, &arena, CIRCLE, HEIGHT), VRS_OK);
	assert_int_equal(vrs_matte_init(&there, &arena, CIRCLE, HEIGHT), VRS_OK);
	for (int turn = 0; turn < CIRCLE; turn++) {
		struct vrs_rect part = random_part(&rng, 0, turn % 9 == 8), away = turned_rect(&part, turn);
		assert_int_equal(vrs_matte_expand(&here, &matte, &part), VRS_OK);
		assert_int_equal(vrs_matte_expand(&there, &matte, &away), VRS_OK);
		for (int y = 0; y < HEIGHT; y++)
			for (int x = 0; x < CIRCLE; x++)
				assert_int_equal(here.data[here.stride * y + x], there.data[there.stride * y + (x + turn) % CIRCLE]);
	}
	assert_int_equal(vrs_matte_expand(&here, &matte, &(struct vrs_rect){CIRCLE, 0, 4, 4}), VRS_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seen),
		cmocka_unit_test(test_composed),
		cmocka_unit_test(test_surroundings),
		cmocka_unit_test(test_smoothed),
		cmocka_unit_test(test_excluded),
		cmocka_unit_test(test_followed),
		cmocka_unit_test(test_agreement),
		cmocka_unit_test(test_expanded),
	};
	return cmocka_run_group_tests_name("seam", tests, NULL, free_arena);
}
