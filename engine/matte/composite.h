/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last step on the full-size planes: one pass that up-samples the mattes row by row and blends the people over a background (green), or writes
 * the matte itself as a grey picture (matte).  Outside the views is background.
 */
#ifndef VRS_MATTE_COMPOSITE_H
#define VRS_MATTE_COMPOSITE_H

#include <vrseg/frame.h>

#define VRS_COMPOSITE_MAX_VIEWS 2

enum vrs_composite_mode { VRS_COMPOSITE_GREEN, VRS_COMPOSITE_MATTE };

struct vrs_composite_options {
	struct vrs_picture_format format;           /* of the source frames */
	enum vrs_composite_mode mode;
	uint8_t color[3];                           /* background R, G, B of mode green */
	int view_count;
	struct vrs_rect views[VRS_COMPOSITE_MAX_VIEWS]; /* parts that the mattes cover, luma samples; must not overlap */
	int matte_width, matte_height;
};

struct vrs_composite;

/* Format of the frames that come out: three planes, 4:2:0 where the source is grey; all else as the source. */
struct vrs_picture_format vrs_composite_format(const struct vrs_picture_format *source);
/* VRS_EINVAL: a view outside the picture; VRS_ENOMEM. One object serves one thread at a time. */
enum vrs_status vrs_composite_create(struct vrs_composite **ret_composite, const struct vrs_composite_options *options);
void vrs_composite_destroy(struct vrs_composite *composite); /* NULL is fine */
/* True if frames can be changed in place: source and result have the same planes. */
bool vrs_composite_in_place(const struct vrs_composite *composite);
/* Fill all of a frame of the output format with the background. */
void vrs_composite_fill(const struct vrs_composite *composite, struct vrs_frame *dst);
/*
 * mattes[i] belongs to views[i].  dst has the output format; its data may be src's when vrs_composite_in_place.  With outside_filled the samples
 * outside the views hold the background already and are left alone.  Only samples are written, no other field of dst.
 */
void vrs_composite_run(struct vrs_composite *composite, struct vrs_frame *dst, const struct vrs_frame *src, const struct vrs_matte *mattes,
		       bool outside_filled);

#endif
