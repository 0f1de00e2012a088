/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards video/ts_repair: good stamps stay, bad ones become strictly increasing, a restarted clock goes on. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/rng.h"
#include "video/ts_repair.h"

#define UNKNOWN VRS_TS_UNKNOWN
#define MAX_STEPS 8

struct row {
	const char *what;
	int64_t in[MAX_STEPS], duration, out[MAX_STEPS];
	int count;
	uint64_t repaired;
};

/* jump 1000, default step 10 */
static const struct row rows[] = {
	{"regular", {0, 10, 20, 30}, 10, {0, 10, 20, 30}, 4, 0},
	{"variable rate", {5, 6, 100, 900, 5000}, 10, {5, 6, 100, 900, 5000}, 5, 0},
	{"negative begin", {-20, -10, 0}, 10, {-20, -10, 0}, 3, 0},
	{"all unknown", {UNKNOWN, UNKNOWN, UNKNOWN}, 0, {0, 10, 20}, 3, 3},
	{"unknown in the middle", {0, UNKNOWN, 50}, 25, {0, 25, 50}, 3, 1},
	{"repeated", {0, 10, 10, 10, 20}, 10, {0, 10, 11, 12, 20}, 5, 2},
	{"small step back", {0, 100, 90, 110}, 10, {0, 100, 101, 110}, 4, 1},
	{"restart", {0, 5000, 0, 10, 20}, 10, {0, 5000, 5010, 5020, 5030}, 5, 3},
	{"jump ahead kept", {0, 10, 9000}, 10, {0, 10, 9000}, 3, 0},
	{"absurd values", {0, INT64_MAX, INT64_MIN + 1, 40}, 10, {0, 10, 20, 40}, 4, 2},
};

static void table(void **state)
{
	(void)state;
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		struct vrs_ts_repair repair;

		vrs_ts_repair_init(&repair, 1000, 10);
		for (int i = 0; i < rows[r].count; i++) {
			int64_t got = vrs_ts_repair_next(&repair, rows[r].in[i], rows[r].duration);

			if (got != rows[r].out[i])
				fail_msg("%s: step %d gave %lld, not %lld", rows[r].what, i, (long long)got, (long long)rows[r].out[i]);
		}
		if (repair.repaired != rows[r].repaired)
			fail_msg("%s: %llu repaired", rows[r].what, (unsigned long long)repair.repaired);
	}
}

static void stamps_may_repeat(void **state)
{
	static const int64_t in[] = {0, 1, 1, 2, 2, 1, 3, 5000, 0, 0, 1}, out[] = {0, 1, 1, 2, 2, 2, 3, 5000, 5010, 5010, 5011};
	struct vrs_ts_repair repair;

	(void)state;
	vrs_ts_repair_init(&repair, 1000, 10);
	repair.may_repeat = true;
	for (size_t i = 0; i < sizeof in / sizeof in[0]; i++)
		assert_int_equal(vrs_ts_repair_next(&repair, in[i], 0), out[i]);
}

static void random_stamps_always_increase(void **state)
{
	struct vrs_rng rng;

	(void)state;
	vrs_rng_init(&rng, 5);
	for (int round = 0; round < 200; round++) {
		struct vrs_ts_repair repair;
		int64_t last = INT64_MIN;

		vrs_ts_repair_init(&repair, (int64_t)vrs_rng_below(&rng, 100000), (int64_t)vrs_rng_below(&rng, 50));
		for (int i = 0; i < 300; i++) {
			int64_t ts = (int64_t)vrs_rng_next(&rng) >> vrs_rng_below(&rng, 64);
			int64_t got = vrs_ts_repair_next(&repair, vrs_rng_below(&rng, 5) ? ts : UNKNOWN, (int64_t)vrs_rng_below(&rng, 100));

			assert_true(got > last);
			last = got;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(stamps_may_repeat),
		cmocka_unit_test(random_stamps_always_increase),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
