/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a container makes of time: some have a time stamp for each frame, others count frames by a rate that the container or the video states. */
#ifndef VRS_VIDEO_CONTAINER_CLOCK_H
#define VRS_VIDEO_CONTAINER_CLOCK_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#include "video/sink.h"

/* Do frames come at an even rate? source NULL: they are made, and do. */
bool vrs_av_has_one_rate(const AVStream *source);
/* Video and nothing else, as its codec writes it: .h264, .mjpeg. */
bool vrs_container_is_video_alone(const AVOutputFormat *format);
/* Are frames counted?  Then the encoder and the stream get one tick of the options' rate for each. */
bool vrs_container_counts_frames(const AVOutputFormat *format, const AVStream *source, const struct vrs_sink_options *options);
/* True if nothing in the file says when a frame comes but its place. */
bool vrs_container_has_no_times(const AVOutputFormat *format);
/* Is the first picture at 0, wherever it is in the source, with sound that has no time of its own counted from there? */
bool vrs_container_begins_with_picture(const AVOutputFormat *format);
/*
 * VRS_ECONFIG: the container knows frames of one rate only, and the source has no such, or the clock of the opened encoder is that of another rate,
 * as with MPEG-2 and 12 frames a second.
 */
enum vrs_status vrs_container_check_rate(const AVOutputFormat *format, const AVStream *source, const AVCodecContext *encoder, const char *path,
					 const struct vrs_sink_options *options, struct vrs_error *err);

#endif
