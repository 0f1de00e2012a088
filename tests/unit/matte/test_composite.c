/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards compose against a slow double-precision calculation: bilinear matte at luma and chroma places, both eyes, 8 and 10 bits, odd sizes, modes
 * green and matte, grey sources, in place and into a prepared frame; and that nothing outside the views keeps source samples.
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
#include "matte/yuv_color.h"
#include "unit/random_frame.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

/* Mostly empty with a soft blob, so that spans of zeros are exercised; every third is random, every fifth empty. */
static struct vrs_matte random_matte(int width, int height, int kind, struct vrs_rng *rng)
{
	struct vrs_matte matte;
	assert_int_equal(vrs_matte_init(&matte, &arena, width, height), VRS_OK);
	double cx = vrs_rng_unit(rng) * width, cy = vrs_rng_unit(rng) * height, r = 1 + vrs_rng_unit(rng) * width / 2;
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			double d = 2 * (r - hypot(x - cx, y - cy)) / r;
			int blob = (int)(255 * fmin(1, fmax(0, d)));
			matte.data[matte.stride * y + x] = kind % 5 == 4 ? 0 : kind % 3 == 2 ? (uint8_t)vrs_rng_below(rng, 256) : (uint8_t)blob;
		}
	return matte;
}

static double bilinear(const struct vrs_matte *m, double x, double y)
{
	x = fmin(fmax(x, 0), m->width - 1);
	y = fmin(fmax(y, 0), m->height - 1);
	int x0 = (int)x, y0 = (int)y, x1 = x0 + 1 < m->width ? x0 + 1 : x0, y1 = y0 + 1 < m->height ? y0 + 1 : y0;
	double fx = x - x0, fy = y - y0;
	const uint8_t *a = m->data + m->stride * y0, *b = m->data + m->stride * y1;
	return ((1 - fy) * ((1 - fx) * a[x0] + fx * a[x1]) + fy * ((1 - fx) * b[x0] + fx * b[x1])) / 255;
}

/* Alpha of sample (x, y) of plane p; outside the views 0. */
static double alpha_at(const struct vrs_composite_options *o, const struct vrs_picture_format *out, const struct vrs_matte *mattes, int p, int x,
		       int y)
{
	int sx = p ? out->chroma_shift_x : 0, sy = p ? out->chroma_shift_y : 0;
	double lx = (x + 0.5) * (1 << sx) + (p ? vrs_chroma_offset(out, 0) : 0), ly = (y + 0.5) * (1 << sy) + (p ? vrs_chroma_offset(out, 1) : 0);
	for (int i = 0; i < o->view_count; i++) {
		const struct vrs_rect *v = &o->views[i];
		int x0 = v->x >> sx, y0 = v->y >> sy, x1 = (v->x + v->width + (1 << sx) - 1) >> sx, y1 = (v->y + v->height + (1 << sy) - 1) >> sy;
		if (x >= x0 && x < x1 && y >= y0 && y < y1)
			return bilinear(&mattes[i], (lx - v->x) * o->matte_width / v->width - 0.5, (ly - v->y) * o->matte_height / v->height - 0.5);
	}
	return 0;
}

static void check_result(const struct vrs_composite_options *o, const struct vrs_frame *got, const struct vrs_frame *src,
			 const struct vrs_matte *mattes)
{
	struct vrs_picture_format out = vrs_composite_format(&o->format);
	int background[3], neutral = 1 << (out.bit_depth - 1), white = vrs_luma_from_grey(&out, 255);
	vrs_yuv_from_rgb(background, &out, o->color);
	if (o->mode == VRS_COMPOSITE_MATTE) {
		background[0] = vrs_luma_from_grey(&out, 0);
		background[1] = background[2] = neutral;
	}
	/* one code value of rounding, and 14-bit interpolation weights in a range of 2^depth */
	double tolerance = 1.0 + (1 << out.bit_depth) / 6000.0;
	for (int p = 0; p < 3; p++)
		for (int y = 0; y < vrs_plane_height(&out, p); y++)
			for (int x = 0; x < vrs_plane_width(&out, p); x++) {
				int sample = o->mode == VRS_COMPOSITE_MATTE ? (p ? neutral : white)
					     : p && o->format.planes == 1   ? neutral : sample_get(src, p, x, y);
				double want = background[p] + alpha_at(o, &out, mattes, p, x, y) * (sample - background[p]);
				assert_true(fabs(sample_get(got, p, x, y) - want) <= tolerance);
			}
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

static void check(const struct vrs_composite_options *o, int kind, struct vrs_rng *rng)
{
	struct vrs_picture_format out = vrs_composite_format(&o->format);
	struct vrs_frame src = random_frame(&o->format, rng), fresh = random_frame(&out, rng), prepared;
	struct vrs_matte mattes[2] = {random_matte(o->matte_width, o->matte_height, kind, rng),
		random_matte(o->matte_width, o->matte_height, kind + 1, rng)};
	assert_int_equal(vrs_frame_alloc(&prepared, &out), VRS_OK);
	struct vrs_composite *composite;
	assert_int_equal(vrs_composite_create(&composite, &arena, o), VRS_OK);
	vrs_composite_run(composite, &fresh, &src, mattes, NULL);
	check_result(o, &fresh, &src, mattes);
	/* a prepared frame that was used before with other mattes */
	vrs_composite_fill(composite, &prepared);
	struct vrs_composite_past past = {0};
	struct vrs_matte swapped[2] = {mattes[1], mattes[0]};
	vrs_composite_run(composite, &prepared, &src, swapped, &past);
	vrs_composite_run(composite, &prepared, &src, mattes, &past);
	assert_true(same_samples(&fresh, &prepared));
	assert_int_equal(vrs_composite_in_place(composite), o->format.planes >= 3);
	if (vrs_composite_in_place(composite)) {
		vrs_composite_run(composite, &src, &src, mattes, NULL);
		assert_true(same_samples(&fresh, &src));
	}
	vrs_frame_unref(&src);
	vrs_frame_unref(&fresh);
	vrs_frame_unref(&prepared);
}

static void test_against_double(void **state)
{
	(void)state;
	static const int depths[] = {8, 10, 8, 12};
	struct vrs_rng rng;
	vrs_rng_init(&rng, 11);
	for (int i = 0; i < 96; i++) {
		struct vrs_composite_options o = {.mode = i % 4 == 3 ? VRS_COMPOSITE_MATTE : VRS_COMPOSITE_GREEN, .color = {10, (uint8_t)(250 - i), 40},
			.view_count = 1 + i % 2, .matte_width = 1 + (int)vrs_rng_below(&rng, 40), .matte_height = 1 + (int)vrs_rng_below(&rng, 40)};
		o.format = (struct vrs_picture_format){.width = 2 + (int)vrs_rng_below(&rng, 200), .height = 1 + (int)vrs_rng_below(&rng, 120),
			.planes = i % 9 == 8 ? 1 : i % 9 == 7 ? 4 : 3, .bit_depth = depths[i % 4], .matrix = (enum vrs_matrix)(i % 3),
			.range = (enum vrs_range)(i % 2), .chroma_location = i % 7, .chroma_shift_x = i % 5 != 0, .chroma_shift_y = i % 3 != 0};
		int half = o.format.width / 2 / 2 * 2;
		if (half < 2)
			o.view_count = 1;
		for (int v = 0; v < o.view_count; v++) {
			int room = o.view_count == 1 ? o.format.width : half;
			struct vrs_rect *r = &o.views[v];
			/* every second test covers everything, so that odd right and bottom edges are inside */
			r->width = i % 2 && o.view_count == 1 ? room : 1 + (int)vrs_rng_below(&rng, (uint64_t)room);
			r->height = i % 2 ? o.format.height : 1 + (int)vrs_rng_below(&rng, (uint64_t)o.format.height);
			r->x = v * half + (int)vrs_rng_below(&rng, (uint64_t)(room - r->width) + 1) / 2 * 2;
			r->y = (int)vrs_rng_below(&rng, (uint64_t)(o.format.height - r->height) + 1) / 2 * 2;
		}
		check(&o, i, &rng);
	}
}

/* Mode cutout: one plane, the luma of mode matte in full range. */
static void test_cutout(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 17);
	for (int i = 0; i < 30; i++) {
		struct vrs_composite_options o = {.mode = VRS_COMPOSITE_MATTE, .view_count = 1, .matte_width = 9, .matte_height = 7,
			.views = {{i % 3 * 2, 2, 40, 33}}};
		o.format = (struct vrs_picture_format){.width = 50 + i, .height = 40 + i % 7, .planes = i % 5 ? 3 : 1, .bit_depth = i % 2 ? 10 : 8,
			.range = VRS_RANGE_FULL, .chroma_shift_x = i % 3 != 0, .chroma_shift_y = i % 3 != 0};
		struct vrs_picture_format grey = vrs_composite_format(&o.format), alpha = vrs_composite_alpha_format(&o.format);
		struct vrs_frame src = random_frame(&o.format, &rng), want, got;
		struct vrs_matte matte = random_matte(9, 7, i, &rng);
		struct vrs_composite *composite;
		struct vrs_composite_past past = {0};
		assert_int_equal(vrs_frame_alloc(&want, &grey), VRS_OK);
		assert_int_equal(vrs_composite_create(&composite, &arena, &o), VRS_OK);
		vrs_composite_run(composite, &want, &src, &matte, NULL);
		o.mode = VRS_COMPOSITE_CUTOUT;
		o.format.range = VRS_RANGE_LIMITED; /* alpha is full range in every picture */
		assert_int_equal(alpha.planes, 1);
		assert_int_equal(vrs_frame_alloc(&got, &alpha), VRS_OK);
		assert_int_equal(vrs_composite_create(&composite, &arena, &o), VRS_OK);
		assert_false(vrs_composite_in_place(composite));
		vrs_composite_fill(composite, &got);
		vrs_composite_run(composite, &got, &src, &matte, i % 2 ? &past : NULL);
		for (int y = 0; y < alpha.height; y++)
			assert_memory_equal(got.data[0] + got.stride_bytes[0] * y, want.data[0] + want.stride_bytes[0] * y,
					    (size_t)alpha.width * (size_t)vrs_sample_bytes(&alpha));
		vrs_frame_unref(&src);
		vrs_frame_unref(&want);
		vrs_frame_unref(&got);
	}
}

static struct vrs_rect random_part(const struct vrs_rect *of, int most_width, int most_height, struct vrs_rng *rng)
{
	int w = of->width < most_width ? of->width : most_width, h = of->height < most_height ? of->height : most_height;
	struct vrs_rect r = {.width = 1 + (int)vrs_rng_below(rng, (uint64_t)w), .height = 1 + (int)vrs_rng_below(rng, (uint64_t)h)};
	r.x = of->x + (int)vrs_rng_below(rng, (uint64_t)(of->width - r.width) + 1);
	r.y = of->y + (int)vrs_rng_below(rng, (uint64_t)(of->height - r.height) + 1);
	return r;
}

/* Views that move: the bits of a composite made for the place, also in a frame that held other views before. */
static void test_place(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 21);
	for (int i = 0; i < 40; i++) {
		struct vrs_composite_options o = {.mode = i % 4 == 3 ? VRS_COMPOSITE_MATTE : VRS_COMPOSITE_GREEN, .color = {200, 30, 90}, .view_count = 2,
			.matte_width = 1 + (int)vrs_rng_below(&rng, 24), .matte_height = 1 + (int)vrs_rng_below(&rng, 24)};
		o.format = (struct vrs_picture_format){.width = 80 + 4 * (int)vrs_rng_below(&rng, 30), .height = 20 + (int)vrs_rng_below(&rng, 90),
			.planes = 3, .bit_depth = i % 2 ? 10 : 8, .chroma_location = i % 7, .chroma_shift_x = i % 5 != 0, .chroma_shift_y = i % 3 != 0};
		int half = o.format.width / 2;
		struct vrs_rect eyes[2] = {{.width = half, .height = o.format.height}, {.x = half, .width = half, .height = o.format.height}};
		for (int v = 0; v < 2; v++)
			o.views[v] = random_part(&eyes[v], half, o.format.height, &rng);
		struct vrs_composite_options most = o;
		struct vrs_frame src = random_frame(&o.format, &rng), want, got;
		struct vrs_matte mattes[2] = {random_matte(o.matte_width, o.matte_height, i, &rng), random_matte(o.matte_width, o.matte_height, i, &rng)};
		struct vrs_composite_past past = {0};
		struct vrs_composite *moved, *made;
		assert_int_equal(vrs_frame_alloc(&want, &o.format), VRS_OK);
		assert_int_equal(vrs_frame_alloc(&got, &o.format), VRS_OK);
		assert_int_equal(vrs_composite_create(&moved, &arena, &o), VRS_OK);
		vrs_composite_fill(moved, &got);
		for (int k = 0; k < 6; k++) {
			for (int v = 0; v < 2; v++) {
				o.views[v] = random_part(&eyes[v], most.views[v].width, most.views[v].height, &rng);
				assert_int_equal(vrs_composite_place(moved, v, &o.views[v]), VRS_OK);
			}
			assert_int_equal(vrs_composite_create(&made, &arena, &o), VRS_OK);
			vrs_composite_run(made, &want, &src, mattes, NULL);
			vrs_composite_run(moved, &got, &src, mattes, &past);
			assert_true(same_samples(&want, &got));
		}
		struct vrs_rect larger = {.width = most.views[0].width + 1, .height = 1};
		assert_int_equal(vrs_composite_place(moved, 0, &larger), VRS_EINVAL);
		vrs_frame_unref(&src);
		vrs_frame_unref(&want);
		vrs_frame_unref(&got);
	}
}

/* A picture of one value under full alpha stays as it is, and the whole picture of a matte of zeros is background. */
static void test_extremes(void **state)
{
	(void)state;
	struct vrs_composite_options o = {.format = {.width = 130, .height = 66, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1, .bit_depth = 8},
		.color = {0, 255, 0}, .view_count = 1, .views = {{.width = 130, .height = 66}}, .matte_width = 16, .matte_height = 16};
	struct vrs_rng rng;
	vrs_rng_init(&rng, 5);
	struct vrs_frame src = random_frame(&o.format, &rng), dst = random_frame(&o.format, &rng), filled = random_frame(&o.format, &rng);
	struct vrs_matte matte;
	struct vrs_composite *composite;
	assert_int_equal(vrs_matte_init(&matte, &arena, 16, 16), VRS_OK);
	assert_int_equal(vrs_composite_create(&composite, &arena, &o), VRS_OK);
	vrs_composite_fill(composite, &filled);
	vrs_composite_run(composite, &dst, &src, &matte, NULL);
	assert_true(same_samples(&dst, &filled));
	memset(matte.data, 255, 256);
	vrs_composite_run(composite, &dst, &src, &matte, NULL);
	assert_true(same_samples(&dst, &src));
	o.views[0].width = 131;
	assert_int_equal(vrs_composite_create(&composite, &arena, &o), VRS_EINVAL);
	o.views[0].width = 130;
	for (uint64_t n = 1; n < 40; n++) {
		uint64_t before = vrs_mem_stats().live_bytes;
		struct vrs_arena own = {0};
		vrs_mem_fail_after(n, false);
		enum vrs_status status = vrs_composite_create(&composite, &own, &o);
		bool fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		assert_int_equal(status, fired ? VRS_ENOMEM : VRS_OK);
		vrs_arena_free(&own);
		assert_int_equal(vrs_mem_stats().live_bytes, before);
	}
	vrs_frame_unref(&src);
	vrs_frame_unref(&dst);
	vrs_frame_unref(&filled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_double),
		cmocka_unit_test(test_cutout),
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_extremes),
	};
	return cmocka_run_group_tests_name("composite", tests, NULL, free_arena);
}
