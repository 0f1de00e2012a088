/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards dot products of rows: lengths around the widths of vectors, up to unreadable pages, by a computed bound; nothing written between pixels. */
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

ISA_TESTS(check_dot)

int main(void)
{
	const struct CMUnitTest tests[] = {ISA_ENTRIES(check_dot)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
