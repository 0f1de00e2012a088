/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards which files of a folder are inputs, wherever memory runs out while they are listed: outputs of an earlier run never are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/stop.h"
#include "modes/program.h"

#include "scratch_folder.h"

#define MOST_ALLOCATIONS 200

static void put(const char *path)
{
	FILE *file = fopen(path, "w");
	if (!file || fclose(file) != 0)
		fail_msg("cannot write %s", path);
}

/* After a stop the table names the inputs, and nothing is done with them. */
static enum vrs_status list(struct vrs_program_state *program, uint64_t failing, char *ret_table, size_t size)
{
	struct vrs_error err = {0};
	program->results = tmpfile();
	assert_non_null(program->results);
	vrs_mem_fail_after(failing, false);
	enum vrs_status status = vrs_mode_multi_file(program, &err);
	bool fired = vrs_mem_fault_fired();
	vrs_mem_fail_after(0, false);
	rewind(program->results);
	ret_table[fread(ret_table, 1, size - 1, program->results)] = '\0';
	fclose(program->results);
	return fired && status == VRS_ESTOPPED ? VRS_OK : status;
}

static void no_memory_for_the_list(void **state)
{
	(void)state;
	const char *const inputs[] = {"in"};
	struct vrs_program_state program = {.inputs = inputs, .input_count = 1, .aside = stderr};
	char table[2000];
	uint64_t n = 1;
	enum vrs_status status;
	assert_int_equal(mkdir("in", 0700), 0);
	put("in/a.mp4");
	put("in/b.mp4");
	put("in/a_green.mp4");
	assert_int_equal(vrs_config_create(&program.config), VRS_OK);
	program.settings = *vrs_config_settings(program.config);
	vrs_stop_request();
	do {
		status = list(&program, n++, table, sizeof table);
		assert_null(strstr(table, "a_green.mp4"));
	} while (status != VRS_ESTOPPED && n < MOST_ALLOCATIONS);
	assert_true(n > 8 && n < MOST_ALLOCATIONS); /* the list alone takes more */
	assert_non_null(strstr(table, "in/a.mp4"));
	assert_non_null(strstr(table, "in/b.mp4"));
	vrs_stop_reset();
	vrs_config_destroy(program.config);
}

static int set_up(void **state)
{
	(void)state;
	return scratch_folder_enter("multi_file");
}

static int clean_up(void **state)
{
	(void)state;
	return scratch_folder_remove("multi_file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_memory_for_the_list),
	};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
