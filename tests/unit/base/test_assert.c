/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: a failed assertion names its place and aborts; a true one does nothing; the build has assertions on exactly where it promises them. */
#ifdef VRS_ASSERTIONS
#define BUILT_WITH_ASSERTIONS true
#else
#define BUILT_WITH_ASSERTIONS false
#define VRS_ASSERTIONS 1 /* this file tests them in every build */
#endif

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/assert.h"

/* In a child, with its messages in the pipe. */
static void child_fails(int pipe_end)
{
	struct rlimit no_core = {0, 0};
	signal(SIGABRT, SIG_DFL); /* cmocka's own handler would report a failed test */
	setrlimit(RLIMIT_CORE, &no_core);
	dup2(pipe_end, STDERR_FILENO);
	int rows = 3;
	VRS_ASSERT(rows == 3);
	VRS_ASSERT(rows > 3);
	_exit(0);
}

static void a_failed_assertion_aborts(void **state)
{
	(void)state;
	int ends[2], status;
	char text[512] = "";
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		child_fails(ends[1]);
	close(ends[1]);
	size_t length = 0;
	for (ssize_t got; length + 1 < sizeof text && (got = read(ends[0], text + length, sizeof text - 1 - length)) > 0;)
		length += (size_t)got;
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_non_null(strstr(text, "test_assert.c:"));
	assert_non_null(strstr(text, ": child_fails: assertion failed: rows > 3\n"));
}

/* True if a line of the build's cache starts with `name` and ends with `value`. */
static bool cache_has(const char *name, const char *value)
{
	char line[1024];
	bool found = false;
	FILE *cache = fopen(VRS_BUILD_DIR "/CMakeCache.txt", "r");
	assert_non_null(cache);
	while (!found && fgets(line, sizeof line, cache)) {
		line[strcspn(line, "\n")] = '\0';
		const char *end = strchr(line, '=');
		found = strncmp(line, name, strlen(name)) == 0 && end && (value ? strcmp(end + 1, value) == 0 : end[1] != '\0');
	}
	fclose(cache);
	return found;
}

static void builds_that_look_for_faults_have_them(void **state)
{
	(void)state;
	bool expected = cache_has("CMAKE_BUILD_TYPE:", "Debug") || cache_has("CMAKE_BUILD_TYPE:", "None") || cache_has("VRS_SANITIZE:", NULL) ||
			cache_has("VRS_FUZZ:", "ON");
	assert_int_equal(expected, BUILT_WITH_ASSERTIONS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failed_assertion_aborts),
		cmocka_unit_test(builds_that_look_for_faults_have_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
