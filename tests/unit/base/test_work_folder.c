/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards base/work_folder.c: links and files under its name are refused and not touched, one process has it at a time, unfinished outputs of dead
 * runs go and what is not ours stays, also where another has taken over meanwhile, and an output that a killed run has made is recognised.  Where the
 * lease cannot be written nothing stays but what was there before.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/work_folder.h"

#define UNFINISHED ".output.01234567-0123456789abcdef.part"

static bool is_full; /* the disk */

int fsync(int fd)
{
	if (!is_full)
		return (int)syscall(SYS_fsync, fd);
	errno = ENOSPC;
	return -1;
}

static char folder[64], output[96], hidden[128];

static int make_folder(void **state)
{
	(void)state;
	is_full = false;
	snprintf(folder, sizeof folder, "test_work_folder-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(output, sizeof output, "%s/out.mp4", folder);
	snprintf(hidden, sizeof hidden, "%s/.out.mp4.vrseg", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	(void)unlink(output);
	return rmdir(folder);
}

static const char *inside(const char *name)
{
	static char path[256];

	snprintf(path, sizeof path, "%s/%s", hidden, name);
	return path;
}

static void belongs_to_one(void **state)
{
	struct vrs_work_folder one, two;
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_work_folder_open(&one, output, &err), VRS_OK);
	assert_string_equal(one.path, hidden);
	assert_int_equal(vrs_work_folder_open(&two, output, &err), VRS_EEXIST);
	assert_non_null(strstr(err.text, output));
	vrs_work_folder_close(&two); /* fine then */
	vrs_work_folder_close(&one);
	assert_false(vrs_path_exists(hidden));
}

static void goes_without_a_lease(void **state)
{
	struct vrs_work_folder work;
	struct vrs_error err = {0};

	(void)state;
	is_full = true;
	assert_int_equal(vrs_work_folder_open(&work, output, &err), VRS_ENOSPC);
	assert_non_null(strstr(err.text, "No space left"));
	assert_false(vrs_path_exists(hidden));
	is_full = false;
	assert_int_equal(mkdir(hidden, 0777), 0);
	assert_int_equal(vrs_file_replace(inside("segment-000000.part"), "x", 1, NULL), VRS_OK);
	is_full = true;
	assert_int_equal(vrs_work_folder_open(&work, output, &err), VRS_ENOSPC);
	is_full = false;
	assert_int_equal(unlink(inside("segment-000000.part")), 0);
	assert_int_equal(rmdir(hidden), 0);
}

/* Outputs under several names are one output. */
static void is_behind_links(void **state)
{
	struct vrs_work_folder one, two;
	char link_path[96];

	(void)state;
	assert_int_equal(vrs_file_replace(output, "x", 1, NULL), VRS_OK);
	snprintf(link_path, sizeof link_path, "%s/link.mp4", folder);
	assert_int_equal(symlink("out.mp4", link_path), 0);
	assert_int_equal(vrs_work_folder_open(&one, link_path, NULL), VRS_OK);
	assert_true(vrs_path_exists(hidden));
	assert_int_equal(vrs_work_folder_open(&two, output, NULL), VRS_EEXIST);
	vrs_work_folder_close(&one);
	assert_int_equal(unlink(link_path), 0);
}

static void refuses_what_is_in_the_way(void **state)
{
	struct vrs_work_folder work;
	struct vrs_error err = {0};
	char victim[96], kept[160];

	(void)state;
	snprintf(victim, sizeof victim, "%s/victim", folder);
	snprintf(kept, sizeof kept, "%s/" UNFINISHED, victim);
	assert_int_equal(mkdir(victim, 0777), 0);
	assert_int_equal(vrs_file_replace(kept, "x", 1, NULL), VRS_OK);
	assert_int_equal(symlink("victim", hidden), 0);
	assert_int_equal(vrs_work_folder_open(&work, output, &err), VRS_EIO);
	assert_non_null(strstr(err.text, "in the way"));
	assert_true(vrs_path_exists(kept));
	assert_int_equal(unlink(hidden), 0);
	assert_int_equal(vrs_file_replace(hidden, "x", 1, NULL), VRS_OK);
	assert_int_equal(vrs_work_folder_open(&work, output, &err), VRS_EIO);
	assert_int_equal(unlink(hidden), 0);
	assert_int_equal(unlink(kept), 0);
	assert_int_equal(rmdir(victim), 0);
}

static void clears_what_is_unfinished(void **state)
{
	struct vrs_work_folder work;

	(void)state;
	assert_int_equal(mkdir(hidden, 0777), 0);
	assert_int_equal(vrs_file_replace(inside(UNFINISHED), "x", 1, NULL), VRS_OK);
	assert_int_equal(vrs_file_replace(inside("notes"), "x", 1, NULL), VRS_OK);
	assert_int_equal(vrs_work_folder_open(&work, output, NULL), VRS_OK);
	assert_false(vrs_path_exists(inside(UNFINISHED)));
	vrs_work_folder_close(&work);
	assert_true(vrs_path_exists(inside("notes")));
	assert_int_equal(unlink(inside("notes")), 0);
	assert_int_equal(rmdir(hidden), 0);
}

static void knows_its_output(void **state)
{
	struct vrs_work_folder work;

	(void)state;
	assert_int_equal(vrs_work_folder_name(&work, output, NULL), VRS_OK);
	assert_false(vrs_work_folder_has_made(&work, output));
	assert_int_equal(mkdir(hidden, 0777), 0);
	assert_int_equal(vrs_file_replace(inside(UNFINISHED), "x", 1, NULL), VRS_OK);
	assert_false(vrs_work_folder_has_made(&work, output));
	assert_int_equal(vrs_file_replace(output, "x", 1, NULL), VRS_OK); /* another file of the same content */
	assert_false(vrs_work_folder_has_made(&work, output));
	assert_int_equal(unlink(output), 0);
	assert_int_equal(link(inside(UNFINISHED), output), 0);
	assert_true(vrs_work_folder_has_made(&work, output));
	assert_int_equal(unlink(inside(UNFINISHED)), 0);
	assert_int_equal(rmdir(hidden), 0);
}

/* Whoever makes the output again may be killed, too, and again: it is known until there is another one, or it is forgotten. */
static void knows_its_output_for_long(void **state)
{
	struct vrs_work_folder work;

	(void)state;
	assert_int_equal(mkdir(hidden, 0777), 0);
	assert_int_equal(vrs_file_replace(output, "x", 1, NULL), VRS_OK);
	assert_int_equal(link(output, inside(UNFINISHED)), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(vrs_work_folder_open(&work, output, NULL), VRS_OK);
		assert_true(vrs_work_folder_has_made(&work, output));
		vrs_work_folder_close(&work);
	}
	assert_int_equal(vrs_work_folder_open(&work, output, NULL), VRS_OK);
	vrs_work_folder_forget_output(&work);
	assert_false(vrs_work_folder_has_made(&work, output));
	vrs_work_folder_close(&work);
	assert_false(vrs_path_exists(hidden));
}

/*
 * A run may be killed between any two steps of its end: with its name beside the folder, without a lease, without the folder.  The next one knows the
 * output, and keeps it known until it ends itself.
 */
static void knows_its_output_to_the_end(void **state)
{
	struct vrs_work_folder work;
	char beside[160];

	(void)state;
	snprintf(beside, sizeof beside, "%s.made", hidden);
	assert_int_equal(vrs_file_replace(output, "x", 1, NULL), VRS_OK);
	for (int with_folder = 0; with_folder < 2; with_folder++) {
		assert_int_equal(link(output, beside), 0);
		if (with_folder)
			assert_int_equal(mkdir(hidden, 0777), 0);
		assert_int_equal(vrs_work_folder_name(&work, output, NULL), VRS_OK);
		assert_true(vrs_work_folder_has_made(&work, output));
		assert_int_equal(vrs_work_folder_open(&work, output, NULL), VRS_OK);
		assert_false(vrs_path_exists(beside));
		assert_true(vrs_work_folder_has_made(&work, output));
		vrs_work_folder_finish(&work, output, true);
		vrs_work_folder_close(&work);
		assert_false(vrs_work_folder_has_made(&work, output));
		assert_false(vrs_path_exists(hidden) || vrs_path_exists(beside));
	}
}

/* The name beside the folder counts for the file that it is, not for one that a user has put there since; and it goes with the next run. */
static void knows_no_other_output(void **state)
{
	struct vrs_work_folder work;
	char beside[160];

	(void)state;
	snprintf(beside, sizeof beside, "%s.made", hidden);
	assert_int_equal(vrs_file_replace(beside, "x", 1, NULL), VRS_OK);
	assert_int_equal(vrs_file_replace(output, "x", 1, NULL), VRS_OK);
	assert_int_equal(vrs_work_folder_name(&work, output, NULL), VRS_OK);
	assert_false(vrs_work_folder_has_made(&work, output));
	assert_int_equal(vrs_work_folder_open(&work, output, NULL), VRS_OK);
	assert_false(vrs_work_folder_has_made(&work, output));
	vrs_work_folder_close(&work);
	assert_false(vrs_path_exists(hidden) || vrs_path_exists(beside));
}

/* Whoever has taken over keeps what it has there. */
static void leaves_it_to_the_next(void **state)
{
	struct vrs_work_folder work;
	const char *const others[] = {".lease-000002", UNFINISHED, VRS_WORK_MADE};

	(void)state;
	assert_int_equal(vrs_file_replace(output, "x", 1, NULL), VRS_OK);
	assert_int_equal(vrs_work_folder_open(&work, output, NULL), VRS_OK);
	assert_int_equal(unlink(inside(".lease-000001")), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(vrs_file_replace(inside(others[i]), "other", 5, NULL), VRS_OK);
	vrs_work_folder_finish(&work, output, true);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(unlink(inside(others[i])), 0);
	assert_int_equal(rmdir(hidden), 0);
}

int main(void)
{
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(belongs_to_one),
		WITH_FOLDER(goes_without_a_lease),
		WITH_FOLDER(is_behind_links),
		WITH_FOLDER(refuses_what_is_in_the_way),
		WITH_FOLDER(clears_what_is_unfinished),
		WITH_FOLDER(knows_its_output),
		WITH_FOLDER(knows_its_output_for_long),
		WITH_FOLDER(knows_its_output_to_the_end),
		WITH_FOLDER(knows_no_other_output),
		WITH_FOLDER(leaves_it_to_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
