/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards how frames are spread over devices: over all of one kind; over the first alone where the network is recurrent, or where deterministic output
 * does not allow devices that differ; over no more than there are streams; what is left idle is told, and refused with --strict.  Each worker's list
 * begins with its own device and has all others behind it.  Devices that give other bits have another name for their kernels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "roi/roi_devices.h"

#include <vrseg/config.h>
#include <vrseg/log.h>

static char told[1024];

static void listen(void *cookie, enum vrs_log_level level, const char *line)
{
	(void)cookie, (void)level;
	snprintf(told, sizeof told, "%s", line);
}

/*
 * "A" to "Z": the names of devices; a small letter is the device of the capital one with another driver, a digit one with the name and driver of "A"
 * that adds in another order.
 */
static struct vrs_device_set set_of(const char *names)
{
	struct vrs_device_set set = {.count = 0};

	for (; *names; names++) {
		struct vrs_device_entry *entry = &set.device[set.count];

		snprintf(entry->text, sizeof entry->text, "%d", set.count++);
		entry->name[0] = *names >= 'a' ? (char)(*names - 'a' + 'A') : *names >= 'A' ? *names : 'A';
		entry->driver[0] = *names >= 'a' ? '2' : '1';
		entry->order = *names < 'A' ? (uint64_t)*names : 0;
	}
	return set;
}

static struct vrs_settings settings_of(bool deterministic, int streams)
{
	struct vrs_settings settings;

	memset(&settings, 0, sizeof settings);
	settings.engine.deterministic = deterministic;
	settings.engine.streams = streams;
	return settings;
}

static void spread(void **state)
{
	static const struct {
		const char *names, *recurrent;
		bool deterministic;
		int streams, count;
		const char *told; /* NULL: nothing */
	} cases[] = {
		{"A", NULL, true, 0, 1, NULL}, {"A", "rvm", true, 1, 1, NULL}, {"AAA", NULL, true, 0, 3, NULL}, {"AAA", NULL, true, 5, 3, NULL},
		{"AB", NULL, false, 0, 2, NULL},
		{"AA", "rvm", false, 1, 1, "the network rvm is recurrent, so its frames go one after another through the first of 2 devices, A"},
		{"AB", NULL, true, 0, 1, "devices of different models or drivers give different bits, so all frames go through the first of 2, A; "
					 "--no-deterministic uses all"},
		{"AAA", NULL, true, 2, 2, "with engine.streams 2, only the first 2 of 3 devices are used; raise it, or leave it out"},
		{"Aa", NULL, true, 0, 1, NULL}, /* told before */
		{"A1", NULL, true, 0, 1, NULL}, {"11", NULL, true, 0, 2, NULL},
	};

	(void)state;
	vrs_log_set_sink(listen, NULL);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct vrs_device_set set = set_of(cases[i].names);
		struct vrs_settings settings = settings_of(cases[i].deterministic, cases[i].streams);
		struct vrs_roi_devices devices;
		struct vrs_error err = {0};

		told[0] = '\0';
		assert_int_equal(vrs_roi_devices_spread(&devices, &set, &settings, cases[i].recurrent, &err), VRS_OK);
		if (devices.count != cases[i].count || strcmp(told, cases[i].told ? cases[i].told : "") != 0)
			fail_msg("case %zu: %d devices, \"%s\"", i, devices.count, told);
		assert_int_equal(devices.set.count, (int)strlen(cases[i].names));
		settings.report.strict = true;
		enum vrs_status strict = vrs_roi_devices_spread(&devices, &set, &settings, cases[i].recurrent, &err);
		assert_int_equal(strict, devices.count < devices.set.count ? VRS_ECONFIG : VRS_OK);
	}
	vrs_log_set_sink(NULL, NULL);
}

static void lists(void **state)
{
	struct vrs_device_set set = set_of("AAA");
	const struct vrs_settings settings = settings_of(true, 2);
	struct vrs_roi_devices devices;

	(void)state;
	assert_int_equal(vrs_roi_devices_spread(&devices, &set, &settings, NULL, NULL), VRS_OK);
	assert_string_equal(vrs_roi_devices_of(&devices, 0), "0+1+2");
	assert_string_equal(vrs_roi_devices_of(&devices, 1), "1+2+0");
	assert_ptr_equal(vrs_roi_devices_of(&devices, 4), devices.text[0]);
	assert_int_equal(vrs_roi_devices_first(&devices, 1), 1);
	assert_int_equal(vrs_roi_devices_first(&devices, 5), 1);
	set = set_of("AAAAAAAAAAAAAAAA");
	const struct vrs_settings many = settings_of(true, 0);
	assert_int_equal(vrs_roi_devices_spread(&devices, &set, &many, NULL, NULL), VRS_OK);
	assert_int_equal(devices.count, VRS_DEVICES_MAX);
	assert_string_equal(vrs_roi_devices_of(&devices, 15), "15+0+1+2+3+4+5+6+7+8+9+10+11+12+13+14");
}

static void no_devices(void **state)
{
	const struct vrs_settings settings = settings_of(true, 0);
	const struct vrs_device_set none = {.count = 0};
	struct vrs_roi_devices devices;
	struct vrs_job_info info = {.kernels = "avx2"};

	(void)state;
	assert_int_equal(vrs_roi_devices_spread(&devices, &none, &settings, NULL, NULL), VRS_OK);
	assert_int_equal(devices.count, 0);
	assert_null(vrs_roi_devices_of(&devices, 3));
	assert_int_equal(vrs_roi_devices_first(&devices, 3), 0);
	vrs_roi_devices_describe(&devices, &info);
	assert_string_equal(info.kernels, "avx2");
	assert_int_equal(info.devices, 0);
}

static void describe(const char *names, struct vrs_job_info *info)
{
	const struct vrs_device_set set = set_of(names);
	const struct vrs_settings settings = settings_of(false, 0);
	struct vrs_roi_devices devices;

	memset(info, 0, sizeof *info);
	snprintf(info->device, sizeof info->device, "A");
	snprintf(info->kernels, sizeof info->kernels, "opencl-11111111");
	assert_int_equal(vrs_roi_devices_spread(&devices, &set, &settings, NULL, NULL), VRS_OK);
	vrs_roi_devices_describe(&devices, info);
}

static void descriptions(void **state)
{
	struct vrs_job_info one, two, three, unlike, drivers, orders;

	(void)state;
	describe("A", &one);
	assert_string_equal(one.kernels, "opencl-11111111");
	assert_string_equal(one.device, "A");
	describe("AA", &two);
	describe("AAA", &three);
	assert_string_equal(two.device, "A + A");
	assert_int_equal(three.devices, 3);
	assert_string_equal(two.kernels, three.kernels);
	assert_int_equal(strncmp(two.kernels, "opencl-", 7), 0);
	describe("AB", &unlike);
	describe("Aa", &drivers);
	assert_string_not_equal(unlike.kernels, two.kernels);
	assert_string_not_equal(drivers.kernels, two.kernels);
	assert_string_not_equal(drivers.kernels, unlike.kernels);
	describe("A1", &orders);
	assert_string_not_equal(orders.kernels, two.kernels);
	describe("11", &orders);
	assert_string_not_equal(orders.kernels, two.kernels);
}

static void who_is_to_blame(void **state)
{
	const struct vrs_device_set one = set_of("A"), two = set_of("AA");
	const struct vrs_settings settings = settings_of(true, 0);
	struct vrs_roi_devices devices;
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_roi_devices_spread(&devices, &one, &settings, NULL, NULL), VRS_OK);
	(void)vrs_fail(&err, VRS_EDEVICE, "it fell");
	vrs_roi_devices_blame(&devices, "0", &err);
	assert_string_equal(err.text, "the device A failed: it fell");
	assert_int_equal(err.status, VRS_EDEVICE);
	assert_int_equal(vrs_roi_devices_spread(&devices, &two, &settings, NULL, NULL), VRS_OK);
	(void)vrs_fail(&err, VRS_EDEVICE, "it fell");
	vrs_roi_devices_blame(&devices, "1+0", &err);
	assert_string_equal(err.text, "the device A (number 1) failed: it fell");
	(void)vrs_fail(&err, VRS_EDEVICE, "it fell");
	vrs_roi_devices_blame(&devices, NULL, &err);
	assert_string_equal(err.text, "it fell");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spread), cmocka_unit_test(lists), cmocka_unit_test(no_devices), cmocka_unit_test(descriptions),
		cmocka_unit_test(who_is_to_blame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
