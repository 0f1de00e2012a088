/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * People made larger or smaller, and their outline softer.  Widths are given in matte pixels for each axis, since a matte may be scaled differently
 * in width and height; parts of a pixel count.
 */
#ifndef VRS_MATTE_EDGES_H
#define VRS_MATTE_EDGES_H

#include <stdbool.h>

#include <vrseg/frame.h>

#include "base/mem.h"

struct vrs_edges;

/* VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_edges_create(struct vrs_edges **ret_edges, struct vrs_arena *arena, int width, int height);
/*
 * Larger (above 0) or smaller (below 0) by so many pixels in x and y, in place.  What lies outside the matte has no say.  wraps: rows close to a
 * circle, as of an eye that shows 360 degrees.
 */
void vrs_edges_grow(struct vrs_edges *edges, struct vrs_matte *matte, double x, double y, bool wraps);
/* Softer: mean under a triangle of that half width in x and y, at least 0, in place. Outside the matte its last pixels go on. */
void vrs_edges_feather(struct vrs_edges *edges, struct vrs_matte *matte, double x, double y, bool wraps);

#endif
