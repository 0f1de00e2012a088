/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an AVI file says of its own length. */
#ifndef VRS_VIDEO_AVI_END_H
#define VRS_VIDEO_AVI_END_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Where its first chunk ends, which is all of it up to a GiB; 0: it does not say, as where it was written to a pipe.  Programs differ in whether the
 * head of the chunk and its padding count: the file may have up to VRS_AVI_SLACK bytes less.
 */
int64_t vrs_avi_stated_end(const char *path);
#define VRS_AVI_SLACK 8

/* Its chunks follow each other to the last of these bytes: nothing is missing at its end. */
bool vrs_avi_is_whole(const char *path, int64_t size);

#endif
