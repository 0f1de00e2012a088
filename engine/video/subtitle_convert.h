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
 * Replace the packet's data; its times stay.  1; 0: nothing is shown by it (damaged, empty, or, with a warning, too long); AVERROR(ENOMEM).
 */
int vrs_subtitle_convert_run(struct vrs_subtitle_convert *convert, AVPacket *pkt);

#endif
