/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A packed picture's own eyes, pixel by pixel: where the source shows what each of them shows.  In double precision straight from the lenses, at
 * any size, and apart from the maps of vr/alpha_pack.h, which are checked with it.
 */
#ifndef VRS_JOB_PACK_PLACES_H
#define VRS_JOB_PACK_PLACES_H

#include <vrseg/frame.h>
#include <vrseg/layout.h>

/* In the source eye; NaN: not shown. */
struct vrs_pack_place {
	float u, v;
};

/*
 * places: [side * side] of an eye of the packed picture whose lens shows fov degrees (0: as vrs_alpha_pack_angle), for source eyes of width x height.
 * Statuses of vrs_alpha_pack_lenses.
 */
enum vrs_status vrs_pack_places(struct vrs_pack_place *places, const struct vrs_layout *source, double fov, int width, int height, int side,
				struct vrs_error *err) VRS_MUST_CHECK;
/* Alpha at a place of the source eye, bilinear, of a matte that covers the part `view` of it; 0 outside. */
uint8_t vrs_pack_alpha_at(const struct vrs_matte *matte, const struct vrs_rect *view, const struct vrs_pack_place *place);

#endif
