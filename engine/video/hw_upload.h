/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encoders that take pictures in a device's memory alone (VAAPI): the device, and the way there. */
#ifndef VRS_VIDEO_HW_UPLOAD_H
#define VRS_VIDEO_HW_UPLOAD_H

#include <stdbool.h>

#include <libavcodec/avcodec.h>

#include <vrseg/status.h>

/* True if an encoder takes no picture from ordinary memory. */
bool vrs_hw_upload_needed(const AVCodec *codec);
/* Format in ordinary memory that pictures of a depth must have before they go up. */
enum AVPixelFormat vrs_hw_upload_format(int bit_depth);
/*
 * Open the device and give the context, whose size is set, frames on it that hold pictures of `format`; pix_fmt becomes the device's.
 * VRS_ECONFIG: there is no such device, or it cannot do that; err says what else to do.
 */
enum vrs_status vrs_hw_upload_open(AVCodecContext *context, const AVCodec *codec, enum AVPixelFormat format, struct vrs_error *err);
/* Replace *frame by its copy on the device of the opened context. VRS_EINTERNAL, VRS_ENOMEM. */
enum vrs_status vrs_hw_upload(AVCodecContext *context, AVFrame **frame, struct vrs_error *err);
/* True if the device that an encoder of this name runs on (nvenc, vaapi, qsv) opens; false for all others. ret_cause gets what FFmpeg says. */
bool vrs_hw_device_opens(const char *encoder, char *ret_cause, size_t size);

#endif
