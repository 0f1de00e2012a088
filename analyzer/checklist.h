/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands between a measured machine and production: a list of points, each done, failed or missing by results that were kept, with the evidence
 * and the command that does it.  Results say nothing about points that they did not measure; of several that do, the newest counts.
 */
#ifndef VRS_ANALYZER_CHECKLIST_H
#define VRS_ANALYZER_CHECKLIST_H

#include <stdint.h>

#include "analyzer/findings.h"
#include "bench/record/result.h"

enum vrs_check_state { VRS_CHECK_MISSING, VRS_CHECK_DONE, VRS_CHECK_FAILED };

/* In the order in which they are worked through. */
enum vrs_check {
	VRS_CHECK_SWEEP,           /* resolution, batch and precision measured, to the end */
	VRS_CHECK_SPEED,           /* targets of speed and frame times met */
	VRS_CHECK_UTILIZATION,
	VRS_CHECK_LATENCY,         /* of live frames */
	VRS_CHECK_REAL_VIDEO,      /* stereo video that nobody drew */
	VRS_CHECK_SOAK,
	VRS_CHECK_THERMAL,
	VRS_CHECK_CONFIGURATION,   /* an A/B in which the settings of production are no slower than what they replace */
	VRS_CHECK_COUNT,
};

struct vrs_check_point {
	enum vrs_check_state state;
	char evidence[288];        /* what was seen, or why nothing was; "" */
	char source[VRS_PATH_MAX]; /* the result's name as it was given; "" */
	char date[32];             /* when it was measured */
	uint64_t fingerprint;      /* of the machine; 0: not known */
};

struct vrs_checklist {
	struct vrs_check_point points[VRS_CHECK_COUNT];
	const char *targets;       /* file; NULL: the installed one */
	double soak_seconds;       /* how long a soak must have been */
};

void vrs_checklist_init(struct vrs_checklist *list, const char *targets, double soak_seconds);
/* Hold a result against every point.  source: its name in the table.  Statuses of vrs_target_table. */
enum vrs_status vrs_checklist_add(struct vrs_checklist *list, const struct vrs_result *result, const char *source, struct vrs_error *err);
/* Points of that state. */
int vrs_checklist_count(const struct vrs_checklist *list, enum vrs_check_state state);
/*
 * A table of the points, and the sentence that sums them up; a warning where they rest on several machines.  folder: where the commands put new
 * results.
 */
void vrs_checklist_findings(const struct vrs_checklist *list, const char *folder, struct vrs_findings *findings);

#endif
