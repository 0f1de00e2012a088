/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stereo layout and projection of a video, and how they were decided.
 */
#ifndef VRSEG_LAYOUT_H
#define VRSEG_LAYOUT_H

#include <stdbool.h>

#include <vrseg/frame.h>

enum vrs_stereo { VRS_STEREO_AUTO, VRS_STEREO_MONO, VRS_STEREO_SBS, VRS_STEREO_TB };
enum vrs_projection { VRS_PROJECTION_UNKNOWN, VRS_PROJECTION_FLAT, VRS_PROJECTION_HEQUIRECT, VRS_PROJECTION_EQUIRECT, VRS_PROJECTION_FISHEYE };

struct vrs_layout {
	enum vrs_stereo stereo;          /* never AUTO in a decided layout */
	enum vrs_projection projection;
	double fov_degrees;              /* horizontal field of view of one eye; 0: not known */
	bool right_eye_first;            /* the left (or top) half shows the right eye */
	char reason[160];                /* one sentence: what decided, for example "side data st3d: left-right" */
};

/* What a container says; filled by the video source. */
struct vrs_stereo_side_data {
	bool has_stereo;
	enum vrs_stereo stereo;
	bool inverted;                   /* right eye first */
	bool has_spherical;
	enum vrs_projection projection;
	double yaw, pitch, roll;         /* degrees */
	double bound_left, bound_top, bound_right, bound_bottom; /* share of the sphere cut off on each side, 0..1 */
};

/* Number of eyes (1 or 2) and the rectangle of eye i (0 left, 1 right) in a w x h frame. */
int vrs_layout_eyes(const struct vrs_layout *layout);
struct vrs_rect vrs_layout_eye(const struct vrs_layout *layout, int w, int h, int eye);

/* "mono", "sbs", "tb"; "flat", "hequirect", "equirect", "fisheye". Never NULL. */
const char *vrs_stereo_name(enum vrs_stereo stereo);
const char *vrs_projection_name(enum vrs_projection projection);

/*
 * Decide the layout of a w x h video: the request (AUTO: none), then side data, then the tags of the file name, then the aspect
 * (2:1, and 3:1 and wider, is side by side unless something says mono 360; all else is mono).  Writes the reason.  `name` may be NULL.
 */
void vrs_layout_decide(struct vrs_layout *ret_layout, enum vrs_stereo request, const struct vrs_stereo_side_data *side, const char *name, int w,
		       int h);

#endif
