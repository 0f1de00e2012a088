/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by tests of frames on a device: PoCL as the device, host frames there and back in any arrangement of planes, and equality. */
#ifndef VRS_TEST_FRAME_CHECK_H
#define VRS_TEST_FRAME_CHECK_H

#include <stdlib.h>
#include <string.h>

#include "opencl/frame_tables.h"
#include "opencl/ocl_staging.h"
#include "unit/random_frame.h"

/* Elements beyond each row on the host: rows there are no multiple of anything. */
#define ROW_GAP 3

static inline struct vrs_ocl_context *open_device(void)
{
	struct vrs_ocl_context *context = NULL;
	struct vrs_error err = {0};
	enum vrs_status status = vrs_ocl_context_open(&context, "", false, &err);

	if (status == VRS_ENOTFOUND) {
		print_message("skipped: %s\n", err.text);
		exit(77);
	}
	if (status != VRS_OK)
		fail_msg("%s", err.text);
	return context;
}

static inline void must(enum vrs_status status, const struct vrs_error *err)
{
	if (status != VRS_OK)
		fail_msg("%s", err->text);
}

static inline struct vrs_ocl_frame *make_kernels(struct vrs_ocl_context *context, const struct vrs_ocl_picture_format *format, int channels,
						 int channel, enum vrs_ocl_alpha_kind kind)
{
	struct vrs_ocl_frame_options options = {.format = *format, .output_channels = channels, .output_channel = channel, .kind = kind};
	struct vrs_ocl_frame *frame = NULL;
	struct vrs_error err = {0};

	for (int i = 0; i < 256; i++)
		options.curve[i] = (uint8_t)i;
	must(vrs_ocl_frame_create(&frame, context, &options, false, &err), &err);
	return frame;
}

/* Host rows of a picture, with a gap of ROW_GAP elements after each that nobody is to touch. */
struct host_rows {
	struct vrs_ocl_rows rows[3];
};

static inline struct host_rows make_rows(const struct vrs_ocl_picture *picture)
{
	struct host_rows host = {0};

	for (int p = 0; p < picture->plane_count; p++) {
		const struct vrs_ocl_plane *plane = &picture->planes[p];
		ptrdiff_t stride = (ptrdiff_t)(plane->width * plane->channels + ROW_GAP) * picture->sample_bytes;

		host.rows[p] = (struct vrs_ocl_rows){.data = malloc((size_t)stride * (size_t)plane->height), .stride_bytes = stride};
		assert_non_null(host.rows[p].data);
		memset(host.rows[p].data, 0xa5, (size_t)stride * (size_t)plane->height);
	}
	return host;
}

static inline void free_rows(const struct vrs_ocl_picture *picture, struct host_rows *host)
{
	for (int p = 0; p < picture->plane_count; p++) {
		const struct vrs_ocl_plane *plane = &picture->planes[p];
		int row = plane->width * plane->channels * picture->sample_bytes;

		for (int y = 0; y < plane->height; y++)
			for (int i = 0; i < ROW_GAP * picture->sample_bytes; i++)
				assert_int_equal(host->rows[p].data[host->rows[p].stride_bytes * y + row + i], 0xa5);
		free(host->rows[p].data);
	}
}

/* The element of sample (x, y) of the frame's plane p. */
static inline uint8_t *row_element(const struct vrs_ocl_picture *picture, const struct host_rows *host, int p, int x, int y)
{
	int plane = picture->plane_count == 2 && p == 2 ? 1 : p, channels = picture->planes[plane].channels, c = channels == 2 ? p - 1 : 0;

	return host->rows[plane].data + host->rows[plane].stride_bytes * y + (ptrdiff_t)(x * channels + c) * picture->sample_bytes;
}

/* A picture on the device with the frame's samples. */
static inline void upload(struct vrs_ocl_picture *ret, struct vrs_ocl_context *context, const struct vrs_frame *frame,
			  const struct vrs_ocl_picture_format *like)
{
	struct vrs_ocl_picture_format format = {.samples = frame->format, .interleaved = like->interleaved, .low_bits = like->low_bits};
	struct vrs_ocl_staging *staging = NULL;
	struct vrs_error err = {0};

	must(vrs_ocl_picture_init(ret, context, &format, &err), &err);
	must(vrs_ocl_staging_create(&staging, context, &format, NULL, &err), &err);
	struct host_rows host = make_rows(ret);
	for (int p = 0; p < frame->format.planes; p++)
		for (int y = 0; y < vrs_plane_height(&frame->format, p); y++)
			for (int x = 0; x < vrs_plane_width(&frame->format, p); x++) {
				uint16_t value = (uint16_t)(sample_get(frame, p, x, y) << format.low_bits);
				uint8_t *at = row_element(ret, &host, p, x, y), byte = (uint8_t)value;
				memcpy(at, ret->sample_bytes == 1 ? (const void *)&byte : (const void *)&value, (size_t)ret->sample_bytes);
			}
	must(vrs_ocl_staging_up(staging, ret, host.rows, &err), &err);
	vrs_ocl_staging_destroy(staging);
	free_rows(ret, &host);
}

/* The samples of a picture as a frame; every unused low bit is 0. */
static inline struct vrs_frame download(struct vrs_ocl_context *context, struct vrs_ocl_picture *picture)
{
	const struct vrs_ocl_picture_format *format = &picture->format;
	struct vrs_ocl_staging *staging = NULL;
	struct vrs_error err = {0};
	struct vrs_frame frame;
	struct host_rows host = make_rows(picture);

	assert_int_equal(vrs_frame_alloc(&frame, &format->samples), VRS_OK);
	must(vrs_ocl_staging_create(&staging, context, format, NULL, &err), &err);
	must(vrs_ocl_staging_fetch(staging, picture, &err), &err);
	must(vrs_ocl_staging_down(staging, host.rows, &err), &err);
	vrs_ocl_staging_destroy(staging);
	for (int p = 0; p < format->samples.planes; p++)
		for (int y = 0; y < vrs_plane_height(&format->samples, p); y++)
			for (int x = 0; x < vrs_plane_width(&format->samples, p); x++) {
				const uint8_t *at = row_element(picture, &host, p, x, y);
				uint16_t value = *at;
				if (picture->sample_bytes == 2)
					memcpy(&value, at, sizeof value);
				assert_int_equal(value & ((1 << format->low_bits) - 1), 0);
				sample_put(&frame, p, x, y, value >> format->low_bits);
			}
	free_rows(picture, &host);
	return frame;
}

/* Every sample is the same; `what` names the case. */
static inline void check_equal(const struct vrs_frame *got, const struct vrs_frame *want, const char *what)
{
	assert_int_equal(got->format.planes, want->format.planes);
	for (int p = 0; p < want->format.planes; p++)
		for (int y = 0; y < vrs_plane_height(&want->format, p); y++)
			for (int x = 0; x < vrs_plane_width(&want->format, p); x++)
				if (sample_get(got, p, x, y) != sample_get(want, p, x, y))
					fail_msg("%s: plane %d (%d, %d) is %d, expected %d", what, p, x, y, sample_get(got, p, x, y),
						 sample_get(want, p, x, y));
}

/* count mattes of one size as a picture, one under the other. */
static inline void upload_mattes(struct vrs_ocl_picture *ret, struct vrs_ocl_context *context, const struct vrs_matte *mattes, int count)
{
	const struct vrs_ocl_picture_format format = vrs_ocl_matte_format(mattes[0].width, mattes[0].height, count);
	struct vrs_frame frame;

	assert_int_equal(vrs_frame_alloc(&frame, &format.samples), VRS_OK);
	for (int i = 0; i < count; i++)
		for (int y = 0; y < mattes[i].height; y++)
			memcpy(frame.data[0] + frame.stride_bytes[0] * (i * mattes[i].height + y), mattes[i].data + mattes[i].stride * y,
			       (size_t)mattes[i].width);
	upload(ret, context, &frame, &format);
	vrs_frame_unref(&frame);
}

#endif
