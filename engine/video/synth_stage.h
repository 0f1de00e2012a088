/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pictures of a scene of the synth source: bodies in a room, ray-cast into each eye, with the parallax, size and occlusion that their distance
 * gives.
 *
 * A pixel is the mean of up to 16 rays.  Coverage is the share of rays that meet a person first, so that the pixel is exactly coverage * person +
 * (1 - coverage) * room, whoever hides whom.
 */
#ifndef VRS_VIDEO_SYNTH_STAGE_H
#define VRS_VIDEO_SYNTH_STAGE_H

#include "video/synth_name.h"

struct vrs_synth_stage;

/* The name has a scene. VRS_ENOMEM. */
enum vrs_status vrs_synth_stage_create(struct vrs_synth_stage **ret_stage, const struct vrs_synth_name *name, const struct vrs_picture_format *format)
	VRS_MUST_CHECK;
void vrs_synth_stage_destroy(struct vrs_synth_stage *stage); /* NULL is fine */
/* Picture `index`, or its coverage, into the whole frame. Not by two threads at once. */
void vrs_synth_stage_draw(struct vrs_synth_stage *stage, struct vrs_frame *frame, int64_t index);

#endif
