/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The decision on stereo layout and projection, each with its own first source that speaks:
 *   stereo      request, side data, name tags, what the projection leaves over, aspect
 *   projection  side data, name tags, aspect of one eye
 *
 * "What the projection leaves over" is the guard for mono 360 films: a whole sphere has pictures of 2:1, so a 2:1 frame that is known to be
 * 360 holds one eye, a 1:1 frame two above each other and a 4:1 frame two side by side.  A half sphere or a fisheye circle is 1:1.
 */
#include <vrseg/layout.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vr/name_tags.h"

/* Aspects this close (relative) count as equal: sizes are rounded to 8 or 16 pixels. */
#define ASPECT_SLACK 0.05

const char *vrs_stereo_name(enum vrs_stereo stereo)
{
	switch (stereo) {
	case VRS_STEREO_MONO: return "mono";
	case VRS_STEREO_SBS: return "sbs";
	case VRS_STEREO_TB: return "tb";
	default: return "auto";
	}
}

const char *vrs_projection_name(enum vrs_projection projection)
{
	switch (projection) {
	case VRS_PROJECTION_FLAT: return "flat";
	case VRS_PROJECTION_HEQUIRECT: return "hequirect";
	case VRS_PROJECTION_EQUIRECT: return "equirect";
	case VRS_PROJECTION_FISHEYE: return "fisheye";
	default: return "unknown";
	}
}

static const char *words(enum vrs_stereo stereo)
{
	return stereo == VRS_STEREO_SBS ? "side by side" : stereo == VRS_STEREO_TB ? "top-bottom" : "one eye";
}

static bool near(double a, double b)
{
	return fabs(a - b) <= ASPECT_SLACK * b;
}

/* Stereo layout of a frame of this aspect when one eye's picture is known to have the aspect `eye`; AUTO: none fits. */
static enum vrs_stereo stereo_by_eye_aspect(double frame, double eye)
{
	if (near(frame, eye))
		return VRS_STEREO_MONO;
	if (near(frame, 2 * eye))
		return VRS_STEREO_SBS;
	return near(frame, eye / 2) ? VRS_STEREO_TB : VRS_STEREO_AUTO;
}

static double eye_aspect(enum vrs_projection projection)
{
	return projection == VRS_PROJECTION_EQUIRECT ? 2 : 1;
}

static void set_projection_from(struct vrs_layout *layout, const struct vrs_stereo_side_data *side, const struct vrs_name_tags *tags)
{
	if (side && side->has_spherical && side->projection != VRS_PROJECTION_UNKNOWN) {
		double shown = 360 * (1 - side->bound_left - side->bound_right);

		layout->projection = side->projection;
		layout->fov_degrees = side->projection == VRS_PROJECTION_HEQUIRECT && shown >= 360 ? 180 : shown;
	} else {
		layout->projection = tags->projection;
		layout->fov_degrees = tags->fov_degrees;
	}
}

/* Nothing said a projection: the picture of one eye tells. */
static void guess_projection(struct vrs_layout *layout, double frame, bool half_size)
{
	double eye = frame;

	if (layout->stereo == VRS_STEREO_SBS && !half_size)
		eye = frame / 2;
	else if (layout->stereo == VRS_STEREO_TB && !half_size)
		eye = frame * 2;

	if (layout->stereo != VRS_STEREO_MONO && near(eye, 1)) {
		layout->projection = VRS_PROJECTION_HEQUIRECT;
		layout->fov_degrees = 180;
	} else if (near(eye, 2)) {
		layout->projection = VRS_PROJECTION_EQUIRECT;
		layout->fov_degrees = 360;
	} else if (!near(eye, 1)) {
		layout->projection = VRS_PROJECTION_FLAT;
	}
}

static bool decide_by_side(struct vrs_layout *layout, const struct vrs_stereo_side_data *side)
{
	if (!side || !side->has_stereo || side->stereo == VRS_STEREO_AUTO)
		return false;
	layout->stereo = side->stereo;
	layout->right_eye_first = side->inverted;
	snprintf(layout->reason, sizeof layout->reason, "the file's stereo side data says %s%s", words(side->stereo),
		 side->inverted ? ", right eye first" : "");
	return true;
}

static bool decide_by_tags(struct vrs_layout *layout, const struct vrs_name_tags *tags)
{
	if (tags->stereo == VRS_STEREO_AUTO)
		return false;
	layout->stereo = tags->stereo;
	layout->right_eye_first = tags->right_eye_first;
	snprintf(layout->reason, sizeof layout->reason, "the tag %s in the file name %s %s%s", tags->stereo_tag, tags->implied ? "implies" : "says",
		 words(tags->stereo), tags->right_eye_first ? ", right eye first" : "");
	return true;
}

static bool decide_by_projection(struct vrs_layout *layout, const struct vrs_stereo_side_data *side, double frame, int w, int h)
{
	bool from_side = side && side->has_spherical && side->projection == layout->projection;
	enum vrs_stereo stereo;

	if (layout->projection == VRS_PROJECTION_UNKNOWN)
		return false;
	if (layout->projection == VRS_PROJECTION_FLAT)
		stereo = VRS_STEREO_MONO;
	else
		stereo = stereo_by_eye_aspect(frame, eye_aspect(layout->projection));
	if (stereo == VRS_STEREO_AUTO)
		return false;
	layout->stereo = stereo;
	snprintf(layout->reason, sizeof layout->reason, "%s says %s, of which a %dx%d picture holds %s", from_side ? "side data" : "the file name",
		 layout->projection == VRS_PROJECTION_EQUIRECT ? "360 degrees" : vrs_projection_name(layout->projection), w, h,
		 stereo == VRS_STEREO_MONO ? "one eye" : stereo == VRS_STEREO_SBS ? "two side by side" : "two, top and bottom");
	return true;
}

static void decide_by_aspect(struct vrs_layout *layout, double frame, int w, int h)
{
	/* Two square eyes are 2:1, two wide ones at least 3:1.  Between them lie the flat films of 2.2:1 to 2.76:1. */
	bool pair = near(frame, 2) || frame >= 3;

	layout->stereo = pair ? VRS_STEREO_SBS : VRS_STEREO_MONO;
	snprintf(layout->reason, sizeof layout->reason, "nothing says it; a %dx%d picture is taken as %s", w, h, words(layout->stereo));
}

void vrs_layout_decide(struct vrs_layout *ret_layout, enum vrs_stereo request, const struct vrs_stereo_side_data *side, const char *name, int w,
		       int h)
{
	struct vrs_layout layout = {.stereo = VRS_STEREO_MONO};
	double frame = w > 0 && h > 0 ? (double)w / h : 1;
	struct vrs_name_tags tags;

	vrs_name_tags_parse(&tags, name);
	set_projection_from(&layout, side, &tags);
	if (!decide_by_side(&layout, side) && !decide_by_tags(&layout, &tags) && !decide_by_projection(&layout, side, frame, w, h))
		decide_by_aspect(&layout, frame, w, h);
	if (request != VRS_STEREO_AUTO) {
		/* The order of the eyes is still what the file says, if it speaks of the same layout. */
		layout.right_eye_first = layout.right_eye_first && layout.stereo == request;
		layout.stereo = request;
		snprintf(layout.reason, sizeof layout.reason, "%s was requested", words(request));
	}
	if ((layout.stereo == VRS_STEREO_SBS && w < 4) || (layout.stereo == VRS_STEREO_TB && h < 4)) {
		layout.stereo = VRS_STEREO_MONO;
		snprintf(layout.reason, sizeof layout.reason, "a %dx%d picture is too small for two eyes", w, h);
	}
	layout.right_eye_first = layout.right_eye_first && layout.stereo != VRS_STEREO_MONO;
	if (layout.projection == VRS_PROJECTION_UNKNOWN && layout.fov_degrees == 0)
		guess_projection(&layout, frame, tags.half_size);
	*ret_layout = layout;
}

int vrs_layout_eyes(const struct vrs_layout *layout)
{
	return layout->stereo == VRS_STEREO_SBS || layout->stereo == VRS_STEREO_TB ? 2 : 1;
}

/* The half at `position` (0 or 1) of a length: both halves equal and even, beginning at even samples; a rest in the middle stays out. */
static void half(int length, int position, int *ret_start, int *ret_length)
{
	*ret_length = (length / 2) & ~1;
	*ret_start = position ? (length - *ret_length) & ~1 : 0;
}

struct vrs_rect vrs_layout_eye(const struct vrs_layout *layout, int w, int h, int eye)
{
	struct vrs_rect rect = {0, 0, w, h};
	int position = layout->right_eye_first ? !eye : eye;

	if (layout->stereo == VRS_STEREO_SBS) {
		half(w, position, &rect.x, &rect.width);
		rect.height = h > 1 ? h & ~1 : h;
	} else if (layout->stereo == VRS_STEREO_TB) {
		half(h, position, &rect.y, &rect.height);
		rect.width = w > 1 ? w & ~1 : w;
	}
	return rect;
}
