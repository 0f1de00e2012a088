/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines that a user types (edited, completed and remembered by libedit), or that come through a pipe. */
#ifndef VRS_MODES_COMMAND_LINE_H
#define VRS_MODES_COMMAND_LINE_H

#include <stdio.h>

#include <vrseg/status.h>

struct vrs_command_line;

#define VRS_COMMAND_WORDS 32

/* Told each word that could stand where the user is typing. */
typedef void (*vrs_candidate_fn)(void *cookie, const char *candidate);
/* Tell `found` the words that begin with `word`, after the line's beginning `head`. */
typedef void (*vrs_complete_fn)(const char *head, const char *word, vrs_candidate_fn found, void *cookie);

/* Prompt and typed text are shown on out, libedit's own messages on aside. prompt must stay valid. VRS_ENOMEM. */
enum vrs_status vrs_command_line_open(struct vrs_command_line **ret_line, const char *prompt, vrs_complete_fn complete, FILE *out, FILE *aside,
				      struct vrs_error *err);
/*
 * The next line as words, quotes taken off; ret_words is NULL-terminated and valid until the next call.  Returns their number, -1 at the end; a line
 * that cannot be read (too many words, an open quote) is VRS_EFORMAT in err and no words.
 */
int vrs_command_line_read(struct vrs_command_line *line, const char **ret_words, struct vrs_error *err);
/* Also keeps the history in the cache folder. NULL is fine. */
void vrs_command_line_close(struct vrs_command_line *line);

#endif
