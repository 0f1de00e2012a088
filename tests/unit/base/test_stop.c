/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards base/stop: the first signal only asks, the second ends the process by that signal, and ignored signals stay ignored. */
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/stop.h"

static int wait_status(pid_t child)
{
	int status = 0;

	assert_true(child > 0);
	assert_true(waitpid(child, &status, 0) == child);
	return status;
}

static void first_signal_asks(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		pid_t child = fork();

		if (child == 0) {
			vrs_stop_install();
			if (vrs_stop_requested())
				_exit(1);
			raise(signals[i]);
			_exit(vrs_stop_requested() ? 42 : 2);
		}
		int status = wait_status(child);

		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 42);
	}
}

static void second_signal_ends(void **state)
{
	static const int signals[][2] = {{SIGINT, SIGINT}, {SIGTERM, SIGINT}, {SIGINT, SIGTERM}, {SIGHUP, SIGHUP}};

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		pid_t child = fork();

		if (child == 0) {
			vrs_stop_install();
			raise(signals[i][0]);
			raise(signals[i][1]);
			_exit(1);
		}
		int status = wait_status(child);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i][1]);
	}
}

static void ignored_signals_stay_ignored(void **state)
{
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		signal(SIGHUP, SIG_IGN);
		vrs_stop_install();
		raise(SIGHUP);
		_exit(vrs_stop_requested() ? 1 : 42);
	}
	assert_int_equal(WEXITSTATUS(wait_status(child)), 42);
}

static void closed_pipes_are_write_errors(void **state)
{
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		int fds[2];

		vrs_stop_install();
		if (pipe(fds) < 0)
			_exit(1);
		close(fds[0]);
		_exit(write(fds[1], "x", 1) < 0 && !vrs_stop_requested() ? 42 : 2);
	}
	int status = wait_status(child);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
}

static void requests_can_be_reset(void **state)
{
	(void)state;
	vrs_stop_reset();
	assert_false(vrs_stop_requested());
	vrs_stop_request();
	assert_true(vrs_stop_requested());
	vrs_stop_request();
	assert_true(vrs_stop_requested());
	vrs_stop_reset();
	assert_false(vrs_stop_requested());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_signal_asks),
		cmocka_unit_test(second_signal_ends),
		cmocka_unit_test(ignored_signals_stay_ignored),
		cmocka_unit_test(closed_pipes_are_write_errors),
		cmocka_unit_test(requests_can_be_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
