/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: where assertions are off, a condition is compiled but not evaluated, and a false one is passed over. */
#undef VRS_ASSERTIONS

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/assert.h"

static int calls;

static bool called(void)
{
	calls++;
	return false;
}

static void conditions_are_not_evaluated(void **state)
{
	(void)state;
	int only_in_the_condition = 1; /* no warning of an unused variable */
	VRS_ASSERT(only_in_the_condition == 2);
	VRS_ASSERT(called());
	assert_int_equal(calls, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_are_not_evaluated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
