/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Round shapes and the rays that meet them: what the people of a synthetic scene are made of.  Lengths are metres in the frame of one person: x to
 * the side, y up, z where the person faces; the origin is on the floor.
 */
#ifndef VRS_VIDEO_SYNTH_SHAPE_H
#define VRS_VIDEO_SYNTH_SHAPE_H

#include <stdbool.h>

enum vrs_synth_material {
	VRS_SYNTH_SKIN,
	VRS_SYNTH_HAIR,
	VRS_SYNTH_SHIRT,
	VRS_SYNTH_TROUSERS,
	VRS_SYNTH_SHOES,
	VRS_SYNTH_LIPS,
	VRS_SYNTH_EYE_WHITE,
	VRS_SYNTH_EYE,
	VRS_SYNTH_PROP,     /* a thing, not a person: it hides people, and counts as room */
	VRS_SYNTH_MATERIALS
};

enum vrs_synth_shape_kind {
	VRS_SYNTH_BALL,    /* an ellipsoid around a with radii */
	VRS_SYNTH_LIMB,    /* from a to b, the radius going from ra to rb, round at both ends */
	VRS_SYNTH_FRINGE   /* loose hair around an ellipsoid: strands that stick out to its radii */
};

struct vrs_synth_shape {
	enum vrs_synth_shape_kind kind;
	enum vrs_synth_material material;
	float a[3], b[3], ra, rb, radii[3];
	float middle[3], bound; /* a ball that holds the shape; set by vrs_synth_shape_bound */
};

struct vrs_synth_hit {
	float t;         /* along the ray */
	float normal[3]; /* of length 1 */
};

void vrs_synth_shape_bound(struct vrs_synth_shape *shape);
/* The first point where the ray from outside meets the shape; false: nowhere. The direction has length 1. */
bool vrs_synth_shape_meet(const struct vrs_synth_shape *shape, const float origin[3], const float direction[3], struct vrs_synth_hit *ret_hit);

#endif
