/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of a packing (vr/alpha_pack.h) as a device takes them (backend/frame_device.h). */
#ifndef VRS_COMPOSE_PACK_TABLES_H
#define VRS_COMPOSE_PACK_TABLES_H

#include "backend/frame_device.h"
#include "base/mem.h"
#include "vr/alpha_pack.h"

/* For mattes of that size.  Maps are borrowed from the packing, spans are made in the arena.  VRS_ENOMEM. */
enum vrs_status vrs_pack_tables(struct vrs_device_pack_options *ret, struct vrs_arena *arena, const struct vrs_alpha_pack *pack, int matte_width,
				int matte_height, struct vrs_error *err);
/* Where a matte that covers `view` (luma samples of the source) lies in eye i. */
struct vrs_device_disc_place vrs_pack_place(const struct vrs_alpha_pack *pack, const struct vrs_matte *matte, const struct vrs_rect *view, int i);

#endif
