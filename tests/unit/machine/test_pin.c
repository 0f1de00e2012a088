/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: a process that is pinned may run where it was told to and nowhere else; words that name no processors are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vrseg/machine.h>

/* What a child process that pins itself may use; -1: refused with a sentence. */
static int pinned_cpus(const char *what)
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		struct vrs_error err = {.status = VRS_OK};
		cpu_set_t set;
		if (vrs_machine_pin(what, &err) != VRS_OK)
			_exit(strlen(err.text) > 10 ? 255 : 254);
		_exit(sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 253);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

static void pinning(void **state)
{
	(void)state;
	cpu_set_t set;
	char list[32];
	int first = 0;
	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	while (!CPU_ISSET((size_t)first, &set))
		first++;
	snprintf(list, sizeof list, "%d", first);
	assert_int_equal(pinned_cpus(list), 1);
	int cores = pinned_cpus("cores");
	assert_true(cores >= 1 && cores <= CPU_COUNT(&set));
	assert_true(pinned_cpus("node:0") >= 1 || pinned_cpus("node:0") == -1);
	static const char *const bad[] = {"", "all", "core", "node:", "node:-1", "node:4000", "3-", "0x3", "99999", "0,x"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (pinned_cpus(bad[i]) != -1)
			fail_msg("\"%s\" was taken", bad[i]);
	cpu_set_t after;
	assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
	assert_true(CPU_EQUAL(&set, &after)); /* this process was not touched */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pinning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
