/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of one picture scaled into parts of another of any format, through swscale: backgrounds made to fit the eyes of a video. */
#ifndef VRS_VIDEO_FRAME_FIT_H
#define VRS_VIDEO_FRAME_FIT_H

#include <vrseg/frame.h>

#define VRS_FIT_MAX_PARTS 2

struct vrs_frame_fit_options {
	struct vrs_picture_format source, target;
	double source_aspect, target_aspect; /* shown width of a sample over its height; 0: 1 */
	int count;
	struct vrs_rect from[VRS_FIT_MAX_PARTS]; /* of the source, luma samples; the largest part inside it that is shown in the target's shape is taken */
	struct vrs_rect to[VRS_FIT_MAX_PARTS];   /* of the target; begins at even places */
};

struct vrs_frame_fit;

/* VRS_EINVAL: a part outside its picture; VRS_ENOMEM. One thread at a time. */
enum vrs_status vrs_frame_fit_create(struct vrs_frame_fit **ret_fit, const struct vrs_frame_fit_options *options);
void vrs_frame_fit_destroy(struct vrs_frame_fit *fit); /* NULL is fine */
/* Fill the parts of dst (target format) from src (source format). VRS_EUNSUPPORTED, VRS_ENOMEM. */
enum vrs_status vrs_frame_fit_run(struct vrs_frame_fit *fit, const struct vrs_frame *src, struct vrs_frame *dst, struct vrs_error *err);
/* True if pictures of the source format are what comes out already: nothing needs to be done. */
bool vrs_frame_fit_is_identity(const struct vrs_frame_fit_options *options);

#endif
