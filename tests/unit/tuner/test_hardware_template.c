/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the starting points of a search: the hardware profile is that of the machine's GPU or CPU by name, else by memory; its values come first, as
 * values of the space that a search may refuse, and never against what the user gave.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "small_network.h"
#include "tuner/hardware_template.h"

static void names_match_words(void **state)
{
	static const struct {
		const char *name, *device;
		int words;
	} cases[] = {
		{"rtx-3080", "NVIDIA GeForce RTX 3080", 2}, {"rtx-2080-ti", "TU102 [GeForce RTX 2080 Ti]", 3}, {"rtx-2080-ti", "NVIDIA GeForce RTX 2080", 0},
		{"rtx-3080", "RTX 30801", 0},               {"rtx-3080", "RTX Ada 3080", 0},                   {"cpu-only", "CPU", 0},
		{"rtx-3080", "", 0},
		{"rtx-4060", "NVIDIA GeForce RTX 4060 Laptop GPU", 2}, {"rtx-4060-ti", "NVIDIA GeForce RTX 4060 Ti", 3}, {"rtx-5090", "NVIDIA GeForce RTX 5090", 2},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(vrs_template_match(cases[i].name, cases[i].device), cases[i].words);
}

static void the_machine_decides(void **state)
{
	static const struct {
		const char *gpu;
		uint64_t gpu_gib, memory_gib, limit_gib;
		const char *name, *why;
	} cases[] = {
		{"GA102 [GeForce RTX 3080]", 10, 32, 0, "rtx-3080", "the hardware profile for the GPU, GA102 [GeForce RTX 3080]"},
		{"TU102 [GeForce RTX 2080 Ti]", 11, 4, 0, "rtx-2080-ti", "the hardware profile for the GPU, TU102"},
		{"Radeon Pro", 16, 32, 0, "high-throughput-16gb", "a GPU has 16.0 GiB"},
		{NULL, 0, 32, 6, "memory-constrained-8gb", "6.0 GiB of memory may be used"},
		{NULL, 0, 32, 64, "cpu-only", "none is for this CPU or a GPU"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		static struct vrs_machine m;
		char name[64], why[160];
		m = (struct vrs_machine){.cpu_model = "AMD EPYC 7543", .memory_bytes = cases[i].memory_gib << 30, .memory_limit_bytes = cases[i].limit_gib << 30};
		if (cases[i].gpu) {
			m.gpu_count = 1;
			m.gpus[0].memory_bytes = cases[i].gpu_gib << 30;
			assert_true(vrs_strcpy(m.gpus[0].device, sizeof m.gpus[0].device, cases[i].gpu));
		}
		assert_int_equal(vrs_template_choose(&m, name, sizeof name, why, sizeof why, NULL), VRS_OK);
		assert_string_equal(name, cases[i].name);
		assert_non_null(strstr(why, cases[i].why));
	}
}

/* A GPU that only OpenCL lists, and that no file names, counts by its memory; a machine with one is none with a CPU alone. */
static void opencl_gpu_without_a_file(void **state)
{
	static struct vrs_machine m;
	char name[64], why[160];
	(void)state;
	m = (struct vrs_machine){.cpu_model = "AMD EPYC 7543", .memory_bytes = UINT64_C(32) << 30, .cl_count = 1};
	m.cl[0] = (struct vrs_cl_device){.name = "NVIDIA L40S", .is_gpu = true, .global_bytes = UINT64_C(48) << 30};
	assert_int_equal(vrs_template_choose(&m, name, sizeof name, why, sizeof why, NULL), VRS_OK);
	assert_string_equal(name, "high-throughput-16gb");
	assert_non_null(strstr(why, "a GPU has 48.0 GiB"));
	m.cl[0].global_bytes = UINT64_C(12) << 30;
	assert_int_equal(vrs_template_choose(&m, name, sizeof name, why, sizeof why, NULL), VRS_ENOTFOUND);
	m.cl[0].is_gpu = false;
	assert_int_equal(vrs_template_choose(&m, name, sizeof name, why, sizeof why, NULL), VRS_OK);
	assert_string_equal(name, "cpu-only");
}

/* Drivers of OpenCL name GPUs too, where the list of PCI devices has no name for them; PoCL names a CPU, which no card is. */
static void opencl_names_devices(void **state)
{
	static struct vrs_machine m;
	static const struct {
		const char *device, *name;
	} cases[] = {
		{"NVIDIA GeForce RTX 4060", "rtx-4060"}, {"NVIDIA GeForce RTX 4060 Ti", "rtx-4060-ti"}, {"NVIDIA GeForce RTX 4070 SUPER", "rtx-4070"},
		{"NVIDIA GeForce RTX 4080", "rtx-4080"}, {"NVIDIA GeForce RTX 4090", "rtx-4090"},       {"NVIDIA GeForce RTX 5070", "rtx-5070"},
		{"NVIDIA GeForce RTX 5080", "rtx-5080"}, {"NVIDIA GeForce RTX 5090", "rtx-5090"},       {"pthread-AMD EPYC 7543 32-Core Processor", "cpu-only"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char name[64], why[160];
		m = (struct vrs_machine){.cpu_model = "AMD EPYC 7543", .memory_bytes = UINT64_C(32) << 30, .cl_count = 1};
		assert_true(vrs_strcpy(m.cl[0].name, sizeof m.cl[0].name, cases[i].device));
		assert_int_equal(vrs_template_choose(&m, name, sizeof name, why, sizeof why, NULL), VRS_OK);
		assert_string_equal(name, cases[i].name);
	}
}

static const struct vrs_knob *knob_of(const struct vrs_space *space, const char *key)
{
	for (int i = 0; i < space->count; i++)
		if (strcmp(space->knobs[i].row->key, key) == 0)
			return &space->knobs[i];
	return NULL;
}

/* The space for eight CPUs. */
static struct vrs_space empty_space(void)
{
	struct vrs_config *config;
	struct vrs_space space;
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	assert_true(small_network_config(config));
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 8}, "queue_size streams preset", NULL), VRS_OK);
	vrs_config_destroy(config);
	return space;
}

/* The space for eight CPUs with the values of a template. */
static struct vrs_space make_space(const char *template, const char *key, const char *value)
{
	struct vrs_config *config;
	struct vrs_space space;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	assert_true(small_network_config(config));
	if (key)
		assert_int_equal(vrs_config_set(config, key, value, VRS_SOURCE_FLAG, "--flag", NULL), VRS_OK);
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 8},
					 "batch_size queue_size streams decode_workers threads preset", NULL), VRS_OK);
	if (vrs_template_apply(&space, template, "it is a test", &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_config_destroy(config);
	return space;
}

static void its_values_come_first(void **state)
{
	(void)state;
	struct vrs_space space = make_space("high-throughput-16gb", NULL, NULL);
	assert_string_equal(knob_of(&space, "engine.batch_size")->values[0], "24"); /* the table has no such value */
	assert_string_equal(knob_of(&space, "pipeline.queue_size")->start, "32");
	assert_string_equal(space.start, "Values to try first: engine.batch_size 24, pipeline.decode_workers 4, pipeline.queue_size 32, of "
					 "high-throughput-16gb (it is a test).");
	assert_string_equal(knob_of(&space, "engine.threads")->start, "");
}

/* The template of a CPU alone says what the defaults are: what is worth a try depends on the machine, and on the preset that the user has. */
static void a_cpu_alone_has_values(void **state)
{
	(void)state;
	struct vrs_space space = make_space("cpu-only", NULL, NULL);
	assert_string_equal(space.start, "Values to try first: output.preset superfast, engine.streams 8, of cpu-only (it is a test).");
	assert_string_equal(knob_of(&space, "output.preset")->values[0], "superfast");
	assert_string_equal(knob_of(&space, "engine.streams")->values[0], "8");
	space = make_space("cpu-only", "output.preset", "medium,fast,slow");
	assert_string_equal(knob_of(&space, "output.preset")->start, "fast");
	space = make_space("cpu-only", "output.preset", "medium,slow");
	assert_string_equal(knob_of(&space, "output.preset")->start, "");
	space = make_space("cpu-only", "output.preset", "ultrafast,veryfast"); /* there is none faster */
	assert_string_equal(knob_of(&space, "output.preset")->start, "");
}

static void what_the_user_gave_stays(void **state)
{
	(void)state;
	struct vrs_space space = make_space("high-throughput-16gb", "engine.batch_size", "2");
	assert_null(knob_of(&space, "engine.batch_size"));
	space = make_space("high-throughput-16gb", "engine.batch_size", "2-8");
	assert_string_equal(knob_of(&space, "engine.batch_size")->start, "");
	space = make_space("high-throughput-16gb", "pipeline.queue_size", "4,8,32");
	assert_string_equal(knob_of(&space, "pipeline.queue_size")->values[0], "32");
	space = make_space("rtx-4090", "pipeline.queue_size", "4,9");
	assert_string_equal(knob_of(&space, "pipeline.queue_size")->start, "");
}

/* A file of the user is that file, also where its name is one of a template and has neither folder nor ending. */
static void files_are_no_templates(void **state)
{
	static const char *const names[] = {"candfile", "cpu-only", "rtx-2060"};
	static const char text[] = "pipeline: {queue_size: 3}\n";
	char folder[] = "/tmp/vrs-test-candidate-XXXXXX", before[VRS_PATH_MAX];
	(void)state;
	assert_non_null(getcwd(before, sizeof before));
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct vrs_space space = empty_space();
		struct vrs_error err = {.status = VRS_OK};
		char said[96];
		assert_int_equal(vrs_file_replace(names[i], text, strlen(text), NULL), VRS_OK);
		if (vrs_template_apply_file(&space, names[i], "--candidate", &err) != VRS_OK)
			fail_msg("%s", err.text);
		snprintf(said, sizeof said, "Values to try first: pipeline.queue_size 3, of %s (--candidate).", names[i]);
		assert_string_equal(space.start, said);
		assert_int_equal(unlink(names[i]), 0);
	}
	assert_int_equal(chdir(before), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_match_words), cmocka_unit_test(the_machine_decides), cmocka_unit_test(opencl_gpu_without_a_file),
		cmocka_unit_test(opencl_names_devices),
		cmocka_unit_test(a_cpu_alone_has_values),
		cmocka_unit_test(its_values_come_first),
		cmocka_unit_test(what_the_user_gave_stays),
		cmocka_unit_test(files_are_no_templates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
