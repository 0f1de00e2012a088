/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards config/own_files: the walk over all files that a command names, of which --sandbox makes its list, passes every row that names a file, with
 * its role and without what stands before the name.  Refusals: tests/cli/vrseg/own_files.sh.
 */
#include "config_check.h"

struct seen {
	int count;
	char lines[64][VRS_PATH_MAX];
	int stop_after;
};

static enum vrs_status remember(void *cookie, enum vrs_file_role role, const char *name, struct vrs_error *err)
{
	struct seen *seen = cookie;
	const char *roles[] = {"none", "read", "network", "written"};

	(void)snprintf(seen->lines[seen->count++], VRS_PATH_MAX, "%s %.900s", roles[role], name);
	return seen->count == seen->stop_after ? vrs_fail(err, VRS_EIO, "enough") : VRS_OK;
}

static bool has(const struct seen *seen, const char *line)
{
	for (int i = 0; i < seen->count; i++)
		if (strcmp(seen->lines[i], line) == 0)
			return true;
	return false;
}

static void names_come_with_their_roles(void **state)
{
	static struct seen seen;
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};
	(void)state;

	set_ok(config, "output.file", "hash:sums.txt", VRS_SOURCE_FLAG);
	set_ok(config, "output.background", "room.png", VRS_SOURCE_FLAG);
	set_ok(config, "engine.model", "nets/my.yaml", VRS_SOURCE_FLAG);
	set_ok(config, "matte.exclude", "0.1,0.2,0.3,0.4", VRS_SOURCE_FLAG);
	set_ok(config, "cache.dir", "mattes", VRS_SOURCE_FLAG);
	seen = (struct seen){0};
	assert_int_equal(vrs_config_each_file(config, vrs_config_settings(config), remember, &seen, &err), VRS_OK);
	assert_true(has(&seen, "written sums.txt"));
	assert_true(has(&seen, "read room.png"));
	assert_true(has(&seen, "network nets/my.yaml"));
	assert_true(has(&seen, "network selfie_segmentation_landscape"));
	assert_true(has(&seen, "read 0.1,0.2,0.3,0.4"));
	assert_false(has(&seen, "read mattes") || has(&seen, "written mattes")); /* a folder */
	set_ok(config, "output.file", "udp://host:1", VRS_SOURCE_FLAG);
	seen = (struct seen){.stop_after = 1};
	assert_int_equal(vrs_config_each_file(config, vrs_config_settings(config), remember, &seen, &err), VRS_EIO);
	assert_int_equal(seen.count, 1);
	assert_true(has(&seen, "written udp://host:1"));
	vrs_config_destroy(config);
}

static void every_row_of_a_file_is_passed(void **state)
{
	static struct seen seen;
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};
	int count, files = 0;
	const struct vrs_option *rows = vrs_option_table(&count);
	(void)state;

	for (int i = 0; i < count; i++) {
		if (rows[i].state != VRS_OPT_READY || rows[i].file == VRS_FILE_NONE || rows[i].file == VRS_FILE_FOLDER)
			continue;
		set_ok(config, rows[i].key, rows[i].key, VRS_SOURCE_FLAG);
		files++;
	}
	seen = (struct seen){0};
	assert_int_equal(vrs_config_each_file(config, vrs_config_settings(config), remember, &seen, &err), VRS_OK);
	assert_int_equal(seen.count, files);
	assert_true(has(&seen, "written report.trace") && has(&seen, "read matte.exclude"));
	vrs_config_destroy(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_come_with_their_roles),
		cmocka_unit_test(every_row_of_a_file_is_passed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
