/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: half conversions round to nearest even at every boundary, and every half survives the round trip. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/half.h"

static void test_known_values(void **state)
{
	static const struct {
		float value;
		uint16_t half;
	} rows[] = {
		{0.0f, 0x0000}, {-0.0f, 0x8000}, {1.0f, 0x3c00}, {-2.0f, 0xc000}, {65504.0f, 0x7bff}, {65519.0f, 0x7bff}, {65520.0f, 0x7c00},
		{1e9f, 0x7c00}, {2048.0f, 0x6800}, {2049.0f, 0x6800}, {2050.0f, 0x6801}, {2051.0f, 0x6802}, {0x1p-14f, 0x0400},
		{0x1p-24f, 0x0001}, {0x1p-25f, 0x0000}, {0x1.8p-25f, 0x0001}, {0x1.8p-24f, 0x0002}, {0x1.ffcp-15f, 0x0400}, {0.1f, 0x2e66},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(vrs_half_from_float(rows[i].value), rows[i].half);
	assert_int_equal(vrs_half_from_float(-INFINITY), 0xfc00);
	assert_true(isnan(vrs_half_to_float(vrs_half_from_float(NAN))));
}

static void test_round_trip(void **state)
{
	(void)state;
	for (unsigned half = 0; half < 65536; half++) {
		uint16_t pair[2] = {(uint16_t)half, (uint16_t)half};
		int exponent = (int)(half >> 10 & 31), mantissa = (int)(half & 0x3ff) + (exponent > 0 ? 1024 : 0);
		float value = vrs_half_to_float((uint16_t)half), many[2];
		float magnitude = exponent == 31 ? INFINITY : ldexpf((float)mantissa, (exponent > 0 ? exponent : 1) - 25);
		float expected = half & 0x8000 ? -magnitude : magnitude;

		vrs_half_to_floats(many, pair, 2);
		assert_memory_equal(&many[0], &value, sizeof value);
		assert_memory_equal(&many[1], &value, sizeof value);
		if (exponent == 31 && mantissa != 1024) {
			assert_true(isnan(value));
			continue;
		}
		assert_memory_equal(&value, &expected, sizeof value);
		assert_int_equal(vrs_half_from_float(value), half);
	}
}

/* Between two neighbouring halves the nearer one is taken, at the middle the even one. */
static void test_rounding(void **state)
{
	(void)state;
	for (unsigned half = 0; half < 0x7bff; half++) {
		float low = vrs_half_to_float((uint16_t)half), high = vrs_half_to_float((uint16_t)(half + 1)), middle = (low + high) / 2;

		assert_int_equal(vrs_half_from_float(middle), half + (half & 1));
		assert_int_equal(vrs_half_from_float(nextafterf(middle, low)), half);
		assert_int_equal(vrs_half_from_float(nextafterf(middle, high)), half + 1);
		assert_int_equal(vrs_half_from_float(-middle), 0x8000 + half + (half & 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_values),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_rounding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
