/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pictures upright: what a file asks players to turn or mirror (display matrix) is turned once behind the decoder, so that layout, network and output
 * all see the video as it is shown.
 */
#ifndef VRS_VIDEO_FRAME_TURN_H
#define VRS_VIDEO_FRAME_TURN_H

#include <libavformat/avformat.h>

#include <vrseg/frame.h>

/* Shown x = xx * x + xy * y, shown y = yx * x + yy * y; each -1, 0 or 1. */
struct vrs_turn {
	int xx, xy, yx, yy;
};

#define VRS_TURN_UPRIGHT ((struct vrs_turn){.xx = 1, .yy = 1})

struct vrs_frame_turner;

/*
 * From the stream's display matrix; where it has none, from that of a photo's frame (NULL: none).  False: neither, upright already, or not by
 * quarters (which is told and left to the player).
 */
bool vrs_turn_read(struct vrs_turn *ret_turn, const AVStream *stream, const AVFrame *frame, const char *name);
/* The stream says upright from now on, for an output that copies its side data. */
void vrs_turn_forget(AVStream *stream);
/* "turned by 90 degrees" and the like; never NULL. */
const char *vrs_turn_words(const struct vrs_turn *turn);
/* Shape of a turned picture. */
void vrs_turn_format(struct vrs_picture_format *format, const struct vrs_turn *turn);

/* For pictures of one format, given before the turn. VRS_ENOMEM. */
enum vrs_status vrs_frame_turner_create(struct vrs_frame_turner **ret_turner, const struct vrs_turn *turn, const struct vrs_picture_format *format);
void vrs_frame_turner_destroy(struct vrs_frame_turner *turner); /* NULL is fine */
/* Replace *frame, whose planes have the format, by the turned picture; times are kept. VRS_ENOMEM. */
enum vrs_status vrs_frame_turner_run(struct vrs_frame_turner *turner, AVFrame **frame);

#endif
