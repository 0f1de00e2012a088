/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards base/landlock: behind it, a child reads what was granted for reading, changes what was granted for writing, and gets EACCES everywhere else,
 * also by a link or a name that leads out, and in threads that it starts later.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/landlock.h"

static char top[] = "/tmp/vrs_landlock.XXXXXX";

static void make_file(const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs("text\n", f);
	assert_int_equal(fclose(f), 0);
}

/* 0, or why not. */
static int try_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

#define EXPECT(call, wanted) \
	do { \
		int got = (call); \
		if (got != (wanted)) { \
			dprintf(2, "%s: %s, expected %s\n", #call, strerror(got), strerror(wanted)); \
			failures++; \
		} \
	} while (0)

static int failures;

static void *in_thread(void *cookie)
{
	(void)cookie;
	EXPECT(try_open("secret/file", O_RDONLY), EACCES);
	EXPECT(try_open("read/file", O_RDONLY), 0);
	return NULL;
}

static int confined(void)
{
	struct vrs_error err = {0};
	struct vrs_landlock list;
	pthread_t thread;

	if (vrs_landlock_open(&list, &err) != VRS_OK || vrs_landlock_allow(&list, "read", VRS_LANDLOCK_READ, &err) != VRS_OK ||
	    vrs_landlock_allow(&list, "one", VRS_LANDLOCK_READ, &err) != VRS_OK || vrs_landlock_allow(&list, "write", VRS_LANDLOCK_WRITE, &err) != VRS_OK ||
	    vrs_landlock_allow(&list, "nowhere/at/all", VRS_LANDLOCK_WRITE, &err) != VRS_OK || vrs_landlock_enter(&list, &err) != VRS_OK) {
		dprintf(2, "%s\n", err.text);
		return 1;
	}
	vrs_landlock_close(&list);
	EXPECT(try_open("read/file", O_RDONLY), 0);
	EXPECT(try_open("read/file", O_RDWR), EACCES);
	EXPECT(try_open("read/new", O_WRONLY | O_CREAT), EACCES);
	EXPECT(unlink("read/file") < 0 ? errno : 0, EACCES);
	EXPECT(try_open("one", O_RDONLY), 0);
	EXPECT(try_open("one", O_WRONLY), EACCES);
	EXPECT(try_open("write/new", O_WRONLY | O_CREAT), 0);
	EXPECT(rename("write/new", "write/renamed") < 0 ? errno : 0, 0);
	EXPECT(mkdir("write/folder", 0700) < 0 ? errno : 0, 0);
	EXPECT(rename("write/renamed", "write/folder/moved") < 0 ? errno : 0, 0);
	EXPECT(truncate("write/folder/moved", 0) < 0 ? errno : 0, 0);
	EXPECT(unlink("write/folder/moved") < 0 ? errno : 0, 0);
	EXPECT(symlink("x", "write/link") < 0 ? errno : 0, EACCES);
	EXPECT(try_open("secret/file", O_RDONLY), EACCES);
	EXPECT(try_open("read/../secret/file", O_RDONLY), EACCES);
	EXPECT(try_open("read/out", O_RDONLY), EACCES); /* a link to it */
	EXPECT(try_open("/etc/passwd", O_RDONLY), EACCES);
	EXPECT(rename("write/kept", "secret/taken") < 0 ? errno : 0, EACCES);
	if (pthread_create(&thread, NULL, in_thread, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	return failures;
}

static void only_what_is_granted(void **state)
{
	struct vrs_error err = {0};
	struct vrs_landlock list;
	int status;
	(void)state;

	if (vrs_landlock_open(&list, &err) != VRS_OK) {
		print_message("%s\n", err.text);
		skip();
	}
	vrs_landlock_close(&list);
	assert_non_null(mkdtemp(top));
	assert_int_equal(chdir(top), 0);
	assert_int_equal(mkdir("read", 0700) | mkdir("write", 0700) | mkdir("secret", 0700), 0);
	make_file("read/file");
	make_file("one");
	make_file("secret/file");
	make_file("write/kept");
	assert_int_equal(symlink("../secret/file", "read/out"), 0);
	assert_int_equal(try_open("secret/file", O_RDWR), 0); /* before */
	pid_t child = fork();

	if (child == 0)
		_exit(confined());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(try_open("secret/file", O_RDWR), 0); /* of the child alone */
}

static int remove_all(void **state)
{
	char command[sizeof top + 16];
	(void)state;

	(void)snprintf(command, sizeof command, "rm -rf %s", top);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(only_what_is_granted, remove_all)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
