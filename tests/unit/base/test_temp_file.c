/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards base/temp_file.c: replacement leaves the old content whole and no temporary file behind, whichever step fails; a link under a temporary
 * name is not followed; what a killed writer has left is removed, what a living one writes is not.  The system calls are replaced here, so that the
 * n-th one can fail or be short.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "unit/base/folder_content.h"

enum call { CALL_NONE, CALL_WRITE, CALL_FSYNC, CALL_RENAME };
static enum call failing;       /* which call fails */
static int failing_countdown;   /* at which time, 1: the next */
static int failing_errno;       /* 0: write only one byte */
static char order[64];          /* one letter per call since the reset */
static bool no_renameat2, no_link;
static int no_flock;            /* the error that it gives; 0: it works */
static size_t killed_at;        /* SIGKILL instead of this call of any kind, 1: the first; 0: never */

static bool strike(enum call call, char letter)
{
	size_t len = strlen(order);

	if (len + 1 < sizeof order) {
		order[len] = letter;
		order[len + 1] = '\0';
	}
	if (killed_at && strlen(order) == killed_at)
		kill(getpid(), SIGKILL);
	return failing == call && --failing_countdown == 0;
}

ssize_t write(int fd, const void *data, size_t len)
{
	if (fd > 2 && strike(CALL_WRITE, 'w')) {
		if (failing_errno == 0 && len > 1)
			return syscall(SYS_write, fd, data, (size_t)1);
		errno = failing_errno;
		return -1;
	}
	return syscall(SYS_write, fd, data, len);
}

int fsync(int fd)
{
	struct stat st;
	bool dir = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);

	if (strike(CALL_FSYNC, dir ? 'D' : 's')) {
		errno = failing_errno;
		return -1;
	}
	return (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
	if (strike(CALL_RENAME, 'r')) {
		errno = failing_errno;
		return -1;
	}
	return (int)syscall(SYS_rename, from, to);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	if (no_renameat2) {
		errno = EINVAL; /* as on NFS */
		return -1;
	}
	if (strike(CALL_RENAME, 'r')) {
		errno = failing_errno;
		return -1;
	}
	return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

int link(const char *from, const char *to)
{
	if (no_link) {
		errno = EPERM; /* as on FAT */
		return -1;
	}
	return (int)syscall(SYS_link, from, to);
}

int flock(int fd, int operation)
{
	if (no_flock) {
		errno = no_flock;
		return -1;
	}
	return (int)syscall(SYS_flock, fd, operation);
}

static void inject(enum call call, int n, int error)
{
	failing = call;
	failing_countdown = n;
	failing_errno = error;
	no_renameat2 = no_link = false;
	no_flock = 0;
	order[0] = '\0';
}

static char folder[64], target[96];

static int make_folder(void **state)
{
	(void)state;
	inject(CALL_NONE, 0, 0);
	snprintf(folder, sizeof folder, "test_file-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(target, sizeof target, "%s/target", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	inject(CALL_NONE, 0, 0);
	return remove_with_files(folder);
}

static void replace_creates_and_replaces(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(vrs_file_replace(target, "one", 3, NULL), VRS_OK);
	assert_content(target, "one");
	assert_int_equal(chmod(target, 0640), 0);
	assert_int_equal(vrs_file_replace(target, "two", 3, NULL), VRS_OK);
	assert_content(target, "two");
	assert_int_equal(stat(target, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(vrs_file_replace(target, "", 0, NULL), VRS_OK);
	assert_content(target, "");
	assert_int_equal(count_files(folder), 1);
}

/* While it is written, and where --sandbox refuses to change modes, the new file is no more open to others than the one it replaces. */
static void a_new_file_begins_with_the_old_mode(void **state)
{
	static const mode_t modes[][2] = {{0600, 0600}, {0640, 0640}, {0400, 0600}}; /* of the old file, of the new one */
	struct vrs_temp_file temp;
	struct stat st;
	mode_t mask = umask(022);

	(void)state;
	assert_int_equal(vrs_file_replace(target, "old", 3, NULL), VRS_OK);
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
		assert_int_equal(chmod(target, modes[i][0]), 0);
		assert_int_equal(vrs_temp_file_create(&temp, target, NULL), VRS_OK);
		assert_int_equal(fstat(temp.fd, &st), 0);
		assert_int_equal(st.st_mode & 0777, modes[i][1]);
		assert_int_equal(vrs_temp_file_commit(&temp, true, NULL), VRS_OK);
		assert_int_equal(stat(target, &st), 0);
		assert_int_equal(st.st_mode & 0777, modes[i][0]);
	}
	umask(mask);
}

/* The order is what makes it safe against a loss of power. */
static void replace_syncs_in_order(void **state)
{
	(void)state;
	inject(CALL_NONE, 0, 0);
	assert_int_equal(vrs_file_replace(target, "x", 1, NULL), VRS_OK);
	assert_string_equal(order, "wsrD");
}

static void failed_steps_keep_the_old_content(void **state)
{
	static const struct {
		enum call call;
		int n, error;
	} faults[] = {
		{CALL_WRITE, 1, ENOSPC}, {CALL_WRITE, 1, EIO}, {CALL_FSYNC, 1, EIO}, {CALL_RENAME, 1, EACCES}, {CALL_FSYNC, 1, ENOSPC},
	};

	(void)state;
	assert_int_equal(vrs_file_replace(target, "old", 3, NULL), VRS_OK);
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
		struct vrs_error err = {0};

		inject(faults[i].call, faults[i].n, faults[i].error);
		enum vrs_status status = vrs_file_replace(target, "new content", 11, &err);

		assert_int_equal(failing_countdown, 0);
		inject(CALL_NONE, 0, 0);
		assert_int_equal(status, faults[i].error == ENOSPC ? VRS_ENOSPC : VRS_EIO);
		assert_non_null(strstr(err.text, target));
		assert_non_null(strstr(err.text, strerror(faults[i].error)));
		assert_content(target, "old");
		assert_int_equal(count_files(folder), 1);
	}
}

/* Killed before any step: the file is the old or the new one, whole, and the next writer succeeds. */
static void kills_leave_old_or_new(void **state)
{
	int killed = 0, new_seen = 0;

	(void)state;
	for (size_t step = 1; step < 10; step++) {
		assert_int_equal(vrs_file_replace(target, "old", 3, NULL), VRS_OK);
		pid_t child = fork();

		assert_true(child >= 0);
		if (child == 0) {
			inject(CALL_WRITE, 1, 0); /* in two pieces */
			killed_at = step;
			_exit(vrs_file_replace(target, "new content", 11, NULL) == VRS_OK ? 0 : 1);
		}
		int status;
		struct vrs_buf buf;

		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(vrs_file_read(target, 100, &buf, NULL), VRS_OK);
		bool is_new = strcmp(vrs_buf_str(&buf), "new content") == 0, is_old = strcmp(vrs_buf_str(&buf), "old") == 0;

		vrs_buf_fini(&buf);
		if (WIFEXITED(status)) {
			assert_int_equal(WEXITSTATUS(status), 0);
			assert_true(is_new);
			assert_int_equal(killed, 5); /* write, write, fsync, rename, fsync of the folder */
			assert_int_equal(new_seen, 1);
			return;
		}
		assert_true(is_old || is_new);
		killed++;
		new_seen += is_new;
	}
	fail_msg("the writer was killed at every step");
}

/* Then the move is taken back, so that the same command can be given again: the old file, or none, is what there is. */
static void unsynced_folder_is_undone(void **state)
{
	struct vrs_temp_file temp;

	(void)state;
	assert_int_equal(vrs_temp_file_create(&temp, target, NULL), VRS_OK);
	inject(CALL_FSYNC, 2, EIO);
	assert_int_equal(vrs_temp_file_commit(&temp, false, NULL), VRS_EIO);
	assert_int_equal(count_files(folder), 0);
	inject(CALL_NONE, 0, 0);
	assert_int_equal(vrs_file_replace(target, "old", 3, NULL), VRS_OK);
	inject(CALL_FSYNC, 2, EIO);
	assert_int_equal(vrs_file_replace(target, "new", 3, NULL), VRS_EIO);
	assert_content(target, "old");
	assert_int_equal(count_files(folder), 1);
	inject(CALL_FSYNC, 2, EINVAL); /* a file system that cannot */
	assert_int_equal(vrs_file_replace(target, "new", 3, NULL), VRS_OK);
}

static void short_and_interrupted_writes_go_on(void **state)
{
	(void)state;
	inject(CALL_WRITE, 1, 0);
	assert_int_equal(vrs_file_replace(target, "short write", 11, NULL), VRS_OK);
	assert_string_equal(order, "wwsrD");
	assert_content(target, "short write");
	inject(CALL_WRITE, 1, EINTR);
	assert_int_equal(vrs_file_replace(target, "interrupted", 11, NULL), VRS_OK);
	assert_content(target, "interrupted");
}

/* A name that a user typed may be a link, or a name in shared memory; a name of our own that is a link was planted. */
static void only_typed_links_are_followed(void **state)
{
	char link_path[128], shared[64];
	struct vrs_temp_file temp;
	struct stat st;

	(void)state;
	snprintf(link_path, sizeof link_path, "%s/link", folder);
	assert_int_equal(vrs_file_replace(target, "old", 3, NULL), VRS_OK);
	assert_int_equal(symlink("target", link_path), 0);
	assert_int_equal(vrs_file_write(link_path, "new", 3, NULL), VRS_OK);
	assert_content(target, "new");
	assert_true(lstat(link_path, &st) == 0 && S_ISLNK(st.st_mode));
	assert_int_equal(vrs_file_replace(link_path, "ours", 4, NULL), VRS_OK);
	assert_content(target, "new");
	assert_content(link_path, "ours");
	assert_true(lstat(link_path, &st) == 0 && S_ISREG(st.st_mode));
	assert_int_equal(unlink(link_path), 0);
	assert_int_equal(symlink("target", link_path), 0);
	assert_int_equal(vrs_temp_file_create(&temp, link_path, NULL), VRS_OK);
	assert_int_equal(vrs_temp_file_write(&temp, "mine", 4, NULL), VRS_OK);
	assert_int_equal(vrs_temp_file_commit(&temp, true, NULL), VRS_OK);
	assert_content(target, "new");
	assert_content(link_path, "mine");
	snprintf(shared, sizeof shared, "/dev/shm/test_temp_file.%ld", (long)getpid());
	assert_int_equal(vrs_file_write(shared, "x", 1, NULL), VRS_OK);
	assert_int_equal(unlink(shared), 0);
}

static void devices_are_written_directly(void **state)
{
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_file_write("/dev/null", "x", 1, &err), VRS_OK);
	assert_int_equal(vrs_file_write("/dev/full", "x", 1, &err), VRS_ENOSPC);
	assert_non_null(strstr(err.text, "/dev/full"));
	inject(CALL_NONE, 0, 0);
	assert_int_equal(vrs_file_write("/dev/null", "x", 1, &err), VRS_OK);
	assert_string_equal(order, "w");
}

/* The temporary file that is there now. */
static void find_temp(char path[400])
{
	DIR *dir = opendir(folder);

	path[0] = '\0';
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
		if (strstr(entry->d_name, ".part"))
			snprintf(path, 400, "%s/%s", folder, entry->d_name);
	closedir(dir);
}

static void streamed_files_move_into_place(void **state)
{
	struct vrs_temp_file temp;
	struct stat st;

	(void)state;
	assert_int_equal(vrs_file_replace(target, "old", 3, NULL), VRS_OK);
	for (int fails = 1; fails >= 0; fails--) {
		assert_int_equal(vrs_temp_file_create(&temp, target, NULL), VRS_OK);
		assert_int_equal(stat(temp.path, &st), 0);
		assert_memory_equal(temp.path + strlen(folder), "/.target.", 9);
		FILE *file = vrs_temp_file_stream(&temp, "w");

		assert_non_null(file);
		fputs("streamed", file);
		fclose(file);
		assert_content(target, "old");
		inject(fails ? CALL_FSYNC : CALL_NONE, 1, EIO);
		assert_int_equal(vrs_temp_file_commit(&temp, true, NULL), fails ? VRS_EIO : VRS_OK);
		assert_content(target, fails ? "old" : "streamed");
		assert_int_equal(count_files(folder), 1);
		vrs_temp_file_discard(&temp); /* fine then */
	}
	assert_string_equal(order, "srD");
	assert_int_equal(count_files(folder), 1);
}

/* Two writers of one file do not meet: each has its own. */
static void writers_have_files_of_their_own(void **state)
{
	struct vrs_temp_file one, two;

	(void)state;
	assert_int_equal(vrs_temp_file_create(&one, target, NULL), VRS_OK);
	assert_int_equal(vrs_temp_file_create(&two, target, NULL), VRS_OK);
	assert_int_equal(vrs_temp_file_write(&one, "one", 3, NULL), VRS_OK);
	assert_int_equal(vrs_temp_file_write(&two, "two", 3, NULL), VRS_OK);
	assert_int_equal(vrs_temp_file_commit(&one, true, NULL), VRS_OK);
	assert_content(target, "one");
	assert_int_equal(vrs_temp_file_commit(&two, true, NULL), VRS_OK);
	assert_content(target, "two");
	assert_int_equal(count_files(folder), 1);
}

/* Without `replace` what is there stays, on every kind of file system. */
static void free_names_are_not_taken_twice(void **state)
{
	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		struct vrs_temp_file one, two;

		assert_int_equal(vrs_temp_file_create(&one, target, NULL), VRS_OK);
		assert_int_equal(vrs_temp_file_create(&two, target, NULL), VRS_OK);
		assert_int_equal(vrs_temp_file_write(&one, "one", 3, NULL), VRS_OK);
		no_renameat2 = kind > 0;
		no_link = kind > 1;
		assert_int_equal(vrs_temp_file_commit(&one, false, NULL), VRS_OK);
		assert_int_equal(vrs_temp_file_commit(&two, false, NULL), VRS_EEXIST);
		vrs_temp_file_discard(&two);
		assert_content(target, "one");
		assert_int_equal(count_files(folder), 1);
		assert_int_equal(unlink(target), 0);
		inject(CALL_NONE, 0, 0);
	}
}

/* Until it is discarded the file has both names, by which a run that is killed meanwhile is recognised; an unsynced folder takes that back, too. */
static void files_may_keep_both_names(void **state)
{
	struct vrs_temp_file temp;
	struct stat one, two;

	(void)state;
	for (int kind = 0; kind < 4; kind++) { /* to a free name, in its place, over a file, over a file without exchange */
		no_renameat2 = kind == 3;
		assert_int_equal(vrs_temp_file_create(&temp, target, NULL), VRS_OK);
		temp.stays = true;
		assert_int_equal(vrs_temp_file_write(&temp, &"0123"[kind], 1, NULL), VRS_OK);
		assert_int_equal(vrs_temp_file_commit(&temp, kind > 0, NULL), VRS_OK);
		assert_int_equal(stat(temp.path, &one), 0);
		assert_int_equal(stat(target, &two), 0);
		assert_int_equal(one.st_ino, two.st_ino);
		assert_int_equal(count_files(folder), 2);
		vrs_temp_file_discard(&temp);
		assert_int_equal(count_files(folder), 1);
		if (kind == 0)
			assert_int_equal(unlink(target), 0);
	}
	inject(CALL_NONE, 0, 0);
	assert_content(target, "3");
	assert_int_equal(vrs_temp_file_create(&temp, target, NULL), VRS_OK);
	temp.stays = true;
	inject(CALL_FSYNC, 2, EIO);
	assert_int_equal(vrs_temp_file_commit(&temp, true, NULL), VRS_EIO);
	inject(CALL_NONE, 0, 0);
	assert_content(target, "3");
	assert_int_equal(count_files(folder), 1);
	assert_int_equal(vrs_temp_file_create(&temp, target, NULL), VRS_OK);
	temp.stays = true;
	assert_int_equal(vrs_temp_file_commit(&temp, false, NULL), VRS_EEXIST);
	assert_int_equal(unlink(target), 0);
	inject(CALL_FSYNC, 2, EIO);
	assert_int_equal(vrs_temp_file_commit(&temp, false, NULL), VRS_EIO);
	assert_int_equal(count_files(folder), 0);
}

static void temp_names_have_limits(void **state)
{
	struct vrs_temp_file temp;
	char path[5000];

	(void)state;
	assert_int_equal(vrs_temp_file_create(&temp, "folder/", NULL), VRS_EINVAL);
	for (size_t i = 0; i + 2 < PATH_MAX; i += 2)
		memcpy(path + i, "./", 2);
	memcpy(path + PATH_MAX - 3, "n", 2);
	assert_int_equal(vrs_temp_file_create(&temp, path, NULL), VRS_ELIMIT);
	vrs_temp_file_discard(&temp); /* fine then */
	/* A name of the longest length that file systems take must still get a temporary one. */
	snprintf(path, sizeof path, "%s/", folder);
	size_t used = strlen(path);

	memset(path + used, 'n', 255);
	path[used + 255] = '\0';
	assert_int_equal(vrs_file_replace(path, "x", 1, NULL), VRS_OK);
	assert_content(path, "x");
}

/* Of a writer that is killed: the child's temporary file stays. */
static void leave_temp(void)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct vrs_temp_file temp;

		_exit(vrs_temp_file_create(&temp, target, NULL) == VRS_OK ? 0 : 1);
	}
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void make_old(const char *path)
{
	const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* The next writer removes what a killed one has left, at once; but not the file of a living one, and no other files. */
static void stale_temporaries_are_removed(void **state)
{
	static const char *const kept[] = {".target.1.part", ".target.0123456-0123456789abcdef.part", ".target2.01234567-0123456789abcdef.part",
		".target.01234567-0123456789abcdeg.part", "target.01234567-0123456789abcdef.part"};
	struct vrs_temp_file living;
	char path[160];

	(void)state;
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, kept[i]);
		int fd = open(path, O_CREAT | O_WRONLY, 0600);

		assert_true(fd >= 0);
		close(fd);
		make_old(path);
	}
	assert_int_equal(vrs_temp_file_create(&living, target, NULL), VRS_OK);
	make_old(living.path);
	leave_temp();
	assert_int_equal(count_files(folder), 7);
	assert_int_equal(vrs_file_replace(target, "x", 1, NULL), VRS_OK);
	assert_int_equal(count_files(folder), 7); /* the killed one's went, the target came */
	assert_true(vrs_path_exists(living.path));
	vrs_temp_file_discard(&living);
}

/* Where locks tell nothing, as on other machines and file systems without them, only age does. */
static void foreign_temporaries_grow_old(void **state)
{
	static const int errors[] = {ENOLCK, ENOSYS, EOPNOTSUPP};
	char path[400];

	(void)state;
	snprintf(path, sizeof path, "%s/.target.01234567-0123456789abcdef.part", folder); /* of another kernel */
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	assert_true(fd >= 0);
	close(fd);
	vrs_temp_files_clean(folder, "target");
	assert_true(vrs_path_exists(path));
	make_old(path);
	vrs_temp_files_clean(folder, "target");
	assert_false(vrs_path_exists(path));
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		no_flock = errors[i];
		leave_temp();
		find_temp(path);
		assert_int_equal(vrs_file_replace(target, "x", 1, NULL), VRS_OK);
		assert_true(vrs_path_exists(path));
		make_old(path);
		assert_int_equal(vrs_file_replace(target, "x", 1, NULL), VRS_OK);
		assert_false(vrs_path_exists(path));
		inject(CALL_NONE, 0, 0);
	}
}

/* A link that has the shape of a temporary file is neither opened nor removed for what it leads to. */
static void planted_links_are_not_followed(void **state)
{
	char path[400], victim[160];

	(void)state;
	snprintf(victim, sizeof victim, "%s/victim", folder);
	assert_int_equal(vrs_file_replace(victim, "precious", 8, NULL), VRS_OK);
	make_old(victim);
	snprintf(path, sizeof path, "%s/.target.01234567-0123456789abcdef.part", folder);
	assert_int_equal(symlink("victim", path), 0);
	snprintf(path, sizeof path, "%s/.target.%ld.part", folder, (long)getpid()); /* the name of earlier versions */
	assert_int_equal(symlink("victim", path), 0);
	assert_int_equal(vrs_file_replace(target, "x", 1, NULL), VRS_OK);
	assert_content(victim, "precious");
}

static void impossible_targets_fail(void **state)
{
	char path[128];
	struct vrs_error err = {0};

	(void)state;
	snprintf(path, sizeof path, "%s/missing/file", folder);
	assert_int_equal(vrs_file_replace(path, "x", 1, &err), VRS_EIO);
	assert_non_null(strstr(err.text, path));
	assert_int_equal(vrs_file_replace(folder, "x", 1, &err), VRS_EIO);
	assert_int_equal(count_files(folder), 0);
}

int main(void)
{
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(replace_creates_and_replaces),
		WITH_FOLDER(a_new_file_begins_with_the_old_mode),
		WITH_FOLDER(replace_syncs_in_order),
		WITH_FOLDER(failed_steps_keep_the_old_content),
		WITH_FOLDER(kills_leave_old_or_new),
		WITH_FOLDER(unsynced_folder_is_undone),
		WITH_FOLDER(short_and_interrupted_writes_go_on),
		WITH_FOLDER(only_typed_links_are_followed),
		WITH_FOLDER(devices_are_written_directly),
		WITH_FOLDER(streamed_files_move_into_place),
		WITH_FOLDER(writers_have_files_of_their_own),
		WITH_FOLDER(free_names_are_not_taken_twice),
		WITH_FOLDER(files_may_keep_both_names),
		WITH_FOLDER(temp_names_have_limits),
		WITH_FOLDER(stale_temporaries_are_removed),
		WITH_FOLDER(foreign_temporaries_grow_old),
		WITH_FOLDER(planted_links_are_not_followed),
		WITH_FOLDER(impossible_targets_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
