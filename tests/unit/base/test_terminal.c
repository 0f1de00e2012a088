/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the terminal: keys come one by one and unseen, and its own modes are back after the end, an exit, a second Ctrl-C, and while the process is
 * stopped by Ctrl-Z; after that keys come again; in the background it leaves them alone, also when it is killed.  The other side of a
 * pseudo-terminal sees the modes.
 */
#include <errno.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/stop.h"
#include "base/terminal.h"

enum { END, EXIT, WAIT };

/* Says '.' when it is ready, then each key once more; '!' ends it in the way asked for. */
static void child(int how)
{
	vrs_stop_install();
	if (!vrs_terminal_begin(STDIN_FILENO))
		_exit(9);
	(void)!write(STDOUT_FILENO, ".", 1);
	for (;;) {
		int key = vrs_terminal_key(-1, 100);
		char c = (char)key;
		if (key == '!' && how == EXIT)
			exit(5);
		if (key == '!')
			break;
		if (key >= 0)
			(void)!write(STDOUT_FILENO, &c, 1);
	}
	vrs_terminal_end();
	_exit(6);
}

static pid_t start(int how, int *ret_master)
{
	pid_t pid = forkpty(ret_master, NULL, NULL, NULL);
	assert_true(pid >= 0);
	if (pid == 0)
		child(how);
	return pid;
}

static void expect(int master, char want)
{
	char c = 0;
	assert_int_equal(read(master, &c, 1), 1);
	assert_int_equal(c, want);
}

static void send_key(int master, char key)
{
	assert_int_equal(write(master, &key, 1), 1);
}

/* Lines and echo as before (true), or keys (false), within five seconds: signals take their time. */
static void expect_modes(int master, bool usual)
{
	struct termios modes;
	for (int i = 0; i < 500; i++) {
		assert_int_equal(tcgetattr(master, &modes), 0);
		if (((modes.c_lflag & (ICANON | ECHO)) == (ICANON | ECHO)) == usual)
			return;
		usleep(10000);
	}
	fail_msg("the terminal stays %s", usual ? "in the mode of keys" : "in the mode of lines");
}

static int end_of(pid_t pid)
{
	int status = 0;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void test_keys_and_end(void **state)
{
	(void)state;
	for (int how = END; how <= EXIT; how++) {
		int master;
		pid_t pid = start(how, &master);
		expect(master, '.');
		expect_modes(master, false);
		send_key(master, 'R'); /* no newline is needed, and only our own answer is seen */
		expect(master, 'R');
		send_key(master, 'q');
		expect(master, 'q');
		send_key(master, '!');
		int status = end_of(pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), how == END ? 6 : 5);
		expect_modes(master, true);
		close(master);
	}
}

static void test_second_interrupt(void **state)
{
	(void)state;
	int master;
	pid_t pid = start(WAIT, &master);
	expect(master, '.');
	send_key(master, 3); /* Ctrl-C is still a signal */
	usleep(200000);
	expect_modes(master, false);
	send_key(master, 3);
	int status = end_of(pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
	expect_modes(master, true);
	close(master);
}

static pid_t shell_job;

/* What a shell does for "fg". */
static void to_foreground(int number)
{
	(void)number;
	tcsetpgrp(STDIN_FILENO, shell_job);
	kill(shell_job, SIGCONT);
}

/*
 * A small shell: a process group without a parent in its session cannot be stopped, so the process under test gets one of each.  Tells its id, and
 * 'S' whenever it stopped, through `tell`; ends as it does.
 */
static void shell(int tell)
{
	int status = 0;
	signal(SIGTTOU, SIG_IGN);
	/* no SA_RESTART: ThreadSanitizer runs the handler only when waitpid returns */
	struct sigaction foreground = {.sa_handler = to_foreground};
	sigaction(SIGUSR1, &foreground, NULL);
	pid_t pid = shell_job = fork();
	if (pid == 0) {
		setpgid(0, 0);
		tcsetpgrp(STDIN_FILENO, getpid());
		signal(SIGTTOU, SIG_DFL);
		child(END);
	}
	(void)!write(tell, &pid, sizeof pid);
	for (;;) {
		pid_t ended = waitpid(pid, &status, WUNTRACED);
		if (ended < 0 && errno == EINTR)
			continue;
		if (ended != pid || !WIFSTOPPED(status))
			break;
		tcsetpgrp(STDIN_FILENO, getpid());
		(void)!write(tell, "S", 1);
	}
	_exit(WEXITSTATUS(status));
}

/* A shell of its own terminal, and its job, which has come to work and was stopped. */
static pid_t start_and_stop(int *ret_master, int tell[2], pid_t *ret_pid)
{
	assert_int_equal(pipe(tell), 0);
	pid_t leader = forkpty(ret_master, NULL, NULL, NULL);
	assert_true(leader >= 0);
	if (leader == 0)
		shell(tell[1]);
	assert_int_equal(read(tell[0], ret_pid, sizeof *ret_pid), sizeof *ret_pid);
	expect(*ret_master, '.');
	expect_modes(*ret_master, false);
	kill(*ret_pid, SIGTSTP);
	expect(tell[0], 'S');
	expect_modes(*ret_master, true);
	return leader;
}

static void test_stop_and_continue(void **state)
{
	(void)state;
	int master, tell[2];
	pid_t pid;
	pid_t leader = start_and_stop(&master, tell, &pid);
	/* in the background it leaves keys and modes alone */
	kill(pid, SIGCONT);
	usleep(300000);
	expect_modes(master, true);
	/* the handlers are there a second time too */
	kill(pid, SIGTSTP);
	expect(tell[0], 'S');
	kill(leader, SIGUSR1);
	expect_modes(master, false);
	usleep(200000); /* a look at who is in front takes 100 ms */
	send_key(master, 'a');
	expect(master, 'a');
	send_key(master, '!');
	assert_int_equal(WEXITSTATUS(end_of(leader)), 6);
	expect_modes(master, true);
	close(master);
	close(tell[0]);
	close(tell[1]);
}

/* Killed in the background, it leaves the modes of the program in the foreground, here an editor's. */
static void test_killed_in_background(void **state)
{
	(void)state;
	int master, tell[2];
	struct termios modes;
	pid_t pid;
	pid_t leader = start_and_stop(&master, tell, &pid);
	assert_int_equal(tcgetattr(master, &modes), 0);
	cfmakeraw(&modes);
	assert_int_equal(tcsetattr(master, TCSANOW, &modes), 0);
	kill(pid, SIGCONT);
	kill(pid, SIGTERM); /* asks */
	usleep(100000);
	kill(pid, SIGTERM); /* ends it */
	assert_true(WIFEXITED(end_of(leader)));
	assert_int_equal(tcgetattr(master, &modes), 0);
	assert_int_equal(modes.c_lflag & (ICANON | ECHO), 0);
	close(master);
	close(tell[0]);
	close(tell[1]);
}

static void test_no_terminal(void **state)
{
	(void)state;
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	assert_false(vrs_terminal_begin(fds[0]));
	assert_int_equal(vrs_terminal_key(-1, 0), -1);
	vrs_terminal_end();
	close(fds[0]);
	close(fds[1]);
}

/* Signals that are ignored when a program starts stay so, as behind nohup; these tests need those that Ctrl-C and Ctrl-Z send. */
static int usual_signals(void **state)
{
	(void)state;
	signal(SIGINT, SIG_DFL);
	signal(SIGTSTP, SIG_DFL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_and_end),
		cmocka_unit_test(test_second_interrupt),
		cmocka_unit_test(test_stop_and_continue),
		cmocka_unit_test(test_killed_in_background),
		cmocka_unit_test(test_no_terminal),
	};
	return cmocka_run_group_tests(tests, usual_signals, NULL);
}
