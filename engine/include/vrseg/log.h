/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Leveled log.  Library code never prints: it calls vrs_log(), and the program decides where lines go by installing a sink.
 * The default sink writes warnings and errors to standard error.  All functions are thread-safe; the sink is called with a lock
 * held, so it need not be.
 */
#ifndef VRSEG_LOG_H
#define VRSEG_LOG_H

#include <stdbool.h>

#include <vrseg/status.h>

enum vrs_log_level {
	VRS_LOG_ERROR,   /* the work cannot go on */
	VRS_LOG_WARNING, /* it goes on, but the user should know */
	VRS_LOG_INFO,    /* decisions, with their reason */
	VRS_LOG_DEBUG,   /* for developers */
};

/* Receives one complete line without newline. */
typedef void (*vrs_log_fn)(void *cookie, enum vrs_log_level level, const char *line);

/* Install a sink; fn NULL restores the default one.  The cookie stays the caller's. */
void vrs_log_set_sink(vrs_log_fn fn, void *cookie);
/* Lines above this level are dropped before formatting. Default VRS_LOG_INFO. */
void vrs_log_set_level(enum vrs_log_level level);
enum vrs_log_level vrs_log_get_level(void);
void vrs_log(enum vrs_log_level level, const char *fmt, ...) VRS_PRINTF(2, 3);
/* Like vrs_log, but each `id` is logged only once per process. */
void vrs_log_once(const char *id, enum vrs_log_level level, const char *fmt, ...) VRS_PRINTF(3, 4);
/*
 * From on to off each warning and decision is handed on once, however often it is logged: for work that opens the same files again and again.  Off
 * forgets them.
 */
void vrs_log_distinct(bool on);

#endif
