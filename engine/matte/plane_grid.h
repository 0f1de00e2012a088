/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A part of a picture in the samples of its planes, and how a map that covers the part evenly (a matte, a small picture) lies under them. */
#ifndef VRS_MATTE_PLANE_GRID_H
#define VRS_MATTE_PLANE_GRID_H

#include <vrseg/frame.h>

/* Plane groups: 0 luma (and alpha), 1 chroma. */

/* The part in the samples of a group; chroma samples that a part of odd size shares with the outside belong to the part. */
struct vrs_rect vrs_plane_rect(const struct vrs_picture_format *format, const struct vrs_rect *part, int group);

/* Sample (x, y) of the plane's part has its centre at (x + 0.5) * step + offset in a part of size extent, in luma samples. */
struct vrs_plane_grid {
	double step[2], offset[2], extent[2];
};

struct vrs_plane_grid vrs_plane_grid_make(const struct vrs_picture_format *format, const struct vrs_rect *part, int group);

#endif
