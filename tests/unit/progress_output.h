/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where progress goes, and what was written there: a file, and a pseudo-terminal of so many columns. */
#ifndef TESTS_PROGRESS_OUTPUT_H
#define TESTS_PROGRESS_OUTPUT_H

#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

/* What was written since the last call; the file is empty then. */
static inline const char *progress_file_read(FILE *out, char *buf, size_t size)
{
	fflush(out);
	rewind(out);
	size_t n = fread(buf, 1, size - 1, out);
	buf[n] = '\0';
	rewind(out);
	assert_int_equal(ftruncate(fileno(out), 0), 0);
	return buf;
}

struct progress_terminal {
	FILE *out; /* what the program writes to */
	int master;
};

static inline struct progress_terminal progress_terminal_open(unsigned short columns)
{
	struct winsize window = {.ws_row = 25, .ws_col = columns};
	struct progress_terminal terminal = {0};
	int slave;
	assert_int_equal(openpty(&terminal.master, &slave, NULL, NULL, &window), 0);
	terminal.out = fdopen(slave, "w");
	assert_non_null(terminal.out);
	return terminal;
}

/* What was written since the last call, line ends as \r\n; "" when it is nothing. */
static inline const char *progress_terminal_read(struct progress_terminal *terminal, char *buf, size_t size)
{
	size_t len = 0;
	fputc('\002', terminal->out); /* ends it: what was written comes in pieces */
	fflush(terminal->out);
	while (len == 0 || buf[len - 1] != '\002') {
		ssize_t n = read(terminal->master, buf + len, size - 1 - len);
		assert_true(n > 0);
		len += (size_t)n;
	}
	buf[len - 1] = '\0';
	return buf;
}

static inline void progress_terminal_close(struct progress_terminal *terminal)
{
	fclose(terminal->out);
	close(terminal->master);
}

#endif
