/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is behind the people where no view is. */
#include "matte/composite_state.h"

#include <string.h>

void vrs_composite_fill_row(const struct vrs_composite *composite, struct vrs_frame *dst, int p, int from, int to, int y)
{
	int bytes = vrs_sample_bytes(&composite->out);
	uint8_t *line = dst->data[p] + dst->stride_bytes[p] * y + (ptrdiff_t)from * bytes;
	if (composite->shown)
		vrs_backdrop_write(composite->backdrop, line, p, y, from, to);
	else
		vrs_samples_fill(line, composite->background[p], to - from, bytes);
}

void vrs_composite_fill_plane(const struct vrs_composite *composite, struct vrs_frame *dst, int p)
{
	for (int y = 0; y < vrs_plane_height(&composite->out, p); y++)
		vrs_composite_fill_row(composite, dst, p, 0, vrs_plane_width(&composite->out, p), y);
}

void vrs_composite_fill(const struct vrs_composite *composite, struct vrs_frame *dst)
{
	for (int p = 0; p < composite->out.planes; p++)
		vrs_composite_fill_plane(composite, dst, p);
}

/* What no view covers of columns [from, to) of row y of plane p: the gaps between the pieces that touch it, from left to right. */
static void fill_gaps(const struct vrs_composite *composite, struct vrs_frame *dst, int p, int y, int from, int to)
{
	int group = p > 0;
	while (from < to) {
		const struct vrs_rect *next = NULL;
		for (int i = 0; i < composite->options.view_count; i++) {
			const struct vrs_composite_view *view = &composite->views[i];
			for (int k = 0; k < view->pieces[group]; k++) {
				const struct vrs_rect *r = &view->piece[group][k];
				if (y >= r->y && y < r->y + r->height && r->x + r->width > from && (!next || r->x < next->x))
					next = r;
			}
		}
		vrs_composite_fill_row(composite, dst, p, from, next && next->x < to ? next->x : to, y);
		from = next ? next->x + next->width : to;
	}
}

/* What of an old view no view covers any more. */
static void fill_left(const struct vrs_composite *composite, struct vrs_frame *dst, int p, const struct vrs_rect *old)
{
	struct vrs_rect piece[2];
	int pieces = vrs_composite_pieces(composite, old, p > 0, piece);
	for (int k = 0; k < pieces; k++)
		for (int y = piece[k].y; y < piece[k].y + piece[k].height; y++)
			fill_gaps(composite, dst, p, y, piece[k].x, piece[k].x + piece[k].width);
}

/* In mode matte the chroma planes are background everywhere. */
void vrs_composite_fill_past(const struct vrs_composite *composite, struct vrs_frame *dst, struct vrs_composite_past *past)
{
	int planes = composite->options.mode == VRS_COMPOSITE_GREEN ? 3 : 1;
	for (int i = 0; i < past->view_count; i++) {
		const struct vrs_composite_view *view = &composite->views[i];
		if (memcmp(&past->views[i], &view->rect, sizeof view->rect) == 0)
			continue;
		for (int p = 0; p < planes; p++)
			fill_left(composite, dst, p, &past->views[i]);
	}
	past->view_count = composite->options.view_count;
	for (int i = 0; i < past->view_count; i++)
		past->views[i] = composite->views[i].rect;
}
