/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What limits the pipeline: rules over the counters of its stages, each with the numbers behind it, a bound of what removing the limit can
 * gain, and the YAML to change.  A gain is a bound ("at most"), never a promise.
 */
#ifndef VRS_BENCH_BOTTLENECK_H
#define VRS_BENCH_BOTTLENECK_H

#include "bench/judge/bottleneck_finder.h"

/* Rules in order of weight; returns their number, at most max. The first names the limit. 0: the counters say nothing. */
int vrs_bottleneck_find(const struct vrs_bottleneck_input *input, struct vrs_bottleneck *ret, int max);
/* Fill the input from the medians of a case's ok runs; cpus 0: not known. result (may be NULL) must outlive the input. False: no ok run. */
bool vrs_bottleneck_input_of_case(const struct vrs_result *result, const struct vrs_case_result *c, int cpus, struct vrs_bottleneck_input *ret);

#endif
