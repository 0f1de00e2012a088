/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decoding on a device (VAAPI, CUDA and whatever else FFmpeg has), with the pictures fetched into memory.  Optional everywhere: a device that does
 * not open, or a film that it cannot decode, is decoded by software.
 */
#ifndef VRS_VIDEO_HW_DECODER_H
#define VRS_VIDEO_HW_DECODER_H

#include <stdbool.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#include "video/source.h"

/* "", "auto", "off", or a kind of device that this FFmpeg knows. */
bool vrs_hw_name_known(const char *name);
/*
 * Which device is to decode a file: options->hwdecode resolved to the name of one kind, or NULL for software.  auto takes a device that opens, when
 * it delivers the same first picture as software and is not slower over the first frames, its way into memory included.
 */
const char *vrs_hw_choose(const char *path, const struct vrs_source_options *options);
/* A device of the kind for a decoder; NULL with a warning, told once, when it does not open. */
AVBufferRef *vrs_hw_device_open(const char *kind);
/* AVCodecContext.get_format: pictures of the context's device where it can make them. */
enum AVPixelFormat vrs_hw_get_format(AVCodecContext *decoder, const enum AVPixelFormat *offered);
/* Bring a decoded picture into memory in place; pictures that are there stay. Codes of FFmpeg. */
int vrs_hw_fetch(AVFrame *frame);

#endif
