/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the dense convolution rows: values against double over panel widths, pixel counts and segment shapes with all tails, epilogues, no
 * access outside the described elements, and results that do not depend on how a row is cut into calls, or its output into rows with gaps.
 */
#include "kernels/row_check.h"

#include "kernels/weight_pack.h"

#define MAX_SEGS 9
#define ROUNDS 400

struct fixture {
	struct floats seg[MAX_SEGS], weights, bias, packed, packed_bias, residual;
	const float *seg_data[MAX_SEGS];
	struct vrs_conv_row row;
	int k;
};

static void fixture_init(struct fixture *f, struct vrs_rng *rng, const struct vrs_kernels *kernels, int pixels, int n, int segs, int klen)
{
	int in_px = random_int(rng, 1, klen + 3), gap = random_int(rng, 0, 3);
	size_t out_count = (size_t)(pixels - 1) * (size_t)(n + gap) + (size_t)n;
	memset(f, 0, sizeof *f);
	f->k = segs * klen;
	for (int s = 0; s < segs; s++) {
		f->seg[s] = floats_random(rng, (size_t)(pixels - 1) * (size_t)in_px + (size_t)klen);
		f->seg_data[s] = f->seg[s].data;
	}
	f->weights = floats_random(rng, (size_t)n * (size_t)f->k);
	f->bias = floats_random(rng, (size_t)n);
	f->packed = floats_new(vrs_pack_size(n, f->k, kernels->lanes));
	f->packed_bias = floats_new(vrs_pack_size(n, 1, kernels->lanes));
	f->residual = floats_random(rng, out_count);
	vrs_pack_conv(f->packed.data, f->weights.data, n, f->k, (size_t)f->k, kernels->lanes);
	vrs_pack_bias(f->packed_bias.data, f->bias.data, n, kernels->lanes);
	f->row = (struct vrs_conv_row){
		.seg = f->seg_data, .segs = segs, .klen = klen, .in_px = in_px, .pixels = pixels, .n = n, .weights = f->packed.data,
		.bias = f->packed_bias.data, .out_px = n + gap, .epilogue = random_epilogue(rng, f->residual.data, n + gap),
	};
}

static void fixture_fini(struct fixture *f)
{
	for (int s = 0; s < f->row.segs; s++)
		floats_free(&f->seg[s]);
	floats_free(&f->weights);
	floats_free(&f->bias);
	floats_free(&f->packed);
	floats_free(&f->packed_bias);
	floats_free(&f->residual);
}

static double expect_conv(const struct row_case *c, int pixel, int channel, double *ret_tolerance)
{
	const struct fixture *f = c->fixture;
	const struct vrs_conv_row *row = &f->row;
	double sum = (double)f->bias.data[channel], magnitude = fabs(sum);
	for (int i = 0; i < f->k; i++) {
		double product = (double)row->seg[i / row->klen][pixel * row->in_px + i % row->klen] * (double)f->weights.data[channel * f->k + i];
		sum += product;
		magnitude += fabs(product);
	}
	*ret_tolerance = sum_tolerance(f->k, magnitude);
	return sum;
}

static void run_conv(const struct row_case *c, int first, int pixels, float *out)
{
	const struct fixture *f = c->fixture;
	struct vrs_conv_row row = f->row;
	const float *moved[MAX_SEGS];
	for (int s = 0; s < row.segs; s++)
		moved[s] = row.seg[s] + first * row.in_px;
	row.seg = moved;
	row.out = out;
	row.pixels = pixels;
	row.epilogue = epilogue_from(&f->row.epilogue, first);
	c->kernels->conv(&row);
}

/* The same pixels as rows with gaps between them: the same bits, and nothing in the gaps. */
static void check_wrap(const struct fixture *f, const struct floats *whole, struct vrs_rng *rng, const struct vrs_kernels *kernels)
{
	struct vrs_conv_row row = f->row;
	row.wrap = random_int(rng, 1, row.pixels);
	row.gap = random_int(rng, 1, 40);
	int turns = (row.pixels - 1) / row.wrap;
	struct floats out = floats_new(whole->count + (size_t)(turns * row.gap));
	row.out = out.data;
	kernels->conv(&row);
	const float *at = out.data, *want = whole->data;
	for (int p = 0; p < row.pixels; p++) {
		size_t count = (size_t)(p + 1 < row.pixels ? row.out_px : row.n);
		assert_memory_equal(want, at, count * sizeof(float));
		want += count;
		at += count;
		for (int i = 0; (p + 1) % row.wrap == 0 && p + 1 < row.pixels && i < row.gap; i++)
			assert_true(is_untouched(*at++));
	}
	floats_free(&out);
}

static void check_conv(const struct vrs_kernels *kernels)
{
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_rng rng;
		struct fixture f;
		vrs_rng_init(&rng, seed);
		int segs = seed % 3 ? 1 : random_int(&rng, 1, MAX_SEGS), klen = segs > 1 ? random_int(&rng, 1, 24) : random_int(&rng, 1, 140);
		if (seed % 80 == 7) {
			/* Weights of a panel beyond 1 MiB: products in parts. */
			segs = random_int(&rng, 1, MAX_SEGS);
			klen = random_int(&rng, 33000, 34000) / segs;
		}
		/* Every channel count up to 70 and every pixel count around the tile heights come up. */
		int pixels = random_int(&rng, 1, 33), n = 1 + (int)(seed % 70);
		if (seed % 8 == 3) {
			/* Several panels at once. */
			pixels = 1;
			n = random_int(&rng, 60, 330);
		}
		fixture_init(&f, &rng, kernels, pixels, n, segs, klen);
		struct floats whole = check_row(&(struct row_case){
			.kernels = kernels, .what = "conv", .seed = seed, .fixture = &f, .pixels = pixels, .channels = n, .out_px = f.row.out_px,
			.epilogue = &f.row.epilogue, .run = run_conv, .expect = expect_conv,
		}, &rng);
		check_wrap(&f, &whole, &rng, kernels);
		floats_free(&whole);
		fixture_fini(&f);
	}
}

static void check_scale(const struct vrs_kernels *kernels)
{
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct vrs_rng rng;
		vrs_rng_init(&rng, seed);
		int n = 1 + (int)seed, channels = random_int(&rng, 1, 40), k = channels * random_int(&rng, 1, 3);
		size_t count = vrs_pack_size(n, k, kernels->lanes);
		struct floats weights = floats_random(&rng, (size_t)n * (size_t)k), packed = floats_new(count), want = floats_new(count);
		struct floats scaled = floats_new(count), scale = floats_random(&rng, (size_t)channels);
		vrs_pack_conv(packed.data, weights.data, n, k, (size_t)k, kernels->lanes);
		kernels->conv_scale(scaled.data, packed.data, scale.data, channels, k, n, kernels->lanes);
		for (int i = 0; i < n * k; i++)
			weights.data[i] *= scale.data[i % k % channels];
		vrs_pack_conv(want.data, weights.data, n, k, (size_t)k, kernels->lanes);
		for (size_t i = 0; i < count; i++)
			assert_true(want.data[i] == scaled.data[i]);
		floats_free(&weights);
		floats_free(&packed);
		floats_free(&want);
		floats_free(&scaled);
		floats_free(&scale);
	}
}

ISA_TESTS(check_conv)
ISA_TESTS(check_scale)

int main(void)
{
	const struct CMUnitTest tests[] = {ISA_ENTRIES(check_conv), ISA_ENTRIES(check_scale)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
