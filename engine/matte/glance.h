/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a picture of an eye changed beside the people who are known: that is where somebody may have come in, and it costs a small share of a search.
 *
 * The eye is a grid of cells, each with the mean luma that it had when it was searched last.  Cells under the views of people who are known, or were
 * at the glance before, change because of those and count as searched.
 */
#ifndef VRS_MATTE_GLANCE_H
#define VRS_MATTE_GLANCE_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/frame.h>

#include "matte/scene_cut.h"

#define VRS_GLANCE_CELLS (VRS_SCENE_SIDE * VRS_SCENE_SIDE)
#define VRS_GLANCE_STILL 0.25 /* of 255, of motion: up to here nothing moves there, and another look would show what the last one showed */

struct vrs_glance {
	bool known;                              /* it has been looked at before */
	float searched[VRS_GLANCE_CELLS];        /* luma 0..255 of each cell at its last search, row by row */
	float now[VRS_GLANCE_CELLS];             /* and at the last glance */
	float moved[VRS_GLANCE_CELLS];           /* largest change from one glance to the next, fading */
	bool covered[VRS_GLANCE_CELLS];          /* by people at the last glance */
};

/*
 * A signature of the whole eye, and the views of its `count` people (at most the eye, or around its wraparound; circle: of the picture's format).
 */
void vrs_glance_take(struct vrs_glance *glance, const struct vrs_scene_signature *signature, const struct vrs_rect *eye, const struct vrs_rect *views,
		     int count, int circle);
bool vrs_glance_archive(struct vrs_glance *glance, struct vrs_archive *archive);
/* How much a part of the eye changed since it was searched: the largest change of a cell, in luma. 0..255. */
double vrs_glance_change(const struct vrs_glance *glance, const struct vrs_rect *eye, const struct vrs_rect *part, int circle);
/* How much a part of the eye moves of late, the same way. */
double vrs_glance_motion(const struct vrs_glance *glance, const struct vrs_rect *eye, const struct vrs_rect *part, int circle);
/* The part is searched now. */
void vrs_glance_searched(struct vrs_glance *glance, const struct vrs_rect *eye, const struct vrs_rect *part, int circle);

#endif
