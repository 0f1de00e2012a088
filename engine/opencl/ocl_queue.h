/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of a stream, one after another. */
#ifndef VRS_OPENCL_OCL_QUEUE_H
#define VRS_OPENCL_OCL_QUEUE_H

#include "opencl/ocl_replay.h"

/* Queue a step, or compute it where it is one of the host, which blocks.  finish: wait for it. VRS_EDEVICE, VRS_ENOMEM. */
enum vrs_status vrs_ocl_queue_step(struct vrs_ocl_stream *stream, int32_t step, bool finish, struct vrs_error *err);
/*
 * Queue all steps: those that replay (NULL: none) has as recordings, the others one by one.  With stop (NULL: never set) a device that is the host
 * itself is waited for now and then, since it computes for long.  VRS_ESTOPPED: *stop is set; VRS_EDEVICE, VRS_ENOMEM.
 */
enum vrs_status vrs_ocl_queue_steps(struct vrs_ocl_stream *stream, struct vrs_ocl_replay *replay, const atomic_bool *stop, struct vrs_error *err);

#endif
