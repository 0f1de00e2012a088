/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What happens to whole frames on a device, before and after the network: the kernels for pictures of one format, in one program.
 *
 *     ocl_staging.h        planes up and down
 *     ocl_frame_scale.h    a part of a frame to network input
 *     ocl_frame_compose.h  network output to a matte; people over a background, or alpha alone
 *     ocl_frame_pack.h     pictures with packed mattes
 *
 * Everything is queued on the compute queue, behind what other queues do with the same pictures, and returns at once.  What the host decides
 * (weights, positions, code values) comes as the tables that the same steps use on the host, so that bytes are the same there and here.
 */
#ifndef VRS_OPENCL_OCL_FRAME_H
#define VRS_OPENCL_OCL_FRAME_H

#include "opencl/ocl_picture.h"

/* What the network's numbers mean. */
enum vrs_ocl_alpha_kind { VRS_OCL_ALPHA_PROBABILITY, VRS_OCL_ALPHA_LOGITS, VRS_OCL_ALPHA_SOFTMAX2 };

struct vrs_ocl_frame_options {
	struct vrs_ocl_picture_format format; /* of all pictures of frames, whatever their size */
	int output_channels;       /* floats of a pixel of the network's output */
	int output_channel;        /* the one that is read; of the first two for SOFTMAX2 */
	enum vrs_ocl_alpha_kind kind;
	uint8_t curve[256];        /* of matte bytes: cutoff and gamma; curve[i] = i leaves them alone */
};

struct vrs_ocl_frame;

/*
 * Build the kernels; the context is kept as long.  cache: as vrs_ocl_program_build.  VRS_EINVAL: an impossible format or output; the statuses of
 * vrs_ocl_program_build.  One thread at a time.
 */
enum vrs_status vrs_ocl_frame_create(struct vrs_ocl_frame **ret_frame, struct vrs_ocl_context *context, const struct vrs_ocl_frame_options *options,
				     bool cache, struct vrs_error *err);
/* Commands that are queued end first, without anybody waiting here. NULL is fine. */
void vrs_ocl_frame_destroy(struct vrs_ocl_frame *frame);

#endif
