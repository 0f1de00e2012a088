/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the last run ended, as a metrics file says: it is kept from run to run there. */
#ifndef VRS_MONITOR_LAST_RUN_H
#define VRS_MONITOR_LAST_RUN_H

#include <stdbool.h>

/* Names of the metrics, behind the name of the program. */
#define VRS_LAST_RUN_END "_last_run_end_time_seconds"
#define VRS_LAST_RUN_EXIT_CODE "_last_run_exit_code"
#define VRS_LAST_RUN_SUCCESS "_last_success_time_seconds"

/* Times in seconds since 1970. */
struct vrs_last_run {
	double end_time, exit_code; /* end_time 0: no run has ended */
	double success_time;        /* 0: none has succeeded */
};

/*
 * Read the text of a metrics file of the program.  False: it is something else, and not to be replaced.  What is damaged counts as absent; an empty
 * file is one without runs.
 */
bool vrs_last_run_read(struct vrs_last_run *ret_run, const char *text, const char *program);

#endif
