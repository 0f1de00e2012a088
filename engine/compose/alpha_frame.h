/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mode cutout: the decoded picture, as it is, and an alpha plane beside it make one frame of four planes; no colour is copied. Alpha is straight. */
#ifndef VRS_COMPOSE_ALPHA_FRAME_H
#define VRS_COMPOSE_ALPHA_FRAME_H

#include <vrseg/frame.h>

struct vrs_alpha_frame;

/* For frames of a format; grey ones get neutral chroma, 4:2:0. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_alpha_frame_create(struct vrs_alpha_frame **ret_cutout, const struct vrs_picture_format *source);
void vrs_alpha_frame_destroy(struct vrs_alpha_frame *cutout); /* NULL is fine; all frames that were joined must be gone */
/* Format of the frames that come out. */
struct vrs_picture_format vrs_alpha_frame_format(const struct vrs_picture_format *source);
/* Replace *frame (source format) by its picture with `alpha` (one plane of that size and depth). Takes both references in every case. VRS_ENOMEM. */
enum vrs_status vrs_alpha_frame_join(const struct vrs_alpha_frame *cutout, struct vrs_frame *frame, struct vrs_frame *alpha);

#endif
