/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what a search tries of devices: the backend opencl only where there is an OpenCL GPU, options of a backend only with it, of precisions those
 * that it has and threads only on the CPU, each with its reason where it is left out; and what the user sets or lists counts more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "small_network.h"
#include "tuner/device_space.h"
#include "tuner/space.h"

static struct vrs_space make_space(const char *key, const char *value, bool has_gpu)
{
	struct vrs_config *config = NULL;
	struct vrs_space space;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	assert_true(small_network_config(config));
	if (key)
		assert_int_equal(vrs_config_set(config, key, value, VRS_SOURCE_FLAG, "--flag", NULL), VRS_OK);
	if (vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 4, .has_opencl_gpu = has_gpu},
			    "backend device_tune affinity autotune_kernels batch_size precision threads", &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_config_destroy(config);
	return space;
}

static const struct vrs_knob *knob_of(const struct vrs_space *space, const char *key)
{
	for (int i = 0; i < space->count; i++)
		if (strcmp(space->knobs[i].row->key, key) == 0)
			return &space->knobs[i];
	return NULL;
}

static const char *reason_of(const struct vrs_space *space, const char *what)
{
	for (int i = 0; i < space->rejected_count; i++)
		if (strcmp(space->rejected[i].what, what) == 0)
			return space->rejected[i].why;
	return "";
}

static void on_a_cpu(void **state)
{
	(void)state;
	struct vrs_space space = make_space(NULL, NULL, false);
	assert_null(knob_of(&space, "engine.backend"));
	assert_string_equal(reason_of(&space, "engine.backend"), "no OpenCL GPU was found; ref and null are for comparisons");
	assert_null(knob_of(&space, "engine.device_tune"));
	assert_string_equal(reason_of(&space, "engine.device_tune"), "it is for --backend opencl");
	assert_non_null(knob_of(&space, "engine.affinity"));
	assert_non_null(knob_of(&space, "engine.autotune_kernels"));
	assert_non_null(knob_of(&space, "engine.threads"));
	assert_non_null(knob_of(&space, "engine.precision"));
	assert_true(space.lacks_calibration);
}

static void with_a_gpu(void **state)
{
	(void)state;
	struct vrs_space space = make_space(NULL, NULL, true);
	const struct vrs_knob *backend = knob_of(&space, "engine.backend");
	assert_non_null(backend);
	assert_int_equal(backend->count, 1);
	assert_string_equal(backend->values[0], "opencl");
	assert_string_equal(backend->default_value, "auto");
}

/* What the user has set stays, also without a GPU; then the options of the device are tried, and those of the CPU are not. */
static void on_a_device(void **state)
{
	(void)state;
	struct vrs_space space = make_space("engine.backend", "opencl", false);
	assert_null(knob_of(&space, "engine.backend"));
	assert_non_null(strstr(space.fixed, "engine.backend (flag)"));
	const struct vrs_knob *tune = knob_of(&space, "engine.device_tune");
	assert_non_null(tune);
	assert_int_equal(tune->count, 2);
	assert_string_equal(tune->values[0], "fast");
	assert_string_equal(tune->values[1], "full");
	assert_null(knob_of(&space, "engine.affinity"));
	assert_string_equal(reason_of(&space, "engine.affinity"), "it is for --backend cpu");
	assert_string_equal(reason_of(&space, "engine.autotune_kernels"), "it is for --backend cpu");
	assert_non_null(knob_of(&space, "engine.batch_size"));
	assert_null(knob_of(&space, "engine.threads"));
	assert_string_equal(reason_of(&space, "engine.threads"), "a device computes the network, with threads of its own");
	space = make_space("engine.backend", "cpu,opencl", false); /* named, so it is tried, whatever the device */
	assert_non_null(knob_of(&space, "engine.backend"));
	assert_string_equal(knob_of(&space, "engine.backend")->values[0], "opencl");
}

/* A precision that no device computes is not tried, and nothing is calibrated for it. */
static void precisions_of_devices(void **state)
{
	(void)state;
	struct vrs_space space = make_space("engine.backend", "opencl", false);
	const struct vrs_knob *precision = knob_of(&space, "engine.precision");
	assert_non_null(precision);
	assert_string_equal(precision->default_value, "fp32");
	assert_int_equal(precision->count, 1);
	assert_string_equal(precision->values[0], "fp16");
	assert_string_equal(reason_of(&space, "engine.precision bf16"), "the OpenCL backend computes in fp32 or fp16, not in bf16");
	assert_string_equal(reason_of(&space, "engine.precision int8"),
			    "the OpenCL backend computes in fp32 or fp16, and in int8 only with --device-math dot");
	assert_false(space.lacks_calibration);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(on_a_cpu), cmocka_unit_test(with_a_gpu), cmocka_unit_test(on_a_device),
					    cmocka_unit_test(precisions_of_devices)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
