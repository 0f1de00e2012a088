/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What settings are weighed by, and which of them are worth having: the Pareto front, whose cases no other surpasses beyond noise.
 * Functions without side effects, for any thread.
 */
#ifndef VRS_ANALYZER_FRONT_H
#define VRS_ANALYZER_FRONT_H

#include "bench/record/result.h"

enum vrs_front_figure {
	VRS_FRONT_SPEED,   /* frames a second */
	VRS_FRONT_LATENCY, /* P99 of the runs, ms */
	VRS_FRONT_QUALITY, /* IoU with truth, else with fp32 */
	VRS_FRONT_EDGES,   /* F of contours, with truth */
	VRS_FRONT_MEMORY,  /* peak, MiB */
	VRS_FRONT_OUTPUT,  /* of the output, kB a frame */
	VRS_FRONT_ENERGY,  /* of the processors, J a frame */
	VRS_FRONT_FIGURES,
};
#define VRS_FRONT_ALL ((1u << VRS_FRONT_FIGURES) - 1)

struct vrs_front_info {
	const char *head, *format; /* of a column, and of its numbers */
	bool more_is_better;
	double margin;             /* a smaller difference does not matter: a share, of the qualities the difference itself */
	bool absolute;
};
const struct vrs_front_info *vrs_front_info(enum vrs_front_figure figure);

/* A figure of a case over its good runs, with the interval of its median (below six runs their range).  All NaN: not known. */
struct vrs_front_value {
	double median, low, high;
};
struct vrs_front_value vrs_front_value(const struct vrs_case_result *c, enum vrs_front_figure figure);
/*
 * Is a better than b in one of `figures` (a bit for each), and worse in none: beyond both intervals and by more than the margin?  Figures of
 * mattes are compared over those that both have (vrs_case_result_common_quality).  Of what is known of one of them only, or shares no matte, nothing
 * is said; figures that both lack do not count.
 */
bool vrs_front_dominates(const struct vrs_case_result *a, const struct vrs_case_result *b, unsigned figures);
/* beaten[i]: some other of the n cases dominates case i.  VRS_ENOMEM. */
enum vrs_status vrs_front_find(const struct vrs_case_result *const *cases, int n, unsigned figures, bool *ret_beaten);
/*
 * The knee of speed against quality: of the n cases the one that lies farthest above the line from the fastest to the best, the logarithm of the
 * speed and the quality scaled to 0..1 (Satopaa, Albrecht, Irwin & Raghavan, "Finding a 'Kneedle' in a Haystack", 2011).  -1: no case has both
 * figures.
 */
int vrs_front_knee(const struct vrs_case_result *const *cases, int n);

#endif
