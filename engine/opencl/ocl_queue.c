/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_queue.h"

#include "opencl/ocl_error.h"
#include "opencl/ocl_host_step.h"

#define FLUSH_STEPS 16 /* so many kernels are handed to the driver at a time: it begins with the first while the rest is queued */

enum vrs_status vrs_ocl_queue_step(struct vrs_ocl_stream *stream, int32_t s, bool finish, struct vrs_error *err)
{
	const struct vrs_ocl_step *step = &stream->network->plan.steps[s];
	cl_command_queue queue = stream->network->context->compute;

	if (step->host)
		return vrs_ocl_host_step(stream, &stream->network->plan.graph.nodes[step->node], err);
	if (stream->step_events)
		vrs_ocl_event_release(&stream->step_events[s]);
	int code = clEnqueueNDRangeKernel(queue, stream->kernels[s], (cl_uint)step->dims, NULL, step->global, step->local[0] > 0 ? step->local : NULL,
					  0, NULL, stream->step_events ? &stream->step_events[s] : NULL);

	if (code != CL_SUCCESS)
		return vrs_fail(err, vrs_ocl_status(code), "%s cannot run the kernel %s (%s)", stream->network->plan.caps.name, step->kernel,
				vrs_ocl_code_name(code));
	if (finish)
		code = clFinish(queue);
	else if (s % FLUSH_STEPS == FLUSH_STEPS - 1)
		code = clFlush(queue);
	return vrs_ocl_check(err, code, "go on");
}

/* The recording that begins with a step, or the step; *ret_done: how many steps that are. */
static enum vrs_status queue_next(struct vrs_ocl_stream *stream, struct vrs_ocl_replay *replay, int32_t s, bool finish, int32_t *ret_done,
				  struct vrs_error *err)
{
	cl_command_queue queue = stream->network->context->compute;
	int32_t recorded = vrs_ocl_replay_queue(replay, s);

	*ret_done = recorded > 0 ? recorded : 1;
	if (recorded < 0)
		return vrs_ocl_check(err, recorded, "repeat its kernels");
	return recorded > 0 ? vrs_ocl_check(err, finish ? clFinish(queue) : clFlush(queue), "go on") : vrs_ocl_queue_step(stream, s, finish, err);
}

enum vrs_status vrs_ocl_queue_steps(struct vrs_ocl_stream *stream, struct vrs_ocl_replay *replay, const atomic_bool *stop, struct vrs_error *err)
{
	const struct vrs_ocl_network *network = stream->network;
	bool finish = stop && network->context->caps.is_cpu;
	enum vrs_status status = VRS_OK;

	for (int32_t s = 0, done = 0; s < network->plan.step_count && status == VRS_OK; s += done) {
		if (stop && atomic_load_explicit(stop, memory_order_relaxed))
			return vrs_fail(err, VRS_ESTOPPED, "stopped on request");
		status = queue_next(stream, replay, s, finish, &done, err);
	}
	return status;
}
