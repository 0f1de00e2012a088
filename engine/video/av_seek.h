/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The first wanted frame of a stream, in any container: to the last key frame before it, and further ahead where a seek lands behind it.  What
 * is decoded before that frame is dropped by the reader.
 */
#ifndef VRS_VIDEO_AV_SEEK_H
#define VRS_VIDEO_AV_SEEK_H

#include <stdbool.h>

#include <libavformat/avformat.h>

#include "video/source.h"

struct vrs_av_seek {
	AVFormatContext *demuxer;
	const AVStream *stream;
	int64_t first_us;            /* where the file begins */
	int64_t origin_us;           /* subtracted from every time stamp of the file */
	int64_t origin;              /* the same in the video stream's time base */
	bool drop_before_origin;     /* after a seek: frames and packets before the origin are not wanted */
	int64_t skip;                /* frames before this pts are not wanted, though the clock begins at the origin */
	int64_t limit;               /* frames from here on (relative to the origin, stream time base) are not wanted; INT64_MAX: none */
	bool at_beginning;           /* the file is read from there: no frame lies earlier */
	bool saw_earlier;            /* a frame before the wanted ones was decoded: none of those was missed */
	int late_seeks;              /* seeks that landed behind the wanted frame so far */
};

/* Where the clock begins, what is skipped and where the wanted frames end. */
void vrs_av_seek_init(struct vrs_av_seek *seek, AVFormatContext *demuxer, const AVStream *stream, const struct vrs_source_options *options);
/* True when not every frame of the file is wanted. */
bool vrs_av_seek_starts_late(const struct vrs_av_seek *seek);
/* False where the video begins no earlier than what is wanted: a seek would go by the video, past sound that comes before it. */
bool vrs_av_seek_is_due(const struct vrs_av_seek *seek);
/* Go to the key frame before the first wanted frame.  VRS_EUNSUPPORTED: the input, called `name`, cannot seek; of a pipe nothing was read then. */
enum vrs_status vrs_av_seek_first(struct vrs_av_seek *seek, const char *name, struct vrs_error *err);
/* Go further ahead where that may bring a frame at or before the first wanted one: none was seen since the last seek. False: no need, or no way. */
bool vrs_av_seek_earlier(struct vrs_av_seek *seek);
/* True when a frame with this time stamp of the file (AV_NOPTS_VALUE: none) lies behind the first wanted one. */
bool vrs_av_seek_is_late(const struct vrs_av_seek *seek, int64_t ts);
/* Does it open, and seek in, files that a list names, wherever the list itself comes from? */
bool vrs_av_opens_its_own(const AVFormatContext *demuxer);

#endif
