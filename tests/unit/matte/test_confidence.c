/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the confidence of mattes: worked out by hand, against a plain sum, its limits, and that it falls as a matte gets softer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "matte/confidence.h"

#define MOST 70001

static float alpha[MOST];

static void test_by_hand(void **state)
{
	(void)state;
	static const float four[] = {1, 0.75f, 0.25f, 0};
	assert_true(fabs(vrs_matte_confidence(four, 4) - 2.75 / 3.25) < 1e-9);
	static const float unsure[] = {0.5f, 0.5f, 0.5f}; /* one half belongs to the matte */
	assert_true(fabs(vrs_matte_confidence(unsure, 3) - 2.5 / 4) < 1e-9);
	assert_true(vrs_matte_confidence(four, 0) == VRS_CONFIDENCE_MOST);
}

static void test_limits(void **state)
{
	(void)state;
	for (int i = 0; i < MOST; i++)
		alpha[i] = (float)(i % 3 == 0);
	assert_true(vrs_matte_confidence(alpha, MOST) == VRS_CONFIDENCE_MOST);
	for (int i = 0; i < MOST; i++)
		alpha[i] = 0;
	assert_true(vrs_matte_confidence(alpha, MOST) == VRS_CONFIDENCE_MOST);
	for (int i = 0; i < 200; i++)
		alpha[i] = 0.1f; /* perhaps somebody */
	assert_true(vrs_matte_confidence(alpha, MOST) < 0.05);
	for (int i = 0; i < MOST; i++)
		alpha[i] = 0.499f;
	assert_true(vrs_matte_confidence(alpha, MOST) < 0.001);
}

static void test_against_plain_sums(void **state)
{
	(void)state;
	struct vrs_rng rng;
	vrs_rng_init(&rng, 7);
	static const size_t sizes[] = {1, 7, 8, 9, 4095, 4096, 4097, 65536, MOST};
	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
		double inside = 0, shared = 0, beside = 0;
		for (size_t i = 0; i < sizes[s]; i++) {
			alpha[i] = (float)vrs_rng_unit(&rng);
			if (alpha[i] >= 0.5f) {
				inside++;
				shared += (double)alpha[i];
			} else {
				beside += (double)alpha[i];
			}
		}
		assert_true(fabs(vrs_matte_confidence(alpha, sizes[s]) - (shared + 1) / (inside + beside + 1)) < 1e-5);
	}
}

/* A disc whose edge gets wider. */
static void test_softness(void **state)
{
	(void)state;
	double before = 1;
	for (int width = 1; width <= 32; width *= 2) {
		for (int y = 0; y < 256; y++)
			for (int x = 0; x < 256; x++) {
				double a = 0.5 + (80 - hypot(x - 127.5, y - 127.5)) / width;
				alpha[y * 256 + x] = (float)(a < 0 ? 0 : a > 1 ? 1 : a);
			}
		double confidence = vrs_matte_confidence(alpha, 256 * 256);
		assert_true(confidence < before && confidence > 0.8);
		before = confidence;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_against_plain_sums),
		cmocka_unit_test(test_softness),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
