/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress of a search on standard error: one line that is rewritten on a terminal, plain lines otherwise, or JSON lines. */
#ifndef VRS_TUNER_TUNE_PROGRESS_H
#define VRS_TUNER_TUNE_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/run/runner.h"
#include "tuner/measure.h"

struct vrs_tune_progress {
	FILE *out;
	int kind;              /* enum vrs_progress, never auto */
	bool rewrite;          /* a terminal: \r */
	bool open_line;
	char phase[32];
};

void vrs_tune_progress_init(struct vrs_tune_progress *progress, int kind, FILE *out);
/* Callbacks of the measuring and of bench/runner; the cookie is the progress. */
void vrs_tune_progress_step(void *cookie, const struct vrs_step *step, int cases, int rounds);
void vrs_tune_progress_event(void *cookie, const struct vrs_runner_event *event);
/* Close an open line. */
void vrs_tune_progress_end(struct vrs_tune_progress *progress);

#endif
