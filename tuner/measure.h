/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the search gets its numbers: a function that measures candidates in interleaved rounds.  The real one runs child processes
 * (measure.c); tests put a simulated machine in its place. */
#ifndef VRS_TUNER_MEASURE_H
#define VRS_TUNER_MEASURE_H

#include "bench/plan/case.h"
#include "bench/record/result.h"
#include "bench/run/runner.h"

/* A step of the search, as the user sees it. */
struct vrs_step {
	const char *phase; /* "screening" */
	const char *why;   /* why it measures what it measures; "": there is no more to say */
	double stretch;    /* runs are so many times as long; below 1: as usual */
	const char *leading; /* the best settings so far, "1.34x preset=superfast, 1.12x stride=2"; NULL, "": none yet */
	double left_seconds; /* of the whole search from this step on, at most, by the time of its runs so far; 0: not known */
};

/*
 * Measure count cases, each once a round, for `rounds` rounds; *ret_result holds one result per case in the same order (ids may differ from the
 * cases' when the machine turns "auto" into a number) and is destroyed by the caller.  A case that cannot run has no good runs.
 * VRS_ESTOPPED on a stop request; other statuses end the search.  `step` is shown to the user.
 */
typedef enum vrs_status (*vrs_measure_fn)(void *cookie, const struct vrs_step *step, const struct vrs_case *cases, int count, int rounds,
					  struct vrs_result **ret_result, struct vrs_error *err);

/* Measuring on this machine, through bench/run/runner.h. */
struct vrs_tune_measure {
	struct vrs_runner *runner; /* not owned */
	int next_round;            /* 1 at the start; phases use rounds one after the other, so a resumed search finds its runs again */
	void (*on_step)(void *cookie, const struct vrs_step *step, int cases, int rounds); /* (optional) */
	void *cookie;
};

/*
 * A vrs_measure_fn; the cookie is a struct vrs_tune_measure.  A live case drops frames, so that its mattes cannot be compared: they are those of one
 * run of the same settings that is not live, made once.
 */
enum vrs_status vrs_tune_measure(void *cookie, const struct vrs_step *step, const struct vrs_case *cases, int count, int rounds,
				 struct vrs_result **ret_result, struct vrs_error *err);

#endif
