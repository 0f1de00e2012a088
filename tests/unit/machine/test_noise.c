/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: counters of what disturbs a measurement, read from made-up roots: full, empty, a sandbox of zeros; what is not there is absent, never 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vrseg/noise.h>

#include "base/file.h"

static char root[128];

static int set_up(void **state)
{
	(void)state;
	snprintf(root, sizeof root, "/tmp/vrs-test-noise-%d", (int)getpid());
	return setenv("VRSEG_ROOT", root, 1);
}

static int tear_down(void **state)
{
	(void)state;
	char command[200];
	snprintf(command, sizeof command, "rm -rf '%s'", root);
	return system(command);
}

static void put(const char *path, const char *text)
{
	char full[400], folder[400];
	snprintf(full, sizeof full, "%s/%s", root, path);
	snprintf(folder, sizeof folder, "%s", full);
	*strrchr(folder, '/') = 0;
	assert_int_equal(vrs_mkdirs(folder, NULL), VRS_OK);
	assert_int_equal(vrs_file_replace(full, text, strlen(text), NULL), VRS_OK);
}

static void nothing_is_there(void **state)
{
	(void)state;
	struct vrs_noise_reading r;
	assert_int_equal(vrs_mkdirs(root, NULL), VRS_OK);
	vrs_noise_read(&r);
	assert_int_equal(r.cpus, 0);
	assert_true(isnan(r.busy_seconds) && isnan(r.steal_seconds) && isnan(r.clock_mhz));
	assert_int_equal(r.swapped_in_pages, -1);
	assert_int_equal(r.oom_kills, -1);
	assert_int_equal(r.throttle_events, -1);
	assert_int_equal(r.turbo, -1);
	assert_int_equal(r.battery, -1);
	assert_string_equal(r.governor, "");
	assert_true(r.monotonic_ns > 0 && r.boottime_ns >= r.monotonic_ns);
}

static void zeros_of_a_sandbox(void **state)
{
	(void)state;
	struct vrs_noise_reading r;
	put("proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n");
	vrs_noise_read(&r);
	assert_int_equal(r.cpus, 0);
	assert_true(isnan(r.busy_seconds));
}

static void all_is_there(void **state)
{
	(void)state;
	struct vrs_noise_reading r;
	put("proc/stat", "cpu  300 20 100 9000 50 6 4 30 7 0\ncpu0 100 10 50 4500 25 3 2 10 7 0\ncpu1 200 10 50 4500 25 3 2 20 0 0\nintr 5\n");
	put("proc/vmstat", "nr_free_pages 5\npswpin 77\npswpout 5\noom_kill 3\n");
	put("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1800000\n");
	put("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3100000\n");
	put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
	put("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
	put("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "4\n");
	put("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "5\n");
	put("sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "2\n");
	put("sys/class/power_supply/BAT0/type", "Battery\n");
	put("sys/class/power_supply/BAT0/status", "Discharging\n");
	vrs_noise_read(&r);
	assert_int_equal(r.cpus, 2);
	double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
	/* user, nice, system, irq and softirq; idle, waiting and steal are not busy, and guest time is part of user time. */
	assert_true(fabs(r.busy_seconds - 430 * tick) < 1e-9);
	assert_true(fabs(r.steal_seconds - 30 * tick) < 1e-9);
	assert_float_equal(r.clock_mhz, 3100, 1e-9);
	assert_float_equal(vrs_noise_clock_mhz(), 3100, 1e-9);
	assert_int_equal(r.swapped_in_pages, 77);
	assert_int_equal(r.oom_kills, 3);
	assert_int_equal(r.throttle_events, 11);
	assert_string_equal(r.governor, "powersave");
	assert_int_equal(r.battery, 1);
	/* A hypervisor that reports no steal is not one that takes none. */
	put("proc/stat", "cpu  300 20 100 9000 50 6 4 0 7 0\ncpu0 100 10 50 4500 25 3 2 0 7 0\n");
	vrs_noise_read(&r);
	assert_int_equal(r.cpus, 1);
	assert_true(isnan(r.steal_seconds));
	put("proc/vmstat", "pswpinned 9\noom_kill x\n");
	vrs_noise_read(&r);
	assert_int_equal(r.swapped_in_pages, -1);
	assert_int_equal(r.oom_kills, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_there),
		cmocka_unit_test(zeros_of_a_sandbox),
		cmocka_unit_test(all_is_there),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
