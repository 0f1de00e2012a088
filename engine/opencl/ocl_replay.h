/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernels of a stream recorded once as command buffers (cl_khr_command_buffer), so that a run hands over a few of these instead of queueing
 * kernel by kernel.  Steps of the host lie between two recordings.  The extension is provisional: whatever a driver refuses is queued as always.
 */
#ifndef VRS_OPENCL_OCL_REPLAY_H
#define VRS_OPENCL_OCL_REPLAY_H

#include "opencl/ocl_stream.h"

struct vrs_ocl_replay;

/*
 * Record the steps of a stream, which must outlive the recording; NULL where the device or its driver cannot, for which a line of the debug log gives
 * the reason.  Kernels keep the arguments that they have now.  One thread at a time.
 */
struct vrs_ocl_replay *vrs_ocl_replay_create(const struct vrs_ocl_stream *stream);
/* Nothing of it may be queued any more. NULL is fine. */
void vrs_ocl_replay_destroy(struct vrs_ocl_replay *replay);
/*
 * Queue the recorded steps that begin with `step`, in context->compute.  Returns their number; 0: none begin there, or the driver does not take them
 * now, and the caller queues the step itself; negative: the code of a device that fails, which may have begun with them.  Does not block.  replay
 * NULL: 0.
 */
int32_t vrs_ocl_replay_queue(struct vrs_ocl_replay *replay, int32_t step);

#endif
