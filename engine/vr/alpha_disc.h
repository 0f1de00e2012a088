/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The disc of alpha packing (vr/alpha_pack.h): an eye's matte at 0.4 of the carrier's scale, drawn around a point of the frame's upper border. */
#ifndef VRS_VR_ALPHA_DISC_H
#define VRS_VR_ALPHA_DISC_H

#include <vrseg/frame.h>

#include "vr/lens.h"
#include "vr/remap.h"

struct vrs_alpha_disc;

/* carrier: the fisheye lens of one eye of the packed picture, H x H; source: that of the eye which mattes are placed in. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_alpha_disc_create(struct vrs_alpha_disc **ret_disc, const struct vrs_lens *carrier, const struct vrs_lens *source,
				      struct vrs_error *err);
void vrs_alpha_disc_destroy(struct vrs_alpha_disc *disc); /* NULL is fine */
/*
 * Draw a matte that covers `view` (samples of the source eye) around (centre_x, 0) of a packed frame, wrapping around it.  Only samples with an alpha
 * above 0 are written, the rest is to be black before: luma, and where `colored` chroma too, which takes the largest alpha of the luma
 * samples that it stands for.  codes: by plane and alpha.  Thread-safe.
 */
void vrs_alpha_disc_draw(const struct vrs_alpha_disc *disc, struct vrs_frame *dst, int centre_x, const struct vrs_matte *matte,
			 const struct vrs_rect *view, const uint16_t codes[3][256], bool colored);

/* The disc's map: size x size samples, from the source eye. Borrowed. */
const struct vrs_remap *vrs_alpha_disc_map(const struct vrs_alpha_disc *disc);

/* Source eye to matte, both s15.16, by axis: m = (u * factor >> VRS_ALPHA_DISC_BITS) + shift. */
#define VRS_ALPHA_DISC_BITS 24

struct vrs_alpha_disc_place {
	int64_t factor[2], shift[2];
};

/* Of a matte of width x height that covers `view` (samples of the source eye). */
struct vrs_alpha_disc_place vrs_alpha_disc_place(int width, int height, const struct vrs_rect *view);

#endif
