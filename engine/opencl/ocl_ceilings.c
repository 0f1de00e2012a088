/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_ceilings.h"

#include <string.h>

#include "base/mem.h"
#include "opencl/ocl_error.h"
#include "opencl/ocl_program.h"
#include "opencl/ocl_source.h"
#include "opencl/ocl_stream.h"

#define BLOCK_BYTES (64u << 20) /* larger than the caches of any device */
#define REPEATS 5
#define LAUNCHES 64
#define FMA_CHAINS 8            /* of a work-item */

struct bench {
	const struct vrs_ocl_context *context;
	cl_program program;
	cl_mem from, to, pinned;
	void *host;
	size_t bytes;              /* of each block */
	int rounds;
	char copy[VRS_OCL_KERNEL_NAME], fma[VRS_OCL_KERNEL_NAME];
};

/* Of a chain of multiply-adds (kernels/ceiling_fma.cl). */
static int lanes_of(const struct vrs_ocl_context *context)
{
	return context->caps.is_cpu ? 16 : 4;
}

static enum vrs_status build(struct bench *b, struct vrs_error *err)
{
	struct vrs_ocl_source source;
	struct vrs_ocl_defines copy = {0}, fma = {0};
	enum vrs_status status = vrs_ocl_source_init(&source);

	b->rounds = b->context->caps.is_cpu ? 256 : 4096;
	vrs_ocl_define(&fma, "ROUNDS", "%d", b->rounds);
	vrs_ocl_define(&fma, "LANES", "%d", lanes_of(b->context));
	if (status != VRS_OK)
		status = vrs_fail_nomem(err);
	if (status == VRS_OK)
		status = vrs_ocl_source_add(&source, "ceiling_copy", &copy, b->copy, err);
	if (status == VRS_OK)
		status = vrs_ocl_source_add(&source, "ceiling_fma", &fma, b->fma, err);
	if (status == VRS_OK)
		status = vrs_ocl_program_build(&b->program, b->context, vrs_buf_str(&source.text), source.text.len, true, err);
	vrs_ocl_source_fini(&source);
	return status;
}

static enum vrs_status make_blocks(struct bench *b, struct vrs_error *err)
{
	size_t most = b->context->caps.max_alloc_bytes / 8;
	int code = CL_SUCCESS;

	b->bytes = (most > 0 && most < BLOCK_BYTES ? most : BLOCK_BYTES) / 4096 * 4096;
	if (b->bytes == 0)
		return vrs_fail(err, VRS_ENOMEM, "%s has too little memory to be measured", b->context->caps.name);
	b->from = clCreateBuffer(b->context->context, CL_MEM_READ_WRITE, b->bytes, NULL, &code);
	if (code == CL_SUCCESS)
		b->to = clCreateBuffer(b->context->context, CL_MEM_READ_WRITE, b->bytes, NULL, &code);
	if (code == CL_SUCCESS)
		b->pinned = clCreateBuffer(b->context->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, b->bytes, NULL, &code);
	if (code == CL_SUCCESS)
		b->host = clEnqueueMapBuffer(b->context->upload, b->pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, b->bytes, 0, NULL, NULL, &code);
	if (code == CL_SUCCESS)
		memset(b->host, 0, b->bytes);
	return vrs_ocl_check(err, code, "give memory for a measurement");
}

static void bench_fini(struct bench *b)
{
	if (b->host)
		(void)clEnqueueUnmapMemObject(b->context->upload, b->pinned, b->host, 0, NULL, NULL);
	(void)clFinish(b->context->upload);
	if (b->pinned)
		(void)clReleaseMemObject(b->pinned);
	if (b->from)
		(void)clReleaseMemObject(b->from);
	if (b->to)
		(void)clReleaseMemObject(b->to);
	if (b->program)
		(void)clReleaseProgram(b->program);
}

/* Of an event, which is waited for and released; 0: not told. */
static double seconds_of(cl_event event)
{
	double seconds = clWaitForEvents(1, &event) == CL_SUCCESS ? vrs_ocl_event_seconds(event) : 0;

	(void)clReleaseEvent(event);
	return seconds;
}

static double shorter(double best, double seconds)
{
	return seconds > 0 && (best == 0 || seconds < best) ? seconds : best;
}

/* Work-items that fill the device. */
static size_t full_grid(const struct vrs_ocl_context *context)
{
	return (size_t)context->caps.compute_units * (context->caps.is_cpu ? 64 : 2048);
}

/* Best time of a kernel whose arguments are set; 0 and a status otherwise. */
static enum vrs_status time_kernel(const struct bench *b, cl_kernel kernel, double *ret_seconds, struct vrs_error *err)
{
	size_t global = full_grid(b->context), local = 64;
	int code = CL_SUCCESS;

	*ret_seconds = 0;
	for (int i = 0; i < REPEATS && code == CL_SUCCESS; i++) {
		cl_event event = NULL;

		code = clEnqueueNDRangeKernel(b->context->compute, kernel, 1, NULL, &global, &local, 0, NULL, &event);
		if (code == CL_SUCCESS)
			*ret_seconds = shorter(*ret_seconds, seconds_of(event));
	}
	return vrs_ocl_check(err, code, "run a measurement");
}

static enum vrs_status measure_copy(const struct bench *b, struct vrs_device_ceilings *c, struct vrs_error *err)
{
	cl_int n = (cl_int)(b->bytes / 16);
	int code;
	cl_kernel kernel = clCreateKernel(b->program, b->copy, &code);

	if (code != CL_SUCCESS)
		return vrs_ocl_check(err, code, "make a kernel");
	code = clSetKernelArg(kernel, 0, sizeof(cl_mem), &b->from);
	code = code == CL_SUCCESS ? clSetKernelArg(kernel, 1, sizeof(cl_mem), &b->to) : code;
	code = code == CL_SUCCESS ? clSetKernelArg(kernel, 2, sizeof n, &n) : code;
	enum vrs_status status = vrs_ocl_check(err, code, "set up a kernel");
	double seconds = 0;

	if (status == VRS_OK)
		status = time_kernel(b, kernel, &seconds, err);
	c->copy_gbps = seconds > 0 ? 2.0 * (double)b->bytes / seconds * 1e-9 : 0;
	(void)clReleaseKernel(kernel);
	return status;
}

static enum vrs_status measure_fma(const struct bench *b, struct vrs_device_ceilings *c, struct vrs_error *err)
{
	const cl_float mul = 0.999f, add = 0.001f;
	int code;
	cl_kernel kernel = clCreateKernel(b->program, b->fma, &code);

	if (code != CL_SUCCESS)
		return vrs_ocl_check(err, code, "make a kernel");
	code = clSetKernelArg(kernel, 0, sizeof(cl_mem), &b->to);
	code = code == CL_SUCCESS ? clSetKernelArg(kernel, 1, sizeof mul, &mul) : code;
	code = code == CL_SUCCESS ? clSetKernelArg(kernel, 2, sizeof add, &add) : code;
	enum vrs_status status = vrs_ocl_check(err, code, "set up a kernel");
	double seconds = 0;

	if (status == VRS_OK)
		status = time_kernel(b, kernel, &seconds, err);
	c->fma_gflops = seconds > 0 ? 2.0 * FMA_CHAINS * lanes_of(b->context) * b->rounds * (double)full_grid(b->context) / seconds * 1e-9 : 0;
	(void)clReleaseKernel(kernel);
	return status;
}

static enum vrs_status measure_transfers(const struct bench *b, struct vrs_device_ceilings *c, struct vrs_error *err)
{
	double up = 0, down = 0;
	int code = CL_SUCCESS;

	for (int i = 0; i < REPEATS && code == CL_SUCCESS; i++) {
		cl_event event = NULL;

		code = clEnqueueWriteBuffer(b->context->upload, b->from, CL_FALSE, 0, b->bytes, b->host, 0, NULL, &event);
		if (code == CL_SUCCESS)
			up = shorter(up, seconds_of(event));
		if (code == CL_SUCCESS)
			code = clEnqueueReadBuffer(b->context->download, b->from, CL_FALSE, 0, b->bytes, b->host, 0, NULL, &event);
		if (code == CL_SUCCESS)
			down = shorter(down, seconds_of(event));
	}
	c->upload_gbps = up > 0 ? (double)b->bytes / up * 1e-9 : 0;
	c->download_gbps = down > 0 ? (double)b->bytes / down * 1e-9 : 0;
	return vrs_ocl_check(err, code, "transfer a block");
}

/* The device's clock from the first of many kernels that do next to nothing to the last. */
static enum vrs_status measure_launch(const struct bench *b, struct vrs_device_ceilings *c, struct vrs_error *err)
{
	const size_t global = 64, local = 64;
	const cl_int nothing = 0;
	cl_event events[2] = {NULL, NULL};
	cl_ulong begin = 0, end = 0;
	int code;
	cl_kernel kernel = clCreateKernel(b->program, b->copy, &code);

	if (code != CL_SUCCESS)
		return vrs_ocl_check(err, code, "make a kernel");
	code = clSetKernelArg(kernel, 0, sizeof(cl_mem), &b->from);
	code = code == CL_SUCCESS ? clSetKernelArg(kernel, 1, sizeof(cl_mem), &b->to) : code;
	code = code == CL_SUCCESS ? clSetKernelArg(kernel, 2, sizeof nothing, &nothing) : code;
	for (int i = 0; i <= LAUNCHES && code == CL_SUCCESS; i++)
		code = clEnqueueNDRangeKernel(b->context->compute, kernel, 1, NULL, &global, &local, 0, NULL,
					      i == 0 ? &events[0] : i == LAUNCHES ? &events[1] : NULL);
	code = code == CL_SUCCESS ? clFinish(b->context->compute) : code;
	if (code == CL_SUCCESS && clGetEventProfilingInfo(events[0], CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL) == CL_SUCCESS &&
	    clGetEventProfilingInfo(events[1], CL_PROFILING_COMMAND_START, sizeof end, &end, NULL) == CL_SUCCESS && end > begin)
		c->launch_us = (double)(end - begin) * 1e-3 / LAUNCHES;
	for (int i = 0; i < 2; i++)
		if (events[i])
			(void)clReleaseEvent(events[i]);
	(void)clReleaseKernel(kernel);
	return vrs_ocl_check(err, code, "run a measurement");
}

enum vrs_status vrs_ocl_ceilings(const struct vrs_ocl_context *context, struct vrs_device_ceilings *ret_ceilings, struct vrs_error *err)
{
	struct bench b = {.context = context};
	struct vrs_device_ceilings c = {.full_items = (int64_t)full_grid(context)};

	if (!context->profiling)
		return vrs_fail(err, VRS_EINVAL, "the ceilings of a device need a context with profiling");
	enum vrs_status status = build(&b, err);

	if (status == VRS_OK)
		status = make_blocks(&b, err);
	if (status == VRS_OK)
		status = measure_copy(&b, &c, err);
	if (status == VRS_OK)
		status = measure_fma(&b, &c, err);
	if (status == VRS_OK)
		status = measure_transfers(&b, &c, err);
	if (status == VRS_OK)
		status = measure_launch(&b, &c, err);
	bench_fini(&b);
	if (status == VRS_OK)
		*ret_ceilings = c;
	return status;
}
