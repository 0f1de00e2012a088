/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of a plan: its memory on the device, its kernels with their arguments, and what it waits for. */
#ifndef VRS_OPENCL_OCL_RUN_H
#define VRS_OPENCL_OCL_RUN_H

#include <stdatomic.h>

#include "opencl/ocl_plan.h"

/* What the clones of a session share: never written after it is made. */
struct vrs_ocl_shared {
	struct vrs_ocl_context *context;
	struct vrs_ocl_plan plan;
	cl_program program;
	cl_mem weights;            /* NULL: none */
	atomic_int users;
};

/* The host's side of an input or output: memory that the driver has pinned, mapped as long as the run lives. */
struct vrs_ocl_end {
	int32_t value;
	cl_mem buffer;
	void *host;
	cl_event moved;            /* the last transfer; NULL: none is on its way */
};

struct vrs_backend_run {
	struct vrs_ocl_shared *shared;
	cl_mem arena;
	cl_mem *values;            /* [value] sub-buffers of arena and weights; NULL: not used */
	cl_kernel *kernels;        /* [step]; NULL: computed on the host */
	struct vrs_ocl_end inputs[VRS_MAX_ENDS], outputs[VRS_MAX_ENDS];
	void **host_values;        /* [tensor] operands of the steps that the host computes */
	cl_event computed;         /* the end of the last start; NULL: there was none */
	cl_event *step_events;     /* [step] with a profile */
	const atomic_bool *stop;   /* NULL: none */
	uint64_t macs, runs;
	struct vrs_op_profile *rows; /* [step] with a profile */
	char (*row_names)[96];
};

/* Host memory for the operands of a node that the host computes. VRS_ENOMEM. */
enum vrs_status vrs_ocl_host_prepare(struct vrs_backend_run *run, const struct vrs_node *node, struct vrs_error *err);
/* Compute one node on the host: fetch its operands, call the reference, send the result. Blocks. VRS_EDEVICE. */
enum vrs_status vrs_ocl_host_step(struct vrs_backend_run *run, const struct vrs_node *node, struct vrs_error *err);

#endif
