/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One RGB picture into a PNG file. */
#ifndef VRS_VIDEO_PNG_WRITE_H
#define VRS_VIDEO_PNG_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>

/*
 * Write w x h pixels of three bytes R G B, rows `stride` bytes apart, to path; an existing file is replaced atomically.
 * VRS_EINVAL: impossible size; VRS_EUNSUPPORTED: FFmpeg without PNG; VRS_EIO, VRS_ENOMEM.
 */
enum vrs_status vrs_png_write(const char *path, int w, int h, const uint8_t *rgb, ptrdiff_t stride, struct vrs_error *err);

#endif
