/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looks through a pinhole camera (matte.view_projection): a part of an eye is drawn as the camera of vr/rectilinear_view.h sees it, the network
 * looks at that, and its matte is drawn back, so that all others know only mattes of parts.
 *
 * The part is scaled first, to a picture of a few hundred pixels, and that is drawn anew: areas are averaged, and what is sampled is small.  Maps
 * are made where a part moved to a place of another shape, and kept: of equirectangular pictures the column does not matter, so that people who walk
 * need none.  Pictures depend on the part alone, whatever was looked at before.
 */
#ifndef VRS_ROI_RECTILINEAR_LOOK_H
#define VRS_ROI_RECTILINEAR_LOOK_H

#include "matte/scene_cut.h"
#include "roi/roi_plan.h"

struct vrs_preprocess;
struct vrs_state_map;
struct vrs_rectilinear_look;

/*
 * Is there a camera for the eyes of this job?  gnomonic asks for one, auto takes it where it can.  VRS_ECONFIG: asked for, and impossible, with
 * what to do.
 */
enum vrs_status vrs_rectilinear_look_plan(struct vrs_roi_plan *plan, struct vrs_error *err);
/* Stays NULL where the job has no camera. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_rectilinear_look_create(struct vrs_rectilinear_look **ret_look, struct vrs_arena *arena, const struct vrs_roi_plan *plan);
void vrs_rectilinear_look_fini(struct vrs_rectilinear_look *look); /* what is not in the arena; NULL is fine */
/*
 * The network's picture of a part of an eye (luma samples of the frame) into dst, and its signature (may be NULL), as vrs_preprocess_run makes them;
 * `colors` makes floats of samples.  A look of NULL draws nothing.
 * *ret_drawn false: this part is looked at as it is, because nothing is gained or no plane shows it; nothing is written then.  VRS_ENOMEM.
 */
enum vrs_status vrs_rectilinear_look_draw(struct vrs_rectilinear_look *look, const struct vrs_frame *frame, int eye, const struct vrs_rect *part,
				    const struct vrs_rectilinear_aim *aim, struct vrs_preprocess *colors, float *dst,
				    struct vrs_scene_signature *ret_signature, bool *ret_drawn);
/* The network's matte of such a picture becomes that of the part; the others stay as they are. VRS_ENOMEM. */
enum vrs_status vrs_rectilinear_look_back(struct vrs_rectilinear_look *look, int eye, const struct vrs_rect *part,
					  const struct vrs_rectilinear_aim *aim, float *alpha);
/*
 * Where the network's picture of a part `to` lies in that of a part `from`, each as its aim has it drawn.  False: none of them is drawn, and the map
 * stays as it is.
 */
bool vrs_rectilinear_look_map(struct vrs_rectilinear_look *look, int eye, const struct vrs_rect *from, const struct vrs_rectilinear_aim *from_aim,
			      const struct vrs_rect *to, const struct vrs_rectilinear_aim *to_aim, struct vrs_state_map *map);
/*
 * How to look at the people of that part's matte where they are next looked at, at `next`; all 0: at all of it.  True: worth another look at this
 * frame.
 */
bool vrs_rectilinear_look_aim(struct vrs_rectilinear_look *look, int eye, const struct vrs_rect *part, const struct vrs_rectilinear_aim *aim,
			      const struct vrs_rect *next, const float *alpha, struct vrs_rectilinear_aim *ret_aim);

#endif
