/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_work.h"

#include "base/assert.h"
#include "opencl/ocl_error.h"

#define GROUP 64 /* work-items: two warps of NVIDIA, one wave of AMD */

void vrs_ocl_work_begin(struct vrs_ocl_work *work, const struct vrs_ocl_context *context, const char *what)
{
	*work = (struct vrs_ocl_work){.context = context, .what = what, .code = CL_SUCCESS};
}

void vrs_ocl_work_use(struct vrs_ocl_work *work, struct vrs_ocl_picture *picture)
{
	if (!picture)
		return;
	VRS_ASSERT(!work->last && work->picture_count < VRS_OCL_WORK_PICTURES);
	work->pictures[work->picture_count++] = picture;
}

void vrs_ocl_work_kernel(struct vrs_ocl_work *work, cl_kernel kernel)
{
	work->kernel = kernel;
	work->arg = 0;
}

static void set(struct vrs_ocl_work *work, size_t bytes, const void *value)
{
	if (work->code == CL_SUCCESS)
		work->code = clSetKernelArg(work->kernel, work->arg++, bytes, value);
}

void vrs_ocl_work_mem(struct vrs_ocl_work *work, cl_mem buffer)
{
	set(work, sizeof(cl_mem), buffer ? &buffer : NULL);
}

void vrs_ocl_work_int(struct vrs_ocl_work *work, int value)
{
	cl_int given = value;

	set(work, sizeof given, &given);
}

void vrs_ocl_work_int2(struct vrs_ocl_work *work, const int value[2])
{
	cl_int2 given = {{value[0], value[1]}};

	set(work, sizeof given, &given);
}

void vrs_ocl_work_long2(struct vrs_ocl_work *work, const int64_t value[2])
{
	cl_long2 given = {{value[0], value[1]}};

	set(work, sizeof given, &given);
}

/* Work-items of a group: compilers may allow a kernel fewer than the device takes. */
static size_t group_of(const struct vrs_ocl_work *work)
{
	const struct vrs_ocl_caps *caps = &work->context->caps;
	size_t group = GROUP, limit = 0;

	if (clGetKernelWorkGroupInfo(work->kernel, work->context->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, NULL) != CL_SUCCESS || limit == 0)
		limit = GROUP;
	while (group > 1 && (group > limit || group > caps->max_group || group > caps->max_items[0]))
		group /= 2;
	return group;
}

void vrs_ocl_work_queue(struct vrs_ocl_work *work, int width, int height)
{
	size_t group = group_of(work);
	struct vrs_ocl_waits waits = {0};
	cl_event event;
	const size_t local[2] = {group, 1}, global[2] = {((size_t)width + group - 1) / group * group, (size_t)height};

	for (int i = 0; i < work->picture_count && !work->last; i++)
		vrs_ocl_order_wait(&work->pictures[i]->order, VRS_OCL_COMPUTE, &waits);
	if (work->code == CL_SUCCESS)
		work->code = clEnqueueNDRangeKernel(work->context->compute, work->kernel, 2, NULL, global, local, waits.count,
						    waits.count ? waits.events : NULL, &event);
	if (work->code != CL_SUCCESS)
		return;
	if (work->last)
		(void)clReleaseEvent(work->last);
	work->last = event;
}

enum vrs_status vrs_ocl_work_end(struct vrs_ocl_work *work, struct vrs_error *err)
{
	if (work->last) {
		int code = clFlush(work->context->compute);

		for (int i = 0; i < work->picture_count; i++) {
			int set = vrs_ocl_order_set(&work->pictures[i]->order, VRS_OCL_COMPUTE, work->last);
			code = code == CL_SUCCESS ? set : code;
		}
		work->code = work->code == CL_SUCCESS ? code : work->code;
		(void)clReleaseEvent(work->last);
		work->last = NULL;
	}
	return vrs_ocl_check(err, work->code, work->what);
}

enum vrs_status vrs_ocl_buffer_of(cl_mem *ret_buffer, const struct vrs_ocl_context *context, const void *data, size_t bytes, struct vrs_error *err)
{
	int code = CL_SUCCESS;

	/* the call copies and does not keep the pointer, which OpenCL takes without const */
	*ret_buffer = clCreateBuffer(context->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, (void *)(uintptr_t)data, &code);
	return vrs_ocl_check(err, code, "keep a table");
}

void vrs_ocl_release(cl_mem buffer)
{
	if (buffer)
		(void)clReleaseMemObject(buffer);
}
