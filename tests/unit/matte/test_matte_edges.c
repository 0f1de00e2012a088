/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the edges of mattes: the guided filter against the definition in double precision and on an edge that it has to find; larger, smaller and
 * softer people against their definitions, parts of a pixel included; and the similarity of pictures.
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
#include "matte/edges.h"
#include "matte/guided.h"
#include "matte/scene_cut.h"

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

#define W 37
#define H 29

/* Mean of f over the window around (x, y), cut off at the borders. */
static double window_mean(const double *f, int x, int y, int radius)
{
	double sum = 0;
	int count = 0;
	for (int j = y - radius; j <= y + radius; j++)
		for (int i = x - radius; i <= x + radius; i++)
			if (i >= 0 && j >= 0 && i < W && j < H) {
				sum += f[j * W + i];
				count++;
			}
	return sum / count;
}

/* By the paper: q = mean(a) I + mean(b). */
static void by_definition(double *q, const double *p, const double *guide, int radius, double eps)
{
	static double gg[W * H], gp[W * H], a[W * H], b[W * H];
	for (int i = 0; i < W * H; i++) {
		gg[i] = guide[i] * guide[i];
		gp[i] = guide[i] * p[i];
	}
	for (int i = 0; i < W * H; i++) {
		int x = i % W, y = i / W;
		double mean_g = window_mean(guide, x, y, radius), mean_p = window_mean(p, x, y, radius);
		a[i] = (window_mean(gp, x, y, radius) - mean_g * mean_p) / (window_mean(gg, x, y, radius) - mean_g * mean_g + eps);
		b[i] = mean_p - a[i] * mean_g;
	}
	for (int i = 0; i < W * H; i++)
		q[i] = window_mean(a, i % W, i / W, radius) * guide[i] + window_mean(b, i % W, i / W, radius);
}

static void test_guided_definition(void **state)
{
	(void)state;
	static double p[W * H], guide[W * H], q[W * H];
	static float alpha[W * H], before[W * H];
	static uint8_t luma[W * H];
	struct vrs_rng rng;
	vrs_rng_init(&rng, 11);
	for (int round = 0; round < 6; round++) {
		int radius = 1 + round * 3;
		double eps = round % 2 ? 0.01 : 0.0005, limit = 0.5;
		struct vrs_guided *guided;
		for (int i = 0; i < W * H; i++) {
			luma[i] = (uint8_t)vrs_rng_below(&rng, 256);
			before[i] = alpha[i] = (float)vrs_rng_below(&rng, 4096) / 4095.0f;
			p[i] = alpha[i];
			guide[i] = luma[i] / 255.0;
		}
		assert_int_equal(vrs_guided_create(&guided, &arena, W, H, radius, eps, limit), VRS_OK);
		vrs_guided_run(guided, alpha, luma);
		by_definition(q, p, guide, radius, eps);
		for (int i = 0; i < W * H; i++) {
			double reach = limit * 4 * before[i] * (1 - before[i]), want = fmin(fmax(q[i], before[i] - reach), before[i] + reach);
			assert_true(fabs(alpha[i] - fmin(fmax(want, 0), 1)) < 0.002);
		}
	}
}

/* The outline is a soft ramp that lies two pixels beside the picture's edge: what is unsure goes to the picture's side. */
static void test_guided_finds_the_edge(void **state)
{
	(void)state;
	static float alpha[W * H];
	static uint8_t luma[W * H];
	struct vrs_guided *guided;
	double before = 0, after = 0;
	for (int i = 0; i < W * H; i++) {
		double ramp = (i % W - 14) / 8.0;
		alpha[i] = (float)fmin(fmax(ramp, 0), 1);
		luma[i] = i % W >= 16 ? 200 : 50;
		before += fabs(alpha[i] - (i % W >= 16));
	}
	assert_int_equal(vrs_guided_create(&guided, &arena, W, H, 4, 0.0005, 1), VRS_OK);
	vrs_guided_run(guided, alpha, luma);
	for (int i = 0; i < W * H; i++) {
		after += fabs(alpha[i] - (i % W >= 16));
		if (i % W <= 13)
			assert_true(alpha[i] == 0); /* no haze */
	}
	print_message("distance to the edge: %.1f, was %.1f\n", after, before);
	assert_true(after < 0.85 * before);
	assert_int_equal(vrs_guided_create(&guided, &arena, W, H, 17, 0.1, 1), VRS_EINVAL);
	assert_int_equal(vrs_guided_create(&guided, &arena, W, H, 3, 0, 1), VRS_EINVAL);
}

static void fill(struct vrs_rng *rng, uint8_t *data)
{
	for (int i = 0; i < W * H; i++)
		data[i] = vrs_rng_next(rng) & 3 ? 0 : (uint8_t)vrs_rng_below(rng, 256);
}

/* The extreme of a rectangle of pixels. */
static int extreme(const uint8_t *data, int x, int y, int rx, int ry, bool largest)
{
	int best = -1;
	for (int j = y - ry; j <= y + ry; j++)
		for (int i = x - rx; i <= x + rx; i++)
			if (i >= 0 && j >= 0 && i < W && j < H && (best < 0 || (largest ? data[j * W + i] > best : data[j * W + i] < best)))
				best = data[j * W + i];
	return best;
}

static void test_grow(void **state)
{
	(void)state;
	static uint8_t before[W * H], data[W * H];
	struct vrs_edges *edges;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 3);
	assert_int_equal(vrs_edges_create(&edges, &arena, W, H), VRS_OK);
	struct vrs_matte matte = {W, H, W, data};
	for (int sign = -1; sign <= 1; sign++)
		for (int round = 0; round < 4; round++) {
			fill(&rng, before);
			memcpy(data, before, sizeof data);
			vrs_edges_grow(edges, &matte, sign * round, sign * (4 - round), false);
			for (int i = 0; i < W * H; i++)
				assert_int_equal(data[i], sign ? extreme(before, i % W, i / W, round, 4 - round, sign > 0) : before[i]);
		}
	/* a part of a pixel: that part of the way to the next whole one */
	memset(before, 0, sizeof before);
	before[10 * W + 10] = 200;
	memcpy(data, before, sizeof data);
	vrs_edges_grow(edges, &matte, 1.5, 0, false);
	assert_int_equal(data[10 * W + 11], 200);
	assert_in_range(data[10 * W + 12], 99, 101);
	assert_int_equal(data[10 * W + 13], 0);
	assert_int_equal(data[11 * W + 10], 0);
	/* far beyond the matte */
	vrs_edges_grow(edges, &matte, 1e6, 1e6, false);
	assert_int_equal(data[0], 200);
}

static void test_feather(void **state)
{
	(void)state;
	static uint8_t before[W * H], data[W * H];
	struct vrs_edges *edges;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 4);
	assert_int_equal(vrs_edges_create(&edges, &arena, W, H), VRS_OK);
	struct vrs_matte matte = {W, H, W, data};
	fill(&rng, before);
	memcpy(data, before, sizeof data);
	vrs_edges_feather(edges, &matte, 0, 0, false);
	assert_memory_equal(data, before, sizeof data);
	/* what is the same everywhere stays, borders included */
	memset(data, 173, sizeof data);
	vrs_edges_feather(edges, &matte, 7.3, 2.5, false);
	for (int i = 0; i < W * H; i++)
		assert_int_equal(data[i], 173);
	/* an upright edge becomes a rise of that width, its middle stays */
	for (int i = 0; i < W * H; i++)
		data[i] = i % W >= 18 ? 255 : 0;
	vrs_edges_feather(edges, &matte, 4, 3, false);
	for (int x = 1; x < W; x++)
		assert_true(data[14 * W + x] >= data[14 * W + x - 1]);
	assert_int_equal(data[14 * W + 12], 0);
	assert_int_equal(data[14 * W + 23], 255);
	assert_in_range(data[14 * W + 17] + data[14 * W + 18], 253, 257);
	assert_true(data[14 * W + 15] > 0 && data[14 * W + 20] < 255);
	vrs_edges_feather(edges, &matte, 1e6, 1e6, false);
}

/* Wider than any person: a matte of 400 columns whose right part is opaque. */
static void test_wide(void **state)
{
	(void)state;
	enum { WIDE = 400, EDGE = 300 };
	static uint8_t data[WIDE * 3];
	struct vrs_matte matte = {WIDE, 3, WIDE, data};
	struct vrs_edges *edges;
	assert_int_equal(vrs_edges_create(&edges, &arena, WIDE, 3), VRS_OK);
	for (int feather = 0; feather < 2; feather++) {
		for (int i = 0; i < WIDE * 3; i++)
			data[i] = i % WIDE >= EDGE ? 255 : 0;
		if (feather)
			vrs_edges_feather(edges, &matte, 90, 0, false);
		else
			vrs_edges_grow(edges, &matte, 217, 0, false);
		for (int x = 0; x < WIDE; x++) {
			double at = fmin(fmax((x + 0.5 - EDGE) / 91, -1), 1), share = at < 0 ? (1 + at) * (1 + at) / 2 : 1 - (1 - at) * (1 - at) / 2;
			if (feather)
				assert_true(fabs(data[WIDE + x] - 255 * share) < 1.5);
			else
				assert_int_equal(data[WIDE + x], x >= EDGE - 217 ? 255 : 0);
		}
	}
}

/* Where rows close to a circle, it does not matter where they begin. */
static void test_circle(void **state)
{
	(void)state;
	static const double widths[] = {1, 3.4, 12, 50};
	struct vrs_rng rng;
	vrs_rng_init(&rng, 5);
	static uint8_t plain[W * H], turned[W * H];
	struct vrs_matte one = {W, H, W, plain}, other = {W, H, W, turned};
	struct vrs_edges *edges;
	assert_int_equal(vrs_edges_create(&edges, &arena, W, H), VRS_OK);
	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
		for (int how = 0; how < 3; how++) {
			fill(&rng, plain);
			for (int k = 0; k < W * H; k++)
				turned[k / W * W + (k % W + 11) % W] = plain[k];
			for (int turn = 0; turn < 2; turn++)
				if (how == 2)
					vrs_edges_feather(edges, turn ? &other : &one, widths[i], 1, true);
				else
					vrs_edges_grow(edges, turn ? &other : &one, how ? -widths[i] : widths[i], 0, true);
			for (int k = 0; k < W * H; k++)
				assert_int_equal(turned[k / W * W + (k % W + 11) % W], plain[k]);
		}
}

static void test_similarity(void **state)
{
	(void)state;
	static uint8_t a[W * H], b[W * H];
	assert_true(vrs_similarity(a, b, W, H) == 1);
	/* one pixel of a whole block */
	b[5 * W + 5] = 255;
	assert_true(fabs(vrs_similarity(a, b, W, H) - (1 - 1.0 / 256)) < 1e-12);
	/* the worst block counts, and small ones at the edge count by their own pixels: 5 x 13 here */
	b[(H - 1) * W + W - 1] = 255;
	assert_true(fabs(vrs_similarity(a, b, W, H) - (1 - 1.0 / 65)) < 1e-12);
	memset(b, 255, sizeof b);
	assert_true(vrs_similarity(a, b, W, H) == 0);
	assert_true(vrs_similarity(b, a, W, H) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guided_definition),
		cmocka_unit_test(test_guided_finds_the_edge),
		cmocka_unit_test(test_grow),
		cmocka_unit_test(test_feather),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_circle),
		cmocka_unit_test(test_similarity),
	};
	return cmocka_run_group_tests_name("matte_edges", tests, NULL, free_arena);
}
