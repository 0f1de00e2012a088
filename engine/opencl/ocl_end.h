/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs and outputs of a run: memory of the host that callers write and read, and its transfers to and from the device. */
#ifndef VRS_OPENCL_OCL_END_H
#define VRS_OPENCL_OCL_END_H

#include "opencl/ocl_network.h"

struct vrs_ocl_end {
	int32_t value;             /* of the plan */
	cl_mem buffer;             /* that the driver has pinned, mapped as long as the run lives; NULL: host is plain memory */
	void *host;
	cl_event moved;            /* the last transfer; NULL: none is on its way */
};

/*
 * A zeroed end becomes that of a graph input or output: zeros, or the values of an output that is always the same.  pinned: in memory that the driver
 * has pinned, else in plain memory, from which a driver copies first.  Aligned to 64 bytes.  VRS_ENOMEM, VRS_EDEVICE; vrs_ocl_end_fini also after a
 * failure.
 */
enum vrs_status vrs_ocl_end_init(struct vrs_ocl_end *end, const struct vrs_ocl_network *network, int32_t tensor, bool pinned, struct vrs_error *err);
/* No transfer may be on its way; queues an unmapping in context->upload. A zeroed end is fine. */
void vrs_ocl_end_fini(struct vrs_ocl_end *end, const struct vrs_ocl_context *context);
/* The transfers that are on their way, for a wait: at most `count` of them into list. Returns their number. */
cl_uint vrs_ocl_ends_moving(const struct vrs_ocl_end *ends, int count, cl_event *list);

#endif
