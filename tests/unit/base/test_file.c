/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards base/file.c: limits of reads, pipes and links in place of files, files that are open already, hashes, locks.
 */
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
#include "unit/base/folder_content.h"

static char folder[64], target[96];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "test_file-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(target, sizeof target, "%s/target", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	return remove_with_files(folder);
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

/* ">>" of a shell, or a file that the program has begun to write itself: what is there stays. */
static void to_an_open_file_data_is_added(void **state)
{
	static const int flags[] = {O_WRONLY | O_APPEND, O_RDWR};
	char name[64];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(vrs_file_replace(target, "kept ", 5, NULL), VRS_OK);
		int fd = open(target, flags[i] | O_CLOEXEC);
		assert_true(fd >= 0);
		assert_int_equal(lseek(fd, 5, SEEK_SET), 5);
		for (int form = 0; form < 2; form++) {
			snprintf(name, sizeof name, "%s/%d", form ? "/proc/self/fd" : "/dev/fd", fd);
			assert_true(vrs_file_is_stream(name));
			assert_int_equal(vrs_file_write(name, "+", 1, NULL), VRS_OK);
		}
		close(fd);
		assert_content(target, "kept ++");
		assert_int_not_equal(vrs_file_write(name, "+", 1, NULL), VRS_OK);
	}
	assert_true(vrs_file_is_stream("/dev/stdout") && vrs_file_is_stream("/dev/null") && vrs_file_is_stream("/dev/stderr"));
	assert_false(vrs_file_is_stream(target) || vrs_file_is_stream("/proc/self/maps") || vrs_file_is_stream("/dev/stdoutx"));
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

/* What a user typed may be a link, what our programs name below it may not. */
static void folders_below_a_typed_one_are_no_links(void **state)
{
	struct vrs_error err = {0};
	char typed[128], path[160], inner[168];

	(void)state;
	snprintf(path, sizeof path, "%s/real", folder);
	snprintf(typed, sizeof typed, "%s/typed", folder);
	assert_int_equal(vrs_mkdir_own(path, NULL), VRS_OK);
	assert_int_equal(symlink("real", typed), 0);
	snprintf(path, sizeof path, "%s//a/b/", typed);
	assert_int_equal(vrs_mkdirs_below(typed, path, NULL), VRS_OK);
	snprintf(path, sizeof path, "%s/a/b", typed);
	assert_int_equal(vrs_mkdirs_below(typed, path, NULL), VRS_OK);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(symlink("..", path), 0);
	snprintf(inner, sizeof inner, "%s/c", path);
	assert_int_equal(vrs_mkdirs_below(typed, inner, &err), VRS_EIO);
	assert_non_null(strstr(err.text, "a/b is not a folder but a link"));
	assert_int_equal(vrs_mkdirs_below(typed, folder, NULL), VRS_EINVAL);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof path, "%s/a", typed);
	assert_int_equal(rmdir(path), 0); /* nothing was made behind the link */
	assert_int_equal(unlink(typed), 0);
	snprintf(path, sizeof path, "%s/real", folder);
	assert_int_equal(rmdir(path), 0);
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

/* Also where the file behind a link is not there yet: it is made there, and no link is in the way of it. */
static void links_lead_to_their_files(void **state)
{
	char first[128], second[128], place[128], real[PATH_MAX], absolute[PATH_MAX];
	struct stat st;
	struct vrs_error err = {0};

	(void)state;
	snprintf(first, sizeof first, "%s/first", folder);
	snprintf(second, sizeof second, "%s/second", folder);
	snprintf(place, sizeof place, "%s/place", folder);
	assert_int_equal(symlink("second", first), 0);
	assert_int_equal(symlink("place", second), 0);
	assert_int_equal(vrs_file_resolve(first, real, NULL), VRS_OK);
	assert_string_equal(real, place);
	assert_int_equal(vrs_file_write(first, "new", 3, NULL), VRS_OK);
	assert_true(lstat(first, &st) == 0 && S_ISLNK(st.st_mode));
	assert_true(lstat(place, &st) == 0 && S_ISREG(st.st_mode));
	assert_int_equal(vrs_file_resolve(first, real, NULL), VRS_OK);
	assert_non_null(realpath(place, absolute));
	assert_string_equal(real, absolute);
	assert_int_equal(vrs_file_resolve(place, real, NULL), VRS_OK);
	assert_string_equal(real, place);
	assert_int_equal(unlink(second), 0);
	assert_int_equal(symlink("first", second), 0);
	assert_int_equal(vrs_file_resolve(first, real, &err), VRS_EIO);
	assert_int_equal(unlink(first), 0);
	assert_int_equal(unlink(second), 0);
	assert_int_equal(unlink(place), 0);
}

int main(void)
{
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(read_limits),
		WITH_FOLDER(read_failures),
		WITH_FOLDER(pipes_are_not_waited_for),
		WITH_FOLDER(to_an_open_file_data_is_added),
		WITH_FOLDER(folders_of_ours_are_no_links),
		WITH_FOLDER(folders_below_a_typed_one_are_no_links),
		WITH_FOLDER(links_lead_to_their_files),
		WITH_FOLDER(hashes_are_sha256),
		WITH_FOLDER(locks_wait_a_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
