/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards base/file: limits of reads, and that replacement leaves the old content whole and no temporary file behind, whichever step
 * fails.  The system calls are replaced here, so that the n-th one can fail or be short.
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
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"

enum call { CALL_NONE, CALL_WRITE, CALL_FSYNC, CALL_RENAME };
static enum call failing;       /* which call fails */
static int failing_countdown;   /* at which time, 1: the next */
static int failing_errno;       /* 0: write only one byte */
static char order[64];          /* one letter per call since the reset */
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

static void inject(enum call call, int n, int error)
{
	failing = call;
	failing_countdown = n;
	failing_errno = error;
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

static int count_entries(void)
{
	DIR *dir = opendir(folder);
	int n = 0;

	assert_non_null(dir);
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return n;
}

static int remove_folder(void **state)
{
	char path[512];
	DIR *dir = opendir(folder);

	(void)state;
	inject(CALL_NONE, 0, 0);
	for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2)
			unlink(path);
	}
	if (dir)
		closedir(dir);
	return rmdir(folder);
}

static void assert_content(const char *path, const char *expected)
{
	struct vrs_buf buf;

	assert_int_equal(vrs_file_read(path, 1 << 20, &buf, NULL), VRS_OK);
	assert_string_equal(vrs_buf_str(&buf), expected);
	vrs_buf_fini(&buf);
}

static void read_limits(void **state)
{
	struct vrs_error err = {0};
	struct vrs_buf buf;

	(void)state;
	assert_int_equal(vrs_file_replace(target, "0123456789", 10, NULL), VRS_OK);
	assert_int_equal(vrs_file_read(target, 11, &buf, &err), VRS_OK);
	vrs_buf_fini(&buf);
	assert_int_equal(vrs_file_read(target, 10, &buf, &err), VRS_OK);
	assert_int_equal(buf.len, 10);
	vrs_buf_fini(&buf);
	assert_int_equal(vrs_file_read(target, 9, &buf, &err), VRS_ELIMIT);
	assert_non_null(strstr(err.text, target));
	vrs_buf_fini(&buf);
	/* A file without a size (a device) meets the same limit. */
	assert_int_equal(vrs_file_read("/dev/zero", 100000, &buf, &err), VRS_ELIMIT);
	assert_null(buf.data);
}

static void read_failures(void **state)
{
	struct vrs_error err = {0};
	struct vrs_buf buf;
	char missing[128];

	(void)state;
	snprintf(missing, sizeof missing, "%s/missing", folder);
	assert_int_equal(vrs_file_read(missing, 10, &buf, &err), VRS_ENOTFOUND);
	assert_non_null(strstr(err.text, "missing"));
	assert_int_equal(vrs_file_read(folder, 10, &buf, &err), VRS_EIO);
	assert_int_equal(vrs_file_replace(target, "abc", 3, NULL), VRS_OK);
	vrs_mem_fail_after(1, false);
	assert_int_equal(vrs_file_read(target, 10, &buf, &err), VRS_ENOMEM);
	vrs_mem_fail_after(0, false);
	assert_null(buf.data);
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
	assert_int_equal(count_entries(), 1);
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
		assert_int_equal(status, VRS_EIO);
		assert_non_null(strstr(err.text, target));
		assert_non_null(strstr(err.text, strerror(faults[i].error)));
		assert_content(target, "old");
		assert_int_equal(count_entries(), 1);
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

static void unsynced_folder_is_reported(void **state)
{
	(void)state;
	inject(CALL_FSYNC, 2, EIO);
	assert_int_equal(vrs_file_replace(target, "new", 3, NULL), VRS_EIO);
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
	char link_path[128], temp[256], shared[64];
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
	assert_int_equal(vrs_file_temp_name(link_path, temp, sizeof temp, NULL), VRS_OK);
	assert_int_equal(vrs_file_write_temp(temp, link_path, "mine", 4, NULL), VRS_OK);
	assert_int_equal(vrs_file_commit(temp, link_path, NULL), VRS_OK);
	assert_content(target, "new");
	assert_content(link_path, "mine");
	snprintf(shared, sizeof shared, "/dev/shm/test_file.%ld", (long)getpid());
	assert_int_equal(vrs_file_write(shared, "x", 1, NULL), VRS_OK);
	assert_int_equal(unlink(shared), 0);
}

/* Opening a pipe that nobody writes to would wait for ever; one in place of our own file is replaced. */
static void pipes_are_not_waited_for(void **state)
{
	struct vrs_error err = {0};
	struct vrs_buf buf;
	char hex[65], path[128];
	uint64_t hash = 0;
	FILE *in;
	size_t torn;

	(void)state;
	assert_int_equal(mkfifo(target, 0600), 0);
	assert_int_equal(vrs_file_read(target, 100, &buf, &err), VRS_EIO);
	assert_non_null(strstr(err.text, "is a pipe or device"));
	assert_int_equal(vrs_file_sha256(target, hex, NULL), VRS_EIO);
	assert_int_equal(vrs_file_hash(target, &hash, NULL), VRS_EIO);
	assert_int_equal(vrs_file_open_stream(target, &in, NULL), VRS_EIO);
	assert_int_equal(vrs_journal_read(target, 100, true, NULL, NULL, &torn, NULL), VRS_EIO);
	snprintf(path, sizeof path, "%s/zero", folder); /* a device under another name is no device that a user named */
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_int_equal(vrs_file_read(path, 100, &buf, NULL), VRS_EIO);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(vrs_file_replace(target, "file", 4, NULL), VRS_OK);
	assert_content(target, "file");
}

static void folders_of_ours_are_no_links(void **state)
{
	struct vrs_error err = {0};
	char own[128], link_path[128];

	(void)state;
	snprintf(own, sizeof own, "%s/own", folder);
	snprintf(link_path, sizeof link_path, "%s/link", folder);
	assert_int_equal(vrs_mkdir_own(own, NULL), VRS_OK);
	assert_int_equal(vrs_mkdir_own(own, NULL), VRS_OK);
	assert_int_equal(symlink("own", link_path), 0);
	assert_int_equal(vrs_mkdir_own(link_path, &err), VRS_EIO);
	assert_non_null(strstr(err.text, "is not a folder but a link"));
	assert_int_equal(unlink(link_path), 0);
	assert_int_equal(rmdir(own), 0);
}

static void devices_are_written_directly(void **state)
{
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_file_write("/dev/null", "x", 1, &err), VRS_OK);
	assert_int_equal(vrs_file_write("/dev/full", "x", 1, &err), VRS_EIO);
	assert_non_null(strstr(err.text, "/dev/full"));
	inject(CALL_NONE, 0, 0);
	assert_int_equal(vrs_file_write("/dev/null", "x", 1, &err), VRS_OK);
	assert_string_equal(order, "w");
}

static void streamed_files_move_into_place(void **state)
{
	char temp[256];

	(void)state;
	assert_int_equal(vrs_file_replace(target, "old", 3, NULL), VRS_OK);
	assert_int_equal(vrs_file_temp_name(target, temp, sizeof temp, NULL), VRS_OK);
	char expected[160];

	snprintf(expected, sizeof expected, "%s/.target.%ld.part", folder, (long)getpid());
	assert_string_equal(temp, expected);
	FILE *file = fopen(temp, "w");

	assert_non_null(file);
	fputs("streamed", file);
	fclose(file);
	assert_content(target, "old");
	inject(CALL_FSYNC, 1, EIO);
	assert_int_equal(vrs_file_commit(temp, target, NULL), VRS_EIO);
	assert_content(target, "old");
	inject(CALL_NONE, 0, 0);
	assert_int_equal(vrs_file_commit(temp, target, NULL), VRS_OK);
	assert_string_equal(order, "srD");
	assert_content(target, "streamed");
	assert_int_equal(vrs_file_commit(temp, target, NULL), VRS_ENOTFOUND);
	vrs_file_discard(temp);
	assert_int_equal(count_entries(), 1);
}

static void temp_names_have_limits(void **state)
{
	char temp[256], path[400];

	(void)state;
	assert_int_equal(vrs_file_temp_name("folder/", temp, sizeof temp, NULL), VRS_EINVAL);
	assert_int_equal(vrs_file_temp_name(target, temp, 10, NULL), VRS_ELIMIT);
	/* A name of the longest length that file systems take must still get a temporary one. */
	snprintf(path, sizeof path, "%s/", folder);
	size_t used = strlen(path);

	memset(path + used, 'n', 255);
	path[used + 255] = '\0';
	assert_int_equal(vrs_file_replace(path, "x", 1, NULL), VRS_OK);
	assert_content(path, "x");
}

/* A killed writer leaves its temporary file; the next one removes it, but not those of the living and not other files. */
static void stale_temporaries_are_removed(void **state)
{
	static const char *const kept[] = {".target.1.part", ".target.999999999.party", ".target2.999999999.part", ".target.x.part"};
	struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	char path[160];

	(void)state;
	for (size_t i = 0; i < sizeof kept / sizeof kept[0] + 1; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, i == 0 ? ".target.999999999.part" : kept[i - 1]);
		int fd = open(path, O_CREAT | O_WRONLY, 0600);

		assert_true(fd >= 0);
		assert_int_equal(futimens(fd, old), 0);
		close(fd);
	}
	assert_int_equal(vrs_file_replace(target, "x", 1, NULL), VRS_OK);
	assert_int_equal(count_entries(), 5);
	snprintf(path, sizeof path, "%s/.target.999999999.part", folder);
	assert_false(vrs_path_exists(path));
	/* One written a moment ago may belong to another machine. */
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(vrs_file_replace(target, "x", 1, NULL), VRS_OK);
	assert_true(vrs_path_exists(path));
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
	assert_int_equal(count_entries(), 0);
}

/* The vectors of FIPS 180-4. */
static void hashes_are_sha256(void **state)
{
	char path[512], hex[65];
	struct vrs_error err = {0};

	(void)state;
	snprintf(path, sizeof path, "%s/abc", folder);
	assert_int_equal(vrs_file_replace(path, "abc", 3, NULL), VRS_OK);
	assert_int_equal(vrs_file_sha256(path, hex, NULL), VRS_OK);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_int_equal(vrs_file_replace(path, "", 0, NULL), VRS_OK);
	assert_int_equal(vrs_file_sha256(path, hex, NULL), VRS_OK);
	assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	snprintf(path, sizeof path, "%s/none", folder);
	assert_int_equal(vrs_file_sha256(path, hex, &err), VRS_ENOTFOUND);
	assert_non_null(strstr(err.text, path));
	assert_int_equal(vrs_file_sha256(folder, hex, &err), VRS_EIO);
}

/* A child between fork and exec keeps the lock of an owner that was killed: it is waited for; a lock that stays is refused. */
static void locks_wait_a_little(void **state)
{
	(void)state;
	int fd = open(folder, O_RDONLY | O_CLOEXEC), second;

	assert_int_equal(vrs_file_lock(fd), 0);
	pid_t pid = fork();
	if (pid == 0) {
		usleep(150000);
		_exit(0);
	}
	second = open(folder, O_RDONLY | O_CLOEXEC);
	close(fd); /* as the kernel does when the owner is killed */
	assert_int_equal(vrs_file_lock(second), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	fd = open(folder, O_RDONLY | O_CLOEXEC);
	assert_int_equal(vrs_file_lock(fd), EWOULDBLOCK);
	close(fd);
	close(second);
}

int main(void)
{
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(read_limits),
		WITH_FOLDER(read_failures),
		WITH_FOLDER(replace_creates_and_replaces),
		WITH_FOLDER(replace_syncs_in_order),
		WITH_FOLDER(failed_steps_keep_the_old_content),
		WITH_FOLDER(kills_leave_old_or_new),
		WITH_FOLDER(unsynced_folder_is_reported),
		WITH_FOLDER(short_and_interrupted_writes_go_on),
		WITH_FOLDER(only_typed_links_are_followed),
		WITH_FOLDER(pipes_are_not_waited_for),
		WITH_FOLDER(folders_of_ours_are_no_links),
		WITH_FOLDER(devices_are_written_directly),
		WITH_FOLDER(streamed_files_move_into_place),
		WITH_FOLDER(temp_names_have_limits),
		WITH_FOLDER(stale_temporaries_are_removed),
		WITH_FOLDER(impossible_targets_fail),
		WITH_FOLDER(hashes_are_sha256),
		WITH_FOLDER(locks_wait_a_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
