/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The mattes of one eye over time: exponential smoothing, a centred mean that knows the frames to come, and mattes of frames between those that the
 * network saw.  Where the luma of a pixel changed, the newest matte wins.  Scenes are independent of each other.
 *
 *     vrs_temporal_push for every frame in order; after each: vrs_temporal_take, which gives the frame that is latency frames older, if any
 *     at the end: vrs_temporal_take until it gives nothing
 */
#ifndef VRS_MATTE_TEMPORAL_H
#define VRS_MATTE_TEMPORAL_H

#include <vrseg/frame.h>

#include "base/archive.h"
#include "base/mem.h"
#include "matte/scene_cut.h"

struct vrs_temporal_options {
	int width, height;      /* of mattes */
	int circle;             /* of the picture's format */
	double smoothing;       /* weight of the newest matte in the running mean, 0..1; 1: off */
	int window;             /* frames of the centred mean; 1: off */
	int stride;             /* at most stride - 1 frames in a row are between; 1: none */
	double motion_gate;     /* change of luma, 0..255, from which on only the newest matte counts; 0: off */
	bool keeps_luma;        /* taken frames have their luma */
};

/* What comes in, and what comes out. */
struct vrs_temporal_frame {
	const float *alpha;                            /* NULL: a frame between (stride), its matte comes from its neighbours */
	const uint8_t *luma;                           /* of the view's pixels; NULL only where neither the gate nor the taker needs it */
	const struct vrs_rect *view;                   /* part of the picture that the matte covers, a frame between takes another; NULL: always the same */
	const struct vrs_scene_signature *signature;   /* NULL: no new scene */
};

struct vrs_temporal;

/* VRS_EINVAL: a value out of range; VRS_ENOMEM. */
enum vrs_status vrs_temporal_create(struct vrs_temporal **ret_temporal, struct vrs_arena *arena, const struct vrs_temporal_options *options);
/* Does smoothing need the luma of the frames? */
bool vrs_temporal_needs_luma(const struct vrs_temporal_options *options);
/* Frames that have to come before one is given. */
int vrs_temporal_latency(const struct vrs_temporal_options *options);
/* The next frame begins a new scene. */
void vrs_temporal_reset(struct vrs_temporal *temporal);
/* True: the frame begins a new scene by its signature. With a latency the data is copied, else it must stay until the frame is taken. */
bool vrs_temporal_push(struct vrs_temporal *temporal, const struct vrs_temporal_frame *frame);
/* The next frame, if it is time (end: also if it is not); valid until the next push. signature is NULL. False: none. */
bool vrs_temporal_take(struct vrs_temporal *temporal, bool end, struct vrs_temporal_frame *ret_frame);
/* Between two frames, with views inside the eye; frames that were pushed and not taken come out as if they had been pushed here. */
bool vrs_temporal_archive(struct vrs_temporal *temporal, struct vrs_archive *archive, const struct vrs_rect *eye);
/* Frames that were pushed and not taken. */
int vrs_temporal_waiting(const struct vrs_temporal *temporal);

#endif
