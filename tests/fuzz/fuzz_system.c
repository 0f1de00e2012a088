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

#include "base/file.h"
#include "base/mem.h"
#include "machine/cgroup.h"
#include "require.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

#define MAX_FILES 300

/* libpci loses what it has opened, a folder too, when a file of /sys makes it call its error function, which may not return. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libpci.so\nleak:__alloc_dir\n";
}

/* Below the root whatever the name says: no part of it is empty or begins with a dot. */
static bool is_plain(const char *path, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		char c = path[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("_-.:/", c) != NULL))
			return false;
		if ((c == '.' || c == '/') && (i == 0 || path[i - 1] == '/'))
			return false;
	}
	return length > 0 && length < 150 && path[length - 1] != '/';
}

static void put_file(const char *name, size_t length, const char *text, size_t size)
{
	char path[600], relative[200], folder[PATH_MAX];

	if (!is_plain(name, length))
		return;
	(void)snprintf(relative, sizeof relative, "%s%.*s", length == 5 && memcmp(name, "state", 5) == 0 ? "" : "root/", (int)length, name);
	vrs_path_folder(folder, scratch_path(path, sizeof path, relative));
	if (vrs_mkdirs(folder, NULL) == VRS_OK && !vrs_path_is_dir(path) && strlen(vrs_path_base(path)) < 200)
		scratch_write(path, text, size);
}

static void put_files(const char *text, size_t size)
{
	const char *end = text + size;

	for (int i = 0; i < MAX_FILES && text < end && *text == '@'; i++) {
		const char *line = memchr(text, '\n', (size_t)(end - text)), *next;

		if (line == NULL)
			return;
		next = memmem(line, (size_t)(end - line), "\n@", 2);
		put_file(text + 1, (size_t)(line - text - 1), line + 1, next == NULL ? (size_t)(end - line - 1) : next < line + 1 ? 0 : (size_t)(next - line));
		text = next == NULL ? end : next + 1;
	}
}

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
	FILE *canary;

	require(setenv("VRSEG_ROOT", scratch_path(path, sizeof path, "root"), 1) == 0);
	scratch_remove();
	require(mkdir(scratch_folder, 0700) == 0 && mkdir(path, 0700) == 0);
	scratch_write(scratch_path(path, sizeof path, "canary"), "c", 1);
	put_files((const char *)data, size);
	read_machine();
	read_settings();
	canary = fopen(scratch_path(path, sizeof path, "canary"), "rb");
	require(canary != NULL && fgetc(canary) == 'c' && fgetc(canary) == EOF);
	fclose(canary);
	return 0;
}
