/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards exit codes: scripts rely on their values, and the README prints the same table as the programs. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include <vrseg/exit_codes.h>

#include "base/file.h"

static void codes_are_pinned(void **state)
{
	static const int known[] = {0, 2, 3, 10, 11, 12, 13, 14, 15, 130};
	int count;
	const struct vrs_exit_row *rows = vrs_exit_table(&count);
	(void)state;
	assert_int_equal(count, sizeof known / sizeof *known);
	for (int i = 0; i < count; i++) {
		assert_int_equal(rows[i].code, known[i]);
		assert_true(rows[i].programs != 0);
		assert_true(rows[i].meaning[0] != 0);
	}
	assert_int_equal(VRS_EXIT_REGRESSION, 10);
	assert_int_equal(VRS_EXIT_INFEASIBLE, 15);
}

static void the_readme_prints_the_table(void **state)
{
	struct vrs_buf text;
	char line[256];
	int count;
	const struct vrs_exit_row *rows = vrs_exit_table(&count);
	(void)state;
	assert_int_equal(vrs_file_read(VRS_SOURCE_DIR "/README.md", 1 << 20, &text, NULL), VRS_OK);
	const char *at = strstr(vrs_buf_str(&text), "| code | meaning |\n|---|---|\n");
	assert_non_null(at);
	at += strlen("| code | meaning |\n|---|---|\n");
	for (int i = 0; i < count; i++) {
		snprintf(line, sizeof line, "| %d | %s |\n", rows[i].code, rows[i].meaning);
		if (strncmp(at, line, strlen(line)) != 0)
			fail_msg("README.md lacks the row, or has it elsewhere: %s", line);
		at += strlen(line);
	}
	assert_true(*at == '\n'); /* and no other row */
	vrs_buf_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_are_pinned),
		cmocka_unit_test(the_readme_prints_the_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
