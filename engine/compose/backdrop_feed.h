/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The picture or video that stands behind the people: opened, fitted to the eyes of the video, and given out by time.
 *
 * A picture (one frame) is fitted once.  A video goes by the time stamps of the video, begins again when it is over, and is scaled frame by frame;
 * one of the video's own format and size is passed on as it is.
 */
#ifndef VRS_COMPOSE_BACKDROP_FEED_H
#define VRS_COMPOSE_BACKDROP_FEED_H

#include <vrseg/frame.h>
#include <vrseg/layout.h>

struct vrs_backdrop_feed_options {
	struct vrs_picture_format format;  /* of the pictures that come out */
	const struct vrs_layout *layout;   /* of the video */
	double sample_aspect;              /* of the video, by its container: shown width of a sample over its height */
	int eyes;
	struct vrs_rect parts[2];          /* one for each eye; together the whole picture */
	int threads;                       /* of the decoder */
	bool holds;                        /* a video that cannot be read on stays at its last picture, with a warning */
};

struct vrs_backdrop_feed;

/* Open and read the first picture.  Statuses of vrs_source_open, and of the conversion; err names the background. */
enum vrs_status vrs_backdrop_feed_create(struct vrs_backdrop_feed **ret_feed, const char *path, const struct vrs_backdrop_feed_options *options,
					 struct vrs_error *err);
void vrs_backdrop_feed_destroy(struct vrs_backdrop_feed *feed); /* NULL is fine; all pictures given out must be back */
/* The one picture; NULL: it is a video. */
const struct vrs_frame *vrs_backdrop_feed_picture(const struct vrs_backdrop_feed *feed);
/*
 * Videos: what is shown at that time, in seconds since the video's beginning; never less than at the call before.  *ret_picture is a reference
 * (vrs_frame_unref, on any thread) to samples that nobody may write to.  One thread at a time.  VRS_ESTOPPED: a wish to stop ended a wait.
 */
enum vrs_status vrs_backdrop_feed_at(struct vrs_backdrop_feed *feed, double seconds, struct vrs_frame *ret_picture, struct vrs_error *err);
/* Why the video stays at a picture, see holds; NULL: it does not. By the thread of vrs_backdrop_feed_at, or after it. */
const struct vrs_error *vrs_backdrop_feed_broken(const struct vrs_backdrop_feed *feed);

#endif
