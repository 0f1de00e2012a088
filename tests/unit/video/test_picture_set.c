/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards video/picture_set.c: pictures get their names together.  Whichever step a run is killed at, and whichever step of mending that another is
 * killed at, the next one finds the old pictures or all new ones; a step that fails leaves the old ones; nothing else stays; files of others are not
 * touched; a note of an unfinished run that is damaged moves and removes nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "video/picture_set.h"

static int step;      /* calls so far */
static int strike_at; /* at this one; 0: never */
static int strike_errno; /* it fails so; 0: the process is killed */

static bool strike(void)
{
	if (++step != strike_at)
		return false;
	if (strike_errno == 0)
		kill(getpid(), SIGKILL);
	errno = strike_errno;
	return true;
}

int rename(const char *from, const char *to)
{
	return strike() ? -1 : (int)syscall(SYS_rename, from, to);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	return strike() ? -1 : (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

int fsync(int fd)
{
	return strike() ? -1 : (int)syscall(SYS_fsync, fd);
}

int unlink(const char *path)
{
	return strike() ? -1 : (int)syscall(SYS_unlink, path);
}

static bool has_links = true; /* the file system has hard links */

int link(const char *from, const char *to)
{
	if (!has_links) {
		errno = EPERM;
		return -1;
	}
	return strike() ? -1 : (int)syscall(SYS_link, from, to);
}

static char folder[64], pattern[96];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "test_picture_set-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(pattern, sizeof pattern, "%s/p_%%02d.png", folder);
	return 0;
}

static const char *picture(int number)
{
	static char path[128];

	snprintf(path, sizeof path, "%s/p_%02d.png", folder, number);
	return path;
}

static int remove_folder(void **state)
{
	(void)state;
	strike_at = 0;
	has_links = true;
	for (int i = 0; i < 10; i++)
		(void)unlink(picture(i));
	return rmdir(folder);
}

static void put(int number, const char *text)
{
	int fd = open(picture(number), O_WRONLY | O_CREAT | O_TRUNC, 0640);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* "old" or "new" where all pictures are so, and nothing else is there. Of three the first two have an old one. */
static const char *content(void)
{
	static const char *const sets[2][3] = {{"old 0", "old 1", NULL}, {"new 0", "new 1", "new 2"}};
	bool same[2] = {true, true};
	struct vrs_buf buf;
	int entries = 0;

	for (int i = 0; i < 3; i++) {
		enum vrs_status status = vrs_file_read(picture(i), 100, &buf, NULL);

		for (int k = 0; k < 2; k++)
			same[k] = same[k] && (sets[k][i] ? status == VRS_OK && strcmp(vrs_buf_str(&buf), sets[k][i]) == 0 : status == VRS_ENOTFOUND);
		vrs_buf_fini(&buf);
	}
	DIR *dir = opendir(folder);

	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
		entries += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return same[0] && entries == 2 ? "old" : same[1] && entries == 3 ? "new" : entries > 3 ? "more" : "mixed";
}

static void put_old(void)
{
	strike_at = 0;
	put(0, "old 0");
	put(1, "old 1");
	(void)unlink(picture(2));
}

/* Add three and give them their names, with a strike at one of the steps of that. */
static enum vrs_status make_new(int at, int error, struct vrs_error *err)
{
	struct vrs_picture_set set;
	char text[16];

	enum vrs_status status = vrs_picture_set_open(&set, pattern, err);
	for (int i = 0; status == VRS_OK && i < 3; i++) {
		snprintf(text, sizeof text, "new %d", i);
		status = vrs_picture_set_add(&set, text, strlen(text), true, err);
	}
	step = 0;
	strike_at = at;
	strike_errno = error;
	if (status == VRS_OK)
		status = vrs_picture_set_finish(&set, true, err);
	vrs_picture_set_close(&set);
	return status;
}

/* What a run does before its first picture, with a strike at one of the steps. */
static enum vrs_status mend(int at)
{
	struct vrs_picture_set set;

	step = 0;
	strike_at = at;
	strike_errno = 0;
	enum vrs_status status = vrs_picture_set_open(&set, pattern, NULL);

	strike_at = 0;
	if (status == VRS_OK)
		vrs_picture_set_close(&set);
	return status;
}

/* In a child; true: it was killed. */
static bool is_killed(bool mends, int at)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0)
		_exit(mends ? mend(at) != VRS_OK : make_new(at, 0, NULL) != VRS_OK);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFSIGNALED(status))
		return true;
	assert_int_equal(status, 0);
	return false;
}

/* Whoever looks, at whatever moment, finds a whole picture where there was one; without hard links there are moments without. */
static void check_places(void)
{
	for (int i = 0; i < 2 && has_links; i++) {
		char old[16], new[16];
		struct vrs_buf buf;

		snprintf(old, sizeof old, "old %d", i);
		snprintf(new, sizeof new, "new %d", i);
		assert_int_equal(vrs_file_read(picture(i), 100, &buf, NULL), VRS_OK);
		assert_true(strcmp(vrs_buf_str(&buf), old) == 0 || strcmp(vrs_buf_str(&buf), new) == 0);
		vrs_buf_fini(&buf);
	}
}

static void kill_everywhere(void)
{
	int old = 0, new = 0, again = 0;

	for (int at = 1; put_old(), is_killed(false, at); at++) {
		check_places();
		assert_int_equal(mend(0), VRS_OK);
		old += strcmp(content(), "old") == 0;
		new += strcmp(content(), "new") == 0;
		assert_int_equal(old + new, at);
		put_old();
		for (int mends = 1; is_killed(false, at) && is_killed(true, mends); mends++) {
			check_places();
			assert_int_equal(mend(0), VRS_OK);
			assert_true(strcmp(content(), "old") == 0 || strcmp(content(), "new") == 0);
			again++;
			put_old();
		}
	}
	assert_string_equal(content(), "new");
	assert_true(old > 8 && new > 0 && again > 50);
}

static void kills_leave_old_or_new(void **state)
{
	(void)state;
	kill_everywhere();
}

static void so_without_hard_links(void **state)
{
	(void)state;
	has_links = false;
	kill_everywhere();
}

static void failures_leave_the_old(void **state)
{
	int failed = 0;

	(void)state;
	for (int at = 1; at < 100; at++) {
		struct vrs_error err = {0};

		put_old();
		enum vrs_status status = make_new(at, EIO, &err);
		bool struck = step >= at;

		strike_at = 0;
		assert_int_equal(mend(0), VRS_OK); /* where even going back failed */
		assert_string_equal(content(), status == VRS_OK ? "new" : "old");
		assert_true(status == VRS_OK || strstr(err.text, strerror(EIO)));
		failed += status != VRS_OK;
		if (!struck)
			break;
	}
	assert_true(failed > 8);
}

/* The modes of those that were there are kept. */
static void modes_stay(void **state)
{
	struct stat st;

	(void)state;
	put_old();
	assert_int_equal(chmod(picture(0), 0604), 0);
	assert_int_equal(make_new(0, 0, NULL), VRS_OK);
	assert_int_equal(stat(picture(0), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0604);
}

/* A file that has come between the kill and the next run is not ours to move. */
static void files_of_others_stay(void **state)
{
	struct vrs_picture_set set;
	struct vrs_error err = {0};
	struct vrs_buf buf;

	(void)state;
	for (int at = 1; put_old(), is_killed(false, at); at++) {
		if (vrs_file_read(picture(2), 100, &buf, NULL) != VRS_OK) {
			assert_int_equal(mend(0), VRS_OK);
			continue;
		}
		vrs_buf_fini(&buf);
		assert_int_equal(vrs_file_replace(picture(2), "theirs", 6, NULL), VRS_OK);
		enum vrs_status status = vrs_picture_set_open(&set, pattern, &err);

		if (status == VRS_OK) { /* all had been moved */
			vrs_picture_set_close(&set);
			break;
		}
		assert_int_equal(status, VRS_EEXIST);
		assert_non_null(strstr(err.text, "another file is there"));
		assert_int_equal(vrs_file_read(picture(2), 100, &buf, NULL), VRS_OK);
		assert_string_equal(vrs_buf_str(&buf), "theirs");
		vrs_buf_fini(&buf);
		assert_int_equal(unlink(picture(2)), 0);
		assert_int_equal(mend(0), VRS_OK);
		assert_string_equal(content(), "old");
		return;
	}
	fail_msg("no kill has left picture 2");
}

/* A note that nobody can read, or that names a folder, costs no picture, least of all the old ones. */
static void damaged_notes_are_refused(void **state)
{
	static const char *const notes[] = {"", "0000002a 5 -5", "2a 5", "0000002a 5 ", "0000002a 5\n", "0000002a 10000000000000000", "0000002A 5"};
	char work[160], path[256], old[256];
	struct vrs_error err = {0};
	struct vrs_buf buf;

	(void)state;
	put_old();
	snprintf(work, sizeof work, "%s/.p_%%02d.png.vrseg", folder);
	snprintf(path, sizeof path, "%s/moving", work);
	snprintf(old, sizeof old, "%s/old-0000002a-0", work);
	assert_int_equal(mkdir(work, 0700), 0);
	assert_int_equal(vrs_file_replace(old, "older", 5, NULL), VRS_OK);
	for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
		struct vrs_picture_set set;

		assert_int_equal(vrs_file_replace(path, notes[i], strlen(notes[i]), NULL), VRS_OK);
		assert_int_equal(vrs_picture_set_open(&set, pattern, &err), VRS_EFORMAT);
		assert_non_null(strstr(err.text, "moving is damaged"));
	}
	assert_int_equal(vrs_file_read(old, 100, &buf, NULL), VRS_OK);
	vrs_buf_fini(&buf);
	assert_int_equal(vrs_file_replace(path, "0000002a 5", 10, NULL), VRS_OK); /* "old 0" has that size: it was put there as the new one */
	assert_int_equal(mend(0), VRS_OK);
	assert_int_equal(vrs_file_read(picture(0), 100, &buf, NULL), VRS_OK);
	assert_string_equal(vrs_buf_str(&buf), "older");
	vrs_buf_fini(&buf);
}

/* A folder has a size, too: it is no moved picture. */
static void folders_are_not_moved(void **state)
{
	char work[160], path[256], note[64];
	struct vrs_picture_set set;
	struct stat st;

	(void)state;
	assert_int_equal(mkdir(picture(0), 0700), 0);
	assert_int_equal(stat(picture(0), &st), 0);
	snprintf(work, sizeof work, "%s/.p_%%02d.png.vrseg", folder);
	snprintf(path, sizeof path, "%s/moving", work);
	snprintf(note, sizeof note, "0000002a %llx", (unsigned long long)st.st_size);
	assert_int_equal(mkdir(work, 0700), 0);
	assert_int_equal(vrs_file_replace(path, note, strlen(note), NULL), VRS_OK);
	assert_int_equal(vrs_picture_set_open(&set, pattern, NULL), VRS_EEXIST);
	assert_int_equal(rmdir(picture(0)), 0);
	assert_int_equal(mend(0), VRS_OK);
}

int main(void)
{
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(kills_leave_old_or_new),
		WITH_FOLDER(so_without_hard_links),
		WITH_FOLDER(failures_leave_the_old),
		WITH_FOLDER(modes_stay),
		WITH_FOLDER(files_of_others_stay),
		WITH_FOLDER(damaged_notes_are_refused),
		WITH_FOLDER(folders_are_not_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
