/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the depthwise rows: 3x3 and 5x5 with strides 1 and 2 and other windows against double, every channel count up to 70, odd widths,
 * epilogues, bounds, and bit-identical results for any cut of a row.
 */
#include "kernels/row_check.h"

#include "kernels/weight_pack.h"

#define MAX_K 7
#define ROUNDS 700

struct fixture {
	struct floats rows[MAX_K], weights, bias, packed, residual;
	const float *row_data[MAX_K];
	struct vrs_dwconv_row row;
};

static void fixture_init(struct fixture *f, struct vrs_rng *rng, const struct vrs_kernels *kernels, int kh, int kw, int stride, int dilation,
			 int channels)
{
	int pixels = random_int(rng, 1, 27), width = (pixels - 1) * stride + (kw - 1) * dilation + 1;
	memset(f, 0, sizeof *f);
	for (int r = 0; r < kh; r++) {
		f->rows[r] = floats_random(rng, (size_t)width * (size_t)channels);
		f->row_data[r] = f->rows[r].data;
	}
	f->weights = floats_random(rng, (size_t)(kh * kw * channels));
	f->bias = floats_random(rng, (size_t)channels);
	f->packed = floats_new(vrs_pack_size(channels, 1 + kh * kw, kernels->lanes));
	f->residual = floats_random(rng, (size_t)pixels * (size_t)channels);
	vrs_pack_dwconv(f->packed.data, f->weights.data, f->bias.data, channels, kh * kw, kernels->lanes);
	f->row = (struct vrs_dwconv_row){
		.rows = f->row_data, .kh = kh, .kw = kw, .step = stride * channels, .tap = dilation * channels, .pixels = pixels, .channels = channels,
		.weights = f->packed.data, .out_px = channels, .epilogue = random_epilogue(rng, f->residual.data, channels),
	};
}

static void fixture_fini(struct fixture *f)
{
	for (int r = 0; r < f->row.kh; r++)
		floats_free(&f->rows[r]);
	floats_free(&f->weights);
	floats_free(&f->bias);
	floats_free(&f->packed);
	floats_free(&f->residual);
}

static double expect_dwconv(const struct row_case *c, int pixel, int channel, double *ret_tolerance)
{
	const struct fixture *f = c->fixture;
	const struct vrs_dwconv_row *row = &f->row;
	double sum = (double)f->bias.data[channel], magnitude = fabs(sum);
	for (int t = 0; t < row->kh * row->kw; t++) {
		double product = (double)row->rows[t / row->kw][pixel * row->step + t % row->kw * row->tap + channel] *
				 (double)f->weights.data[t * row->channels + channel];
		sum += product;
		magnitude += fabs(product);
	}
	*ret_tolerance = sum_tolerance(row->kh * row->kw, magnitude);
	return sum;
}

static void run_dwconv(const struct row_case *c, int first, int pixels, float *out)
{
	const struct fixture *f = c->fixture;
	struct vrs_dwconv_row row = f->row;
	const float *moved[MAX_K];
	for (int r = 0; r < row.kh; r++)
		moved[r] = row.rows[r] + first * row.step;
	row.rows = moved;
	row.out = out;
	row.pixels = pixels;
	row.epilogue = epilogue_from(&f->row.epilogue, first);
	c->kernels->dwconv(&row);
}

static void check_dwconv(const struct vrs_kernels *kernels)
{
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_rng rng;
		struct fixture f;
		vrs_rng_init(&rng, seed);
		int k = seed % 2 ? 3 : 5, kw = k, stride = random_int(&rng, 1, 2), dilation = 1;
		if (seed % 5 == 0) {
			k = random_int(&rng, 1, MAX_K);
			kw = random_int(&rng, 1, MAX_K);
			stride = random_int(&rng, 1, 3);
			dilation = random_int(&rng, 1, 3);
		}
		fixture_init(&f, &rng, kernels, k, kw, stride, dilation, 1 + (int)(seed % 70));
		struct floats out = check_row(&(struct row_case){
			.kernels = kernels, .what = "dwconv", .seed = seed, .fixture = &f, .pixels = f.row.pixels, .channels = f.row.channels,
			.out_px = f.row.out_px, .epilogue = &f.row.epilogue, .run = run_dwconv, .expect = expect_dwconv,
		}, &rng);
		floats_free(&out);
		fixture_fini(&f);
	}
}

ISA_TESTS(check_dwconv)

int main(void)
{
	const struct CMUnitTest tests[] = {ISA_ENTRIES(check_dwconv)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
