/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the files in configs/: all of them load without error and without a warning, and "balanced" is the defaults. */
#include "config_check.h"

#include <dirent.h>

#include <vrseg/yaml.h>

static int load_folder(const char *folder, enum vrs_status (*load)(struct vrs_config *, const char *, struct vrs_error *))
{
	char path[512];
	DIR *dir;
	struct dirent *entry;
	int files = 0;

	(void)snprintf(path, sizeof path, "%s/configs/%s", VRS_SOURCE_DIR, folder);
	dir = opendir(path);
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		struct vrs_config *config;
		struct vrs_error err = {0};
		char name[256], *dot, *text;

		(void)snprintf(name, sizeof name, "%.200s", entry->d_name);
		dot = strrchr(name, '.');
		if (!dot || strcmp(dot, ".yaml") != 0)
			continue;
		*dot = '\0';
		config = new_config();
		if (load(config, name, &err) != VRS_OK)
			fail_msg("%s: %s:%d:%d %s", name, err.file, err.line, err.column, err.text);
		text = written(config, VRS_WRITE_CHANGED);
		assert_true(strlen(text) > 0);
		free(text);
		vrs_config_destroy(config);
		files++;
	}
	closedir(dir);
	return files;
}

static void profiles_load_silently(void **state)
{
	(void)state;
	capture_start();
	assert_int_equal(load_folder("profiles", vrs_config_load_profile), 3);
	assert_string_equal(captured_log, "");
}

static void hardware_files_load_silently(void **state)
{
	(void)state;
	capture_start();
	assert_true(load_folder("hardware", vrs_config_load_hardware) >= 11);
	assert_string_equal(captured_log, "");
}

/* Worker processes exist: the profile of a machine without a GPU says so. */
static void cpu_only_knows_worker_processes(void **state)
{
	struct vrs_config *config = new_config();

	(void)state;
	assert_int_equal(vrs_config_load_hardware(config, "cpu-only", NULL), VRS_OK);
	assert_int_equal(vrs_config_source(config, "pipeline.processes"), VRS_SOURCE_HARDWARE);
	vrs_config_destroy(config);
}

/* Who gives no profile gets balanced; but for the speed that reports compare with, which nobody asked for then. */
static void balanced_is_the_default(void **state)
{
	struct vrs_config *config = new_config(), *defaults = new_config();
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	(void)state;
	assert_int_equal(vrs_config_load_profile(config, "balanced", NULL), VRS_OK);
	for (int i = 0; i < count; i++) {
		char text[VRS_PATH_MAX];

		assert_int_equal(vrs_config_get(defaults, rows[i].key, text, sizeof text), VRS_OK);
		assert_value(config, rows[i].key, strcmp(rows[i].key, "target.fps") == 0 ? "90" : text);
	}
	vrs_config_destroy(config);
	vrs_config_destroy(defaults);
}

static void profiles_differ_as_they_promise(void **state)
{
	static const char *const cases[][3] = {
		{"fast", "target.fps", "120"},         {"fast", "output.preset", "ultrafast"},
		{"fast", "engine.model", "selfie_segmentation_landscape"}, {"quality", "target.fps", "60"},
		{"quality", "engine.auto_size", "large"},       {"quality", "matte.refine_radius", "3"},
		{"quality", "matte.max_regions", "auto"},       {"fast", "matte.skip_similar", "true"},
		{"quality", "matte.refine_full", "true"},       {"quality", "engine.model", "auto"},
	 {"quality", "output.crf", "18"}, {"quality", "output.preset", "medium"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_config *config = new_config();

		assert_int_equal(vrs_config_load_profile(config, cases[i][0], NULL), VRS_OK);
		assert_value(config, cases[i][1], cases[i][2]);
		assert_int_equal(vrs_config_source(config, cases[i][1]), VRS_SOURCE_PROFILE);
		vrs_config_destroy(config);
	}
}

static void paths_are_accepted_and_unknown_names_explained(void **state)
{
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_config_load_profile(config, VRS_SOURCE_DIR "/configs/hardware/cpu-only.yaml", &err), VRS_OK);
	assert_int_equal(vrs_config_source(config, "engine.backend"), VRS_SOURCE_PROFILE);
	assert_int_equal(vrs_config_load_profile(config, "fst", &err), VRS_ECONFIG);
	assert_string_equal(err.text, "there is no profile \"fst\"; did you mean \"fast\"?");
	memset(&err, 0, sizeof err);
	assert_int_equal(vrs_config_load_profile(config, "zzzzzzzz", &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "there is no profile \"zzzzzzzz\"; choose one of "));
	assert_non_null(strstr(err.text, "balanced"));
	assert_int_equal(vrs_config_load_hardware(config, "cpu_only", &err), VRS_ECONFIG);
	assert_string_equal(err.text, "there is no hardware profile \"cpu_only\"; did you mean \"cpu-only\"?");
	assert_int_equal(vrs_config_load_profile(config, "", &err), VRS_ECONFIG);
	assert_int_equal(vrs_config_load_profile(config, "../models/selfie_segmentation", &err), VRS_ECONFIG);
	vrs_config_destroy(config);
}

static void targets_and_sweeps_are_valid_yaml(void **state)
{
	struct vrs_yaml yaml;
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_yaml_read(&yaml, VRS_SOURCE_DIR "/configs/targets/default.yaml", &err), VRS_OK);
	assert_string_equal(vrs_yaml_find(&yaml, "fps.vr")->value, "90");
	assert_string_equal(vrs_yaml_find(&yaml, "frame_time.p50_ms")->value, "16.67");
	assert_string_equal(vrs_yaml_find(&yaml, "device.max_temperature_c")->value, "80");
	vrs_yaml_fini(&yaml);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles_load_silently),
		cmocka_unit_test(hardware_files_load_silently),
		cmocka_unit_test(cpu_only_knows_worker_processes),
		cmocka_unit_test(balanced_is_the_default),
		cmocka_unit_test(profiles_differ_as_they_promise),
		cmocka_unit_test(paths_are_accepted_and_unknown_names_explained),
		cmocka_unit_test(targets_and_sweeps_are_valid_yaml),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
