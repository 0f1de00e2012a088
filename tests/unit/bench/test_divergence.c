/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: the divergence against its definition written out, the best split over both parameters, and p values of permutations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>

#include "base/rng.h"
#include "bench/stats/divergence.h"

enum { MOST = 40 };

static double mean_distance(const double *a, int na, const double *b, int nb, bool same)
{
	double sum = 0;
	for (int i = 0; i < na; i++)
		for (int k = 0; k < nb; k++)
			sum += fabs(a[i] - b[k]);
	if (same)
		return na > 1 ? sum / (na * (na - 1.0)) : 0;
	return sum / ((double)na * nb);
}

/* n m / (n + m) times 2 E|X - Y| - E|X - X'| - E|Y - Y'|. */
static double definition(const double *x, int from, int i, int to)
{
	int n = i - from, m = to - i;
	double within = mean_distance(x + from, n, x + from, n, true) + mean_distance(x + i, m, x + i, m, true);
	return (2 * mean_distance(x + from, n, x + i, m, false) - within) * n * m / (n + m);
}

static struct vrs_divergence *create(void)
{
	struct vrs_divergence *d;
	assert_int_equal(vrs_divergence_create(&d, MOST), VRS_OK);
	return d;
}

static void equals_its_definition(void **state)
{
	(void)state;
	double x[MOST];
	struct vrs_rng rng;
	struct vrs_divergence *d = create();
	vrs_rng_init(&rng, 1);
	for (int t = 0; t < 20; t++) {
		int count = 2 + t * 2;
		for (int i = 0; i < count; i++)
			x[i] = 10 * vrs_rng_unit(&rng);
		vrs_divergence_load(d, x, count);
		for (int i = 1; i < count; i++)
			assert_true(fabs(vrs_divergence_at(d, 0, i, count) - definition(x, 0, i, count)) < 1e-9);
		assert_true(count < 6 || fabs(vrs_divergence_at(d, 2, 4, count - 1) - definition(x, 2, 4, count - 1)) < 1e-9);
	}
	vrs_divergence_destroy(d);
}

static void the_best_split_is_the_largest_of_all(void **state)
{
	(void)state;
	double x[MOST];
	struct vrs_rng rng;
	struct vrs_divergence *d = create();
	vrs_rng_init(&rng, 2);
	for (int t = 0; t < 30; t++) {
		int from = t % 4, to = MOST - t % 5, least = 1 + t % 3;
		double largest = 0;
		for (int i = 0; i < MOST; i++)
			x[i] = (i > 10 + t % 9 ? 3 : 0) + vrs_rng_unit(&rng);
		vrs_divergence_load(d, x, MOST);
		for (int i = from + least; i + least <= to; i++)
			for (int k = i + least; k <= to; k++)
				largest = fmax(largest, definition(x, from, i, k));
		struct vrs_divergence_split best = vrs_divergence_best(d, from, to, least);
		assert_true(fabs(best.q - largest) < 1e-9);
		assert_true(fabs(definition(x, from, best.index, best.end) - largest) < 1e-9);
		assert_int_equal(best.index, 11 + t % 9);
	}
	vrs_divergence_destroy(d);
}

/* What comes after a short change hides it from splits into halves. */
static void the_end_of_a_split_varies(void **state)
{
	(void)state;
	double x[MOST];
	struct vrs_divergence *d = create();
	for (int i = 0; i < MOST; i++)
		x[i] = i >= 15 && i < 20 ? 5 : 0;
	vrs_divergence_load(d, x, MOST);
	struct vrs_divergence_split best = vrs_divergence_best(d, 0, MOST, 3);
	assert_true(best.index == 15 && best.end == 20);
	vrs_divergence_destroy(d);
}

static void without_room_or_spread_there_is_no_split(void **state)
{
	(void)state;
	static const double same[6] = {2, 2, 2, 2, 2, 2}, step[6] = {1, 1, 1, 9, 9, 9};
	struct vrs_divergence *d = create();
	vrs_divergence_load(d, same, 6);
	assert_true(vrs_divergence_best(d, 0, 6, 1).q == 0);
	vrs_divergence_load(d, step, 6);
	assert_true(vrs_divergence_best(d, 0, 6, 3).q > 0);
	assert_true(vrs_divergence_best(d, 0, 5, 3).q == 0);
	assert_true(vrs_divergence_best(d, 1, 1, 1).q == 0);
	vrs_divergence_destroy(d);
}

static void permutations_give_p(void **state)
{
	(void)state;
	static const double step[8] = {1, 2, 3, 4, 11, 12, 13, 14}, mixed[8] = {1, 11, 2, 12, 3, 13, 4, 14};
	struct vrs_rng rng;
	struct vrs_divergence *d = create();
	vrs_rng_init(&rng, 3);
	double at = vrs_divergence_permuted(d, step, 8, 4, 1, 9999, 1, &rng);
	assert_true(at > 0.022 && at < 0.036); /* 2 of 70 choices of four values are as far apart */
	assert_true(vrs_divergence_permuted(d, step, 8, 0, 2, 9999, 1, &rng) < 0.05);
	assert_true(vrs_divergence_permuted(d, mixed, 8, 4, 1, 999, 1, &rng) > 0.3);
	double early = vrs_divergence_permuted(d, mixed, 8, 4, 1, 999, 0.05, &rng); /* ends when it is above */
	assert_true(early > 0.05 && early < 0.06);
	vrs_divergence_destroy(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_its_definition),
		cmocka_unit_test(the_best_split_is_the_largest_of_all),
		cmocka_unit_test(the_end_of_a_split_varies),
		cmocka_unit_test(without_room_or_spread_there_is_no_split),
		cmocka_unit_test(permutations_give_p),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
