/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the one rule for a latency target: P99 of live latency, the maximum where few frames speak, and nothing from an offline run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/latency.h"

static void the_rule(void **state)
{
	static const struct {
		bool live;
		double p99, max;
		enum vrs_latency_state state;
		const char *figure;
	} cases[] = {
		{true, 20, 90, VRS_LATENCY_MET, "P99"},           /* one frame in a hundred may be later */
		{true, 30, 90, VRS_LATENCY_MISSED, "P99"},
		{true, 30, NAN, VRS_LATENCY_MISSED, "P99"},
		{true, NAN, 19, VRS_LATENCY_MET, "max"},          /* few frames, none of them late */
		{true, NAN, 90, VRS_LATENCY_TOO_FEW, "P99"},      /* few frames, one late: who knows */
		{true, NAN, NAN, VRS_LATENCY_TOO_FEW, "P99"},
		{false, 5, 6, VRS_LATENCY_OFFLINE, "P99"},        /* however good or bad it looks */
		{false, 500, 600, VRS_LATENCY_OFFLINE, "P99"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct vrs_latency_reading r = {cases[i].live, cases[i].p99, cases[i].max};
		const char *figure;
		double ms;
		assert_int_equal(vrs_latency_judge(&r, 25, &ms, &figure), cases[i].state);
		assert_string_equal(figure, cases[i].figure);
		assert_int_equal(isfinite(ms), cases[i].state == VRS_LATENCY_MET || cases[i].state == VRS_LATENCY_MISSED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_rule)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
