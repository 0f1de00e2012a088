/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps of a network's state, made from one view of a picture, as they would be from another view: for views that follow people. */
#ifndef VRS_ROI_STATE_WARP_H
#define VRS_ROI_STATE_WARP_H

#include <stdbool.h>

#include <vrseg/frame.h>

#define VRS_STATE_GRID 16

/*
 * Where the new view lies in the old one.  A place (u, v), 0..1 across the new one, is known at u = i / VRS_STATE_GRID and v = j / VRS_STATE_GRID,
 * and linear between them.
 */
struct vrs_state_map {
	bool same;      /* the views are equal, and the rest says nothing */
	float at[VRS_STATE_GRID + 1][VRS_STATE_GRID + 1][2]; /* [j][i]: x and y, 0..1 across the old view */
	float turn;     /* a whole turn sideways in widths of the old view; 0: there is none */
};

/* From the part `from` of a picture to the part `to`; circle: of the picture's format. */
void vrs_state_map_set(struct vrs_state_map *map, const struct vrs_rect *from, const struct vrs_rect *to, int circle);
/* Share of the new view that the old one shows, 0..1. */
double vrs_state_map_covered(const struct vrs_state_map *map);
/* dst[height][width][channels] gets src of the same size at its new place: between its pixels, and beyond its border what is there. Not in place. */
void vrs_state_warp(const struct vrs_state_map *map, float *dst, const float *src, int height, int width, int channels);

#endif
