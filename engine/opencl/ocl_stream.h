/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One stream of inferences of a network: memory on the device for its values, and kernels with their arguments. */
#ifndef VRS_OPENCL_OCL_STREAM_H
#define VRS_OPENCL_OCL_STREAM_H

#include "opencl/ocl_network.h"

struct vrs_ocl_stream {
	struct vrs_ocl_network *network;
	cl_mem *buffers;           /* [buffer of the plan] */
	uint64_t bytes_held;       /* of the device's memory, by vrs_ocl_memory_take */
	cl_mem *values;            /* [value] one of buffers, or of the network's weights; NULL: not used */
	cl_kernel *kernels;        /* [step]; NULL: computed on the host */
	void **host_values;        /* [tensor] operands of the steps that the host computes */
	cl_event *step_events;     /* [step] with a profile, else NULL */
};

/*
 * A zeroed stream becomes one of a network, whose users it joins.  VRS_ELIMIT: the process would hold more of the device's memory than the network's
 * options allow; VRS_ENOMEM, VRS_EDEVICE.  vrs_ocl_stream_fini also after a failure.
 */
enum vrs_status vrs_ocl_stream_init(struct vrs_ocl_stream *stream, struct vrs_ocl_network *network, bool profile, struct vrs_error *err);
/*
 * Compilers may allow a kernel smaller groups than the device takes, for want of registers or local memory (CL_KERNEL_WORK_GROUP_SIZE).  The least of
 * such limits among kernels whose steps want more, with the first step of that limit; 0: all kernels run, as far as the driver tells.
 */
size_t vrs_ocl_stream_group_limit(const struct vrs_ocl_stream *stream, int32_t *ret_step);
/* Nothing of it may be queued any more. A zeroed stream is fine. */
void vrs_ocl_stream_fini(struct vrs_ocl_stream *stream);
/*
 * Fill a new buffer with zeros, so that whether there is enough memory shows now: many drivers give a buffer its own only when a command uses it.
 * bytes: a multiple of 4.  Returns a code of OpenCL.
 */
int vrs_ocl_take_memory(const struct vrs_ocl_context *context, cl_mem buffer, size_t bytes);
/* When the device began and ended a finished event, in ns of its own clock. False: it has not told. */
bool vrs_ocl_event_times(cl_event event, uint64_t *ret_begin_ns, uint64_t *ret_end_ns);
/* Seconds that the device worked on a finished event, by its own clock; 0: not told. */
double vrs_ocl_event_seconds(cl_event event);
/* Release an event, if there is one, and forget it. */
void vrs_ocl_event_release(cl_event *event);

#endif
