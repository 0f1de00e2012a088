/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_network.h"

#include "base/mem.h"
#include "opencl/ocl_error.h"
#include "opencl/ocl_math.h"
#include "opencl/ocl_memory.h"
#include "opencl/ocl_planner.h"
#include "opencl/ocl_program.h"

struct vrs_ocl_network *vrs_ocl_network_ref(struct vrs_ocl_network *network)
{
	atomic_fetch_add(&network->users, 1);
	return network;
}

void vrs_ocl_network_unref(struct vrs_ocl_network *network)
{
	if (!network || atomic_fetch_sub(&network->users, 1) > 1)
		return;
	for (int32_t i = 0; network->weights && i < network->plan.value_count; i++)
		if (network->weights[i])
			(void)clReleaseMemObject(network->weights[i]);
	vrs_free(network->weights);
	if (network->program)
		(void)clReleaseProgram(network->program);
	vrs_ocl_plan_fini(&network->plan);
	vrs_ocl_memory_give(network->context, network->bytes_held);
	vrs_ocl_context_close(network->context);
	vrs_free(network);
}

/* Blocking, so that the plan's copy can go. */
static int upload_value(struct vrs_ocl_network *network, int32_t i)
{
	const struct vrs_ocl_value *value = &network->plan.values[i];
	int code = CL_SUCCESS;

	network->weights[i] = clCreateBuffer(network->context->context, CL_MEM_READ_ONLY, value->bytes > 0 ? value->bytes : 1, NULL, &code);
	if (code == CL_SUCCESS && value->bytes > 0)
		code = clEnqueueWriteBuffer(network->context->upload, network->weights[i], CL_TRUE, 0, value->bytes, value->data, 0, NULL, NULL);
	return code;
}

static enum vrs_status upload_weights(struct vrs_ocl_network *network, struct vrs_error *err)
{
	const struct vrs_ocl_plan *plan = &network->plan;
	int code = CL_SUCCESS;

	network->weights = vrs_calloc((size_t)plan->value_count + 1, sizeof(cl_mem));
	if (!network->weights)
		return vrs_fail_nomem(err);
	for (int32_t i = 0; i < plan->value_count && code == CL_SUCCESS; i++)
		if (plan->values[i].kind == VRS_OCL_WEIGHTS && plan->values[i].last >= 0)
			code = upload_value(network, i);
	if (code != CL_SUCCESS)
		return vrs_fail(err, vrs_ocl_memory_status(code), "the OpenCL device cannot take the weights of the network, %zu MiB (%s)",
				(plan->weight_bytes + (1u << 20) - 1) >> 20, vrs_ocl_code_name(code));
	return VRS_OK;
}

static enum vrs_status build_program(struct vrs_ocl_network *network, bool cache, struct vrs_error *err)
{
	const struct vrs_buf *text = &network->plan.source.text;
	bool trials = network->plan.trial_seconds > 0;
	const struct vrs_ocl_build_request request = {.text = vrs_buf_str(text), .length = text->len, .cache = cache, .quiet = trials,
						     .what = trials ? "kernels to be timed" : "the kernels of the network",
						     .options = vrs_ocl_math_build_options(&network->plan),
						     .limit_seconds = network->plan.trial_seconds};

	return vrs_ocl_program_build_with(&network->program, NULL, network->context, &request, err);
}

/* Weights count for the network, and so that nothing is built in vain, a first stream has to fit as well. */
static enum vrs_status take_memory(struct vrs_ocl_network *network, const struct vrs_session_options *options, struct vrs_error *err)
{
	const struct vrs_ocl_plan *plan = &network->plan;

	network->bytes_most = vrs_ocl_memory_limit(&network->context->caps, (uint64_t)options->device_bytes_max, options->device_memory_share);
	const struct vrs_ocl_claim claim = {.bytes = plan->arena_bytes + plan->weight_bytes, .most = network->bytes_most, .what = "the network",
					    .remedy = "use a smaller input or batch"};
	enum vrs_status status = vrs_ocl_memory_take(network->context, &claim, err);

	if (status != VRS_OK)
		return status;
	vrs_ocl_memory_give(network->context, plan->arena_bytes);
	network->bytes_held = plan->weight_bytes;
	return VRS_OK;
}

enum vrs_status vrs_ocl_network_create(struct vrs_ocl_network **ret_network, struct vrs_ocl_context *context, struct vrs_ocl_plan *plan,
				       const struct vrs_session_options *options, struct vrs_error *err)
{
	struct vrs_ocl_network *network = vrs_calloc(1, sizeof *network);

	if (!network) {
		vrs_ocl_plan_fini(plan);
		return vrs_fail_nomem(err);
	}
	atomic_init(&network->users, 1);
	network->context = vrs_ocl_context_ref(context);
	network->plan = *plan;
	*plan = (struct vrs_ocl_plan){0};
	enum vrs_status status = take_memory(network, options, err);

	if (status == VRS_OK && network->plan.source.count > 0)
		status = build_program(network, options->program_cache, err);
	if (status == VRS_OK)
		status = upload_weights(network, err);
	if (status != VRS_OK) {
		vrs_ocl_network_unref(network);
		return status;
	}
	*ret_network = network;
	return VRS_OK;
}
