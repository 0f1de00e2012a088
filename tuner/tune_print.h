/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search tried and chose, as text for a terminal. */
#ifndef VRS_TUNER_TUNE_PRINT_H
#define VRS_TUNER_TUNE_PRINT_H

#include <stdio.h>

#include "bench/judge/bottleneck.h"
#include "tuner/search.h"

/* Ends in the line for scripts: "VERDICT FASTER|EQUIVALENT|INCONCLUSIVE metric=fps ... case=ID"; EQUIVALENT: the default stays. */
void vrs_tune_print(const struct vrs_search_result *result, const struct vrs_space *space, FILE *out);
/*
 * Target lines ("target 60 FPS: missed, ..."), and for scripts "VERDICT FEASIBLE|INFEASIBLE target_fps=X fps=X low=X"; nothing for targets of 0.
 * False: the speed of the chosen settings, the low end of its interval, is below the target.  The search chooses the fastest settings whose matte
 * is good enough, so that no others reach it either.
 */
bool vrs_tune_print_targets(const struct vrs_search_result *result, double fps, double max_latency_ms, FILE *out);
/* Bottlenecks of a case: rule, evidence, YAML to change, gain to expect. */
void vrs_tune_print_bottlenecks(const struct vrs_case_result *c, const struct vrs_bottleneck *rules, int count, FILE *out);

#endif
