/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what a stranger reads first: --help fits 80 columns, names every flag of the program, and equals the golden text, which changes
 * only on purpose (VRS_UPDATE_GOLDEN=1 rewrites it).
 */
#include "config_check.h"

#include "base/file.h"
#include "vrs_version.h"

static const struct vrs_cli_action actions[] = {
	{.flag = "hardware", .help = "Show what this machine is: CPU, caches, memory, devices, sensors", .type = VRS_FLAG_SWITCH},
	{.flag = "dump-config", .help = "Print all options with the source of each value", .type = VRS_FLAG_SWITCH},
	{.flag = "filter", .value_name = "TEXT", .help = "Only cases whose name holds this text", .repeatable = true, .group = "Selection",
	 .type = VRS_FLAG_TEXTS},
	{.flag = NULL},
};

static struct vrs_cli_spec make_spec(unsigned program)
{
	return (struct vrs_cli_spec){
		.program = "vrseg", .program_bit = program, .usage = "vrseg INPUT -o OUTPUT [options]\nvrseg --hardware",
		.intro = "Cuts people out of VR video: reads a video, finds the people in each eye and writes the video with a plain background, or "
			 "the matte.",
		.actions = actions, .examples = "  vrseg input.mp4 -o output.mp4\n", .min_operands = 1, .max_operands = 1,
	};
}

static char *help_text(unsigned program)
{
	const struct vrs_cli_spec spec = make_spec(program);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(vrs_cli_answer(&spec, "help", out), VRS_END);
	fclose(out);
	return text;
}

static void help_fits_80_columns(void **state)
{
	(void)state;
	for (unsigned program = VRS_PROGRAM_VRSEG; program <= VRS_PROGRAM_VRANALYZE; program *= 2) {
		char *text = help_text(program);

		for (const char *line = text; *line;) {
			size_t len = strcspn(line, "\n");

			assert_true(len < 80);
			assert_true(len == 0 || line[len - 1] != ' ');
			line += len + 1;
		}
		free(text);
	}
}

/* Behind a long flag its help is on the next line. */
static bool names_flag(const char *text, const char *flag)
{
	size_t length = strlen(flag);

	for (const char *at = strstr(text, flag); at; at = strstr(at + length, flag))
		if (at[length] == ' ' || at[length] == '\n')
			return true;
	return false;
}

static void help_names_every_flag_of_the_program(void **state)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	(void)state;
	for (unsigned program = VRS_PROGRAM_VRSEG; program <= VRS_PROGRAM_VRANALYZE; program *= 2) {
		char *text = help_text(program);

		for (int i = 0; i < count; i++) {
			char flag[100];

			if (!rows[i].flag)
				continue;
			(void)snprintf(flag, sizeof flag, "--%s%s", rows[i].type == VRS_OPT_BOOL ? "[no-]" : "", rows[i].flag);
			if (rows[i].value_name)
				(void)snprintf(flag, sizeof flag, "--%s %s", rows[i].flag, rows[i].value_name);
			assert_int_equal(names_flag(text, flag), (rows[i].programs & program) != 0);
		}
		free(text);
	}
}

static void help_equals_the_golden_text(void **state)
{
	static const char path[] = VRS_TEST_DIR "/golden/config/help_vrseg.txt";
	char *text = help_text(VRS_PROGRAM_VRSEG);
	struct vrs_buf golden;

	(void)state;
	if (getenv("VRS_UPDATE_GOLDEN"))
		assert_int_equal(vrs_file_replace(path, text, strlen(text), NULL), VRS_OK);
	assert_int_equal(vrs_file_read(path, 65536, &golden, NULL), VRS_OK);
	assert_string_equal(text, vrs_buf_str(&golden));
	vrs_buf_fini(&golden);
	free(text);
}

static void version_names_commit_and_compiler(void **state)
{
	const struct vrs_cli_spec spec = make_spec(VRS_PROGRAM_VRSEG);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	assert_int_equal(vrs_cli_answer(&spec, "version", out), VRS_END);
	fclose(out);
	assert_int_equal(strncmp(text, "vrseg " VRS_VERSION " (commit " VRS_COMMIT ")\n", strlen("vrseg " VRS_VERSION " (commit ")), 0);
	assert_non_null(strstr(text, VRS_COMMIT));
	assert_non_null(strstr(text, VRS_COMPILER));
	free(text);
}

static void option_list_has_every_row(void **state)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	const struct vrs_cli_spec spec = make_spec(VRS_PROGRAM_VRSEG);
	char *text = NULL, line[200];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	assert_int_equal(vrs_cli_answer(&spec, "list-options", out), VRS_END);
	fclose(out);
	for (int i = 0; i < count; i++) {
		const char *at;

		(void)snprintf(line, sizeof line, "%s\n    %.60s", rows[i].key, rows[i].help);
		at = strstr(text, line);
		assert_non_null(at);
		assert_non_null(strstr(at, "\n    values: "));
		if (rows[i].note)
			assert_non_null(strstr(at, rows[i].note));
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_fits_80_columns),
		cmocka_unit_test(help_names_every_flag_of_the_program),
		cmocka_unit_test(help_equals_the_golden_text),
		cmocka_unit_test(version_names_commit_and_compiler),
		cmocka_unit_test(option_list_has_every_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
