/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a single matte looks like, without a truth: how wide its edges are, how much of it is neither person nor background, holes and islands. */
#ifndef VRS_MATTE_MATTE_SHAPE_H
#define VRS_MATTE_MATTE_SHAPE_H

#include <vrseg/frame.h>

#include "matte/components.h"

struct vrs_matte_shape {
	double people;      /* share of the samples with alpha of one half and more; 0: nobody, and the others mean nothing */
	double edge_width;  /* samples from background to person across the 0.5 contour: 1 over the mean slope there */
	double soft;        /* share of the samples above 5 % that are below 95 %: edges, hair, and what the network is unsure of */
	double holes;       /* background enclosed by a person, in parts of at most 2 % of all people: their area over that of all people */
	double islands;     /* parts of people smaller than 5 % of the largest one: their area over that of all people */
	int hole_count, island_count;
};

struct vrs_shape_finder {
	struct vrs_components components;
	uint8_t *set;
	bool circle;
};

/* For mattes of that size; circle: rows close to one. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_shape_finder_init(struct vrs_shape_finder *finder, struct vrs_arena *arena, int width, int height, bool circle) VRS_MUST_CHECK;
void vrs_shape_find(struct vrs_shape_finder *finder, const struct vrs_matte *matte, struct vrs_matte_shape *ret_shape);

#endif
