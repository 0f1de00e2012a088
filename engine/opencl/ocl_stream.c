/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_stream.h"

#include "base/mem.h"
#include "opencl/ocl_error.h"
#include "opencl/ocl_memory.h"

int vrs_ocl_take_memory(const struct vrs_ocl_context *context, cl_mem buffer, size_t bytes)
{
	const cl_uint zero = 0;
	size_t pattern = bytes % sizeof zero == 0 ? sizeof zero : 1; /* with own_buffers, any size */
	int code = clEnqueueFillBuffer(context->compute, buffer, &zero, pattern, 0, bytes, 0, NULL, NULL);

	return code == CL_SUCCESS ? clFinish(context->compute) : code;
}

static enum vrs_status create_buffers(struct vrs_ocl_stream *stream, struct vrs_error *err)
{
	const struct vrs_ocl_network *network = stream->network;
	const struct vrs_ocl_plan *plan = &network->plan;
	int code = CL_SUCCESS;

	stream->buffers = vrs_calloc((size_t)plan->buffer_count + 1, sizeof(cl_mem));
	if (!stream->buffers)
		return vrs_fail_nomem(err);
	for (int32_t i = 0; i < plan->buffer_count && code == CL_SUCCESS; i++) {
		stream->buffers[i] = clCreateBuffer(network->context->context, CL_MEM_READ_WRITE, plan->buffer_bytes[i], NULL, &code);
		if (code == CL_SUCCESS)
			code = vrs_ocl_take_memory(network->context, stream->buffers[i], plan->buffer_bytes[i]);
	}
	if (code != CL_SUCCESS)
		return vrs_fail(err, vrs_ocl_memory_status(code), "the network needs %zu MiB for its tensors on %s, which has not so much free (%s); "
				"use a smaller input or batch", (plan->arena_bytes + (1u << 20) - 1) >> 20, plan->caps.name, vrs_ocl_code_name(code));
	return VRS_OK;
}

static enum vrs_status find_values(struct vrs_ocl_stream *stream, struct vrs_error *err)
{
	const struct vrs_ocl_network *network = stream->network;
	const struct vrs_ocl_plan *plan = &network->plan;

	stream->values = vrs_calloc((size_t)plan->value_count + 1, sizeof(cl_mem));
	stream->host_values = vrs_calloc((size_t)plan->graph.tensor_count + 1, sizeof *stream->host_values);
	if (!stream->values || !stream->host_values)
		return vrs_fail_nomem(err);
	for (int32_t i = 0; i < plan->value_count; i++)
		stream->values[i] = plan->values[i].buffer >= 0 ? stream->buffers[plan->values[i].buffer] : network->weights[i];
	return VRS_OK;
}

static enum vrs_status claim_memory(struct vrs_ocl_stream *stream, struct vrs_error *err)
{
	const struct vrs_ocl_network *network = stream->network;
	const struct vrs_ocl_claim claim = {.bytes = network->plan.arena_bytes, .most = network->bytes_most, .what = "one more stream of the network",
					    .remedy = "use fewer streams, or a smaller input or batch"};
	enum vrs_status status = vrs_ocl_memory_take(network->context, &claim, err);

	stream->bytes_held = status == VRS_OK ? claim.bytes : 0;
	return status;
}

static int set_arg(const struct vrs_ocl_stream *stream, cl_kernel kernel, cl_uint index, const struct vrs_ocl_arg *arg)
{
	switch (arg->kind) {
	case VRS_OCL_ARG_VALUE: return clSetKernelArg(kernel, index, sizeof(cl_mem), &stream->values[arg->value]);
	case VRS_OCL_ARG_INT: return clSetKernelArg(kernel, index, sizeof arg->integer, &arg->integer);
	case VRS_OCL_ARG_FLOAT: return clSetKernelArg(kernel, index, sizeof arg->real, &arg->real);
	}
	return CL_INVALID_ARG_VALUE;
}

static enum vrs_status create_kernels(struct vrs_ocl_stream *stream, struct vrs_error *err)
{
	const struct vrs_ocl_plan *plan = &stream->network->plan;
	int code = CL_SUCCESS;

	stream->kernels = vrs_calloc((size_t)plan->step_count + 1, sizeof(cl_kernel));
	if (!stream->kernels)
		return vrs_fail_nomem(err);
	for (int32_t s = 0; s < plan->step_count && code == CL_SUCCESS; s++) {
		const struct vrs_ocl_step *step = &plan->steps[s];

		if (step->host)
			continue;
		stream->kernels[s] = clCreateKernel(stream->network->program, step->kernel, &code);
		for (int k = 0; k < step->arg_count && code == CL_SUCCESS; k++)
			code = set_arg(stream, stream->kernels[s], (cl_uint)k, &step->args[k]);
		if (code != CL_SUCCESS)
			return vrs_fail(err, vrs_ocl_status(code), "the driver of %s refuses the kernel %s (%s)", plan->caps.name, step->kernel,
					vrs_ocl_code_name(code));
	}
	return VRS_OK;
}

static enum vrs_status add_host_value(struct vrs_ocl_stream *stream, int32_t tensor, struct vrs_error *err)
{
	const struct vrs_graph_tensor *t = tensor >= 0 ? &stream->network->plan.graph.tensors[tensor] : NULL;

	if (!t || t->data || stream->host_values[tensor])
		return VRS_OK;
	size_t bytes = vrs_tensor_elements(t) * vrs_dtype_size(t->dtype);

	stream->host_values[tensor] = vrs_calloc(bytes > 0 ? bytes : 1, 1);
	return stream->host_values[tensor] ? VRS_OK : vrs_fail_nomem(err);
}

/* Host memory for the operands of a node that the host computes. */
static enum vrs_status add_host_values(struct vrs_ocl_stream *stream, const struct vrs_node *node, struct vrs_error *err)
{
	for (int k = 0; k < node->inputs; k++)
		VRS_TRY(add_host_value(stream, node->in[k], err));
	VRS_TRY(add_host_value(stream, node->residual, err));
	VRS_TRY(add_host_value(stream, node->scale, err));
	return add_host_value(stream, node->out, err);
}

enum vrs_status vrs_ocl_stream_init(struct vrs_ocl_stream *stream, struct vrs_ocl_network *network, bool profile, struct vrs_error *err)
{
	const struct vrs_ocl_plan *plan = &network->plan;

	stream->network = vrs_ocl_network_ref(network);
	enum vrs_status status = claim_memory(stream, err);

	if (status == VRS_OK)
		status = create_buffers(stream, err);
	if (status == VRS_OK)
		status = find_values(stream, err);
	for (int32_t s = 0; s < plan->step_count && status == VRS_OK; s++)
		if (plan->steps[s].host)
			status = add_host_values(stream, &plan->graph.nodes[plan->steps[s].node], err);
	if (status == VRS_OK)
		status = create_kernels(stream, err);
	if (status == VRS_OK && profile) {
		stream->step_events = vrs_calloc((size_t)plan->step_count + 1, sizeof(cl_event));
		status = stream->step_events ? VRS_OK : vrs_fail_nomem(err);
	}
	return status;
}

/* Work-items of the step's groups; 0: the driver chooses. */
static size_t group_of(const struct vrs_ocl_step *step)
{
	size_t items = 1;

	for (int i = 0; i < step->dims; i++)
		items *= step->local[i];
	return items;
}

size_t vrs_ocl_stream_group_limit(const struct vrs_ocl_stream *stream, int32_t *ret_step)
{
	const struct vrs_ocl_network *network = stream->network;
	size_t least = 0;

	for (int32_t s = 0; s < network->plan.step_count; s++) {
		size_t limit = 0;

		if (!stream->kernels[s] || clGetKernelWorkGroupInfo(stream->kernels[s], network->context->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit,
								    &limit, NULL) != CL_SUCCESS)
			continue;
		if (limit > 0 && limit < group_of(&network->plan.steps[s]) && (least == 0 || limit < least)) {
			least = limit;
			*ret_step = s;
		}
	}
	return least;
}

bool vrs_ocl_event_times(cl_event event, uint64_t *ret_begin_ns, uint64_t *ret_end_ns)
{
	cl_ulong begin = 0, end = 0;
	bool told = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL) == CL_SUCCESS &&
		    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) == CL_SUCCESS;

	*ret_begin_ns = begin;
	*ret_end_ns = end;
	return told && end > begin;
}

double vrs_ocl_event_seconds(cl_event event)
{
	uint64_t begin, end;

	return vrs_ocl_event_times(event, &begin, &end) ? (double)(end - begin) * 1e-9 : 0;
}

void vrs_ocl_event_release(cl_event *event)
{
	if (*event)
		(void)clReleaseEvent(*event);
	*event = NULL;
}

void vrs_ocl_stream_fini(struct vrs_ocl_stream *stream)
{
	const struct vrs_ocl_plan *plan = stream->network ? &stream->network->plan : NULL;

	for (int32_t i = 0; plan && i < plan->step_count; i++) {
		if (stream->kernels && stream->kernels[i])
			(void)clReleaseKernel(stream->kernels[i]);
		if (stream->step_events)
			vrs_ocl_event_release(&stream->step_events[i]);
	}
	for (int32_t i = 0; plan && stream->buffers && i < plan->buffer_count; i++)
		if (stream->buffers[i])
			(void)clReleaseMemObject(stream->buffers[i]);
	for (int32_t i = 0; plan && stream->host_values && i < plan->graph.tensor_count; i++)
		vrs_free(stream->host_values[i]);
	vrs_free(stream->buffers);
	vrs_free(stream->values);
	vrs_free(stream->kernels);
	vrs_free(stream->step_events);
	vrs_free(stream->host_values);
	if (stream->network)
		vrs_ocl_memory_give(stream->network->context, stream->bytes_held);
	vrs_ocl_network_unref(stream->network);
	*stream = (struct vrs_ocl_stream){0};
}
