/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands behind the people where it is no plain colour: a picture, or the softened surroundings of each eye.  Gives rows of samples of the
 * output's planes; nothing is kept at full size.
 */
#ifndef VRS_MATTE_BACKDROP_H
#define VRS_MATTE_BACKDROP_H

#include <vrseg/frame.h>

#include "base/mem.h"

#define VRS_BACKDROP_MAX_PARTS 2

enum vrs_backdrop_kind {
	VRS_BACKDROP_COLOR,   /* none: a plain colour */
	VRS_BACKDROP_BLUR,    /* surroundings, softened */
	VRS_BACKDROP_PICTURE, /* one picture for all frames */
	VRS_BACKDROP_VIDEO,   /* another picture for each frame */
};

struct vrs_backdrop_options {
	enum vrs_backdrop_kind kind;      /* not COLOR */
	struct vrs_picture_format source; /* of the frames that people are cut out of */
	struct vrs_picture_format format; /* of the frames that are made */
	int part_count;                   /* the eyes; softened apart from one another */
	struct vrs_rect parts[VRS_BACKDROP_MAX_PARTS]; /* luma samples; together they cover the picture */
	double blur;                      /* standard deviation as a share of a part's height */
	bool wraps;                       /* the parts go once around */
	int matte_width, matte_height;
};

struct vrs_backdrop;

/* VRS_EINVAL, VRS_ENOMEM. One object serves one thread at a time. */
enum vrs_status vrs_backdrop_create(struct vrs_backdrop **ret_backdrop, struct vrs_arena *arena, const struct vrs_backdrop_options *options);
/* Picture kinds: show this one from now on. Its samples must stay as long as rows are asked for; it has the format of the frames made. */
void vrs_backdrop_show(struct vrs_backdrop *backdrop, const struct vrs_frame *picture);
/* Kind BLUR: learn a frame; mattes[i] covers views[i] of part i. */
void vrs_backdrop_learn(struct vrs_backdrop *backdrop, const struct vrs_frame *frame, const struct vrs_matte *mattes,
			const struct vrs_rect *const *views);
/* Samples [from, to) of row y of plane p, written to dst. Ascending rows are cheap. */
void vrs_backdrop_write(struct vrs_backdrop *backdrop, uint8_t *dst, int p, int y, int from, int to);
/* The same as a pointer to sample `from`; valid until the next call. */
const uint8_t *vrs_backdrop_line(struct vrs_backdrop *backdrop, int p, int y, int from, int to);

#endif
