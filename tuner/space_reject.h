/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a space leaves out, with the reason: values that cannot be measured, options without any value left. */
#ifndef VRS_TUNER_SPACE_REJECT_H
#define VRS_TUNER_SPACE_REJECT_H

#include "tuner/knobs.h"

/* Add a value to a knob, unless it has it, it is the default, or there is no room. */
void vrs_knob_add_value(struct vrs_knob *knob, const char *value);
/* Add to what is not tried, in words (both are shown only); further entries than there is room for are not shown. */
void vrs_space_note_rejected(struct vrs_space *space, const char *what, const char *why);
/*
 * Leave out the values of one knob that `rejects` rejects when they are set alone; those with the same reason make one entry.  Where memory limits
 * the batch and the user gave no list, the largest one that is not rejected is added.
 */
void vrs_knob_reject_values(struct vrs_space *space, struct vrs_knob *knob, vrs_rejects_fn rejects, const void *cookie);

/*
 * Leave out the values that `rejects` rejects when they are set alone, and options without any value left.  Where memory limits the batch, the
 * largest one that is not rejected takes the place of the values beyond it (bisection), but for a list of the user's.
 */
void vrs_space_reject(struct vrs_space *space, vrs_rejects_fn rejects, const void *cookie);
/* Leave out the options that only cost time, for a search that asks for speed. */
void vrs_space_reject_costs(struct vrs_space *space);
/* Keep at most max values of each knob, spread over its list, with the end of a range: a quick search. */
void vrs_space_thin(struct vrs_space *space, int max);

#endif
