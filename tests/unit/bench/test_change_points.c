/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: change points of known series, also those that Apache Otava publishes; none in noise, spikes and constants; broken input is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/rng.h"
#include "bench/stats/change_points.h"

enum { MOST = 64 };

/*
 * Throughput of TigerBeetle over 365 commits, the demonstration series of Apache Otava (tests/tigerbeetle_test.py of apache/otava, Apache-2.0): steps
 * down and up, one value that fell to half, a slow rise, then noise.
 */
static const double tigerbeetle[] = {
	26705, 26475, 26641, 26806, 26835, 26911, 26564, 26812, 26874, 26682, 15672, 26745, 26460, 26977, 26851, 23412, 23547, 23674, 23519,
	23670, 23662, 23462, 23750, 23717, 23524, 23588, 23687, 23793, 23937, 23715, 23570, 23730, 23690, 23699, 23670, 23860, 23988, 23652,
	23681, 23798, 23728, 23604, 23523, 23412, 23685, 23773, 23771, 23718, 23409, 23739, 23674, 23597, 23682, 23680, 23711, 23660, 23990,
	23938, 23742, 23703, 23536, 24363, 24414, 24483, 24509, 24944, 24235, 24560, 24236, 24667, 24730, 28346, 28437, 28436, 28057, 28217,
	28456, 28427, 28398, 28250, 28331, 28222, 28726, 28578, 28345, 28274, 28514, 28590, 28449, 28305, 28411, 28788, 28404, 28821, 28580,
	27483, 26805, 27487, 27124, 26898, 27295, 26951, 27312, 27660, 27154, 27050, 26989, 27193, 27503, 27326, 27375, 27513, 27057, 27421,
	27574, 27609, 27123, 27824, 27644, 27394, 27836, 27949, 27702, 27457, 27272, 28207, 27802, 27516, 27586, 28005, 27768, 28543, 28237,
	27915, 28437, 28342, 27733, 28296, 28524, 28687, 28258, 28611, 29360, 28590, 29641, 28965, 29474, 29256, 28611, 28205, 28539, 27962,
	28398, 28509, 28240, 28592, 28102, 28461, 28578, 28669, 28507, 28535, 28226, 28536, 28561, 28087, 27953, 28398, 28007, 28518, 28337,
	28242, 28607, 28545, 28514, 28377, 28010, 28412, 28633, 28576, 28195, 28637, 28724, 28466, 28287, 28719, 28425, 28860, 28842, 28604,
	28327, 28216, 28946, 28918, 29287, 28725, 29148, 29541, 29137, 29628, 29087, 28612, 29154, 29108, 28884, 29234, 28695, 28969, 28809,
	28695, 28634, 28916, 29852, 29389, 29757, 29531, 29363, 29251, 29552, 29561, 29046, 29795, 29022, 29395, 28921, 29739, 29257, 29455,
	29376, 29528, 28909, 29492, 28984, 29621, 29026, 29457, 29102, 29114, 28924, 29162, 29259, 29554, 29616, 29211, 29367, 29460, 28836,
	29645, 29586, 28848, 29324, 28969, 29150, 29243, 29081, 29312, 28923, 29272, 29117, 29072, 29529, 29737, 29652, 29612, 29856, 29012,
	30402, 29969, 29309, 29439, 29285, 29421, 29023, 28772, 29692, 29416, 29267, 29542, 29904, 30045, 29739, 29945, 29141, 29163, 29765,
	29197, 29441, 28910, 29504, 29614, 29643, 29506, 29420, 29672, 29432, 29784, 29888, 29309, 29247, 29816, 29254, 29813, 29451, 29382,
	29618, 28558, 29845, 29499, 29283, 29184, 29246, 28790, 29952, 29145, 29415, 30437, 29227, 29605, 29859, 29156, 29807, 29406, 29734,
	29861, 29140, 29983, 29832, 29919, 29896, 29991, 29266, 29001, 29459, 29548, 29310, 29042, 29303, 29894, 29091, 29018, 29537, 29614,
	29180, 29736, 29500, 29218, 29581, 28906, 28542, 29306, 28987, 29878, 28865, 30272, 29707, 29662, 29815, 30492, 29347, 30096, 29054,
	30238, 28813, 31895, 28915,
};
enum { TIGERBEETLE = sizeof tigerbeetle / sizeof *tigerbeetle };

static double normal(struct vrs_rng *rng)
{
	return sqrt(-2 * log(1 - vrs_rng_unit(rng))) * cos(6.283185307179586 * vrs_rng_unit(rng));
}

static int find(const double *values, int count, const struct vrs_change_rules *rules, struct vrs_change_point *points)
{
	int n;
	struct vrs_error err;
	assert_int_equal(vrs_change_points(values, count, rules, points, MOST, &n, &err), VRS_OK);
	return n;
}

static void assert_points(const double *values, int count, const struct vrs_change_rules *rules, const int *wanted, int n)
{
	struct vrs_change_point points[MOST];
	assert_int_equal(find(values, count, rules, points), n);
	for (int i = 0; i < n; i++)
		assert_int_equal(points[i].index, wanted[i]);
}

/* Otava 0.8.0 gives these indices, but for 142 and 148, a short rise, which it finds in windows of 30 only, where it finds 260 too. */
static void finds_what_otava_finds(void **state)
{
	(void)state;
	struct vrs_change_rules rules = vrs_change_rules_default();
	assert_points(tigerbeetle, TIGERBEETLE, &rules, (int[]){15, 61, 71, 95, 117, 131, 142, 148, 192, 212}, 10);
	rules.window = 30;
	assert_points(tigerbeetle, TIGERBEETLE, &rules, (int[]){15, 61, 71, 95, 117, 131, 142, 148, 192, 212}, 10);
	rules.max_p = 0.01;
	rules.min_magnitude = 0.05;
	assert_points(tigerbeetle, TIGERBEETLE, &rules, (int[]){15, 71}, 2);
	rules.test = VRS_CHANGE_PERMUTATION;
	assert_points(tigerbeetle, TIGERBEETLE, &rules, (int[]){15, 71}, 2);
}

/* The short series of Otava's tests (tests/analysis_test.py, tests/series_test.py, tests/change_point_divisive_test.py), with their answers. */
static void finds_the_short_steps_of_otava(void **state)
{
	(void)state;
	static const double half[] = {1.02, 0.95, 0.99, 1.00, 1.12, 1.00, 1.01, 0.98, 1.01, 0.96,
		0.50, 0.51, 0.48, 0.48, 0.55, 0.50, 0.49, 0.51, 0.50, 0.49};
	static const double early[] = {1.02, 0.95, 0.99, 1.00, 1.12, 0.90, 0.50, 0.51, 0.48, 0.48, 0.55};
	static const double tenth[] = {2.02, 2.03, 2.01, 2.04, 1.82, 1.85, 1.79, 1.81, 1.80, 1.76, 1.78};
	static const double three[] = {0.3, 2.4, 1.5, -0.9, -0.5, 99.7, 98.3, 99.1, 149.0, 149.7, 149.5, 149.1, 148.8, 150.0};
	struct vrs_change_rules rules = vrs_change_rules_default();
	assert_points(early, 11, &rules, (int[]){6}, 1);
	assert_points(tenth, 11, &rules, (int[]){4}, 1);
	assert_points(three, 14, &rules, (int[]){5, 8}, 2);
	rules.min_magnitude = 0.2;
	assert_points(early, 11, &rules, (int[]){6}, 1);
	assert_points(tenth, 11, &rules, NULL, 0);
	rules.min_magnitude = 0;
	rules.window = 10;
	rules.max_p = 0.0001;
	assert_points(half, 20, &rules, (int[]){10}, 1);
}

static void says_levels_and_p(void **state)
{
	(void)state;
	static const double steps[] = {4, 5, 6, 5, 9, 10, 11, 10};
	struct vrs_change_point points[MOST];
	struct vrs_change_rules rules = vrs_change_rules_default();
	assert_int_equal(find(steps, 8, &rules, points), 1);
	assert_int_equal(points[0].index, 4);
	assert_true(points[0].before == 5 && points[0].after == 10);
	/* Without the 4: means 16 / 3 and 10, pooled variance 8 / 15, error .5578: t = 8.367, two-sided with 5 degrees of freedom. */
	assert_true(fabs(points[0].p - 3.9928e-04) < 1e-6);
	rules.test = VRS_CHANGE_PERMUTATION;
	rules.max_p = 0.05; /* of the 70 ways to choose four of these values two are as extreme, and p is about 2 / 70 */
	assert_int_equal(find(steps, 8, &rules, points), 1);
	assert_true(points[0].p > 0.015 && points[0].p < 0.045);
}

static void the_same_series_gives_the_same_points(void **state)
{
	(void)state;
	double values[100];
	struct vrs_rng rng;
	struct vrs_change_point first[MOST], again[MOST];
	struct vrs_change_rules rules = vrs_change_rules_default();
	vrs_rng_init(&rng, 7);
	for (int i = 0; i < 100; i++)
		values[i] = 100 + (i >= 60 ? 6 : 0) + 2 * normal(&rng);
	for (rules.test = VRS_CHANGE_STUDENT; rules.test <= VRS_CHANGE_PERMUTATION; rules.test++) {
		int n = find(values, 100, &rules, first);
		assert_int_equal(find(values, 100, &rules, again), n);
		assert_memory_equal(first, again, (size_t)n * sizeof *first);
		assert_int_equal(n, 1);
		assert_in_range(first[0].index, 58, 62);
	}
}

static void a_change_that_did_not_last_is_two(void **state)
{
	(void)state;
	double values[60];
	struct vrs_rng rng;
	struct vrs_change_rules rules = vrs_change_rules_default();
	vrs_rng_init(&rng, 3);
	for (int i = 0; i < 60; i++)
		values[i] = (i >= 20 && i < 30 ? 110 : 100) + normal(&rng);
	assert_points(values, 60, &rules, (int[]){20, 30}, 2);
}

static void noise_spikes_and_constants_have_none(void **state)
{
	(void)state;
	double noise[100], constant[100], spike[100], late[100];
	struct vrs_rng rng;
	struct vrs_change_rules rules = vrs_change_rules_default();
	vrs_rng_init(&rng, 5);
	for (int i = 0; i < 100; i++) {
		constant[i] = 0.1;
		noise[i] = 100 + normal(&rng);
		spike[i] = i == 50 ? 200 : noise[i];
		late[i] = i == 98 ? 50 : noise[i];
	}
	for (rules.test = VRS_CHANGE_STUDENT; rules.test <= VRS_CHANGE_PERMUTATION; rules.test++) {
		assert_points(noise, 100, &rules, NULL, 0);
		assert_points(constant, 100, &rules, NULL, 0);
		assert_points(spike, 100, &rules, NULL, 0);
		assert_points(late, 100, &rules, NULL, 0);
	}
	rules.test = VRS_CHANGE_STUDENT;
	rules.min_segment = 1; /* what the least segment is for */
	assert_points(spike, 100, &rules, (int[]){50, 51}, 2);
}

static void a_ramp_becomes_stairs(void **state)
{
	(void)state;
	double values[100];
	struct vrs_rng rng;
	struct vrs_change_point points[MOST];
	struct vrs_change_rules rules = vrs_change_rules_default();
	vrs_rng_init(&rng, 11);
	for (int i = 0; i < 100; i++)
		values[i] = 100 + 0.3 * i + normal(&rng);
	int n = find(values, 100, &rules, points);
	assert_in_range(n, 2, 12);
	for (int i = 0; i < n; i++)
		assert_true(points[i].after > points[i].before);
}

static void without_spread_any_step_counts(void **state)
{
	(void)state;
	static const double steps[] = {1, 1, 1, 1, 1, 5, 5, 5, 5, 5, 5, 5, 5, 9, 9, 9, 9, 9, 9, 9, 9, 3, 3, 3, 3, 3, 3, 3, 3, 3};
	struct vrs_change_rules rules = vrs_change_rules_default();
	rules.max_p = 0.05;
	assert_points(steps, 30, &rules, (int[]){5, 13, 21}, 3);
	rules.min_magnitude = 1;
	assert_points(steps, 30, &rules, (int[]){5, 21}, 2);
}

static void keeps_to_the_least_segment(void **state)
{
	(void)state;
	double values[90];
	struct vrs_rng rng;
	struct vrs_change_point points[MOST];
	struct vrs_change_rules rules = vrs_change_rules_default();
	rules.max_p = 0.2;
	vrs_rng_init(&rng, 13);
	for (int t = 0; t < 50; t++) {
		rules.min_segment = 1 + t % 8;
		rules.window = 16 + t;
		for (int i = 0; i < 90; i++)
			values[i] = 100 + 3 * (i / 10 % 2) + normal(&rng);
		int n = find(values, 90, &rules, points), last = 0;
		assert_true(n > 0);
		for (int i = 0; i <= n; i++) {
			int end = i < n ? points[i].index : 90;
			assert_true(end - last >= rules.min_segment);
			assert_true(i == n || points[i].p <= rules.max_p);
			last = end;
		}
	}
}

static void few_values_have_none(void **state)
{
	(void)state;
	static const double values[] = {1, 1, 1, 9, 9, 9};
	struct vrs_change_rules rules = vrs_change_rules_default();
	for (int n = 0; n < 6; n++)
		assert_points(values, n, &rules, NULL, 0);
	assert_points(values, 6, &rules, (int[]){3}, 1);
	rules.min_segment = 1;
	rules.window = 2; /* no window has more than two values, which prove nothing */
	assert_points(values, 6, &rules, NULL, 0);
}

static void room_for_fewer_gives_the_number_of_all(void **state)
{
	(void)state;
	struct vrs_change_point points[2] = {{0}, {.index = -7}};
	struct vrs_change_rules rules = vrs_change_rules_default();
	struct vrs_error err;
	int n;
	assert_int_equal(vrs_change_points(tigerbeetle, TIGERBEETLE, &rules, points, 1, &n, &err), VRS_OK);
	assert_int_equal(n, 10);
	assert_int_equal(points[0].index, 15);
	assert_int_equal(points[1].index, -7);
}

static void broken_input_is_refused(void **state)
{
	(void)state;
	double values[] = {1, 1, 1, NAN, 2, 2, 2};
	struct vrs_change_point points[MOST];
	struct vrs_error err;
	int n;
	struct vrs_change_rules good = vrs_change_rules_default(), bad[8];
	assert_int_equal(vrs_change_points(values, 7, &good, points, MOST, &n, &err), VRS_EINVAL);
	assert_string_equal(err.text, "value 3 of the series is not a number; leave out what is missing");
	values[3] = INFINITY;
	assert_int_equal(vrs_change_points(values, 7, &good, points, MOST, &n, &err), VRS_EINVAL);
	values[3] = 1;
	assert_int_equal(vrs_change_points(values, -1, &good, points, MOST, &n, &err), VRS_ELIMIT);
	assert_int_equal(vrs_change_points(values, VRS_CHANGE_MAX_VALUES + 1, &good, points, MOST, &n, &err), VRS_ELIMIT);
	for (int i = 0; i < 8; i++)
		bad[i] = good;
	bad[0].max_p = 0;
	bad[1].max_p = 1;
	bad[2].min_magnitude = NAN;
	bad[3].min_segment = 0;
	bad[4].window = 5;
	bad[5].window = VRS_CHANGE_MAX_WINDOW + 1;
	bad[6].test = VRS_CHANGE_PERMUTATION;
	bad[6].permutations = 0;
	bad[7].max_p = NAN;
	for (int i = 0; i < 8; i++)
		assert_int_equal(vrs_change_points(values, 7, &bad[i], points, MOST, &n, &err), VRS_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_otava_finds),
		cmocka_unit_test(finds_the_short_steps_of_otava),
		cmocka_unit_test(says_levels_and_p),
		cmocka_unit_test(the_same_series_gives_the_same_points),
		cmocka_unit_test(a_change_that_did_not_last_is_two),
		cmocka_unit_test(noise_spikes_and_constants_have_none),
		cmocka_unit_test(a_ramp_becomes_stairs),
		cmocka_unit_test(without_spread_any_step_counts),
		cmocka_unit_test(keeps_to_the_least_segment),
		cmocka_unit_test(few_values_have_none),
		cmocka_unit_test(room_for_fewer_gives_the_number_of_all),
		cmocka_unit_test(broken_input_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
