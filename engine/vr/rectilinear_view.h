/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A part of an eye as a pinhole camera that looks at it sees it (gnomonic): straight lines are straight, and people high above or far below the
 * horizon of a half sphere are not pulled apart.  Plain geometry; pictures are drawn through vr/remap.h.
 *
 * The camera is upright.  It points to the middle of what the part shows, with a window that shows all of it; or, where it is known which of the
 * part's pixels are people's, to those: a rectangle that goes far down in an equirectangular picture shows a wide fan, of which they fill little.
 * Longitudes are columns of such pictures, so that only the height of a part counts: its middle is taken as the longitude 0.
 */
#ifndef VRS_VR_RECTILINEAR_VIEW_H
#define VRS_VR_RECTILINEAR_VIEW_H

#include <vrseg/frame.h>
#include <vrseg/layout.h>

#include "vr/remap.h"

/* The pictures of the eyes of a film. */
struct vrs_rectilinear_eye {
	struct vrs_lens lens;
	bool is_circle;         /* columns go on at the other side */
};

/* Where a camera looks: yaw and pitch (radians, yaw from the middle of an equirectangular part), and its window. All 0: at all of the part. */
struct vrs_rectilinear_aim {
	double yaw, pitch;
	double window[4];       /* left, top, right, bottom in its picture */
};

struct vrs_rectilinear_view {
	struct vrs_lens source; /* of an eye's picture; equirectangular ones have the middle of the part in their middle */
	struct vrs_lens camera;
	double part[4];         /* left, top, right, bottom in the source's picture */
	double window[4];       /* the same in the camera's */
	struct vrs_rect around; /* luma samples of the eye's picture that hold all that the window shows; on a circle columns begin anywhere */
	double from[2];         /* upper left corner of those in the source's picture */
	double bend;            /* how much narrower the narrowest row of the part is than the widest one, as the camera sees them; 0..1 */
};

/*
 * The eyes of a layout, each of width x height luma samples.  VRS_ECONFIG: a flat or unknown projection, or a squeezed fisheye, with a sentence
 * that says what to do; VRS_EINVAL.
 */
enum vrs_status vrs_rectilinear_eye_init(struct vrs_rectilinear_eye *ret_eye, const struct vrs_layout *layout, int width, int height,
					 struct vrs_error *err);
/*
 * A part of an eye, in luma samples from the eye's corner; on a circle it may go beyond the right edge.  False: it shows more than 65 degrees around
 * its middle, which no plane shows well, or nothing at all.
 */
bool vrs_rectilinear_view_make(struct vrs_rectilinear_view *ret_view, const struct vrs_rectilinear_eye *eye, const struct vrs_rect *part,
			       const struct vrs_rectilinear_aim *aim);
/*
 * The camera for the people of a matte of width x height alphas (0..1) that covers `part`, when `next` is looked at; all 0 when there are none, or
 * no plane shows them.  now: the camera that the matte was seen with, NULL: none.  True: they are cut off by its window, or much smaller than it.
 */
bool vrs_rectilinear_view_aim(struct vrs_rectilinear_aim *ret_aim, const struct vrs_rectilinear_eye *eye, const struct vrs_rect *part,
			      const struct vrs_rect *next, const struct vrs_rectilinear_view *now, const float *alpha, int width, int height);
/*
 * Maps between a picture of the window, `around` scaled to a picture, and a matte that covers the part, each of width x height samples:
 * window from around, and part from window.
 */
struct vrs_remap_options vrs_rectilinear_view_to_window(const struct vrs_rectilinear_view *view, int width, int height, int around_width,
							int around_height);
struct vrs_remap_options vrs_rectilinear_view_to_part(const struct vrs_rectilinear_view *view, int width, int height, int window_width,
						      int window_height);

#endif
