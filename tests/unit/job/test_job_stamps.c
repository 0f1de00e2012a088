/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards how a job notices that its files change under it: written in place, replaced by a copy with the same time, or removed, also where a playlist
 * or "file:" leads to them; what stays, names that are no files, and a playlist without an end as the input say nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "job/job_stamps.h"

#include <vrseg/config.h>

static char folder[] = "/tmp/vrs-stamps-XXXXXX", input[64], mask[64];
static struct vrs_settings settings;

static void write_both(void)
{
	assert_int_equal(vrs_file_replace(input, "video", 5, NULL), VRS_OK);
	assert_int_equal(vrs_file_replace(mask, "mask", 4, NULL), VRS_OK);
}

/* The same size and time under the same name, and another file. */
static void replace_by_copy(const char *path)
{
	struct stat st;
	char copy[80];
	assert_int_equal(stat(path, &st), 0);
	snprintf(copy, sizeof copy, "%s.copy", path);
	assert_int_equal(vrs_file_replace(copy, "12345", (size_t)st.st_size, NULL), VRS_OK);
	assert_int_equal(utimensat(AT_FDCWD, copy, (struct timespec[]){st.st_atim, st.st_mtim}, 0), 0);
	assert_int_equal(rename(copy, path), 0);
}

static void write_in_place(const char *path)
{
	FILE *file = fopen(path, "a");
	assert_non_null(file);
	assert_true(fputs("more", file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void remove_it(const char *path)
{
	assert_int_equal(unlink(path), 0);
}

static void every_change_is_seen(void **state)
{
	static void (*const changes[])(const char *path) = {replace_by_copy, write_in_place, remove_it};
	const char *const paths[] = {input, mask};
	(void)state;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		for (size_t k = 0; k < 2; k++) {
			struct vrs_job_stamps stamps;
			struct vrs_error err = {.status = VRS_OK};
			write_both();
			vrs_job_stamps_take(&stamps, input, &settings);
			assert_int_equal(vrs_job_stamps_check(&stamps, &settings, &err), VRS_OK);
			changes[i](paths[k]);
			assert_int_equal(vrs_job_stamps_check(&stamps, &settings, &err), VRS_EIO);
			assert_non_null(strstr(err.text, paths[k]));
		}
	write_both();
}

/* A playlist that names the input. */
static void write_list(char list[80], const char *end)
{
	char text[128];
	snprintf(list, 80, "%s/list.m3u8", folder);
	snprintf(text, sizeof text, "#EXTM3U\n#EXTINF:1,\n%s\n%s", vrs_path_base(input), end);
	assert_int_equal(vrs_file_replace(list, text, strlen(text), NULL), VRS_OK);
}

static void files_behind_a_name_are_seen(void **state)
{
	char list[80];
	struct vrs_job_stamps stamps;
	struct vrs_settings named = settings;
	struct vrs_error err = {.status = VRS_OK};
	(void)state;
	write_both();
	write_list(list, "#EXT-X-ENDLIST\n");
	vrs_job_stamps_take(&stamps, list, &settings);
	assert_int_equal(vrs_job_stamps_check(&stamps, &settings, &err), VRS_OK);
	replace_by_copy(input);
	assert_int_equal(vrs_job_stamps_check(&stamps, &settings, &err), VRS_EIO);
	assert_non_null(strstr(err.text, "list.m3u8, or a file that it names, was changed"));
	snprintf(named.matte.exclude, sizeof named.matte.exclude, "file:%s", mask); /* another path, which is not there */
	vrs_job_stamps_take(&stamps, input, &named);
	replace_by_copy(mask);
	assert_int_equal(vrs_job_stamps_check(&stamps, &named, &err), VRS_OK);
	assert_int_equal(unlink(list), 0);
}

/* Its segments go as others come, and in the end it is no longer one; the other files stay watched. */
static void a_playlist_that_grows_says_nothing(void **state)
{
	char list[80];
	struct vrs_job_stamps stamps;
	struct vrs_error err = {.status = VRS_OK};
	(void)state;
	write_both();
	write_list(list, "");
	vrs_job_stamps_take(&stamps, list, &settings);
	write_in_place(list);
	remove_it(input);
	assert_int_equal(vrs_job_stamps_check(&stamps, &settings, &err), VRS_OK);
	assert_int_equal(vrs_file_replace(list, "#EXTM3U\n#EXT-X-ENDLIST\n", 23, NULL), VRS_OK);
	assert_int_equal(vrs_job_stamps_check(&stamps, &settings, &err), VRS_OK);
	replace_by_copy(mask);
	assert_int_equal(vrs_job_stamps_check(&stamps, &settings, &err), VRS_EIO);
	assert_non_null(strstr(err.text, mask));
	remove_it(list);
}

static void what_is_no_file_says_nothing(void **state)
{
	static const char *const inputs[] = {"-", "synth:64x64", "/dev/video0", "srt://nowhere"};
	(void)state;
	for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
		struct vrs_job_stamps stamps;
		vrs_job_stamps_take(&stamps, inputs[i], &settings);
		assert_int_equal(stamps.of_input, 0);
		assert_int_equal(vrs_job_stamps_check(&stamps, &settings, NULL), VRS_OK);
	}
}

static int set_up(void **state)
{
	struct vrs_config *config;
	(void)state;
	if (!freopen("/dev/null", "r", stdin) || !mkdtemp(folder) || vrs_config_create(&config) != VRS_OK)
		return -1;
	settings = *vrs_config_settings(config);
	vrs_config_destroy(config);
	snprintf(input, sizeof input, "%s/in.mp4", folder);
	snprintf(mask, sizeof mask, "%s/mask.png", folder);
	snprintf(settings.matte.exclude, sizeof settings.matte.exclude, "%s", mask);
	return 0;
}

static int clean_up(void **state)
{
	(void)state;
	(void)unlink(input);
	(void)unlink(mask);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_change_is_seen),
		cmocka_unit_test(files_behind_a_name_are_seen),
		cmocka_unit_test(a_playlist_that_grows_says_nothing),
		cmocka_unit_test(what_is_no_file_says_nothing),
	};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
