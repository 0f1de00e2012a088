/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards reductions of lines, short lines and rows, normalised lines and rows, and weighted sums of rows for each instruction set: values computed
 * in double, NaN that stay, no access outside, and short lines and columns whose results do not depend on how they are cut.
 */
#include "kernels/row_check.h"

#define CASES 400

static double step_double(enum vrs_kernel_reduce op, double total, double x, double shift)
{
	switch (op) {
	case VRS_KRED_SUM: return total + x;
	case VRS_KRED_ABS: return total + fabs(x);
	case VRS_KRED_SQUARE: return total + (x - shift) * (x - shift);
	case VRS_KRED_MAX: return fmax(total, x);
	case VRS_KRED_MIN: return fmin(total, x);
	case VRS_KRED_PRODUCT: return total * x;
	}
	return total;
}

static double start_double(enum vrs_kernel_reduce op)
{
	return op == VRS_KRED_MAX ? -INFINITY : op == VRS_KRED_MIN ? INFINITY : op == VRS_KRED_PRODUCT;
}

/* The bound of a reduction of n values up to 2, or around 1 for products. */
static double tolerance(enum vrs_kernel_reduce op, int n)
{
	return op == VRS_KRED_PRODUCT ? 2.0 * n * (double)FLT_EPSILON * exp(0.01 * n) : sum_tolerance(n, 16.0 * n);
}

static void fill(struct vrs_rng *rng, struct floats *in, enum vrs_kernel_reduce op)
{
	for (size_t i = 0; i < in->count; i++)
		in->data[i] = op == VRS_KRED_PRODUCT ? 1 + random_float(rng) * 0.005f : random_float(rng);
}

static void check_lines(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 1);
	for (int i = 0; i < CASES; i++) {
		enum vrs_kernel_reduce op = (enum vrs_kernel_reduce)(i % 6);
		int count = random_int(&rng, 1, i % 7 == 0 ? 3000 : 150);
		float shift = op == VRS_KRED_SQUARE ? random_float(&rng) : 0;
		struct floats in = floats_new((size_t)count);
		double want = start_double(op);
		fill(&rng, &in, op);
		for (int k = 0; k < count; k++)
			want = step_double(op, want, (double)in.data[k], (double)shift);
		check_close(want, kernels->reduce_line(op, in.data, (size_t)count, shift), tolerance(op, count), kernels->isa, (uint64_t)i, "line");
		in.data[random_int(&rng, 0, count - 1)] = NAN;
		assert_true(isnan(kernels->reduce_line(op, in.data, (size_t)count, shift)));
		floats_free(&in);
	}
}

/* Many short lines: each is what it is alone, also beside a NaN, and a cut anywhere gives the same bits. */
static void check_short_lines(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 5);
	for (int i = 0; i < CASES; i++) {
		enum vrs_kernel_reduce op = (enum vrs_kernel_reduce)(i % 6);
		int n = random_int(&rng, 1, i % 4 == 0 ? 130 : 9), lines = random_int(&rng, 1, 110);
		int cut = random_int(&rng, 0, lines), bad = random_int(&rng, 0, lines - 1);
		struct floats in = floats_new((size_t)n * (size_t)lines), out = floats_new((size_t)lines), parts = floats_new((size_t)lines);
		fill(&rng, &in, op);
		in.data[bad * n + random_int(&rng, 0, n - 1)] = NAN;
		kernels->reduce_lines(op, in.data, n, (size_t)lines, out.data);
		for (int l = 0; l < lines; l++) {
			double want = start_double(op);
			for (int k = 0; k < n; k++)
				want = step_double(op, want, (double)in.data[l * n + k], 0);
			if (l == bad)
				assert_true(isnan(out.data[l]));
			else
				check_close(want, out.data[l], tolerance(op, n), kernels->isa, (uint64_t)i, "short line");
		}
		kernels->reduce_lines(op, in.data, n, (size_t)cut, parts.data);
		kernels->reduce_lines(op, in.data + cut * n, n, (size_t)(lines - cut), parts.data + cut);
		assert_memory_equal(out.data, parts.data, (size_t)lines * sizeof(float));
		floats_free(&in);
		floats_free(&out);
		floats_free(&parts);
	}
}

static void check_columns(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 2);
	for (int i = 0; i < CASES; i++) {
		enum vrs_kernel_reduce op = (enum vrs_kernel_reduce)(i % 6);
		int width = random_int(&rng, 1, 150), rows = random_int(&rng, 1, 40), step = width + random_int(&rng, 0, 5), cut = random_int(&rng, 0, width);
		struct floats in = floats_new((size_t)(rows - 1) * (size_t)step + (size_t)width), shift = floats_random(&rng, (size_t)width);
		struct floats out = floats_new((size_t)width), parts = floats_new((size_t)width);
		const float *by = op == VRS_KRED_SQUARE && i % 5 ? shift.data : NULL;
		fill(&rng, &in, op);
		kernels->reduce_rows(op, in.data, step, rows, width, by, out.data);
		for (int c = 0; c < width; c++) {
			double want = start_double(op);
			for (int r = 0; r < rows; r++)
				want = step_double(op, want, (double)in.data[r * step + c], by ? (double)by[c] : 0);
			check_close(want, out.data[c], tolerance(op, rows), kernels->isa, (uint64_t)i, "column");
		}
		if (cut > 0)
			kernels->reduce_rows(op, in.data, step, rows, cut, by, parts.data);
		if (cut < width)
			kernels->reduce_rows(op, in.data + cut, step, rows, width - cut, by ? by + cut : NULL, parts.data + cut);
		assert_memory_equal(out.data, parts.data, (size_t)width * sizeof(float));
		in.data[random_int(&rng, 0, rows - 1) * step + cut % width] = NAN;
		kernels->reduce_rows(op, in.data, step, rows, width, by, out.data);
		assert_true(isnan(out.data[cut % width]));
		floats_free(&in);
		floats_free(&shift);
		floats_free(&out);
		floats_free(&parts);
	}
}

static void check_norms(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 3);
	for (int i = 0; i < CASES; i++) {
		int channels = random_int(&rng, 1, 90), pixels = random_int(&rng, 1, 9), px = channels + random_int(&rng, 0, 7);
		size_t count = (size_t)(pixels - 1) * (size_t)px + (size_t)channels;
		struct floats in = floats_random(&rng, count), out = floats_new(count), scale = floats_random(&rng, (size_t)channels);
		struct floats bias = floats_random(&rng, (size_t)channels), mean = floats_random(&rng, (size_t)channels);
		kernels->norm_rows(in.data, px, pixels, channels, mean.data, scale.data, bias.data, out.data);
		for (int p = 0; p < pixels; p++)
			for (int c = 0; c < channels; c++)
				check_close(((double)in.data[p * px + c] - (double)mean.data[c]) * (double)scale.data[c] + (double)bias.data[c],
					    out.data[p * px + c], sum_tolerance(2, 10), kernels->isa, (uint64_t)i, "normalised row");
		for (int p = 0; p + 1 < pixels; p++)
			for (int gap = channels; gap < px; gap++)
				assert_true(is_untouched(out.data[p * px + gap]));
		kernels->norm_line(in.data, (size_t)channels, 0.5f, 1.5f, i & 1 ? scale.data : NULL, i & 2 ? bias.data : NULL, out.data);
		for (int c = 0; c < channels; c++)
			check_close(((double)in.data[c] - 0.5) * 1.5 * (i & 1 ? (double)scale.data[c] : 1) + (i & 2 ? (double)bias.data[c] : 0), out.data[c],
				    sum_tolerance(3, 10), kernels->isa, (uint64_t)i, "normalised line");
		floats_free(&in);
		floats_free(&out);
		floats_free(&scale);
		floats_free(&bias);
		floats_free(&mean);
	}
}

static void check_blends(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 4);
	for (int i = 0; i < CASES; i++) {
		enum { MOST = 9 };
		int count = random_int(&rng, 1, MOST), width = random_int(&rng, 1, 120);
		struct floats in[MOST], weights = floats_random(&rng, (size_t)count), out = floats_new((size_t)width);
		const float *rows[MOST];
		for (int k = 0; k < count; k++) {
			in[k] = floats_random(&rng, (size_t)width);
			rows[k] = in[k].data;
		}
		kernels->blend(rows, weights.data, count, out.data, (size_t)width);
		for (int c = 0; c < width; c++) {
			double want = 0;
			for (int k = 0; k < count; k++)
				want += (double)weights.data[k] * (double)rows[k][c];
			check_close(want, out.data[c], sum_tolerance(count, 4.0 * count), kernels->isa, (uint64_t)i, "weighted sum");
		}
		for (int k = 0; k < count; k++)
			floats_free(&in[k]);
		floats_free(&weights);
		floats_free(&out);
	}
}

ISA_TESTS(check_lines)
ISA_TESTS(check_short_lines)
ISA_TESTS(check_columns)
ISA_TESTS(check_norms)
ISA_TESTS(check_blends)

int main(void)
{
	const struct CMUnitTest tests[] = {ISA_ENTRIES(check_lines), ISA_ENTRIES(check_short_lines), ISA_ENTRIES(check_columns), ISA_ENTRIES(check_norms),
					   ISA_ENTRIES(check_blends)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
