/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the u8 convolution rows, dense and depthwise: every instruction set gives the same bytes as a naive sum with the epilogue's definition,
 * for odd sizes, strides, dilations, largest weights and inputs, u8 and float results, within guard pages; and weights keep the rule for pairs.
 */
#include "kernels/u8_check.h"

#include <stdlib.h>

#include "kernels/epilogue_u8.h"
#include "kernels/weight_pack.h"

#define ROUNDS 600
#define MAX_K 9

static void check_bytes(const uint8_t *want, const uint8_t *got, size_t count, const char *isa, uint64_t seed)
{
	for (size_t i = 0; i < count; i++) {
		if (want[i] != got[i]) {
			print_error("%s, seed %llu: byte %zu is %u, want %u\n", isa, (unsigned long long)seed, i, got[i], want[i]);
			fail();
		}
	}
}

static void expect_conv(const struct vrs_conv_row_u8 *row, const int8_t *w, uint8_t *want, float *want_float)
{
	int k = row->segs * row->klen;
	for (ptrdiff_t p = 0; p < row->pixels; p++) {
		for (int n = 0; n < row->n; n++) {
			int32_t sum = 0;
			for (int i = 0; i < k; i++)
				sum += row->seg[i / row->klen][p * row->in_px + i % row->klen] * w[n * k + i];
			float v = vrs_epilogue_scalar_u8(&row->epilogue, fmaf((float)sum, row->mult[n], row->bias[n]), p, n, NULL);
			want[p * row->out_px + n] = vrs_saturate_u8(v);
			want_float[p * row->out_px + n] = v;
		}
	}
}

static void check_conv_seed(const struct vrs_kernels_u8 *kernels, uint64_t seed)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, seed);
	int segs = random_int(&rng, 1, 3), klen = 4 * random_int(&rng, 1, 12), n = seed % 5 ? 4 * random_int(&rng, 1, 20) : random_int(&rng, 1, 80);
	int pixels = random_int(&rng, 1, 40), px = 4 * random_int(&rng, 1, 5), k = segs * klen;
	bool floats = seed % 5 == 0; /* only these may have any number of channels */
	size_t in_bytes = (size_t)((pixels - 1) * px + klen), out_count = (size_t)(pixels * n);
	struct floats in[3], mult, bias, residual = u8_random(&rng, (size_t)(pixels * VRS_U8_CHANNELS(n))),
		out = floats ? floats_new(out_count) : u8_new(out_count);
	const uint8_t *seg[3];
	for (int s = 0; s < segs; s++) {
		in[s] = u8_random(&rng, in_bytes);
		seg[s] = u8_of(&in[s]);
	}
	int8_t *w = calloc((size_t)(n * k), 1);
	struct floats packed = u8_new(vrs_pack_size(n, k, kernels->lanes));
	uint8_t *want = calloc(out_count, 1);
	float *want_float = calloc(out_count, sizeof *want_float);
	for (int i = 0; i < n; i++)
		random_weights(&rng, w + i * k, (size_t)k);
	vrs_pack_conv_u8((int8_t *)u8_of(&packed), w, n, k, (size_t)k, kernels->lanes);
	random_factors(&rng, &mult, &bias, (n + kernels->lanes - 1) / kernels->lanes * kernels->lanes, 3000.0 * k);
	struct vrs_conv_row_u8 row = {
		.seg = seg, .segs = segs, .klen = klen, .in_px = px, .pixels = pixels, .n = n, .weights = (int8_t *)u8_of(&packed), .mult = mult.data,
		.bias = bias.data, .out = u8_of(&out), .out_float = floats ? out.data : NULL, .out_px = n,
		.epilogue = random_epilogue_u8(&rng, u8_of(&residual), VRS_U8_CHANNELS(n)),
	};
	kernels->conv(&row);
	expect_conv(&row, w, want, want_float);
	if (floats)
		assert_memory_equal(want_float, out.data, out_count * sizeof *want_float);
	else
		check_bytes(want, u8_of(&out), out_count, kernels->isa, seed);
	for (int s = 0; s < segs; s++)
		floats_free(&in[s]);
	floats_free(&packed);
	floats_free(&mult);
	floats_free(&bias);
	floats_free(&residual);
	floats_free(&out);
	free(w);
	free(want);
	free(want_float);
}

static void check_conv(const struct vrs_kernels_u8 *kernels)
{
	for (uint64_t seed = 0; seed < ROUNDS; seed++)
		check_conv_seed(kernels, seed);
}

/* Weights of a window by tap; neighbours in a column of the window keep the rule. */
static void window_weights(struct vrs_rng *rng, int8_t *w, int channels, int kh, int kw)
{
	int8_t column[MAX_K];
	for (int c = 0; c < channels; c++) {
		for (int kx = 0; kx < kw; kx++) {
			random_weights(rng, column, (size_t)kh);
			for (int ky = 0; ky < kh; ky++)
				w[(ky * kw + kx) * channels + c] = column[ky];
		}
	}
}

static void expect_dwconv(const struct vrs_dwconv_row_u8 *row, const int8_t *w, uint8_t *want)
{
	for (ptrdiff_t p = 0; p < row->pixels; p++) {
		for (int c = 0; c < row->channels; c++) {
			int32_t sum = 0;
			for (int t = 0; t < row->kh * row->kw; t++)
				sum += row->rows[t / row->kw][p * row->step + t % row->kw * row->tap + c] * w[t * row->channels + c];
			float v = fmaf((float)sum, row->mult[c], row->bias[c]);
			want[p * row->out_px + c] = vrs_saturate_u8(vrs_epilogue_scalar_u8(&row->epilogue, v, p, c, NULL));
		}
	}
}

static void check_dwconv_seed(const struct vrs_kernels_u8 *kernels, uint64_t seed)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, seed);
	int kh = 3 + 2 * (int)(seed % 3), kw = kh, stride = random_int(&rng, 1, 2), dilation = 1, pixels = random_int(&rng, 1, 27);
	if (seed % 5 == 0) {
		kh = random_int(&rng, 1, MAX_K);
		kw = random_int(&rng, 1, MAX_K);
		stride = random_int(&rng, 1, 3);
		dilation = random_int(&rng, 1, 3);
	}
	int channels = 4 * (1 + (int)(seed % 20)), width = (pixels - 1) * stride + (kw - 1) * dilation + 1, block = (channels + 15) / 16 * 16;
	size_t count = (size_t)(pixels * channels);
	struct floats in[MAX_K], mult, bias, residual = u8_random(&rng, count), out = u8_new(count);
	const uint8_t *rows[MAX_K];
	for (int r = 0; r < kh; r++) {
		in[r] = u8_random(&rng, (size_t)(width * channels));
		rows[r] = u8_of(&in[r]);
	}
	int8_t *w = calloc((size_t)(kh * kw * channels), 1);
	uint8_t *want = calloc(count, 1);
	struct floats packed = u8_new(vrs_pack_dwconv_u8_size(channels, kh, kw, kernels->lanes));
	window_weights(&rng, w, channels, kh, kw);
	vrs_pack_dwconv_u8((int8_t *)u8_of(&packed), w, channels, kh, kw, kernels->lanes);
	random_factors(&rng, &mult, &bias, block, 3000.0 * kh * kw);
	struct vrs_dwconv_row_u8 row = {
		.rows = rows, .kh = kh, .kw = kw, .step = stride * channels, .tap = dilation * channels, .pixels = pixels, .channels = channels,
		.weights = (int8_t *)u8_of(&packed), .mult = mult.data, .bias = bias.data, .out = u8_of(&out), .out_px = channels,
		.epilogue = random_epilogue_u8(&rng, u8_of(&residual), channels),
	};
	kernels->dwconv(&row);
	expect_dwconv(&row, w, want);
	check_bytes(want, u8_of(&out), count, kernels->isa, seed);
	for (int r = 0; r < kh; r++)
		floats_free(&in[r]);
	floats_free(&packed);
	floats_free(&mult);
	floats_free(&bias);
	floats_free(&residual);
	floats_free(&out);
	free(w);
	free(want);
}

static void check_dwconv(const struct vrs_kernels_u8 *kernels)
{
	for (uint64_t seed = 0; seed < ROUNDS; seed++)
		check_dwconv_seed(kernels, seed);
}

/* Every quantised pair keeps the rule, and stays within a step of the real weight unless the rule took from it. */
static void test_weight_rule(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 5);
	for (int round = 0; round < 2000; round++) {
		float w[9];
		int8_t q[9];
		int count = random_int(&rng, 1, 9), sum = 0;
		for (int i = 0; i < count; i++)
			w[i] = (float)((vrs_rng_unit(&rng) - 0.5) * pow(10, vrs_rng_unit(&rng) * 8 - 4));
		float share = round % 2 ? 1.0f : 0.5f, scale = vrs_weight_scale(w, (size_t)count, 1, share);
		int32_t total = vrs_quantize_weights(q, w, (size_t)count, 1, scale);
		for (int i = 0; i < count; i++) {
			sum += q[i];
			assert_in_range(q[i] + 127, 0, 254);
			if (i % 2)
				assert_in_range(q[i] + q[i - 1] + 128, 0, 256);
			if (share == 1.0f)
				assert_true(fabsf((float)q[i] * scale - w[i]) <= 1.01f * scale);
		}
		assert_int_equal(sum, total);
	}
}

/* Weights scaled and quantised at run time are those of the plain way, to a step, and keep the rule. */
static void test_scaled_weights(void **state)
{
	enum { K = 12, N = 11, STRIDE = 16, LANES = 8 };
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 6);
	for (int round = 0; round < 200; round++) {
		float w[K * STRIDE] = {0}, factor[K], scales[STRIDE], scratch[2 * STRIDE];
		int32_t sums[STRIDE];
		int8_t packed[K * STRIDE], *q = packed;
		for (int i = 0; i < K; i++) {
			factor[i] = (float)vrs_rng_unit(&rng);
			for (int n = 0; n < N; n++)
				w[i * STRIDE + n] = random_float(&rng);
		}
		vrs_scale_conv_u8(packed, scales, sums, w, STRIDE, factor, K, K, N, LANES, scratch);
		for (int k = 0; k < K; k += 4) {
			for (int n = 0; n < STRIDE; n++, q += 4) {
				for (int t = 0; t < 4; t++) {
					assert_true(fabsf((float)q[t] * scales[n] - w[(k + t) * STRIDE + n] * factor[k + t]) <= 0.51f * scales[n]);
					sums[n] -= q[t];
				}
				assert_in_range(q[0] + q[1] + 128, 0, 256);
				assert_in_range(q[2] + q[3] + 128, 0, 256);
			}
		}
		for (int n = 0; n < STRIDE; n++)
			assert_int_equal(sums[n], 0);
	}
}

U8_TESTS(check_conv)
U8_TESTS(check_dwconv)

int main(void)
{
	const struct CMUnitTest tests[] = {
		U8_ENTRIES(check_conv), U8_ENTRIES(check_dwconv), cmocka_unit_test(test_weight_rule), cmocka_unit_test(test_scaled_weights),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
