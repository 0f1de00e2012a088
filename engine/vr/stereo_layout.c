/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The decision on stereo layout and projection, each with its own first source that speaks:
 *   stereo      request, side data, name tags, what the projection leaves over, aspect
 *   projection  request, side data, name tags, aspect of one eye
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
/* An eye of a flat film that is narrower, or wider, was squeezed to half its width or height: 16:9 becomes 0.89 or 3.56. */
#define FLAT_NARROW 1.0
#define FLAT_WIDE 2.8

/* What speaks, and the picture. */
struct evidence {
	const struct vrs_layout_request *request;
	const struct vrs_stereo_side_data *side;
	const struct vrs_name_tags *tags;
	int w, h;
	double aspect; /* of the frame */
};

struct choice {
	enum vrs_stereo stereo;
	bool right_eye_first, squeezed;
};

static const struct choice choices[] = {
	[VRS_LAYOUT_AUTO] = {VRS_STEREO_AUTO, false, false}, [VRS_LAYOUT_MONO] = {VRS_STEREO_MONO, false, false},
	[VRS_LAYOUT_SBS] = {VRS_STEREO_SBS, false, false},   [VRS_LAYOUT_TB] = {VRS_STEREO_TB, false, false},
	[VRS_LAYOUT_RL] = {VRS_STEREO_SBS, true, false},     [VRS_LAYOUT_BT] = {VRS_STEREO_TB, true, false},
	[VRS_LAYOUT_HSBS] = {VRS_STEREO_SBS, false, true},   [VRS_LAYOUT_HTB] = {VRS_STEREO_TB, false, true},
};

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

static bool side_says_projection(const struct evidence *e)
{
	return e->side && e->side->has_spherical && e->side->projection != VRS_PROJECTION_UNKNOWN;
}

/* Width over height of one eye's picture; flat ones have any: 0. */
static double eye_aspect(const struct vrs_layout *layout, const struct evidence *e)
{
	bool from_side = side_says_projection(e) && e->side->projection == layout->projection;
	double down = from_side ? 180 * (1 - e->side->bound_top - e->side->bound_bottom) : 180;

	switch (layout->projection) {
	case VRS_PROJECTION_EQUIRECT: return (layout->fov_degrees > 0 ? layout->fov_degrees : 360) / fmax(down, 1);
	case VRS_PROJECTION_HEQUIRECT: return (layout->fov_degrees > 0 ? layout->fov_degrees : 180) / fmax(down, 1);
	case VRS_PROJECTION_FISHEYE: return 1;
	default: return 0;
	}
}

static double usual_fov(enum vrs_projection projection)
{
	return projection == VRS_PROJECTION_EQUIRECT ? 360 : projection == VRS_PROJECTION_FLAT ? 0 : 180;
}

/* The first that speaks of a projection; "" in the reason: nobody did. */
static void say_projection(struct vrs_layout *layout, const struct evidence *e, char *reason, size_t size)
{
	const struct vrs_stereo_side_data *side = e->side;
	double shown = side ? 360 * (1 - side->bound_left - side->bound_right) : 0;

	reason[0] = '\0';
	if (e->request->projection != VRS_PROJECTION_UNKNOWN) {
		bool known = side_says_projection(e) && side->projection == e->request->projection;

		layout->projection = e->request->projection;
		layout->projection_source = VRS_LAYOUT_BY_REQUEST;
		layout->fov_degrees = e->request->fov_degrees > 0 ? e->request->fov_degrees : known && side->fov_degrees > 0 ? side->fov_degrees :
				      usual_fov(layout->projection);
		snprintf(reason, size, "%s was requested", vrs_projection_name(layout->projection));
	} else if (side_says_projection(e)) {
		layout->projection = side->projection;
		layout->projection_source = VRS_LAYOUT_BY_SIDE_DATA;
		layout->fov_degrees = side->projection == VRS_PROJECTION_FISHEYE || side->projection == VRS_PROJECTION_FLAT ? side->fov_degrees :
				      side->projection == VRS_PROJECTION_HEQUIRECT && shown >= 360                            ? 180 :
															    shown;
		if (layout->projection == VRS_PROJECTION_FISHEYE && layout->fov_degrees <= 0)
			layout->fov_degrees = usual_fov(layout->projection);
		snprintf(reason, size, "side data says %s", vrs_projection_name(layout->projection));
	} else if (e->tags->projection != VRS_PROJECTION_UNKNOWN) {
		layout->projection = e->tags->projection;
		layout->projection_source = VRS_LAYOUT_BY_NAME;
		layout->fov_degrees = e->tags->fov_degrees;
		snprintf(reason, size, "the tag %s says %s", e->tags->projection_tag, vrs_projection_name(layout->projection));
	}
}

/* Nothing said a projection: the picture of one eye tells. */
static void guess_projection(struct vrs_layout *layout, const struct evidence *e, bool squeezed, char *reason, size_t size)
{
	double eye = e->aspect;

	layout->projection_source = VRS_LAYOUT_BY_SHAPE;
	if (layout->stereo == VRS_STEREO_SBS && !squeezed)
		eye = e->aspect / 2;
	else if (layout->stereo == VRS_STEREO_TB && !squeezed)
		eye = e->aspect * 2;
	if (layout->stereo != VRS_STEREO_MONO && near(eye, 1)) {
		layout->projection = VRS_PROJECTION_HEQUIRECT;
		layout->fov_degrees = 180;
	} else if (near(eye, 2)) {
		layout->projection = VRS_PROJECTION_EQUIRECT;
		layout->fov_degrees = 360;
	} else if (!near(eye, 1)) {
		layout->projection = VRS_PROJECTION_FLAT;
	}
	if (layout->projection == VRS_PROJECTION_UNKNOWN)
		snprintf(reason, size, "nothing says the projection");
	else
		snprintf(reason, size, "the shape of an eye suggests %s", vrs_projection_name(layout->projection));
}

static bool decide_by_request(struct vrs_layout *layout, const struct evidence *e)
{
	const struct choice *choice = &choices[e->request->layout];
	bool said = e->side && e->side->has_stereo && e->side->stereo != VRS_STEREO_AUTO;
	bool same = said ? e->side->stereo == choice->stereo : e->tags->stereo == choice->stereo;

	if (choice->stereo == VRS_STEREO_AUTO)
		return false;
	layout->source = VRS_LAYOUT_BY_REQUEST;
	layout->stereo = choice->stereo;
	/* The order of the eyes is still what the file says, if it speaks of the same layout. */
	layout->right_eye_first = choice->right_eye_first || (same && (said ? e->side->inverted : e->tags->right_eye_first));
	snprintf(layout->reason, sizeof layout->reason, "%s%s was requested", words(choice->stereo),
		 choice->right_eye_first ? ", right eye first," : choice->squeezed ? " at half size" : "");
	return true;
}

static bool decide_by_side(struct vrs_layout *layout, const struct evidence *e)
{
	if (!e->side || !e->side->has_stereo || e->side->stereo == VRS_STEREO_AUTO)
		return false;
	layout->source = VRS_LAYOUT_BY_SIDE_DATA;
	layout->stereo = e->side->stereo;
	layout->right_eye_first = e->side->inverted;
	snprintf(layout->reason, sizeof layout->reason, "the file's stereo side data says %s%s", words(layout->stereo),
		 e->side->inverted ? ", right eye first" : "");
	return true;
}

static bool decide_by_tags(struct vrs_layout *layout, const struct evidence *e)
{
	const struct vrs_name_tags *tags = e->tags;

	if (tags->stereo == VRS_STEREO_AUTO)
		return false;
	layout->source = VRS_LAYOUT_BY_NAME;
	layout->stereo = tags->stereo;
	layout->right_eye_first = tags->right_eye_first;
	snprintf(layout->reason, sizeof layout->reason, "the tag %s in the file name %s %s%s", tags->stereo_tag, tags->implied ? "implies" : "says",
		 words(tags->stereo), tags->right_eye_first ? ", right eye first" : "");
	return true;
}

static bool decide_by_projection(struct vrs_layout *layout, const struct evidence *e)
{
	enum vrs_stereo stereo = VRS_STEREO_MONO;

	if (layout->projection == VRS_PROJECTION_UNKNOWN)
		return false;
	if (layout->projection != VRS_PROJECTION_FLAT)
		stereo = stereo_by_eye_aspect(e->aspect, eye_aspect(layout, e));
	if (stereo == VRS_STEREO_AUTO)
		return false;
	layout->source = VRS_LAYOUT_BY_PROJECTION;
	layout->stereo = stereo;
	snprintf(layout->reason, sizeof layout->reason, "a %dx%d picture of %s holds %s", e->w, e->h,
		 layout->projection == VRS_PROJECTION_EQUIRECT && layout->fov_degrees == 360 ? "360 degrees" : vrs_projection_name(layout->projection),
		 stereo == VRS_STEREO_MONO ? "one eye" : stereo == VRS_STEREO_SBS ? "two eyes side by side" : "two eyes, top and bottom");
	return true;
}

static void decide_by_aspect(struct vrs_layout *layout, const struct evidence *e)
{
	/* Two square eyes are 2:1, two wide ones at least 3:1.  Between them lie the flat films of 2.2:1 to 2.76:1. */
	bool pair = near(e->aspect, 2) || e->aspect >= 3;

	layout->source = VRS_LAYOUT_BY_SHAPE;
	layout->stereo = pair ? VRS_STEREO_SBS : VRS_STEREO_MONO;
	snprintf(layout->reason, sizeof layout->reason, "nothing says it; a %dx%d picture is taken as %s", e->w, e->h, words(layout->stereo));
}

/* Eyes of a known shape tell by themselves whether they were squeezed; flat ones by a word of the user or the name, or when they are too narrow. */
static double pixel_aspect(const struct vrs_layout *layout, const struct evidence *e, bool squeezed)
{
	double eye = layout->stereo == VRS_STEREO_SBS ? e->aspect / 2 : e->aspect * 2, natural = eye_aspect(layout, e);
	double shrunk = layout->stereo == VRS_STEREO_SBS ? 2 : 0.5;

	if (layout->stereo == VRS_STEREO_MONO)
		return 1;
	if (natural > 0)
		return near(natural, eye * shrunk) ? shrunk : 1;
	if (layout->projection == VRS_PROJECTION_FLAT)
		squeezed = squeezed || (layout->stereo == VRS_STEREO_SBS ? eye < FLAT_NARROW : eye > FLAT_WIDE);
	return squeezed ? shrunk : 1;
}

/* What no lens here can show, unless the user says what to take it for. */
static enum vrs_status refuse_foreign(const struct evidence *e, const char *name, struct vrs_error *err)
{
	unsigned foreign = e->side ? e->side->foreign : 0;
	bool asked = e->request->projection != VRS_PROJECTION_UNKNOWN;
	bool tagged = e->tags->cube_map && !side_says_projection(e);

	name = name ? name : "the video";
	if ((foreign & VRS_FOREIGN_LAYERS) && e->request->layout == VRS_LAYOUT_AUTO)
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s holds one eye in each layer of its stream (MV-HEVC), and only the base layer can be decoded; "
				"convert it to side by side first, or take the one eye with --layout mono", name);
	if ((foreign & VRS_FOREIGN_MESH) && !asked)
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s maps its picture onto a mesh (mshp), which cannot be read; convert it to half-equirectangular first, "
		"or name the closest --projection, such as hequirect or fisheye:190", name);
	if ((foreign & VRS_FOREIGN_LENS) && !asked)
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s has calibrated lens data, which cannot be read; convert it to half-equirectangular first, or name "
		"the closest --projection, such as fisheye:190", name);
	if (((foreign & VRS_FOREIGN_CUBE) || tagged) && !asked)
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s is a cube map; convert it first, for example with "
				"ffmpeg -i IN -vf v360=%s:equirect OUT", name, tagged ? "eac" : "c3x2");
	return VRS_OK;
}

static void add_reason(struct vrs_layout *layout, const char *reason)
{
	size_t length = strlen(layout->reason);

	if (reason[0])
		snprintf(layout->reason + length, sizeof layout->reason - length, "; %s", reason);
}

enum vrs_status vrs_layout_decide(struct vrs_layout *ret_layout, const struct vrs_layout_request *request, const struct vrs_stereo_side_data *side,
				  const char *name, int w, int h, struct vrs_error *err)
{
	static const struct vrs_layout_request nothing;
	struct vrs_layout layout = {.stereo = VRS_STEREO_MONO};
	struct vrs_name_tags tags;
	struct evidence e = {request ? request : &nothing, side, &tags, w, h, w > 0 && h > 0 ? (double)w / h : 1};
	char reason[96];

	vrs_name_tags_parse(&tags, name);
	enum vrs_status status = refuse_foreign(&e, name, err);
	if (status != VRS_OK)
		return status;
	say_projection(&layout, &e, reason, sizeof reason);
	if (!decide_by_request(&layout, &e) && !decide_by_side(&layout, &e) && !decide_by_tags(&layout, &e) && !decide_by_projection(&layout, &e))
		decide_by_aspect(&layout, &e);
	if ((layout.stereo == VRS_STEREO_SBS && w < 4) || (layout.stereo == VRS_STEREO_TB && h < 4)) {
		layout.stereo = VRS_STEREO_MONO;
		layout.source = VRS_LAYOUT_BY_SHAPE;
		snprintf(layout.reason, sizeof layout.reason, "a %dx%d picture is too small for two eyes", w, h);
	}
	layout.right_eye_first = layout.right_eye_first && layout.stereo != VRS_STEREO_MONO;
	bool squeezed = e.request->layout != VRS_LAYOUT_AUTO ? choices[e.request->layout].squeezed : tags.half_size && tags.stereo == layout.stereo;
	if (layout.projection == VRS_PROJECTION_UNKNOWN)
		guess_projection(&layout, &e, squeezed, reason, sizeof reason);
	layout.pixel_aspect = pixel_aspect(&layout, &e, squeezed);
	add_reason(&layout, reason);
	if (choices[e.request->layout].squeezed && layout.pixel_aspect == 1)
		add_reason(&layout, "eyes of this shape are not squeezed");
	*ret_layout = layout;
	return VRS_OK;
}

static bool is_said(enum vrs_layout_source source)
{
	return source == VRS_LAYOUT_BY_REQUEST || source == VRS_LAYOUT_BY_NAME;
}

static void say_stereo(struct vrs_stereo_side_data *side, const struct vrs_layout *layout, enum vrs_layout_source source)
{
	side->has_stereo = layout->stereo != VRS_STEREO_MONO || side->has_stereo; /* without a word there is one eye */
	side->stereo = layout->stereo;
	side->inverted = layout->right_eye_first;
	side->stereo_is_named = source == VRS_LAYOUT_BY_NAME;
}

/* Another sphere has none of the old bounds, nor its pose. */
static void say_sphere(struct vrs_stereo_side_data *side, const struct vrs_layout *layout)
{
	bool is_other = !side->has_spherical || side->projection != layout->projection;
	bool is_round = layout->projection == VRS_PROJECTION_FISHEYE;
	double shown = layout->fov_degrees / 360;

	if (is_other)
		side->yaw = side->pitch = side->roll = side->bound_top = side->bound_bottom = 0;
	side->has_spherical = layout->projection != VRS_PROJECTION_FLAT; /* without a word it is flat */
	side->projection = layout->projection;
	side->projection_is_named = layout->projection_source == VRS_LAYOUT_BY_NAME;
	side->fov_degrees = is_round ? layout->fov_degrees : 0;
	if (is_other || fabs(1 - side->bound_left - side->bound_right - shown) > 1e-3)
		side->bound_left = side->bound_right = is_round || shown <= 0 || shown > 1 ? 0 : (1 - shown) / 2;
}

struct vrs_stereo_side_data vrs_layout_side(const struct vrs_layout *layout, const struct vrs_stereo_side_data *source)
{
	enum vrs_layout_source stereo = layout->source == VRS_LAYOUT_BY_PROJECTION ? layout->projection_source : layout->source;
	struct vrs_stereo_side_data side = source ? *source : (struct vrs_stereo_side_data){0};

	if (is_said(stereo))
		say_stereo(&side, layout, stereo);
	if (is_said(layout->projection_source))
		say_sphere(&side, layout);
	return side;
}
