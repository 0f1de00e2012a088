/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From pairs to cases: what equals the base configuration is left out of a case, so that pairs share its runs. */
#ifndef VRS_BENCH_TECHNIQUE_CASES_H
#define VRS_BENCH_TECHNIQUE_CASES_H

#include <stdio.h>

#include "bench/plan/technique.h"
#include "bench/run/runner.h"

/*
 * Add the cases of all pairs to the runner, the one that is the base configuration first.  cases has room for list->count.
 * With resume they are there already: VRS_ECONFIG when one is not, since the file has changed.
 */
enum vrs_status vrs_technique_add_cases(const struct vrs_technique_list *list, const struct vrs_technique_common *common, struct vrs_runner *runner,
					bool resume, struct vrs_technique_cases *cases, struct vrs_error *err);
/* A line for each technique: its cases, or why there are none. */
void vrs_technique_print_list(const struct vrs_technique_list *list, const struct vrs_technique_cases *cases, struct vrs_runner *runner, FILE *out);

#endif
