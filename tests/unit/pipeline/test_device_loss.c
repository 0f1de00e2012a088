/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what a job is made again with when a device was lost: the devices that are left, then the CPU, with the settings of a job that was begun
 * there, but in the precision that it had; one line says so; a second job that loses the same device changes and tells nothing.  And when a job may
 * be made again: never where an input cannot be read twice, nor where somebody has seen the header of its output.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <vrseg/config.h>
#include <vrseg/log.h>
#include <vrseg/pipeline.h>

static char told[512];
static int lines;

static void listen(void *cookie, enum vrs_log_level level, const char *line)
{
	(void)cookie;
	assert_int_equal(level, VRS_LOG_WARNING);
	snprintf(told, sizeof told, "%s", line);
	lines++;
}

static struct vrs_settings settings_of(const char *device)
{
	struct vrs_config *config;

	assert_int_equal(vrs_config_create(&config), VRS_OK);
	assert_int_equal(vrs_config_set(config, "engine.backend", "opencl", VRS_SOURCE_FLAG, NULL, NULL), VRS_OK);
	assert_int_equal(vrs_config_set(config, "engine.device", device, VRS_SOURCE_FLAG, NULL, NULL), VRS_OK);
	assert_int_equal(vrs_config_set(config, "engine.device_tune", "fast", VRS_SOURCE_FLAG, NULL, NULL), VRS_OK);
	struct vrs_settings settings = *vrs_config_settings(config);
	vrs_config_destroy(config);
	return settings;
}

static void down(void **state)
{
	struct vrs_settings settings = settings_of("0+1+2");
	const struct vrs_job_info info = {.precision = VRS_PRECISION_FP16}, none = {0};
	const struct vrs_error why = {.status = VRS_EDEVICE, .text = "the device X failed: it fell"};

	(void)state;
	assert_true(vrs_device_down(&settings, &none, "1+2", &why));
	assert_string_equal(settings.engine.device, "1+2");
	assert_string_equal(settings.engine.backend, "opencl");
	assert_int_equal(settings.engine.device_tune, VRS_DEVICE_TUNE_FAST);
	assert_int_equal(settings.engine.precision, VRS_PRECISION_AUTO);
	assert_string_equal(told, "the device X failed: it fell; what is not finished is made again on devices 1+2");
	assert_true(vrs_device_down(&settings, &info, "2", &why));
	assert_string_equal(told, "the device X failed: it fell; what is not finished is made again on device 2");
	assert_int_equal(settings.engine.precision, VRS_PRECISION_FP16);
	assert_true(vrs_device_down(&settings, &info, "", &why));
	assert_string_equal(told, "the device X failed: it fell; what is not finished is made again on the CPU");
	assert_string_equal(settings.engine.backend, "cpu");
	assert_string_equal(settings.engine.device, "auto");
	assert_int_equal(settings.engine.device_tune, VRS_DEVICE_TUNE_NONE);
	assert_int_equal(lines, 3);
	const struct vrs_settings before = settings;
	assert_true(vrs_device_down(&settings, &none, "1", &why)); /* of a job that had begun earlier */
	assert_memory_equal(&settings, &before, sizeof settings);
	assert_int_equal(lines, 3);
}

/* A device that was replaced within the job is told by its session. */
static void leave(void **state)
{
	struct vrs_settings settings = settings_of("all");

	(void)state;
	lines = 0;
	vrs_device_leave(&settings, "1");
	assert_string_equal(settings.engine.device, "1");
	vrs_device_leave(&settings, "");
	assert_string_equal(settings.engine.backend, "cpu");
	vrs_device_leave(&settings, "1");
	assert_string_equal(settings.engine.device, "auto");
	assert_int_equal(lines, 0);
}

static void again_only_what_nobody_has_seen(void **state)
{
	static const struct {
		const char *input, *output;
		bool at_first, begun;
	} cases[] = {
		{"in.mp4", "out.mp4", true, true},        {"in.mp4", "null:", true, true},         {"in.mp4", "hash:out.txt", true, true},
		{"in.mp4", "y4m:-", true, false},         {"in.mp4", "hash:-", true, false},       {"in.mp4", "y4m:/dev/null", true, false},
		{"in.mp4", "/dev/null", true, false},     {"in.mp4", "udp://x:1", true, false},    {"in.mp4", "test_device_loss.pipe", true, false},
		{"in.mp4", "y4m:test_device_loss.pipe", true, false},
		{"-", "out.mp4", false, false},           {"udp://x:1", "null:", false, false},    {"/dev/zero", "out.mp4", false, false},
	};
	struct vrs_settings settings = settings_of("all");

	(void)state;
	(void)unlink("test_device_loss.pipe");
	assert_int_equal(mkfifo("test_device_loss.pipe", 0600), 0);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		snprintf(settings.output.file, sizeof settings.output.file, "%s", cases[i].output);
		if (vrs_job_repeats(&settings, cases[i].input, false) != cases[i].at_first ||
		    vrs_job_repeats(&settings, cases[i].input, true) != cases[i].begun)
			fail_msg("%s to %s", cases[i].input, cases[i].output);
	}
	assert_int_equal(unlink("test_device_loss.pipe"), 0);
	settings.pipeline.live = true;
	assert_false(vrs_job_repeats(&settings, "in.mp4", false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(down), cmocka_unit_test(leave), cmocka_unit_test(again_only_what_nobody_has_seen)};

	vrs_log_set_sink(listen, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
