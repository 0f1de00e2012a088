/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: items that live at the same time never share a buffer, each fits its own, sums are right, and the buffers are no larger than needed in
 * known and random cases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "graph/mem_share.h"
#include "unit/graph/mem_random.h"

/* The result has to be freed. */
static struct vrs_mem_sharing check_sharing(const struct vrs_mem_item *items, int count)
{
	struct vrs_mem_sharing sharing;
	size_t total = 0;

	assert_int_equal(vrs_mem_share(&sharing, items, count), VRS_OK);
	for (int i = 0; i < count; i++) {
		int buffer = sharing.buffer_of[i];

		assert_int_equal(buffer < 0, items[i].bytes == 0);
		if (buffer < 0)
			continue;
		assert_true(buffer < sharing.count && items[i].bytes <= sharing.bytes[buffer]);
		for (int k = 0; k < i; k++)
			assert_false(sharing.buffer_of[k] == buffer && items[i].first <= items[k].last && items[k].first <= items[i].last);
	}
	for (int b = 0; b < sharing.count; b++) {
		assert_int_equal(sharing.bytes[b] % 64, 0);
		total += sharing.bytes[b];
	}
	assert_int_equal(sharing.total, total);
	assert_true(total >= sharing.lower_bound);
	return sharing;
}

static void test_chain(void **state)
{
	/* Two neighbours live at any time: two buffers take turns. */
	const struct vrs_mem_item items[] = {{640, 0, 1, 0}, {1280, 1, 2, 0}, {320, 2, 3, 0}, {1280, 3, 4, 0}, {64, 4, 5, 0}};
	struct vrs_mem_sharing sharing = check_sharing(items, 5);

	(void)state;
	assert_int_equal(sharing.count, 2);
	assert_int_equal(sharing.total, 1920);
	assert_int_equal(sharing.lower_bound, 1920);
	vrs_mem_sharing_fini(&sharing);
}

static void test_rounding_and_nothing(void **state)
{
	const struct vrs_mem_item items[] = {{1, 0, 0, 0}, {65, 0, 0, 0}, {0, 0, 9, 0}};
	struct vrs_mem_sharing sharing = check_sharing(items, 3);

	(void)state;
	assert_int_equal(sharing.total, 64 + 128);
	vrs_mem_sharing_fini(&sharing);
	sharing = check_sharing(items, 0);
	assert_int_equal(sharing.total + (size_t)sharing.count + sharing.lower_bound, 0);
	vrs_mem_sharing_fini(&sharing);
}

/* Whole buffers cannot do as well as an arena: here they take a tenth more than the most that lives at a time. */
static void test_random(void **state)
{
	struct vrs_rng rng;
	double worst = 0, sum = 0;

	(void)state;
	vrs_rng_init(&rng, 11);
	for (int round = 0; round < 200; round++) {
		struct vrs_mem_item items[MEM_RANDOM_MOST];
		int count = random_items(items, &rng);
		struct vrs_mem_sharing sharing = check_sharing(items, count), again = check_sharing(items, count);
		double over = (double)sharing.total / (double)sharing.lower_bound;

		worst = over > worst ? over : worst;
		sum += over;
		for (int i = 0; i < count; i++) /* the same items, the same plan */
			assert_int_equal(sharing.buffer_of[i], again.buffer_of[i]);
		vrs_mem_sharing_fini(&sharing);
		vrs_mem_sharing_fini(&again);
	}
	if (worst > 1.5 || sum / 200 > 1.15)
		fail_msg("buffers are %.3f times the bound at worst, %.3f on average", worst, sum / 200);
}

static void test_refusals(void **state)
{
	const struct vrs_mem_item backwards = {64, 3, 2, 0}, huge[2] = {{SIZE_MAX / 2, 0, 1, 0}, {SIZE_MAX / 2, 0, 1, 0}};
	const struct vrs_mem_item item = {64, 0, 1, 0};
	struct vrs_mem_sharing sharing = {.count = 7};

	(void)state;
	assert_int_equal(vrs_mem_share(&sharing, &backwards, 1), VRS_EINVAL);
	assert_int_equal(vrs_mem_share(&sharing, huge, 2), VRS_ELIMIT);
	assert_int_equal(vrs_mem_share(&sharing, &item, -1), VRS_EINVAL);
	for (uint64_t n = 1; n <= 6; n++) {
		vrs_mem_fail_after(n, true);
		assert_int_equal(vrs_mem_share(&sharing, &item, 1), VRS_ENOMEM);
		vrs_mem_fail_after(0, false);
	}
	assert_int_equal(sharing.count, 7); /* results are written only on success */
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
