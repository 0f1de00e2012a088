/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards rows of transposed convolutions with few channels for each instruction set: sums computed in double over random windows, strides, paddings
 * and numbers of rows, pixels that no tap reaches, nothing read behind the last product.
 */
#include "kernels/row_check.h"

#define CASES 500

enum { MOST_ROWS = 4 };

static double expected(const struct vrs_deconv_row *row, int x, int c)
{
	double sum = (double)row->bias[c];
	for (int i = 0; i < row->pixels; i++)
		for (int k = 0; k < row->taps; k++)
			for (int r = 0; r < row->rows && i * row->stride + k * row->dilation - row->pad == x; r++)
				sum += (double)row->products[r][i * row->px + k * row->channels + c];
	return sum;
}

static struct vrs_deconv_row random_row(struct vrs_rng *rng)
{
	struct vrs_deconv_row row = {
		.rows = random_int(rng, 0, MOST_ROWS), .pixels = random_int(rng, 1, 70), .taps = random_int(rng, 1, 6), .stride = random_int(rng, 1, 5),
		.dilation = random_int(rng, 1, 5) / 4 + 1, .channels = random_int(rng, 1, 3),
	};
	int planes = row.taps * row.channels, reach = (row.taps - 1) * row.dilation, full = (row.pixels - 1) * row.stride + reach + 1;
	row.pad = random_int(rng, 0, reach);
	row.width = full - row.pad > 1 ? random_int(rng, 1, full - row.pad + 3) : 1;
	row.px = (planes > 4 ? planes : 4) + random_int(rng, 0, 3);
	row.margin = vrs_deconv_margin(row.taps, row.stride, row.dilation, row.pad);
	return row;
}

static void check(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 1);
	for (int i = 0; i < CASES; i++) {
		struct vrs_deconv_row row = random_row(&rng);
		struct floats in[MOST_ROWS], bias = floats_random(&rng, (size_t)row.channels), scratch = floats_new(vrs_deconv_scratch(&row));
		struct floats out = floats_new((size_t)row.width * (size_t)row.channels);
		const float *products[MOST_ROWS];
		for (int r = 0; r < row.rows; r++) {
			in[r] = floats_random(&rng, (size_t)(row.pixels - 1) * (size_t)row.px + (size_t)(row.taps * row.channels));
			products[r] = in[r].data;
		}
		row.products = products;
		row.bias = bias.data;
		row.out = out.data;
		row.scratch = scratch.data;
		kernels->deconv(&row);
		for (int x = 0; x < row.width; x++)
			for (int c = 0; c < row.channels; c++)
				check_close(expected(&row, x, c), out.data[x * row.channels + c], sum_tolerance(row.rows * row.taps, 2.0 * row.rows * row.taps),
					    kernels->isa, (uint64_t)i, "transposed row");
		for (int r = 0; r < row.rows; r++)
			floats_free(&in[r]);
		floats_free(&bias);
		floats_free(&scratch);
		floats_free(&out);
	}
}

ISA_TESTS(check)

int main(void)
{
	const struct CMUnitTest tests[] = {ISA_ENTRIES(check)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
