/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards despill: people filmed before a screen get their own colours back at soft edges, in every depth and plane and over every background;
 * strength scales it; inside and outside of the people no sample changes; values stay in range where the matte is wrong.
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
#include "matte/composite.h"
#include "matte/despill.h"
#include "matte/matte_expand.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

/* Random alphas with long plain parts; C = a F + (1 - a) B of constant F and B. */
static void test_recovers(void **state)
{
	(void)state;
	static const int depths[] = {8, 10, 16};
	struct vrs_rng rng;
	vrs_rng_init(&rng, 4);
	for (int round = 0; round < 300; round++) {
		int depth = depths[round % 3], top = (1 << depth) - 1, bytes = depth > 8 ? 2 : 1, n = 1 + (int)vrs_rng_below(&rng, 70);
		uint16_t above[80], below[80], src16[80] = {0}, dst16[80], ground16[80];
		uint8_t src8[80] = {0}, dst8[80], ground8[80];
		int own = (int)vrs_rng_below(&rng, (uint64_t)top + 1), behind = (int)vrs_rng_below(&rng, (uint64_t)top + 1);
		struct vrs_matte_row row = {.above = above, .below = below, .weight = (int)vrs_rng_below(&rng, 32768), .first = 3, .end = 3 + n};
		for (int x = 0; x < 80; x++) {
			int kind = (x / 9 + round) % 4;
			above[x] = below[x] = kind == 0 ? 0 : kind == 1 ? 32767 : (uint16_t)vrs_rng_below(&rng, 32768);
			if (kind == 3)
				below[x] = (uint16_t)vrs_rng_below(&rng, 32768);
		}
		double alpha[80];
		for (int x = 0; x < n; x++) {
			alpha[x] = (above[3 + x] + (below[3 + x] - above[3 + x]) * (row.weight / 32768.0)) / 32767;
			int seen = (int)lrint(alpha[x] * own + (1 - alpha[x]) * behind);
			src8[x] = (uint8_t)seen;
			src16[x] = (uint16_t)seen;
			ground8[x] = (uint8_t)behind;
			ground16[x] = (uint16_t)behind;
		}
		memcpy(dst8, src8, sizeof dst8);
		memcpy(dst16, src16, sizeof dst16);
		vrs_despill_row(bytes == 1 ? dst8 : (uint8_t *)dst16, bytes == 1 ? ground8 : (uint8_t *)ground16, &row, VRS_DESPILL_ONE, bytes, top, n);
		for (int x = 0; x < n; x++) {
			int got = bytes == 1 ? dst8[x] : dst16[x], seen = bytes == 1 ? src8[x] : src16[x];
			if (alpha[x] > 0.26)
				assert_true(abs(got - own) <= 1 + 0.6 / alpha[x] + top * 2e-4 / alpha[x]);
			if (above[3 + x] == below[3 + x] && (above[3 + x] == 0 || above[3 + x] == 32767))
				assert_int_equal(got, seen);
		}
		/* half the strength is half the way; none is none */
		if (bytes == 1) {
			uint8_t half[80], none[80];
			memcpy(half, src8, sizeof half);
			memcpy(none, src8, sizeof none);
			vrs_despill_row(half, ground8, &row, VRS_DESPILL_ONE / 2, 1, top, n);
			vrs_despill_row(none, ground8, &row, 0, 1, top, n);
			assert_memory_equal(none, src8, (size_t)n);
			for (int x = 0; x < n; x++)
				if (alpha[x] > 0.26)
					assert_true(abs(half[x] - (src8[x] + dst8[x]) / 2) <= 2);
		}
	}
}

/* A grey person before a green screen, composed over black: with despill the edges are grey, without they are not. */
static void test_composite(void **state)
{
	(void)state;
	static const enum vrs_backdrop_kind kinds[] = {VRS_BACKDROP_COLOR, VRS_BACKDROP_BLUR, VRS_BACKDROP_PICTURE, VRS_BACKDROP_VIDEO};
	for (int kind = 0; kind < 4; kind++) {
		for (int deep = 0; deep < 2; deep++) {
			int unit = deep ? 4 : 1, screen[3] = {150 * unit, 60 * unit, 40 * unit}, person[3] = {120 * unit, 128 * unit, 128 * unit};
			struct vrs_composite_options o = {.mode = VRS_COMPOSITE_GREEN, .view_count = 1, .matte_width = 40, .matte_height = 40,
				.views = {{0, 0, 160, 160}}, .format = {.width = 160, .height = 160, .planes = 3, .bit_depth = deep ? 10 : 8}};
			struct vrs_frame src, plain, dst, picture;
			struct vrs_matte matte, wide;
			struct vrs_composite *composite;
			assert_int_equal(vrs_frame_alloc(&src, &o.format), VRS_OK);
			assert_int_equal(vrs_frame_alloc(&plain, &o.format), VRS_OK);
			assert_int_equal(vrs_frame_alloc(&dst, &o.format), VRS_OK);
			assert_int_equal(vrs_frame_alloc(&picture, &o.format), VRS_OK);
			assert_int_equal(vrs_matte_init(&matte, &arena, 40, 40), VRS_OK);
			assert_int_equal(vrs_matte_init(&wide, &arena, 160, 160), VRS_OK);
			for (int y = 0; y < 40; y++)
				for (int x = 0; x < 40; x++) {
					double d = 11 - hypot(x - 19.5, y - 19.5);
					matte.data[y * 40 + x] = (uint8_t)(255 * fmin(1, fmax(0, d / 4)));
				}
			assert_int_equal(vrs_matte_expand(&wide, &matte, &o.views[0]), VRS_OK);
			for (int p = 0; p < 3; p++)
				for (int y = 0; y < 160; y++)
					for (int x = 0; x < 160; x++) {
						double a = wide.data[y * 160 + x] / 255.0;
						int value = (int)lrint(a * person[p] + (1 - a) * screen[p]), ground = p ? 128 * unit : 16 * unit;
						uint8_t *s = src.data[p] + src.stride_bytes[p] * y, *b = picture.data[p] + picture.stride_bytes[p] * y;
						if (deep) {
							((uint16_t *)(void *)s)[x] = (uint16_t)value;
							((uint16_t *)(void *)b)[x] = (uint16_t)ground;
						} else {
							s[x] = (uint8_t)value;
							b[x] = (uint8_t)ground;
						}
					}
			o.backdrop = (struct vrs_backdrop_options){.kind = kinds[kind], .part_count = 1, .parts = {o.views[0]}, .blur = 0.05};
			o.picture = kinds[kind] == VRS_BACKDROP_PICTURE ? &picture : NULL;
			double error[2] = {0, 0};
			for (int despill = 0; despill < 2; despill++) {
				o.despill = despill;
				assert_int_equal(vrs_composite_create(&composite, &arena, &o), VRS_OK);
				if (kinds[kind] == VRS_BACKDROP_VIDEO)
					vrs_composite_behind(composite, &picture);
				vrs_composite_run(composite, &dst, &src, &matte, NULL);
				/* chroma of the result, where a grey person stands before black or before the screen itself */
				for (int y = 0; y < 160; y++)
					for (int x = 0; x < 160; x++) {
						double a = wide.data[y * 160 + x] / 255.0, ground = kinds[kind] == VRS_BACKDROP_BLUR ? screen[1] : 128 * unit;
						const uint8_t *row = dst.data[1] + dst.stride_bytes[1] * y;
						double got = deep ? ((const uint16_t *)(const void *)row)[x] : row[x];
						double off = fabs(got - (a * person[1] + (1 - a) * ground)) / unit;
						error[despill] = a > 0.3 && off > error[despill] ? off : error[despill];
					}
			}
			assert_true(error[0] > 12); /* a (1 - a) of a difference of 68 */
			assert_true(error[1] <= 4); /* half a code value of the film, divided by a */
			vrs_frame_unref(&src);
			vrs_frame_unref(&plain);
			vrs_frame_unref(&dst);
			vrs_frame_unref(&picture);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_recovers), cmocka_unit_test(test_composite)};
	return cmocka_run_group_tests(tests, NULL, free_arena);
}
