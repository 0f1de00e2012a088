/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards edges at the size of the picture: without reach they are those of the matte, in every format, at odd places and across a seam; a blurred
 * matte over a picture with a sharp outline comes nearly three times nearer to it, in luma and chroma; nothing appears where the matte is 0 and
 * nothing goes where it is 1; and what is refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "matte/composite.h"
#include "matte/matte_expand.h"
#include "unit/random_frame.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

#define MATTE 32

static const struct vrs_sharp_options usual = {2, 0.0002, 0.5};

static struct vrs_picture_format format_of(int width, int height, int depth, int shift_x, int shift_y, int location)
{
	return (struct vrs_picture_format){.width = width, .height = height, .planes = 3, .bit_depth = depth, .chroma_shift_x = shift_x,
		.chroma_shift_y = shift_y, .chroma_location = location, .range = VRS_RANGE_FULL};
}

/* A disc around the middle whose edge is `soft` matte pixels wide. */
static struct vrs_matte disc(double radius, double soft)
{
	struct vrs_matte matte;
	assert_int_equal(vrs_matte_init(&matte, &arena, MATTE, MATTE), VRS_OK);
	for (int y = 0; y < MATTE; y++)
		for (int x = 0; x < MATTE; x++) {
			double a = 0.5 + (radius - hypot(x + 0.5 - MATTE / 2.0, y + 0.5 - MATTE / 2.0)) / soft;
			matte.data[matte.stride * y + x] = (uint8_t)lrint(255 * fmin(1, fmax(0, a)));
		}
	return matte;
}

static struct vrs_frame composed(const struct vrs_composite_options *o, const struct vrs_frame *src, const struct vrs_matte *matte)
{
	struct vrs_composite *composite;
	struct vrs_picture_format out = vrs_composite_format(&o->format);
	struct vrs_frame dst;
	assert_int_equal(vrs_composite_create(&composite, &arena, o), VRS_OK);
	assert_int_equal(vrs_frame_alloc(&dst, &out), VRS_OK);
	vrs_composite_run(composite, &dst, src, matte, NULL);
	return dst;
}

/* Largest difference of samples in a plane. */
static int differ(const struct vrs_frame *a, const struct vrs_frame *b, int p)
{
	int most = 0;
	for (int y = 0; y < vrs_plane_height(&a->format, p); y++)
		for (int x = 0; x < vrs_plane_width(&a->format, p); x++) {
			int d = sample_get(a, p, x, y) - sample_get(b, p, x, y);
			most = d > most ? d : -d > most ? -d : most;
		}
	return most;
}

static void test_no_reach_is_the_matte(void **state)
{
	(void)state;
	static const int depths[] = {8, 10, 12, 16};
	struct vrs_rng rng;
	vrs_rng_init(&rng, 5);
	for (int i = 0; i < 48; i++) {
		int depth = depths[i % 4], width = 150 + (int)vrs_rng_below(&rng, 60), height = 140 + (int)vrs_rng_below(&rng, 60);
		struct vrs_composite_options o = {.format = format_of(width, height, depth, i % 3, i % 2, i % 7), .view_count = 1,
			.matte_width = MATTE, .matte_height = MATTE, .color = {0, 255, 0}};
		o.mode = i % 5 == 4 ? VRS_COMPOSITE_MATTE : VRS_COMPOSITE_GREEN;
		if (i % 6 == 5)
			o.format.planes = 1;
		if (i % 8 == 7)
			o.format.circle = width &= ~3, o.format.width = width;
		o.views[0] = (struct vrs_rect){(int)vrs_rng_below(&rng, 20), (int)vrs_rng_below(&rng, 20), 100 + (int)vrs_rng_below(&rng, 30),
			90 + (int)vrs_rng_below(&rng, 30)};
		if (o.format.circle)
			o.views[0].x = width - 50;
		struct vrs_frame src = random_frame(&o.format, &rng);
		struct vrs_matte matte = disc(6 + i % 9, 6);
		struct vrs_frame plain = composed(&o, &src, &matte);
		o.sharp = (struct vrs_sharp_options){2, 0.0002, 0};
		struct vrs_frame sharp = composed(&o, &src, &matte);
		assert_int_equal(differ(&plain, &sharp, 0), 0);
		/* chroma alphas are means of those of luma: up to a sample and a half from their place */
		for (int p = 1; p < 3; p++)
			assert_true(differ(&plain, &sharp, p) <= (1 << depth) * (i % 3 == 2 ? 0.1 : 0.05) + 1);
		vrs_frame_unref(&src);
		vrs_frame_unref(&plain);
		vrs_frame_unref(&sharp);
	}
}

/* Coverage of sample (x, y) by a disc of that radius around the middle of a picture of 16 times the matte. */
static bool covered(double x, double y, double radius)
{
	return hypot(x - 256, y - 256) < radius;
}

/* Mean distance of a plane's alpha from the truth, 0..1; the people are `bright` there, and what is behind them and the background 0. */
static double error_of(const struct vrs_frame *frame, int p, double radius, double bright)
{
	double sum = 0;
	int step_x = p ? 1 << frame->format.chroma_shift_x : 1, step_y = p ? 1 << frame->format.chroma_shift_y : 1;
	int width = vrs_plane_width(&frame->format, p), height = vrs_plane_height(&frame->format, p);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			double truth = covered((x + 0.5) * step_x, (y + 0.5) * step_y, radius);
			sum += fabs(sample_get(frame, p, x, y) / bright - truth);
		}
	return sum / (width * height);
}

static void test_blurred_matte_of_a_sharp_picture(void **state)
{
	(void)state;
	static const struct {
		int depth, shift_x, shift_y, location;
	} kinds[] = {{8, 1, 1, 1}, {10, 1, 1, 2}, {8, 0, 0, 0}, {12, 1, 0, 1}, {8, 2, 0, 0}};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		struct vrs_composite_options o = {.format = format_of(512, 512, kinds[i].depth, kinds[i].shift_x, kinds[i].shift_y, kinds[i].location),
			.view_count = 1, .views = {{0, 0, 512, 512}}, .matte_width = MATTE, .matte_height = MATTE};
		int top = (1 << kinds[i].depth) - 1;
		double radius = 150;
		struct vrs_frame src;
		assert_int_equal(vrs_frame_alloc(&src, &o.format), VRS_OK);
		/* people of white luma in front of grey: what is composed over black is alpha times white, or grey where it should not be */
		for (int p = 0; p < 3; p++)
			for (int y = 0; y < vrs_plane_height(&src.format, p); y++)
				for (int x = 0; x < vrs_plane_width(&src.format, p); x++) {
					bool in = covered((x + 0.5) * (p ? 1 << kinds[i].shift_x : 1), (y + 0.5) * (p ? 1 << kinds[i].shift_y : 1), radius);
					sample_put(&src, p, x, y, p || in ? top : top / 2);
				}
		struct vrs_matte matte = disc(radius / 16, 2.5);
		o.mode = VRS_COMPOSITE_MATTE;
		struct vrs_frame plain = composed(&o, &src, &matte);
		o.sharp = usual;
		struct vrs_frame sharp = composed(&o, &src, &matte);
		double before = error_of(&plain, 0, radius, top), after = error_of(&sharp, 0, radius, top);
		print_message("%d bits, %d %d: error %.4f, without %.4f\n", kinds[i].depth, kinds[i].shift_x, kinds[i].shift_y, after, before);
		assert_true(before > 0.01 && after < before * 0.6);
		for (int y = 0; y < 512; y++)
			for (int x = 0; x < 512; x++)
				if (sample_get(&plain, 0, x, y) == 0 || sample_get(&plain, 0, x, y) == top)
					assert_true(abs(sample_get(&plain, 0, x, y) - sample_get(&sharp, 0, x, y)) <= 1 << (kinds[i].depth - 8));
		vrs_frame_unref(&plain);
		vrs_frame_unref(&sharp);
		/* chroma of green, white in the source and black behind: alpha itself */
		o.mode = VRS_COMPOSITE_GREEN;
		o.color[1] = 255;
		struct vrs_frame green = composed(&o, &src, &matte);
		o.sharp.radius = 0;
		struct vrs_frame soft = composed(&o, &src, &matte);
		double behind = sample_get(&soft, 1, 0, 0), sums[2] = {0};
		for (int y = 0; y < vrs_plane_height(&soft.format, 1); y++)
			for (int x = 0; x < vrs_plane_width(&soft.format, 1); x++) {
				bool in = covered((x + 0.5) * (1 << kinds[i].shift_x), (y + 0.5) * (1 << kinds[i].shift_y), radius);
				sums[0] += fabs((sample_get(&soft, 1, x, y) - behind) / (top - behind) - in);
				sums[1] += fabs((sample_get(&green, 1, x, y) - behind) / (top - behind) - in);
			}
		assert_true(sums[0] > 100 && sums[1] < sums[0] * 0.65);
		vrs_frame_unref(&green);
		vrs_frame_unref(&soft);
		vrs_frame_unref(&src);
	}
}

static void test_refusals(void **state)
{
	(void)state;
	struct vrs_picture_format format = format_of(64, 64, 8, 1, 1, 0);
	struct vrs_rect most = {0, 0, 32, 32}, large = {0, 0, 64, 64};
	struct vrs_sharp_edges *edges = NULL;
	struct vrs_sharp_options options = usual;
	options.radius = 17;
	assert_int_equal(vrs_sharp_edges_create(&edges, &arena, &format, &most, MATTE, MATTE, &options), VRS_EINVAL);
	assert_null(edges);
	assert_int_equal(vrs_sharp_edges_create(&edges, &arena, &format, &most, MATTE, MATTE, &usual), VRS_OK);
	struct vrs_matte matte = disc(5, 5);
	struct vrs_rng rng;
	vrs_rng_init(&rng, 1);
	struct vrs_frame src = random_frame(&format, &rng);
	assert_int_equal(vrs_sharp_edges_learn(edges, &src, &matte, &large), VRS_EINVAL);
	assert_int_equal(vrs_sharp_edges_learn(edges, &src, &matte, &most), VRS_OK);
	vrs_frame_unref(&src);
	uint64_t live = vrs_mem_stats().live_bytes;
	for (uint64_t n = 1; n < 60; n++) {
		struct vrs_arena own = {0};
		vrs_mem_fail_after(n, false);
		enum vrs_status status = vrs_sharp_edges_create(&edges, &own, &format, &most, MATTE, MATTE, &usual);
		bool fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		assert_int_equal(status, fired ? VRS_ENOMEM : VRS_OK);
		vrs_arena_free(&own);
		assert_int_equal(vrs_mem_stats().live_bytes, live);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_reach_is_the_matte),
		cmocka_unit_test(test_blurred_matte_of_a_sharp_picture),
		cmocka_unit_test(test_refusals),
	};
	return cmocka_run_group_tests(tests, NULL, free_arena);
}
