/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stepping back from what memory does not hold: a value whose run ended for lack of memory closes the larger ones of its option, and bisection finds
 * the largest below it that runs.  What the plan of memory rejects beforehand is the affair of tuner/space_reject.h.
 */
#ifndef VRS_TUNER_MEMORY_STEP_H
#define VRS_TUNER_MEMORY_STEP_H

#include "tuner/search_phase.h"

/* Close the values that are as large as one that ran out of memory, or larger, and leave points with them out of a proposal (optional). */
void vrs_memory_step_close(struct vrs_search_state *s, struct vrs_proposal *proposal);
/*
 * For each option with a value that ran out of memory: measure whole numbers between the largest value that ran and that one, by bisection, and note
 * in the space from where on nothing is tried.  A list of the user's gets no other values.  Statuses of vrs_search_phase.
 */
enum vrs_status vrs_memory_step_bisect(struct vrs_search_state *s, struct vrs_error *err);

#endif
