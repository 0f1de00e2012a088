/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What screening measures, and in which order.  `work` holds the share of each stage in the work of the default (VRS_STAGE_COUNT values); NaN: not
 * known.
 */
#ifndef VRS_TUNER_SCREENING_H
#define VRS_TUNER_SCREENING_H

#include "tuner/strategy.h"

/* One level of one knob. */
struct vrs_point vrs_point_single(int knob, int level);
/* What the space proposes to begin with (vrs_space_prefer), all of it together; no changes: nothing. */
struct vrs_point vrs_screening_start(const struct vrs_space *space);
/* Share of all work that an option can change; 1 where it is not known. */
double vrs_screening_work(const struct vrs_space *space, const double *work, int knob);
/*
 * Every value alone of the options that can change much of the work (with what the space proposes before them), or of the others.  First the value of
 * each option that its row names first, as the likeliest to win, so that a budget leaves out the least likely ones.  VRS_ECONFIG: too many.
 */
enum vrs_status vrs_screening_propose(const struct vrs_grid *grid, const double *work, bool little, struct vrs_proposal *ret, struct vrs_error *err);

#endif
