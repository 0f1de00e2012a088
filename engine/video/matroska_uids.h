/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libavformat draws the identifiers of a Matroska or WebM file, of its tracks and of its attachments at random, so that no two runs write the same
 * bytes.  Here they are made from what the file holds.
 */
#ifndef VRS_VIDEO_MATROSKA_UIDS_H
#define VRS_VIDEO_MATROSKA_UIDS_H

#include <vrseg/status.h>

/*
 * Replace the identifiers in a finished file that libavformat has written: those of the segment, and those of tracks and attachments wherever they
 * are named, by hashes of all else in it; check sums follow.  Files that differ in nothing but their identifiers become the same bytes.
 * VRS_EIO, VRS_ENOMEM; VRS_EFORMAT: no such file, which stays as it is.
 */
enum vrs_status vrs_matroska_uids_set(const char *path, struct vrs_error *err) VRS_MUST_CHECK;

#endif
