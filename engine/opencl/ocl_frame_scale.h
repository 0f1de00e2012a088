/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A part of a frame as network input: what matte/preprocess.c does, with its weights.  Scaled samples are the same as there; the colours too, where
 * the compiler of the device keeps to separate products and sums, and else as close as floats are.  SDR pictures only: the host's curve of HDR
 * pictures comes after that and is not here.
 */
#ifndef VRS_OPENCL_OCL_FRAME_SCALE_H
#define VRS_OPENCL_OCL_FRAME_SCALE_H

#include "opencl/ocl_frame.h"

/* struct vrs_scale_axis: output i is the sum of used[i] samples from first[i] on, its weights lie at weights + taps * i. */
struct vrs_ocl_axis {
	int n, taps;               /* outputs; weights stored for each */
	const int32_t *first, *used;
	const int16_t *weights;
};

/* struct vrs_plane_scaler: the part in the samples of a plane. */
struct vrs_ocl_plane_scale {
	struct vrs_ocl_axis x, y;  /* x counts from column `first_column`, y from row first_row */
	int first_column, columns; /* columns that are read */
	int first_row;
	int left, circle;          /* of an eye that closes to a circle: its left column and its columns; circle 0: none */
};

struct vrs_ocl_scale_options {
	struct vrs_picture_format format;         /* of the frames: the part was checked for these */
	struct vrs_ocl_plane_scale luma, chroma;  /* both to the size of the network's input; chroma is not looked at for grey pictures */
	float m[3][3], bias[3], scale[3], offset[3]; /* struct vrs_color_kernel_args */
};

/* A part of a frame with its tables on the device. */
struct vrs_ocl_scale;

/*
 * Copies everything.  A part that moves is made anew: commands with the one before keep what they need.  VRS_EINVAL: a table that leads outside of
 * the picture; VRS_ENOMEM, VRS_EDEVICE.
 */
enum vrs_status vrs_ocl_scale_create(struct vrs_ocl_scale **ret_scale, const struct vrs_ocl_frame *frame, const struct vrs_ocl_scale_options *options,
				     struct vrs_error *err);
void vrs_ocl_scale_destroy(struct vrs_ocl_scale *scale); /* NULL is fine */
/*
 * Queue: entry `batch` of dst (batches of height * width * 3 floats, NHWC) becomes the part of src, whose format is that of the creation.  luma15: a
 * grey picture of 16 bits of the input's size for the scaled luma, 0..32767, or NULL.  VRS_EINVAL: another format, or dst is too small;
 * VRS_ENOMEM, VRS_EDEVICE.
 */
enum vrs_status vrs_ocl_frame_scale(struct vrs_ocl_frame *frame, const struct vrs_ocl_scale *scale, struct vrs_ocl_picture *src, cl_mem dst,
				    int batch, struct vrs_ocl_picture *luma15, struct vrs_error *err);

#endif
