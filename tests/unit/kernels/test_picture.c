/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the picture kernels: every instruction set of this machine gives the bytes of the reference for random and extreme data, odd sizes and
 * all depths, also where samples are above their depth or a plane is one sample wide, and touches nothing outside its buffers (each buffer ends at an
 * unreadable page and its neighbours are checked).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "kernels/guarded.h"
#include "kernels/picture_tables.h"

#define ROUNDS 300

/* Mostly random, sometimes all extreme, so that saturation and sign errors show. */
static void fill(struct vrs_rng *rng, void *data, size_t n, int bytes, int max)
{
	int kind = (int)vrs_rng_below(rng, 4);
	for (size_t i = 0; i < n; i++) {
		int value = kind == 0 ? 0 : kind == 1 ? max : kind == 2 ? (vrs_rng_next(rng) & 1 ? max : 0) : (int)vrs_rng_below(rng, (uint64_t)max + 1);
		if (bytes == 1)
			((uint8_t *)data)[i] = (uint8_t)value;
		else
			((uint16_t *)data)[i] = (uint16_t)value;
	}
}

/* Non-negative weights that sum to 2^14. */
static void fill_weights(struct vrs_rng *rng, int16_t *weights, int used, int taps)
{
	int left = VRS_WEIGHT_ONE;
	for (int t = 0; t < taps; t++) {
		int w = t >= used ? 0 : t + 1 == used ? left : (int)vrs_rng_below(rng, (uint64_t)left + 1);
		weights[t] = (int16_t)w;
		left -= w;
	}
}

static int random_width(struct vrs_rng *rng)
{
	return 1 + (int)vrs_rng_below(rng, vrs_rng_next(rng) & 1 ? 40 : 1000);
}

static void check_rows(const struct vrs_picture_kernels *k, struct vrs_rng *rng, int depth)
{
	int width = random_width(rng), taps = 1 + (int)vrs_rng_below(rng, 9), bytes = depth > 8 ? 2 : 1;
	ptrdiff_t stride = (ptrdiff_t)(width + (int)vrs_rng_below(rng, 5)) * bytes;
	int16_t weights[16];
	fill_weights(rng, weights, taps, taps);
	size_t size = (size_t)stride * (size_t)(taps - 1) + (size_t)width * (size_t)bytes;
	struct guarded src = guarded_new(size), want = guarded_new((size_t)width * 2), got = guarded_new((size_t)width * 2);
	fill(rng, src.data, size / (size_t)bytes, bytes, (1 << depth) - 1);
	if (bytes == 1) {
		reference.downscale_rows_u8((uint16_t *)(void *)want.data, src.data, stride, weights, taps, width);
		k->downscale_rows_u8((uint16_t *)(void *)got.data, src.data, stride, weights, taps, width);
	} else {
		const uint16_t *s = (const uint16_t *)(const void *)src.data;
		reference.downscale_rows_u16((uint16_t *)(void *)want.data, s, stride, weights, taps, width, depth);
		k->downscale_rows_u16((uint16_t *)(void *)got.data, s, stride, weights, taps, width, depth);
	}
	assert_memory_equal(want.data, got.data, (size_t)width * 2);
	guarded_free(&src);
	guarded_free(&want);
	guarded_free(&got);
}

static void check_columns(const struct vrs_picture_kernels *k, struct vrs_rng *rng)
{
	int n = random_width(rng), taps = 8 * (1 + (int)vrs_rng_below(rng, 3)), width = n * 3 + taps;
	struct guarded src = guarded_new((size_t)width * 2), want = guarded_new((size_t)n * 2), got = guarded_new((size_t)n * 2);
	struct guarded first = guarded_new((size_t)n * 4), weights = guarded_new((size_t)n * (size_t)taps * 2);
	fill(rng, src.data, (size_t)width, 2, 32767);
	for (int x = 0; x < n; x++) {
		((int32_t *)(void *)first.data)[x] = (int32_t)vrs_rng_below(rng, (uint64_t)(width - taps) + 1);
		fill_weights(rng, (int16_t *)(void *)weights.data + (ptrdiff_t)x * taps, 1 + (int)vrs_rng_below(rng, (uint64_t)taps), taps);
	}
	const uint16_t *s = (const uint16_t *)(const void *)src.data;
	const int32_t *f = (const int32_t *)(const void *)first.data;
	const int16_t *w = (const int16_t *)(const void *)weights.data;
	reference.downscale_columns((uint16_t *)(void *)want.data, s, f, w, taps, n);
	k->downscale_columns((uint16_t *)(void *)got.data, s, f, w, taps, n);
	assert_memory_equal(want.data, got.data, (size_t)n * 2);
	guarded_free(&src);
	guarded_free(&want);
	guarded_free(&got);
	guarded_free(&first);
	guarded_free(&weights);
}

static void check_color(const struct vrs_picture_kernels *k, struct vrs_rng *rng)
{
	int n = random_width(rng);
	struct guarded plane[3], want = guarded_new((size_t)n * 12), got = guarded_new((size_t)n * 12);
	for (int p = 0; p < 3; p++) {
		plane[p] = guarded_new((size_t)n * 2);
		fill(rng, plane[p].data, (size_t)n, 2, 32767);
	}
	struct vrs_color_kernel_args args;
	for (int c = 0; c < 3; c++) {
		for (int i = 0; i < 3; i++)
			args.m[c][i] = (float)(vrs_rng_unit(rng) - 0.4) / 16000.0f;
		args.bias[c] = (float)(vrs_rng_unit(rng) - 0.5);
		args.scale[c] = (float)(vrs_rng_unit(rng) + 0.5);
		args.offset[c] = (float)(vrs_rng_unit(rng) - 0.5);
	}
	const uint16_t *y = (const uint16_t *)(const void *)plane[0].data, *u = (const uint16_t *)(const void *)plane[1].data;
	const uint16_t *v = (const uint16_t *)(const void *)plane[2].data;
	reference.color_rgb_f32((float *)(void *)want.data, y, u, v, n, &args);
	k->color_rgb_f32((float *)(void *)got.data, y, u, v, n, &args);
	assert_memory_equal(want.data, got.data, (size_t)n * 12);
	for (int p = 0; p < 3; p++)
		guarded_free(&plane[p]);
	guarded_free(&want);
	guarded_free(&got);
}

static void check_upscale(const struct vrs_picture_kernels *k, struct vrs_rng *rng)
{
	int n = random_width(rng), width = 2 + (int)vrs_rng_below(rng, 300);
	struct guarded src = guarded_new((size_t)width * 2), want = guarded_new((size_t)n * 2), got = guarded_new((size_t)n * 2);
	struct guarded index = guarded_new((size_t)n * 4), weight = guarded_new((size_t)n * 2);
	fill(rng, src.data, (size_t)width, 2, 32767);
	for (int x = 0; x < n; x++) {
		((int32_t *)(void *)index.data)[x] = (int32_t)vrs_rng_below(rng, (uint64_t)width - 1);
		((int16_t *)(void *)weight.data)[x] = (int16_t)vrs_rng_below(rng, VRS_WEIGHT_ONE + 1);
	}
	const uint16_t *s = (const uint16_t *)(const void *)src.data;
	const int32_t *i = (const int32_t *)(const void *)index.data;
	const int16_t *w = (const int16_t *)(const void *)weight.data;
	reference.upscale_row((uint16_t *)(void *)want.data, s, i, w, n);
	k->upscale_row((uint16_t *)(void *)got.data, s, i, w, n);
	assert_memory_equal(want.data, got.data, (size_t)n * 2);
	guarded_free(&src);
	guarded_free(&want);
	guarded_free(&got);
	guarded_free(&index);
	guarded_free(&weight);
}

static void composite(const struct vrs_picture_kernels *k, int depth, void *dst, const void *src, const uint16_t *above, const uint16_t *below,
		      int weight, int background, int n)
{
	if (depth == 8)
		k->composite_row_u8(dst, src, above, below, weight, background, n);
	else
		k->composite_row_u16(dst, src, above, below, weight, background, n);
}

static void check_composite(const struct vrs_picture_kernels *k, struct vrs_rng *rng, int depth)
{
	int n = random_width(rng), bytes = depth > 8 ? 2 : 1, max = (1 << depth) - 1;
	size_t size = (size_t)n * (size_t)bytes;
	struct guarded src = guarded_new(size), want = guarded_new(size), got = guarded_new(size);
	struct guarded above = guarded_new((size_t)n * 2), below = guarded_new((size_t)n * 2);
	fill(rng, src.data, (size_t)n, bytes, max);
	fill(rng, above.data, (size_t)n, 2, 32767);
	fill(rng, below.data, (size_t)n, 2, 32767);
	int weight = vrs_rng_next(rng) & 3 ? (int)vrs_rng_below(rng, 32768) : 32767;
	int background = vrs_rng_next(rng) & 3 ? (int)vrs_rng_below(rng, (uint64_t)max + 1) : max;
	const uint16_t *a = (const uint16_t *)(const void *)above.data, *b = (const uint16_t *)(const void *)below.data;
	composite(&reference, depth, want.data, src.data, a, b, weight, background, n);
	composite(k, depth, got.data, src.data, a, b, weight, background, n);
	assert_memory_equal(want.data, got.data, size);
	/* in place */
	composite(k, depth, src.data, src.data, a, b, weight, background, n);
	assert_memory_equal(want.data, src.data, size);
	guarded_free(&src);
	guarded_free(&want);
	guarded_free(&got);
	guarded_free(&above);
	guarded_free(&below);
}

static void check_positions(const struct vrs_picture_kernels *k, struct vrs_rng *rng)
{
	int count = 1 + (int)vrs_rng_below(rng, 5);
	size_t bytes = (size_t)count * VRS_REMAP_RUN * sizeof(int32_t);
	struct guarded curves = guarded_new((size_t)count * sizeof(struct vrs_remap_curve));
	struct guarded want_u = guarded_new(bytes), want_v = guarded_new(bytes), got_u = guarded_new(bytes), got_v = guarded_new(bytes);
	struct vrs_remap_curve *c = (void *)curves.data;
	for (int i = 0; i < count; i++)
		c[i] = (struct vrs_remap_curve){(int32_t)vrs_rng_below(rng, 1 << 29), (int32_t)vrs_rng_below(rng, 1 << 18) - (1 << 17),
			(int32_t)vrs_rng_below(rng, 1 << 12) - (1 << 11), (int32_t)vrs_rng_below(rng, 1 << 29) - (1 << 28),
			(int32_t)vrs_rng_below(rng, 1 << 18) - (1 << 17), (int32_t)vrs_rng_below(rng, 1 << 12) - (1 << 11)};
	reference.remap_positions((void *)want_u.data, (void *)want_v.data, c, count);
	k->remap_positions((void *)got_u.data, (void *)got_v.data, c, count);
	assert_memory_equal(want_u.data, got_u.data, bytes);
	assert_memory_equal(want_v.data, got_v.data, bytes);
	guarded_free(&curves);
	guarded_free(&want_u);
	guarded_free(&want_v);
	guarded_free(&got_u);
	guarded_free(&got_v);
}

/* Positions in and around the plane; the rows of a plane with a negative stride are stored from the last to the first. */
static void check_sample(const struct vrs_picture_kernels *k, struct vrs_rng *rng, int depth)
{
	int n = random_width(rng), bytes = depth > 8 ? 2 : 1, width = 2 + (int)vrs_rng_below(rng, 400), height = 2 + (int)vrs_rng_below(rng, 20);
	ptrdiff_t stride = (ptrdiff_t)(width + (int)vrs_rng_below(rng, 5)) * bytes;
	size_t size = (size_t)(stride * (height - 1)) + (size_t)(width * bytes), out = (size_t)n * (size_t)bytes;
	struct guarded src = guarded_new(size), want = guarded_new(out), got = guarded_new(out);
	struct guarded u = guarded_new((size_t)n * 4), v = guarded_new((size_t)n * 4);
	fill(rng, src.data, size / (size_t)bytes, bytes, (1 << depth) - 1);
	for (int i = 0; i < n; i++) {
		((int32_t *)(void *)u.data)[i] = (int32_t)vrs_rng_below(rng, (uint64_t)(width + 8) << 16) - (4 << 16);
		((int32_t *)(void *)v.data)[i] = (int32_t)vrs_rng_below(rng, (uint64_t)(height + 8) << 16) - (4 << 16);
	}
	if (vrs_rng_next(rng) & 1) { /* along a line, as maps have them */
		int32_t du = (int32_t)vrs_rng_below(rng, 4 << 16) - (2 << 16), dv = (int32_t)vrs_rng_below(rng, 1 << 15) - (1 << 14);
		int32_t at_u = (int32_t)vrs_rng_below(rng, (uint64_t)width << 16), at_v = (int32_t)vrs_rng_below(rng, (uint64_t)height << 16);
		for (int i = 0; i < n; i++) {
			((int32_t *)(void *)u.data)[i] = at_u + du * (i % 300);
			((int32_t *)(void *)v.data)[i] = at_v + dv * (i % 300);
		}
	}
	bool upwards = vrs_rng_next(rng) & 1;
	const struct vrs_remap_plane plane = {.data = src.data + (upwards ? stride * (height - 1) : 0), .stride_bytes = upwards ? -stride : stride,
		.width = width, .height = height};
	const int32_t *pu = (const int32_t *)(const void *)u.data, *pv = (const int32_t *)(const void *)v.data;
	if (bytes == 1) {
		reference.remap_sample_u8(want.data, &plane, pu, pv, n);
		k->remap_sample_u8(got.data, &plane, pu, pv, n);
	} else {
		reference.remap_sample_u16((void *)want.data, &plane, pu, pv, n);
		k->remap_sample_u16((void *)got.data, &plane, pu, pv, n);
	}
	assert_memory_equal(want.data, got.data, out);
	guarded_free(&src);
	guarded_free(&want);
	guarded_free(&got);
	guarded_free(&u);
	guarded_free(&v);
}

/* A plane with a side of 1 gives what the plane with each sample doubled on that side gives, and nothing beside it is read. */
static void check_thin(const struct vrs_picture_kernels *k, struct vrs_rng *rng, int width, int height, int n)
{
	int wide = width < 2 ? 2 : width, high = height < 2 ? 2 : height;
	struct guarded src[2], u = guarded_new((size_t)n * 4), v = guarded_new((size_t)n * 4);
	uint8_t double8[5 * 5], want8[40], got8[40];
	uint16_t double16[5 * 5], want16[40], got16[40];
	for (int bytes = 1; bytes <= 2; bytes++) {
		src[bytes - 1] = guarded_new((size_t)(width * height * bytes));
		fill(rng, src[bytes - 1].data, (size_t)(width * height), bytes, (1 << 8 * bytes) - 1);
	}
	for (int i = 0; i < wide * high; i++) {
		int from = i / wide % height * width + i % wide % width;
		double8[i] = src[0].data[from];
		double16[i] = ((const uint16_t *)(const void *)src[1].data)[from];
	}
	for (int i = 0; i < n; i++) {
		((int32_t *)(void *)u.data)[i] = (int32_t)vrs_rng_below(rng, (uint64_t)(width + 2) << 16) - (1 << 16);
		((int32_t *)(void *)v.data)[i] = (int32_t)vrs_rng_below(rng, (uint64_t)(height + 2) << 16) - (1 << 16);
	}
	const int32_t *pu = (const int32_t *)(const void *)u.data, *pv = (const int32_t *)(const void *)v.data;
	const struct vrs_remap_plane thin8 = {src[0].data, width, width, height}, thin16 = {src[1].data, 2 * width, width, height};
	const struct vrs_remap_plane doubled8 = {double8, wide, wide, high}, doubled16 = {double16, 2 * wide, wide, high};
	reference.remap_sample_u8(want8, &doubled8, pu, pv, n);
	k->remap_sample_u8(got8, &thin8, pu, pv, n);
	assert_memory_equal(want8, got8, (size_t)n);
	reference.remap_sample_u16(want16, &doubled16, pu, pv, n);
	k->remap_sample_u16(got16, &thin16, pu, pv, n);
	assert_memory_equal(want16, got16, (size_t)n * 2);
	guarded_free(&src[0]);
	guarded_free(&src[1]);
	guarded_free(&u);
	guarded_free(&v);
}

static void test_thin_planes(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 20232);
	for (int i = -1; i < candidate_count; i++)
		for (int width = 1; width <= 5; width++)
			for (int height = 1; height <= 5; height++)
				for (int n = 1; n <= 40; n++)
					check_thin(i < 0 ? &reference : &candidates[i], &rng, width, height, n);
}

static void over(const struct vrs_picture_kernels *k, int depth, void *dst, const void *src, const void *behind, const uint16_t *above,
		 const uint16_t *below, int weight, int n)
{
	if (depth == 8)
		k->composite_over_u8(dst, src, behind, above, below, weight, n);
	else
		k->composite_over_u16(dst, src, behind, above, below, weight, n);
}

/* People whose matte is full keep their samples at any depth, whatever is behind them. */
static void check_whole(const struct vrs_picture_kernels *k, struct vrs_rng *rng, int depth)
{
	int n = random_width(rng), bytes = depth > 8 ? 2 : 1, max = (1 << depth) - 1;
	size_t size = (size_t)n * (size_t)bytes;
	struct guarded src = guarded_new(size), behind = guarded_new(size), got = guarded_new(size), full = guarded_new((size_t)n * 2);
	fill(rng, src.data, (size_t)n, bytes, max);
	fill(rng, behind.data, (size_t)n, bytes, max);
	for (int x = 0; x < n; x++)
		((uint16_t *)(void *)full.data)[x] = 32767;
	const uint16_t *alpha = (const uint16_t *)(const void *)full.data;
	composite(k, depth, got.data, src.data, alpha, alpha, (int)vrs_rng_below(rng, 32768), vrs_rng_next(rng) & 1 ? 0 : max, n);
	assert_memory_equal(src.data, got.data, size);
	over(k, depth, got.data, src.data, behind.data, alpha, alpha, (int)vrs_rng_below(rng, 32768), n);
	assert_memory_equal(src.data, got.data, size);
	guarded_free(&src);
	guarded_free(&behind);
	guarded_free(&got);
	guarded_free(&full);
}

static void test_whole(void **state)
{
	(void)state;
	static const int depths[] = {8, 10, 12, 14, 16};
	struct vrs_rng rng;
	vrs_rng_init(&rng, 77);
	for (int i = -1; i < candidate_count; i++)
		for (int round = 0; round < 200; round++)
			check_whole(i < 0 ? &reference : &candidates[i], &rng, depths[round % 5]);
}

static void check_over(const struct vrs_picture_kernels *k, struct vrs_rng *rng, int depth)
{
	int n = random_width(rng), bytes = depth > 8 ? 2 : 1, max = (1 << depth) - 1;
	size_t size = (size_t)n * (size_t)bytes;
	struct guarded src = guarded_new(size), behind = guarded_new(size), want = guarded_new(size), got = guarded_new(size);
	struct guarded above = guarded_new((size_t)n * 2), below = guarded_new((size_t)n * 2), flat = guarded_new(size);
	fill(rng, src.data, (size_t)n, bytes, max);
	fill(rng, behind.data, (size_t)n, bytes, max);
	fill(rng, above.data, (size_t)n, 2, 32767);
	fill(rng, below.data, (size_t)n, 2, 32767);
	int weight = vrs_rng_next(rng) & 3 ? (int)vrs_rng_below(rng, 32768) : 32767, background = (int)vrs_rng_below(rng, (uint64_t)max + 1);
	const uint16_t *a = (const uint16_t *)(const void *)above.data, *b = (const uint16_t *)(const void *)below.data;
	over(&reference, depth, want.data, src.data, behind.data, a, b, weight, n);
	over(k, depth, got.data, src.data, behind.data, a, b, weight, n);
	assert_memory_equal(want.data, got.data, size);
	/* onto the row behind */
	over(k, depth, behind.data, src.data, behind.data, a, b, weight, n);
	assert_memory_equal(want.data, behind.data, size);
	/* over a row of one value: the bytes of blending over that value */
	for (int x = 0; x < n; x++) {
		if (bytes == 1)
			flat.data[x] = (uint8_t)background;
		else
			((uint16_t *)(void *)flat.data)[x] = (uint16_t)background;
	}
	composite(&reference, depth, want.data, src.data, a, b, weight, background, n);
	over(k, depth, got.data, src.data, flat.data, a, b, weight, n);
	assert_memory_equal(want.data, got.data, size);
	guarded_free(&src);
	guarded_free(&behind);
	guarded_free(&want);
	guarded_free(&got);
	guarded_free(&above);
	guarded_free(&below);
	guarded_free(&flat);
}

static void test_against_reference(void **state)
{
	(void)state;
	static const int depths[] = {8, 9, 10, 12, 14, 15, 16};
	for (int i = 0; i < candidate_count; i++) {
		const char *seed_text = getenv("VRS_TEST_SEED");
		uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) : 20211;
		print_message("%s against reference, seed %llu\n", candidates[i].isa, (unsigned long long)seed);
		struct vrs_rng rng;
		vrs_rng_init(&rng, seed);
		for (int round = 0; round < ROUNDS; round++) {
			int depth = depths[round % (int)(sizeof depths / sizeof depths[0])];
			check_rows(&candidates[i], &rng, depth);
			check_columns(&candidates[i], &rng);
			check_color(&candidates[i], &rng);
			check_upscale(&candidates[i], &rng);
			check_composite(&candidates[i], &rng, depth);
			check_positions(&candidates[i], &rng);
			check_sample(&candidates[i], &rng, depth);
			check_over(&candidates[i], &rng, depth);
		}
	}
}

/* Raw video may use bits above its depth: a sample15 stays one, the same of every instruction set, and white of 16 bits does not reach 2^15. */
static void check_above_depth(const struct vrs_picture_kernels *k, struct vrs_rng *rng, int depth, int n)
{
	static const int tops[] = {4, 16, 15, 0}; /* bits of samples: little above 0, all, the lower ones, and those of the depth */
	int top = tops[vrs_rng_below(rng, 4)], taps = 1 + (int)vrs_rng_below(rng, 9);
	int16_t weights[16];
	fill_weights(rng, weights, taps, taps);
	struct guarded src = guarded_new((size_t)(n * taps) * 2), got = guarded_new((size_t)n * 2);
	fill(rng, src.data, (size_t)(n * taps), 2, (1 << (top == 0 ? depth : top)) - 1);
	const uint16_t *s = (const uint16_t *)(const void *)src.data, *row = (const uint16_t *)(const void *)got.data;
	k->downscale_rows_u16((uint16_t *)(void *)got.data, s, (ptrdiff_t)n * 2, weights, taps, n, depth);
	for (int x = 0; x < n; x++) {
		int64_t sum = 1 << (depth - 2);
		for (int t = 0; t < taps; t++)
			sum += (int64_t)s[t * n + x] * weights[t];
		sum >>= depth - 1;
		assert_int_equal(row[x], sum < 32767 ? sum : 32767);
	}
	guarded_free(&src);
	guarded_free(&got);
}

static void test_samples_above_depth(void **state)
{
	(void)state;
	static const int depths[] = {9, 10, 12, 14, 16};
	struct vrs_rng rng;
	vrs_rng_init(&rng, 20231);
	for (int d = 0; d < 5; d++)
		for (int n = 1; n <= 40; n++)
			for (int i = -1; i < candidate_count; i++)
				for (int round = 0; round < 8; round++)
					check_above_depth(i < 0 ? &reference : &candidates[i], &rng, depths[d], n);
}

/* What the reference itself promises: full alpha keeps, no alpha replaces, constant pictures stay constant at every depth. */
static void test_reference_identities(void **state)
{
	(void)state;
	static const int depths[] = {8, 10, 12, 16};
	for (int d = 0; d < 4; d++) {
		int depth = depths[d], max = (1 << depth) - 1;
		uint16_t opaque[2] = {32767, 32767}, clear[2] = {0, 0};
		for (int s = 0; s <= max; s += 1 + max / 97) {
			uint16_t in16[2] = {(uint16_t)s, (uint16_t)s}, out16[2];
			uint8_t in8[2] = {(uint8_t)s, (uint8_t)s}, out8[2];
			for (int bg = 0; bg <= max; bg += 1 + max / 5) {
				composite(&reference, depth, depth > 8 ? (void *)out16 : (void *)out8, depth > 8 ? (void *)in16 : (void *)in8, opaque,
					  opaque, 12345, bg, 2);
				/* exact up to 14 bits; 32767/32768 of a larger difference may round away two steps of 65535 */
				int kept = depth > 8 ? out16[1] : out8[1];
				assert_in_range(kept - s + 2, depth > 14 ? 0 : 2, depth > 14 ? 4 : 2);
				composite(&reference, depth, depth > 8 ? (void *)out16 : (void *)out8, depth > 8 ? (void *)in16 : (void *)in8, clear,
					  clear, 12345, bg, 2);
				assert_int_equal(depth > 8 ? out16[1] : out8[1], bg);
			}
			static const int16_t weights[3] = {5000, 6384, 5000};
			uint16_t rows16[3] = {(uint16_t)s, (uint16_t)s, (uint16_t)s}, sample;
			uint8_t rows8[3] = {(uint8_t)s, (uint8_t)s, (uint8_t)s};
			if (depth == 8)
				reference.downscale_rows_u8(&sample, rows8, 1, weights, 3, 1);
			else
				reference.downscale_rows_u16(&sample, rows16, 2, weights, 3, 1, depth);
			double want = s * 32768.0 / (1 << depth);
			assert_true(sample >= want - 1.0 && sample <= want + 1.0 && sample <= 32767);
		}
	}
}

/* Against arithmetic in double: weights of 1/128 and one rounding leave half a step and 1/256 of the difference of neighbours each way. */
static void test_samples_in_between(void **state)
{
	(void)state;
	static const uint8_t plane8[2][3] = {{10, 250, 30}, {200, 0, 90}};
	static const uint16_t plane16[2][3] = {{10, 65535, 30}, {60000, 0, 900}};
	const struct vrs_remap_plane p8 = {plane8, 3, 3, 2}, p16 = {plane16, 6, 3, 2};
	for (int32_t v = -20000; v < 90000; v += 1111)
		for (int32_t u = -20000; u < 150000; u += 1237) {
			double x = u < 0 ? 0 : u > 131071 ? 2 : u / 65536.0, y = v < 0 ? 0 : v > 65535 ? 1 : v / 65536.0;
			int i = x >= 1 ? 1 : 0;
			uint8_t got8;
			uint16_t got16;
			reference.remap_sample_u8(&got8, &p8, &u, &v, 1);
			reference.remap_sample_u16(&got16, &p16, &u, &v, 1);
			x -= i;
			double want8 = (1 - y) * ((1 - x) * plane8[0][i] + x * plane8[0][i + 1]) + y * ((1 - x) * plane8[1][i] + x * plane8[1][i + 1]);
			double want16 = (1 - y) * ((1 - x) * plane16[0][i] + x * plane16[0][i + 1]) + y * ((1 - x) * plane16[1][i] + x * plane16[1][i + 1]);
			assert_true(got8 >= want8 - 0.5 - 2 * 250 / 256.0 && got8 <= want8 + 0.5 + 2 * 250 / 256.0);
			assert_true(got16 >= want16 - 0.5 - 2 * 65535 / 256.0 && got16 <= want16 + 0.5 + 2 * 65535 / 256.0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reference_identities),
		cmocka_unit_test(test_samples_in_between),
		cmocka_unit_test(test_against_reference),
		cmocka_unit_test(test_samples_above_depth),
		cmocka_unit_test(test_thin_planes), cmocka_unit_test(test_whole),
	};
	return cmocka_run_group_tests_name("picture", tests, picture_tables_setup, NULL);
}
