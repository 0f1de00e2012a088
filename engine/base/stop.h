/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals: the first SIGINT, SIGTERM or SIGHUP asks to finish and save, the second ends the process at once with the signal's default action.
 * SIGPIPE and SIGXFSZ are ignored, so that they are seen as write errors.
 */
#ifndef VRS_BASE_STOP_H
#define VRS_BASE_STOP_H

#include <stdbool.h>

void vrs_stop_install(void);
bool vrs_stop_requested(void); /* async-signal-safe, lock-free */
void vrs_stop_request(void);   /* as if a signal had come (tests, 'q' key) */
void vrs_stop_reset(void);
/* Called by the second signal before it ends the process (NULL: nothing); must be async-signal-safe. */
void vrs_stop_before_kill(void (*restore)(void));

#endif
