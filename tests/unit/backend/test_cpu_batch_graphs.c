/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards that an image has the same bits alone and in a batch, wherever transpositions and views put the batch (batch_graph.h): on the CPU in all
 * precisions, in 8 bits with the calibration of one image, and on the reference, to which the CPU is near.  Arguments: first network, and how many.
 */
#include <vrseg/calibration.h>

#include "unit/backend/batch_run.h"
#include "unit/backend/node_check.h"

static uint64_t first_seed = 1, networks = 250;

static void compare_8_bits(const struct batch_run *r, struct vrs_session_options options)
{
	struct vrs_calibration_settings settings = vrs_calibration_settings_default();
	struct vrs_calibrator *calibrator = NULL;
	struct vrs_calibration *calibration = NULL;
	struct vrs_error err = {0};
	options.batch = 1;
	if (vrs_calibrator_create(&calibrator, r->model, &options, &err) != VRS_OK)
		fail_msg("network %llu: %s;%s", (unsigned long long)r->seed, err.text, r->graph.trace);
	struct vrs_tensor_view in = vrs_calibrator_input(calibrator, 0);
	batch_fill(in.data, in.elements, 7);
	settings.find_mixed = false;
	if (vrs_calibrator_add(calibrator, &err) != VRS_OK || vrs_calibrator_finish(calibrator, &settings, &calibration, &err) != VRS_OK)
		fail_msg("network %llu: %s;%s", (unsigned long long)r->seed, err.text, r->graph.trace);
	options.precision = VRS_PRECISION_INT8;
	options.calibration = calibration;
	batch_compare(r, options, BATCH_IMAGES);
	vrs_calibrator_destroy(calibrator);
	vrs_calibration_destroy(calibration);
}

static void check(uint64_t seed)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct batch_run r;
	batch_open(&r, seed);
	options.threads = 1 + (int)seed % 2;
	options.backend = "ref";
	batch_compare(&r, options, 2);
	options.backend = "cpu";
	batch_compare_reference(&r, options, 1e-3);
	options.half_min_bytes = 0;
	for (options.precision = VRS_PRECISION_FP32; options.precision <= VRS_PRECISION_BF16; options.precision++)
		batch_compare(&r, options, options.precision == VRS_PRECISION_FP32 ? 2 : BATCH_IMAGES);
	options.precision = VRS_PRECISION_FP32;
	batch_compare(&r, options, BATCH_IMAGES);
	compare_8_bits(&r, options);
	batch_close(&r);
}

static void test_networks(void **state)
{
	(void)state;
	for (uint64_t seed = first_seed; seed < first_seed + networks; seed++)
		check(seed);
}

static int group(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_networks)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
	if (argc > 2) {
		first_seed = strtoull(argv[1], NULL, 10);
		networks = strtoull(argv[2], NULL, 10);
	}
	return node_levels(group);
}
