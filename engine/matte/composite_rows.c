/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of the result: the pieces of views that cross them, and the people in these over what is behind. */
#include "matte/composite_state.h"

#include <string.h>

#include "kernels/picture.h"
#include "matte/despill.h"

/* A row of the view, counted in columns of piece i. */
static struct vrs_matte_row row_of_piece(const struct vrs_matte_row *row, const struct vrs_rect pieces[2], int i)
{
	int before = i ? pieces[0].width : 0, width = pieces[i].width, first = row->first - before, end = row->end - before;
	struct vrs_matte_row own = {.above = row->above + before, .below = row->below + before, .weight = row->weight};
	own.first = first < 0 ? 0 : first > width ? width : first;
	own.end = end < own.first ? own.first : end > width ? width : end;
	return own;
}

/* Row y of a view's matte in the planes of a group. */
static struct vrs_matte_row view_row(struct vrs_composite_view *view, int group, int y)
{
	return view->sharp ? vrs_sharp_edges_row(view->sharp, group > 0, y) : vrs_matte_rows_get(&view->rows[group], y);
}

/* A piece that crosses a row, and its alphas there. */
struct crossing {
	struct vrs_composite_view *view;
	const struct vrs_rect *rect;
	int column;               /* of the view, where the piece begins */
	struct vrs_matte_row row;
};

/*
 * The people's own colours of row y of the plane: what was filmed, or cleaned of what is behind them, for which `line` has room; columns are those of
 * the plane.
 */
static const uint8_t *own_colors(const struct vrs_composite *composite, uint8_t *line, const uint8_t *from, int p, int y, int first, int n,
				 const struct crossing *crossing)
{
	const struct vrs_matte_row *row = &crossing->row;
	int bytes = vrs_sample_bytes(&composite->out);
	if (composite->solid[p] || (!composite->ground && !crossing->view->foreground))
		return from;
	if (line != from)
		memcpy(line, from, (size_t)n * (size_t)bytes);
	if (crossing->view->foreground)
		vrs_foreground_row(crossing->view->foreground, line, p, y - crossing->rect->y, crossing->column + row->first, row, n);
	else
		vrs_despill_row(line, vrs_backdrop_line(composite->ground, p, y, first, first + n), row,
				(int)(composite->options.despill * VRS_DESPILL_ONE), bytes, (1 << composite->out.bit_depth) - 1, n);
	return line;
}

/* The people of one row over the backdrop; columns are those of the plane. */
static void blend_over(const struct vrs_composite *composite, uint8_t *line, const uint8_t *from, int p, int y, int first, int n,
		       const struct vrs_matte_row *row)
{
	const struct vrs_picture_kernels *kernels = vrs_picture_kernels();
	const uint8_t *behind = vrs_backdrop_line(composite->backdrop, p, y, first, first + n);
	const uint16_t *above = row->above + row->first, *below = row->below + row->first;
	if (vrs_sample_bytes(&composite->out) == 1)
		kernels->composite_over_u8(line, from, behind, above, below, row->weight, n);
	else
		kernels->composite_over_u16((uint16_t *)(void *)line, (const uint16_t *)(const void *)from, (const uint16_t *)(const void *)behind, above,
					    below, row->weight, n);
}

static void blend_color(const struct vrs_composite *composite, uint8_t *line, const uint8_t *from, int p, int n, const struct vrs_matte_row *row)
{
	const struct vrs_picture_kernels *kernels = vrs_picture_kernels();
	const uint16_t *above = row->above + row->first, *below = row->below + row->first;
	if (vrs_sample_bytes(&composite->out) == 1)
		kernels->composite_row_u8(line, from, above, below, row->weight, composite->background[p], n);
	else
		kernels->composite_row_u16((uint16_t *)(void *)line, (const uint16_t *)(const void *)from, above, below, row->weight,
					   composite->background[p], n);
}

/* Piece k of a view. */
struct piece {
	struct vrs_composite_view *view;
	int k;
};

/* The pieces of all views from left to right; returns how many. */
static int sorted_pieces(struct vrs_composite *composite, int group, struct piece ret[2 * VRS_COMPOSITE_MAX_VIEWS])
{
	int count = 0;
	for (int i = 0; i < composite->options.view_count; i++) {
		struct vrs_composite_view *view = &composite->views[i];
		for (int k = 0; k < view->pieces[group]; k++) {
			int at = count++;
			for (; at > 0 && ret[at - 1].view->piece[group][ret[at - 1].k].x > view->piece[group][k].x; at--)
				ret[at] = ret[at - 1];
			ret[at] = (struct piece){view, k};
		}
	}
	return count;
}

/* Row y of plane p: the people of all pieces that cross it, and what is behind them inside the pieces; whole: in all of the row. */
static void write_row(const struct vrs_composite *composite, struct vrs_frame *dst, const struct vrs_frame *src, int p, int y,
		      const struct crossing *crossings, int count, bool whole)
{
	int bytes = vrs_sample_bytes(&composite->out), x = 0;
	uint8_t *line = dst->data[p] + dst->stride_bytes[p] * y;
	const uint8_t *from = composite->solid[p] ? composite->solid[p] : src->data[p] + src->stride_bytes[p] * y;
	for (int i = 0; i < count; i++) {
		const struct vrs_rect *rect = crossings[i].rect;
		const struct vrs_matte_row *row = &crossings[i].row;
		int first = rect->x + row->first, n = row->end - row->first;
		ptrdiff_t at = (ptrdiff_t)first * bytes;
		vrs_composite_fill_row(composite, dst, p, whole ? x : rect->x, first, y);
		x = first + n;
		if (!whole)
			vrs_composite_fill_row(composite, dst, p, x, rect->x + rect->width, y);
		if (n == 0)
			continue;
		const uint8_t *people = own_colors(composite, line + at, from + at, p, y, first, n, &crossings[i]);
		if (composite->shown)
			blend_over(composite, line + at, people, p, y, first, n, row);
		else
			blend_color(composite, line + at, people, p, n, row);
	}
	if (whole)
		vrs_composite_fill_row(composite, dst, p, x, vrs_plane_width(&composite->out, p), y);
}

/* The pieces that cross row y of a group's planes, from left to right; returns how many. */
static int cross(const struct piece *pieces, int count, int group, int y, struct crossing ret[2 * VRS_COMPOSITE_MAX_VIEWS])
{
	int crossings = 0;
	for (int i = 0; i < count; i++) {
		struct vrs_composite_view *view = pieces[i].view;
		const struct vrs_rect *rect = &view->piece[group][pieces[i].k];
		if (y < rect->y || y >= rect->y + rect->height)
			continue;
		struct vrs_matte_row row = view_row(view, group, y - rect->y);
		int column = pieces[i].k ? view->piece[group][0].width : 0;
		ret[crossings++] = (struct crossing){view, rect, column, row_of_piece(&row, view->piece[group], pieces[i].k)};
	}
	return crossings;
}

void vrs_composite_write(struct vrs_composite *composite, struct vrs_frame *dst, const struct vrs_frame *src, int group, bool whole)
{
	struct piece pieces[2 * VRS_COMPOSITE_MAX_VIEWS];
	int count = sorted_pieces(composite, group, pieces);
	for (int y = 0; y < vrs_plane_height(&composite->out, group); y++) {
		struct crossing crossings[2 * VRS_COMPOSITE_MAX_VIEWS];
		int crossing = cross(pieces, count, group, y, crossings);
		for (int p = group; p <= 2 * group; p++)
			write_row(composite, dst, src, p, y, crossings, crossing, whole);
	}
}

void vrs_composite_write_colors(struct vrs_composite *composite, struct vrs_frame *frame, int group)
{
	struct piece pieces[2 * VRS_COMPOSITE_MAX_VIEWS];
	int count = sorted_pieces(composite, group, pieces), bytes = vrs_sample_bytes(&frame->format);
	for (int y = 0; y < vrs_plane_height(&frame->format, group); y++) {
		struct crossing crossings[2 * VRS_COMPOSITE_MAX_VIEWS];
		int crossing = cross(pieces, count, group, y, crossings);
		for (int i = 0; i < crossing; i++) {
			const struct crossing *c = &crossings[i];
			for (int p = group; p <= 2 * group; p++) {
				uint8_t *line = frame->data[p] + frame->stride_bytes[p] * y + (ptrdiff_t)(c->rect->x + c->row.first) * bytes;
				vrs_foreground_row(c->view->foreground, line, p, y - c->rect->y, c->column + c->row.first, &c->row,
						   c->row.end - c->row.first);
			}
		}
	}
}
