/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a result to the figures of a night: each case that has both sides becomes comparisons of every metric (vrs_compare, one look at all pairs; the
 * verdict of the night judges all cases and metrics as one family) and of every figure of the matte, and each case without sides becomes its own
 * figures alone.
 */
#ifndef VRS_BENCH_NIGHT_FIGURES_H
#define VRS_BENCH_NIGHT_FIGURES_H

#include "bench/record/night_record.h"

#define VRS_NIGHT_AGREEMENT "agreement" /* IoU with the reference mattes */

/* The video that a result was measured on. */
struct vrs_night_input {
	const char *name;
	uint64_t hash;       /* 0: not known */
};

/*
 * Append the cases of a result to a night; what they need comes from the arena.  margin: as a share, 0: default.  The result's own comparisons are
 * overwritten on the way.  VRS_EFORMAT: side A or B of a case is missing; VRS_ELIMIT: too many cases; VRS_EINVAL, VRS_ENOMEM.
 */
enum vrs_status vrs_night_figures_take(struct vrs_night_record *night, struct vrs_arena *arena, struct vrs_result *result,
				       const struct vrs_night_input *input, double margin, struct vrs_error *err);
/* Is a larger value of that metric better?  Names are those of comparisons and of figures of the matte. */
bool vrs_night_metric_rises(const char *metric);
/* Is it a figure of the matte, which is the same in every run? */
bool vrs_night_metric_is_quality(const char *metric);
/* Differences of a figure of the matte below this do not matter; NaN: it is none. */
double vrs_night_quality_margin(const char *metric);
/*
 * Put both values of a figure of the matte and its verdict into a metric that has its name: the matte is the same in every run, so it needs no test,
 * only a difference that matters.
 */
void vrs_night_quality_judge(struct vrs_comparison *metric, double a, double b);
/* B's value against A's as a ratio, with its interval (NaN: none), whatever direction is better. NaN: there are no two values. */
double vrs_night_metric_ratio(const struct vrs_comparison *m, double *ret_low, double *ret_high);

#endif
