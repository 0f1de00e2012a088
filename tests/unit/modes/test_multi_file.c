/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards which files of a folder are inputs: outputs of an earlier run never are, whichever mode and player they were made for and whichever is asked
 * for now; also wherever memory runs out while files are listed.
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

struct file {
	const char *name;
	bool is_input;
};

static void expect_inputs(const char *folder, const struct file *files, size_t count, enum vrs_output_mode mode)
{
	const char *const inputs[] = {folder};
	struct vrs_program_state program = {.inputs = inputs, .input_count = 1, .aside = stderr};
	char table[4000], path[100];
	assert_int_equal(mkdir(folder, 0700) == 0 || vrs_path_is_dir(folder), true);
	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
		put(path);
	}
	assert_int_equal(vrs_config_create(&program.config), VRS_OK);
	program.settings = *vrs_config_settings(program.config);
	program.settings.output.mode = (int)mode;
	vrs_stop_request();
	assert_int_equal(list(&program, 0, table, sizeof table), VRS_ESTOPPED);
	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/%s ", folder, files[i].name); /* columns follow */
		if ((strstr(table, path) != NULL) != files[i].is_input)
			fail_msg("mode %d: %s is %s", (int)mode, path, files[i].is_input ? "left out" : "an input");
	}
	vrs_stop_reset();
	vrs_config_destroy(program.config);
}

static void outputs_are_no_inputs(void **state)
{
	(void)state;
	static const struct file files[] = {
		{"clip.mp4", true}, {"clip_green.mp4", false}, {"clip_matte.mkv", false}, {"clip_cutout.mov", false}, {"clip_alpha.mp4", false},
		{"clip_green_matte.mp4", false}, {"clip_matte_green.mp4", false}, {"clip_green_LR_180.mp4", false}, {"clip_MKX200_alpha.mp4", false},
		{"trip_180_LR.mp4", true}, {"trip_180_LR_green.mp4", false}, {"trip_green_LR_180_SBS.mp4", false}, {"trip_180_LR_matte.mp4", false},
		{"trip_FISHEYE180_alpha.mp4", false}, {"trip_LR_180_FISHEYE_F180_alpha.mp4", false}, {"trip_green_180_180x180_3dh_LR.mp4", false},
		{"flat_2D.mp4", true}, {"flat_green.mp4", false},
		{"alone_green.mp4", true}, {"alone_matte.mp4", true}, {"clipper_green.mp4", true}, {"clip_greenhouse.mp4", true},
		{"clip_green_2.mp4", true}, {"trip_2_180.mp4", true}, {"trip_360_TB.mp4", true}, {"clipgreen.mp4", true},
	};
	for (int mode = VRS_MODE_GREEN; mode <= VRS_MODE_CUTOUT; mode++)
		expect_inputs("outputs", files, sizeof files / sizeof files[0], (enum vrs_output_mode)mode);
}

/* Two that differ in their tags were not made of each other; mode alpha takes none at all. */
static void packed_videos_without_their_inputs(void **state)
{
	(void)state;
	static const struct file files[] = {{"trip_FISHEYE190_alpha.mp4", true}, {"trip_MKX200_alpha.mp4", true}, {"trip_MKX200_alpha_green.mp4", false}};
	static const struct file none[] = {{"trip_FISHEYE190_alpha.mp4", false}, {"trip_MKX200_alpha.mp4", false}, {"trip_180.mp4", true}};
	expect_inputs("packs", files, sizeof files / sizeof files[0], VRS_MODE_GREEN);
	expect_inputs("packs", none, sizeof none / sizeof none[0], VRS_MODE_ALPHA);
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
		cmocka_unit_test(outputs_are_no_inputs),
		cmocka_unit_test(packed_videos_without_their_inputs),
	};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
