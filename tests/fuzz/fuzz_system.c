/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any machine: files of /proc and /sys, and the record of changed settings, as the bytes say.  A line "@PATH" begins a file; "@state" is the record.
 * No input harms, what is reported keeps its limits and is finite, and putting settings back writes below the root only.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <vrseg/machine.h>
#include <vrseg/noise.h>
#include <vrseg/system_settings.h>

#include "base/mem.h"
#include "machine/cgroup.h"
#include "require.h"
#include "scratch_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libpci loses what it has opened, a folder and a context of libudev too, when a file of /sys makes it call its error function. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libpci.so\nleak:__alloc_dir\nleak:udev_new\n";
}

static const struct scratch_alias record = {"state", "state"};

static void read_machine(void)
{
	static struct vrs_machine machine;
	struct vrs_cgroup cgroup;
	cJSON *json = NULL;

	require(vrs_machine_detect(&machine, true) == VRS_OK);
	vrs_machine_read_sensors(&machine);
	require(machine.allowed_threads >= 1 && machine.allowed_cores >= 1);
	require(machine.sensor_count <= VRS_MACHINE_MAX_SENSORS && machine.gpu_count <= VRS_MACHINE_MAX_GPUS);
	require(machine.absent_count <= VRS_MACHINE_MAX_ABSENT);
	for (int i = 0; i < machine.sensor_count; i++)
		require(isfinite(machine.sensors[i].value));
	require(vrs_machine_json(&machine, &json) == VRS_OK);
	cJSON_Delete(json);
	vrs_cgroup_read(&cgroup);
	require(cgroup.cpu_quota >= 0 && isfinite(cgroup.cpu_quota));
}

static void read_settings(void)
{
	struct vrs_system_setting *settings = NULL;
	struct vrs_noise_reading noise;
	struct vrs_error err = {0};
	char state[256];
	int count = 0, restored = 0;

	vrs_noise_read(&noise);
	require(noise.cpus >= 0 && !isinf(noise.clock_mhz) && !isinf(noise.busy_seconds));
	require(vrs_system_read(&settings, &count) == VRS_OK && count >= 0 && count <= VRS_SYSTEM_MAX_SETTINGS);
	vrs_free(settings);
	if (vrs_system_reset(scratch_path(state, sizeof state, "state"), &restored, &err) != VRS_OK)
		require(err.text[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[256];

	require(setenv("VRSEG_ROOT", scratch_path(path, sizeof path, SCRATCH_ROOT), 1) == 0);
	scratch_tree_begin();
	scratch_put_files(&record, (const char *)data, size);
	read_machine();
	read_settings();
	scratch_tree_check();
	return 0;
}
