/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `vrbench --techniques`: every pair of a file of techniques (bench/plan/technique.h) in rounds that all share, then a verdict on each
 * (bench/judge/technique_verdict.h).  Folder, journal, --budget and --resume are those of a sweep.
 */
#ifndef VRS_BENCH_TECHNIQUES_MODE_H
#define VRS_BENCH_TECHNIQUES_MODE_H

#include "bench/judge/technique_verdict.h"
#include "bench/plan/technique.h"
#include "bench/record/journal.h"
#include "bench/run/runner.h"

#define VRS_TECHNIQUES_ROUNDS 12 /* enough for proofs among 100 techniques */

struct vrs_techniques {
	struct vrs_technique_list *list;
	struct vrs_technique_cases cases[VRS_TECHNIQUES_MAX];
};

/* Fill a request; the file's name becomes an absolute path. NULL: the default file, no expression. VRS_ECONFIG, VRS_ELIMIT. */
enum vrs_status vrs_techniques_request_make(struct vrs_techniques_request *ret_request, const char *file, const char *filter, const char *skip,
					    struct vrs_error *err);
/*
 * Read the techniques that the runner's plan names, and add their cases. resolution: one value of --resolution; NULL: the clip as it is.
 * VRS_ECONFIG: nothing of it can be measured here (not with list_only). Release with vrs_techniques_fini.
 */
enum vrs_status vrs_techniques_open(struct vrs_techniques *ret, struct vrs_runner *runner, const char *resolution, bool resume, bool list_only,
				    struct vrs_error *err);
void vrs_techniques_fini(struct vrs_techniques *techniques);
/* A line for each technique: its cases, or why there are none. */
void vrs_techniques_print_list(const struct vrs_techniques *techniques, const struct vrs_runner *runner, FILE *out);
/* Cases with estimates, and what the rounds can prove. budget: seconds; 0: none. Statuses of vrs_sweep_plan_print. */
enum vrs_status vrs_techniques_print_plan(const struct vrs_techniques *techniques, struct vrs_runner *runner, int rounds, double budget, FILE *out,
					  struct vrs_error *err);
/*
 * Measure the planned rounds.  With a budget a run that would end after it is left out.  *ret_complete: nothing was left out.
 * Statuses of vrs_runner_measure; VRS_ECONFIG: too long without a budget.
 */
enum vrs_status vrs_techniques_measure(struct vrs_runner *runner, int rounds, double budget, bool resume, bool *ret_complete, struct vrs_error *err);

#endif
