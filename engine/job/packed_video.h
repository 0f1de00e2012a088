/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mattes out of frames of a packed video, as a player's shader gets them. */
#ifndef VRS_JOB_PACKED_VIDEO_H
#define VRS_JOB_PACKED_VIDEO_H

#include <vrseg/frame.h>

/*
 * Matte of eye 0 or 1 in the eye's fisheye picture, at ret_matte's size: the red part of the frame, bilinear, at the places of the table; below 0.02
 * is nothing, and so is what lies outside the circle.  dx, dy: look that many samples beside the place, to find out whether tiles are shifted.
 */
void vrs_packed_video_matte(struct vrs_matte *ret_matte, const struct vrs_frame *frame, int eye, int dx, int dy);

/*
 * Eye 0 (left) or 1 and a place in its picture, 0..1 from the upper left corner: the place in the frame, shares of its width and height.  A matte's
 * atlas is 0.4 of the frame both ways; the left eye's part of it is cut in two, the right eye's in four.  Written from the decoder's side and apart
 * from vr/alpha_pack.h on purpose, since it is what packing is checked with.
 */
void vrs_alpha_unpack_place(int eye, double u, double v, double *ret_x, double *ret_y);

#endif
