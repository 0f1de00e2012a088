/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what a job's files are recognised by: every byte of a file and of each picture of a sequence counts, names of files do not; words and
 * folders are no files; what the caller has read is not read again; options that only the pictures depend on stay out of the mattes.
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
#include "job/job_content.h"

#include <vrseg/config.h>

#define BYTES 200000 /* more than a block of reading */

static char folder[] = "/tmp/vrs-content-XXXXXX";
static const char *const names[] = {"a.png", "b.png", "pic_1.png", "pic_2.png"};

static void path_of(char path[64], const char *name)
{
	snprintf(path, 64, "%s/%s", folder, name);
}

/* The file holds `BYTES` bytes, all 0 but the one at `place`. */
static void write_file(const char *name, size_t place)
{
	static char bytes[BYTES];
	char path[64];
	path_of(path, name);
	memset(bytes, 0, sizeof bytes);
	bytes[place] = 1;
	assert_int_equal(vrs_file_replace(path, bytes, sizeof bytes, NULL), VRS_OK);
}

/* Hash of what a background stands for; 0: no file. */
static uint64_t hash_of(const char *background)
{
	struct vrs_job_content content;
	struct vrs_config *config;
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	struct vrs_settings settings = *vrs_config_settings(config);
	vrs_config_destroy(config);
	const struct vrs_known_content known[] = {{settings.engine.model, 7}};
	snprintf(settings.output.background, sizeof settings.output.background, "%s", background);
	assert_int_equal(vrs_job_content_read(&content, &settings, VRS_AFFECTS_MATTE, known, 1, NULL), VRS_OK);
	assert_int_equal(content.count, 1);
	assert_string_equal(content.files[0].key, "engine.model");
	assert_int_equal(content.files[0].hash, 7);
	assert_int_equal(vrs_job_content_read(&content, &settings, VRS_AFFECTS_PICTURE, known, 1, NULL), VRS_OK);
	assert_in_range(content.count, 1, 2);
	for (int i = 0; i < content.count; i++)
		if (strcmp(content.files[i].key, "output.background") == 0)
			return content.files[i].hash;
	return 0;
}

static uint64_t hash_in_folder(const char *prefix, const char *name)
{
	char text[96];
	snprintf(text, sizeof text, "%s%s/%s", prefix, folder, name);
	return hash_of(text);
}

static void files_are_their_bytes(void **state)
{
	(void)state;
	write_file("a.png", 5);
	write_file("b.png", 5);
	uint64_t hash = hash_in_folder("", "a.png");
	assert_true(hash != 0);
	assert_true(hash == hash_in_folder("", "b.png"));
	for (size_t place = 6; place < BYTES; place += 39998) {
		write_file("b.png", place);
		assert_true(hash != hash_in_folder("", "b.png"));
	}
	assert_true(hash_in_folder("", "absent.png") == 0);
	assert_true(hash_in_folder("", "") == 0); /* a folder */
	assert_true(hash_of("color") == 0);
}

/* Names of options are paths, unlike those that FFmpeg takes: this is not a.png. */
static void no_protocol_is_cut_from_a_name(void **state)
{
	char before[512];
	(void)state;
	assert_non_null(getcwd(before, sizeof before));
	assert_int_equal(chdir(folder), 0);
	write_file("a.png", 5);
	assert_true(hash_of("file:a.png") == 0);
	write_file("file:a.png", 6);
	assert_true(hash_of("file:a.png") != 0 && hash_of("file:a.png") != hash_of("a.png"));
	assert_int_equal(unlink("file:a.png"), 0);
	assert_int_equal(chdir(before), 0);
}

static void sequences_are_their_pictures(void **state)
{
	(void)state;
	write_file("pic_1.png", 1);
	write_file("pic_2.png", 2);
	uint64_t numbers = hash_in_folder("", "pic_%d.png"), stars = hash_in_folder("", "pic_*.png");
	assert_true(numbers != 0 && stars != 0);
	write_file("pic_2.png", 3);
	assert_true(numbers != hash_in_folder("", "pic_%d.png"));
	assert_true(stars != hash_in_folder("", "pic_*.png"));
	write_file("pic_2.png", 2);
	assert_true(numbers == hash_in_folder("", "pic_%1d.png"));
	assert_true(hash_in_folder("", "none_%04d.png") == 0);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int clean_up(void **state)
{
	char path[64];
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		path_of(path, names[i]);
		unlink(path);
	}
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_their_bytes),
		cmocka_unit_test(no_protocol_is_cut_from_a_name),
		cmocka_unit_test(sequences_are_their_pictures),
	};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
