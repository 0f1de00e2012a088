/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards config/yaml_save.c: what is written can be read.  A value that is not UTF-8, as names of files may be, is refused with its key before
 * anything is written, and such a name in a comment is an escape.
 */
#include "config_check.h"

#define NAME "bg\xe9.png"

static void values_that_no_file_holds(void **state)
{
	static const char *const names[] = {NAME, "\xff", "cut\xe2\x82", "\xc0\x80", "\xed\xa0\x80"};
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};
	char *text = NULL;
	size_t size;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		set_ok(config, "output.background", names[i], VRS_SOURCE_FLAG);
		assert_int_equal(vrs_config_write(config, out, VRS_WRITE_JOB, &err), VRS_ECONFIG);
		assert_non_null(strstr(err.text, "output.background: the value is not UTF-8 text (byte 0x"));
		assert_int_equal(fclose(out), 0);
		assert_int_equal(size, 0);
		free(text);
	}
	vrs_config_destroy(config);
}

/* A log's name says how one run goes, which no later run reads. */
static void only_what_is_written_counts(void **state)
{
	struct vrs_config *config = new_config();

	(void)state;
	set_ok(config, "report.log_file", "log\xe9", VRS_SOURCE_FLAG);
	set_ok(config, "output.background", "b\xc3\xa9.png", VRS_SOURCE_FLAG);
	assert_int_equal(vrs_config_check_write(config, VRS_WRITE_JOB, NULL), VRS_OK);
	assert_int_equal(vrs_config_check_write(config, VRS_WRITE_CHANGED, NULL), VRS_ECONFIG);
	vrs_config_destroy(config);
}

static void comments_can_be_read(void **state)
{
	struct vrs_config *config = new_config(), *again = new_config();
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_config_load_text(config, "engine.threads: 2\n", 18, "caf\xe9.yaml", VRS_SOURCE_FILE, &err), VRS_OK);
	char *text = written(config, VRS_WRITE_JOB);

	assert_non_null(strstr(text, "caf\\xe9.yaml:1"));
	load_ok(again, text, VRS_SOURCE_FILE);
	assert_value(again, "engine.threads", "2");
	free(text);
	vrs_config_destroy(again);
	vrs_config_destroy(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_that_no_file_holds),
		cmocka_unit_test(only_what_is_written_counts),
		cmocka_unit_test(comments_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
