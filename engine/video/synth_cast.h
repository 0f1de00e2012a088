/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes of the synth source: who is where at a moment, how the camera stands, and how bright it is. */
#ifndef VRS_VIDEO_SYNTH_CAST_H
#define VRS_VIDEO_SYNTH_CAST_H

#include "video/synth_body.h"

#define VRS_SYNTH_CAST 6 /* people at most */

/* What people do; "scene=" in a name. */
enum vrs_synth_scene_kind {
	VRS_SYNTH_SCENE_NONE,   /* the pictures of before scenes: cut-outs in a painted room */
	VRS_SYNTH_SCENE_STAND,
	VRS_SYNTH_SCENE_MEET,   /* they cross before each other, and part */
	VRS_SYNTH_SCENE_FAR,    /* one at 0.6 to 1 m, the others at 3 to 5 m */
	VRS_SYNTH_SCENE_SIT,
	VRS_SYNTH_SCENE_BACK,   /* seen from behind */
	VRS_SYNTH_SCENE_ENTER   /* one after the other comes in and leaves */
};

/* What is added to a scene, with "+". */
enum vrs_synth_extra {
	VRS_SYNTH_WITH_HAIR = 1,
	VRS_SYNTH_WITH_PATTERN = 2,
	VRS_SYNTH_WITH_LIGHT = 4,
	VRS_SYNTH_WITH_PAN = 8,
	VRS_SYNTH_WITH_CUT = 16
};

struct vrs_synth_play {
	enum vrs_synth_scene_kind kind;
	unsigned extras; /* bits of enum vrs_synth_extra */
	int people, seed;
};

struct vrs_synth_moment {
	struct vrs_synth_actor actors[VRS_SYNTH_CAST];
	int count;
	int number;          /* of the part between two cuts: another room, other people */
	float eye[3], yaw;   /* of the camera, metres and radians */
	float light;         /* all colours times this */
};

/* The scene at so many seconds. */
void vrs_synth_play_at(const struct vrs_synth_play *play, double seconds, struct vrs_synth_moment *ret_moment);

#endif
