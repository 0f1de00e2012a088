/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last step on the full-size planes: one pass that up-samples the mattes row by row and blends the people over a background (green: a
 * colour or a backdrop), or writes the matte itself as a grey picture (matte)
 * or as an alpha plane (cutout).  Outside the views is background.
 */
#ifndef VRS_MATTE_COMPOSITE_H
#define VRS_MATTE_COMPOSITE_H

#include <vrseg/frame.h>

#include "matte/backdrop.h"
#include "matte/sharp_edges.h"

#define VRS_COMPOSITE_MAX_VIEWS 2

/* cutout: frames of one plane, alpha at full size and full range; the colours stay where they are (compose/alpha_frame.h) */
enum vrs_composite_mode { VRS_COMPOSITE_GREEN, VRS_COMPOSITE_MATTE, VRS_COMPOSITE_CUTOUT };

struct vrs_composite_options {
	struct vrs_picture_format format;           /* of the source frames */
	enum vrs_composite_mode mode;
	uint8_t color[3];                           /* background R, G, B of mode green */
	int view_count;
	struct vrs_rect views[VRS_COMPOSITE_MAX_VIEWS]; /* parts that the mattes cover, luma samples; must not overlap. The largest ones if placed anew. */
	int matte_width, matte_height;
	/*
	 * Mode green: what is there instead of the colour.  kind, part_count, parts (part i holds view i), blur and wraps are set, the rest is
	 * filled in.
	 */
	struct vrs_backdrop_options backdrop;
	double despill;                             /* mode green: strength of despill.h, 0: off; backdrop's parts are set */
	bool foreground;                            /* the people's own colours at soft edges (foreground.h), instead of despill */
	struct vrs_sharp_options sharp;             /* edges at the size of the picture; radius 0: those of the matte */
	const struct vrs_frame *picture;            /* of backdrop kind PICTURE, in the output format; must outlive the composite */
};

/* What a frame that vrs_composite_fill prepared holds by now: background, except in these parts. All zeros at first. */
struct vrs_composite_past {
	int view_count;
	struct vrs_rect views[VRS_COMPOSITE_MAX_VIEWS];
};

struct vrs_composite;

/* Format of the frames that come out of modes green and matte: three planes, 4:2:0 where the source is grey; all else as the source. */
struct vrs_picture_format vrs_composite_format(const struct vrs_picture_format *source);
/* Format of the frames that come out of mode cutout: one plane of full range. */
struct vrs_picture_format vrs_composite_alpha_format(const struct vrs_picture_format *source);
/* VRS_EINVAL: a view outside the picture; VRS_ENOMEM. One object serves one thread at a time. */
enum vrs_status vrs_composite_create(struct vrs_composite **ret_composite, struct vrs_arena *arena, const struct vrs_composite_options *options);
/* True if frames can be changed in place: source and result have the same planes. */
bool vrs_composite_in_place(const struct vrs_composite *composite);
/* True if the background changes from frame to frame: frames have no past that could be kept, and vrs_composite_run gets none. */
bool vrs_composite_is_moving(const struct vrs_composite *composite);
/* Backdrop kind VIDEO: what is behind the people of the next run, in the output format; its samples must stay until then. */
void vrs_composite_behind(struct vrs_composite *composite, const struct vrs_frame *picture);
/*
 * Soft edges of a writable frame of the source format get the people's own colours, in place: for outputs that keep the picture beside its mattes.
 * Only with options.foreground.
 */
void vrs_composite_recolor(struct vrs_composite *composite, struct vrs_frame *frame, const struct vrs_matte *mattes);
/* Fill all of a frame of the output format with the background; with the colour where that is moving. */
void vrs_composite_fill(const struct vrs_composite *composite, struct vrs_frame *dst);
/*
 * The matte of view i covers another part from now on, no wider and no higher than that of the creation.  Allocates nothing; costs nothing when the
 * part is the one before.  VRS_EINVAL: outside the picture or larger; the part before stays.
 */
enum vrs_status vrs_composite_place(struct vrs_composite *composite, int i, const struct vrs_rect *rect);
/*
 * mattes[i] belongs to views[i].  dst has the output format; its data may be src's when vrs_composite_in_place.  With a past, dst holds what that
 * says, only what the views left since is filled, and past is brought up to date; without one (NULL) all of dst is written.  Only samples are
 * written, no other field of dst.
 */
void vrs_composite_run(struct vrs_composite *composite, struct vrs_frame *dst, const struct vrs_frame *src, const struct vrs_matte *mattes,
		       struct vrs_composite_past *past);

#endif
