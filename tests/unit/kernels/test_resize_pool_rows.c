/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards resize rows (blend, tables, epilogues), window pooling at borders, and row sums: values against double, all channel tails, bounds. */
#include "kernels/row_check.h"

#define ROUNDS 300
#define MAX_ROWS 5

static void check_resize(const struct vrs_kernels *kernels)
{
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_rng rng;
		vrs_rng_init(&rng, seed);
		int in_pixels = random_int(&rng, 1, 12), pixels = random_int(&rng, 1, 20), channels = 1 + (int)(seed % 70);
		size_t in_count = (size_t)(in_pixels * channels), out_count = (size_t)(pixels * channels);
		struct guarded a = guarded_random(&rng, in_count), b = guarded_random(&rng, in_count), blend = guarded_new(in_count);
		struct guarded out = guarded_new(out_count), residual = guarded_random(&rng, out_count);
		struct guarded factor = guarded_random(&rng, (size_t)channels);
		int32_t x0[20], x1[20];
		float wx[20];
		for (int i = 0; i < pixels; i++) {
			x0[i] = random_int(&rng, 0, in_pixels - 1);
			x1[i] = x0[i] + 1 < in_pixels ? x0[i] + 1 : x0[i];
			wx[i] = (float)vrs_rng_unit(&rng);
		}
		struct vrs_resize_row row = {
			.row0 = a.data, .row1 = b.data, .wy = vrs_rng_below(&rng, 4) ? (float)vrs_rng_unit(&rng) : 0.0f, .x0 = x0, .x1 = x1, .wx = wx,
			.in_pixels = in_pixels, .pixels = pixels, .channels = channels, .in_px = channels, .blend = blend.data, .out = out.data,
			.out_px = channels, .epilogue = random_epilogue(&rng, residual.data, channels),
		};
		/* The check sees a residual that is multiplied already. */
		struct guarded scaled = guarded_new(out_count);
		struct vrs_epilogue expected = row.epilogue;
		bool scale = expected.residual && vrs_rng_next(&rng) & 1;
		row.residual_scale = scale ? factor.data : NULL;
		for (size_t i = 0; i < out_count; i++)
			scaled.data[i] = residual.data[i] * (scale ? factor.data[i % (size_t)channels] : 1.0f);
		expected.residual = expected.residual ? scaled.data : NULL;
		kernels->resize(&row);
		for (int p = 0; p < pixels; p++) {
			for (int c = 0; c < channels; c++) {
				double wy = (double)row.wy, w = (double)wx[p];
				double left = (1 - wy) * (double)a.data[x0[p] * channels + c] + wy * (double)b.data[x0[p] * channels + c];
				double right = (1 - wy) * (double)a.data[x1[p] * channels + c] + wy * (double)b.data[x1[p] * channels + c];
				check_close(epilogue_double(&expected, (1 - w) * left + w * right, p, c), out.data[p * channels + c], sum_tolerance(4, 8),
					    kernels->isa, seed, "resize");
			}
		}
		guarded_free(&a);
		guarded_free(&b);
		guarded_free(&blend);
		guarded_free(&out);
		guarded_free(&residual);
		guarded_free(&factor);
		guarded_free(&scaled);
	}
}

static double pool_double(const struct vrs_pool_row *row, int p, int c)
{
	double sum = 0, max = -(double)INFINITY;
	int taps = 0;
	for (int r = 0; r < row->row_count; r++) {
		for (int q = 0; q < row->kw; q++) {
			int x = p * row->stride - row->pad_left + q * row->dilation;
			if (x < 0 || x >= row->in_pixels)
				continue;
			double v = (double)row->rows[r][x * row->in_px + c];
			sum += v;
			max = fmax(max, v);
			taps++;
		}
	}
	return row->max ? max : sum / (row->divisor ? row->divisor : taps);
}

static void check_pool(const struct vrs_kernels *kernels)
{
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_rng rng;
		vrs_rng_init(&rng, seed);
		int channels = 1 + (int)(seed % 70), in_pixels = random_int(&rng, 1, 15), rows = random_int(&rng, 1, MAX_ROWS);
		struct vrs_pool_row row = {
			.max = vrs_rng_next(&rng) & 1, .row_count = rows, .kw = random_int(&rng, 1, 5), .stride = random_int(&rng, 1, 3),
			.dilation = random_int(&rng, 1, 2), .in_pixels = in_pixels, .channels = channels, .in_px = channels, .out_px = channels,
		};
		row.pad_left = random_int(&rng, 0, row.kw - 1) * row.dilation;
		/* As many outputs as have at least one valid tap. */
		row.pixels = (in_pixels - 1 + row.pad_left) / row.stride + 1;
		row.pad_left = row.pad_left > in_pixels - 1 ? 0 : row.pad_left;
		row.pixels = (in_pixels - 1 + row.pad_left) / row.stride + 1;
		row.divisor = vrs_rng_next(&rng) & 1 ? rows * row.kw : 0;
		struct guarded in[MAX_ROWS], out = guarded_new((size_t)(row.pixels * channels));
		const float *data[MAX_ROWS];
		for (int r = 0; r < rows; r++) {
			in[r] = guarded_random(&rng, (size_t)(in_pixels * channels));
			data[r] = in[r].data;
		}
		row.rows = data;
		row.out = out.data;
		kernels->pool(&row);
		for (int p = 0; p < row.pixels; p++) {
			for (int c = 0; c < channels; c++) {
				double want = pool_double(&row, p, c);
				if (isfinite(want))
					check_close(want, out.data[p * channels + c], sum_tolerance(rows * row.kw, 2.0 * rows * row.kw), kernels->isa, seed, "pool");
			}
		}
		for (int r = 0; r < rows; r++)
			guarded_free(&in[r]);
		guarded_free(&out);
	}
}

static void check_row_sum(const struct vrs_kernels *kernels)
{
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_rng rng;
		vrs_rng_init(&rng, seed);
		int channels = 1 + (int)(seed % 70), pixels = random_int(&rng, 1, 40);
		struct guarded in = guarded_random(&rng, (size_t)(pixels * channels)), sum = guarded_new((size_t)channels);
		kernels->row_sum(in.data, channels, pixels, channels, sum.data);
		for (int c = 0; c < channels; c++) {
			double want = 0;
			for (int p = 0; p < pixels; p++)
				want += (double)in.data[p * channels + c];
			check_close(want, sum.data[c], sum_tolerance(pixels, 2.0 * pixels), kernels->isa, seed, "row sum");
		}
		guarded_free(&in);
		guarded_free(&sum);
	}
}

ISA_TESTS(check_resize)
ISA_TESTS(check_pool)
ISA_TESTS(check_row_sum)

int main(void)
{
	const struct CMUnitTest tests[] = { ISA_ENTRIES(check_resize), ISA_ENTRIES(check_pool), ISA_ENTRIES(check_row_sum) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
