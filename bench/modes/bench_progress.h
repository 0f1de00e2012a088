/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress of a sweep on standard error: a live line on a terminal, one line for each finished run elsewhere, or JSON lines. */
#ifndef VRS_BENCH_BENCH_PROGRESS_H
#define VRS_BENCH_BENCH_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include <vrseg/options.h>

#include "bench/run/runner.h"

struct vrs_bench_progress {
	FILE *out;
	enum vrs_progress kind; /* never auto */
	bool live;              /* a terminal: the line in progress is overwritten */
	bool line_open;
	struct vrs_machine *machine; /* for the sensors of the live line; NULL: not looked at yet, or not live */
};

void vrs_bench_progress_init(struct vrs_bench_progress *progress, enum vrs_progress kind, FILE *out);
/* NULL members are fine. */
void vrs_bench_progress_fini(struct vrs_bench_progress *progress);
/* Callback of the runner; the cookie is the progress. */
void vrs_bench_progress_event(void *cookie, const struct vrs_runner_event *event);
/* Remove the line in progress, so that other text can be printed. */
void vrs_bench_progress_clear(struct vrs_bench_progress *progress);
/* "0:42", "1:03:00". */
void vrs_bench_time_text(double seconds, char *buf, size_t size);

#endif
