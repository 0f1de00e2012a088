/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stereo layout and projection of a video, and how they were decided.
 */
#ifndef VRSEG_LAYOUT_H
#define VRSEG_LAYOUT_H

#include <stdbool.h>

#include <vrseg/frame.h>

struct vrs_names;

enum vrs_stereo { VRS_STEREO_AUTO, VRS_STEREO_MONO, VRS_STEREO_SBS, VRS_STEREO_TB };
enum vrs_projection { VRS_PROJECTION_UNKNOWN, VRS_PROJECTION_FLAT, VRS_PROJECTION_HEQUIRECT, VRS_PROJECTION_EQUIRECT, VRS_PROJECTION_FISHEYE };

/* What may be asked for (input.layout): the order of the eyes, and whether each is squeezed to half its width or height. */
enum vrs_layout_choice {
	VRS_LAYOUT_AUTO, VRS_LAYOUT_MONO, VRS_LAYOUT_SBS, VRS_LAYOUT_TB,
	VRS_LAYOUT_RL,   /* side by side, right eye first */
	VRS_LAYOUT_BT,   /* top-bottom, right eye on top */
	VRS_LAYOUT_HSBS, /* side by side, half width */
	VRS_LAYOUT_HTB,  /* top-bottom, half height */
};

/* What the decision on the eyes rests on; the first that speaks, in this order. */
enum vrs_layout_source { VRS_LAYOUT_BY_REQUEST, VRS_LAYOUT_BY_SIDE_DATA, VRS_LAYOUT_BY_NAME, VRS_LAYOUT_BY_PROJECTION, VRS_LAYOUT_BY_SHAPE };

/* All zero: nothing is asked for. */
struct vrs_layout_request {
	enum vrs_layout_choice layout;
	enum vrs_projection projection;  /* UNKNOWN: auto */
	double fov_degrees;              /* 0: what is usual for the projection */
};

/* Members lie without gaps, so that none can be added that vrs_layout_describe (vr/layout.c) does not know. */
struct vrs_layout {
	double fov_degrees;              /* horizontal field of view of one eye; 0: not known */
	double pixel_aspect;             /* width of a sample over its height: 2 in half-width side by side, 0.5 in half-height top-bottom, else 1 */
	enum vrs_stereo stereo;          /* never AUTO in a decided layout */
	enum vrs_layout_source source;   /* of stereo */
	enum vrs_projection projection;
	enum vrs_layout_source projection_source;
	bool right_eye_first;            /* the left (or top) half shows the right eye */
	char reason[256];                /* what decided on the layout, then on the projection: "the tag LR .. says ..; side data says hequirect" */
};

/* What cannot be read as a picture of one of the projections; a set. */
enum vrs_foreign {
	VRS_FOREIGN_MESH = 1,            /* the picture is glued on a mesh (mshp) */
	VRS_FOREIGN_CUBE = 2,            /* cube map */
	VRS_FOREIGN_LAYERS = 4,          /* one eye in each layer of the stream (MV-HEVC); decoders deliver the base layer */
	VRS_FOREIGN_LENS = 8,            /* calibrated lens (Apple's parametric immersive) */
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
	double fov_degrees;              /* of fisheye and flat pictures; 0: not said */
	unsigned foreign;                /* set of enum vrs_foreign */
	bool stereo_is_named, projection_is_named; /* the name of the file says it alone: where an output cannot hold it, nothing is lost */
};

/* Number of eyes (1 or 2) and the rectangle of eye i (0 left, 1 right) in a w x h frame. */
int vrs_layout_eyes(const struct vrs_layout *layout);
struct vrs_rect vrs_layout_eye(const struct vrs_layout *layout, int w, int h, int eye);
/* True if the right edge of an eye goes on at its left one. */
bool vrs_layout_is_whole_turn(const struct vrs_layout *layout);
/* What vrs_picture_format.circle is for pictures of that layout; 0 also where an eye begins or ends within a chroma sample. */
int vrs_layout_circle(const struct vrs_layout *layout, const struct vrs_picture_format *format);

/* "mono", "sbs", "tb"; "flat", "hequirect", "equirect", "fisheye". Never NULL. */
const char *vrs_stereo_name(enum vrs_stereo stereo);
/* The same as a table (base/names.h), which also reads them; AUTO, which no decided layout is, reads "auto". */
extern const struct vrs_names vrs_stereo_names;
const char *vrs_projection_name(enum vrs_projection projection);
/* All that pictures and the metadata of an output come from, in words: layouts with the same text make the same output; the reason is left out. */
#define VRS_LAYOUT_TEXT 200
void vrs_layout_describe(char ret_text[VRS_LAYOUT_TEXT], const struct vrs_layout *layout);

/*
 * Put a projection, as --projection has it, into a request: "auto", "flat", "hequirect", "equirect", "fisheye", each but auto also with a field of
 * view in degrees, "fisheye:190".  VRS_ECONFIG: something else, or an angle that the projection cannot show (flat 1..170, the others 1..360).
 */
enum vrs_status vrs_projection_ask(struct vrs_layout_request *request, const char *text, struct vrs_error *err) VRS_MUST_CHECK;

/*
 * Decide the layout of a w x h video: the request, then side data, then the tags of the file name, then what the projection leaves over, then the
 * aspect (2:1, and 3:1 and wider, is side by side unless something says mono 360; all else is mono).  Writes the reason.  request, side and `name`
 * may be NULL.  VRS_EUNSUPPORTED: a mesh, a cube map or one eye per layer, with what to do instead; a request goes before that.
 */
enum vrs_status vrs_layout_decide(struct vrs_layout *ret_layout, const struct vrs_layout_request *request, const struct vrs_stereo_side_data *side,
				  const char *name, int w, int h, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * What an output says of its picture: what was asked for or stands in the name of the input goes before the side data of the source (NULL: none).
 * What the shape of the picture suggests is not said.
 */
struct vrs_stereo_side_data vrs_layout_side(const struct vrs_layout *layout, const struct vrs_stereo_side_data *source);

#endif
