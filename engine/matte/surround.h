/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The surroundings of the people in one part of a picture, softened: what a blurred background shows, and what colour lies behind a soft edge.
 *
 * Works on a small picture: the planes are averaged over cells, each cell weighs (1 - a)^8 with the largest alpha a that touches it (a cell that is
 * half covered shows half a person, and should hardly count), and a normalized convolution, sum(weight * colour) / sum(weight), spreads the colours
 * of free cells.  So no colour of a person gets out.  Where nothing free is near, it is the mean of all that is free.
 */
#ifndef VRS_MATTE_SURROUND_H
#define VRS_MATTE_SURROUND_H

#include <vrseg/frame.h>

#include "base/mem.h"

struct vrs_surround_options {
	struct vrs_picture_format format; /* of the frames */
	struct vrs_rect part;             /* luma samples */
	double sigma;                     /* standard deviation of the softening, luma samples; at least that of a cell of two */
	bool wraps;                       /* the right edge goes on at the left one (360 degrees) */
	int matte_width, matte_height;
};

struct vrs_surround;

/* VRS_EINVAL, VRS_ENOMEM. One object serves one thread at a time. */
enum vrs_status vrs_surround_create(struct vrs_surround **ret_surround, struct vrs_arena *arena, const struct vrs_surround_options *options);
/* Size of the small picture, which covers the part evenly. */
void vrs_surround_size(const struct vrs_surround *surround, int *ret_width, int *ret_height);
/* Make it for a frame whose matte covers `view` (luma samples of the frame); outside the view all is free. Allocates nothing. */
void vrs_surround_make(struct vrs_surround *surround, const struct vrs_frame *frame, const struct vrs_matte *matte, const struct vrs_rect *view);
/*
 * Plane p (0..2) as shares of the largest code value in alpha15 (kernels/picture.h): rows of *ret_stride elements, the last one of a row repeated.
 * Chroma of grey pictures is neutral.
 */
const uint16_t *vrs_surround_plane(const struct vrs_surround *surround, int p, size_t *ret_stride);

#endif
