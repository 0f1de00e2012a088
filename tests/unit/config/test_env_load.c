/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards environment variables: names map to keys, reserved ones are skipped, unknown ones are mistakes with a suggestion. */
#include "config_check.h"

static void variables_set_options(void **state)
{
	struct vrs_config *config = new_config();

	(void)state;
	capture_start();
	setenv("VRSEG_ENGINE_THREADS", "3", 1);
	setenv("VRSEG_TARGET_MAX_LATENCY_MS", "12.5", 1);
	setenv("VRSEG_GPU_PRECISION", "fp16", 1);
	setenv("VRSEG_DEVICE", "cpu", 1);
	setenv("VRSEG_MATTE_EARLY_EXIT_THRESHOLD", "0.5", 1);
	setenv("VRSEGMENT", "not ours", 1);
	assert_int_equal(vrs_config_load_env(config, NULL), VRS_OK);
	assert_value(config, "engine.threads", "3");
	assert_value(config, "target.max_latency_ms", "12.5");
	assert_value(config, "engine.precision", "fp16");
	assert_value(config, "engine.backend", "cpu");
	assert_value(config, "matte.early_exit_threshold", "0.5");
	assert_int_equal(vrs_config_source(config, "engine.threads"), VRS_SOURCE_ENV);
	assert_string_equal(vrs_config_where(config, "engine.threads"), "VRSEG_ENGINE_THREADS");
	assert_int_equal(captured_lines, 0);
	unsetenv("VRSEG_ENGINE_THREADS");
	unsetenv("VRSEG_TARGET_MAX_LATENCY_MS");
	unsetenv("VRSEG_GPU_PRECISION");
	unsetenv("VRSEG_DEVICE");
	unsetenv("VRSEG_MATTE_EARLY_EXIT_THRESHOLD");
	vrs_config_destroy(config);
}

static void every_key_has_a_variable(void **state)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	(void)state;
	capture_start();
	for (int i = 0; i < count; i++) {
		struct vrs_config *config = new_config();
		char name[128] = "VRSEG_";

		for (size_t k = 0; rows[i].key[k]; k++)
			name[6 + k] = rows[i].key[k] == '.' ? '_' : (char)(rows[i].key[k] & ~(rows[i].key[k] >= 'a' && rows[i].key[k] <= 'z' ? 0x20 : 0));
		setenv(name, rows[i].default_text, 1);
		assert_int_equal(vrs_config_load_env(config, NULL), VRS_OK);
		assert_int_equal(vrs_config_source(config, rows[i].key), VRS_SOURCE_ENV);
		unsetenv(name);
		vrs_config_destroy(config);
	}
}

static void reserved_variables_are_skipped(void **state)
{
	struct vrs_config *config = new_config();
	char *text;

	(void)state;
	setenv("VRSEG_CPU", "avx2", 1);
	setenv("VRSEG_MODEL_ARCHIVE", "x.tgz", 1);
	setenv("VRSEG_RVM_ARCHIVE", "x.whl", 1);
	setenv("VRSEG_ROOT", "/nowhere", 1);
	setenv("VRSEG_CALLER", "vrseg", 1);
	assert_int_equal(vrs_config_load_env(config, NULL), VRS_OK);
	text = written(config, VRS_WRITE_CHANGED);
	assert_string_equal(text, "");
	free(text);
	unsetenv("VRSEG_CPU");
	unsetenv("VRSEG_MODEL_ARCHIVE");
	unsetenv("VRSEG_RVM_ARCHIVE");
	unsetenv("VRSEG_ROOT");
	unsetenv("VRSEG_CALLER");
	vrs_config_destroy(config);
}

/* The environment has no order, so that no variable is the last one. */
static void two_names_of_an_option_are_refused(void **state)
{
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};

	(void)state;
	setenv("VRSEG_NUM_THREADS", "2", 1);
	setenv("VRSEG_ENGINE_THREADS", "2", 1);
	assert_int_equal(vrs_config_load_env(config, &err), VRS_OK);
	vrs_config_destroy(config);
	config = new_config();
	setenv("VRSEG_ENGINE_THREADS", "3", 1);
	assert_int_equal(vrs_config_load_env(config, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "VRSEG_NUM_THREADS"));
	assert_non_null(strstr(err.text, "VRSEG_ENGINE_THREADS"));
	assert_non_null(strstr(err.text, ": both set engine.threads"));
	unsetenv("VRSEG_NUM_THREADS");
	unsetenv("VRSEG_ENGINE_THREADS");
	vrs_config_destroy(config);
}

static void mistakes_name_the_variable(void **state)
{
	static const char *const cases[][3] = {
		{"VRSEG_ENGINE_TREADS", "2", "unknown environment variable VRSEG_ENGINE_TREADS; did you mean VRSEG_ENGINE_THREADS?"},
		{"VRSEG_NOTHING_LIKE_IT", "2", "unknown environment variable VRSEG_NOTHING_LIKE_IT; --list-options shows all keys"},
		{"VRSEG_ENGINE_THREADS", "x", "VRSEG_ENGINE_THREADS: \"x\" is not a whole number (1 to 1024, 0 or auto)"},
		{"VRSEG_ENGINE_THREADS", "", "VRSEG_ENGINE_THREADS: the value is missing"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_config *config = new_config();
		struct vrs_error err = {0};

		setenv(cases[i][0], cases[i][1], 1);
		assert_int_equal(vrs_config_load_env(config, &err), VRS_ECONFIG);
		assert_string_equal(err.text, cases[i][2]);
		unsetenv(cases[i][0]);
		vrs_config_destroy(config);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_set_options),
		cmocka_unit_test(every_key_has_a_variable),
		cmocka_unit_test(reserved_variables_are_skipped),
		cmocka_unit_test(two_names_of_an_option_are_refused), cmocka_unit_test(mistakes_name_the_variable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
