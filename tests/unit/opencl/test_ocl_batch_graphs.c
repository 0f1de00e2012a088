/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards that a device gives an image the same bits alone and in a batch, near those of the reference, also where transpositions put the batch
 * elsewhere (batch_graph.h).
 * Arguments: first network, and how many.
 */
#include "op_check.h"
#include "unit/backend/batch_run.h"

static const uint64_t moving[] = {7, 179, 225}; /* each was another network alone; PoCL takes seconds to compile one */

static void check(uint64_t seed, enum vrs_precision precision)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct batch_run r;
	batch_open(&r, seed);
	options.backend = "opencl";
	options.precision = precision;
	options.half_min_bytes = 0;
	batch_compare(&r, options, 2);
	if (precision == VRS_PRECISION_FP32)
		batch_compare_reference(&r, options, 1e-3);
	batch_close(&r);
}

static uint64_t first, networks;

static void test_networks(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof moving / sizeof *moving && networks == 0; i++) {
		check(moving[i], VRS_PRECISION_FP32);
		check(moving[i], VRS_PRECISION_FP16);
	}
	for (uint64_t seed = first; seed < first + networks; seed++)
		check(seed, VRS_PRECISION_FP32);
}

int main(int argc, char **argv)
{
	held_contexts_begin();
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_networks)};
	if (argc > 2) {
		first = strtoull(argv[1], NULL, 10);
		networks = strtoull(argv[2], NULL, 10);
	}
	return held_contexts_end(cmocka_run_group_tests(tests, NULL, NULL));
}
