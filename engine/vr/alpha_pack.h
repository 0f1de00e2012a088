/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pictures with their matte packed into dead corners, as passthrough players take them ("alpha packing").
 *
 * The carrier is W x H = 2H x H: two fisheye eyes side by side, each a circle of radius H/2, black around.  The matte of an eye in the same fisheye
 * geometry is scaled to 0.4 and drawn as a disc of radius 0.2 H, that of the left eye around (W/2, 0) and that of the right eye around (0, 0), both
 * wrapping around the frame:
 *
 *     left:   dx = wrap(x - W/2, W)   right:   dx = wrap(x, W)   both:   dy = wrap(y, H)
 *     eye position (u, v) = (H/2 + dx / 0.4, H/2 + dy / 0.4), inside where dx^2 + dy^2 <= (0.2 H)^2
 *
 * Cut into tiles this is the table that players are written by: upper and lower half of the left eye, quarters of the right one.  With H a multiple
 * of 20 the tiles are whole multiples of 4 samples; other sizes are sampled between them.  A disc is a 0.2 H circle beside a gap of 0.207 H, so
 * that pictures and discs never touch.
 *
 * One pass: the carrier is drawn plane by plane from the decoded frame through a fixed-point map (copied where the lens is the same), and the
 * discs are sampled from the mattes at the mattes' own size, wherever their views lie.  No picture of full size beside the two frames.
 */
#ifndef VRS_VR_ALPHA_PACK_H
#define VRS_VR_ALPHA_PACK_H

#include <vrseg/frame.h>
#include <vrseg/layout.h>

#include "vr/lens.h"
#include "vr/remap.h"

struct vrs_alpha_pack_options {
	struct vrs_picture_format format; /* of the source frames */
	struct vrs_layout layout;         /* of the source */
	double fov_degrees;               /* of the carrier; 0: that of a fisheye source, 180 for all others */
	bool exact_size;                  /* round the height up to a multiple of 160: whole tiles, and nothing to pad for an encoder */
	double chroma_offset[2];          /* vrs_chroma_offset of the format */
	uint16_t black[3];                /* code values of black */
	uint16_t codes[3][256];           /* code values of a disc by alpha */
	bool colored;                     /* codes of chroma differ from black's: red discs */
};

struct vrs_alpha_pack;

/*
 * Make all tables.  VRS_EUNSUPPORTED: a source that this format cannot hold (flat, 360 degrees, unknown, too small), with what to do instead;
 * VRS_EINVAL: an impossible angle; VRS_ENOMEM.
 */
enum vrs_status vrs_alpha_pack_create(struct vrs_alpha_pack **ret_pack, const struct vrs_alpha_pack_options *options, struct vrs_error *err);
void vrs_alpha_pack_destroy(struct vrs_alpha_pack *pack); /* NULL is fine */
/* Angle of the carrier for a source of this layout when `asked` degrees (0: none) are asked for. */
double vrs_alpha_pack_angle(const struct vrs_layout *layout, double asked);
/* The lenses of a source eye of width x height and of the carrier. Statuses of vrs_lens_init. */
enum vrs_status vrs_alpha_pack_lenses(struct vrs_lens *ret_source, struct vrs_lens *ret_carrier, const struct vrs_layout *layout, double asked,
				      int width, int height, int carrier_height, struct vrs_error *err);
/* Format of the packed frames, and the angle of their lens. */
const struct vrs_picture_format *vrs_alpha_pack_format(const struct vrs_alpha_pack *pack);
double vrs_alpha_pack_fov(const struct vrs_alpha_pack *pack);
/*
 * Write every sample of dst, a frame of that format.  mattes[i] covers views[i] (luma samples of src, inside eye i); outside is background.  A source
 * with one eye has one matte, and both halves show it.  Thread-safe.
 */
void vrs_alpha_pack_run(const struct vrs_alpha_pack *pack, struct vrs_frame *dst, const struct vrs_frame *src, const struct vrs_matte *mattes,
			const struct vrs_rect *views);

/* What vrs_alpha_pack_run works by, for devices that pack. Borrowed. */
struct vrs_alpha_pack_parts {
	const struct vrs_alpha_pack_options *options;
	struct vrs_rect eyes[2];          /* of the source, left first; the same twice for a source with one */
	const struct vrs_remap *maps[2];  /* luma, chroma; NULL: eyes are copied, or there is no chroma */
	const struct vrs_remap *disc;     /* from the disc to an eye, as vr/alpha_disc.h has it */
};

struct vrs_alpha_pack_parts vrs_alpha_pack_parts(const struct vrs_alpha_pack *pack);
/* Samples [*ret_first, *ret_end) of row y of an eye's picture in planes of a group (0: luma, 1: chroma) lie in its circle: what is copied. */
void vrs_alpha_pack_span(const struct vrs_alpha_pack *pack, int group, int y, int *ret_first, int *ret_end);

#endif
