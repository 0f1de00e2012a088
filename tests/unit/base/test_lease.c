/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards base/lease.c: one process at a time, also where locks do not work (ENOLCK, ENOSYS, EOPNOTSUPP) and where the other one runs on another
 * machine; who was killed is followed at once, or after the stated time; of many that take over at once one does; who has lost its lease is told, and
 * who cannot find out does not go on.
 */
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
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/lease.h"
#include "unit/base/folder_content.h"

static int no_flock;      /* the error that it gives; 0: it works */
static bool no_renameat2; /* as on NFS */

int flock(int fd, int operation)
{
	if (no_flock) {
		errno = no_flock;
		return -1;
	}
	return (int)syscall(SYS_flock, fd, operation);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	if (no_renameat2) {
		errno = EINVAL;
		return -1;
	}
	return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	no_flock = 0;
	no_renameat2 = false;
	snprintf(folder, sizeof folder, "test_lease-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static const char *below(const char *name)
{
	static char path[256];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static int remove_folder(void **state)
{
	(void)state;
	return remove_with_files(folder);
}

static void holds_one_at_a_time(void **state)
{
	struct vrs_lease *lease, *second;
	struct vrs_error err = {0};
	char number[32];

	(void)state;
	assert_int_equal(vrs_lease_take(&lease, folder, "out.mp4", &err), VRS_OK);
	assert_int_equal(count_files(folder), 1);
	assert_int_equal(vrs_lease_check(lease, &err), VRS_OK);
	assert_int_equal(vrs_lease_take(&second, folder, "out.mp4", &err), VRS_EEXIST);
	snprintf(number, sizeof number, "(process %d on ", (int)getpid());
	assert_non_null(strstr(err.text, "out.mp4"));
	assert_non_null(strstr(err.text, number));
	assert_int_equal(count_files(folder), 1);
	vrs_lease_return(lease);
	assert_int_equal(count_files(folder), 0);
	assert_int_equal(vrs_lease_take(&lease, folder, "out.mp4", &err), VRS_OK);
	vrs_lease_return(lease);
	vrs_lease_return(NULL);
	assert_int_equal(vrs_lease_take(&lease, "test_lease-none", "x", &err), VRS_ENOTFOUND);
}

/* A child takes it and is killed. */
static void leave_lease(void)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct vrs_lease *lease;

		if (vrs_lease_take(&lease, folder, "x", NULL) == VRS_OK)
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(count_files(folder), 1);
}

static void the_killed_are_followed_at_once(void **state)
{
	static const int errors[] = {0, ENOLCK, ENOSYS, EOPNOTSUPP};
	struct vrs_error err = {0};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof errors / sizeof errors[0]; i++) {
		struct vrs_lease *lease, *second;

		no_flock = errors[i / 2];
		no_renameat2 = i % 2;
		leave_lease();
		assert_int_equal(vrs_lease_take(&lease, folder, "x", &err), VRS_OK);
		assert_int_equal(count_files(folder), 1);
		assert_true(vrs_path_exists(below(".lease-000002")));
		if (no_flock)
			assert_int_equal(vrs_lease_take(&second, folder, "x", &err), VRS_EEXIST);
		vrs_lease_return(lease);
		assert_int_equal(count_files(folder), 0);
	}
}

/* What a process of another machine has written, with its last sign of life so many seconds ago. */
static void write_foreign(const char *text, int seconds)
{
	struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
	int fd = open(below(".lease-000001"), O_WRONLY | O_CREAT | O_TRUNC, 0666);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

#define FOREIGN "{\"host\":\"elsewhere\",\"boot\":\"another\",\"pid_namespace\":4026531836,\"pid\":1,\"start\":5,\"device\":1,\"locked\":true}"

/* Of other machines the time since the last sign of life counts, on the clock of the file system; what is no lease says nothing, and is one. */
static void other_machines_have_time(void **state)
{
	static const char *const texts[] = {FOREIGN, "", "no json", "{\"host\":7}",
		"{\"host\":\"a\",\"boot\":\"b\",\"pid\":-1,\"start\":1e99,\"locked\":3}"};
	struct vrs_lease *lease;
	struct vrs_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		write_foreign(texts[i], 20);
		assert_int_equal(vrs_lease_take(&lease, folder, "x", &err), VRS_EEXIST);
		assert_non_null(strstr(err.text, "in 4")); /* 41 seconds, or 40 */
		assert_int_equal(count_files(folder), 1);
	}
	write_foreign(FOREIGN, 20);
	assert_int_equal(vrs_lease_take(&lease, folder, "x", &err), VRS_EEXIST);
	assert_non_null(strstr(err.text, "process 1 on elsewhere"));
}

/* Silent for long by the clock, but one lives: its clock is wrong. The other, in a child, is silent in fact. */
static void clocks_may_be_wrong(void **state)
{
	struct vrs_lease *lease;
	struct vrs_error err = {0};
	int status;

	(void)state;
	write_foreign(FOREIGN, VRS_LEASE_DEAD_SECONDS + 10);
	pid_t beating = fork();

	if (beating == 0) {
		sleep(2);
		write_foreign(FOREIGN, VRS_LEASE_DEAD_SECONDS + 8);
		_exit(0);
	}
	pid_t silent = fork();

	if (silent == 0) {
		char inner[] = "test_lease-XXXXXX";

		if (!mkdtemp(inner))
			_exit(1);
		memcpy(folder, inner, sizeof inner);
		write_foreign(FOREIGN, -VRS_LEASE_DEAD_SECONDS - 10); /* in the future */
		bool taken = vrs_lease_take(&lease, folder, "x", NULL) == VRS_OK && vrs_path_exists(below(".lease-000002"));

		if (taken)
			vrs_lease_return(lease);
		_exit(taken && count_files(folder) == 0 && rmdir(folder) == 0 ? 0 : 1);
	}
	assert_int_equal(vrs_lease_take(&lease, folder, "x", &err), VRS_EEXIST);
	assert_int_equal(waitpid(beating, &status, 0), beating);
	assert_int_equal(waitpid(silent, &status, 0), silent);
	assert_int_equal(status, 0);
}

/* Links are not followed, neither to look nor to write. */
static void links_are_refused(void **state)
{
	struct vrs_lease *lease;
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(symlink("/dev/null", below(".lease-000001")), 0);
	assert_int_equal(vrs_lease_take(&lease, folder, "x", &err), VRS_EIO);
	assert_non_null(strstr(err.text, ".lease-000001"));
}

/* Another has taken over meanwhile: nothing of ours may go into place, and what is the other's stays. */
static void losers_are_told(void **state)
{
	struct vrs_lease *lease;
	struct vrs_error err = {0};
	int fd, status;

	(void)state;
	assert_int_equal(vrs_lease_take(&lease, folder, "out.mp4", &err), VRS_OK);
	fd = open(below(".lease-000002"), O_WRONLY | O_CREAT, 0666);
	close(fd);
	pid_t child = fork(); /* which has only looked */

	if (child == 0) {
		usleep(100000);
		_exit(unlink(below(".lease-000002")));
	}
	assert_int_equal(vrs_lease_check(lease, &err), VRS_OK);
	assert_int_equal(waitpid(child, &status, 0), child);
	fd = open(below(".lease-000002"), O_WRONLY | O_CREAT, 0666);
	close(fd);
	assert_int_equal(unlink(below(".lease-000001")), 0);
	assert_int_equal(vrs_lease_check(lease, &err), VRS_EEXIST);
	assert_non_null(strstr(err.text, "taken over"));
	vrs_lease_return(lease);
	assert_true(vrs_path_exists(below(".lease-000002")));
}

/* Many take a lease again and again, and some are killed with it: never do two have it. */
/* No descriptor is left to read the folder with: a higher lease would not be seen. */
static void unread_folders_are_not_ours(void **state)
{
	struct vrs_lease *lease;
	struct vrs_error err = {0};
	struct rlimit usual, few;
	int fds[64], count = 0;

	(void)state;
	assert_int_equal(vrs_lease_take(&lease, folder, "x", NULL), VRS_OK);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
	few = (struct rlimit){64, usual.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	while (count < 64 && (fds[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		count++;
	enum vrs_status status = vrs_lease_check(lease, &err);

	while (count > 0)
		(void)close(fds[--count]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
	assert_int_equal(status, VRS_EIO);
	assert_non_null(strstr(err.text, folder));
	assert_int_equal(vrs_lease_check(lease, NULL), VRS_OK);
	vrs_lease_return(lease);
	assert_int_equal(count_files(folder), 0);
}

static void hammer(int seed)
{
	for (int i = 0; i < 20; i++) {
		struct vrs_lease *lease;

		if (vrs_lease_take(&lease, folder, "x", NULL) != VRS_OK)
			continue;
		int fd = open(below("inside"), O_WRONLY | O_CREAT | O_EXCL, 0666);

		if (fd < 0)
			_exit(2);
		close(fd);
		usleep(1000);
		unlink(below("inside"));
		if (i == seed % 7)
			kill(getpid(), SIGKILL);
		vrs_lease_return(lease);
	}
	_exit(0);
}

static void one_of_many_takes_over(void **state)
{
	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		pid_t children[6];
		struct vrs_lease *lease;
		int status;

		no_flock = kind ? ENOLCK : 0;
		no_renameat2 = kind;
		leave_lease();
		for (int i = 0; i < 6; i++) {
			children[i] = fork();
			if (children[i] == 0)
				hammer(i);
		}
		for (int i = 0; i < 6; i++) {
			assert_int_equal(waitpid(children[i], &status, 0), children[i]);
			assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
		}
		assert_int_equal(vrs_lease_take(&lease, folder, "x", NULL), VRS_OK);
		vrs_lease_return(lease);
		assert_int_equal(count_files(folder), 0);
	}
}

int main(void)
{
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(holds_one_at_a_time),
		WITH_FOLDER(the_killed_are_followed_at_once),
		WITH_FOLDER(other_machines_have_time),
		WITH_FOLDER(clocks_may_be_wrong),
		WITH_FOLDER(links_are_refused),
		WITH_FOLDER(losers_are_told),
		WITH_FOLDER(unread_folders_are_not_ours),
		WITH_FOLDER(one_of_many_takes_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
