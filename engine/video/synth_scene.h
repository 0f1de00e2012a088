/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pictures of the synth source: a room, and people who move in it, seen by one eye or two.  A picture is exactly coverage * person +
 * (1 - coverage) * room, so coverage is the truth for mattes.
 *
 * People are cut-outs that are shifted, not re-projected: on a sphere that is a turn around the vertical axis.  Both eyes see the same cut-out,
 * shifted by the angle under which the distance of the eyes appears; the room lies farther away and is shifted less.
 */
#ifndef VRS_VIDEO_SYNTH_SCENE_H
#define VRS_VIDEO_SYNTH_SCENE_H

#include <vrseg/frame.h>

#include "video/synth_name.h"

struct vrs_synth_scene;

/* Draws room and people once, in all moments of their movement. VRS_ENOMEM. */
enum vrs_status vrs_synth_scene_create(struct vrs_synth_scene **ret_scene, const struct vrs_synth_name *name) VRS_MUST_CHECK;
void vrs_synth_scene_destroy(struct vrs_synth_scene *scene); /* NULL is fine */
const struct vrs_picture_format *vrs_synth_scene_format(const struct vrs_synth_scene *scene);
/* The room, or nothing for coverage, into the whole frame. */
void vrs_synth_scene_clear(const struct vrs_synth_scene *scene, struct vrs_frame *frame);
/* Put the room back at the places of an older picture, and draw the people of picture `index`. */
void vrs_synth_scene_draw(const struct vrs_synth_scene *scene, struct vrs_frame *frame, int64_t before, int64_t index);

#endif
