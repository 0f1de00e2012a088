/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decoding on a device (VAAPI, CUDA and whatever else FFmpeg has), with the pictures fetched into memory, and encoders that take pictures in a
 * device's memory alone.  Optional everywhere: a device that does not open, or a video that it cannot decode, is decoded by software.
 */
#ifndef VRS_VIDEO_HW_DEVICE_H
#define VRS_VIDEO_HW_DEVICE_H

#include <stdbool.h>

#include <libavcodec/avcodec.h>
#include <libavutil/hwcontext.h>

#include <vrseg/status.h>

/* "", "auto", "off", or a kind of device that this FFmpeg knows. */
bool vrs_hw_name_known(const char *name);
/* A device of the kind for a decoder; NULL with a warning, told once, when it does not open. */
AVBufferRef *vrs_hw_device_open(const char *kind);
/* AVCodecContext.get_format: pictures of the context's device where it can make them. */
enum AVPixelFormat vrs_hw_get_format(AVCodecContext *decoder, const enum AVPixelFormat *offered);
/* Bring a decoded picture into memory in place; pictures that are there stay. Codes of FFmpeg. */
int vrs_hw_fetch(AVFrame *frame);

/* True if an encoder takes no picture from ordinary memory. */
bool vrs_hw_upload_needed(const AVCodec *codec);
/* Format in ordinary memory that pictures of a depth must have before they go up. */
enum AVPixelFormat vrs_hw_upload_format(int bit_depth);
/*
 * Open the device and give the context, whose size is set, frames on it that hold pictures of `format`; pix_fmt becomes the device's.
 * VRS_ECONFIG: there is no such device, or it cannot do that; err says what else to do.
 */
enum vrs_status vrs_hw_upload_open(AVCodecContext *context, const AVCodec *codec, enum AVPixelFormat format, struct vrs_error *err);
/* Move a frame's samples to the device of the opened context, in place. VRS_EINTERNAL, VRS_ENOMEM. */
enum vrs_status vrs_hw_upload(AVCodecContext *context, AVFrame *frame, struct vrs_error *err);
/* Kind of the device that an encoder of this name runs on (nvenc, vaapi, qsv); AV_HWDEVICE_TYPE_NONE: all others. */
enum AVHWDeviceType vrs_hw_device_of(const char *encoder);
/* True if a device of the kind opens; it is not logged. ret_cause gets what FFmpeg says. */
bool vrs_hw_device_opens(enum AVHWDeviceType type, char *ret_cause, size_t size);

#endif
