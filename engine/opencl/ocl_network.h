/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plan with its program and weights on a device: what the streams of a session share.  Never written after it is made. */
#ifndef VRS_OPENCL_OCL_NETWORK_H
#define VRS_OPENCL_OCL_NETWORK_H

#include <stdatomic.h>

#include "opencl/ocl_plan.h"

struct vrs_ocl_network {
	struct vrs_ocl_context *context;
	struct vrs_ocl_plan plan;
	cl_program program;        /* NULL: every step is one of the host */
	cl_mem *weights;           /* [value] NULL: it is no weights, or not used */
	uint64_t bytes_held;       /* of the device's memory, by vrs_ocl_memory_take */
	uint64_t bytes_most;       /* that the process may hold of it; 0: no limit */
	atomic_int users;
};

/*
 * Build the program of a plan and send its weights; the network joins the users of the context.  The plan is moved in, or freed after a failure.
 * Of options device_bytes_max, device_memory_share and program_cache count.  VRS_ELIMIT: weights and one stream are more than the process may hold;
 * statuses of vrs_ocl_program_build, VRS_ENOMEM, VRS_EDEVICE.
 */
enum vrs_status vrs_ocl_network_create(struct vrs_ocl_network **ret_network, struct vrs_ocl_context *context, struct vrs_ocl_plan *plan,
				       const struct vrs_session_options *options, struct vrs_error *err);
/* One user more, who ends with unref. Thread-safe. */
struct vrs_ocl_network *vrs_ocl_network_ref(struct vrs_ocl_network *network);
/* The last user frees it. NULL is fine. Thread-safe. */
void vrs_ocl_network_unref(struct vrs_ocl_network *network);

#endif
