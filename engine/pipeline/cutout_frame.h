/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mode cutout: the decoded picture, as it is, and an alpha plane beside it make one frame of four planes; no colour is copied. Alpha is straight. */
#ifndef VRS_PIPELINE_CUTOUT_FRAME_H
#define VRS_PIPELINE_CUTOUT_FRAME_H

#include <vrseg/frame.h>

struct vrs_cutout;

/* For frames of a format; grey ones get neutral chroma, 4:2:0. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_cutout_create(struct vrs_cutout **ret_cutout, const struct vrs_picture_format *source);
void vrs_cutout_destroy(struct vrs_cutout *cutout); /* NULL is fine; all frames that were joined must be gone */
/* Format of the frames that come out. */
struct vrs_picture_format vrs_cutout_format(const struct vrs_picture_format *source);
/* Replace *frame (source format) by its picture with `alpha` (one plane of that size and depth). Takes both references in every case. VRS_ENOMEM. */
enum vrs_status vrs_cutout_join(const struct vrs_cutout *cutout, struct vrs_frame *frame, struct vrs_frame *alpha);

#endif
