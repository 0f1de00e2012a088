/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/plane_grid.h"

#include "matte/yuv_color.h"

struct vrs_rect vrs_plane_rect(const struct vrs_picture_format *format, const struct vrs_rect *part, int group)
{
	if (group == 0)
		return *part;
	int sx = format->chroma_shift_x, sy = format->chroma_shift_y;
	struct vrs_rect rect = {.x = part->x >> sx, .y = part->y >> sy};
	rect.width = ((part->x + part->width + (1 << sx) - 1) >> sx) - rect.x;
	rect.height = ((part->y + part->height + (1 << sy) - 1) >> sy) - rect.y;
	return rect;
}

struct vrs_plane_grid vrs_plane_grid_make(const struct vrs_picture_format *format, const struct vrs_rect *part, int group)
{
	struct vrs_plane_grid grid = {.step = {1, 1}, .extent = {part->width, part->height}};
	if (group == 1) {
		struct vrs_rect plane = vrs_plane_rect(format, part, group);
		grid.step[0] = 1 << format->chroma_shift_x;
		grid.step[1] = 1 << format->chroma_shift_y;
		/* the plane's part may begin before the part where that begins at an odd place */
		grid.offset[0] = vrs_chroma_offset(format, 0) + plane.x * grid.step[0] - part->x;
		grid.offset[1] = vrs_chroma_offset(format, 1) + plane.y * grid.step[1] - part->y;
	}
	return grid;
}
