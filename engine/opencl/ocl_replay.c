/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_replay.h"

#include <string.h>

#include <vrseg/log.h>

#include "base/mem.h"
#include "opencl/ocl_error.h"

#define CPU_STEPS 16 /* of a recording on a device that is the host itself: whoever stops a run waits for one */

/* The functions of the extension, which no library exports. */
struct calls {
	clCreateCommandBufferKHR_fn create;
	clCommandNDRangeKernelKHR_fn kernel;
	clFinalizeCommandBufferKHR_fn finalize;
	clEnqueueCommandBufferKHR_fn enqueue;
	clReleaseCommandBufferKHR_fn release;
};

/* Steps that follow each other on the device. */
struct part {
	int32_t first, count;
	cl_command_buffer_khr commands; /* NULL: given up */
	cl_event last;             /* the run that still uses it, where one at a time may; NULL: none */
};

struct vrs_ocl_replay {
	const struct vrs_ocl_stream *stream;
	struct calls calls;
	bool simultaneous;         /* a recording may be queued while it runs */
	struct part *parts;
	int32_t count;
	int32_t *part_at;          /* [step] the part that begins there; -1: none */
};

static void *find(const struct vrs_ocl_context *context, const char *name)
{
	return clGetExtensionFunctionAddressForPlatform(context->platform, name);
}

/* A pointer to data becomes one to a function, as POSIX has it of dlsym. */
#define FIND(member, name) \
	do { \
		void *found = find(context, name); \
\
		memcpy(&calls->member, &found, sizeof found); \
	} while (0)

static bool find_calls(struct calls *calls, const struct vrs_ocl_context *context)
{
	FIND(create, "clCreateCommandBufferKHR");
	FIND(kernel, "clCommandNDRangeKernelKHR");
	FIND(finalize, "clFinalizeCommandBufferKHR");
	FIND(enqueue, "clEnqueueCommandBufferKHR");
	FIND(release, "clReleaseCommandBufferKHR");
	return calls->create && calls->kernel && calls->finalize && calls->enqueue && calls->release;
}

/* Why the device records nothing; NULL: it does. */
static const char *find_obstacle(struct vrs_ocl_replay *replay)
{
	const struct vrs_ocl_context *context = replay->stream->network->context;
	cl_device_command_buffer_capabilities_khr can = 0;
	cl_command_queue_properties needed = 0;

	if (!context->caps.command_buffer)
		return "the device has no command buffers";
	if (replay->stream->step_events)
		return "a profile has an event for each kernel";
	if (!find_calls(&replay->calls, context))
		return "the driver lists command buffers and lacks their functions";
	if (clGetDeviceInfo(context->device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof can, &can, NULL) != CL_SUCCESS ||
	    clGetDeviceInfo(context->device, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, sizeof needed, &needed, NULL) != CL_SUCCESS)
		return "the driver does not say what its command buffers can do";
	if (needed & ~(cl_command_queue_properties)(context->profiling ? CL_QUEUE_PROFILING_ENABLE : 0))
		return "the driver records in queues of another kind only";
	replay->simultaneous = can & CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR;
	return NULL;
}

/* Steps of the device in a row, but for CPUs no more than can be waited for. */
static enum vrs_status divide(struct vrs_ocl_replay *replay)
{
	const struct vrs_ocl_plan *plan = &replay->stream->network->plan;
	int32_t most = replay->stream->network->context->caps.is_cpu ? CPU_STEPS : INT32_MAX;

	replay->parts = vrs_calloc((size_t)plan->step_count + 1, sizeof *replay->parts);
	replay->part_at = vrs_calloc((size_t)plan->step_count + 1, sizeof *replay->part_at);
	if (!replay->parts || !replay->part_at)
		return VRS_ENOMEM;
	for (int32_t s = 0; s < plan->step_count; s++) {
		struct part *part = replay->count > 0 ? &replay->parts[replay->count - 1] : NULL;
		bool goes_on = part && part->first + part->count == s && part->count < most;

		replay->part_at[s] = plan->steps[s].host || goes_on ? -1 : replay->count;
		if (goes_on && !plan->steps[s].host)
			part->count++;
		else if (!plan->steps[s].host)
			replay->parts[replay->count++] = (struct part){.first = s, .count = 1};
	}
	return VRS_OK;
}

static int record(const struct vrs_ocl_replay *replay, struct part *part)
{
	static const cl_command_buffer_properties_khr simultaneous[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
	const struct vrs_ocl_stream *stream = replay->stream;
	int code = CL_SUCCESS;

	part->commands = replay->calls.create(1, &stream->network->context->compute, replay->simultaneous ? simultaneous : NULL, &code);
	if (code == CL_SUCCESS && !part->commands)
		code = CL_OUT_OF_HOST_MEMORY;
	for (int32_t s = part->first; s < part->first + part->count && code == CL_SUCCESS; s++) {
		const struct vrs_ocl_step *step = &stream->network->plan.steps[s];

		code = replay->calls.kernel(part->commands, NULL, NULL, stream->kernels[s], (cl_uint)step->dims, NULL, step->global,
					    step->local[0] > 0 ? step->local : NULL, 0, NULL, NULL, NULL);
	}
	return code == CL_SUCCESS ? replay->calls.finalize(part->commands) : code;
}

static void give_up(const struct vrs_ocl_replay *replay, const char *why)
{
	vrs_log(VRS_LOG_DEBUG, "opencl: kernels are queued one by one on %s: %s", replay->stream->network->context->caps.name, why);
}

struct vrs_ocl_replay *vrs_ocl_replay_create(const struct vrs_ocl_stream *stream)
{
	struct vrs_ocl_replay *replay = vrs_calloc(1, sizeof *replay);
	int code = CL_SUCCESS;

	if (!replay)
		return NULL;
	replay->stream = stream;
	const char *obstacle = find_obstacle(replay);

	if (!obstacle && divide(replay) != VRS_OK)
		obstacle = "there is no memory for command buffers";
	for (int32_t i = 0; i < replay->count && !obstacle && code == CL_SUCCESS; i++)
		code = record(replay, &replay->parts[i]);
	if (!obstacle && code != CL_SUCCESS)
		obstacle = vrs_ocl_code_name(code);
	if (!obstacle) {
		vrs_log(VRS_LOG_DEBUG, "opencl: %d steps are recorded as %d command buffers on %s", (int)stream->network->plan.step_count,
			(int)replay->count, stream->network->context->caps.name);
		return replay;
	}
	give_up(replay, obstacle);
	vrs_ocl_replay_destroy(replay);
	return NULL;
}

void vrs_ocl_replay_destroy(struct vrs_ocl_replay *replay)
{
	if (!replay)
		return;
	for (int32_t i = 0; i < replay->count; i++) {
		vrs_ocl_event_release(&replay->parts[i].last);
		if (replay->parts[i].commands)
			(void)replay->calls.release(replay->parts[i].commands);
	}
	vrs_free(replay->parts);
	vrs_free(replay->part_at);
	vrs_free(replay);
}

/* One at a time: is the last run through with it? */
static bool is_free(struct part *part)
{
	cl_int state = CL_QUEUED;

	if (!part->last)
		return true;
	if (clGetEventInfo(part->last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) != CL_SUCCESS || state != CL_COMPLETE)
		return false;
	vrs_ocl_event_release(&part->last);
	return true;
}

int32_t vrs_ocl_replay_queue(struct vrs_ocl_replay *replay, int32_t step)
{
	struct part *part = replay && replay->part_at[step] >= 0 ? &replay->parts[replay->part_at[step]] : NULL;

	if (!part || !part->commands || !is_free(part))
		return 0;
	int code = replay->calls.enqueue(0, NULL, part->commands, 0, NULL, replay->simultaneous ? NULL : &part->last);

	if (code == CL_SUCCESS)
		return part->count;
	part->last = NULL;
	if (code != CL_INVALID_OPERATION)
		return code;
	(void)replay->calls.release(part->commands); /* it holds the recording to be in use still; nothing of it was queued */
	part->commands = NULL;
	give_up(replay, vrs_ocl_code_name(code));
	return 0;
}
