/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: buffers that live at the same time never overlap, offsets are aligned, the arena is no larger than needed in known and random cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "graph/mem_plan.h"
#include "unit/graph/mem_random.h"

static void check_plan(struct vrs_mem_item *items, int count, size_t *ret_total, size_t *ret_bound)
{
	assert_int_equal(vrs_mem_plan(items, count, ret_total, ret_bound), VRS_OK);
	for (int i = 0; i < count; i++) {
		assert_int_equal(items[i].offset % 64, 0);
		assert_true(items[i].offset + items[i].bytes <= *ret_total);
		for (int k = 0; k < i; k++) {
			const struct vrs_mem_item *a = &items[i], *b = &items[k];
			bool together = a->first <= b->last && b->first <= a->last;

			if (together && a->bytes > 0 && b->bytes > 0)
				assert_true(a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset);
		}
	}
	assert_true(*ret_total >= *ret_bound);
}

static void test_chain(void **state)
{
	/* Two neighbours live at any time: the arena is the largest pair. */
	struct vrs_mem_item items[] = {{640, 0, 1, 0}, {1280, 1, 2, 0}, {320, 2, 3, 0}, {1280, 3, 4, 0}, {64, 4, 5, 0}};
	size_t total, bound;

	(void)state;
	check_plan(items, 5, &total, &bound);
	assert_int_equal(bound, 1920);
	assert_int_equal(total, 1920);
}

static void test_rounding_and_nothing(void **state)
{
	struct vrs_mem_item items[] = {{1, 0, 0, 0}, {65, 0, 0, 0}, {0, 0, 9, 0}};
	size_t total, bound;

	(void)state;
	check_plan(items, 3, &total, &bound);
	assert_int_equal(total, 64 + 128);
	assert_int_equal(vrs_mem_plan(items, 0, &total, &bound), VRS_OK);
	assert_int_equal(total, 0);
	assert_int_equal(bound, 0);
}

static void test_random(void **state)
{
	struct vrs_rng rng;
	double worst = 0, sum = 0;

	(void)state;
	vrs_rng_init(&rng, 11);
	for (int round = 0; round < 200; round++) {
		struct vrs_mem_item items[MEM_RANDOM_MOST], again[MEM_RANDOM_MOST];
		int count = random_items(items, &rng);
		size_t total, bound, total_again, bound_again;

		for (int i = 0; i < count; i++)
			again[i] = items[i];
		check_plan(items, count, &total, &bound);
		worst = (double)total / (double)bound > worst ? (double)total / (double)bound : worst;
		check_plan(again, count, &total_again, &bound_again); /* the same items, the same plan */
		for (int i = 0; i < count; i++)
			assert_int_equal(items[i].offset, again[i].offset);
		sum += (double)total / (double)bound;
	}
	assert_true(worst < 1.12); /* without breadth and restarts: 1.26 */
	assert_true(sum / 200 < 1.01);
}

static void test_refusals(void **state)
{
	struct vrs_mem_item backwards = {64, 3, 2, 0}, huge[2] = {{SIZE_MAX / 2, 0, 1, 0}, {SIZE_MAX / 2, 0, 1, 0}};
	struct vrs_mem_item item = {64, 0, 1, 0};
	size_t total = 7, bound = 8;

	(void)state;
	assert_int_equal(vrs_mem_plan(&backwards, 1, &total, &bound), VRS_EINVAL);
	assert_int_equal(vrs_mem_plan(huge, 2, &total, &bound), VRS_ELIMIT);
	assert_int_equal(vrs_mem_plan(&item, -1, &total, &bound), VRS_EINVAL);
	for (uint64_t n = 1; n <= 4; n++) {
		vrs_mem_fail_after(n, true);
		assert_int_equal(vrs_mem_plan(&item, 1, &total, &bound), VRS_ENOMEM);
		vrs_mem_fail_after(0, false);
	}
	assert_int_equal(total, 7); /* results are written only on success */
	assert_int_equal(bound, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_rounding_and_nothing),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
