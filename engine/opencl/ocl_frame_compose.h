/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the network's output to the composed frame: mattes as matte/postprocess.c makes their bytes (without smoothing over time and without work on
 * edges, which are the host's), and frames as matte/composite.c makes them, sample for sample, for a background colour or picture, the matte as a
 * picture, and the matte as an alpha plane.  Despill, own colours and edges at the size of the picture are the host's.
 */
#ifndef VRS_OPENCL_OCL_FRAME_COMPOSE_H
#define VRS_OPENCL_OCL_FRAME_COMPOSE_H

#include "opencl/ocl_frame.h"

#define VRS_OCL_COMPOSE_VIEWS 2

/* How a matte lies under the samples of a plane: the tables of struct vrs_matte_rows. */
struct vrs_ocl_matte_axes {
	struct vrs_rect rect;      /* the view in samples of the plane; on a circle it may go on at the left edge of its eye */
	const int32_t *index, *row; /* [rect.width] left column, [rect.height] upper row of the matte */
	const int16_t *weight, *row_weight; /* share of the next column, 0..2^14, and of the next row, 0..32767 */
};

struct vrs_ocl_compose_options {
	struct vrs_picture_format format; /* of the output */
	int matte_width, matte_height; /* of one matte */
	int view_count;            /* 0: all is background */
	struct vrs_ocl_matte_axes views[VRS_OCL_COMPOSE_VIEWS][2]; /* luma, chroma; they do not overlap */
};

/* Where views lie, with its tables on the device. */
struct vrs_ocl_compose;

/*
 * Copies everything.  Views that move are made anew: commands with those before keep what they need.  VRS_EINVAL: a view or a table that leads
 * outside of the picture or the matte; VRS_ENOMEM, VRS_EDEVICE.
 */
enum vrs_status vrs_ocl_compose_create(struct vrs_ocl_compose **ret_compose, const struct vrs_ocl_frame *frame,
				       const struct vrs_ocl_compose_options *options, struct vrs_error *err);
void vrs_ocl_compose_destroy(struct vrs_ocl_compose *compose); /* NULL is fine */

/* The format of a picture of `count` mattes of 8 bits, one under the other. */
struct vrs_ocl_picture_format vrs_ocl_matte_format(int width, int height, int count);
/*
 * Queue: matte `i` of `mattes` (a picture of mattes of height rows) becomes entry `batch` of a network's output of height x width pixels, floats.
 * VRS_EINVAL: one of them is too small; VRS_EDEVICE, VRS_ENOMEM.
 */
enum vrs_status vrs_ocl_frame_matte(struct vrs_ocl_frame *frame, cl_mem output, int batch, int width, int height,
				    struct vrs_ocl_picture *mattes, int i, struct vrs_error *err);

/* What is blended, as code values by plane. */
struct vrs_ocl_blend {
	struct vrs_ocl_picture *behind; /* of the output's format; NULL: ground everywhere */
	int ground[3];
	int solid[3];              /* people in planes that src does not have: white luma for a matte, neutral chroma for grey sources */
};

/*
 * Queue: every sample of dst, of the creation's format.  src: its planes where it has them, may be dst; NULL: it has none.  mattes: that of each
 * view; NULL without views.  VRS_EINVAL: another format; VRS_EDEVICE, VRS_ENOMEM.
 */
enum vrs_status vrs_ocl_frame_compose(struct vrs_ocl_frame *frame, const struct vrs_ocl_compose *compose, struct vrs_ocl_picture *dst,
				      struct vrs_ocl_picture *src, struct vrs_ocl_picture *mattes, const struct vrs_ocl_blend *blend,
				      struct vrs_error *err);

#endif
