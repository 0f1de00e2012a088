/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages of a program: the log goes to standard error as "program: warning: line" and, on request, to a file too; a failure ends as one such
 * line and an exit code.  One per process; call from the main thread.
 */
#ifndef VRS_BASE_MESSAGES_H
#define VRS_BASE_MESSAGES_H

#include <vrseg/log.h>
#include <vrseg/status.h>

/* Called before a line is written to standard error, so that a live progress line can be cleared; may be NULL. */
typedef void (*vrs_messages_before_fn)(void *cookie);

/*
 * Take over the log. program is printed before each line and must stay valid. Descriptors 0 to 2 that the caller has closed are opened on
 * /dev/null: begin before any file is opened.
 */
void vrs_messages_begin(const char *program, vrs_messages_before_fn before, void *cookie);
/* Apply --log-level and --log-file ("" : none; appended to). VRS_EIO names the file; VRS_ECONFIG: it is no text. */
enum vrs_status vrs_messages_open(enum vrs_log_level level, const char *log_file, struct vrs_error *err);
/* Report status (VRS_OK and VRS_END say nothing, VRS_ESTOPPED only when err holds a sentence), give the log back; returns the exit code. Results
 * on standard output that could not be written are VRS_EIO. */
int vrs_messages_end(enum vrs_status status, const struct vrs_error *err);

#endif
