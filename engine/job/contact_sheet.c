/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/contact_sheet.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "matte/plane_scaler.h"
#include "matte/yuv_color.h"
#include "video/sink.h"

#define GAP 8        /* between cells and around them */
#define SURROUND 64  /* grey */

enum vrs_status vrs_contact_sheet_init(struct vrs_contact_sheet *sheet, const struct vrs_picture_format *like, int rows, int columns, int width,
				       int height, int most)
{
	int larger = width > height ? width : height, size = larger < most ? larger : most;
	*sheet = (struct vrs_contact_sheet){.rows = rows, .columns = columns};
	if (rows < 1 || columns < 1 || width < 1 || height < 1 || most < 1)
		return VRS_EINVAL;
	sheet->width = (int)((int64_t)width * size / larger);
	sheet->height = (int)((int64_t)height * size / larger);
	sheet->width = sheet->width < 1 ? 1 : sheet->width;
	sheet->height = sheet->height < 1 ? 1 : sheet->height;
	struct vrs_picture_format format = *like;
	format.width = columns * (sheet->width + GAP) + GAP;
	format.height = rows * (sheet->height + GAP) + GAP;
	format.planes = 3;
	format.chroma_shift_x = format.chroma_shift_y = format.chroma_location = format.circle = 0;
	format.bit_depth = 8;
	enum vrs_status status = vrs_frame_alloc(&sheet->frame, &format);
	for (int plane = 0; plane < 3 && status == VRS_OK; plane++)
		for (int y = 0; y < format.height; y++)
			memset(sheet->frame.data[plane] + sheet->frame.stride_bytes[plane] * y, plane ? 128 : vrs_luma_from_grey(&format, SURROUND),
			       (size_t)format.width);
	return status;
}

/* Sample15 to 8 bits; grey of full range becomes luma of the sheet. */
static int sample_of(const struct vrs_contact_sheet *sheet, const struct vrs_frame *frame, int value)
{
	value = (value + 64) >> 7;
	value = value > 255 ? 255 : value;
	return frame->format.planes == 1 && frame->format.range != sheet->frame.format.range ? vrs_luma_from_grey(&sheet->frame.format, value) : value;
}

enum vrs_status vrs_contact_sheet_draw(struct vrs_contact_sheet *sheet, int row, int column, const struct vrs_frame *frame,
				       const struct vrs_rect *part)
{
	struct vrs_arena arena = {0};
	int left = GAP + column * (sheet->width + GAP), top = GAP + row * (sheet->height + GAP);
	uint16_t *line = vrs_arena_calloc(&arena, (size_t)sheet->width, sizeof *line);
	enum vrs_status status = line ? VRS_OK : VRS_ENOMEM;
	for (int plane = 0; plane < 3 && status == VRS_OK; plane++) {
		struct vrs_plane_scaler scaler;
		bool neutral = plane > 0 && frame->format.planes == 1;
		if (!neutral)
			status = vrs_plane_scaler_init(&scaler, &arena, &frame->format, plane, part, part, sheet->width, sheet->height);
		for (int y = 0; y < sheet->height && status == VRS_OK; y++) {
			uint8_t *dst = sheet->frame.data[plane] + sheet->frame.stride_bytes[plane] * (top + y) + left;
			if (!neutral)
				vrs_plane_scaler_row(&scaler, frame, y, line);
			for (int x = 0; x < sheet->width; x++)
				dst[x] = (uint8_t)(neutral ? 128 : sample_of(sheet, frame, line[x]));
		}
	}
	vrs_arena_free(&arena);
	return status;
}

enum vrs_status vrs_contact_sheet_check(const char *what, const char *path, struct vrs_error *err)
{
	size_t n = strlen(path);
	if (n > 4 && strcasecmp(path + n - 4, ".png") == 0)
		return VRS_OK;
	return vrs_fail(err, VRS_ECONFIG, "%s is a PNG picture; %s does not end in .png", what, path);
}

enum vrs_status vrs_contact_sheet_write(struct vrs_contact_sheet *sheet, const char *path, bool overwrite, struct vrs_error *err)
{
	struct vrs_sink *sink = NULL;
	const struct vrs_sink_options options = {.crf = -1, .threads = 1, .overwrite = overwrite, .format = sheet->frame.format,
		.fps_num = 1, .fps_den = 1, .time_base_num = 1, .time_base_den = 1, .sar_num = 1, .sar_den = 1};
	enum vrs_status status = vrs_sink_open(&sink, path, &options, NULL, err);
	if (status != VRS_OK)
		return status;
	sheet->frame.pts = 0;
	status = vrs_sink_write(sink, &sheet->frame, err);
	memset(&sheet->frame, 0, sizeof sheet->frame); /* the sink took the reference */
	if (status == VRS_OK)
		status = vrs_sink_finish(sink, err);
	vrs_sink_close(sink);
	return status;
}

void vrs_contact_sheet_fini(struct vrs_contact_sheet *sheet)
{
	vrs_frame_unref(&sheet->frame);
}
