/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An encoder of FFmpeg: whether it exists and who chose it, what it can, which pixel format it gets for given frames, and what is lost by it. */
#ifndef VRS_VIDEO_ENCODER_QUERY_H
#define VRS_VIDEO_ENCODER_QUERY_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#include "video/sink.h"

#define VRS_ENCODER_CHOSEN "auto:" /* before a name that was chosen here earlier */

/* The video encoder of that name.  VRS_ECONFIG: there is none, with a suggestion, or it encodes no video. */
enum vrs_status vrs_encoder_find(const AVCodec **ret_codec, const char *name, struct vrs_error *err);
/* True if the options leave the choice to us: then quality settings that the encoder lacks are left out without a word. */
bool vrs_encoder_is_ours(const struct vrs_sink_options *options);
/* True for libx264, libx264rgb and libx265. */
bool vrs_encoder_is_x26x(const AVCodec *codec);
/* True if an encoder takes pictures with an alpha plane. */
bool vrs_encoder_has_alpha(const AVCodec *codec);

struct vrs_encoder_format {
	enum AVPixelFormat format;
	enum vrs_range range;    /* these two: as the file is read again (encoder_color.h) */
	enum vrs_matrix matrix;
	bool rgb, alpha;
	bool convert;            /* false: the planes go in as they are */
};

/*
 * The frames' own format where the encoder has it (alpha is dropped where it has none with alpha); else the one with the least loss.  muxer: of the
 * file, NULL: none.  VRS_ECONFIG: nothing fits.
 */
enum vrs_status vrs_encoder_format_find(struct vrs_encoder_format *ret, const AVCodec *codec, const AVOutputFormat *muxer,
					const struct vrs_picture_format *format, struct vrs_error *err);
/* The same; losses of depth, chroma, colour or alpha are logged as one warning, and once that a full range has become a limited one. */
enum vrs_status vrs_encoder_format_choose(struct vrs_encoder_format *ret, const AVCodec *codec, const AVOutputFormat *muxer,
					  const struct vrs_picture_format *format, struct vrs_error *err);
/* Does the muxer write this codec?  1: yes, 0: no, below 0: it does not know (avformat_query_codec). */
int vrs_encoder_muxes(const AVOutputFormat *muxer, enum AVCodecID codec);

#endif
