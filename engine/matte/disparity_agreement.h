/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How well the mattes of two eyes agree once each part lies where the other eye sees it: people at several distances, and near ones whose arms are
 * nearer still, have no single shift.  The truth of both eyes tells the shifts.
 */
#ifndef VRS_MATTE_DISPARITY_AGREEMENT_H
#define VRS_MATTE_DISPARITY_AGREEMENT_H

#include <vrseg/frame.h>

/* Sum of the smaller values over sum of the larger ones, 0..1; 1 where both eyes are empty. */
struct vrs_disparity_agreement {
	bool nobody;           /* both mattes are empty where the truth is not: what finds nobody agrees with itself, and that is no merit */
	double mattes, truths; /* that of truths is what occlusion and the search for shifts leave of 1: the most that mattes can be asked for */
};

/*
 * Four mattes of one size, left eye first.  Blocks are searched in the other eye's truth, from the left eye to the left and from the right eye to the
 * right (what is near lies so), by the least sum of differences; then both eyes' mattes are compared under each block, from either eye.  What lies
 * outside the other eye's picture is left out.  circle: rows close to a circle.
 */
struct vrs_disparity_agreement vrs_disparity_agreement(const struct vrs_matte truth[2], const struct vrs_matte matte[2], bool circle);

#endif
