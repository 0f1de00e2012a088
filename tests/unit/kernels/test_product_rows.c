/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards dot products of rows: lengths around the widths of vectors, up to unreadable pages, by a computed bound; nothing written between pixels.
 * And products of a few rows: the bits of the convolution kernel's order of additions, up to unreadable pages; nothing written beside the columns.
 */
#include "kernels/row_check.h"

enum { CASES = 400 };

static void check_dot(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 1);
	for (int i = 0; i < CASES; i++) {
		int k = i < 150 ? i + 1 : random_int(&rng, 1, 3000), pixels = random_int(&rng, 1, 7), step = random_int(&rng, 1, 3);
		int px = k + random_int(&rng, 0, 3);
		size_t count = (size_t)(pixels - 1) * (size_t)px + (size_t)k;
		struct floats a = floats_random(&rng, count), b = floats_random(&rng, (size_t)k), out = floats_new((size_t)((pixels - 1) * step + 1));
		kernels->dot(a.data, px, pixels, b.data, k, out.data, step);
		for (int p = 0; p < (pixels - 1) * step + 1; p++) {
			double want = 0, magnitude = 0;
			for (int c = 0; c < k && p % step == 0; c++) {
				want += (double)a.data[p / step * px + c] * (double)b.data[c];
				magnitude += fabs((double)a.data[p / step * px + c] * (double)b.data[c]);
			}
			if (p % step == 0)
				check_close(want, out.data[p], sum_tolerance(k, magnitude), kernels->isa, (uint64_t)i, "dot");
			else
				assert_true(is_untouched(out.data[p]));
		}
		floats_free(&a);
		floats_free(&b);
		floats_free(&out);
	}
}

/* In the order of the convolution kernel. */
static float in_order(const struct vrs_product_rows *p, bool fused, int row, int c)
{
	float sum = 0.0f;
	for (int i = 0; i < p->k; i++) {
		float a = p->a[row * p->a_px + i], b = p->b[p->turned ? i + c * p->b_step : c + i * p->b_step], product = a * b;
		sum = fused ? fmaf(a, b, sum) : sum + product;
	}
	return sum;
}

static void check_product(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 2);
	for (int i = 0; i < 3 * CASES; i++) {
		struct vrs_product_rows p = {.rows = 1 + i % VRS_PRODUCT_ROWS, .turned = vrs_rng_next(&rng) & 1};
		p.k = i % 8 == 0 ? random_int(&rng, 500, 540) : random_int(&rng, p.turned ? 4 : 1, 40); /* long and short lines */
		p.end = random_int(&rng, p.turned ? kernels->lanes : 1, 200);
		p.first = random_int(&rng, 0, p.end - 1);
		p.a_px = p.k + random_int(&rng, 0, 2);
		p.b_step = p.turned ? p.k : p.end + random_int(&rng, 0, 3);
		p.out_px = p.end + random_int(&rng, 0, 3);
		struct floats a = floats_random(&rng, (size_t)((p.rows - 1) * p.a_px + p.k));
		struct floats out = floats_new((size_t)((p.rows - 1) * p.out_px + p.end));
		struct floats b = floats_random(&rng, (size_t)(p.turned ? p.end * p.k : (p.k - 1) * p.b_step + p.end));
		p.a = a.data;
		p.b = b.data;
		p.out = out.data;
		kernels->product(&p);
		for (size_t at = 0; at < out.count; at++) {
			int row = (int)at / (int)p.out_px, c = (int)at % (int)p.out_px;
			if (c < p.first || c >= p.end)
				assert_true(is_untouched(out.data[at]));
			else if (out.data[at] != in_order(&p, strcmp(kernels->isa, "ref") != 0, row, c))
				fail_msg("%s, case %d: another order of additions", kernels->isa, i);
		}
		floats_free(&a);
		floats_free(&b);
		floats_free(&out);
	}
}

ISA_TESTS(check_dot)
ISA_TESTS(check_product)

int main(void)
{
	const struct CMUnitTest tests[] = {ISA_ENTRIES(check_dot), ISA_ENTRIES(check_product)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
