/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choosing among settings that were measured before, without measuring. */
#ifndef VRS_TUNER_PICK_H
#define VRS_TUNER_PICK_H

#include "tuner/objective.h"
#include "tuner/search_result.h"

enum vrs_pick_rule {
	VRS_PICK_FASTEST,
	VRS_PICK_BEST,     /* the matte */
	VRS_PICK_SMALLEST, /* the output */
	VRS_PICK_LIGHTEST, /* memory */
	VRS_PICK_KNEE,     /* speed against quality, see vrs_front_knee */
};
#define VRS_PICK_NAMES "fastest best smallest lightest knee"

/*
 * Pick among the cases of a result that are of the default's size and kind and keep every limit; where the figure of the rule differs by less than
 * matters, the fastest of them.  By quality none is picked whose mattes are of other frames than the default's.  ret->tried lists the default, the
 * candidates that nothing surpasses (analyzer/figures/front.h) and, not accepted, those that come before the picked one by the rule and cannot be
 * picked.  ret->best holds the values of the picked case that the default's lacks, and none where that is a side of an A/B, whose configuration is
 * its own (vrs_versus_base).  No limit on the number of cases.  VRS_ECONFIG: there is no default, or no case has the figure; VRS_ENOMEM.  With
 * nothing that keeps the limits ret->feasible is false and tried lists all.  Release with vrs_search_result_fini.
 */
enum vrs_status vrs_pick(const struct vrs_result *result, enum vrs_pick_rule rule, const struct vrs_objective *objective,
			 struct vrs_search_result *ret, struct vrs_error *err);

#endif
