/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a part of a decoded frame to one network input: area scale of the Y, U and V planes, then colour at the small size.
 * A full-size RGB picture never exists.
 */
#ifndef VRS_MATTE_PREPROCESS_H
#define VRS_MATTE_PREPROCESS_H

#include <vrseg/frame.h>

#include "base/mem.h"
#include "matte/scene_cut.h"

struct vrs_preprocess_options {
	struct vrs_picture_format format;
	struct vrs_rect rect;      /* part of the frame, luma samples; the largest one if vrs_preprocess_place is used */
	struct vrs_rect eye;       /* around all parts: nothing else is read. Empty: the frame */
	int width, height;         /* network input */
	bool bgr;
	float mean[3], scale[3];   /* value = (rgb - mean) * scale with rgb in 0..1; order R, G, B */
};

struct vrs_preprocess;

/* VRS_EINVAL: a rectangle outside the picture or an impossible size; VRS_ENOMEM. One object serves one thread at a time. */
enum vrs_status vrs_preprocess_create(struct vrs_preprocess **ret_preprocess, struct vrs_arena *arena, const struct vrs_preprocess_options *options);
/*
 * Look at another part of the frame from now on, no wider and no higher than that of the creation.  Allocates nothing; costs nothing when the part is
 * the one before.  VRS_EINVAL: outside the picture or larger; the part before stays.
 */
enum vrs_status vrs_preprocess_place(struct vrs_preprocess *preprocess, const struct vrs_rect *rect);
/*
 * Fill dst with height * width * 3 floats (NHWC) and *ret_signature (may be NULL) with what scene-cut detection needs.
 * The frame must have the format given at creation.
 */
void vrs_preprocess_run(struct vrs_preprocess *preprocess, const struct vrs_frame *frame, float *dst, struct vrs_scene_signature *ret_signature);

/*
 * vrs_preprocess_run in two steps, for pictures that are drawn anew in between: sample15 of the scaled part, [height][width] for each plane (chroma
 * of grey pictures is neutral), and network values from planes of that kind and size.  ret_signature as above.
 */
void vrs_preprocess_scale(struct vrs_preprocess *preprocess, const struct vrs_frame *frame, uint16_t *const planes[3]);
void vrs_preprocess_color(struct vrs_preprocess *preprocess, const uint16_t *const planes[3], float *dst, struct vrs_scene_signature *ret_signature);

/* The runs to come also write the picture's luma, 0..255, height * width bytes; NULL: they do not. */
void vrs_preprocess_keep_luma(struct vrs_preprocess *preprocess, uint8_t *luma);

#endif
