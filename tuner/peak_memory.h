/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The most memory that each case took in any of its runs so far.  Limits of memory are held against this, not against the runs of one phase of a
 * search: a process that took too much once may do so again.
 */
#ifndef VRS_TUNER_PEAK_MEMORY_H
#define VRS_TUNER_PEAK_MEMORY_H

#include "bench/record/result.h"

struct vrs_peak_memory {
	struct vrs_peak_memory_item *items; /* by id of a case */
	size_t count, capacity;
};

void vrs_peak_memory_fini(struct vrs_peak_memory *peaks);
/* Remember the largest run of a summarized case, and put the largest of all that were taken into c->peak_rss.max.  VRS_ENOMEM; VRS_ELIMIT: more than
 * VRS_RESULT_MAX_CASES. */
enum vrs_status vrs_peak_memory_take(struct vrs_peak_memory *peaks, struct vrs_case_result *c);

#endif
