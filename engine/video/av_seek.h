/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The first wanted frame of a reader, in any container: to the last key frame before it, and further ahead where a seek lands behind it.  What
 * is decoded before that frame is dropped by the reader.
 */
#ifndef VRS_VIDEO_AV_SEEK_H
#define VRS_VIDEO_AV_SEEK_H

#include "video/av_reader.h"

/* Where the clock begins, what is skipped and where the wanted frames end: sets origin, skip and limit. */
void vrs_av_seek_begin(struct vrs_av_reader *reader, const struct vrs_source_options *options);
/* True when not every frame of the file is wanted. */
bool vrs_av_seek_starts_late(const struct vrs_av_reader *reader);
/* Go to the key frame before the first wanted frame. VRS_EUNSUPPORTED: the input cannot seek. */
enum vrs_status vrs_av_seek_first(struct vrs_av_reader *reader, struct vrs_error *err);
/* Once more, further ahead, if no frame at or before the first wanted one was seen since the last seek; false: no need, or no way. */
bool vrs_av_seek_earlier(struct vrs_av_reader *reader);
/* True when this first frame lies behind the wanted one and the reader went further ahead: the frame is not wanted. */
bool vrs_av_seek_landed_late(struct vrs_av_reader *reader, const AVFrame *frame);

#endif
