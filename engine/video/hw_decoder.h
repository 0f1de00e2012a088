/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decoding on a device (VAAPI, CUDA and whatever else FFmpeg has), with the pictures fetched into memory.  Optional everywhere: a device that does
 * not open, or a video that it cannot decode, is decoded by software.
 */
#ifndef VRS_VIDEO_HW_DECODER_H
#define VRS_VIDEO_HW_DECODER_H

#include <stdbool.h>

#include <libavcodec/avcodec.h>

/* "", "auto", "off", or a kind of device that this FFmpeg knows. */
bool vrs_hw_name_known(const char *name);
/* A device of the kind for a decoder; NULL with a warning, told once, when it does not open. */
AVBufferRef *vrs_hw_device_open(const char *kind);
/* True if a device of the kind opens; nothing is said about it. */
bool vrs_hw_device_works(const char *kind);
/* AVCodecContext.get_format: pictures of the context's device where it can make them. */
enum AVPixelFormat vrs_hw_get_format(AVCodecContext *decoder, const enum AVPixelFormat *offered);
/* Bring a decoded picture into memory in place; pictures that are there stay. Codes of FFmpeg. */
int vrs_hw_fetch(AVFrame *frame);

#endif
