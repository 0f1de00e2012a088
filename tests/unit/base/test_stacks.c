/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: the program and its threads have stacks of the stated size under a limit of 64 KiB, and the program's exit code is passed on.  It has a
 * second thread, which --sandbox cannot have, under a hard limit alone.
 */
#include "base/stacks.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ThreadSanitizer keeps 768 KiB of its own on the stack of each thread. */
#if defined(__SANITIZE_THREAD__)
#define USED_BYTES (VRS_STACK_BYTES / 2)
#else
#define USED_BYTES (VRS_STACK_BYTES * 3 / 4)
#endif

/* Touch most of a stack, from its top down. */
static int use_stack(void)
{
	volatile char frame[USED_BYTES];

	for (size_t i = sizeof frame; i > 0; i -= 1024)
		frame[i - 1] = 1;
	return frame[sizeof frame - 1];
}

static void *thread_main(void *ret_used)
{
	*(int *)ret_used = use_stack();
	return NULL;
}

static int program(int argc, char **argv)
{
	struct stat tasks;
	pthread_t thread;
	int used = 0;

	if (stat("/proc/self/task", &tasks) != 0 || (tasks.st_nlink != 3) != vrs_stack_is_limited())
		return 3;
	if (argc != 2 || argv[1][0] != 'x' || pthread_create(&thread, NULL, thread_main, &used) != 0)
		return 1;
	pthread_join(thread, NULL);
	return used + use_stack() != 2 ? 2 : vrs_stack_is_limited() ? 43 : 42;
}

/* A hard limit of 0: as it is. */
static void check_under(rlim_t limit, rlim_t hard, int expected)
{
	pid_t child = fork();
	int state;

	if (child == 0) {
		char name[] = "program", argument[] = "x", *argv[] = {name, argument, NULL};
		struct rlimit stack = {limit, RLIM_INFINITY};

		getrlimit(RLIMIT_STACK, &stack);
		stack.rlim_cur = limit;
		stack.rlim_max = hard ? hard : stack.rlim_max;
		_exit(setrlimit(RLIMIT_STACK, &stack) == 0 ? vrs_run_program(program, 2, argv) : 77);
	}
	assert_int_equal(waitpid(child, &state, 0), child);
	assert_true(WIFEXITED(state));
	assert_int_equal(WEXITSTATUS(state), expected);
}

static void test_small_limit(void **state)
{
	(void)state;
	check_under(64 << 10, 0, 42);
}

static void test_small_hard_limit(void **state)
{
	(void)state;
	check_under(64 << 10, 64 << 10, 43);
}

static void test_usual_limit(void **state)
{
	(void)state;
	check_under(8 << 20, 0, 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_limit), cmocka_unit_test(test_small_hard_limit), cmocka_unit_test(test_usual_limit)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
