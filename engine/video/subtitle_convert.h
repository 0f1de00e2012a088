/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subtitles of one text form made into another, for containers that hold no other: 3GPP text in MP4 and MOV, WebVTT in WebM, SubRip in Matroska. */
#ifndef VRS_VIDEO_SUBTITLE_CONVERT_H
#define VRS_VIDEO_SUBTITLE_CONVERT_H

#include <libavformat/avformat.h>

#include <vrseg/status.h>

struct vrs_subtitle_convert;

/* What subtitles of a codec become in a container; AV_CODEC_ID_NONE: pictures, or nothing that it holds. */
enum AVCodecID vrs_subtitle_target(const AVOutputFormat *muxer, enum AVCodecID from);
/* From the packets of a stream to those of codec `to`; ret_par describes them. VRS_EUNSUPPORTED: this FFmpeg cannot, VRS_ENOMEM. */
enum vrs_status vrs_subtitle_convert_open(struct vrs_subtitle_convert **ret_convert, const AVStream *from, enum AVCodecID to,
					  AVCodecParameters *ret_par);
void vrs_subtitle_convert_close(struct vrs_subtitle_convert *convert); /* NULL is fine */
/*
 * A packet of the input, in its time base, which stays as it is.  What is damaged, empty or, with a warning, too long, shows nothing.  0, or
 * AVERROR(ENOMEM).
 */
int vrs_subtitle_convert_put(struct vrs_subtitle_convert *convert, AVPacket *pkt);
/*
 * The next packet of the output into an empty one. Where subtitles may overlap, as soon as it is put; in 3GPP text, which shows one at a time,
 * pieces of what is shown together (subtitle_overlap.h) that end at or before `limit`: the latest time that was put, or one before which nothing
 * else comes. INT64_MAX: all that is left. 1; 0: there is none; AVERROR(ENOMEM).
 */
int vrs_subtitle_convert_take(struct vrs_subtitle_convert *convert, int64_t limit, AVPacket *ret_pkt);
/* Where the subtitle that was put last begins; INT64_MIN: there was none. */
int64_t vrs_subtitle_convert_latest(const struct vrs_subtitle_convert *convert);

#endif
