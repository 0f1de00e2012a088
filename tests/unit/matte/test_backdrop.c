/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what stands behind the people: that no colour of a person gets into the softened surroundings, that they are as soft as asked, go around the
 * seam of 360 degrees and stay inside their eye; and that compose puts pictures and surroundings behind the people by the formula, for all
 * samplings, depths and odd sizes, into fresh frames, used ones and in place.
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
#include "matte/matte_expand.h"
#include "matte/surround.h"
#include "unit/random_frame.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

static struct vrs_picture_format make_format(int width, int height, int kind)
{
	static const int depths[] = {8, 10, 12, 16};
	return (struct vrs_picture_format){.width = width, .height = height, .planes = kind % 7 == 6 ? 1 : 3, .bit_depth = depths[kind % 4],
		.matrix = VRS_MATRIX_BT709, .chroma_shift_x = kind % 5 != 0, .chroma_shift_y = kind % 3 != 0, .chroma_location = kind % 7};
}

/* Value of the small picture as a code value. */
static double code_at(const struct vrs_surround *surround, const struct vrs_picture_format *format, int p, int x, int y)
{
	size_t stride;
	const uint16_t *plane = vrs_surround_plane(surround, p, &stride);
	return plane[(size_t)y * stride + (size_t)x] / 32767.0 * ((1 << format->bit_depth) - 1);
}

/* A person of extreme colour before a plain wall: the surroundings are the wall, also behind the person, whatever the size of the cells. */
static void test_no_bleed(void **state)
{
	(void)state;
	for (int kind = 0; kind < 60; kind++) {
		struct vrs_picture_format format = make_format(97 + kind * 3, 80 + kind, kind);
		int unit = 1 << (format.bit_depth - 8), wall[3] = {60 * unit, 100 * unit, 170 * unit};
		struct vrs_rect part = {kind % 2 * 10, 0, format.width - kind % 2 * 10, format.height}, view = {part.x + 4, 6, 70, 60};
		struct vrs_frame frame;
		struct vrs_matte matte;
		assert_int_equal(vrs_frame_alloc(&frame, &format), VRS_OK);
		assert_int_equal(vrs_matte_init(&matte, &arena, 20, 20), VRS_OK);
		/* matte samples 6..13 see the person, who fills their interpolation: luma 6..14 of 20 parts of the view */
		for (int y = 6; y < 14; y++)
			memset(matte.data + matte.stride * y + 6, 255, 8);
		int x0 = view.x + 6 * view.width / 20, x1 = view.x + 14 * view.width / 20;
		int y0 = view.y + 6 * view.height / 20, y1 = view.y + 14 * view.height / 20;
		for (int p = 0; p < format.planes; p++)
			for (int y = 0; y < vrs_plane_height(&format, p); y++)
				for (int x = 0; x < vrs_plane_width(&format, p); x++) {
					int lx = p ? x << format.chroma_shift_x : x, ly = p ? y << format.chroma_shift_y : y;
					bool person = lx >= x0 && lx < x1 && ly >= y0 && ly < y1;
					sample_put(&frame, p, x, y, person ? 255 * unit : wall[p]);
				}
		const struct vrs_surround_options options = {.format = format, .part = part, .sigma = 3 + kind % 9, .wraps = kind % 4 == 1, .matte_width = 20,
			.matte_height = 20};
		struct vrs_surround *surround;
		assert_int_equal(vrs_surround_create(&surround, &arena, &options), VRS_OK);
		vrs_surround_make(surround, &frame, &matte, &view);
		int w, h;
		vrs_surround_size(surround, &w, &h);
		for (int p = 0; p < 3; p++)
			for (int y = 0; y < h; y++)
				for (int x = 0; x < w; x++) {
					int want = p && format.planes == 1 ? 128 * unit : wall[p];
					assert_true(fabs(code_at(surround, &format, p, x, y) - want) <= 0.6 * unit);
				}
		vrs_frame_unref(&frame);
	}
}

/* A step from black to white becomes the integral of a Gaussian of the asked width; with wrapping the picture's edges are such a step, too. */
static void test_softness(void **state)
{
	(void)state;
	for (int wraps = 0; wraps < 2; wraps++) {
		struct vrs_picture_format format = {.width = 640, .height = 64, .planes = 1, .bit_depth = 8};
		const struct vrs_surround_options options = {.format = format, .part = {0, 0, 640, 64}, .sigma = 20, .wraps = wraps, .matte_width = 1,
			.matte_height = 1};
		struct vrs_frame frame;
		struct vrs_matte matte;
		struct vrs_surround *surround;
		assert_int_equal(vrs_frame_alloc(&frame, &format), VRS_OK);
		assert_int_equal(vrs_matte_init(&matte, &arena, 1, 1), VRS_OK);
		for (int y = 0; y < 64; y++)
			for (int x = 0; x < 640; x++)
				sample_put(&frame, 0, x, y, x < 320 ? 0 : 255);
		assert_int_equal(vrs_surround_create(&surround, &arena, &options), VRS_OK);
		vrs_surround_make(surround, &frame, &matte, &options.part);
		int w, h;
		vrs_surround_size(surround, &w, &h);
		for (int x = 0; x < w; x++) {
			double at = (x + 0.5) * 640 / w, step = erf((at - 320) / (20 * sqrt(2)));
			double seam = wraps ? erf(at / (20 * sqrt(2))) - erf((640 - at) / (20 * sqrt(2))) : 0;
			double want = 255 * (wraps ? (step - seam) / 2 + 0.5 : 0.5 + step / 2);
			assert_true(fabs(code_at(surround, &format, 0, x, h / 2) - want) <= 6);
		}
		vrs_frame_unref(&frame);
	}
}

/* Nothing is free: the mean of the picture stands in. */
static void test_nothing_free(void **state)
{
	(void)state;
	struct vrs_picture_format format = {.width = 64, .height = 64, .planes = 3, .bit_depth = 8};
	const struct vrs_surround_options options = {.format = format, .part = {0, 0, 64, 64}, .sigma = 8, .matte_width = 3, .matte_height = 3};
	struct vrs_rng rng;
	vrs_rng_init(&rng, 3);
	struct vrs_frame frame = random_frame(&format, &rng);
	struct vrs_matte matte;
	struct vrs_surround *surround;
	assert_int_equal(vrs_matte_init(&matte, &arena, 3, 3), VRS_OK);
	memset(matte.data, 255, 9);
	assert_int_equal(vrs_surround_create(&surround, &arena, &options), VRS_OK);
	vrs_surround_make(surround, &frame, &matte, &options.part);
	double sum = 0;
	for (int y = 0; y < 64; y++)
		for (int x = 0; x < 64; x++)
			sum += sample_get(&frame, 1, x, y);
	assert_true(fabs(code_at(surround, &format, 1, 0, 0) - sum / 4096) < 1);
	vrs_frame_unref(&frame);
}

/* Alpha of each sample, as compose sees it: people before a background of one value, once black and once white. */
static void check_formula(const struct vrs_composite_options *o, const struct vrs_frame *got, const struct vrs_frame *src,
			  const struct vrs_frame *behind, const struct vrs_matte *mattes)
{
	struct vrs_composite_options plain = *o;
	struct vrs_picture_format out = vrs_composite_format(&o->format);
	struct vrs_composite *composite;
	struct vrs_frame alpha;
	plain.mode = VRS_COMPOSITE_MATTE;
	plain.format.range = VRS_RANGE_FULL;
	plain.format.chroma_shift_x = plain.format.chroma_shift_y = 0;
	struct vrs_picture_format alpha_format = vrs_composite_format(&plain.format);
	assert_int_equal(vrs_composite_create(&composite, &arena, &plain), VRS_OK);
	assert_int_equal(vrs_frame_alloc(&alpha, &alpha_format), VRS_OK);
	vrs_composite_run(composite, &alpha, src, mattes, NULL);
	double top = (1 << out.bit_depth) - 1;
	for (int p = 0; p < 3; p++)
		for (int y = 0; y < vrs_plane_height(&out, p); y++)
			for (int x = 0; x < vrs_plane_width(&out, p); x++) {
				int sx = p ? out.chroma_shift_x : 0, sy = p ? out.chroma_shift_y : 0, neutral = 1 << (out.bit_depth - 1);
				int sample = p && src->format.planes == 1 ? neutral : sample_get(src, p, x, y), ground = sample_get(behind, p, x, y);
				int low = sample < ground ? sample : ground, high = sample < ground ? ground : sample;
				/* luma: exact; chroma lies between its luma samples, so only the range is known */
				double a = sample_get(&alpha, 0, x << sx, y << sy) / top, want = ground + a * (sample - ground);
				assert_true(sample_get(got, p, x, y) >= low - 2 && sample_get(got, p, x, y) <= high + 2);
				if (!sx && !sy)
					assert_true(fabs(sample_get(got, p, x, y) - want) <= 2 + top / 6000);
			}
	vrs_frame_unref(&alpha);
}

static bool same_samples(const struct vrs_frame *a, const struct vrs_frame *b)
{
	for (int p = 0; p < 3; p++)
		for (int y = 0; y < vrs_plane_height(&a->format, p); y++)
			if (memcmp(a->data[p] + a->stride_bytes[p] * y, b->data[p] + b->stride_bytes[p] * y,
				   (size_t)vrs_plane_width(&a->format, p) * (size_t)vrs_sample_bytes(&a->format)) != 0)
				return false;
	return true;
}

static void soft_matte(struct vrs_matte *matte, struct vrs_rng *rng)
{
	assert_int_equal(vrs_matte_init(matte, &arena, 12, 10), VRS_OK);
	for (int y = 2; y < 8; y++)
		for (int x = 2; x < 10; x++)
			matte->data[matte->stride * y + x] = (uint8_t)vrs_rng_below(rng, 256);
}

/* Two eyes side by side that leave no rest, each with a smaller view. */
static struct vrs_composite_options make_options(int kind, struct vrs_rng *rng)
{
	struct vrs_composite_options o = {.mode = VRS_COMPOSITE_GREEN, .view_count = 2, .matte_width = 12, .matte_height = 10,
		.format = make_format(60 + (int)vrs_rng_below(rng, 120), 40 + (int)vrs_rng_below(rng, 90), kind)};
	int half = o.format.width / 4 * 2;
	o.backdrop.part_count = 2;
	o.backdrop.blur = 0.1;
	o.backdrop.parts[0] = (struct vrs_rect){0, 0, half, o.format.height};
	o.backdrop.parts[1] = (struct vrs_rect){half, 0, o.format.width - half, o.format.height};
	for (int i = 0; i < 2; i++)
		o.views[i] = (struct vrs_rect){i * half + 2, 4, half - 7, o.format.height - 9};
	return o;
}

static void test_pictures(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 5);
	for (int kind = 0; kind < 40; kind++) {
		struct vrs_composite_options o = make_options(kind, &rng);
		struct vrs_picture_format out = vrs_composite_format(&o.format);
		struct vrs_frame src = random_frame(&o.format, &rng), behind = random_frame(&out, &rng), fresh = random_frame(&out, &rng), used;
		struct vrs_matte mattes[2], swapped[2];
		struct vrs_composite *composite;
		struct vrs_composite_past past = {0};
		soft_matte(&mattes[0], &rng);
		soft_matte(&mattes[1], &rng);
		swapped[0] = mattes[1];
		swapped[1] = mattes[0];
		o.backdrop.kind = kind % 2 ? VRS_BACKDROP_PICTURE : VRS_BACKDROP_VIDEO;
		o.picture = kind % 2 ? &behind : NULL;
		assert_int_equal(vrs_composite_create(&composite, &arena, &o), VRS_OK);
		assert_int_equal(vrs_composite_is_moving(composite), !(kind % 2));
		if (kind % 2 == 0)
			vrs_composite_behind(composite, &behind);
		vrs_composite_run(composite, &fresh, &src, mattes, NULL);
		check_formula(&o, &fresh, &src, &behind, mattes);
		/* a frame that holds the picture and was used with other views before */
		assert_int_equal(vrs_frame_alloc(&used, &out), VRS_OK);
		vrs_composite_fill(composite, &used);
		struct vrs_rect away = {o.views[0].x, 0, 9, 11};
		assert_int_equal(vrs_composite_place(composite, 0, &away), VRS_OK);
		vrs_composite_run(composite, &used, &src, swapped, &past);
		assert_int_equal(vrs_composite_place(composite, 0, &o.views[0]), VRS_OK);
		vrs_composite_run(composite, &used, &src, mattes, &past);
		assert_true(same_samples(&fresh, &used));
		if (vrs_composite_in_place(composite)) {
			vrs_composite_run(composite, &src, &src, mattes, NULL);
			assert_true(same_samples(&fresh, &src));
		}
		vrs_frame_unref(&src);
		vrs_frame_unref(&behind);
		vrs_frame_unref(&fresh);
		vrs_frame_unref(&used);
	}
}

/* Blur gives what a picture gives that holds the widened surroundings; the eyes do not see one another. */
static void test_blur(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 6);
	for (int kind = 0; kind < 40; kind++) {
		struct vrs_composite_options o = make_options(kind, &rng);
		struct vrs_picture_format out = vrs_composite_format(&o.format);
		struct vrs_frame src = random_frame(&o.format, &rng), behind, fresh = random_frame(&out, &rng), other;
		struct vrs_matte mattes[2], clear[2];
		struct vrs_composite *composite;
		soft_matte(&mattes[0], &rng);
		soft_matte(&mattes[1], &rng);
		o.backdrop.kind = VRS_BACKDROP_BLUR;
		assert_int_equal(vrs_composite_create(&composite, &arena, &o), VRS_OK);
		vrs_composite_run(composite, &fresh, &src, mattes, NULL);
		/* the same surroundings without people: rows of the backdrop itself */
		struct vrs_backdrop_options own = o.backdrop;
		struct vrs_backdrop *backdrop;
		const struct vrs_rect *views[2] = {&o.views[0], &o.views[1]};
		own.source = o.format;
		own.format = out;
		own.matte_width = o.matte_width;
		own.matte_height = o.matte_height;
		assert_int_equal(vrs_backdrop_create(&backdrop, &arena, &own), VRS_OK);
		vrs_backdrop_learn(backdrop, &src, mattes, views);
		assert_int_equal(vrs_frame_alloc(&behind, &out), VRS_OK);
		for (int p = 0; p < 3; p++)
			for (int y = 0; y < vrs_plane_height(&out, p); y++)
				vrs_backdrop_write(backdrop, behind.data[p] + behind.stride_bytes[p] * y, p, y, 0, vrs_plane_width(&out, p));
		check_formula(&o, &fresh, &src, &behind, mattes);
		/* another right eye changes nothing in the left one's background */
		clear[0] = mattes[0];
		clear[1] = mattes[1];
		assert_int_equal(vrs_frame_alloc(&other, &out), VRS_OK);
		for (int y = 0; y < o.format.height; y++)
			for (int x = o.backdrop.parts[1].x; x < o.format.width; x++)
				sample_put(&src, 0, x, y, 0);
		vrs_composite_run(composite, &other, &src, clear, NULL);
		for (int y = 0; y < o.format.height; y++)
			for (int x = 0; x < o.backdrop.parts[1].x; x++)
				assert_int_equal(sample_get(&other, 0, x, y), sample_get(&fresh, 0, x, y));
		if (vrs_composite_in_place(composite)) {
			vrs_composite_run(composite, &src, &src, clear, NULL);
			assert_true(same_samples(&other, &src));
		}
		vrs_frame_unref(&src);
		vrs_frame_unref(&behind);
		vrs_frame_unref(&fresh);
		vrs_frame_unref(&other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_bleed),
		cmocka_unit_test(test_softness),
		cmocka_unit_test(test_nothing_free),
		cmocka_unit_test(test_pictures),
		cmocka_unit_test(test_blur),
	};
	return cmocka_run_group_tests(tests, NULL, free_arena);
}
