/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Colours of the people at their soft edges.  A camera sees C = a F + (1 - a) B there; a composite wants F, and C is taken for it otherwise, so that
 * what was behind the hair goes along.
 *
 * Around each sample of the matte the means F' of the picture weighted by a, and B' weighted by 1 - a, say what person and background look like
 * there; what the picture has beyond the mix of both is detail of the person as far as it is one (M. Forte, "Approximate Fast Foreground Colour
 * Estimation", ICIP 2021):
 *
 *     F = F' + a (C - a F' - (1 - a) B')
 *
 * F' and B' are made at the size of the matte and up-sampled, C and a are those of the full picture, so detail stays.  Where a is 0 or 1 nothing
 * changes: only what lies near soft edges is looked at.  The formula is the same for luma and chroma, as it is for R, G and B.
 */
#ifndef VRS_MATTE_FOREGROUND_H
#define VRS_MATTE_FOREGROUND_H

#include "base/mem.h"
#include "matte/matte_rows.h"

struct vrs_foreground_options {
	struct vrs_picture_format format; /* of the frames */
	struct vrs_rect most;             /* largest part that mattes cover, luma samples */
	const struct vrs_rect *eye;       /* around all parts: nothing else is read; NULL: the frame. Read by create only. */
	int matte_width, matte_height;
};

struct vrs_foreground;

/* VRS_EINVAL, VRS_ENOMEM. One object serves one thread at a time. */
enum vrs_status vrs_foreground_create(struct vrs_foreground **ret_foreground, struct vrs_arena *arena, const struct vrs_foreground_options *options);
/* Mattes cover another part from now on, no wider and no higher than the first one. VRS_EINVAL. */
enum vrs_status vrs_foreground_place(struct vrs_foreground *foreground, const struct vrs_rect *part);
/* Look at a frame and its matte, before anything is written over the frame. Allocates nothing. */
void vrs_foreground_learn(struct vrs_foreground *foreground, const struct vrs_frame *frame, const struct vrs_matte *matte);
/*
 * n samples of row y of plane p, both counted from the part's corner, from `column` on, in place.  row's alphas begin at its first column.
 * Ascending rows are cheap.
 */
void vrs_foreground_row(struct vrs_foreground *foreground, uint8_t *samples, int p, int y, int column, const struct vrs_matte_row *row, int n);

#endif
