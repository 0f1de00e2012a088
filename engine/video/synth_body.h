/* SPDX-License-Identifier: GPL-3.0-or-later */
/* People of a synthetic scene: what they look like, how they stand, and the shapes that follow. */
#ifndef VRS_VIDEO_SYNTH_BODY_H
#define VRS_VIDEO_SYNTH_BODY_H

#include "video/synth_shape.h"

#define VRS_SYNTH_SHAPES 64 /* at most, of a body */

enum vrs_synth_pose { VRS_SYNTH_STANDS, VRS_SYNTH_WALKS, VRS_SYNTH_SITS };

/* Where somebody is and what they do at one moment. */
struct vrs_synth_actor {
	float x, z;     /* metres from the camera: to the right, ahead */
	float yaw;      /* radians: 0 faces the camera's side of the room (towards -z), pi / 2 to the right */
	enum vrs_synth_pose pose;
	float phase;    /* of the steps, or of the gesture, radians */
	int look;       /* number of the person: the same number always looks the same */
};

/* Colours are R'G'B', 0..1. */
struct vrs_synth_look {
	float color[VRS_SYNTH_MATERIALS][3];
	float height;    /* metres */
	bool long_hair, long_sleeves, skirt;
	bool fringe;     /* loose hair around the head */
	bool pattern;    /* clothes have the pattern of the wall */
};

struct vrs_synth_body {
	struct vrs_synth_shape shapes[VRS_SYNTH_SHAPES];
	int count;
	float middle_y, bound; /* a ball that holds all shapes has its middle at (0, middle_y, 0) */
};

/* Person `number`. */
void vrs_synth_look_make(struct vrs_synth_look *ret_look, int number);
void vrs_synth_body_build(struct vrs_synth_body *ret_body, const struct vrs_synth_look *look, enum vrs_synth_pose pose, float phase);

#endif
