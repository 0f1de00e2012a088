/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the picture kernels: every instruction set of this machine gives the bytes of the reference for random and extreme data, odd sizes and
 * all depths, and touches nothing outside its buffers (each buffer ends at an unreadable page and its neighbours are checked).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "kernels/picture.h"
#include "machine/cpu_features.h"

#define MAX_ISA 2
#define ROUNDS 300

static struct vrs_picture_kernels reference, candidates[MAX_ISA];
static int candidate_count;

/* A buffer whose last byte is the last one before an unreadable page. */
struct guarded {
	uint8_t *map, *data;
	size_t map_bytes;
};

static struct guarded guarded_new(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page + 1;
	struct guarded g = {.map_bytes = (pages + 1) * page};
	g.map = mmap(NULL, g.map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(g.map != MAP_FAILED);
	assert_int_equal(mprotect(g.map + pages * page, page, PROT_NONE), 0);
	g.data = g.map + pages * page - bytes;
	memset(g.map, 0xa5, pages * page);
	return g;
}

/* Nothing before the data may have changed; that part is at least a page long. */
static void guarded_free(struct guarded *g)
{
	for (const uint8_t *p = g->map; p < g->data; p++)
		assert_int_equal(*p, 0xa5);
	munmap(g->map, g->map_bytes);
}

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
		}
	}
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

static int setup(void **state)
{
	(void)state;
	unsigned features = vrs_cpu_features();
	vrs_picture_kernels_init(&reference, 0);
	if (strcmp(vrs_cpu_isa(features), "ref") != 0)
		vrs_picture_kernels_init(&candidates[candidate_count++], features & ~(unsigned)VRS_CPU_AVX512);
	if (strcmp(vrs_cpu_isa(features), "avx512") == 0)
		vrs_picture_kernels_init(&candidates[candidate_count++], features);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reference_identities),
		cmocka_unit_test(test_against_reference),
	};
	return cmocka_run_group_tests_name("picture", tests, setup, NULL);
}
