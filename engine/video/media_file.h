/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts the frames of a file by its packets. */
#ifndef VRS_VIDEO_MEDIA_FILE_H
#define VRS_VIDEO_MEDIA_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/status.h>

/*
 * Frames of the video stream, its length in seconds, and whether the container was finished.  An index is believed after it was held against the size
 * of the file; without one all packets are read.  VRS_ENOTFOUND, VRS_EIO, VRS_EFORMAT, VRS_ENOMEM.
 */
enum vrs_status vrs_media_file_measure(const char *path, int64_t *ret_frames, double *ret_seconds, bool *ret_complete, struct vrs_error *err);

#endif
