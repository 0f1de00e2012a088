/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of a frame's kernels: shared by the files that queue them. */
#ifndef VRS_OPENCL_OCL_FRAME_STATE_H
#define VRS_OPENCL_OCL_FRAME_STATE_H

#include "opencl/ocl_frame.h"
#include "opencl/ocl_work.h"

/* Kernels by pixels of one or two samples: the second of each pair only where chroma is interleaved. */
enum vrs_ocl_frame_kernel {
	VRS_OCL_FRAME_ROWS, VRS_OCL_FRAME_COMPOSE, VRS_OCL_FRAME_REMAP, VRS_OCL_FRAME_CIRCLE, VRS_OCL_FRAME_COLOR, VRS_OCL_FRAME_MATTE,
	VRS_OCL_FRAME_DISC, VRS_OCL_FRAME_KERNELS
};

struct vrs_ocl_frame {
	struct vrs_ocl_context *context;
	struct vrs_ocl_frame_options options;
	cl_program program;
	cl_kernel kernels[VRS_OCL_FRAME_KERNELS][2]; /* by channels - 1 */
	cl_mem curve;              /* 256 bytes */
	cl_mem rows[3];            /* of the scale that runs: uint16_t, grown when a larger one comes */
	size_t row_bytes[3];
};

/* Whether a picture has the sampling and depth that the kernels were made for, and planes. VRS_EINVAL. */
enum vrs_status vrs_ocl_frame_check(const struct vrs_ocl_frame *frame, const struct vrs_ocl_picture *picture, struct vrs_error *err);

#endif
