/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the network of a job looks and what comes of it: decided before the run, and the same for all workers. */
#ifndef VRS_ROI_ROI_PLAN_H
#define VRS_ROI_ROI_PLAN_H

#include <vrseg/layout.h>
#include <vrseg/options.h>

#include "flow/frame_task.h"
#include "matte/exclusion.h"
#include "matte/follow.h"
#include "roi/head.h"
#include "roi/network.h"
#include "roi/roi_devices.h"
#include "vr/rectilinear_view.h"

#define VRS_FOLLOW_LAG 4      /* a frame looks where the people were at most that many frames before */
#define VRS_ROI_WIDE_EVERY 30 /* frames from one wider look for newcomers to the next */

struct vrs_cascade;

/* Filled in steps by whoever makes the job; nobody writes it during the run. */
struct vrs_roi_plan {
	const struct vrs_settings *settings;
	const struct vrs_layout *layout;
	struct vrs_picture_format format;     /* of the frames that workers get */
	int eyes, group;                      /* frames a worker takes at a time */
	int room;                             /* frames a worker has at most: the group, and late ones of a live job before it */
	int regions;                          /* at most so many are looked at in an eye */
	bool follows;                         /* views follow people, */
	int lag;                              /* from where they were that many frames before, 1..VRS_FOLLOW_LAG */
	int pad;                              /* samples around what is looked at that mattes cover as well: --grow and --feather move edges there */
	bool tracks;                          /* people are looked at one by one, the same in all eyes (roi_people.h) */
	bool has_states;                      /* the network is recurrent: frames are looked at one by one */
	bool reuses;                          /* some frames do without the network */
	bool luma_of_input;                   /* pictures for the network have the size of mattes, so that their luma serves both */
	bool rectilinear;                     /* parts may be looked at through a camera, */
	struct vrs_rectilinear_eye rectilinear_eye; /* of this eye */
	struct vrs_rect views[VRS_MAX_EYES];  /* part of each eye that the network sees; when it follows people, where it looks for them */
	struct vrs_follow follow[VRS_MAX_EYES];
	struct vrs_rect areas[VRS_MAX_EYES];  /* see vrs_roi_area */
	struct vrs_arena arena;               /* of what is excluded */
	struct vrs_exclusion *excluded[VRS_MAX_EYES]; /* NULL: nothing */
	struct vrs_roi_devices devices;       /* of the sessions of workers */
	struct vrs_network network;           /* owned */
	struct vrs_network_shape shape;
	struct vrs_cascade *cascade;          /* looks before the network; NULL: none */
	int matte_width, matte_height;
	size_t matte_size, look_size;         /* pixels of a matte, and of the network's: a matte that covers more than one look is larger */
};

/*
 * The view of eye i in a frame of the format: the whole eye, or its centre (share matte.view_size of width and height).  auto takes the centre for
 * eyes that show half a sphere or a fisheye circle, since a person in front of the camera fills the middle of them.
 */
struct vrs_rect vrs_view_rect(const struct vrs_layout *layout, const struct vrs_settings *settings, const struct vrs_picture_format *format, int eye);
/*
 * What engine.input_size auto is in pictures of this layout, where the manifest of the network says so.  Called before the precision is settled.
 * Statuses of vrs_manifest_load.
 */
enum vrs_status vrs_roi_settle_size(struct vrs_settings *settings, const struct vrs_layout *layout, const struct vrs_picture_format *format,
				    struct vrs_error *err);
/* Where people are followed from; views are known. */
void vrs_roi_plan_follow(struct vrs_roi_plan *plan);
/*
 * What follows from the loaded network and its shape: sizes of mattes and looks, whether views follow people, and from how many frames before.
 * VRS_ELIMIT.
 */
enum vrs_status vrs_roi_plan_sizes(struct vrs_roi_plan *plan, const struct vrs_network_shape *shape);
/* Do mattes cover more than one look does? Looks are drawn into them then. */
bool vrs_roi_merges(const struct vrs_roi_plan *plan);
/* Else a look's alpha is the matte's, unless that is smaller. */
bool vrs_roi_looks_are_mattes(const struct vrs_roi_plan *plan);
void vrs_roi_plan_fini(struct vrs_roi_plan *plan);
/* The largest part of an eye that its mattes can cover. */
const struct vrs_rect *vrs_roi_area(const struct vrs_roi_plan *plan, int eye);
/* A part of the frame, counted from the corner of the eye that it lies in. */
struct vrs_rect vrs_roi_in_eye(const struct vrs_roi_plan *plan, int eye, const struct vrs_rect *part);
/* Is the frame one of those that look wider for newcomers? */
bool vrs_roi_is_wide(const struct vrs_roi_plan *plan, const struct vrs_frame_task *task);

#endif
