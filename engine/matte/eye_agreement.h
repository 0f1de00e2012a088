/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do the mattes of the two eyes show the same people?  Near things lie at different places in the two eyes, so one matte is shifted sideways until
 * they agree best; agreement is then the sum of the smaller alphas over that of the larger ones (Jaccard index of soft sets): 1 for the same outline.
 */
#ifndef VRS_MATTE_EYE_AGREEMENT_H
#define VRS_MATTE_EYE_AGREEMENT_H

#include <vrseg/frame.h>

#include "base/archive.h"
#include "base/mem.h"

/* A matte of one eye and the part of the eye that it covers, counted from the eye's corner. */
struct vrs_eye_matte {
	struct vrs_matte matte;
	struct vrs_rect part;
};

struct vrs_eye_agreement;

/* Eyes of eye_width x eye_height, mattes of width x height; circle: of the picture's format. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_eye_agreement_create(struct vrs_eye_agreement **ret_agreement, struct vrs_arena *arena, int eye_width, int eye_height, int circle,
					 int width, int height);
/* Begin anew: the shift of the frame before means nothing. */
void vrs_eye_agreement_reset(struct vrs_eye_agreement *agreement);
/*
 * Agreement of the two mattes, 0..1; 1 when nobody is in either, 0 when somebody is in only one.  *ret_shift (may be NULL): pixels that the second
 * eye's matte has to move to the right.
 */
double vrs_eye_agreement_measure(struct vrs_eye_agreement *agreement, const struct vrs_eye_matte eyes[2], double *ret_shift);

bool vrs_eye_agreement_archive(struct vrs_eye_agreement *agreement, struct vrs_archive *archive);

enum vrs_eye_repair { VRS_EYE_REPAIR_NONE, VRS_EYE_REPAIR_UNION, VRS_EYE_REPAIR_MEAN };

/*
 * Change both mattes where the other one, shifted, does not allow them: what it shows is allowed a little around its place, so that outlines stay as
 * they are.  union adds what only the other one has; mean goes half way in both directions.
 */
void vrs_eye_agreement_repair(struct vrs_eye_agreement *agreement, struct vrs_eye_matte eyes[2], double shift, enum vrs_eye_repair repair);

#endif
