/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Single keys of a terminal: between begin and end a key is there at once and is not shown; Ctrl-C and Ctrl-Z stay signals.  The terminal gets its
 * own modes back at the end, at exit, when a second stop request kills the process (base/stop.h), and while it is stopped by Ctrl-Z or runs in the
 * background.  One terminal per process; begin and end belong to the main thread, reading to one other thread.
 */
#ifndef VRS_BASE_TERMINAL_H
#define VRS_BASE_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* False when fd is no terminal, or not this process's. */
bool vrs_terminal_begin(int fd);
/* Wait for a key until the time is over or until something can be read from wake_fd (-1: none). -1: no key. */
int vrs_terminal_key(int wake_fd, int timeout_ms);
/* Fine without a begin. */
void vrs_terminal_end(void);

/* Columns of the terminal that a stream writes to; 0: it is none, or does not say. */
int vrs_terminal_columns(FILE *out);
/*
 * Write text in place of the line in progress of a terminal: without control characters (base/printable.h), and cut where the terminal ends, since a
 * line that wraps could not be replaced.  Bytes count as columns, of which no character takes more.
 */
void vrs_terminal_rewrite(FILE *out, const char *text);

#endif
