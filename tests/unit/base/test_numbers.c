/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards base/rng, base/hash and base/clock: published test values, no bias, and clocks that only go forward. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/rng.h"

/* Values of the FNV authors' test vectors (64 bits, 1a). */
static void hash_matches_published_values(void **state)
{
	(void)state;
	assert_true(vrs_hash_str(VRS_HASH_INIT, "") == UINT64_C(0xcbf29ce484222325));
	assert_true(vrs_hash_str(VRS_HASH_INIT, "a") == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(vrs_hash_str(VRS_HASH_INIT, "foobar") == UINT64_C(0x85944171f73967e8));
	assert_true(vrs_hash(vrs_hash(VRS_HASH_INIT, "foo", 3), "bar", 3) == vrs_hash_str(VRS_HASH_INIT, "foobar"));
}

/* Every bit and the length count, at every place of a block, and no two of these blocks are alike. */
static void block_hash_sees_every_bit(void **state)
{
	unsigned char block[75] = {0};
	uint64_t seen[75 * 8 + 76];
	int count = 0;

	(void)state;
	for (size_t len = 0; len <= sizeof block; len++)
		seen[count++] = vrs_hash_block(VRS_HASH_INIT, block, len);
	for (size_t bit = 0; bit < 8 * sizeof block; bit++) {
		block[bit / 8] ^= (unsigned char)(1u << bit % 8);
		seen[count++] = vrs_hash_block(VRS_HASH_INIT, block, sizeof block);
		block[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	for (int i = 0; i < count; i++)
		for (int k = 0; k < i; k++)
			assert_true(seen[i] != seen[k]);
}

/* splitmix64 of seed 0 begins with e220a8397b1dcdaf; xoshiro256** of the state 1 2 3 4 with 11520, 0, 1509978240, 1215971899390074240. */
static void generator_matches_published_values(void **state)
{
	struct vrs_rng rng;

	(void)state;
	vrs_rng_init(&rng, 0);
	assert_true(rng.s[0] == UINT64_C(0xe220a8397b1dcdaf));
	rng = (struct vrs_rng){{1, 2, 3, 4}};
	assert_true(vrs_rng_next(&rng) == 11520);
	assert_true(vrs_rng_next(&rng) == 0);
	assert_true(vrs_rng_next(&rng) == 1509978240);
	assert_true(vrs_rng_next(&rng) == UINT64_C(1215971899390074240));
}

static void bounded_numbers_have_no_bias(void **state)
{
	enum { N = 6, DRAWS = 60000 };
	struct vrs_rng rng;
	int counts[N] = {0};
	double chi2 = 0;

	(void)state;
	vrs_rng_init(&rng, 12345);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t x = vrs_rng_below(&rng, N);

		assert_true(x < N);
		counts[x]++;
	}
	for (int i = 0; i < N; i++) {
		double d = counts[i] - DRAWS / N;

		chi2 += d * d / (DRAWS / N);
	}
	assert_true(chi2 < 20.5); /* 5 degrees of freedom, p = 0.001 */
	/* Just above half of the range every second draw is rejected: the largest result must still appear. */
	uint64_t n = (UINT64_C(1) << 63) + 1, largest = 0;

	for (int i = 0; i < 1000; i++) {
		uint64_t x = vrs_rng_below(&rng, n);

		assert_true(x < n);
		largest = x > largest ? x : largest;
	}
	assert_true(largest > n / 2);
	assert_true(vrs_rng_below(&rng, 0) == 0 && vrs_rng_below(&rng, 1) == 0);
}

static void unit_numbers_stay_below_one(void **state)
{
	struct vrs_rng rng;
	double sum = 0;

	(void)state;
	vrs_rng_init(&rng, 1);
	for (int i = 0; i < 10000; i++) {
		double x = vrs_rng_unit(&rng);

		assert_true(x >= 0 && x < 1);
		sum += x;
	}
	assert_true(sum > 4850 && sum < 5150); /* five standard deviations */
}

static void shuffles_are_permutations_and_repeat(void **state)
{
	int a[50], b[50], seen[50] = {0}, moved = 0;
	struct vrs_rng rng;

	(void)state;
	for (int i = 0; i < 50; i++)
		a[i] = b[i] = i;
	vrs_rng_init(&rng, 7);
	vrs_rng_shuffle(&rng, a, 50);
	vrs_rng_init(&rng, 7);
	vrs_rng_shuffle(&rng, b, 50);
	assert_memory_equal(a, b, sizeof a);
	for (int i = 0; i < 50; i++) {
		seen[a[i]]++;
		moved += a[i] != i;
	}
	for (int i = 0; i < 50; i++)
		assert_int_equal(seen[i], 1);
	assert_true(moved > 30);
	vrs_rng_shuffle(&rng, a, 1);
	vrs_rng_shuffle(&rng, a, 0);
}

static void clocks_go_forward(void **state)
{
	uint64_t wall = vrs_now_ns(), cpu = vrs_cpu_ns(), thread = vrs_thread_cpu_ns();

	(void)state;
	assert_true(wall > 0 && cpu > 0 && thread > 0);
	vrs_sleep_until_ns(wall + 20000000);
	assert_true(vrs_now_ns() >= wall + 20000000);
	assert_true(vrs_thread_cpu_ns() >= thread);
	assert_true(vrs_cpu_ns() - cpu < 20000000); /* sleeping is not working */
	vrs_sleep_until_ns(wall);                   /* in the past: at once */
}

static void utc_text_has_its_form(void **state)
{
	char text[32];
	struct tm tm = {0};

	(void)state;
	vrs_utc_text(text, sizeof text);
	assert_int_equal(strlen(text), 20);
	char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);

	assert_true(end && *end == '\0');
	double age = difftime(time(NULL), timegm(&tm));

	assert_true(age >= 0 && age < 60);
	vrs_utc_text(text, 5);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hash_matches_published_values), cmocka_unit_test(block_hash_sees_every_bit), cmocka_unit_test(generator_matches_published_values),
		cmocka_unit_test(bounded_numbers_have_no_bias),  cmocka_unit_test(unit_numbers_stay_below_one),
		cmocka_unit_test(shuffles_are_permutations_and_repeat), cmocka_unit_test(clocks_go_forward),
		cmocka_unit_test(utc_text_has_its_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
