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
	struct guarded rows[MAX_K], weights, bias, packed, out, residual;
	const float *row_data[MAX_K];
	struct vrs_dwconv_row row;
};

static void fixture_init(struct fixture *f, struct vrs_rng *rng, const struct vrs_kernels *kernels, int kh, int kw, int stride, int dilation,
			 int channels)
{
	int pixels = random_int(rng, 1, 27), width = (pixels - 1) * stride + (kw - 1) * dilation + 1;
	memset(f, 0, sizeof *f);
	for (int r = 0; r < kh; r++) {
		f->rows[r] = guarded_random(rng, (size_t)width * (size_t)channels);
		f->row_data[r] = f->rows[r].data;
	}
	f->weights = guarded_random(rng, (size_t)(kh * kw * channels));
	f->bias = guarded_random(rng, (size_t)channels);
	f->packed = guarded_new(vrs_pack_dwconv_size(channels, kh * kw, kernels->lanes));
	f->out = guarded_new((size_t)pixels * (size_t)channels);
	f->residual = guarded_random(rng, (size_t)pixels * (size_t)channels);
	vrs_pack_dwconv(f->packed.data, f->weights.data, f->bias.data, channels, kh * kw, kernels->lanes);
	f->row = (struct vrs_dwconv_row){
		.rows = f->row_data, .kh = kh, .kw = kw, .step = stride * channels, .tap = dilation * channels, .pixels = pixels, .channels = channels,
		.weights = f->packed.data, .out = f->out.data, .out_px = channels, .epilogue = random_epilogue(rng, f->residual.data, channels),
	};
}

static void fixture_fini(struct fixture *f)
{
	for (int r = 0; r < f->row.kh; r++)
		guarded_free(&f->rows[r]);
	guarded_free(&f->weights);
	guarded_free(&f->bias);
	guarded_free(&f->packed);
	guarded_free(&f->out);
	guarded_free(&f->residual);
}

static void check_values(const struct fixture *f, const char *isa, uint64_t seed)
{
	const struct vrs_dwconv_row *row = &f->row;
	for (int p = 0; p < row->pixels; p++) {
		for (int c = 0; c < row->channels; c++) {
			double sum = (double)f->bias.data[c], magnitude = fabs(sum);
			for (int t = 0; t < row->kh * row->kw; t++) {
				double product = (double)row->rows[t / row->kw][p * row->step + t % row->kw * row->tap + c] *
						 (double)f->weights.data[t * row->channels + c];
				sum += product;
				magnitude += fabs(product);
			}
			check_close(epilogue_double(&row->epilogue, sum, p, c), row->out[p * row->out_px + c], sum_tolerance(row->kh * row->kw, magnitude),
				    isa, seed, "dwconv");
		}
	}
}

static void check_cut(struct fixture *f, struct vrs_rng *rng, const struct vrs_kernels *kernels)
{
	if (f->row.pixels < 2)
		return;
	struct guarded whole = f->out;
	f->out = guarded_new(whole.count);
	int cut = random_int(rng, 1, f->row.pixels - 1);
	struct vrs_dwconv_row part = f->row;
	const float *moved[MAX_K];
	part.out = f->out.data;
	part.pixels = cut;
	kernels->dwconv(&part);
	for (int r = 0; r < part.kh; r++)
		moved[r] = f->row.rows[r] + cut * part.step;
	part.rows = moved;
	part.out += cut * part.out_px;
	part.pixels = f->row.pixels - cut;
	if (part.epilogue.residual)
		part.epilogue.residual += cut * part.epilogue.residual_px;
	kernels->dwconv(&part);
	assert_memory_equal(whole.data, f->out.data, whole.count * sizeof(float));
	guarded_free(&whole);
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
		kernels->dwconv(&f.row);
		check_values(&f, kernels->isa, seed);
		check_cut(&f, &rng, kernels);
		fixture_fini(&f);
	}
}

ISA_TESTS(check_dwconv)

int main(void)
{
	const struct CMUnitTest tests[] = { ISA_ENTRIES(check_dwconv) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
