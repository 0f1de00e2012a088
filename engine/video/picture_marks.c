/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/picture_marks.h"

#include <string.h>

#include <libavutil/pixdesc.h>

#define BLOCK 16 /* no coding tree block is smaller */

static const uint8_t mark[] = {1, 254, 1, 254, 1, 254, 1, 254}; /* which no picture is likely to hold at such a place */

void vrs_picture_marks_init(struct vrs_picture_marks *marks)
{
	memset(marks, 0, sizeof *marks);
	(void)pthread_mutex_init(&marks->lock, NULL); /* default attributes cannot fail on Linux */
}

static void write_marks(const struct vrs_marked_picture *picture, uint8_t *luma)
{
	for (int y = 0; y < picture->height; y += BLOCK, luma += (ptrdiff_t)BLOCK * picture->stride_bytes)
		for (int x = 0; x + (int)sizeof mark <= picture->width_bytes; x += picture->step_bytes)
			memcpy(luma + x, mark, sizeof mark);
}

static bool has_mark(const struct vrs_marked_picture *picture)
{
	const uint8_t *luma = picture->luma;

	for (int y = 0; y < picture->height; y += BLOCK, luma += (ptrdiff_t)BLOCK * picture->stride_bytes)
		for (int x = 0; x + (int)sizeof mark <= picture->width_bytes; x += picture->step_bytes)
			if (memcmp(luma + x, mark, sizeof mark) == 0)
				return true;
	return false;
}

void vrs_picture_marks_set(struct vrs_picture_marks *marks, const AVFrame *frame, int64_t number)
{
	int bytes = av_pix_fmt_desc_get(frame->format)->comp[0].depth > 8 ? 2 : 1;
	struct vrs_marked_picture picture = {.luma = frame->data[0], .number = number, .stride_bytes = frame->linesize[0],
					     .width_bytes = bytes * frame->width, .height = frame->height, .step_bytes = bytes * BLOCK};

	write_marks(&picture, frame->data[0]);
	picture.buffer = av_buffer_ref(frame->buf[0]);
	pthread_mutex_lock(&marks->lock);
	for (int i = 0; i < VRS_MARKED_PICTURES && picture.buffer; i++)
		if (!marks->pictures[i].buffer) {
			marks->pictures[i] = picture;
			picture.buffer = NULL;
		}
	pthread_mutex_unlock(&marks->lock);
	av_buffer_unref(&picture.buffer);
}

bool vrs_picture_marks_are_gone(struct vrs_picture_marks *marks, int64_t number)
{
	bool gone = true;

	for (int i = 0; i < VRS_MARKED_PICTURES; i++) {
		struct vrs_marked_picture picture = {.buffer = NULL};

		pthread_mutex_lock(&marks->lock);
		if (marks->pictures[i].buffer && marks->pictures[i].number <= number) {
			picture = marks->pictures[i];
			marks->pictures[i].buffer = NULL;
		}
		pthread_mutex_unlock(&marks->lock);
		gone = gone && !(picture.buffer && has_mark(&picture));
		av_buffer_unref(&picture.buffer);
	}
	return gone;
}
