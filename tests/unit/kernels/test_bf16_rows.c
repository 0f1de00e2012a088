/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the bfloat16 convolution rows: values against double over panel widths, pixel counts, even and odd segments, epilogues; nothing read behind
 * an odd segment (guard pages, and NaN between the pixels); results that do not depend on cuts; NaN and infinity.  And the conversion of CPUs
 * with BF16: as the integer one, but for denormals.
 */
#include "kernels/row_check.h"

#include "kernels/weight_pack.h"

#define MAX_SEGS 9
#define ROUNDS 400

static float value_of(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float value;
	memcpy(&value, &wide, sizeof value);
	return value;
}

static uint16_t bits_of(float value)
{
	uint16_t bits;
	vrs_float_to_bf16__ref(&value, &bits, 1);
	return bits;
}

struct fixture {
	struct halves seg[MAX_SEGS], packed;
	struct floats weights, bias, packed_bias, out, residual;
	const uint16_t *seg_data[MAX_SEGS];
	struct vrs_conv_bf16_row row;
};

static void fixture_init(struct fixture *f, struct vrs_rng *rng, const struct vrs_kernels *kernels, int pixels, int n, int segs, int klen)
{
	int in_px = random_int(rng, 1, klen + 3), gap = random_int(rng, 0, 3), k = segs * klen;
	size_t out_count = (size_t)(pixels - 1) * (size_t)(n + gap) + (size_t)n;
	size_t packed = vrs_pack_size(n, segs * 2 * VRS_BF16_PAIRS(klen), kernels->lanes);
	memset(f, 0, sizeof *f);
	for (int s = 0; s < segs; s++) {
		f->seg[s] = halves_new((size_t)(pixels - 1) * (size_t)in_px + (size_t)klen);
		f->seg_data[s] = f->seg[s].data;
		for (size_t i = 0; i < f->seg[s].count; i++) /* NaN where no window reads */
			f->seg[s].data[i] = (int)(i % (size_t)in_px) >= klen ? 0x7fc0 : bits_of(random_float(rng));
	}
	f->weights = floats_random(rng, (size_t)n * (size_t)k);
	for (size_t i = 0; i < f->weights.count; i++)
		f->weights.data[i] = value_of(bits_of(f->weights.data[i]));
	f->bias = floats_random(rng, (size_t)n);
	f->packed_bias = floats_new(vrs_pack_size(n, 1, kernels->lanes));
	vrs_pack_bias(f->packed_bias.data, f->bias.data, n, kernels->lanes);
	struct floats floats = floats_new(packed);
	vrs_pack_conv_bf16(floats.data, f->weights.data, n, segs, klen, kernels->lanes);
	f->packed = halves_new(packed);
	kernels->float_to_bf16(floats.data, f->packed.data, packed);
	floats_free(&floats);
	f->residual = floats_random(rng, out_count);
	f->out = floats_new(out_count);
	f->row = (struct vrs_conv_bf16_row){
		.seg = f->seg_data, .segs = segs, .klen = klen, .in_px = in_px, .pixels = pixels, .n = n, .weights = f->packed.data,
		.bias = f->packed_bias.data, .out = f->out.data, .out_px = n + gap, .epilogue = random_epilogue(rng, f->residual.data, n + gap),
	};
}

static void fixture_fini(struct fixture *f)
{
	for (int s = 0; s < f->row.segs; s++)
		halves_free(&f->seg[s]);
	halves_free(&f->packed);
	floats_free(&f->weights);
	floats_free(&f->bias);
	floats_free(&f->packed_bias);
	floats_free(&f->residual);
	floats_free(&f->out);
}

static double expect_conv(const struct row_case *c, int pixel, int channel, double *ret_tolerance)
{
	const struct fixture *f = c->fixture;
	const struct vrs_conv_bf16_row *row = &f->row;
	int k = row->segs * row->klen;
	double sum = (double)f->bias.data[channel], magnitude = fabs(sum);
	for (int i = 0; i < k; i++) {
		double product = (double)value_of(row->seg[i / row->klen][pixel * row->in_px + i % row->klen]) * (double)f->weights.data[channel * k + i];
		sum += product;
		magnitude += fabs(product);
	}
	*ret_tolerance = sum_tolerance(k, magnitude);
	return sum;
}

static void run_conv(const struct row_case *c, int first, int pixels, float *out)
{
	const struct fixture *f = c->fixture;
	struct vrs_conv_bf16_row row = f->row;
	const uint16_t *moved[MAX_SEGS];
	for (int s = 0; s < row.segs; s++)
		moved[s] = row.seg[s] + first * row.in_px;
	row.seg = moved;
	row.out = out;
	row.pixels = pixels;
	row.epilogue = epilogue_from(&f->row.epilogue, first);
	c->kernels->conv_bf16(&row);
}

/* The kernels of this CPU; skips where it has no BF16. */
static struct vrs_kernels bf16_kernels(void)
{
	struct vrs_kernels kernels;
	vrs_kernels_init(&kernels, vrs_cpu_features());
	if (!kernels.conv_bf16) {
		puts("this CPU cannot run avx512bf16 kernels");
		skip();
	}
	return kernels;
}

static void test_conv(void **state)
{
	(void)state;
	struct vrs_kernels kernels = bf16_kernels();
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_rng rng;
		struct fixture f;
		vrs_rng_init(&rng, seed);
		int segs = seed % 3 ? 1 : random_int(&rng, 1, MAX_SEGS), klen = segs > 1 ? random_int(&rng, 1, 24) : random_int(&rng, 1, 140);
		fixture_init(&f, &rng, &kernels, random_int(&rng, 1, 33), 1 + (int)(seed % 70), segs, klen);
		struct floats out = check_row(&(struct row_case){
			.kernels = &kernels, .what = "conv bf16", .seed = seed, .fixture = &f, .pixels = f.row.pixels, .channels = f.row.n,
			.out_px = f.row.out_px, .epilogue = &f.row.epilogue, .run = run_conv, .expect = expect_conv,
		}, &rng);
		floats_free(&out);
		fixture_fini(&f);
	}
}

/* Infinity and NaN in one pixel stay in that pixel. */
static void test_special(void **state)
{
	(void)state;
	struct vrs_kernels kernels = bf16_kernels();
	struct vrs_rng rng;
	struct fixture f;
	vrs_rng_init(&rng, 3);
	fixture_init(&f, &rng, &kernels, 20, 37, 1, 5);
	f.row.in_px = 5;
	f.row.pixels = (int)((f.seg[0].count - 5) / 5) + 1;
	for (size_t i = 0; i < f.seg[0].count; i++)
		f.seg[0].data[i] = bits_of(1.0f);
	f.row.pixels = f.row.pixels < 3 ? f.row.pixels : 3;
	f.row.epilogue = (struct vrs_epilogue){.act = VRS_KACT_NONE};
	f.seg[0].data[0] = 0x7fc0; /* NaN */
	kernels.conv_bf16(&f.row);
	for (int p = 0; p < f.row.pixels; p++)
		for (int n = 0; n < f.row.n; n++)
			assert_true(isnan(f.out.data[p * f.row.out_px + n]) == (p == 0));
	f.seg[0].data[0] = 0x7f80; /* infinity */
	kernels.conv_bf16(&f.row);
	for (int n = 0; n < f.row.n; n++)
		assert_true(isinf(f.out.data[n]));
	fixture_fini(&f);
}

static void test_conversion(void **state)
{
	(void)state;
	struct vrs_kernels kernels = bf16_kernels();
	struct vrs_rng rng;
	vrs_rng_init(&rng, 4);
	for (size_t count = 0; count < 5000; count += count < 40 ? 1 : 977) {
		struct floats in = floats_new(count);
		struct halves out = halves_new(count);
		for (size_t i = 0; i < count; i++) {
			uint32_t bits = (uint32_t)vrs_rng_below(&rng, (uint64_t)1 << 32);
			memcpy(&in.data[i], &bits, sizeof bits);
		}
		kernels.float_to_bf16(in.data, out.data, count);
		for (size_t i = 0; i < count; i++) {
			uint16_t want = bits_of(in.data[i]);
			bool denormal = (want & 0x7f80u) == 0;
			assert_true(out.data[i] == want || (denormal && out.data[i] == (want & 0x8000u)));
		}
		floats_free(&in);
		halves_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_conv), cmocka_unit_test(test_special), cmocka_unit_test(test_conversion)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
