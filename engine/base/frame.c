/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames that the project itself allocates: one block, planes one after the other, rows aligned for vector loads. */
#include <vrseg/frame.h>

#include <string.h>

#include "base/mem.h"

#define FRAME_ALIGNMENT 64
#define FRAME_MAX_SIDE 65536

enum vrs_status vrs_picture_format_check(const struct vrs_picture_format *format)
{
	if (!format || format->width < 1 || format->height < 1 || format->width > FRAME_MAX_SIDE || format->height > FRAME_MAX_SIDE)
		return VRS_EINVAL;
	if (format->planes != 1 && format->planes != 3 && format->planes != 4)
		return VRS_EINVAL;
	if (format->chroma_shift_x < 0 || format->chroma_shift_x > 2 || format->chroma_shift_y < 0 || format->chroma_shift_y > 2)
		return VRS_EINVAL;
	return format->bit_depth < 8 || format->bit_depth > 16 ? VRS_EINVAL : VRS_OK;
}

static int shift_up(int n, int shift)
{
	return (n + (1 << shift) - 1) >> shift;
}

bool vrs_rect_fits(const struct vrs_rect *rect, const struct vrs_picture_format *format)
{
	bool wide = format->circle ? rect->x < format->width && rect->width <= format->circle : rect->width <= format->width - rect->x;
	return rect->x >= 0 && rect->y >= 0 && rect->width > 0 && rect->height > 0 && wide && rect->height <= format->height - rect->y;
}

int vrs_plane_width(const struct vrs_picture_format *format, int p)
{
	return p == 1 || p == 2 ? shift_up(format->width, format->chroma_shift_x) : format->width;
}

int vrs_plane_height(const struct vrs_picture_format *format, int p)
{
	return p == 1 || p == 2 ? shift_up(format->height, format->chroma_shift_y) : format->height;
}

int vrs_sample_bytes(const struct vrs_picture_format *format)
{
	return format->bit_depth > 8 ? 2 : 1;
}

void vrs_samples_fill(uint8_t *dst, int value, int n, int sample_bytes)
{
	if (sample_bytes == 1 && n > 0)
		memset(dst, value, (size_t)n);
	for (int x = 0; sample_bytes == 2 && x < n; x++)
		((uint16_t *)(void *)dst)[x] = (uint16_t)value;
}

/* Row length of plane p in bytes, rounded up to the alignment. */
static size_t plane_stride(const struct vrs_picture_format *format, int p)
{
	size_t row = (size_t)vrs_plane_width(format, p) * (size_t)vrs_sample_bytes(format);
	return (row + FRAME_ALIGNMENT - 1) & ~(size_t)(FRAME_ALIGNMENT - 1);
}

size_t vrs_frame_bytes(const struct vrs_picture_format *format)
{
	if (vrs_picture_format_check(format))
		return 0;
	size_t total = FRAME_ALIGNMENT;
	for (int p = 0; p < format->planes; p++) {
		size_t plane;
		if (!vrs_mul_size(plane_stride(format, p), (size_t)vrs_plane_height(format, p), &plane) || !vrs_add_size(total, plane, &total))
			return 0;
	}
	return total;
}

enum vrs_status vrs_frame_alloc(struct vrs_frame *ret_frame, const struct vrs_picture_format *format)
{
	size_t total = vrs_frame_bytes(format);
	if (!ret_frame || !total)
		return VRS_EINVAL;
	uint8_t *block = vrs_alloc_aligned(FRAME_ALIGNMENT, total);
	if (!block)
		return VRS_ENOMEM;
	struct vrs_frame frame = {.format = *format, .pts = INT64_MIN, .writable = true, .owner = block, .unref = vrs_free_aligned};
	size_t offset = 0;
	for (int p = 0; p < format->planes; p++) {
		frame.data[p] = block + offset;
		frame.stride_bytes[p] = (ptrdiff_t)plane_stride(format, p);
		offset += plane_stride(format, p) * (size_t)vrs_plane_height(format, p);
	}
	*ret_frame = frame;
	return VRS_OK;
}

void vrs_frame_unref(struct vrs_frame *frame)
{
	if (!frame)
		return;
	if (frame->owner && frame->unref)
		frame->unref(frame->owner);
	memset(frame, 0, sizeof *frame);
}
