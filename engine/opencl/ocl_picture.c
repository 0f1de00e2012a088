/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_picture.h"

#include "base/assert.h"
#include "base/mem.h"
#include "opencl/ocl_error.h"

#define PITCH_MULTIPLE 64 /* elements */

cl_command_queue vrs_ocl_queue_of(const struct vrs_ocl_context *context, enum vrs_ocl_queue queue)
{
	return queue == VRS_OCL_UPLOAD ? context->upload : queue == VRS_OCL_COMPUTE ? context->compute : context->download;
}

void vrs_ocl_order_wait(const struct vrs_ocl_order *order, enum vrs_ocl_queue queue, struct vrs_ocl_waits *waits)
{
	for (int i = 0; i < VRS_OCL_QUEUES; i++) {
		if (i == (int)queue || !order->last[i])
			continue;
		VRS_ASSERT(waits->count < VRS_OCL_WAITS);
		waits->events[waits->count++] = order->last[i];
	}
}

int vrs_ocl_order_set(struct vrs_ocl_order *order, enum vrs_ocl_queue queue, cl_event event)
{
	if (order->last[queue])
		(void)clReleaseEvent(order->last[queue]);
	order->last[queue] = clRetainEvent(event) == CL_SUCCESS ? event : NULL;
	return order->last[queue] ? CL_SUCCESS : clWaitForEvents(1, &event);
}

static void order_clear(struct vrs_ocl_order *order)
{
	for (int i = 0; i < VRS_OCL_QUEUES; i++)
		if (order->last[i])
			(void)clReleaseEvent(order->last[i]);
	*order = (struct vrs_ocl_order){0};
}

static enum vrs_status layout_plane(struct vrs_ocl_plane *plane, const struct vrs_ocl_picture_format *format, int p, struct vrs_error *err)
{
	plane->channels = p == 1 && format->interleaved ? 2 : 1;
	plane->width = vrs_plane_width(&format->samples, p);
	plane->height = vrs_plane_height(&format->samples, p);
	/* at most 2 * 65536 elements a row */
	plane->pitch = (plane->width * plane->channels + PITCH_MULTIPLE - 1) / PITCH_MULTIPLE * PITCH_MULTIPLE;
	if ((int64_t)plane->pitch * plane->height > INT32_MAX)
		return vrs_fail(err, VRS_ELIMIT, "a picture of %dx%d is too large for an OpenCL device", format->samples.width,
				format->samples.height);
	return VRS_OK;
}

enum vrs_status vrs_ocl_picture_layout(struct vrs_ocl_picture *ret_picture, const struct vrs_ocl_picture_format *format, struct vrs_error *err)
{
	const struct vrs_picture_format *samples = &format->samples;

	*ret_picture = (struct vrs_ocl_picture){0};
	if (vrs_picture_format_check(samples) != VRS_OK || (samples->planes != 1 && samples->planes != 3) || format->low_bits < 0 ||
	    format->low_bits + samples->bit_depth > 8 * vrs_sample_bytes(samples))
		return vrs_fail(err, VRS_EINVAL, "no picture on an OpenCL device has %dx%d samples in %d planes of %d bits", samples->width,
				samples->height, samples->planes, samples->bit_depth);
	ret_picture->format = *format;
	ret_picture->sample_bytes = vrs_sample_bytes(samples);
	ret_picture->plane_count = samples->planes == 1 ? 1 : format->interleaved ? 2 : 3;
	for (int p = 0; p < ret_picture->plane_count; p++) {
		enum vrs_status status = layout_plane(&ret_picture->planes[p], format, p, err);
		if (status != VRS_OK)
			return status;
	}
	return VRS_OK;
}

size_t vrs_ocl_plane_bytes(const struct vrs_ocl_picture *picture, int p)
{
	return (size_t)picture->planes[p].pitch * (size_t)picture->planes[p].height * (size_t)picture->sample_bytes;
}

enum vrs_status vrs_ocl_picture_init(struct vrs_ocl_picture *picture, const struct vrs_ocl_context *context,
				     const struct vrs_ocl_picture_format *format, struct vrs_error *err)
{
	enum vrs_status status = vrs_ocl_picture_layout(picture, format, err);

	for (int p = 0; p < picture->plane_count && status == VRS_OK; p++) {
		int code = CL_SUCCESS;

		if (vrs_ocl_plane_bytes(picture, p) > context->caps.max_alloc_bytes)
			return vrs_fail(err, VRS_ELIMIT, "a picture of %dx%d does not fit a buffer of %s", format->samples.width,
					format->samples.height, context->caps.name);
		picture->planes[p].buffer = clCreateBuffer(context->context, CL_MEM_READ_WRITE, vrs_ocl_plane_bytes(picture, p), NULL, &code);
		status = vrs_ocl_check(err, code, "hold a picture");
	}
	return status;
}

void vrs_ocl_picture_fini(struct vrs_ocl_picture *picture)
{
	for (int p = 0; p < 3; p++)
		if (picture->planes[p].buffer)
			(void)clReleaseMemObject(picture->planes[p].buffer);
	order_clear(&picture->order);
	*picture = (struct vrs_ocl_picture){0};
}
