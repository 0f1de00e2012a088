/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A node that the device cannot run: by the reference on the host, between two steps of the device. */
#include "opencl/ocl_host_step.h"

#include <string.h>

#include "base/mem.h"
#include "graph/eval.h"
#include "graph/half.h"
#include "opencl/ocl_error.h"

/* Stored halves in the first half of the block become floats: from the end, so that none is overwritten before it is read. */
static void widen_in_place(float *data, size_t n)
{
	for (size_t i = n; i-- > 0;) {
		uint16_t half;

		memcpy(&half, (const char *)data + i * sizeof half, sizeof half);
		data[i] = vrs_half_to_float(half);
	}
}

static void narrow_in_place(float *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint16_t half = vrs_half_from_float(data[i]);

		memcpy((char *)data + i * sizeof half, &half, sizeof half);
	}
}

static bool is_widened(const struct vrs_ocl_plan *plan, const struct vrs_ocl_value *value, int32_t tensor)
{
	return value->type == VRS_F16 && plan->graph.tensors[tensor].dtype == VRS_F32;
}

static enum vrs_status fetch(struct vrs_ocl_stream *stream, int32_t tensor, const void **ret_data, struct vrs_error *err)
{
	const struct vrs_ocl_plan *plan = &stream->network->plan;

	*ret_data = plan->graph.tensors[tensor].data;
	if (*ret_data)
		return VRS_OK;
	const struct vrs_ocl_value *value = &plan->values[plan->value_of[tensor]];
	void *host = stream->host_values[tensor];

	*ret_data = host;
	if (value->bytes == 0)
		return VRS_OK;
	int code = clEnqueueReadBuffer(stream->network->context->compute, stream->values[plan->value_of[tensor]], CL_TRUE, 0, value->bytes, host, 0, NULL,
				       NULL);

	if (code == CL_SUCCESS && is_widened(plan, value, tensor))
		widen_in_place(host, value->elements);
	return vrs_ocl_check(err, code, "send a tensor to the host");
}

static enum vrs_status send(struct vrs_ocl_stream *stream, int32_t tensor, struct vrs_error *err)
{
	const struct vrs_ocl_plan *plan = &stream->network->plan;
	const struct vrs_ocl_value *value = &plan->values[plan->value_of[tensor]];

	if (value->bytes == 0)
		return VRS_OK;
	if (is_widened(plan, value, tensor))
		narrow_in_place(stream->host_values[tensor], value->elements);
	return vrs_ocl_check(err, clEnqueueWriteBuffer(stream->network->context->compute, stream->values[plan->value_of[tensor]], CL_TRUE, 0, value->bytes,
						       stream->host_values[tensor], 0, NULL, NULL), "take a tensor from the host");
}

enum vrs_status vrs_ocl_host_step(struct vrs_ocl_stream *stream, const struct vrs_node *node, struct vrs_error *err)
{
	struct vrs_eval e = {.graph = &stream->network->plan.graph, .node = node};
	enum vrs_status status = VRS_OK;

	for (int k = 0; k < node->inputs && status == VRS_OK; k++)
		if (node->in[k] >= 0)
			status = fetch(stream, node->in[k], &e.in[k], err);
	if (status == VRS_OK && node->residual >= 0)
		status = fetch(stream, node->residual, &e.residual, err);
	if (status == VRS_OK && node->scale >= 0)
		status = fetch(stream, node->scale, &e.scale, err);
	if (status != VRS_OK)
		return status;
	e.out = stream->host_values[node->out];
	vrs_node_eval(&e);
	return send(stream, node->out, err);
}
