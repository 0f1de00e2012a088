/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernels on the compute queue as one piece of work over pictures:
 *
 *     vrs_ocl_work_begin(&work, context, "compose a frame");
 *     vrs_ocl_work_use(&work, picture);           waits for what other queues do with it
 *     vrs_ocl_work_kernel(&work, kernel);         arguments from the first one on
 *     vrs_ocl_work_mem(&work, buffer);
 *     vrs_ocl_work_int(&work, width);
 *     vrs_ocl_work_queue(&work, width, height);
 *     return vrs_ocl_work_end(&work, err);
 *
 * The first code of a call that failed stays, and ends what follows.  One thread at a time, as for the kernels.
 */
#ifndef VRS_OPENCL_OCL_WORK_H
#define VRS_OPENCL_OCL_WORK_H

#include "opencl/ocl_context.h"
#include "opencl/ocl_picture.h"

#define VRS_OCL_WORK_PICTURES 6

struct vrs_ocl_work {
	const struct vrs_ocl_context *context;
	const char *what;
	struct vrs_ocl_picture *pictures[VRS_OCL_WORK_PICTURES];
	int picture_count;
	cl_event last;             /* of the kernels queued so far; NULL: none */
	cl_kernel kernel;
	cl_uint arg;
	int code;
};

/* what: for messages, "the OpenCL device cannot WHAT". */
void vrs_ocl_work_begin(struct vrs_ocl_work *work, const struct vrs_ocl_context *context, const char *what);
/* Before the first kernel: the work reads or writes the picture. NULL is fine. */
void vrs_ocl_work_use(struct vrs_ocl_work *work, struct vrs_ocl_picture *picture);
void vrs_ocl_work_kernel(struct vrs_ocl_work *work, cl_kernel kernel);
/* The next argument; NULL: a null pointer. */
void vrs_ocl_work_mem(struct vrs_ocl_work *work, cl_mem buffer);
void vrs_ocl_work_int(struct vrs_ocl_work *work, int value);
void vrs_ocl_work_int2(struct vrs_ocl_work *work, const int value[2]);
void vrs_ocl_work_long2(struct vrs_ocl_work *work, const int64_t value[2]);
/* Queue the kernel for width x height work-items, rounded up to whole groups. */
void vrs_ocl_work_queue(struct vrs_ocl_work *work, int width, int height);
/* Pass the work to the device. Statuses of vrs_ocl_check. */
enum vrs_status vrs_ocl_work_end(struct vrs_ocl_work *work, struct vrs_error *err);

/* A buffer that kernels read, with these bytes (at least one). Statuses of vrs_ocl_check. */
enum vrs_status vrs_ocl_buffer_of(cl_mem *ret_buffer, const struct vrs_ocl_context *context, const void *data, size_t bytes, struct vrs_error *err);
/* NULL is fine. */
void vrs_ocl_release(cl_mem buffer);

#endif
