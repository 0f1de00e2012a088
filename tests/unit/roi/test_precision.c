/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what --precision auto becomes: int8 with a calibration that has passed its check, and not another precision in silence because the network
 * or its calibration cannot be read at that moment, for lack of memory or of descriptors; likewise with the input size that a manifest has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "roi/network.h"
#include "roi/roi_plan.h"

#include <vrseg/config.h>
#include <vrseg/network_run.h>

#include "scratch_folder.h"
#include "small_network.h"

#define MOST_ALLOCATIONS 20000

static struct vrs_settings settings; /* precision auto, with a calibration */

/* Of one sample, whose check is made up. */
static void calibrate(struct vrs_network *network)
{
	struct vrs_calibration_settings how = vrs_calibration_settings_default();
	struct vrs_calibrator *calibrator;
	struct vrs_calibration *calibration;
	char path[VRS_PATH_MAX];

	how.find_mixed = false;
	assert_int_equal(vrs_calibrator_create(&calibrator, network->model, &network->options, NULL), VRS_OK);
	struct vrs_tensor_view in = vrs_calibrator_input(calibrator, 0);
	for (size_t i = 0; i < in.elements; i++)
		((float *)in.data)[i] = (float)(i % 256) / 255;
	assert_int_equal(vrs_calibrator_add(calibrator, NULL), VRS_OK);
	assert_int_equal(vrs_calibrator_finish(calibrator, &how, &calibration, NULL), VRS_OK);
	vrs_calibration_set_check(calibration, 8, 0.999, 0.999);
	assert_int_equal(vrs_calibration_store_path(network->model, network->manifest.content, &network->options, path, sizeof path, NULL), VRS_OK);
	assert_int_equal(vrs_calibration_save(calibration, path, NULL), VRS_OK);
	vrs_calibration_destroy(calibration);
	vrs_calibrator_destroy(calibrator);
}

static enum vrs_status settle(int *ret_precision, struct vrs_error *err)
{
	struct vrs_settings own = settings;
	char reason[80];

	*err = (struct vrs_error){0};
	enum vrs_status status = vrs_precision_settle(&own, reason, sizeof reason, err);
	*ret_precision = own.engine.precision;
	return status;
}

static void a_calibration_that_passed_is_taken(void **state)
{
	struct vrs_error err;
	int precision;

	(void)state;
	assert_int_equal(settle(&precision, &err), VRS_OK);
	assert_int_equal(precision, VRS_PRECISION_INT8);
}

static void memory_that_is_short_ends_it(void **state)
{
	struct vrs_error err;
	int precision, failures = 0;
	uint64_t n = 0;
	bool fired = true;

	(void)state;
	while (fired && ++n < MOST_ALLOCATIONS) {
		vrs_mem_fail_after(n, false);
		enum vrs_status status = settle(&precision, &err);
		fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		if (status != VRS_ENOMEM && (status != VRS_OK || precision != VRS_PRECISION_INT8))
			fail_msg("allocation %d: %s, precision %s", (int)n, vrs_status_name(status), vrs_precision_name((enum vrs_precision)precision));
		failures += status == VRS_ENOMEM;
	}
	assert_false(fired);
	assert_true(failures > 10);
}

static void descriptors_that_are_short_end_it(void **state)
{
	struct rlimit limit, none;
	struct vrs_error err;
	int precision;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){.rlim_max = limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	enum vrs_status status = settle(&precision, &err);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(status, VRS_EIO);
	assert_non_null(strstr(err.text, "selfie_segmentation"));
}

static void a_size_is_not_taken_for_none(void **state)
{
	const struct vrs_layout layout = {.stereo = VRS_STEREO_MONO, .projection = VRS_PROJECTION_FLAT, .pixel_aspect = 1};
	const struct vrs_picture_format format = {.width = 640, .height = 360, .planes = 3, .bit_depth = 8};
	struct vrs_settings own = settings;

	(void)state;
	memcpy(own.engine.model, "rvm_mobilenetv3", sizeof "rvm_mobilenetv3");
	vrs_mem_fail_after(1, false);
	enum vrs_status status = vrs_roi_settle_size(&own, &layout, &format, NULL);
	vrs_mem_fail_after(0, false);
	assert_int_equal(status, VRS_ENOMEM);
	own.pipeline.processes = true;
	vrs_mem_fail_after(1, false);
	status = vrs_network_settle_processes(&own, NULL);
	vrs_mem_fail_after(0, false);
	assert_int_equal(status, VRS_ENOMEM);
}

static int make(void **state)
{
	struct vrs_network network;
	char cache[VRS_PATH_MAX];

	(void)state;
	if (scratch_folder_enter("test_precision") != 0 || !small_network_settings(&settings) || !getcwd(cache, sizeof cache))
		return -1;
	setenv("XDG_CACHE_HOME", cache, 1);
	struct vrs_settings own = settings;
	own.engine.precision = VRS_PRECISION_FP32;
	assert_int_equal(vrs_network_open(&network, &own, 1, 1, NULL), VRS_OK);
	calibrate(&network);
	vrs_network_fini(&network);
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	return scratch_folder_remove("test_precision");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_calibration_that_passed_is_taken),
		cmocka_unit_test(memory_that_is_short_ends_it),
		cmocka_unit_test(descriptors_that_are_short_end_it),
		cmocka_unit_test(a_size_is_not_taken_for_none),
	};
	struct vrs_manifest manifest;

	if (vrs_manifest_load(&manifest, "selfie_segmentation", NULL) != VRS_OK || !vrs_path_exists(manifest.file))
		return 77;
	return cmocka_run_group_tests(tests, make, clean_up);
}
