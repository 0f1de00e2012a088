/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the border between the eyes: nothing that one eye shows gets into what is made of the other one.  The other eye is painted in two ways that
 * could not differ more, and the network's picture, the luma under a matte, the matte of a luma plane and a composed frame over its own blurred
 * surroundings must be the same bit for bit, side by side and top-bottom, where parts are enlarged and where they are reduced.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "matte/composite.h"
#include "matte/plane_scaler.h"
#include "matte/matte_expand.h"
#include "matte/preprocess.h"
#include "unit/random_frame.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

#define SIDE 48              /* of an eye */
#define MOST (3 * SIDE)      /* of what is made of it: enlarged three times */

/* What one eye looks like to all that read it. */
struct seen {
	float rgb[MOST * MOST * 3];
	uint8_t luma[MOST * MOST], matte[MOST * MOST];
	struct vrs_scene_signature scene;
};

static struct vrs_picture_format make_format(int kind, bool tb)
{
	static const int depths[] = {8, 10, 16};
	return (struct vrs_picture_format){.width = tb ? SIDE : 2 * SIDE, .height = tb ? 2 * SIDE : SIDE, .planes = kind % 7 == 6 ? 1 : 3,
		.bit_depth = depths[kind % 3], .matrix = VRS_MATRIX_BT709, .chroma_shift_x = kind % 4 % 3, .chroma_shift_y = kind % 4 == 1,
		.chroma_location = kind % 7, .circle = tb && kind % 5 == 4 ? SIDE : 0};
}

static struct vrs_rect eye_rect(bool tb, int eye)
{
	return (struct vrs_rect){.x = tb ? 0 : eye * SIDE, .y = tb ? eye * SIDE : 0, .width = SIDE, .height = SIDE};
}

/* All samples of the eye's planes. */
static void paint(struct vrs_frame *frame, const struct vrs_rect *eye, int value)
{
	for (int p = 0; p < frame->format.planes; p++) {
		int sx = p ? frame->format.chroma_shift_x : 0, sy = p ? frame->format.chroma_shift_y : 0;
		for (int y = eye->y >> sy; y < (eye->y + eye->height) >> sy; y++)
			for (int x = eye->x >> sx; x < (eye->x + eye->width) >> sx; x++)
				sample_put(frame, p, x, y, value);
	}
}

/* Touches the border with the other eye; of whole chroma samples. */
static struct vrs_rect border_part(struct vrs_rng *rng, bool tb, int eye)
{
	struct vrs_rect whole = eye_rect(tb, eye), part = whole;
	part.width = 4 + 4 * (int)vrs_rng_below(rng, SIDE / 4);
	part.height = 4 + 4 * (int)vrs_rng_below(rng, SIDE / 4);
	part.x = tb ? whole.x + 4 * (int)vrs_rng_below(rng, (uint64_t)(SIDE - part.width) / 4 + 1) : eye ? whole.x : whole.x + SIDE - part.width;
	part.y = tb ? eye ? whole.y : whole.y + SIDE - part.height : whole.y + 4 * (int)vrs_rng_below(rng, (uint64_t)(SIDE - part.height) / 4 + 1);
	return part;
}

static void see(struct seen *seen, const struct vrs_frame *frame, const struct vrs_rect *eye, const struct vrs_rect *part, int width, int height)
{
	const struct vrs_preprocess_options options = {.format = frame->format, .rect = *eye, .eye = *eye, .width = width, .height = height,
		.scale = {1, 1, 1}};
	struct vrs_preprocess *pre;
	struct vrs_luma_view view;
	struct vrs_matte matte = {.width = width, .height = height, .stride = width, .data = seen->matte};
	memset(seen, 0, sizeof *seen);
	assert_int_equal(vrs_preprocess_create(&pre, &arena, &options), VRS_OK);
	assert_int_equal(vrs_preprocess_place(pre, part), VRS_OK);
	vrs_preprocess_run(pre, frame, seen->rgb, &seen->scene);
	assert_int_equal(vrs_luma_view_init(&view, &arena, &frame->format, eye, eye, width, height), VRS_OK);
	assert_int_equal(vrs_luma_view_get(&view, frame, part, seen->luma, NULL), VRS_OK);
	assert_int_equal(vrs_matte_from_luma(&matte, frame, eye, part), VRS_OK);
}

static void test_seen(void **state)
{
	(void)state;
	struct vrs_rng rng;
	struct seen *seen[2] = {vrs_calloc(1, sizeof *seen[0]), vrs_calloc(1, sizeof *seen[1])};
	vrs_rng_init(&rng, 5);
	for (int kind = 0; kind < 168; kind++) {
		bool tb = kind & 1;
		int eye = kind >> 1 & 1;
		struct vrs_picture_format format = make_format(kind / 4, tb);
		struct vrs_frame frame = random_frame(&format, &rng);
		struct vrs_rect mine = eye_rect(tb, eye), other = eye_rect(tb, !eye), part = kind % 3 ? border_part(&rng, tb, eye) : mine;
		int width = 1 + (int)vrs_rng_below(&rng, MOST), height = 1 + (int)vrs_rng_below(&rng, MOST);
		for (int i = 0; i < 2; i++) {
			paint(&frame, &other, i ? (1 << format.bit_depth) - 1 : 0);
			see(seen[i], &frame, &mine, &part, width, height);
		}
		assert_memory_equal(seen[0], seen[1], sizeof *seen[0]);
		vrs_frame_unref(&frame);
	}
	vrs_free(seen[0]);
	vrs_free(seen[1]);
}

/* The check above can fail: without the eye, what lies beyond its border does get in. */
static void test_check_can_fail(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 6);
	struct vrs_picture_format format = make_format(0, false);
	struct vrs_frame frame = random_frame(&format, &rng);
	struct vrs_rect mine = eye_rect(false, 1), other = eye_rect(false, 0), all = {0, 0, format.width, format.height};
	uint8_t data[2][MOST * MOST];
	for (int i = 0; i < 2; i++) {
		struct vrs_matte matte = {.width = MOST, .height = MOST, .stride = MOST, .data = data[i]};
		paint(&frame, &other, i ? 255 : 0);
		assert_int_equal(vrs_matte_from_luma(&matte, &frame, &all, &mine), VRS_OK);
	}
	assert_memory_not_equal(data[0], data[1], sizeof data[0]);
	vrs_frame_unref(&frame);
}

/* Both eyes over their blurred surroundings; only what eye `eye` of the result shows counts. */
static uint64_t compose(const struct vrs_frame *frame, bool tb, int eye, const struct vrs_rect parts[2], const struct vrs_matte *mattes)
{
	struct vrs_composite_options o = {.format = frame->format, .view_count = 2, .views = {eye_rect(tb, 0), eye_rect(tb, 1)},
		.matte_width = mattes[0].width, .matte_height = mattes[0].height,
		.backdrop = {.kind = VRS_BACKDROP_BLUR, .part_count = 2, .parts = {eye_rect(tb, 0), eye_rect(tb, 1)}, .blur = 0.1}};
	struct vrs_composite *composite;
	struct vrs_picture_format format = vrs_composite_format(&frame->format);
	struct vrs_frame out;
	assert_int_equal(vrs_frame_alloc(&out, &format), VRS_OK);
	assert_int_equal(vrs_composite_create(&composite, &arena, &o), VRS_OK);
	for (int i = 0; i < 2; i++)
		assert_int_equal(vrs_composite_place(composite, i, &parts[i]), VRS_OK);
	vrs_composite_run(composite, &out, frame, mattes, NULL);
	struct vrs_rect mine = eye_rect(tb, eye);
	uint64_t sum = 0;
	for (int p = 0; p < format.planes; p++) {
		int sx = p ? format.chroma_shift_x : 0, sy = p ? format.chroma_shift_y : 0;
		for (int y = mine.y >> sy; y < (mine.y + mine.height) >> sy; y++)
			for (int x = mine.x >> sx; x < (mine.x + mine.width) >> sx; x++)
				sum = sum * 1099511628211u + (uint64_t)sample_get(&out, p, x, y);
	}
	vrs_frame_unref(&out);
	return sum;
}

static void test_composed(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 8);
	for (int kind = 0; kind < 56; kind++) {
		bool tb = kind & 1;
		int eye = kind >> 1 & 1, side = 3 + (int)vrs_rng_below(&rng, 70);
		struct vrs_picture_format format = make_format(kind / 4, tb);
		struct vrs_frame frame = random_frame(&format, &rng);
		struct vrs_rect other = eye_rect(tb, !eye), parts[2] = {border_part(&rng, tb, 0), border_part(&rng, tb, 1)};
		struct vrs_matte mattes[2];
		for (int i = 0; i < 2; i++) {
			assert_int_equal(vrs_matte_init(&mattes[i], &arena, side, side), VRS_OK);
			for (int k = 0; k < side * side; k++)
				mattes[i].data[k] = (uint8_t)vrs_rng_below(&rng, 256);
		}
		uint64_t sum[2];
		for (int i = 0; i < 2; i++) {
			paint(&frame, &other, i ? (1 << format.bit_depth) - 1 : 0);
			memset(mattes[!eye].data, i ? 255 : 0, (size_t)side * (size_t)side);
			sum[i] = compose(&frame, tb, eye, parts, mattes);
		}
		assert_int_equal(sum[0], sum[1]);
		vrs_frame_unref(&frame);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seen),
		cmocka_unit_test(test_check_can_fail),
		cmocka_unit_test(test_composed),
	};
	return cmocka_run_group_tests(tests, NULL, free_arena);
}
