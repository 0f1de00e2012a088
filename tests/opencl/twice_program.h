/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small program of OpenCL that does all that a larger one does once: a kernel doubles numbers. */
#ifndef VRS_TESTS_TWICE_PROGRAM_H
#define VRS_TESTS_TWICE_PROGRAM_H

#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>

#define TWICE_N 64

static const char *twice_source =
	"__kernel void twice(__global int *to, __global const int *from) { to[get_global_id(0)] = 2 * from[get_global_id(0)]; }";

static int twice_parts; /* both buffers are parts of one */
static int twice_fills; /* zeros fill the buffer of results before the kernel runs */

/* What a program has: all NULL at first, and released in one place whatever failed. */
static struct twice_program {
	cl_platform_id platform;
	cl_device_id devices[4];
	cl_uint n_devices;
	cl_context context;
	cl_command_queue queue;
	cl_mem whole, to, from;
	cl_program program;
	cl_kernel kernel;
	cl_event event;
} p;

static inline cl_int twice_list(void)
{
	cl_int code = clGetPlatformIDs(1, &p.platform, NULL);

	return code != CL_SUCCESS ? code : clGetDeviceIDs(p.platform, CL_DEVICE_TYPE_ALL, 4, p.devices, &p.n_devices);
}

static inline cl_int twice_open_device(cl_uint index)
{
	cl_int code = twice_list();

	if (code == CL_SUCCESS)
		p.context = clCreateContext(NULL, 1, &p.devices[index], NULL, NULL, &code);
	if (code == CL_SUCCESS)
		p.queue = clCreateCommandQueue(p.context, p.devices[index], 0, &code);
	return code;
}

static inline cl_int twice_build(void)
{
	cl_int code = CL_SUCCESS;

	p.program = clCreateProgramWithSource(p.context, 1, &twice_source, NULL, &code);
	if (code == CL_SUCCESS)
		code = clBuildProgram(p.program, 0, NULL, "", NULL, NULL);
	if (code == CL_SUCCESS)
		p.kernel = clCreateKernel(p.program, "twice", &code);
	return code;
}

static inline cl_int twice_divide(void)
{
	const cl_buffer_region regions[] = {{0, TWICE_N * sizeof(int)}, {4096, TWICE_N * sizeof(int)}};
	cl_int code = CL_SUCCESS;

	p.whole = clCreateBuffer(p.context, CL_MEM_READ_WRITE, 8192, NULL, &code);
	if (code == CL_SUCCESS)
		p.to = clCreateSubBuffer(p.whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &regions[0], &code);
	if (code == CL_SUCCESS)
		p.from = clCreateSubBuffer(p.whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &regions[1], &code);
	return code;
}

static inline cl_int twice_compute(int *numbers)
{
	const size_t n = TWICE_N;
	cl_int code = CL_SUCCESS;

	if (twice_parts)
		code = twice_divide();
	else
		p.to = clCreateBuffer(p.context, CL_MEM_READ_WRITE, TWICE_N * sizeof(int), NULL, &code);
	if (code == CL_SUCCESS && twice_fills)
		code = clEnqueueFillBuffer(p.queue, p.to, &(const cl_uint){0}, sizeof(cl_uint), 0, TWICE_N * sizeof(int), 0, NULL, NULL);
	if (code == CL_SUCCESS && !p.from)
		p.from = clCreateBuffer(p.context, CL_MEM_READ_WRITE, TWICE_N * sizeof(int), NULL, &code);
	if (code == CL_SUCCESS)
		code = clEnqueueWriteBuffer(p.queue, p.from, CL_TRUE, 0, TWICE_N * sizeof(int), numbers, 0, NULL, NULL);
	if (code == CL_SUCCESS)
		code = clSetKernelArg(p.kernel, 0, sizeof p.to, &p.to);
	if (code == CL_SUCCESS)
		code = clSetKernelArg(p.kernel, 1, sizeof p.from, &p.from);
	if (code == CL_SUCCESS)
		code = clEnqueueNDRangeKernel(p.queue, p.kernel, 1, NULL, &n, NULL, 0, NULL, &p.event);
	if (code == CL_SUCCESS)
		code = clEnqueueReadBuffer(p.queue, p.to, CL_TRUE, 0, TWICE_N * sizeof(int), numbers, 1, &p.event, NULL);
	return code == CL_SUCCESS ? clFinish(p.queue) : code;
}

static inline void twice_tidy(void)
{
	if (p.event)
		(void)clReleaseEvent(p.event);
	if (p.kernel)
		(void)clReleaseKernel(p.kernel);
	if (p.program)
		(void)clReleaseProgram(p.program);
	if (p.from)
		(void)clReleaseMemObject(p.from);
	if (p.to)
		(void)clReleaseMemObject(p.to);
	if (p.whole)
		(void)clReleaseMemObject(p.whole);
	if (p.queue)
		(void)clReleaseCommandQueue(p.queue);
	if (p.context)
		(void)clReleaseContext(p.context);
}

/* A whole program; tidies: after a failure too.  0: done and right; 1: a call failed; 2: no call failed, and the result is wrong. */
static inline int twice_whole(int tidies)
{
	int numbers[TWICE_N], wrong = 0;
	cl_int code;

	for (int i = 0; i < TWICE_N; i++)
		numbers[i] = i;
	code = twice_open_device(0);
	if (code == CL_SUCCESS)
		code = twice_build();
	if (code == CL_SUCCESS)
		code = twice_compute(numbers);
	for (int i = 0; i < TWICE_N; i++)
		wrong += numbers[i] != 2 * i;
	if (code == CL_SUCCESS || tidies)
		twice_tidy();
	return code != CL_SUCCESS ? 1 : wrong > 0 ? 2 : 0;
}

#endif
