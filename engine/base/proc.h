/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Child processes: run argv with a time-out and limits, capture output. Isolates a benchmark run; runs gnuplot.
 */
#ifndef VRS_BASE_PROC_H
#define VRS_BASE_PROC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct vrs_proc_options {
	const char *const *argv;     /* argv[0] is searched in PATH; NULL-terminated */
	const char *const *env;      /* extra "NAME=value" entries, NULL-terminated; NULL: none */
	const char *stdin_text;      /* written to the child's standard input; NULL: /dev/null */
	double timeout_seconds;      /* 0: none. SIGTERM, then SIGKILL after grace_seconds, to the whole process group */
	double grace_seconds;        /* 0: 2 */
	uint64_t memory_limit_bytes; /* RLIMIT_DATA: what it maps to write to; libraries and what malloc keeps for later do not count. 0: none */
	size_t output_max;           /* captured bytes of each stream kept; more is read and dropped */
	bool stderr_through;         /* do not capture standard error */
	void (*on_tick)(void *cookie); /* (optional) called some twenty times a second while the child runs */
	void *cookie;
};

struct vrs_proc_result {
	int exit_code;               /* -1 when it did not exit by itself, or nobody can say: the program ignores SIGCHLD */
	int signal;                  /* 0: none */
	bool timed_out, stopped;     /* stopped: our own stop request ended it */
	double wall_seconds, user_seconds, system_seconds;
	uint64_t max_rss_bytes;      /* 0: not known, no more than this process held itself when it started the child */
	long voluntary_switches, involuntary_switches, minor_faults, major_faults;
	struct vrs_buf out, err;
};

/* VRS_OK whenever the child ran (see result); VRS_ENOTFOUND: no such program; VRS_EIO, VRS_ENOMEM. Release with vrs_proc_result_fini. */
enum vrs_status vrs_proc_run(const struct vrs_proc_options *options, struct vrs_proc_result *ret_result, struct vrs_error *err);
void vrs_proc_result_fini(struct vrs_proc_result *result);

#endif
