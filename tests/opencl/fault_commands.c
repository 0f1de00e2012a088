/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command buffers (cl_khr_command_buffer): their functions are in no table, a program asks the platform for them and gets those of the layer. */
#include "fault_wrap.h"

#include <string.h>

#include <CL/cl_ext.h>

/* Those of the driver, once a program has asked. */
static clCreateCommandBufferKHR_fn create;
static clCommandNDRangeKernelKHR_fn record;
static clFinalizeCommandBufferKHR_fn finalize;
static clEnqueueCommandBufferKHR_fn enqueue;
static clReleaseCommandBufferKHR_fn release;

static cl_command_buffer_khr CL_API_CALL layer_create(cl_uint n, const cl_command_queue *queues, const cl_command_buffer_properties_khr *properties,
						      cl_int *ret_code)
{
	const void *queue = n > 0 && queues ? (const void *)queues[0] : NULL;
	cl_command_buffer_khr made = NULL;
	cl_int code;

	if (!fault_due(FAULT_CALL_clCreateCommandBufferKHR, queue, false, &code))
		made = create(n, queues, properties, &code);
	fault_answer(code, ret_code);
	if (made)
		fault_add_object(FAULT_RECORDING, made, queue, 0);
	return made;
}

static cl_int CL_API_CALL layer_record(cl_command_buffer_khr of, cl_command_queue queue, const cl_ndrange_kernel_command_properties_khr *properties,
				       cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global, const size_t *local, cl_uint waits,
				       const cl_sync_point_khr *list, cl_sync_point_khr *point, cl_mutable_command_khr *handle)
{
	const enum fault_call call = FAULT_CALL_clCommandNDRangeKernelKHR;
	cl_int code;

	if (fault_due(call, of, false, &code))
		return code;
	if (!fault_is_alive(kernel)) {
		fault_count_misuse(call, "with a kernel that is not alive");
		return CL_INVALID_KERNEL;
	}
	if (!fault_allows_group(dimensions, local))
		return CL_INVALID_WORK_GROUP_SIZE;
	code = fault_place_args(call, kernel);
	return code != CL_SUCCESS ? code : record(of, queue, properties, kernel, dimensions, offset, global, local, waits, list, point, handle);
}

static cl_int CL_API_CALL layer_finalize(cl_command_buffer_khr of)
{
	cl_int code;

	return fault_due(FAULT_CALL_clFinalizeCommandBufferKHR, of, false, &code) ? code : finalize(of);
}

static cl_int CL_API_CALL layer_enqueue(cl_uint n, cl_command_queue *queues, cl_command_buffer_khr of, cl_uint waits, const cl_event *list,
					cl_event *event)
{
	const enum fault_call call = FAULT_CALL_clEnqueueCommandBufferKHR;
	cl_int code;

	if (fault_due(call, of, false, &code))
		return code;
	if (!fault_are_alive(call, waits, list))
		return CL_INVALID_EVENT_WAIT_LIST;
	code = enqueue(n, queues, of, waits, list, event);
	if (code == CL_SUCCESS && event)
		fault_add_object(FAULT_EVENT, *event, of, 0);
	return code;
}

static cl_int CL_API_CALL layer_release(cl_command_buffer_khr of)
{
	cl_int code, real;
	bool fails = fault_due(FAULT_CALL_clReleaseCommandBufferKHR, of, true, &code);

	if (of && !fault_is_alive(of))
		return code;
	fault_refer(of, -1);
	real = release(of);
	return fails ? code : real;
}

/* Pointers to functions and to data have one size where drivers are loaded. */
#define GIVE(name, member) \
	if (strcmp(asked, #name) == 0) { \
		const name##_fn own = layer_##member; \
		void *address = next->clGetExtensionFunctionAddressForPlatform(platform, asked); \
\
		memcpy(&member, &address, sizeof member); \
		if (address) \
			memcpy(&address, &own, sizeof address); \
		return address; \
	}

/* Functions of other extensions would escape the layer, so that there are none. */
void *CL_API_CALL layer_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *asked)
{
	cl_int code;

	if (fault_due(FAULT_CALL_clGetExtensionFunctionAddressForPlatform, platform, true, &code))
		return NULL;
	GIVE(clCreateCommandBufferKHR, create)
	GIVE(clCommandNDRangeKernelKHR, record)
	GIVE(clFinalizeCommandBufferKHR, finalize)
	GIVE(clEnqueueCommandBufferKHR, enqueue)
	GIVE(clReleaseCommandBufferKHR, release)
	return NULL;
}
