/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of the layer that do more than to fail: what devices say, buffers, arguments of kernels, mappings. */
#include "fault_wrap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* cl_nv_device_attribute_query, which the headers of Debian 12 lack. */
#define NV_PCI_BUS_ID 0x4008
#define NV_PCI_SLOT_ID 0x4009
#define NV_PCI_DOMAIN_ID 0x400a

void fault_answer(cl_int code, cl_int *ret_code)
{
	if (ret_code)
		*ret_code = code;
}

cl_int fault_give(const void *from, size_t bytes, size_t room, void *to, size_t *ret_bytes)
{
	if (to && room < bytes)
		return CL_INVALID_VALUE;
	if (to)
		memcpy(to, from, bytes);
	if (ret_bytes)
		*ret_bytes = bytes;
	return CL_SUCCESS;
}

bool fault_are_alive(enum fault_call call, cl_uint n, const cl_event *events)
{
	for (cl_uint i = 0; events && i < n; i++) {
		if (!fault_is_alive(events[i])) {
			fault_count_misuse(call, "with an event that is not alive");
			return false;
		}
	}
	return true;
}

/* Buffers that a command uses: they are alive, and have their memory by now. */
cl_int fault_use_buffers(enum fault_call call, cl_uint n, const cl_mem *buffers)
{
	for (cl_uint i = 0; i < n; i++) {
		if (!fault_is_alive(buffers[i])) {
			fault_count_misuse(call, "with a buffer that is not alive");
			return CL_INVALID_MEM_OBJECT;
		}
		if (!fault_place(buffers[i]))
			return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	}
	return CL_SUCCESS;
}

cl_int fault_queued(cl_int code, cl_command_queue queue, const cl_event *event)
{
	if (code == CL_SUCCESS && event)
		fault_add_object(FAULT_EVENT, *event, queue, 0);
	return code;
}

cl_int CL_API_CALL layer_clGetPlatformIDs(cl_uint n, cl_platform_id *ids, cl_uint *ret_n)
{
	cl_uint count = 0;
	cl_int code;

	if (fault_due(FAULT_CALL_clGetPlatformIDs, NULL, true, &code))
		return code;
	code = next->clGetPlatformIDs(n, ids, &count);
	for (cl_uint i = 0; code == CL_SUCCESS && ids && i < n && i < count; i++)
		fault_add_object(FAULT_PLATFORM, ids[i], NULL, 0);
	if (ret_n)
		*ret_n = count;
	return code;
}

cl_int CL_API_CALL layer_clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t room, void *value, size_t *ret_bytes)
{
	const char *told = fault_settings()->platform;
	cl_int code;

	if (fault_due(FAULT_CALL_clGetPlatformInfo, platform, true, &code))
		return code;
	if (what == CL_PLATFORM_NAME && told)
		return fault_give(told, strlen(told) + 1, room, value, ret_bytes);
	return next->clGetPlatformInfo(platform, what, room, value, ret_bytes);
}

cl_int CL_API_CALL layer_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint n, cl_device_id *ids, cl_uint *ret_n)
{
	const cl_device_type told = fault_settings()->type;
	cl_uint count = 0;
	cl_int code;

	if (fault_due(FAULT_CALL_clGetDeviceIDs, platform, true, &code))
		return code;
	if (told != 0 && type != CL_DEVICE_TYPE_ALL && type != CL_DEVICE_TYPE_DEFAULT) {
		if ((type & told) == 0)
			return CL_DEVICE_NOT_FOUND;
		type = CL_DEVICE_TYPE_ALL;
	}
	code = next->clGetDeviceIDs(platform, type, n, ids, &count);
	for (cl_uint i = 0; code == CL_SUCCESS && ids && i < n && i < count; i++)
		fault_add_object(FAULT_DEVICE, ids[i], NULL, 0);
	if (ret_n)
		*ret_n = count;
	return code;
}

/* No buffer is larger than the memory. */
static cl_int memory_size(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *ret_bytes)
{
	const struct fault_settings *told = fault_settings();
	cl_ulong bytes = 0;
	cl_int code = next->clGetDeviceInfo(device, what, sizeof bytes, &bytes, NULL);

	if (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE && told->max_alloc > 0)
		bytes = told->max_alloc;
	if (told->global > 0 && (what == CL_DEVICE_GLOBAL_MEM_SIZE || bytes > told->global))
		bytes = told->global;
	return code != CL_SUCCESS ? code : fault_give(&bytes, sizeof bytes, room, value, ret_bytes);
}

/* As drivers do that know the extension alone, or as NVIDIA's do; false: the driver answers. */
static bool tell_address(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *ret_bytes, cl_int *ret_code)
{
	const struct fault_settings *told = fault_settings();
	const cl_uint bus = (cl_uint)(told->pci_bus + fault_device_index(device)), zero = 0;
	const cl_device_pci_bus_info_khr info = {.pci_bus = bus};
	const bool by_extension = told->extensions && strstr(told->extensions, "cl_khr_pci_bus_info");

	if (told->pci_bus < 0)
		return false;
	if (by_extension && what == CL_DEVICE_PCI_BUS_INFO_KHR)
		*ret_code = fault_give(&info, sizeof info, room, value, ret_bytes);
	else if (!by_extension && what == NV_PCI_BUS_ID)
		*ret_code = fault_give(&bus, sizeof bus, room, value, ret_bytes);
	else if (!by_extension && (what == NV_PCI_SLOT_ID || what == NV_PCI_DOMAIN_ID))
		*ret_code = fault_give(&zero, sizeof zero, room, value, ret_bytes);
	else
		return false;
	return true;
}

cl_int CL_API_CALL layer_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *ret_bytes)
{
	const struct fault_settings *told = fault_settings();
	cl_int code;

	if (fault_due(FAULT_CALL_clGetDeviceInfo, device, true, &code))
		return code;
	if (what == CL_DEVICE_NAME && told->name)
		return fault_give(told->name, strlen(told->name) + 1, room, value, ret_bytes);
	if (what == CL_DEVICE_EXTENSIONS && told->extensions)
		return fault_give(told->extensions, strlen(told->extensions) + 1, room, value, ret_bytes);
	if (what == CL_DEVICE_TYPE && told->type != 0)
		return fault_give(&told->type, sizeof told->type, room, value, ret_bytes);
	if (what == CL_DEVICE_MAX_COMPUTE_UNITS && told->units > 0)
		return fault_give(&told->units, sizeof told->units, room, value, ret_bytes);
	if (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE || what == CL_DEVICE_GLOBAL_MEM_SIZE)
		return memory_size(device, what, room, value, ret_bytes);
	if (tell_address(device, what, room, value, ret_bytes, &code))
		return code;
	if (told->keep && what >= 0x4000) /* of extensions: oclgrind, which has none, takes the question for a mistake */
		return CL_INVALID_VALUE;
	return next->clGetDeviceInfo(device, what, room, value, ret_bytes);
}

cl_context CL_API_CALL layer_clCreateContext(const cl_context_properties *how, cl_uint n, const cl_device_id *devices,
						     void(CL_CALLBACK *call)(const char *, const void *, size_t, void *), void *data, cl_int *ret_code)
{
	cl_context made = NULL;
	cl_int code;

	if (!fault_due(FAULT_CALL_clCreateContext, n > 0 && devices ? devices[0] : NULL, false, &code))
		made = next->clCreateContext(how, n, devices, call, data, &code);
	fault_answer(code, ret_code);
	if (made)
		fault_add_object(FAULT_CONTEXT, made, devices[0], 0);
	return made;
}

cl_mem CL_API_CALL layer_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *ret_code)
{
	const struct fault_settings *told = fault_settings();
	cl_mem made = NULL;
	cl_int code;

	if (fault_due(FAULT_CALL_clCreateBuffer, context, false, &code)) {
		fault_answer(code, ret_code);
		return NULL;
	}
	if (told->max_alloc > 0 && bytes > told->max_alloc)
		code = CL_INVALID_BUFFER_SIZE;
	else
		made = next->clCreateBuffer(context, flags, bytes, host, &code);
	if (made) {
		fault_add_object(FAULT_BUFFER, made, context, bytes);
		if ((!told->late || (flags & CL_MEM_COPY_HOST_PTR) != 0) && !fault_place(made)) {
			fault_refer(made, -1);
			(void)next->clReleaseMemObject(made);
			made = NULL;
			code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
		}
	}
	fault_answer(code, ret_code);
	return made;
}

/* What a part of a read-only buffer holds is written before the part is made. */
static cl_mem copy_part(cl_context context, cl_mem of, cl_mem_flags flags, const cl_buffer_region *region, cl_int *ret_code)
{
	cl_device_id device = fault_device_of(of);
	cl_command_queue queue = next->clCreateCommandQueue(context, device, 0, ret_code);
	void *values = malloc(region->size);
	cl_mem made = NULL;

	if (queue && values)
		*ret_code = next->clEnqueueReadBuffer(queue, of, CL_TRUE, region->origin, region->size, values, 0, NULL, NULL);
	if (queue && values && *ret_code == CL_SUCCESS)
		made = next->clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, region->size, values, ret_code);
	free(values);
	if (queue)
		(void)next->clReleaseCommandQueue(queue);
	return made;
}

static cl_mem make_separate(cl_mem of, const cl_buffer_region *region, cl_int *ret_code)
{
	cl_mem_flags flags = 0;
	cl_context context = NULL;

	*ret_code = next->clGetMemObjectInfo(of, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
	if (*ret_code == CL_SUCCESS)
		*ret_code = next->clGetMemObjectInfo(of, CL_MEM_CONTEXT, sizeof context, &context, NULL);
	if (*ret_code != CL_SUCCESS)
		return NULL;
	if ((flags & CL_MEM_READ_ONLY) != 0)
		return copy_part(context, of, CL_MEM_READ_ONLY, region, ret_code);
	return next->clCreateBuffer(context, CL_MEM_READ_WRITE, region->size, NULL, ret_code);
}

cl_mem CL_API_CALL layer_clCreateSubBuffer(cl_mem of, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_int *ret_code)
{
	cl_mem made = NULL;
	cl_int code;

	if (!fault_due(FAULT_CALL_clCreateSubBuffer, of, false, &code)) {
		/* The driver looks at offset, size and alignment. */
		made = next->clCreateSubBuffer(of, flags, type, info, &code);
		if (made && fault_settings()->separate) {
			(void)next->clReleaseMemObject(made);
			made = make_separate(of, info, &code);
		}
	}
	fault_answer(code, ret_code);
	if (made)
		fault_add_object(FAULT_BUFFER, made, of, 0);
	return made;
}

cl_int CL_API_CALL layer_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
	const void *maybe_buffer = NULL;
	cl_int code;

	if (fault_due(FAULT_CALL_clSetKernelArg, kernel, false, &code))
		return code;
	if (value && bytes == sizeof maybe_buffer)
		memcpy(&maybe_buffer, value, sizeof maybe_buffer);
	code = next->clSetKernelArg(kernel, index, bytes, value);
	if (code == CL_SUCCESS)
		fault_set_arg(kernel, index, maybe_buffer);
	return code;
}

/* The events belong to the device of the first: a program waits for one device at a time. */
cl_int CL_API_CALL layer_clWaitForEvents(cl_uint n, const cl_event *events)
{
	cl_int code, real;
	bool fails;

	if (!fault_are_alive(FAULT_CALL_clWaitForEvents, n, events))
		return CL_INVALID_EVENT;
	fails = fault_due(FAULT_CALL_clWaitForEvents, n > 0 && events ? events[0] : NULL, false, &code);
	real = next->clWaitForEvents(n, events);
	return fails ? code : real;
}

/* Does a buffer have what a fill would write? Waits for what the queue does before; false for a fill that is wrong, which the driver refuses. */
static bool holds(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset, size_t size, cl_uint waits,
		  const cl_event *list)
{
	char *values = malloc(size + 1);
	bool same = values && pattern_size > 0 && offset % pattern_size == 0 && size % pattern_size == 0 &&
		    next->clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, size, values, waits, list, NULL) == CL_SUCCESS;

	for (size_t at = 0; same && at < size; at += pattern_size)
		same = memcmp(values + at, pattern, pattern_size) == 0;
	free(values);
	return same;
}

cl_int CL_API_CALL layer_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset,
					     size_t size, WAITS)
{
	const enum fault_call call = FAULT_CALL_clEnqueueFillBuffer;
	cl_int code;

	if (fault_due(call, queue, false, &code))
		return code;
	code = fault_are_alive(call, waits, list) ? fault_use_buffers(call, 1, &buffer) : CL_INVALID_EVENT_WAIT_LIST;
	if (code != CL_SUCCESS)
		return code;
	if (fault_settings()->keep && holds(queue, buffer, pattern, pattern_size, offset, size, waits, list))
		code = event ? next->clEnqueueMarkerWithWaitList(queue, waits, list, event) : CL_SUCCESS;
	else
		code = next->clEnqueueFillBuffer(queue, buffer, pattern, pattern_size, offset, size, waits, list, event);
	return fault_queued(code, queue, event);
}

void *CL_API_CALL layer_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool now, cl_map_flags flags, size_t offset, size_t size,
						   cl_uint waits, const cl_event *list, cl_event *event, cl_int *ret_code)
{
	const enum fault_call call = FAULT_CALL_clEnqueueMapBuffer;
	void *mapped = NULL;
	cl_int code;

	if (!fault_due(call, queue, false, &code)) {
		code = fault_are_alive(call, waits, list) ? fault_use_buffers(call, 1, &buffer) : CL_INVALID_EVENT_WAIT_LIST;
		if (code == CL_SUCCESS)
			mapped = next->clEnqueueMapBuffer(queue, buffer, now, flags, offset, size, waits, list, event, &code);
	}
	if (mapped) {
		(void)fault_queued(code, queue, event);
		fault_count_made(FAULT_MAPPING, 1, 1);
	}
	fault_answer(code, ret_code);
	return mapped;
}

/* Fails as a release does: the mapping is gone. */
cl_int CL_API_CALL layer_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer, void *mapped, WAITS)
{
	const enum fault_call call = FAULT_CALL_clEnqueueUnmapMemObject;
	cl_int code, real;
	bool fails = fault_due(call, queue, false, &code);

	if (!fault_is_alive(queue))
		return code;
	real = fault_are_alive(call, waits, list) ? fault_use_buffers(call, 1, &buffer) : CL_INVALID_EVENT_WAIT_LIST;
	if (real != CL_SUCCESS)
		return real;
	real = next->clEnqueueUnmapMemObject(queue, buffer, mapped, waits, list, fails ? NULL : event);
	if (real == CL_SUCCESS)
		fault_count_made(FAULT_MAPPING, 0, -1);
	return fails ? code : fault_queued(real, queue, event);
}

cl_int CL_API_CALL layer_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t room, void *value,
						  size_t *ret_bytes)
{
	const size_t told = fault_settings()->group;
	cl_int code;

	if (fault_due(FAULT_CALL_clGetKernelWorkGroupInfo, kernel, true, &code))
		return code;
	if (what == CL_KERNEL_WORK_GROUP_SIZE && told > 0)
		return fault_give(&told, sizeof told, room, value, ret_bytes);
	return next->clGetKernelWorkGroupInfo(kernel, device, what, room, value, ret_bytes);
}

bool fault_allows_group(cl_uint dimensions, const size_t *local)
{
	const size_t most = fault_settings()->group;
	size_t items = 1;

	for (cl_uint i = 0; local && i < dimensions && items <= most; i++)
		items *= local[i];
	return most == 0 || items <= most;
}

static cl_int before_kernel(enum fault_call call, cl_command_queue queue, cl_kernel kernel, cl_uint waits, const cl_event *list)
{
	cl_int code;

	if (fault_due(call, queue, false, &code))
		return code;
	if (!fault_are_alive(call, waits, list))
		return CL_INVALID_EVENT_WAIT_LIST;
	if (!fault_is_alive(kernel)) {
		fault_count_misuse(call, "with a kernel that is not alive");
		return CL_INVALID_KERNEL;
	}
	return fault_place_args(call, kernel);
}

cl_int CL_API_CALL layer_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
							const size_t *global, const size_t *local, WAITS)
{
	cl_int code = before_kernel(FAULT_CALL_clEnqueueNDRangeKernel, queue, kernel, waits, list);

	if (code != CL_SUCCESS)
		return code;
	if (!fault_allows_group(dimensions, local))
		return CL_INVALID_WORK_GROUP_SIZE;
	return fault_queued(next->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, list, event), queue, event);
}

cl_int CL_API_CALL layer_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, WAITS)
{
	cl_int code = before_kernel(FAULT_CALL_clEnqueueTask, queue, kernel, waits, list);

	return code != CL_SUCCESS ? code : fault_queued(next->clEnqueueTask(queue, kernel, waits, list, event), queue, event);
}
