/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Range and matrix of what an encoder makes: many codecs have one alone, and of others the container has to tell. */
#ifndef VRS_VIDEO_ENCODER_COLOR_H
#define VRS_VIDEO_ENCODER_COLOR_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#include <vrseg/frame.h>

/* True if pictures of the codec are full range whatever is said of them: JPEG, PNG, TIFF.  YUV is full range there in "yuvj" formats alone. */
bool vrs_encoder_color_is_full(const AVCodec *codec);
/*
 * Range and matrix with which pictures of a pixel format that the encoder takes are read again: those of the frames, where the codec or the container
 * says them.  muxer NULL: there is none that could.  The matrix of RGB is that of the frames, from which it is made.
 */
enum vrs_range vrs_encoder_color_range(const AVCodec *codec, const AVOutputFormat *muxer, enum AVPixelFormat pixels,
				       const struct vrs_picture_format *frames);
enum vrs_matrix vrs_encoder_color_matrix(const AVCodec *codec, enum AVPixelFormat pixels, const struct vrs_picture_format *frames);

#endif
