/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slots for states (backend/backend.h): one block of the device's memory beside the values of a stream, with one slot more, of zeros. */
#ifndef VRS_OPENCL_OCL_SLOTS_H
#define VRS_OPENCL_OCL_SLOTS_H

#include "backend/backend.h"
#include "opencl/ocl_stream.h"

struct vrs_ocl_slots {
	struct vrs_state_slots shape;                  /* count 0: there are none */
	cl_mem memory;
	int32_t input[VRS_SESSION_STATES_MAX], output[VRS_SESSION_STATES_MAX]; /* values of the plan */
	size_t bytes;
	uint64_t bytes_held;       /* of the device's memory, by vrs_ocl_memory_take */
};

/* Zeroed slots become those of a stream, with nothing queued. Statuses of vrs_slot_device.create; vrs_ocl_slots_fini also after a failure. */
enum vrs_status vrs_ocl_slots_init(struct vrs_ocl_slots *slots, const struct vrs_ocl_stream *stream, const struct vrs_state_slots *shape,
				   struct vrs_error *err);
/* Nothing of them may be queued any more; the stream is that of init. Zeroed slots are fine. */
void vrs_ocl_slots_fini(struct vrs_ocl_slots *slots, const struct vrs_ocl_stream *stream);
/* As in vrs_slot_device, in the queue of the kernels. Statuses of vrs_ocl_check. */
enum vrs_status vrs_ocl_slots_use(const struct vrs_ocl_slots *slots, const struct vrs_ocl_stream *stream, int slot, int entry, struct vrs_error *err);
enum vrs_status vrs_ocl_slots_keep(const struct vrs_ocl_slots *slots, const struct vrs_ocl_stream *stream, int entry, int slot,
				   struct vrs_error *err);
enum vrs_status vrs_ocl_slots_read(const struct vrs_ocl_slots *slots, const struct vrs_ocl_stream *stream, int slot, float *to,
				   struct vrs_error *err);
enum vrs_status vrs_ocl_slots_write(const struct vrs_ocl_slots *slots, const struct vrs_ocl_stream *stream, int slot, const float *from,
				    struct vrs_error *err);

#endif
