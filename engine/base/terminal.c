/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signal handlers only call async-signal-safe functions (tcsetattr, tcgetpgrp and sigaction are).  SIGTTOU and SIGTTIN are ignored meanwhile: giving
 * the terminal back from the background must not stop us, and reading from there gives an error instead.
 */
#include "base/terminal.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/printable.h"
#include "base/stop.h"

static struct termios modes_before, modes_keys; /* written before `active` is set, then only read */
static int terminal = -1;
static _Atomic int active;
static struct sigaction stop_before, continue_before, write_before, read_before;

static bool in_foreground(void)
{
	return tcgetpgrp(terminal) == getpgrp();
}

static void take_keys(void)
{
	if (in_foreground())
		(void)tcsetattr(terminal, TCSANOW, &modes_keys);
}

static void give_back(void)
{
	if (atomic_load(&active) && in_foreground()) /* else its modes are those of another program */
		(void)tcsetattr(terminal, TCSADRAIN, &modes_before);
}

/* Ctrl-Z: give the terminal back, stop as if there were no handler, and go on here after SIGCONT. */
static void on_stop(int number)
{
	struct sigaction usual = {.sa_handler = SIG_DFL}, mine;
	sigset_t only, before;
	give_back();
	sigaction(number, &usual, &mine);
	sigemptyset(&only);
	sigaddset(&only, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &only, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	sigaction(number, &mine, NULL);
}

static void on_continue(int number)
{
	(void)number;
	if (atomic_load(&active))
		take_keys();
}

static void handle(int number, void (*handler)(int), struct sigaction *before)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	sigaction(number, &action, before);
}

bool vrs_terminal_begin(int fd)
{
	static bool registered;
	if (atomic_load(&active) || !isatty(fd) || tcgetattr(fd, &modes_before) < 0)
		return false;
	terminal = fd;
	modes_keys = modes_before;
	modes_keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	modes_keys.c_cc[VMIN] = 1;
	modes_keys.c_cc[VTIME] = 0;
	if (!registered && atexit(give_back) != 0)
		return false;
	registered = true;
	vrs_stop_before_kill(give_back);
	handle(SIGTTOU, SIG_IGN, &write_before);
	handle(SIGTTIN, SIG_IGN, &read_before);
	handle(SIGTSTP, on_stop, &stop_before);
	handle(SIGCONT, on_continue, &continue_before);
	atomic_store(&active, 1);
	take_keys();
	return true;
}

int vrs_terminal_key(int wake_fd, int timeout_ms)
{
	struct pollfd fds[2] = {{.fd = terminal, .events = POLLIN}, {.fd = wake_fd, .events = POLLIN}};
	unsigned char key;
	if (!atomic_load(&active))
		return -1;
	if (!in_foreground())
		fds[0].fd = -1; /* its keys are another's */
	if (poll(fds, 2, timeout_ms) <= 0 || !(fds[0].revents & POLLIN) || !in_foreground())
		return -1;
	return read(terminal, &key, 1) == 1 ? key : -1;
}

void vrs_terminal_end(void)
{
	if (!atomic_load(&active))
		return;
	give_back();
	vrs_stop_before_kill(NULL);
	atomic_store(&active, 0);
	sigaction(SIGCONT, &continue_before, NULL);
	sigaction(SIGTSTP, &stop_before, NULL);
	sigaction(SIGTTIN, &read_before, NULL);
	sigaction(SIGTTOU, &write_before, NULL);
}

int vrs_terminal_columns(FILE *out)
{
	struct winsize window = {.ws_col = 0};
	return ioctl(fileno(out), TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;
}

void vrs_terminal_rewrite(FILE *out, const char *text)
{
	char line[1024];
	int columns = vrs_terminal_columns(out);
	vrs_printable(line, sizeof line, text);
	size_t most = columns > 1 ? (size_t)columns - 1 : sizeof line;
	if (strlen(line) > most) {
		while (most > 0 && ((unsigned char)line[most] & 0xC0) == 0x80) /* not in the middle of a character */
			most--;
		line[most] = '\0';
	}
	fprintf(out, "\r\033[K%s", line);
}
