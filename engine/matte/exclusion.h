/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of an eye that is background whatever the network sees there, such as the camera operator's body.  One exclusion is shared by all; each user
 * has a view of its own, which scales the part under a matte once and keeps it while the matte stays where it is.
 */
#ifndef VRS_MATTE_EXCLUSION_H
#define VRS_MATTE_EXCLUSION_H

#include <vrseg/frame.h>

#include "base/mem.h"

struct vrs_exclusion;

/* Nothing is excluded yet; width x height: of the eye, is_circle: its parts may go across its right edge. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_exclusion_create(struct vrs_exclusion **ret_exclusion, struct vrs_arena *arena, int width, int height, bool is_circle);
/* Exclude a box too: x, y, width, height as shares of the eye; what lies outside the eye is cut off. */
void vrs_exclusion_add_box(struct vrs_exclusion *exclusion, const double box[4]);
/* Exclude what is bright in the part `rect` of a picture, scaled to the eye; grey excludes in part. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_exclusion_set_picture(struct vrs_exclusion *exclusion, const struct vrs_frame *picture, const struct vrs_rect *rect);

struct vrs_exclusion_view;

/* For mattes of that size; the exclusion must outlive it. One thread at a time. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_exclusion_view_create(struct vrs_exclusion_view **ret_view, struct vrs_arena *arena, const struct vrs_exclusion *exclusion,
					  int width, int height);
/*
 * Take the excluded out of what a network saw of `part` of the eye (counted from the eye's corner), height * width alphas: each loses the share of
 * its area.
 */
void vrs_exclusion_view_alpha(struct vrs_exclusion_view *view, const struct vrs_rect *part, float *alpha);
/*
 * The same from a finished matte, which is interpolated when it is shown: each sample loses the most that is excluded anywhere between its
 * neighbours, so that a place which is excluded shows none of it.
 */
void vrs_exclusion_view_matte(struct vrs_exclusion_view *view, const struct vrs_rect *part, struct vrs_matte *matte);

#endif
