/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_end.h"

#include <string.h>

#include "base/mem.h"
#include "opencl/ocl_error.h"
#include "opencl/ocl_stream.h"

#define ALIGNMENT 4096 /* bytes: drivers that pin plain memory for a transfer pin whole pages */

static enum vrs_status pin(struct vrs_ocl_end *end, const struct vrs_ocl_context *context, size_t bytes, struct vrs_error *err)
{
	int code = CL_SUCCESS;

	end->buffer = clCreateBuffer(context->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
	if (code == CL_SUCCESS)
		end->host = clEnqueueMapBuffer(context->upload, end->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code);
	if (code != CL_SUCCESS)
		return vrs_fail(err, vrs_ocl_memory_status(code), "the driver of %s cannot pin %zu KiB of host memory (%s); use --no-pinned-memory",
				context->caps.name, bytes >> 10, vrs_ocl_code_name(code));
	return VRS_OK;
}

enum vrs_status vrs_ocl_end_init(struct vrs_ocl_end *end, const struct vrs_ocl_network *network, int32_t tensor, bool pinned, struct vrs_error *err)
{
	const void *constant = network->plan.graph.tensors[tensor].data;

	end->value = network->plan.value_of[tensor];
	size_t bytes = network->plan.values[end->value].bytes > 0 ? network->plan.values[end->value].bytes : 1;

	if (pinned)
		VRS_TRY(pin(end, network->context, bytes, err));
	else
		end->host = vrs_alloc_aligned(ALIGNMENT, bytes);
	if (!end->host)
		return vrs_fail_nomem(err);
	if (constant)
		memcpy(end->host, constant, network->plan.values[end->value].bytes);
	else
		memset(end->host, 0, bytes); /* an input that the caller never writes is black, not noise */
	return VRS_OK;
}

void vrs_ocl_end_fini(struct vrs_ocl_end *end, const struct vrs_ocl_context *context)
{
	vrs_ocl_event_release(&end->moved);
	if (end->buffer && end->host)
		(void)clEnqueueUnmapMemObject(context->upload, end->buffer, end->host, 0, NULL, NULL);
	else if (!end->buffer)
		vrs_free_aligned(end->host);
	if (end->buffer)
		(void)clReleaseMemObject(end->buffer);
	*end = (struct vrs_ocl_end){0};
}

cl_uint vrs_ocl_ends_moving(const struct vrs_ocl_end *ends, int count, cl_event *list)
{
	cl_uint n = 0;

	for (int i = 0; i < count; i++)
		if (ends[i].moved)
			list[n++] = ends[i].moved;
	return n;
}
