/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decision of the final: who is faster than the default beyond doubt, who ties with the best, what may be claimed. */
#ifndef VRS_TUNER_FINAL_H
#define VRS_TUNER_FINAL_H

#include "tuner/objective.h"
#include "tuner/search_result.h"

/*
 * Decide from the final's result; cases[0] and result->cases[0] are the default, the rest the finalists.
 * One fixed look (never a sequential one) at alpha .05, Holm over the finalists.  The default stays when nobody is faster by the margin; among
 * those that are and cannot be told from the best of them, the one with the fewest changed knobs wins, then the one with the least memory.
 */
enum vrs_status vrs_final_decide(const struct vrs_result *result, const struct vrs_case *cases, const struct vrs_objective *objective,
				 struct vrs_search_result *r, struct vrs_error *err);
/*
 * Hold the choice against long runs of it and the default, result->cases[1] and [0]: what is slower than the default there, or misses a limit, gives
 * way to the default; else the sentence says what long runs gave.
 */
void vrs_final_check_long(const struct vrs_result *result, const struct vrs_objective *objective, struct vrs_search_result *r);
/*
 * No candidate reached the final, for which it has to be better by the share `least`; base: the default, by all its runs.  other: of a candidate
 * that was better in some rounds, how it did over all; "": of none.
 */
void vrs_final_keep_default(struct vrs_search_result *r, const struct vrs_tried *base, double least, const char *other);

#endif
