/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ambisonics of a sound track (the box SA3D of Google's Spatial Audio: order, and which channel is which), which FFmpeg reads and does not write:
 * taken from one MP4 or QuickTime file into another.
 */
#ifndef VRS_VIDEO_MP4_SPATIAL_H
#define VRS_VIDEO_MP4_SPATIAL_H

#include <stdint.h>

#include <vrseg/status.h>

#include "base/buf.h"

/* The box of the sound track with that number; empty: the file has none.  VRS_ENOMEM. */
enum vrs_status vrs_mp4_spatial_read(struct vrs_buf *ret_box, const char *path, uint32_t track_id);
/*
 * Put the box into a complete file that ends with moov, as FFmpeg writes it.  VRS_EUNSUPPORTED: it does not, or there is no such track; VRS_EIO,
 * VRS_ENOSPC, VRS_ENOMEM.
 */
enum vrs_status vrs_mp4_spatial_insert(const char *path, uint32_t track_id, const struct vrs_buf *box, struct vrs_error *err);

#endif
