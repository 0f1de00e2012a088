/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/hardware_template.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/str_parse.h"

#define FOLDER "hardware"
#define CPU_ALONE "cpu-only"
#define LITTLE_MEMORY (8ull << 30)  /* of the machine */
#define MUCH_MEMORY (15ull << 30)   /* of a GPU that is sold with 16 GB */

/* The next word of letters and digits; *ret_length 0: there is none. */
static const char *next_word(const char *text, size_t *ret_length)
{
	while (*text && !isalnum((unsigned char)*text))
		text++;
	*ret_length = 0;
	while (isalnum((unsigned char)text[*ret_length]))
		(*ret_length)++;
	return text;
}

/* Does the device go on with all words of the name? Their number, else 0. */
static int words_follow(const char *name, const char *device)
{
	for (int words = 0;; words++) {
		size_t length, other;
		name = next_word(name, &length);
		device = next_word(device, &other);
		if (length == 0)
			return words;
		if (length != other || strncasecmp(name, device, length) != 0)
			return 0;
		name += length;
		device += other;
	}
}

int vrs_template_match(const char *name, const char *device)
{
	size_t length;
	for (device = next_word(device, &length); length; device = next_word(device + length, &length)) {
		int words = words_follow(name, device);
		if (words)
			return words;
	}
	return 0;
}

/* The template that names the device in more words than *most. */
static void match_device(char *const *names, const char *kind, const char *device, int *most, char *name, size_t name_size, char *why,
			 size_t why_size)
{
	for (; *names; names++) {
		int words = vrs_template_match(*names, device);
		if (words <= *most || !vrs_strcpy(name, name_size, *names))
			continue;
		*most = words;
		snprintf(why, why_size, "the hardware profile for the %s, %s", kind, device);
	}
}

static bool has(char *const *names, const char *name)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

/* Bytes of the GPU that has most, as its kernel driver or its OpenCL driver says; 0: there is none, or its memory is not known. */
static uint64_t most_gpu_memory(const struct vrs_machine *m)
{
	uint64_t most = 0;
	for (int i = 0; i < m->gpu_count; i++)
		most = m->gpus[i].memory_bytes > most ? m->gpus[i].memory_bytes : most;
	for (int i = 0; i < m->cl_count; i++)
		most = m->cl[i].is_gpu && m->cl[i].global_bytes > most ? m->cl[i].global_bytes : most;
	return most;
}

static bool has_opencl_gpu(const struct vrs_machine *m)
{
	for (int i = 0; i < m->cl_count; i++)
		if (m->cl[i].is_gpu)
			return true;
	return false;
}

/* Nothing names a device: by what there is of memory.  A GPU that can compute is no CPU alone, and without a file of its kind there is no start. */
static const char *by_memory(const struct vrs_machine *m, char *const *names, char *why, size_t size)
{
	uint64_t limit = m->memory_limit_bytes, memory = limit && limit < m->memory_bytes ? limit : m->memory_bytes, device = most_gpu_memory(m);
	if (memory && memory <= LITTLE_MEMORY && has(names, "memory-constrained-8gb")) {
		snprintf(why, size, "a hardware profile; %.1f GiB of memory may be used", (double)memory / (1 << 30));
		return "memory-constrained-8gb";
	}
	if (device >= MUCH_MEMORY && has(names, "high-throughput-16gb")) {
		snprintf(why, size, "a hardware profile; a GPU has %.1f GiB of memory", (double)device / (1 << 30));
		return "high-throughput-16gb";
	}
	if (has_opencl_gpu(m))
		return NULL;
	snprintf(why, size, "a hardware profile; none is for this CPU or a GPU");
	return has(names, CPU_ALONE) ? CPU_ALONE : NULL;
}

enum vrs_status vrs_template_choose(const struct vrs_machine *machine, char *name, size_t name_size, char *why, size_t why_size,
				    struct vrs_error *err)
{
	char **names = NULL;
	int most = 0;
	enum vrs_status status = vrs_data_names(FOLDER, &names, err);
	if (status != VRS_OK)
		return status;
	for (int i = 0; i < machine->gpu_count; i++)
		match_device(names, "GPU", machine->gpus[i].device, &most, name, name_size, why, why_size);
	for (int i = 0; i < machine->cl_count; i++)
		match_device(names, "device", machine->cl[i].name, &most, name, name_size, why, why_size);
	match_device(names, "CPU", machine->cpu_model, &most, name, name_size, why, why_size);
	const char *other = most ? name : by_memory(machine, names, why, why_size);
	if (!other)
		status = vrs_fail(err, VRS_ENOTFOUND, "no hardware profile is for this machine");
	else if (other != name)
		(void)vrs_strcpy(name, name_size, other); /* shorter than any buffer for names */
	vrs_data_names_free(names);
	return status;
}

/* The value that a knob of a CPU alone begins with, which no file can say for all machines; false: there is none. */
static bool cpu_value(const struct vrs_space *space, const struct vrs_knob *knob, char *value, size_t size)
{
	static const char *const presets[] = {"veryslow", "slower", "slow", "medium", "fast", "faster", "veryfast", "superfast", "ultrafast"};
	if (strcmp(knob->row->key, "engine.streams") == 0 && space->cpus > 1)
		return snprintf(value, size, "%d", space->cpus) > 0;
	for (size_t i = 0; i + 1 < sizeof presets / sizeof *presets && strcmp(knob->row->key, "output.preset") == 0; i++)
		if (strcmp(presets[i], knob->default_value) == 0)
			return vrs_strcpy(value, size, presets[i + 1]);
	return false;
}

/* A value of the template, or what stands for it; name NULL: of another file. */
static bool find_value(const struct vrs_config *config, const char *name, const struct vrs_space *space, const struct vrs_knob *knob, char *value,
		       size_t size)
{
	bool is_set = vrs_config_source(config, knob->row->key) == VRS_SOURCE_HARDWARE && vrs_config_get(config, knob->row->key, value, size) == VRS_OK;
	if (name && strcmp(name, CPU_ALONE) == 0 && (!is_set || strcmp(value, knob->row->default_text) == 0))
		return cpu_value(space, knob, value, size);
	return is_set;
}

/* Begin with the values of a configuration; name: of the template, NULL: another file; shown: what it is called. */
static void begin_with(struct vrs_space *space, const struct vrs_config *config, const char *name, const char *shown, const char *why)
{
	char value[VRS_NAME_MAX], said[256] = "";
	for (int k = 0; k < space->count; k++) {
		const struct vrs_knob *knob = &space->knobs[k];
		if (!find_value(config, name, space, knob, value, sizeof value) || !vrs_space_prefer(space, k, value))
			continue;
		size_t used = strlen(said);
		snprintf(said + used, sizeof said - used, "%s%s %s", used ? ", " : "", knob->row->key, value);
	}
	if (said[0])
		snprintf(space->start, sizeof space->start, "Values to try first: %s, of %.80s (%.120s).", said, vrs_path_base(shown), why);
}

enum vrs_status vrs_template_apply(struct vrs_space *space, const char *name, const char *why, struct vrs_error *err)
{
	struct vrs_config *config = NULL;
	enum vrs_status status = vrs_config_create(&config);
	if (status == VRS_OK)
		status = vrs_config_load_hardware(config, name, err);
	if (status == VRS_OK)
		begin_with(space, config, name, name, why);
	vrs_config_destroy(config);
	return status;
}

enum vrs_status vrs_template_apply_file(struct vrs_space *space, const char *path, const char *why, struct vrs_error *err)
{
	struct vrs_config *config = NULL;
	enum vrs_status status = vrs_config_create(&config);
	if (status == VRS_OK)
		status = vrs_config_load_file(config, path, VRS_SOURCE_HARDWARE, err);
	if (status == VRS_OK)
		begin_with(space, config, NULL, path, why);
	vrs_config_destroy(config);
	return status;
}
