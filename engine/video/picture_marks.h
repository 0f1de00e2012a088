/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which pictures a decoder has not written whole, though it says nothing (HEVC, where damage ends a slice early): a mark in every block before, and a
 * look whether it is still there when the picture is done.  Decoding threads may share it.
 */
#ifndef VRS_VIDEO_PICTURE_MARKS_H
#define VRS_VIDEO_PICTURE_MARKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <libavutil/frame.h>

#define VRS_MARKED_PICTURES 64 /* in decoding at once; what is beyond is not looked at */

struct vrs_picture_marks {
	pthread_mutex_t lock;
	struct vrs_marked_picture {
		AVBufferRef *buffer; /* NULL: free */
		const uint8_t *luma;
		int64_t number;      /* of its packet */
		int stride_bytes, width_bytes, height, step_bytes;
	} pictures[VRS_MARKED_PICTURES];
};

void vrs_picture_marks_init(struct vrs_picture_marks *marks);
/* A picture that will be decoded from packet `number`. */
void vrs_picture_marks_set(struct vrs_picture_marks *marks, const AVFrame *frame, int64_t number);
/* Those of packets up to `number` are done, and forgotten.  False: one of them was not written whole. */
bool vrs_picture_marks_are_gone(struct vrs_picture_marks *marks, int64_t number);

#endif
