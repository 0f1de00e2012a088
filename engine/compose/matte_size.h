/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The size of a job's mattes: what the network makes (twice that for several regions).  In mode alpha no larger than the discs can show, which have
 * 0.4 of the carrier's scale; all that works on mattes (smoothing, --refine, --grow, agreement of the eyes) then works at that size.  Networks of
 * 256x256 are below that from eyes of 640 samples on, and nothing changes.
 */
#ifndef VRS_COMPOSE_MATTE_SIZE_H
#define VRS_COMPOSE_MATTE_SIZE_H

#include <vrseg/layout.h>

struct vrs_alpha_pack;

/*
 * Make a matte of *width x *height no larger than the discs of a packing show: `areas` are the parts of the `eyes` eyes (eye_height samples high)
 * that mattes may cover.
 */
void vrs_matte_size_fit(int *width, int *height, const struct vrs_alpha_pack *pack, const struct vrs_layout *layout, int eye_height,
			const struct vrs_rect *areas, int eyes);

#endif
