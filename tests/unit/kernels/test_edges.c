/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the kernels of mattes (guided filter, colours of soft edges, larger and softer edges, smoothing over time): every instruction set of this
 * machine gives the bytes of the reference for random and extreme data and odd sizes and touches nothing outside its buffers; the reference does what
 * its description says.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "kernels/guarded.h"
#include "kernels/picture_tables.h"

#define ROUNDS 200
#define MAX_BUFFERS 16

/* The buffers of one check; results come in pairs, the reference's and the candidate's. */
struct bench {
	struct vrs_rng *rng;
	int n;
	struct guarded buffers[MAX_BUFFERS];
	int count;
};

static struct bench bench_new(struct vrs_rng *rng)
{
	return (struct bench){.rng = rng, .n = 1 + (int)vrs_rng_below(rng, vrs_rng_next(rng) & 1 ? 40 : 700)};
}

/* elements of size bytes, mostly random up to max, sometimes all the least or the most */
static void *filled(struct bench *b, int elements, int bytes, uint64_t max)
{
	struct guarded *g = &b->buffers[b->count++];
	assert_true(b->count <= MAX_BUFFERS);
	*g = guarded_new((size_t)elements * (size_t)bytes);
	int kind = (int)vrs_rng_below(b->rng, 4);
	for (int i = 0; i < elements; i++) {
		uint64_t value = kind == 0 ? 0 : kind == 1 ? max : vrs_rng_below(b->rng, max + 1);
		if (bytes == 1)
			g->data[i] = (uint8_t)value;
		else if (bytes == 2)
			((uint16_t *)(void *)g->data)[i] = (uint16_t)value;
		else
			((uint32_t *)(void *)g->data)[i] = (uint32_t)value;
	}
	return g->data;
}

static float *floats(struct bench *b, int elements, double max)
{
	float *values = filled(b, elements, 4, 0);
	for (int i = 0; i < elements; i++)
		values[i] = (float)(vrs_rng_unit(b->rng) * max);
	return values;
}

/* A second buffer with what the first one holds. */
static void *twin(struct bench *b, const void *of, int elements, int bytes)
{
	void *copy = filled(b, elements, bytes, 0);
	return memcpy(copy, of, (size_t)elements * (size_t)bytes);
}

static void bench_free(struct bench *b)
{
	for (int i = 0; i < b->count; i++)
		guarded_free(&b->buffers[i]);
}

static void check_guide(const struct vrs_picture_kernels *k, struct vrs_rng *rng)
{
	struct bench b = bench_new(rng);
	int n = b.n;
	const uint8_t *in = filled(&b, n, 1, 255), *out = filled(&b, n, 1, 255);
	const uint16_t *alpha_in = filled(&b, n, 2, 4095), *alpha_out = filled(&b, n, 2, 4095);
	uint32_t *want[4], *got[4];
	for (int i = 0; i < 4; i++) {
		want[i] = filled(&b, n, 4, 1000000000);
		got[i] = twin(&b, want[i], n, 4);
	}
	reference.guide_columns(want, in, alpha_in, out, alpha_out, n);
	k->guide_columns(got, in, alpha_in, out, alpha_out, n);
	for (int i = 0; i < 4; i++)
		assert_memory_equal(want[i], got[i], (size_t)n * 4);
	bench_free(&b);
}

static void check_coefficients(const struct vrs_picture_kernels *k, struct vrs_rng *rng)
{
	struct bench b = bench_new(rng);
	int n = b.n;
	const uint64_t most[4] = {255 * 1089, 4095 * 1089, 65025 * 1089, 1044225 * 1089};
	const uint32_t *box[4];
	for (int i = 0; i < 4; i++)
		box[i] = filled(&b, n, 4, most[i]);
	float *inverse = floats(&b, n, 1.0 / 4), eps = (float)(0.00001 + vrs_rng_unit(rng) * 0.01);
	int32_t *want[2], *got[2];
	for (int i = 0; i < 2; i++) {
		want[i] = filled(&b, n, 4, 0);
		got[i] = filled(&b, n, 4, 0);
	}
	/* sums that belong together: no window has a mean beyond 1 */
	for (int x = 0; x < n; x++)
		inverse[x] = 1.0f / 1089;
	reference.guide_coefficients(want[0], want[1], box, inverse, eps, n);
	k->guide_coefficients(got[0], got[1], box, inverse, eps, n);
	for (int i = 0; i < 2; i++)
		assert_memory_equal(want[i], got[i], (size_t)n * 4);
	float *alpha = floats(&b, n, 1), *other = twin(&b, alpha, n, 4);
	const uint8_t *guide = filled(&b, n, 1, 255);
	reference.guide_apply(alpha, guide, want[0], want[1], inverse, 0.5f, n);
	k->guide_apply(other, guide, want[0], want[1], inverse, 0.5f, n);
	assert_memory_equal(alpha, other, (size_t)n * 4);
	for (int x = 0; x < n; x++)
		assert_true(alpha[x] >= 0 && alpha[x] <= 1);
	bench_free(&b);
}

static void check_sharpen(const struct vrs_picture_kernels *k, struct vrs_rng *rng)
{
	struct bench b = bench_new(rng);
	int n = b.n, weight = (int)vrs_rng_below(rng, 32768), limit = (int)vrs_rng_below(rng, 32769), depth = 9 + (int)vrs_rng_below(rng, 8);
	const uint8_t *luma = filled(&b, n, 1, 255);
	const uint16_t *wide = filled(&b, n, 2, vrs_rng_next(rng) & 7 ? (1u << depth) - 1 : 65535), *maps[6];
	for (int i = 0; i < 6; i++)
		maps[i] = filled(&b, n, 2, 32767);
	uint16_t *want = filled(&b, n, 2, 9), *got = filled(&b, n, 2, 9);
	reference.sharpen_row_u8(want, luma, maps, maps + 2, maps + 4, weight, limit, n);
	k->sharpen_row_u8(got, luma, maps, maps + 2, maps + 4, weight, limit, n);
	assert_memory_equal(want, got, (size_t)n * 2);
	double mixed[3], unit = 1 << VRS_SHARPEN_BITS;
	for (int i = 0; i < 3; i++)
		mixed[i] = maps[2 * i][0] + (maps[2 * i + 1][0] - maps[2 * i][0]) * weight / 32768.0;
	double alpha = mixed[0] / 32767, value = (mixed[1] - VRS_SHARPEN_ZERO) / unit * luma[0] / 255 + (mixed[2] - VRS_SHARPEN_ZERO) / unit;
	double reach = limit / 32768.0 * 4 * alpha * (1 - alpha), low = fmax(0, alpha - reach), high = fmin(1, alpha + reach);
	value = fmin(fmax(value, low), high);
	assert_true(fabs(want[0] / 32767.0 - value) < 0.004); /* two maps rounded to 1/512 of the steepest slope's luma */
	reference.sharpen_row_u16(want, wide, maps, maps + 2, maps + 4, weight, limit, depth, n);
	k->sharpen_row_u16(got, wide, maps, maps + 2, maps + 4, weight, limit, depth, n);
	assert_memory_equal(want, got, (size_t)n * 2);
	/* no reach: the matte, as blending takes it */
	k->sharpen_row_u16(got, wide, maps, maps + 2, maps + 4, weight, 0, depth, n);
	for (int x = 0; x < n; x++)
		assert_int_equal(got[x], maps[0][x] + ((((int)maps[1][x] - maps[0][x]) * weight + (1 << 14)) >> 15));
	bench_free(&b);
}

static void check_own_color(const struct vrs_picture_kernels *k, struct vrs_rng *rng)
{
	struct bench b = bench_new(rng);
	int n = b.n, weights[2] = {(int)vrs_rng_below(rng, 32768), (int)vrs_rng_below(rng, 32768)}, depth = 9 + (int)vrs_rng_below(rng, 8);
	const uint16_t *maps[6];
	for (int i = 0; i < 6; i++)
		maps[i] = filled(&b, n, 2, 32767);
	uint8_t *want = filled(&b, n, 1, 255), *got = twin(&b, want, n, 1), first = want[0];
	reference.own_color_u8(want, maps, maps + 2, maps + 4, weights[0], weights[1], n);
	k->own_color_u8(got, maps, maps + 2, maps + 4, weights[0], weights[1], n);
	assert_memory_equal(want, got, (size_t)n);
	double mixed[3];
	for (int i = 0; i < 3; i++)
		mixed[i] = maps[2 * i][0] + (maps[2 * i + 1][0] - maps[2 * i][0]) * weights[i > 0] / 32768.0;
	double a = mixed[0] / 32768, sample = first * 128.0, value = mixed[1] + a * (sample - a * mixed[1] - (1 - a) * mixed[2]);
	if (maps[0][0] == maps[1][0] && (maps[0][0] == 0 || maps[0][0] == 32767))
		assert_int_equal(want[0], first);
	else
		assert_true(fabs(want[0] - fmin(fmax(value, 0), 32767) / 128) <= 1);
	/* samples above the depth, which no decoder makes, are no reason for a result above it */
	uint16_t *wide = filled(&b, n, 2, vrs_rng_next(rng) & 7 ? (1u << depth) - 1 : 65535), *other = twin(&b, wide, n, 2);
	reference.own_color_u16(wide, maps, maps + 2, maps + 4, weights[0], weights[1], depth, n);
	k->own_color_u16(other, maps, maps + 2, maps + 4, weights[0], weights[1], depth, n);
	assert_memory_equal(wide, other, (size_t)n * 2);
	bench_free(&b);
}

static void check_box(const struct vrs_picture_kernels *k, struct vrs_rng *rng)
{
	struct bench b = bench_new(rng);
	int n = b.n, radius = (int)vrs_rng_below(rng, 17);
	const uint32_t *src = filled(&b, n + 2 * radius, 4, UINT32_MAX), *in = filled(&b, n, 4, UINT32_MAX), *out = filled(&b, n, 4, UINT32_MAX);
	uint32_t *want = filled(&b, n, 4, 9), *got = filled(&b, n, 4, 9);
	reference.box_row(want, src + radius, radius, n);
	k->box_row(got, src + radius, radius, n);
	assert_memory_equal(want, got, (size_t)n * 4);
	uint32_t sum = 0; /* the last one by hand */
	for (int t = 0; t <= 2 * radius; t++)
		sum += src[n - 1 + t];
	assert_int_equal(want[n - 1], sum);
	reference.box_columns(want, in, out, n);
	k->box_columns(got, in, out, n);
	assert_memory_equal(want, got, (size_t)n * 4);
	assert_int_equal(want[n - 1], sum + in[n - 1] - out[n - 1]);
	bench_free(&b);
}

static void check_max(const struct vrs_picture_kernels *k, struct vrs_rng *rng)
{
	struct bench b = bench_new(rng);
	int n = b.n, radius = (int)vrs_rng_below(rng, 20), count = 1 + (int)vrs_rng_below(rng, 4), most = 0;
	const uint8_t *src = filled(&b, n + 2 * radius, 1, 255), *rows[4];
	uint8_t *want = filled(&b, n, 1, 9), *got = filled(&b, n, 1, 9);
	for (int i = 0; i < 4; i++)
		rows[i] = filled(&b, n, 1, 255);
	reference.max_row(want, src + radius, radius, n);
	k->max_row(got, src + radius, radius, n);
	assert_memory_equal(want, got, (size_t)n);
	for (int t = 0; t <= 2 * radius; t++)
		most = src[t] > most ? src[t] : most;
	assert_int_equal(want[0], most);
	reference.max_rows(want, rows, count, n);
	k->max_rows(got, rows, count, n);
	assert_memory_equal(want, got, (size_t)n);
	bench_free(&b);
}

static void check_fir(const struct vrs_picture_kernels *k, struct vrs_rng *rng)
{
	struct bench b = bench_new(rng);
	int n = b.n, taps = 1 + (int)vrs_rng_below(rng, 7), left = VRS_WEIGHT_ONE;
	int16_t weights[7];
	for (int t = 0; t < taps; t++) {
		weights[t] = (int16_t)(t + 1 == taps ? left : (int)vrs_rng_below(rng, (uint64_t)left + 1));
		left -= weights[t];
	}
	const uint8_t *src = filled(&b, n + taps - 1, 1, 255), *rows[7];
	uint8_t *want = filled(&b, n, 1, 9), *got = filled(&b, n, 1, 9);
	for (int t = 0; t < 7; t++)
		rows[t] = filled(&b, n, 1, 255);
	reference.fir_row(want, src, weights, taps, n);
	k->fir_row(got, src, weights, taps, n);
	assert_memory_equal(want, got, (size_t)n);
	double sum = 0;
	for (int t = 0; t < taps; t++)
		sum += src[n - 1 + t] * weights[t] / (double)VRS_WEIGHT_ONE;
	assert_true(fabs(want[n - 1] - sum) <= 0.5 + 1e-9);
	reference.fir_rows(want, rows, weights, taps, n);
	k->fir_rows(got, rows, weights, taps, n);
	assert_memory_equal(want, got, (size_t)n);
	bench_free(&b);
}

static void check_gate(const struct vrs_picture_kernels *k, struct vrs_rng *rng)
{
	struct bench b = bench_new(rng);
	int n = b.n;
	const float *alpha = floats(&b, n, 1);
	float *state = floats(&b, n, 1), *state2 = twin(&b, state, n, 4), *sum = floats(&b, n, 3), *sum2 = twin(&b, sum, n, 4);
	float *weights = floats(&b, n, 3), *weights2 = twin(&b, weights, n, 4), first = state[0];
	const uint8_t *luma = filled(&b, n, 1, 255), *past = filled(&b, n, 1, 255);
	float keep = (float)vrs_rng_unit(rng), inverse = vrs_rng_next(rng) & 3 ? (float)vrs_rng_unit(rng) : 0;
	reference.gated_mean(state, alpha, luma, past, keep, inverse, n);
	k->gated_mean(state2, alpha, luma, past, keep, inverse, n);
	assert_memory_equal(state, state2, (size_t)n * 4);
	double change = luma[0] - past[0], gate = fmax(0, 1 - change * change * inverse);
	assert_true(fabs(state[0] - (first + (1 - keep * gate) * (alpha[0] - first))) < 1e-5);
	reference.gated_sum(sum, weights, alpha, luma, past, keep, inverse, n);
	k->gated_sum(sum2, weights2, alpha, luma, past, keep, inverse, n);
	assert_memory_equal(sum, sum2, (size_t)n * 4);
	assert_memory_equal(weights, weights2, (size_t)n * 4);
	bench_free(&b);
}

static void check_all(const struct vrs_picture_kernels *k, uint64_t seed)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, seed);
	for (int round = 0; round < ROUNDS; round++) {
		check_guide(k, &rng);
		check_coefficients(k, &rng);
		check_sharpen(k, &rng);
		check_own_color(k, &rng);
		check_box(k, &rng);
		check_max(k, &rng);
		check_fir(k, &rng);
		check_gate(k, &rng);
	}
}

static void test_against_reference(void **state)
{
	(void)state;
	const char *seed_text = getenv("VRS_TEST_SEED");
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) : 5531;
	for (int i = 0; i < candidate_count; i++) {
		print_message("%s against reference, seed %llu\n", candidates[i].isa, (unsigned long long)seed);
		check_all(&candidates[i], seed);
	}
}

/* Against itself it still shows accesses outside buffers and wrong sums. */
static void test_reference(void **state)
{
	(void)state;
	check_all(&reference, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reference),
		cmocka_unit_test(test_against_reference),
	};
	return cmocka_run_group_tests_name("edges", tests, picture_tables_setup, NULL);
}
