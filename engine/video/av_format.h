/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FFmpeg pixel formats and colour tags <-> struct vrs_picture_format.
 *
 * "Direct" formats are what the rest of the program reads: planar YUV or YUVA and grey, 8 to 16 bits, little end.  Everything else has a
 * nearest direct format, reached through swscale (av_convert.h).
 */
#ifndef VRS_VIDEO_AV_FORMAT_H
#define VRS_VIDEO_AV_FORMAT_H

#include <libavcodec/avcodec.h>
#include <libavutil/frame.h>
#include <libavutil/pixfmt.h>

#include <vrseg/frame.h>

bool vrs_av_format_direct(enum AVPixelFormat format);
/*
 * The direct format with the same chroma sampling, alpha and at least the same depth (RGB and palettes: 4:4:4); itself when direct.
 * AV_PIX_FMT_NONE: swscale cannot read it (hardware frames).
 */
enum AVPixelFormat vrs_av_format_nearest(enum AVPixelFormat format);
/* The pixel format of a picture format; never a "yuvj" one. AV_PIX_FMT_NONE: FFmpeg has none like it. */
enum AVPixelFormat vrs_av_format_of(const struct vrs_picture_format *format);
/* True for RGB and palettes. */
bool vrs_av_format_is_rgb(enum AVPixelFormat format);
/* True for the old formats whose name says full range. */
bool vrs_av_format_is_yuvj(enum AVPixelFormat format);
/* The "yuvj" twin of an 8-bit format, or AV_PIX_FMT_NONE. */
enum AVPixelFormat vrs_av_format_yuvj(enum AVPixelFormat format);

/* What a decoded frame of any format becomes: its nearest direct format with tags, RGB as limited range. False: cannot be read. */
bool vrs_av_picture_target(struct vrs_picture_format *ret, const AVFrame *frame, enum AVCodecID codec);

/* The same of a stream before it is decoded, as far as its container says; the range is not known. False: neither is the format. */
bool vrs_av_stream_target(struct vrs_picture_format *ret, const AVCodecParameters *codec);

/* Bytes of a picture whose rows begin at multiples of 32; 0: it lies on a device. */
uint64_t vrs_av_picture_bytes(enum AVPixelFormat format, int width, int height);

/* The curves of HDR: PQ and HLG. */
bool vrs_av_is_hdr(enum AVColorTransferCharacteristic transfer);
/* Tags of FFmpeg, which swscale takes for its coefficients too. */
enum AVColorSpace vrs_av_matrix(enum vrs_matrix matrix);
/* False: the frame says that its colours are made in another way than enum vrs_matrix has; they are taken for the nearest of it. */
bool vrs_av_matrix_is_known(const AVFrame *frame);
enum AVColorRange vrs_av_range(enum vrs_range range);
/* Write size, format and colour tags of a picture into a frame. */
void vrs_av_frame_tag(AVFrame *frame, const struct vrs_picture_format *format);

#endif
