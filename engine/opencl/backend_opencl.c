/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The OpenCL backend: a plan, its program and weights shared by the clones of a session; memory, kernels and transfers of each. */
#include "opencl/backend_opencl.h"

#include <string.h>

#include "backend/step_name.h"
#include "base/mem.h"
#include "opencl/ocl_error.h"
#include "opencl/ocl_planner.h"
#include "opencl/ocl_program.h"
#include "opencl/ocl_run.h"

#define FLUSH_STEPS 16 /* so many kernels are handed to the driver at a time: it begins with the first while the rest is queued */

static void shared_unref(struct vrs_ocl_shared *shared)
{
	if (!shared || atomic_fetch_sub(&shared->users, 1) > 1)
		return;
	if (shared->weights)
		(void)clReleaseMemObject(shared->weights);
	if (shared->program)
		(void)clReleaseProgram(shared->program);
	vrs_ocl_plan_fini(&shared->plan);
	vrs_ocl_context_close(shared->context);
	vrs_free(shared);
}

/* One block with all weights; blocking writes, so that the plan's copies can go. */
static enum vrs_status upload_weights(struct vrs_ocl_shared *shared, struct vrs_error *err)
{
	const struct vrs_ocl_plan *plan = &shared->plan;
	int code = CL_SUCCESS;

	if (plan->weight_bytes == 0)
		return VRS_OK;
	shared->weights = clCreateBuffer(shared->context->context, CL_MEM_READ_ONLY, plan->weight_bytes, NULL, &code);
	for (int32_t i = 0; i < plan->value_count && code == CL_SUCCESS; i++) {
		const struct vrs_ocl_value *value = &plan->values[i];

		if (value->kind == VRS_OCL_WEIGHTS && value->last >= 0 && value->bytes > 0)
			code = clEnqueueWriteBuffer(shared->context->upload, shared->weights, CL_TRUE, value->offset, value->bytes, value->data, 0, NULL,
						    NULL);
	}
	return vrs_ocl_check(err, code, "take the weights of the network");
}

static enum vrs_status build_program(struct vrs_ocl_shared *shared, bool cache, struct vrs_error *err)
{
	const struct vrs_buf *text = &shared->plan.source.text;
	const struct vrs_ocl_build_request request = {.text = vrs_buf_str(text), .length = text->len, .what = "the kernels of the network", .cache = cache};

	return vrs_ocl_program_build_with(&shared->program, NULL, shared->context, &request, err);
}

static enum vrs_status shared_create(struct vrs_ocl_shared **ret_shared, const struct vrs_graph *graph, const struct vrs_session_options *options,
				     struct vrs_error *err)
{
	struct vrs_ocl_shared *shared = vrs_calloc(1, sizeof *shared);

	if (!shared)
		return vrs_fail_nomem(err);
	atomic_init(&shared->users, 1);
	enum vrs_status status = vrs_ocl_context_open(&shared->context, options->device, options->profile, err);

	if (status == VRS_OK)
		status = vrs_ocl_plan_init(&shared->plan, graph, &shared->context->caps, options, err);
	size_t bytes = shared->plan.arena_bytes + shared->plan.weight_bytes;

	if (status == VRS_OK && options->device_bytes_max > 0 && bytes > (uint64_t)options->device_bytes_max)
		status = vrs_fail(err, VRS_ELIMIT, "the network needs %zu MiB of memory on %s, more than the %lld MiB that it may have; use a smaller input or "
				  "batch, or allow more", (bytes + (1u << 20) - 1) >> 20, shared->plan.caps.name,
				  (long long)(options->device_bytes_max >> 20));
	if (status == VRS_OK && shared->plan.source.count > 0)
		status = build_program(shared, options->program_cache, err);
	if (status == VRS_OK)
		status = upload_weights(shared, err);
	if (status != VRS_OK) {
		shared_unref(shared);
		return status;
	}
	*ret_shared = shared;
	return VRS_OK;
}

static void release_event(cl_event *event)
{
	if (*event)
		(void)clReleaseEvent(*event);
	*event = NULL;
}

static void end_fini(struct vrs_ocl_end *end, const struct vrs_ocl_context *context)
{
	release_event(&end->moved);
	if (end->buffer && end->host)
		(void)clEnqueueUnmapMemObject(context->upload, end->buffer, end->host, 0, NULL, NULL);
	if (end->buffer)
		(void)clReleaseMemObject(end->buffer);
}

static void ocl_destroy(struct vrs_backend_run *run)
{
	if (!run)
		return;
	const struct vrs_ocl_plan *plan = run->shared ? &run->shared->plan : NULL;

	if (run->shared && run->shared->context) {
		(void)clFinish(run->shared->context->upload);
		(void)clFinish(run->shared->context->compute);
		(void)clFinish(run->shared->context->download);
		for (int i = 0; i < VRS_MAX_ENDS; i++) {
			end_fini(&run->inputs[i], run->shared->context);
			end_fini(&run->outputs[i], run->shared->context);
		}
		(void)clFinish(run->shared->context->upload);
	}
	release_event(&run->computed);
	for (int32_t i = 0; plan && i < plan->step_count; i++) {
		if (run->kernels && run->kernels[i])
			(void)clReleaseKernel(run->kernels[i]);
		if (run->step_events)
			release_event(&run->step_events[i]);
	}
	for (int32_t i = 0; plan && run->values && i < plan->value_count; i++)
		if (run->values[i])
			(void)clReleaseMemObject(run->values[i]);
	for (int32_t i = 0; plan && run->host_values && i < plan->graph.tensor_count; i++)
		vrs_free(run->host_values[i]);
	if (run->arena)
		(void)clReleaseMemObject(run->arena);
	vrs_free(run->values);
	vrs_free(run->kernels);
	vrs_free(run->step_events);
	vrs_free(run->host_values);
	vrs_free(run->rows);
	vrs_free(run->row_names);
	shared_unref(run->shared);
	vrs_free(run);
}

static enum vrs_status create_values(struct vrs_backend_run *run, struct vrs_error *err)
{
	const struct vrs_ocl_shared *shared = run->shared;
	const struct vrs_ocl_plan *plan = &shared->plan;
	int code = CL_SUCCESS;

	run->values = vrs_calloc((size_t)plan->value_count + 1, sizeof *run->values);
	run->host_values = vrs_calloc((size_t)plan->graph.tensor_count + 1, sizeof *run->host_values);
	if (!run->values || !run->host_values)
		return vrs_fail_nomem(err);
	if (plan->arena_bytes > 0)
		run->arena = clCreateBuffer(shared->context->context, CL_MEM_READ_WRITE, plan->arena_bytes, NULL, &code);
	if (code != CL_SUCCESS)
		return vrs_fail(err, vrs_ocl_status(code), "the network needs %zu MiB for its tensors on %s, which has not so much free (%s); use a smaller "
				"input or batch", plan->arena_bytes >> 20, plan->caps.name, vrs_ocl_code_name(code));
	for (int32_t i = 0; i < plan->value_count && code == CL_SUCCESS; i++) {
		const struct vrs_ocl_value *value = &plan->values[i];
		cl_buffer_region region = {value->offset, value->bytes > 0 ? value->bytes : 1};
		cl_mem block = value->kind == VRS_OCL_WEIGHTS ? shared->weights : run->arena;

		if (value->last >= 0 && block)
			run->values[i] = clCreateSubBuffer(block, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	}
	return vrs_ocl_check(err, code, "divide its memory");
}

/* Pinned host memory, zeroed: an input that the caller never writes is black, not noise. */
static enum vrs_status create_end(struct vrs_backend_run *run, struct vrs_ocl_end *end, int32_t tensor, struct vrs_error *err)
{
	const struct vrs_ocl_shared *shared = run->shared;
	int code = CL_SUCCESS;

	end->value = shared->plan.value_of[tensor];
	size_t bytes = shared->plan.values[end->value].bytes > 0 ? shared->plan.values[end->value].bytes : 1;

	end->buffer = clCreateBuffer(shared->context->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
	if (code == CL_SUCCESS)
		end->host = clEnqueueMapBuffer(shared->context->upload, end->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code);
	if (code != CL_SUCCESS)
		return vrs_fail(err, vrs_ocl_status(code), "the driver of %s cannot pin %zu KiB of host memory (%s)", shared->context->caps.name, bytes >> 10,
				vrs_ocl_code_name(code));
	if (shared->plan.graph.tensors[tensor].data)
		memcpy(end->host, shared->plan.graph.tensors[tensor].data, bytes); /* an output that is always the same */
	else
		memset(end->host, 0, bytes);
	return VRS_OK;
}

static int set_arg(const struct vrs_backend_run *run, cl_kernel kernel, cl_uint index, const struct vrs_ocl_arg *arg)
{
	switch (arg->kind) {
	case VRS_OCL_ARG_VALUE: return clSetKernelArg(kernel, index, sizeof run->values[arg->value], &run->values[arg->value]);
	case VRS_OCL_ARG_INT: return clSetKernelArg(kernel, index, sizeof arg->integer, &arg->integer);
	case VRS_OCL_ARG_FLOAT: return clSetKernelArg(kernel, index, sizeof arg->real, &arg->real);
	case VRS_OCL_ARG_LOCAL: return clSetKernelArg(kernel, index, arg->bytes, NULL);
	}
	return CL_INVALID_ARG_VALUE;
}

static enum vrs_status create_kernels(struct vrs_backend_run *run, struct vrs_error *err)
{
	const struct vrs_ocl_plan *plan = &run->shared->plan;
	int code = CL_SUCCESS;

	run->kernels = vrs_calloc((size_t)plan->step_count + 1, sizeof *run->kernels);
	if (!run->kernels)
		return vrs_fail_nomem(err);
	for (int32_t s = 0; s < plan->step_count && code == CL_SUCCESS; s++) {
		const struct vrs_ocl_step *step = &plan->steps[s];

		if (step->host)
			continue;
		run->kernels[s] = clCreateKernel(run->shared->program, step->kernel, &code);
		for (int k = 0; k < step->arg_count && code == CL_SUCCESS; k++)
			code = set_arg(run, run->kernels[s], (cl_uint)k, &step->args[k]);
		if (code != CL_SUCCESS)
			return vrs_fail(err, vrs_ocl_status(code), "the driver of %s refuses the kernel %s (%s)", plan->caps.name, step->kernel,
					vrs_ocl_code_name(code));
	}
	return VRS_OK;
}

static enum vrs_status create_profile(struct vrs_backend_run *run, struct vrs_error *err)
{
	const struct vrs_ocl_plan *plan = &run->shared->plan;
	size_t steps = (size_t)plan->step_count + 1;

	run->rows = vrs_calloc(steps, sizeof *run->rows);
	run->row_names = vrs_calloc(steps, sizeof *run->row_names);
	run->step_events = vrs_calloc(steps, sizeof *run->step_events);
	if (!run->rows || !run->row_names || !run->step_events)
		return vrs_fail_nomem(err);
	for (int32_t s = 0; s < plan->step_count; s++) {
		const struct vrs_node *node = &plan->graph.nodes[plan->steps[s].node];
		bool first = s == 0 || plan->steps[s - 1].node != plan->steps[s].node; /* what a node does is counted once */

		vrs_step_name(&plan->graph, node, run->row_names[s], sizeof run->row_names[s]);
		run->rows[s] = (struct vrs_op_profile){.name = run->row_names[s], .kernel = plan->steps[s].host ? "host" : plan->steps[s].kernel};
		if (first) {
			run->rows[s].macs = vrs_node_macs(&plan->graph, node);
			run->rows[s].bytes = vrs_step_bytes(&plan->graph, node);
			run->rows[s].weight_bytes = vrs_step_weight_bytes(&plan->graph, node);
		}
	}
	return VRS_OK;
}

/* Memory and kernels for run->shared. */
static enum vrs_status fill_run(struct vrs_backend_run *run, bool profile, struct vrs_error *err)
{
	const struct vrs_graph *graph = &run->shared->plan.graph;
	enum vrs_status status = create_values(run, err);

	for (int32_t s = 0; s < run->shared->plan.step_count && status == VRS_OK; s++)
		if (run->shared->plan.steps[s].host)
			status = vrs_ocl_host_prepare(run, &graph->nodes[run->shared->plan.steps[s].node], err);
	for (int32_t i = 0; i < graph->input_count && status == VRS_OK; i++)
		status = create_end(run, &run->inputs[i], graph->inputs[i], err);
	for (int32_t i = 0; i < graph->output_count && status == VRS_OK; i++)
		status = create_end(run, &run->outputs[i], graph->outputs[i], err);
	if (status == VRS_OK)
		status = create_kernels(run, err);
	return status == VRS_OK && profile ? create_profile(run, err) : status;
}

static enum vrs_status ocl_create(struct vrs_backend_run **ret_run, const struct vrs_graph *graph, const struct vrs_session_options *options,
				  struct vrs_error *err)
{
	struct vrs_backend_run *run = vrs_calloc(1, sizeof *run);

	if (!run)
		return vrs_fail_nomem(err);
	enum vrs_status status = shared_create(&run->shared, graph, options, err);

	if (status == VRS_OK)
		status = fill_run(run, options->profile, err);
	if (status != VRS_OK) {
		ocl_destroy(run);
		return status;
	}
	for (int32_t i = 0; i < graph->node_count; i++)
		if (!graph->nodes[i].dead)
			run->macs += vrs_node_macs(graph, &graph->nodes[i]);
	*ret_run = run;
	return VRS_OK;
}

static enum vrs_status ocl_clone(struct vrs_backend_run **ret_run, const struct vrs_backend_run *of, struct vrs_error *err)
{
	struct vrs_backend_run *run = vrs_calloc(1, sizeof *run);

	if (!run)
		return vrs_fail_nomem(err);
	atomic_fetch_add(&of->shared->users, 1);
	run->shared = of->shared;
	run->macs = of->macs;
	enum vrs_status status = fill_run(run, of->rows != NULL, err);

	if (status != VRS_OK) {
		ocl_destroy(run);
		return status;
	}
	*ret_run = run;
	return VRS_OK;
}

static void *ocl_input(struct vrs_backend_run *run, int index)
{
	return run->inputs[index].host;
}

static void *ocl_output(struct vrs_backend_run *run, int index)
{
	return run->outputs[index].host;
}

/* The events of a list that exist, for a wait. */
static cl_uint gather(cl_event *list, const struct vrs_ocl_end *ends, int count)
{
	cl_uint n = 0;

	for (int i = 0; i < count; i++)
		if (ends[i].moved)
			list[n++] = ends[i].moved;
	return n;
}

/* Behind the run that still reads the input. */
static enum vrs_status ocl_upload(struct vrs_backend_run *run, int index, struct vrs_error *err)
{
	struct vrs_ocl_end *end = &run->inputs[index];
	const struct vrs_ocl_value *value = &run->shared->plan.values[end->value];

	release_event(&end->moved);
	if (value->bytes == 0 || !run->values[end->value])
		return VRS_OK;
	return vrs_ocl_check(err, clEnqueueWriteBuffer(run->shared->context->upload, run->values[end->value], CL_FALSE, 0, value->bytes, end->host,
						       run->computed ? 1 : 0, run->computed ? &run->computed : NULL, &end->moved), "take an input");
}

static enum vrs_status ocl_download(struct vrs_backend_run *run, int index, struct vrs_error *err)
{
	struct vrs_ocl_end *end = &run->outputs[index];
	const struct vrs_ocl_value *value = &run->shared->plan.values[end->value];

	release_event(&end->moved);
	if (value->bytes == 0 || value->kind == VRS_OCL_WEIGHTS || !run->values[end->value])
		return VRS_OK;
	int code = clEnqueueReadBuffer(run->shared->context->download, run->values[end->value], CL_FALSE, 0, value->bytes, end->host,
				       run->computed ? 1 : 0, run->computed ? &run->computed : NULL, &end->moved);

	if (code == CL_SUCCESS)
		code = clFlush(run->shared->context->download);
	return vrs_ocl_check(err, code, "send an output");
}

static bool is_stopped(const struct vrs_backend_run *run)
{
	return run->stop && atomic_load_explicit(run->stop, memory_order_relaxed);
}

static enum vrs_status queue_step(struct vrs_backend_run *run, int32_t s, struct vrs_error *err)
{
	const struct vrs_ocl_step *step = &run->shared->plan.steps[s];
	cl_command_queue queue = run->shared->context->compute;

	if (step->host)
		return vrs_ocl_host_step(run, &run->shared->plan.graph.nodes[step->node], err);
	if (run->step_events)
		release_event(&run->step_events[s]);
	int code = clEnqueueNDRangeKernel(queue, run->kernels[s], (cl_uint)step->dims, NULL, step->global, step->local[0] > 0 ? step->local : NULL, 0, NULL,
					  run->step_events ? &run->step_events[s] : NULL);

	if (code != CL_SUCCESS)
		return vrs_fail(err, vrs_ocl_status(code), "%s cannot run the kernel %s (%s)", run->shared->plan.caps.name, step->kernel,
				vrs_ocl_code_name(code));
	/* A device that is the host itself computes for long and cannot be stopped later. */
	if (run->stop && run->shared->plan.caps.is_cpu)
		code = clFinish(queue);
	else if (s % FLUSH_STEPS == FLUSH_STEPS - 1)
		code = clFlush(queue);
	return vrs_ocl_check(err, code, "go on");
}

static enum vrs_status ocl_start(struct vrs_backend_run *run, struct vrs_error *err)
{
	const struct vrs_ocl_context *context = run->shared->context;
	cl_event before[2 * VRS_MAX_ENDS];
	cl_uint count = gather(before, run->inputs, VRS_MAX_ENDS);
	enum vrs_status status = VRS_OK;
	int code = clFlush(context->upload);

	count += gather(before + count, run->outputs, VRS_MAX_ENDS); /* downloads of the last run, whose memory this one writes */
	if (code == CL_SUCCESS && count > 0)
		code = clEnqueueBarrierWithWaitList(context->compute, count, before, NULL);
	if (code != CL_SUCCESS)
		return vrs_ocl_check(err, code, "start a run");
	for (int32_t s = 0; s < run->shared->plan.step_count && status == VRS_OK; s++)
		status = is_stopped(run) ? vrs_fail(err, VRS_ESTOPPED, "stopped on request") : queue_step(run, s, err);
	release_event(&run->computed);
	code = clEnqueueMarkerWithWaitList(context->compute, 0, NULL, &run->computed);
	if (code == CL_SUCCESS)
		code = clFlush(context->compute);
	run->runs++;
	return status != VRS_OK ? status : vrs_ocl_check(err, code, "end a run");
}

/* Times of the kernels of the last run. */
static void add_times(struct vrs_backend_run *run)
{
	for (int32_t s = 0; s < run->shared->plan.step_count; s++) {
		cl_ulong begin = 0, end = 0;

		if (!run->step_events[s])
			continue;
		if (clGetEventProfilingInfo(run->step_events[s], CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL) == CL_SUCCESS &&
		    clGetEventProfilingInfo(run->step_events[s], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) == CL_SUCCESS && end > begin)
			run->rows[s].total_ns += end - begin;
		run->rows[s].runs++;
		release_event(&run->step_events[s]);
	}
}

static enum vrs_status ocl_wait(struct vrs_backend_run *run, struct vrs_error *err)
{
	cl_event all[2 * VRS_MAX_ENDS + 1];
	cl_uint count = gather(all, run->inputs, VRS_MAX_ENDS);

	count += gather(all + count, run->outputs, VRS_MAX_ENDS);
	if (run->computed)
		all[count++] = run->computed;
	int code = count > 0 ? clWaitForEvents(count, all) : CL_SUCCESS;

	for (int i = 0; i < VRS_MAX_ENDS; i++) {
		release_event(&run->inputs[i].moved);
		release_event(&run->outputs[i].moved);
	}
	if (run->step_events && code == CL_SUCCESS)
		add_times(run);
	if (code != CL_SUCCESS)
		return vrs_ocl_check(err, code, "finish a run");
	return is_stopped(run) ? vrs_fail(err, VRS_ESTOPPED, "stopped on request") : VRS_OK;
}

/* On the device, in the order of its runs. */
static enum vrs_status ocl_carry(struct vrs_backend_run *run, int output, int input, struct vrs_error *err)
{
	int32_t from = run->outputs[output].value, to = run->inputs[input].value;
	size_t bytes = run->shared->plan.values[from].bytes;

	if (bytes != run->shared->plan.values[to].bytes || run->shared->plan.values[from].type != run->shared->plan.values[to].type)
		return vrs_fail(err, VRS_EINVAL, "output %d and input %d of the network differ in type or size", output, input);
	if (bytes == 0 || from == to || !run->values[from] || !run->values[to])
		return VRS_OK;
	release_event(&run->computed);
	return vrs_ocl_check(err, clEnqueueCopyBuffer(run->shared->context->compute, run->values[from], run->values[to], 0, 0, bytes, 0, NULL,
						      &run->computed), "carry an output to the next run");
}

static void ocl_stop_by(struct vrs_backend_run *run, const atomic_bool *stop)
{
	run->stop = stop;
}

static void ocl_info(const struct vrs_backend_run *run, struct vrs_session_info *info)
{
	const struct vrs_ocl_plan *plan = &run->shared->plan;

	info->isa = info->kernels = "opencl";
	info->device = plan->caps.name;
	info->driver = plan->caps.driver;
	info->device_bytes = plan->arena_bytes + plan->weight_bytes;
	info->sharers = atomic_load(&run->shared->users);
	info->steps = plan->step_count;
	info->macs = run->macs;
	info->arena_bytes = plan->arena_bytes;
	info->arena_lower_bound_bytes = plan->arena_lower_bound;
	info->weight_bytes = plan->weight_bytes;
}

static int ocl_profile(struct vrs_backend_run *run, const struct vrs_op_profile **ret_rows)
{
	*ret_rows = run->rows;
	return run->rows ? run->shared->plan.step_count : 0;
}

const struct vrs_backend vrs_backend_opencl = {
	.name = "opencl",
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
	.stop_by = ocl_stop_by,
	.info = ocl_info,
	.profile = ocl_profile,
};
