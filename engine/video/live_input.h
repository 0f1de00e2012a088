/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs that are no files: capture devices (/dev/videoN), streams (udp://, rtp://, srt://, tcp://, rtmp://, rtsp://, http://), pipes. */
#ifndef VRS_VIDEO_LIVE_INPUT_H
#define VRS_VIDEO_LIVE_INPUT_H

#include <stdbool.h>

#include <libavformat/avformat.h>

#include <vrseg/status.h>

/* True for a capture device or the address of a stream. */
bool vrs_live_input_is(const char *path);
/* True for "/dev/video0" and the like, as input or output. */
bool vrs_is_video_device(const char *path);
/*
 * Open a device or an address.  A wish to stop (base/stop.h) ends every wait, also later in reads.  VRS_ENOTFOUND: there is no such device;
 * VRS_EIO: no answer, refused; VRS_EUNSUPPORTED: this FFmpeg lacks the protocol or libavdevice.
 */
enum vrs_status vrs_live_input_open(AVFormatContext **ret_demuxer, const char *path, struct vrs_error *err);
/* FFmpeg's handlers of devices, from libavdevice, which is loaded for them alone. VRS_EUNSUPPORTED. */
enum vrs_status vrs_video_devices_load(struct vrs_error *err);
/* For AVFormatContext.interrupt_callback: ends waits when the program is asked to stop. */
extern const AVIOInterruptCB vrs_live_interrupt;
/*
 * A descriptor of our own for a pipe: of standard input ("-"), or of a name, whose writer is waited for.  A read does not wait in the kernel, so that
 * it can be interrupted.  -1: it is no pipe, or cannot be read.
 */
int vrs_live_pipe_open(const char *path);
/*
 * The bytes of standard input ("-") where it is a socket or a terminal, which other processes may share, so that it has to stay as it is: a read
 * waits for data, and ends with AVERROR_EXIT at a wish to stop.  NULL: it is something else, or there is no memory.
 */
AVIOContext *vrs_live_bytes_open(const char *path);
void vrs_live_bytes_close(AVIOContext *bytes); /* NULL is fine */

#endif
