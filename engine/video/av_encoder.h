/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A video encoder of FFmpeg fed with vrs_frames: choice of pixel format, preset and crf, conversion, zero-copy hand-over. */
#ifndef VRS_VIDEO_AV_ENCODER_H
#define VRS_VIDEO_AV_ENCODER_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/fifo.h>

#include "video/av_convert.h"
#include "video/sink.h"

struct vrs_frame_stamp {
	int64_t number, pts; /* of a frame */
	int64_t index;       /* in the source */
};

struct vrs_av_encoder {
	AVCodecContext *context;
	AVRational time_base;               /* of the frames that come in */
	AVRational packet_base;             /* of the packets that go out */
	AVFifo *stamps;                     /* of frames in the encoder, whose time base is one tick a frame; NULL: it has their time stamps */
	struct vrs_av_converter *converter; /* NULL: frames go in as they are */
	struct vrs_av_shape shape;          /* of frames that come in, cut to the encoder's size */
	int64_t first_pts, last_pts;        /* in packet_base */
	int64_t stamp_before;               /* of the frame of the last packet, where there are stamps */
	int64_t frames, packets;            /* in and out */
	int64_t empty;                      /* packets among these that repeat a picture */
	struct vrs_color_profiles *profiles; /* the source's; NULL: its frames get none */
	bool loses_profile;                 /* the source has one, and the encoder cannot write it */
	bool tells_light;                   /* its pictures have what sink_options.light_of says */
	bool dts_is_pts;                    /* the encoder's decoding times are no use, and its packets come in the order of their frames */
};

/* Called for each packet; the packet's time stamps are in packet_base. */
typedef enum vrs_status (*vrs_av_packet_fn)(void *cookie, AVPacket *pkt, struct vrs_error *err);

/*
 * Open for the sink options.  muxer: of the file, which may keep parameter sets apart and say what colours mean; NULL: none.  bit_rate (0: none)
 * is used by encoders that know no quality setting.  VRS_ECONFIG: the encoder lacks what is asked or refuses it.  Release with
 * vrs_av_encoder_close, also after failure.
 */
enum vrs_status vrs_av_encoder_open(struct vrs_av_encoder *encoder, const AVCodec *codec, const struct vrs_sink_options *options,
				    const AVOutputFormat *muxer, int64_t bit_rate, struct vrs_error *err);
/* Says that the colour profile is lost, if it is: for the sink, which knows whether this is the output or a part of it. */
void vrs_av_encoder_tell_profile(const struct vrs_av_encoder *encoder);
void vrs_av_encoder_close(struct vrs_av_encoder *encoder);
/*
 * Encode one frame (its reference is taken in every case), or flush with frame NULL.  VRS_EINTERNAL: the encoder failed, or made
 * fewer packets than it got frames.
 */
enum vrs_status vrs_av_encoder_write(struct vrs_av_encoder *encoder, struct vrs_frame *frame, vrs_av_packet_fn on_packet, void *cookie,
				     struct vrs_error *err);

#endif
