/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pictures in device memory, a buffer for each plane, and the order of commands that use them: each of the context's three queues is in order, and
 * a command on one waits for the last command on the others that used its memory.
 */
#ifndef VRS_OPENCL_OCL_PICTURE_H
#define VRS_OPENCL_OCL_PICTURE_H

#include <vrseg/frame.h>

#include "opencl/ocl_context.h"

enum vrs_ocl_queue { VRS_OCL_UPLOAD, VRS_OCL_COMPUTE, VRS_OCL_DOWNLOAD, VRS_OCL_QUEUES };

struct vrs_ocl_order {
	cl_event last[VRS_OCL_QUEUES]; /* the last command of a queue; NULL: none */
};

#define VRS_OCL_WAITS 16

struct vrs_ocl_waits {
	cl_event events[VRS_OCL_WAITS]; /* borrowed */
	cl_uint count;
};

cl_command_queue vrs_ocl_queue_of(const struct vrs_ocl_context *context, enum vrs_ocl_queue queue);
/* Add what a command on this queue has to wait for. */
void vrs_ocl_order_wait(const struct vrs_ocl_order *order, enum vrs_ocl_queue queue, struct vrs_ocl_waits *waits);
/*
 * A command of this queue, already passed to the device, is the last one.  The order keeps a reference of its own; where it gets none, it waits for
 * the command instead.  The code of that.
 */
int vrs_ocl_order_set(struct vrs_ocl_order *order, enum vrs_ocl_queue queue, cl_event event);

struct vrs_ocl_picture_format {
	struct vrs_picture_format samples; /* size, sampling, depth, 1 or 3 planes; colour is not looked at */
	bool interleaved;          /* U and V lie in one plane, U first, as in NV12 and P010 */
	int low_bits;              /* unused bits below each sample: 6 in P010, else 0; depth and these are at most 16 */
};

struct vrs_ocl_plane {
	cl_mem buffer;
	int channels;              /* samples of a pixel: 2 where U and V are interleaved */
	int width, height;         /* pixels */
	int pitch;                 /* elements from one row to the next; less than 2^31 in all rows */
};

struct vrs_ocl_picture {
	struct vrs_ocl_picture_format format;
	int sample_bytes;          /* of an element: 1 or 2 */
	int plane_count;           /* 1, 2 or 3 */
	struct vrs_ocl_plane planes[3];
	struct vrs_ocl_order order;
};

/*
 * A picture on the context's device, which has to outlive it; its samples are undefined at first.  VRS_EINVAL: an impossible format; VRS_ELIMIT: too
 * large for the device; VRS_ENOMEM, VRS_EDEVICE.  Free with vrs_ocl_picture_fini, also after a failure.  One thread at a time.
 */
enum vrs_status vrs_ocl_picture_init(struct vrs_ocl_picture *picture, const struct vrs_ocl_context *context,
				     const struct vrs_ocl_picture_format *format, struct vrs_error *err);
/* Commands that use it end first, without anybody waiting here. A picture of zeros is fine. */
void vrs_ocl_picture_fini(struct vrs_ocl_picture *picture);
/* The planes of a format and an element's bytes, without buffers. VRS_EINVAL, VRS_ELIMIT. */
enum vrs_status vrs_ocl_picture_layout(struct vrs_ocl_picture *ret_picture, const struct vrs_ocl_picture_format *format, struct vrs_error *err);
/* Bytes of plane p. */
size_t vrs_ocl_plane_bytes(const struct vrs_ocl_picture *picture, int p);

#endif
