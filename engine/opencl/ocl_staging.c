/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_staging.h"

#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "opencl/ocl_error.h"

#define ALIGNMENT 4096 /* bytes: drivers that pin plain memory for a transfer pin whole pages */

struct slot {
	cl_mem buffer;            /* NULL: bytes are plain memory */
	uint8_t *bytes;           /* the buffer, mapped all the time: pinned memory */
	cl_event moved;           /* its transfer; NULL: none in flight */
};

struct vrs_ocl_staging {
	struct vrs_ocl_context *context;
	struct vrs_ocl_transfers transfers;
	struct vrs_ocl_picture layout; /* planes without buffers */
	size_t at[3], bytes;      /* of the planes in a slot; of a slot */
	struct slot slots[VRS_OCL_MAX_SLOTS];
	int slot_count;
	int next, fetched;        /* slot of the next transfer; pictures that were fetched and not got */
};

static enum vrs_status make_slot(struct vrs_ocl_staging *staging, struct slot *slot, struct vrs_error *err)
{
	const struct vrs_ocl_context *context = staging->context;
	int code = CL_SUCCESS;

	if (!staging->transfers.pinned) {
		slot->bytes = vrs_alloc_aligned(ALIGNMENT, staging->bytes);
		if (!slot->bytes)
			return vrs_fail_nomem(err);
		memset(slot->bytes, 0, staging->bytes);
		return VRS_OK;
	}
	slot->buffer = clCreateBuffer(context->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, staging->bytes, NULL, &code);
	if (code == CL_SUCCESS)
		slot->bytes = clEnqueueMapBuffer(context->upload, slot->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, staging->bytes, 0, NULL, NULL,
						 &code);
	if (code != CL_SUCCESS)
		return vrs_ocl_check(err, code, "pin memory for transfers; use --no-pinned-memory");
	memset(slot->bytes, 0, staging->bytes); /* between rows too, which transfers take along */
	return VRS_OK;
}

enum vrs_status vrs_ocl_staging_create(struct vrs_ocl_staging **ret_staging, struct vrs_ocl_context *context,
				       const struct vrs_ocl_picture_format *format, const struct vrs_ocl_transfers *transfers, struct vrs_error *err)
{
	struct vrs_ocl_staging *staging = vrs_calloc(1, sizeof *staging);

	if (!staging)
		return vrs_fail_nomem(err);
	staging->context = vrs_ocl_context_ref(context);
	staging->transfers = transfers ? *transfers : (struct vrs_ocl_transfers){.pinned = true, .async = true};
	staging->slot_count = staging->transfers.slots > 0 ? staging->transfers.slots : VRS_OCL_SLOTS;
	VRS_ASSERT(staging->slot_count <= VRS_OCL_MAX_SLOTS);
	enum vrs_status status = vrs_ocl_picture_layout(&staging->layout, format, err);

	for (int p = 0; p < staging->layout.plane_count; p++) { /* less than 2^32 bytes each */
		staging->at[p] = staging->bytes;
		staging->bytes += vrs_ocl_plane_bytes(&staging->layout, p);
	}
	for (int i = 0; i < staging->slot_count && status == VRS_OK; i++)
		status = make_slot(staging, &staging->slots[i], err);
	if (status != VRS_OK) {
		vrs_ocl_staging_destroy(staging);
		return status;
	}
	*ret_staging = staging;
	return VRS_OK;
}

void vrs_ocl_staging_destroy(struct vrs_ocl_staging *staging)
{
	if (!staging)
		return;
	for (int i = 0; i < staging->slot_count; i++) {
		struct slot *slot = &staging->slots[i];

		if (slot->moved) {
			(void)clWaitForEvents(1, &slot->moved); /* nobody is left who could be told */
			(void)clReleaseEvent(slot->moved);
		}
		if (!slot->buffer)
			vrs_free_aligned(slot->bytes);
		else if (slot->bytes)
			(void)clEnqueueUnmapMemObject(staging->context->upload, slot->buffer, slot->bytes, 0, NULL, NULL);
		if (slot->buffer)
			(void)clReleaseMemObject(slot->buffer);
	}
	(void)clFinish(staging->context->upload);
	vrs_ocl_context_close(staging->context);
	vrs_free(staging);
}

/* Until the slot's transfer is over. */
static enum vrs_status settle(struct slot *slot, struct vrs_error *err)
{
	if (!slot->moved)
		return VRS_OK;
	int code = clWaitForEvents(1, &slot->moved);

	(void)clReleaseEvent(slot->moved);
	slot->moved = NULL;
	return vrs_ocl_check(err, code, "finish a transfer");
}

static void rows_of(const struct vrs_ocl_staging *staging, int slot, struct vrs_ocl_rows ret_rows[3])
{
	for (int p = 0; p < 3; p++)
		ret_rows[p] = (struct vrs_ocl_rows){0};
	for (int p = 0; p < staging->layout.plane_count; p++)
		ret_rows[p] = (struct vrs_ocl_rows){.data = staging->slots[slot].bytes + staging->at[p],
			.stride_bytes = (ptrdiff_t)staging->layout.planes[p].pitch * staging->layout.sample_bytes};
}

static void copy_rows(const struct vrs_ocl_staging *staging, const struct vrs_ocl_rows to[3], const struct vrs_ocl_rows from[3])
{
	for (int p = 0; p < staging->layout.plane_count; p++) {
		const struct vrs_ocl_plane *plane = &staging->layout.planes[p];
		size_t bytes = (size_t)plane->width * (size_t)plane->channels * (size_t)staging->layout.sample_bytes;

		for (int y = 0; y < plane->height; y++)
			memcpy(to[p].data + to[p].stride_bytes * y, from[p].data + from[p].stride_bytes * y, bytes);
	}
}

static enum vrs_status check_picture(const struct vrs_ocl_staging *staging, const struct vrs_ocl_picture *picture, struct vrs_error *err)
{
	for (int p = 0; p < staging->layout.plane_count; p++)
		if (picture->plane_count != staging->layout.plane_count || !picture->planes[p].buffer ||
		    vrs_ocl_plane_bytes(picture, p) != vrs_ocl_plane_bytes(&staging->layout, p))
			return vrs_fail(err, VRS_EINTERNAL, "a picture of another format cannot be transferred");
	return VRS_OK;
}

/* Queue the transfers of the next slot's planes, up or down; the last one is the slot's and the picture's event. */
static enum vrs_status move(struct vrs_ocl_staging *staging, struct vrs_ocl_picture *picture, enum vrs_ocl_queue way, struct vrs_error *err)
{
	struct slot *slot = &staging->slots[staging->next];
	enum vrs_ocl_queue to = staging->transfers.async ? way : VRS_OCL_COMPUTE;
	cl_bool blocking = staging->transfers.async ? CL_FALSE : CL_TRUE;
	cl_command_queue queue = vrs_ocl_queue_of(staging->context, to);
	struct vrs_ocl_waits waits = {0};
	int code = CL_SUCCESS;

	vrs_ocl_order_wait(&picture->order, to, &waits);
	for (int p = 0; p < picture->plane_count && code == CL_SUCCESS; p++) {
		cl_uint count = p == 0 ? waits.count : 0;
		const cl_event *events = count ? waits.events : NULL;
		cl_event event;
		cl_mem buffer = picture->planes[p].buffer;
		size_t bytes = vrs_ocl_plane_bytes(picture, p);
		uint8_t *host = slot->bytes + staging->at[p];

		if (way == VRS_OCL_UPLOAD)
			code = clEnqueueWriteBuffer(queue, buffer, blocking, 0, bytes, host, count, events, &event);
		else
			code = clEnqueueReadBuffer(queue, buffer, blocking, 0, bytes, host, count, events, &event);
		if (code != CL_SUCCESS)
			break;
		if (slot->moved)
			(void)clReleaseEvent(slot->moved);
		slot->moved = event;
	}
	int flushed = clFlush(queue), set = slot->moved ? vrs_ocl_order_set(&picture->order, to, slot->moved) : CL_SUCCESS;

	code = code != CL_SUCCESS ? code : flushed != CL_SUCCESS ? flushed : set;
	if (code == CL_SUCCESS)
		staging->next = (staging->next + 1) % staging->slot_count;
	return vrs_ocl_check(err, code, way == VRS_OCL_UPLOAD ? "take a picture" : "give a picture");
}

enum vrs_status vrs_ocl_staging_take(struct vrs_ocl_staging *staging, struct vrs_ocl_rows ret_rows[3], struct vrs_error *err)
{
	enum vrs_status status = settle(&staging->slots[staging->next], err);

	if (status == VRS_OK)
		rows_of(staging, staging->next, ret_rows);
	return status;
}

enum vrs_status vrs_ocl_staging_send(struct vrs_ocl_staging *staging, struct vrs_ocl_picture *picture, struct vrs_error *err)
{
	enum vrs_status status = check_picture(staging, picture, err);

	return status == VRS_OK ? move(staging, picture, VRS_OCL_UPLOAD, err) : status;
}

enum vrs_status vrs_ocl_staging_up(struct vrs_ocl_staging *staging, struct vrs_ocl_picture *picture, const struct vrs_ocl_rows rows[3],
				   struct vrs_error *err)
{
	struct vrs_ocl_rows slot[3];
	enum vrs_status status = vrs_ocl_staging_take(staging, slot, err);

	if (status != VRS_OK)
		return status;
	copy_rows(staging, slot, rows);
	return vrs_ocl_staging_send(staging, picture, err);
}

enum vrs_status vrs_ocl_staging_fetch(struct vrs_ocl_staging *staging, struct vrs_ocl_picture *picture, struct vrs_error *err)
{
	enum vrs_status status = check_picture(staging, picture, err);

	if (status == VRS_OK && staging->fetched == staging->slot_count)
		status = vrs_fail(err, VRS_EINTERNAL, "%d pictures are fetched already and were not got", staging->slot_count);
	if (status == VRS_OK)
		status = move(staging, picture, VRS_OCL_DOWNLOAD, err);
	staging->fetched += status == VRS_OK;
	return status;
}

enum vrs_status vrs_ocl_staging_get(struct vrs_ocl_staging *staging, struct vrs_ocl_rows ret_rows[3], struct vrs_error *err)
{
	int slot = (staging->next + staging->slot_count - staging->fetched) % staging->slot_count;

	if (staging->fetched == 0)
		return vrs_fail(err, VRS_EINTERNAL, "no picture was fetched");
	staging->fetched--;
	enum vrs_status status = settle(&staging->slots[slot], err);

	if (status == VRS_OK)
		rows_of(staging, slot, ret_rows);
	return status;
}

enum vrs_status vrs_ocl_staging_down(struct vrs_ocl_staging *staging, const struct vrs_ocl_rows rows[3], struct vrs_error *err)
{
	struct vrs_ocl_rows slot[3];
	enum vrs_status status = vrs_ocl_staging_get(staging, slot, err);

	if (status == VRS_OK)
		copy_rows(staging, rows, slot);
	return status;
}
