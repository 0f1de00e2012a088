/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The OpenCL functions that the fault layer knows, one a row: those of OpenCL 1.2 but for images, samplers, native kernels and sub-devices, and the
 * newer way to make a queue.  A program that calls another one is ended with a message, so that no call escapes unseen.
 *
 *   ASK(name, of, code, parameters, arguments)            asks something; a lost device still answers
 *   DO(name, of, code, parameters, arguments)             does something with the object `of`
 *   WAIT(name, of, code, parameters, arguments)           the same; where a fault is due, the call is made first and its answer replaced
 *   RETAIN(name, type), RELEASE(name, type)               one reference more, one less
 *   MAKE(name, type, kind, of, code, parameters, arguments)  returns a new object of that kind
 *   ENQUEUE(name, n, buffers, parameters, arguments)      queues a command that uses so many buffers, which lie there
 *   OWN(name, code)                                       written out in fault_own.c and fault_build.c
 *
 * `of` is the object whose device may be lost; code is what the call fails with when VRS_CL_FAULT names none.
 */
#ifndef VRS_TESTS_FAULT_CALLS_H
#define VRS_TESTS_FAULT_CALLS_H

/* A query of this object: (OBJECT, PARAM, SIZE, VALUE, SIZE_RET). */
#define ASK_INFO(ASK, name, type, what) \
	ASK(name, of, CL_OUT_OF_HOST_MEMORY, (type of, what param, size_t size, void *value, size_t *ret), (of, param, size, value, ret))

#define PAIR(a, b) ((const cl_mem[]){a, b})
#define WAITS cl_uint waits, const cl_event *list, cl_event *event

#define FAULT_CALLS(ASK, DO, WAIT, RETAIN, RELEASE, MAKE, ENQUEUE, OWN) \
	OWN(clGetPlatformIDs, CL_OUT_OF_HOST_MEMORY) \
	OWN(clGetPlatformInfo, CL_OUT_OF_HOST_MEMORY) \
	OWN(clGetDeviceIDs, CL_DEVICE_NOT_FOUND) \
	OWN(clGetDeviceInfo, CL_OUT_OF_HOST_MEMORY) \
	RETAIN(clRetainDevice, cl_device_id) \
	RELEASE(clReleaseDevice, cl_device_id) \
	OWN(clCreateContext, CL_DEVICE_NOT_AVAILABLE) \
	RETAIN(clRetainContext, cl_context) \
	RELEASE(clReleaseContext, cl_context) \
	ASK_INFO(ASK, clGetContextInfo, cl_context, cl_context_info) \
	MAKE(clCreateCommandQueue, cl_command_queue, FAULT_QUEUE, device, CL_OUT_OF_RESOURCES, \
	     (cl_context context, cl_device_id device, cl_command_queue_properties how, cl_int *error), (context, device, how, &code)) \
	MAKE(clCreateCommandQueueWithProperties, cl_command_queue, FAULT_QUEUE, device, CL_OUT_OF_RESOURCES, \
	     (cl_context context, cl_device_id device, const cl_queue_properties *how, cl_int *error), (context, device, how, &code)) \
	RETAIN(clRetainCommandQueue, cl_command_queue) \
	RELEASE(clReleaseCommandQueue, cl_command_queue) \
	ASK_INFO(ASK, clGetCommandQueueInfo, cl_command_queue, cl_command_queue_info) \
	OWN(clCreateBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE) \
	OWN(clCreateSubBuffer, CL_OUT_OF_RESOURCES) \
	RETAIN(clRetainMemObject, cl_mem) \
	RELEASE(clReleaseMemObject, cl_mem) \
	ASK_INFO(ASK, clGetMemObjectInfo, cl_mem, cl_mem_info) \
	DO(clSetMemObjectDestructorCallback, of, CL_OUT_OF_HOST_MEMORY, \
	   (cl_mem of, void(CL_CALLBACK * call)(cl_mem, void *), void *data), (of, call, data)) \
	MAKE(clCreateProgramWithSource, cl_program, FAULT_PROGRAM, of, CL_OUT_OF_HOST_MEMORY, \
	     (cl_context of, cl_uint n, const char **texts, const size_t *sizes, cl_int *error), (of, n, texts, sizes, &code)) \
	MAKE(clCreateProgramWithBinary, cl_program, FAULT_PROGRAM, of, CL_INVALID_BINARY, \
	     (cl_context of, cl_uint n, const cl_device_id *devices, const size_t *sizes, const unsigned char **binaries, cl_int *each, \
	      cl_int *error), \
	     (of, n, devices, sizes, binaries, each, &code)) \
	RETAIN(clRetainProgram, cl_program) \
	RELEASE(clReleaseProgram, cl_program) \
	OWN(clBuildProgram, CL_BUILD_PROGRAM_FAILURE) \
	OWN(clCompileProgram, CL_COMPILE_PROGRAM_FAILURE) \
	MAKE(clLinkProgram, cl_program, FAULT_PROGRAM, of, CL_LINK_PROGRAM_FAILURE, \
	     (cl_context of, cl_uint n, const cl_device_id *devices, const char *options, cl_uint n_inputs, const cl_program *inputs, \
	      void(CL_CALLBACK * call)(cl_program, void *), void *data, cl_int *error), \
	     (of, n, devices, options, n_inputs, inputs, call, data, &code)) \
	DO(clUnloadPlatformCompiler, NULL, CL_OUT_OF_HOST_MEMORY, (cl_platform_id platform), (platform)) \
	ASK_INFO(ASK, clGetProgramInfo, cl_program, cl_program_info) \
	OWN(clGetProgramBuildInfo, CL_OUT_OF_HOST_MEMORY) \
	MAKE(clCreateKernel, cl_kernel, FAULT_KERNEL, of, CL_OUT_OF_HOST_MEMORY, (cl_program of, const char *name, cl_int *error), (of, name, &code)) \
	OWN(clCreateKernelsInProgram, CL_OUT_OF_HOST_MEMORY) \
	RETAIN(clRetainKernel, cl_kernel) \
	RELEASE(clReleaseKernel, cl_kernel) \
	OWN(clSetKernelArg, CL_OUT_OF_RESOURCES) \
	ASK_INFO(ASK, clGetKernelInfo, cl_kernel, cl_kernel_info) \
	ASK(clGetKernelArgInfo, of, CL_OUT_OF_HOST_MEMORY, \
	    (cl_kernel of, cl_uint index, cl_kernel_arg_info param, size_t size, void *value, size_t *ret), (of, index, param, size, value, ret)) \
	OWN(clGetKernelWorkGroupInfo, CL_OUT_OF_HOST_MEMORY) \
	OWN(clWaitForEvents, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) \
	ASK_INFO(ASK, clGetEventInfo, cl_event, cl_event_info) \
	ASK_INFO(ASK, clGetEventProfilingInfo, cl_event, cl_profiling_info) \
	MAKE(clCreateUserEvent, cl_event, FAULT_EVENT, of, CL_OUT_OF_RESOURCES, (cl_context of, cl_int *error), (of, &code)) \
	DO(clSetUserEventStatus, of, CL_OUT_OF_RESOURCES, (cl_event of, cl_int state), (of, state)) \
	DO(clSetEventCallback, of, CL_OUT_OF_RESOURCES, \
	   (cl_event of, cl_int state, void(CL_CALLBACK * call)(cl_event, cl_int, void *), void *data), (of, state, call, data)) \
	RETAIN(clRetainEvent, cl_event) \
	RELEASE(clReleaseEvent, cl_event) \
	DO(clFlush, queue, CL_OUT_OF_RESOURCES, (cl_command_queue queue), (queue)) \
	WAIT(clFinish, queue, CL_OUT_OF_RESOURCES, (cl_command_queue queue), (queue)) \
	ENQUEUE(clEnqueueReadBuffer, 1, &buffer, \
		(cl_command_queue queue, cl_mem buffer, cl_bool now, size_t offset, size_t size, void *to, WAITS), \
		(queue, buffer, now, offset, size, to, waits, list, event)) \
	ENQUEUE(clEnqueueWriteBuffer, 1, &buffer, \
		(cl_command_queue queue, cl_mem buffer, cl_bool now, size_t offset, size_t size, const void *from, WAITS), \
		(queue, buffer, now, offset, size, from, waits, list, event)) \
	ENQUEUE(clEnqueueReadBufferRect, 1, &buffer, \
		(cl_command_queue queue, cl_mem buffer, cl_bool now, const size_t *at, const size_t *host_at, const size_t *region, size_t row, \
		 size_t slice, size_t host_row, size_t host_slice, void *to, WAITS), \
		(queue, buffer, now, at, host_at, region, row, slice, host_row, host_slice, to, waits, list, event)) \
	ENQUEUE(clEnqueueWriteBufferRect, 1, &buffer, \
		(cl_command_queue queue, cl_mem buffer, cl_bool now, const size_t *at, const size_t *host_at, const size_t *region, size_t row, \
		 size_t slice, size_t host_row, size_t host_slice, const void *from, WAITS), \
		(queue, buffer, now, at, host_at, region, row, slice, host_row, host_slice, from, waits, list, event)) \
	ENQUEUE(clEnqueueCopyBuffer, 2, PAIR(from, to), \
		(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t size, WAITS), \
		(queue, from, to, from_offset, to_offset, size, waits, list, event)) \
	ENQUEUE(clEnqueueCopyBufferRect, 2, PAIR(from, to), \
		(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_at, const size_t *to_at, const size_t *region, \
		 size_t from_row, size_t from_slice, size_t to_row, size_t to_slice, WAITS), \
		(queue, from, to, from_at, to_at, region, from_row, from_slice, to_row, to_slice, waits, list, event)) \
	OWN(clEnqueueFillBuffer, CL_OUT_OF_RESOURCES) \
	OWN(clEnqueueMapBuffer, CL_MAP_FAILURE) \
	OWN(clEnqueueUnmapMemObject, CL_OUT_OF_RESOURCES) \
	ENQUEUE(clEnqueueMigrateMemObjects, n, buffers, \
		(cl_command_queue queue, cl_uint n, const cl_mem *buffers, cl_mem_migration_flags flags, WAITS), \
		(queue, n, buffers, flags, waits, list, event)) \
	OWN(clEnqueueNDRangeKernel, CL_OUT_OF_RESOURCES) \
	OWN(clEnqueueTask, CL_OUT_OF_RESOURCES) \
	ENQUEUE(clEnqueueMarkerWithWaitList, 0, NULL, (cl_command_queue queue, WAITS), (queue, waits, list, event)) \
	ENQUEUE(clEnqueueBarrierWithWaitList, 0, NULL, (cl_command_queue queue, WAITS), (queue, waits, list, event)) \
	OWN(clGetExtensionFunctionAddressForPlatform, CL_SUCCESS)

/* Functions of extensions, written out in fault_commands.c. */
#define FAULT_EXTENSIONS(OWN) \
	OWN(clCreateCommandBufferKHR, CL_OUT_OF_HOST_MEMORY) \
	OWN(clCommandNDRangeKernelKHR, CL_OUT_OF_HOST_MEMORY) \
	OWN(clFinalizeCommandBufferKHR, CL_OUT_OF_RESOURCES) \
	OWN(clEnqueueCommandBufferKHR, CL_OUT_OF_RESOURCES) \
	OWN(clReleaseCommandBufferKHR, CL_OUT_OF_RESOURCES)

#endif
