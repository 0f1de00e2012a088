/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file says about its frames without decoding one. */
#ifndef VRS_VIDEO_MEDIA_FILE_H
#define VRS_VIDEO_MEDIA_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/status.h>

/* The frames of the video stream, or of the part of it that is wanted. */
struct vrs_media_frames {
	int64_t most;            /* packets of frames that are not marked as damaged, nor as hidden by an edit list */
	int64_t least;           /* the same from the first key frame on: what a decoder may not make of the beginning is left out */
	double seconds;          /* from the first frame to the end of the last; 0: not known */
	bool exact;              /* each packet is one frame, and none lacks a time stamp: MP4 family and Matroska */
	bool complete;           /* the container was finished, and the file is as long as it says */
};

/*
 * Count the frames from second `start` on, for `duration` seconds (0: to the end), as sources have them.  Of a whole file an index is believed after
 * it was held against the size of the file; else packets are read.  VRS_ENOTFOUND, VRS_EIO, VRS_EFORMAT, VRS_ENOMEM.
 */
enum vrs_status vrs_media_file_measure(const char *path, double start, double duration, struct vrs_media_frames *ret, struct vrs_error *err);

/* Clock of the video stream. */
struct vrs_media_clock {
	int time_base_num, time_base_den;
	int fps_num, fps_den;    /* average rate; 0: not known */
	int64_t frames;          /* estimate; 0: not known */
	int64_t size;            /* bytes of the file */
	double seconds;          /* 0: not known */
	int64_t bit_rate;        /* of the whole file; 0: not known */
	bool exact;              /* every frame has a time stamp, and seeking finds a key frame before any of them: MP4 family and Matroska */
};

/* VRS_ENOTFOUND, VRS_EIO, VRS_EFORMAT, VRS_ENOMEM. keep_partial: a file that is cut off has a clock, too. */
enum vrs_status vrs_media_file_clock(const char *path, bool keep_partial, struct vrs_media_clock *ret_clock, struct vrs_error *err);

#endif
