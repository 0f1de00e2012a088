/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How programs end on request.  One rule holds wherever a thread works or waits, and docs/vrseg.md tells it:
 *
 *   - The first SIGINT, SIGTERM or SIGHUP asks.  Whoever takes on new work looks at vrs_stop_requested().
 *   - A process that has nothing to save, and only waits (a pipe without a writer, a reader that reads nothing), ends VRS_STOP_WAITING_MS later
 *     from the signal handler; one that works ends by itself, or VRS_STOP_WORKING_MS later.
 *   - Frames in flight have VRS_STOP_FLIGHT_MS, then they are dropped (flow/flow_watch.h).
 *   - Who has something to save holds the process, and tells of every step with vrs_stop_moved(): it ends VRS_STOP_SAVING_MS after the last step,
 *     VRS_STOP_FLUSHING_MS where that is the disk's.
 *   - The second signal ends the process at once, with its default action.
 *
 * Nothing is removed by a handler: temporary files that it leaves are cleared by the next run, as after SIGKILL.
 * SIGPIPE and SIGXFSZ are ignored, so that they are seen as write errors.  Whatever the parent left, SIGCHLD is not, so that children can be waited
 * for, and the signals above and SIGALRM are not blocked.  In programs without vrs_stop_install only the flag counts.
 */
#ifndef VRS_BASE_STOP_H
#define VRS_BASE_STOP_H

#include <stdbool.h>

#define VRS_STOP_WAITING_MS 600
#define VRS_STOP_FLIGHT_MS 1000
#define VRS_STOP_WORKING_MS 3000
#define VRS_STOP_SAVING_MS 5000
#define VRS_STOP_FLUSHING_MS 60000

void vrs_stop_install(void);
bool vrs_stop_requested(void); /* async-signal-safe, lock-free */
int vrs_stop_signal(void);     /* that asked; SIGINT where no signal did */
void vrs_stop_request(void);   /* as if SIGINT had come (tests, 'q' key) */
void vrs_stop_reset(void);
/* Called before a handler ends the process (NULL: nothing); must be async-signal-safe. */
void vrs_stop_before_kill(void (*restore)(void));

/* Was vrs_stop_install called: is this process one of our programs? */
bool vrs_stop_is_installed(void);
/* End the process now, with a line of the program's name and the sentence; async-signal-safe. Files stay as after SIGKILL. */
_Noreturn void vrs_stop_end(int code, const char *sentence);

/* Everything below is for any thread. */

/* From here on there is something to save, up to the matching release. */
void vrs_stop_hold(void);
void vrs_stop_release(void);
/* A step of work is done. */
void vrs_stop_moved(void);
/* The calling thread begins or has ended to wait for the disk. */
void vrs_stop_flush_begin(void);
void vrs_stop_flush_end(void);
/* What the process waits for, in the words of the sentence that it ends with: a constant. NULL: nothing in particular. */
void vrs_stop_waits_for(const char *what);
/*
 * Work hangs, and the threads that wait for it cannot be told: end the process with this exit code and sentence after VRS_STOP_SAVING_MS without a
 * step, unless vrs_stop_recovered is called.
 */
void vrs_stop_hangs(int code, const char *sentence);
void vrs_stop_recovered(void);

#endif
