/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The OpenCL backend: the parts of a run (backend/backend.h) over a stream of a network (ocl_stream.h). */
#include "opencl/backend_opencl.h"

#include <string.h>

#include <vrseg/log.h>

#include "backend/step_name.h"
#include "base/mem.h"
#include "opencl/frame_opencl.h"
#include "opencl/ocl_ceilings.h"
#include "opencl/ocl_choice.h"
#include "opencl/ocl_end.h"
#include "opencl/ocl_error.h"
#include "opencl/ocl_math.h"
#include "opencl/ocl_planner.h"
#include "opencl/ocl_profile.h"
#include "opencl/ocl_queue.h"
#include "opencl/ocl_replay.h"
#include "opencl/ocl_slots.h"
#include "opencl/ocl_tune.h"

/* What a run has of the options, and its clones too. */
struct manner {
	bool profile, pinned, replay, async;
};

struct vrs_backend_run {
	struct manner manner;
	struct vrs_ocl_stream stream;
	struct vrs_ocl_replay *replay; /* NULL: kernels are queued one by one */
	struct vrs_ocl_end inputs[VRS_MAX_ENDS], outputs[VRS_MAX_ENDS];
	struct vrs_ocl_slots slots;
	cl_event computed;         /* the end of the last start or carry; NULL: there was none */
	const atomic_bool *stop;   /* NULL: none */
	bool failed;               /* a part of a run failed: all after it do, too */
	struct vrs_ocl_profile profile;
};

static const struct vrs_ocl_plan *plan_of(const struct vrs_backend_run *run)
{
	return &run->stream.network->plan;
}

static bool is_stopped(const struct vrs_backend_run *run)
{
	return run->stop && atomic_load_explicit(run->stop, memory_order_relaxed);
}

/* Whatever the queues answer: afterwards nothing is under way that a program could wait for. */
static void finish_queues(const struct vrs_ocl_context *context)
{
	(void)clFinish(context->upload);
	(void)clFinish(context->compute);
	(void)clFinish(context->download);
}

static void ocl_destroy(struct vrs_backend_run *run)
{
	if (!run)
		return;
	const struct vrs_ocl_context *context = run->stream.network ? run->stream.network->context : NULL;

	if (context) {
		finish_queues(context);
		for (int i = 0; i < VRS_MAX_ENDS; i++) {
			vrs_ocl_end_fini(&run->inputs[i], context);
			vrs_ocl_end_fini(&run->outputs[i], context);
		}
		(void)clFinish(context->upload);
	}
	vrs_ocl_event_release(&run->computed);
	vrs_ocl_replay_destroy(run->replay);
	vrs_ocl_slots_fini(&run->slots, &run->stream);
	vrs_ocl_stream_fini(&run->stream);
	vrs_ocl_profile_fini(&run->profile);
	vrs_free(run);
}

static enum vrs_status fill_run(struct vrs_backend_run *run, struct vrs_ocl_network *network, struct vrs_error *err)
{
	const struct vrs_graph *graph = &network->plan.graph;
	const struct manner *manner = &run->manner;
	enum vrs_status status = vrs_ocl_stream_init(&run->stream, network, manner->profile, err);

	for (int32_t i = 0; i < graph->input_count && status == VRS_OK; i++)
		status = vrs_ocl_end_init(&run->inputs[i], network, graph->inputs[i], manner->pinned, err);
	for (int32_t i = 0; i < graph->output_count && status == VRS_OK; i++)
		status = vrs_ocl_end_init(&run->outputs[i], network, graph->outputs[i], manner->pinned, err);
	if (status == VRS_OK && manner->profile)
		status = vrs_ocl_profile_init(&run->profile, &network->plan, err);
	if (status == VRS_OK && manner->replay)
		run->replay = vrs_ocl_replay_create(&run->stream);
	return status;
}

/* A run of a network, whose users it joins. */
static enum vrs_status run_create(struct vrs_backend_run **ret_run, struct vrs_ocl_network *network, const struct manner *manner,
				  struct vrs_error *err)
{
	struct vrs_backend_run *run = vrs_calloc(1, sizeof *run);

	if (!run)
		return vrs_fail_nomem(err);
	run->manner = *manner;
	enum vrs_status status = fill_run(run, network, err);

	if (status != VRS_OK) {
		ocl_destroy(run);
		return status;
	}
	*ret_run = run;
	return VRS_OK;
}

/* Times need a context with profiling, which the session itself may do without.  Without times the rules choose: that ends no job. */
static enum vrs_status tune(struct vrs_ocl_plan *plan, const struct vrs_session_options *options, struct vrs_error *err)
{
	struct vrs_ocl_trial_limits limits = VRS_OCL_TRIAL_LIMITS;
	struct vrs_ocl_context *context = NULL;
	struct vrs_ocl_tune_stats stats;
	struct vrs_error why = {0};
	enum vrs_status status = vrs_ocl_context_open(&context, options->device, true, &why);

	limits.max_group = plan->caps.max_group;
	if (status == VRS_OK)
		status = vrs_ocl_tune(&plan->tiles, &stats, context, &plan->graph, options, &limits, &why);
	vrs_ocl_context_close(context);
	if (status == VRS_ESTOPPED || status == VRS_ENOMEM)
		return vrs_fail(err, status, "%s", why.text);
	if (status != VRS_OK)
		vrs_log(VRS_LOG_WARNING, "opencl: convolutions are not timed, and stay as the rules choose: %s", why.text);
	return VRS_OK;
}

/* A run of a new network, on the device as caps describe it. */
static enum vrs_status make_run(struct vrs_backend_run **ret_run, struct vrs_ocl_context *context, const struct vrs_ocl_caps *caps,
				const struct vrs_graph *graph, const struct vrs_session_options *options, struct vrs_error *err)
{
	struct vrs_ocl_network *network = NULL;
	struct vrs_ocl_plan plan;
	const struct manner manner = {.profile = options->profile, .pinned = options->pinned_memory, .replay = options->command_replay,
				      .async = options->async_transfers};
	enum vrs_status status = vrs_ocl_plan_begin(&plan, graph, caps, options, err);

	if (status == VRS_OK && options->device_tune != VRS_DEVICE_TUNE_NONE)
		status = tune(&plan, options, err);
	if (status == VRS_OK)
		status = vrs_ocl_plan_complete(&plan, err);
	if (status == VRS_OK)
		status = vrs_ocl_network_create(&network, context, &plan, options, err);
	else
		vrs_ocl_plan_fini(&plan);
	if (status == VRS_OK)
		status = run_create(ret_run, network, &manner, err);
	vrs_ocl_network_unref(network); /* the run has joined */
	return status;
}

/*
 * Kernels that the driver does not run in their groups would fail in the middle of a job.  All are then planned with groups as small as it allows,
 * until it runs each; caps tell what was tried.  VRS_OK without a run: with these caps.
 */
static enum vrs_status lower_groups(struct vrs_backend_run **run, struct vrs_ocl_caps *caps, struct vrs_error *err)
{
	int32_t step = 0;
	size_t limit = vrs_ocl_stream_group_limit(&(*run)->stream, &step);
	const struct vrs_ocl_step *refused = limit > 0 ? &plan_of(*run)->steps[step] : NULL;
	enum vrs_status status = VRS_OK;

	if (!refused)
		return VRS_OK;
	if (limit >= caps->max_group)
		status = vrs_fail(err, VRS_EDEVICE, "the driver of %s allows the kernel %s %zu work-items in a group, and it needs more: use another device "
				  "or the CPU (--backend cpu)", caps->name, refused->kernel, limit);
	else
		vrs_log(VRS_LOG_INFO, "opencl: the driver of %s allows the kernel %s %zu work-items in a group: no group has more", caps->name,
			refused->kernel, limit);
	caps->max_group = limit;
	ocl_destroy(*run);
	*run = NULL;
	return status;
}

static enum vrs_status ocl_create(struct vrs_backend_run **ret_run, const struct vrs_graph *graph, const struct vrs_session_options *options,
				  struct vrs_error *err)
{
	struct vrs_ocl_context *context = NULL;
	struct vrs_backend_run *run = NULL;
	enum vrs_status status = vrs_ocl_context_open(&context, options->device, options->profile, err);

	if (status != VRS_OK)
		return status;
	struct vrs_ocl_caps caps = context->caps;

	while (status == VRS_OK && !run) {
		status = make_run(&run, context, &caps, graph, options, err);
		if (status == VRS_OK)
			status = lower_groups(&run, &caps, err);
	}
	vrs_ocl_context_close(context); /* the run's network has joined */
	if (status == VRS_OK)
		*ret_run = run;
	return status;
}

static enum vrs_status ocl_clone(struct vrs_backend_run **ret_run, const struct vrs_backend_run *of, struct vrs_error *err)
{
	return run_create(ret_run, of->stream.network, &of->manner, err);
}

static void *ocl_input(struct vrs_backend_run *run, int index)
{
	return run->inputs[index].host;
}

static void *ocl_output(struct vrs_backend_run *run, int index)
{
	return run->outputs[index].host;
}

/* Where a transfer is queued: in its own queue, or in that of the kernels, which then wait for each other's transfers. */
static cl_command_queue transfers_of(const struct vrs_backend_run *run, cl_command_queue own)
{
	return run->manner.async ? own : run->stream.network->context->compute;
}

/* Behind the run that still reads the input. */
static enum vrs_status queue_upload(struct vrs_backend_run *run, int index, struct vrs_error *err)
{
	struct vrs_ocl_end *end = &run->inputs[index];
	const struct vrs_ocl_value *value = &plan_of(run)->values[end->value];

	vrs_ocl_event_release(&end->moved);
	if (value->bytes == 0 || !run->stream.values[end->value])
		return VRS_OK;
	int code = clEnqueueWriteBuffer(transfers_of(run, run->stream.network->context->upload), run->stream.values[end->value], CL_FALSE, 0,
					value->bytes, end->host, run->computed ? 1 : 0, run->computed ? &run->computed : NULL, &end->moved);

	return vrs_ocl_check(err, code, "take an input");
}

static enum vrs_status queue_download(struct vrs_backend_run *run, int index, struct vrs_error *err)
{
	struct vrs_ocl_end *end = &run->outputs[index];
	const struct vrs_ocl_value *value = &plan_of(run)->values[end->value];

	vrs_ocl_event_release(&end->moved);
	if (value->bytes == 0 || value->kind == VRS_OCL_WEIGHTS || !run->stream.values[end->value])
		return VRS_OK;
	cl_command_queue queue = transfers_of(run, run->stream.network->context->download);
	int code = clEnqueueReadBuffer(queue, run->stream.values[end->value], CL_FALSE, 0, value->bytes, end->host, run->computed ? 1 : 0,
				       run->computed ? &run->computed : NULL, &end->moved);

	if (code == CL_SUCCESS)
		code = clFlush(queue);
	return vrs_ocl_check(err, code, "send an output");
}

static enum vrs_status queue_start(struct vrs_backend_run *run, struct vrs_error *err)
{
	const struct vrs_ocl_context *context = run->stream.network->context;
	cl_event before[2 * VRS_MAX_ENDS];
	cl_uint count = vrs_ocl_ends_moving(run->inputs, VRS_MAX_ENDS, before);
	int code = clFlush(context->upload);

	count += vrs_ocl_ends_moving(run->outputs, VRS_MAX_ENDS, before + count); /* downloads of the last run, whose memory this one writes */
	if (code == CL_SUCCESS && count > 0)
		code = clEnqueueBarrierWithWaitList(context->compute, count, before, NULL);
	if (code != CL_SUCCESS)
		return vrs_ocl_check(err, code, "start a run");
	enum vrs_status status = vrs_ocl_queue_steps(&run->stream, run->replay, run->stop, err);

	if (status != VRS_OK && status != VRS_ESTOPPED)
		return status;
	vrs_ocl_event_release(&run->computed);
	code = clEnqueueMarkerWithWaitList(context->compute, 0, NULL, &run->computed);
	if (code == CL_SUCCESS)
		code = clFlush(context->compute);
	return code != CL_SUCCESS ? vrs_ocl_check(err, code, "end a run") : status;
}

/* On the device, in the order of its runs. */
static enum vrs_status queue_carry(struct vrs_backend_run *run, int output, int input, struct vrs_error *err)
{
	int32_t from = run->outputs[output].value, to = run->inputs[input].value;
	size_t bytes = plan_of(run)->values[from].bytes;

	if (bytes != plan_of(run)->values[to].bytes || plan_of(run)->values[from].type != plan_of(run)->values[to].type)
		return vrs_fail(err, VRS_EINVAL, "output %d and input %d of the network differ in type or size", output, input);
	if (bytes == 0 || from == to || !run->stream.values[from] || !run->stream.values[to])
		return VRS_OK;
	vrs_ocl_event_release(&run->computed);
	int code = clEnqueueCopyBuffer(run->stream.network->context->compute, run->stream.values[from], run->stream.values[to], 0, 0, bytes, 0, NULL,
				       &run->computed);

	return vrs_ocl_check(err, code, "carry an output to the next run");
}

/* A device that fails once is of no more use to the run, whatever reason it gives. */
static enum vrs_status part_ended(struct vrs_backend_run *run, enum vrs_status status, struct vrs_error *err)
{
	if (status == VRS_OK || status == VRS_ESTOPPED || status == VRS_EINVAL)
		return status;
	run->failed = true;
	if (err)
		err->status = VRS_EDEVICE;
	return VRS_EDEVICE;
}

static enum vrs_status failed_before(const struct vrs_backend_run *run, struct vrs_error *err)
{
	return vrs_fail(err, VRS_EDEVICE, "the OpenCL device %s has failed earlier in this run", run->stream.network->context->caps.name);
}

/* A part is queued between these two, in this thread's turn. */
static enum vrs_status begin_part(const struct vrs_backend_run *run, struct vrs_error *err)
{
	if (run->failed)
		return failed_before(run, err);
	vrs_ocl_context_enter(run->stream.network->context);
	return VRS_OK;
}

static enum vrs_status end_part(struct vrs_backend_run *run, enum vrs_status status, struct vrs_error *err)
{
	vrs_ocl_context_leave(run->stream.network->context);
	return part_ended(run, status, err);
}

static enum vrs_status ocl_upload(struct vrs_backend_run *run, int index, struct vrs_error *err)
{
	enum vrs_status status = begin_part(run, err);

	return status == VRS_OK ? end_part(run, queue_upload(run, index, err), err) : status;
}

static enum vrs_status ocl_download(struct vrs_backend_run *run, int index, struct vrs_error *err)
{
	enum vrs_status status = begin_part(run, err);

	return status == VRS_OK ? end_part(run, queue_download(run, index, err), err) : status;
}

static enum vrs_status ocl_start(struct vrs_backend_run *run, struct vrs_error *err)
{
	enum vrs_status status = begin_part(run, err);

	return status == VRS_OK ? end_part(run, queue_start(run, err), err) : status;
}

static enum vrs_status ocl_carry(struct vrs_backend_run *run, int output, int input, struct vrs_error *err)
{
	enum vrs_status status = begin_part(run, err);

	return status == VRS_OK ? end_part(run, queue_carry(run, output, input, err), err) : status;
}

static enum vrs_status ocl_slots_create(struct vrs_backend_run *run, const struct vrs_state_slots *shape, struct vrs_error *err)
{
	enum vrs_status status = begin_part(run, err);

	if (status != VRS_OK)
		return status;
	status = vrs_ocl_slots_init(&run->slots, &run->stream, shape, err);
	if (status != VRS_OK)
		vrs_ocl_slots_fini(&run->slots, &run->stream);
	vrs_ocl_context_leave(run->stream.network->context);
	return status == VRS_EDEVICE ? part_ended(run, status, err) : status; /* without slots the run is as good as before */
}

static enum vrs_status ocl_slot_use(struct vrs_backend_run *run, int slot, int entry, struct vrs_error *err)
{
	enum vrs_status status = begin_part(run, err);

	return status == VRS_OK ? end_part(run, vrs_ocl_slots_use(&run->slots, &run->stream, slot, entry, err), err) : status;
}

static enum vrs_status ocl_slot_keep(struct vrs_backend_run *run, int entry, int slot, struct vrs_error *err)
{
	enum vrs_status status = begin_part(run, err);

	return status == VRS_OK ? end_part(run, vrs_ocl_slots_keep(&run->slots, &run->stream, entry, slot, err), err) : status;
}

static enum vrs_status ocl_slot_read(struct vrs_backend_run *run, int slot, float *to, struct vrs_error *err)
{
	enum vrs_status status = begin_part(run, err);

	return status == VRS_OK ? end_part(run, vrs_ocl_slots_read(&run->slots, &run->stream, slot, to, err), err) : status;
}

static enum vrs_status ocl_slot_write(struct vrs_backend_run *run, int slot, const float *from, struct vrs_error *err)
{
	enum vrs_status status = begin_part(run, err);

	return status == VRS_OK ? end_part(run, vrs_ocl_slots_write(&run->slots, &run->stream, slot, from, err), err) : status;
}

static enum vrs_status ocl_wait(struct vrs_backend_run *run, struct vrs_error *err)
{
	cl_event all[2 * VRS_MAX_ENDS + 1];
	cl_uint count = vrs_ocl_ends_moving(run->inputs, VRS_MAX_ENDS, all);

	count += vrs_ocl_ends_moving(run->outputs, VRS_MAX_ENDS, all + count);
	if (run->computed)
		all[count++] = run->computed;
	int code = count > 0 ? clWaitForEvents(count, all) : CL_SUCCESS;

	/* Not all that was queued before a failure has an event, and the caller has the buffers back after this. */
	if (run->failed || code != CL_SUCCESS)
		finish_queues(run->stream.network->context);
	if (run->profile.rows && code == CL_SUCCESS && !run->failed)
		vrs_ocl_profile_add(&run->profile, &run->stream, run->inputs, run->outputs);
	for (int i = 0; i < VRS_MAX_ENDS; i++) {
		vrs_ocl_event_release(&run->inputs[i].moved);
		vrs_ocl_event_release(&run->outputs[i].moved);
	}
	if (run->failed)
		return failed_before(run, err);
	if (code != CL_SUCCESS)
		return part_ended(run, vrs_ocl_check(err, code, "finish a run"), err);
	return is_stopped(run) ? vrs_fail(err, VRS_ESTOPPED, "stopped on request") : VRS_OK;
}

static void ocl_stop_by(struct vrs_backend_run *run, const atomic_bool *stop)
{
	run->stop = stop;
}

static void ocl_info(const struct vrs_backend_run *run, struct vrs_session_info *info)
{
	const struct vrs_ocl_plan *plan = plan_of(run);

	info->isa = info->kernels = "opencl";
	info->device = plan->caps.name;
	info->driver = plan->caps.driver;
	info->device_order = vrs_ocl_caps_order(&plan->caps);
	info->device_bytes = plan->arena_bytes + plan->weight_bytes + run->slots.bytes;
	info->device_memory_bytes = plan->caps.global_bytes;
	info->sharers = atomic_load(&run->stream.network->users);
	info->steps = plan->step_count;
	info->macs = vrs_graph_macs(&plan->graph);
	info->arena_bytes = plan->arena_bytes;
	info->arena_lower_bound_bytes = plan->arena_lower_bound;
	info->weight_bytes = plan->weight_bytes;
}

static int ocl_profile(struct vrs_backend_run *run, const struct vrs_op_profile **ret_rows)
{
	*ret_rows = run->profile.rows;
	return run->profile.count;
}

static bool ocl_spans(const struct vrs_backend_run *run, struct vrs_device_span ret_spans[VRS_DEVICE_QUEUES])
{
	if (run->profile.times.known)
		memcpy(ret_spans, run->profile.times.spans, sizeof run->profile.times.spans);
	return run->profile.times.known;
}

static enum vrs_status ocl_ceilings(struct vrs_backend_run *run, struct vrs_device_ceilings *ret_ceilings, struct vrs_error *err)
{
	return run->failed ? failed_before(run, err) : vrs_ocl_ceilings(run->stream.network->context, ret_ceilings, err);
}

static const struct vrs_slot_device slots_opencl = {
	.create = ocl_slots_create, .use = ocl_slot_use, .keep = ocl_slot_keep, .read = ocl_slot_read, .write = ocl_slot_write,
};

const struct vrs_backend vrs_backend_opencl = {
	.name = "opencl",
	.frames = &vrs_frame_device_opencl,
	.devices = vrs_ocl_devices,
	.check = vrs_ocl_math_check_options,
	.create = ocl_create,
	.clone = ocl_clone,
	.destroy = ocl_destroy,
	.input = ocl_input,
	.output = ocl_output,
	.upload = ocl_upload,
	.start = ocl_start,
	.download = ocl_download,
	.wait = ocl_wait,
	.carry = ocl_carry,
	.slots = &slots_opencl,
	.stop_by = ocl_stop_by,
	.info = ocl_info,
	.profile = ocl_profile,
	.spans = ocl_spans,
	.ceilings = ocl_ceilings,
};
