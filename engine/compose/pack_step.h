/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alpha packing in a job: what the settings mean for vr/alpha_pack.h, and what the container says of packed frames. */
#ifndef VRS_COMPOSE_PACK_STEP_H
#define VRS_COMPOSE_PACK_STEP_H

#include <vrseg/layout.h>
#include <vrseg/options.h>

#include "vr/alpha_pack.h"

/* The packing of frames of a format and layout. Statuses of vrs_alpha_pack_create. */
enum vrs_status vrs_pack_step_create(struct vrs_alpha_pack **ret_pack, const struct vrs_settings *settings, const struct vrs_picture_format *format,
				     const struct vrs_layout *layout, struct vrs_error *err) VRS_MUST_CHECK;
/* What it is in one line, with a hint where discs do not fit the size exactly; true: the encoder may even shift them. */
bool vrs_pack_step_describe(char *ret, size_t size, const struct vrs_alpha_pack *pack, const struct vrs_settings *settings);
/* Side by side, left eye first, and no projection: containers have no word for a fisheye, and that of the source would be wrong. */
struct vrs_stereo_side_data vrs_pack_step_side(void);

/*
 * Make a matte of *width x *height no larger than the discs of a packing show, which have 0.4 of the carrier's scale; all that works on mattes then
 * works at that size.  `areas` are the parts of the `eyes` eyes (eye_height samples high) that mattes may cover.  Networks of 256x256 are below that
 * from eyes of 640 samples on, and nothing changes.
 */
void vrs_matte_size_fit(int *width, int *height, const struct vrs_alpha_pack *pack, const struct vrs_layout *layout, int eye_height,
			const struct vrs_rect *areas, int eyes);

#endif
