/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards base/stop: the first signal only asks, the second ends the process by that signal, and ignored signals stay ignored, but for that of ended
 * children, while blocked ones come; a process that only waits ends soon after the first one, one that has something to save as long as it moves, and
 * one that hangs with its sentence; a signal that comes just when it hangs no more counts as well.
 */
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>
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

/* Runs in a child until it is ended. */
static _Noreturn void wait_for_ever(void)
{
	for (;;)
		pause();
}

static int exit_code(pid_t child)
{
	int status = wait_status(child);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void waiting_ends_after_the_first(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	pid_t children[3];

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			vrs_stop_install();
			raise(signals[i]);
			wait_for_ever();
		}
	}
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		assert_int_equal(exit_code(children[i]), 128 + signals[i]);
}

/* Sleeps through the limit of a process that waits. */
static void sleep_on(bool moves)
{
	for (int i = 0; i < 2 * VRS_STOP_WAITING_MS / 50; i++) {
		usleep(50000);
		if (moves)
			vrs_stop_moved();
	}
}

static void moving_goes_on(void **state)
{
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		vrs_stop_install();
		raise(SIGTERM);
		sleep_on(true);
		_exit(vrs_stop_signal() == SIGTERM ? 42 : 1);
	}
	assert_int_equal(exit_code(child), 42);
}

static void reset_disarms(void **state)
{
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		vrs_stop_install();
		raise(SIGTERM);
		vrs_stop_reset();
		sleep_on(false);
		_exit(42);
	}
	assert_int_equal(exit_code(child), 42);
}

static void saving_goes_on_while_it_moves(void **state)
{
	pid_t saves = fork(), sticks, hangs, recovers;

	(void)state;
	if (saves == 0) { /* no step for longer than a waiting process would live */
		vrs_stop_install();
		vrs_stop_hold();
		raise(SIGTERM);
		sleep_on(false);
		_exit(42);
	}
	sticks = fork();
	if (sticks == 0) {
		vrs_stop_install();
		vrs_stop_hold();
		raise(SIGTERM);
		wait_for_ever();
	}
	hangs = fork();
	if (hangs == 0) {
		vrs_stop_install();
		vrs_stop_hangs(3, "a test hangs");
		wait_for_ever();
	}
	recovers = fork();
	if (recovers == 0) {
		vrs_stop_install();
		vrs_stop_hangs(3, "a test hangs");
		vrs_stop_recovered();
		usleep(1000 * (VRS_STOP_SAVING_MS + 500));
		_exit(42);
	}
	assert_int_equal(exit_code(saves), 42);
	assert_int_equal(exit_code(sticks), 128 + SIGTERM);
	assert_int_equal(exit_code(hangs), 3);
	assert_int_equal(exit_code(recovers), 42);
}

static bool late_signal; /* comes before the timer is switched off */

int setitimer(__itimer_which_t which, const struct itimerval *value, struct itimerval *old)
{
	if (late_signal && value->it_value.tv_usec == 0) {
		late_signal = false;
		raise(SIGTERM);
	}
	return (int)syscall(SYS_setitimer, which, value, old);
}

static void signals_count_while_it_recovers(void **state)
{
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		vrs_stop_install();
		vrs_stop_hangs(3, "a test hangs");
		late_signal = true;
		vrs_stop_recovered();
		for (int i = 0; i < 30; i++)
			usleep(100000);
		_exit(42);
	}
	assert_int_equal(exit_code(child), 128 + SIGTERM);
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

/* A parent that ignores SIGCHLD leaves that to its children, whose own children would end unseen. */
static void children_can_be_waited_for(void **state)
{
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		int status = 0;

		signal(SIGCHLD, SIG_IGN);
		vrs_stop_install();
		pid_t own = fork();

		if (own == 0)
			_exit(7);
		_exit(waitpid(own, &status, 0) == own && WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 42 : 1);
	}
	assert_int_equal(exit_code(child), 42);
}

/* Signals that the parent has blocked reach the process, one that came before too, and the timer ticks. */
static void blocked_signals_come(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	pid_t children[3];
	sigset_t all;

	(void)state;
	sigfillset(&all);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			sigprocmask(SIG_SETMASK, &all, NULL);
			if (i == 0)
				raise(signals[i]);
			vrs_stop_install();
			if (i > 0)
				raise(signals[i]);
			if (!vrs_stop_requested())
				_exit(1);
			for (int k = 0; k < 100; k++) /* ends by the timer, and long before this */
				usleep(100000);
			_exit(2);
		}
	}
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		assert_int_equal(exit_code(children[i]), 128 + signals[i]);
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

/* Signals that are ignored when a program starts stay so, as behind nohup; these tests need them as a terminal sends them. */
static int usual_signals(void **state)
{
	(void)state;
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_signal_asks),
		cmocka_unit_test(second_signal_ends),
		cmocka_unit_test(waiting_ends_after_the_first),
		cmocka_unit_test(moving_goes_on),
		cmocka_unit_test(reset_disarms),
		cmocka_unit_test(saving_goes_on_while_it_moves),
		cmocka_unit_test(signals_count_while_it_recovers),
		cmocka_unit_test(ignored_signals_stay_ignored),
		cmocka_unit_test(blocked_signals_come),
		cmocka_unit_test(children_can_be_waited_for),
		cmocka_unit_test(closed_pipes_are_write_errors),
		cmocka_unit_test(requests_can_be_reset),
	};

	return cmocka_run_group_tests(tests, usual_signals, NULL);
}
