/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/composite.h"

#include <string.h>

#include "base/wraparound.h"
#include "kernels/picture.h"
#include "matte/despill.h"
#include "matte/foreground.h"
#include "matte/matte_rows.h"
#include "matte/hdr_transfer.h"
#include "matte/yuv_color.h"

#define GROUND_BLUR 0.02 /* softness of the colours that spill, share of the part's height */

struct view {
	struct vrs_rect rect;           /* luma samples */
	struct vrs_rect piece[2][2];    /* of the rectangle without a seam, from left to right; luma, chroma samples */
	int pieces[2];                  /* 2: the view goes across the seam of a circle */
	struct vrs_matte_rows rows[2];
	struct vrs_sharp_edges *sharp;  /* gives the rows instead; NULL: off */
	struct vrs_foreground *foreground; /* NULL: off */
};

struct vrs_composite {
	struct vrs_composite_options options;
	struct vrs_picture_format out;
	int background[3];
	uint8_t *solid[3];              /* a row of what stands for the source: white (mode matte), neutral chroma (grey sources); NULL: the source */
	struct view views[VRS_COMPOSITE_MAX_VIEWS];
	struct vrs_backdrop *backdrop;  /* instead of the background colour; NULL: the colour */
	struct vrs_backdrop *ground;    /* colours around the people, for despill; may be the backdrop itself; NULL: off */
	uint8_t *clean;                 /* a row of the people's own colours */
	bool shown;                     /* the backdrop has a picture to show */
};

struct vrs_picture_format vrs_composite_alpha_format(const struct vrs_picture_format *source)
{
	struct vrs_picture_format out = *source;
	out.planes = 1;
	out.range = VRS_RANGE_FULL;
	return out;
}

struct vrs_picture_format vrs_composite_format(const struct vrs_picture_format *source)
{
	struct vrs_picture_format out = *source;
	out.planes = 3;
	if (source->planes == 1)
		out.chroma_shift_x = out.chroma_shift_y = 1;
	return out;
}

static int pieces_of(const struct vrs_composite *composite, const struct vrs_rect *rect, int group, struct vrs_rect ret_pieces[2])
{
	struct vrs_rect plane = vrs_plane_rect(&composite->out, rect, group);
	return vrs_wraparound_spans(&plane, composite->out.circle >> (group ? composite->out.chroma_shift_x : 0), ret_pieces);
}

/* A row of the view, counted in columns of piece i. */
static struct vrs_matte_row row_of_piece(const struct vrs_matte_row *row, const struct vrs_rect pieces[2], int i)
{
	int before = i ? pieces[0].width : 0, width = pieces[i].width, first = row->first - before, end = row->end - before;
	struct vrs_matte_row own = {.above = row->above + before, .below = row->below + before, .weight = row->weight};
	own.first = first < 0 ? 0 : first > width ? width : first;
	own.end = end < own.first ? own.first : end > width ? width : end;
	return own;
}

static enum vrs_status view_place(struct view *view, const struct vrs_composite *composite, const struct vrs_rect *rect)
{
	view->rect = *rect;
	for (int group = 0; group < 2; group++) {
		struct vrs_rect plane = vrs_plane_rect(&composite->out, rect, group);
		struct vrs_plane_grid grid = vrs_plane_grid_make(&composite->out, rect, group);
		view->pieces[group] = pieces_of(composite, rect, group, view->piece[group]);
		enum vrs_status status = vrs_matte_rows_place(&view->rows[group], plane.width, plane.height, &grid);
		if (status != VRS_OK)
			return status;
	}
	return view->foreground ? vrs_foreground_place(view->foreground, rect) : VRS_OK;
}

/* eye: around all parts that the view may have; NULL: not known. */
static enum vrs_status view_init(struct view *view, struct vrs_arena *arena, const struct vrs_composite *composite, const struct vrs_rect *rect,
				 const struct vrs_rect *eye)
{
	const struct vrs_picture_format *format = &composite->out;
	for (int group = 0; group < 2; group++) {
		struct vrs_rect plane = vrs_plane_rect(format, rect, group);
		struct vrs_plane_grid grid = vrs_plane_grid_make(format, rect, group);
		/* one more: a view of this size that begins at an odd place shares a chroma sample with the outside at both ends */
		enum vrs_status status = vrs_matte_rows_init(&view->rows[group], arena, composite->options.matte_width, composite->options.matte_height,
							     plane.width + group, plane.height + group, &grid);
		if (status != VRS_OK)
			return status;
	}
	if (composite->options.sharp.radius > 0) {
		enum vrs_status status = vrs_sharp_edges_create(&view->sharp, arena, format, rect, composite->options.matte_width,
								composite->options.matte_height, &composite->options.sharp);
		if (status != VRS_OK)
			return status;
	}
	if (composite->options.foreground) {
		const struct vrs_foreground_options options = {.format = composite->options.format, .most = *rect, .eye = eye,
			.matte_width = composite->options.matte_width, .matte_height = composite->options.matte_height};
		enum vrs_status status = vrs_foreground_create(&view->foreground, arena, &options);
		if (status != VRS_OK)
			return status;
	}
	return view_place(view, composite, rect);
}

/* Row y of a view's matte in the planes of a group. */
static struct vrs_matte_row view_row(struct view *view, int group, int y)
{
	return view->sharp ? vrs_sharp_edges_row(view->sharp, group > 0, y) : vrs_matte_rows_get(&view->rows[group], y);
}

/* Rows that replace the source: white luma in mode matte, neutral chroma where there is none. */
static enum vrs_status solid_init(struct vrs_composite *composite, struct vrs_arena *arena)
{
	const struct vrs_composite_options *options = &composite->options;
	int neutral = 1 << (composite->out.bit_depth - 1), bytes = vrs_sample_bytes(&composite->out);
	for (int p = 0; p < composite->out.planes; p++) {
		bool replace = p == 0 ? options->mode != VRS_COMPOSITE_GREEN : options->format.planes == 1 && options->mode == VRS_COMPOSITE_GREEN;
		if (!replace)
			continue;
		int width = vrs_plane_width(&composite->out, p);
		composite->solid[p] = vrs_arena_calloc(arena, (size_t)width, (size_t)bytes);
		if (!composite->solid[p])
			return VRS_ENOMEM;
		vrs_samples_fill(composite->solid[p], p == 0 ? vrs_luma_from_grey(&composite->out, 255) : neutral, width, bytes);
	}
	return VRS_OK;
}

static enum vrs_status make_backdrop(struct vrs_backdrop **ret_backdrop, struct vrs_arena *arena, const struct vrs_composite *composite,
				     enum vrs_backdrop_kind kind, double blur)
{
	struct vrs_backdrop_options options = composite->options.backdrop;
	options.kind = kind;
	options.blur = blur;
	options.source = composite->options.format;
	options.format = composite->out;
	options.matte_width = composite->options.matte_width;
	options.matte_height = composite->options.matte_height;
	if (kind == VRS_BACKDROP_BLUR && options.part_count != composite->options.view_count)
		return VRS_EINVAL;
	return vrs_backdrop_create(ret_backdrop, arena, &options);
}

static enum vrs_status backdrop_init(struct vrs_composite *composite, struct vrs_arena *arena)
{
	if (composite->options.backdrop.kind == VRS_BACKDROP_COLOR || composite->options.mode != VRS_COMPOSITE_GREEN)
		return VRS_OK;
	enum vrs_status status = make_backdrop(&composite->backdrop, arena, composite, composite->options.backdrop.kind, composite->options.backdrop.blur);
	if (status == VRS_OK && composite->options.picture)
		vrs_composite_behind(composite, composite->options.picture);
	return status;
}

/* What colours spill from: the surroundings, which a blurred background has already. */
static enum vrs_status ground_init(struct vrs_composite *composite, struct vrs_arena *arena)
{
	if ((!(composite->options.despill > 0) && !composite->options.foreground) || composite->options.mode != VRS_COMPOSITE_GREEN)
		return VRS_OK;
	composite->clean = vrs_arena_calloc(arena, (size_t)composite->out.width, 2);
	if (!composite->clean)
		return VRS_ENOMEM;
	if (composite->options.foreground)
		return VRS_OK;
	if (composite->options.backdrop.kind != VRS_BACKDROP_BLUR)
		return make_backdrop(&composite->ground, arena, composite, VRS_BACKDROP_BLUR, GROUND_BLUR);
	composite->ground = composite->backdrop;
	return VRS_OK;
}

enum vrs_status vrs_composite_create(struct vrs_composite **ret_composite, struct vrs_arena *arena, const struct vrs_composite_options *options)
{
	const struct vrs_picture_format *format = &options->format;
	if (vrs_picture_format_check(format) || options->view_count < 1 || options->view_count > VRS_COMPOSITE_MAX_VIEWS)
		return VRS_EINVAL;
	struct vrs_composite *composite = vrs_arena_calloc(arena, 1, sizeof *composite);
	if (!composite)
		return VRS_ENOMEM;
	composite->options = *options;
	composite->out = options->mode == VRS_COMPOSITE_CUTOUT ? vrs_composite_alpha_format(format) : vrs_composite_format(format);
	if (options->mode == VRS_COMPOSITE_GREEN) {
		vrs_yuv_from_sdr(composite->background, &composite->out, options->color);
	} else {
		composite->background[0] = vrs_luma_from_grey(&composite->out, 0);
		composite->background[1] = composite->background[2] = 1 << (format->bit_depth - 1);
	}
	enum vrs_status status = solid_init(composite, arena);
	if (status == VRS_OK)
		status = backdrop_init(composite, arena);
	if (status == VRS_OK)
		status = ground_init(composite, arena);
	for (int i = 0; i < options->view_count && status == VRS_OK; i++) {
		const struct vrs_rect *v = &options->views[i];
		const struct vrs_rect *eye = options->backdrop.part_count == options->view_count ? &options->backdrop.parts[i] : NULL;
		status = vrs_rect_fits(v, format) ? view_init(&composite->views[i], arena, composite, v, eye) : VRS_EINVAL;
	}
	*ret_composite = composite;
	return status;
}

enum vrs_status vrs_composite_place(struct vrs_composite *composite, int i, const struct vrs_rect *rect)
{
	const struct vrs_rect *most = &composite->options.views[i];
	if (!vrs_rect_fits(rect, &composite->options.format) || rect->width > most->width || rect->height > most->height)
		return VRS_EINVAL;
	if (memcmp(rect, &composite->views[i].rect, sizeof *rect) == 0)
		return VRS_OK;
	return view_place(&composite->views[i], composite, rect);
}

bool vrs_composite_in_place(const struct vrs_composite *composite)
{
	return composite->options.format.planes >= 3 && composite->out.planes >= 3;
}

bool vrs_composite_is_moving(const struct vrs_composite *composite)
{
	return composite->backdrop && composite->options.backdrop.kind != VRS_BACKDROP_PICTURE;
}

void vrs_composite_behind(struct vrs_composite *composite, const struct vrs_frame *picture)
{
	vrs_backdrop_show(composite->backdrop, picture);
	composite->shown = true;
}

/* Background over columns [from, to) of rows [top, bottom) of plane p. */
static void fill_block(const struct vrs_composite *composite, struct vrs_frame *dst, int p, int from, int to, int top, int bottom)
{
	int bytes = vrs_sample_bytes(&composite->out);
	for (int y = top; y < bottom; y++) {
		uint8_t *line = dst->data[p] + dst->stride_bytes[p] * y + (ptrdiff_t)from * bytes;
		if (composite->shown)
			vrs_backdrop_write(composite->backdrop, line, p, y, from, to);
		else
			vrs_samples_fill(line, composite->background[p], to - from, bytes);
	}
}

static void fill_plane(const struct vrs_composite *composite, struct vrs_frame *dst, int p)
{
	fill_block(composite, dst, p, 0, vrs_plane_width(&composite->out, p), 0, vrs_plane_height(&composite->out, p));
}

void vrs_composite_fill(const struct vrs_composite *composite, struct vrs_frame *dst)
{
	for (int p = 0; p < composite->out.planes; p++)
		fill_plane(composite, dst, p);
}

/* What no view covers of columns [from, to) of row y of plane p: the gaps between the pieces that touch it, from left to right. */
static void fill_gaps(const struct vrs_composite *composite, struct vrs_frame *dst, int p, int y, int from, int to)
{
	int group = p > 0;
	while (from < to) {
		const struct vrs_rect *next = NULL;
		for (int i = 0; i < composite->options.view_count; i++) {
			const struct view *view = &composite->views[i];
			for (int k = 0; k < view->pieces[group]; k++) {
				const struct vrs_rect *r = &view->piece[group][k];
				if (y >= r->y && y < r->y + r->height && r->x + r->width > from && (!next || r->x < next->x))
					next = r;
			}
		}
		fill_block(composite, dst, p, from, next && next->x < to ? next->x : to, y, y + 1);
		from = next ? next->x + next->width : to;
	}
}

/* What of an old view no view covers any more. */
static void fill_left(const struct vrs_composite *composite, struct vrs_frame *dst, int p, const struct vrs_rect *old)
{
	struct vrs_rect piece[2];
	int pieces = pieces_of(composite, old, p > 0, piece);
	for (int k = 0; k < pieces; k++)
		for (int y = piece[k].y; y < piece[k].y + piece[k].height; y++)
			fill_gaps(composite, dst, p, y, piece[k].x, piece[k].x + piece[k].width);
}

/* Background where views were and are not any more. In mode matte the chroma planes are background everywhere. */
static void fill_past(const struct vrs_composite *composite, struct vrs_frame *dst, struct vrs_composite_past *past)
{
	int planes = composite->options.mode == VRS_COMPOSITE_GREEN ? 3 : 1;
	for (int i = 0; i < past->view_count; i++) {
		const struct view *view = &composite->views[i];
		if (memcmp(&past->views[i], &view->rect, sizeof view->rect) == 0)
			continue;
		for (int p = 0; p < planes; p++)
			fill_left(composite, dst, p, &past->views[i]);
	}
	past->view_count = composite->options.view_count;
	for (int i = 0; i < past->view_count; i++)
		past->views[i] = composite->views[i].rect;
}

/* A piece that crosses a row, and its alphas there. */
struct crossing {
	struct view *view;
	const struct vrs_rect *rect;
	int column;               /* of the view, where the piece begins */
	struct vrs_matte_row row;
};

/* The people's own colours of row y of the plane: what was filmed, or cleaned of what is behind them; columns are those of the plane. */
static const uint8_t *own_colors(const struct vrs_composite *composite, const uint8_t *from, int p, int y, int first, int n,
				 const struct crossing *crossing)
{
	const struct vrs_matte_row *row = &crossing->row;
	if (composite->solid[p] || (!composite->ground && !crossing->view->foreground))
		return from;
	if (crossing->view->foreground) {
		vrs_foreground_row(crossing->view->foreground, composite->clean, from, p, y - crossing->rect->y, crossing->column + row->first, row, n);
		return composite->clean;
	}
	vrs_despill_row(composite->clean, from, vrs_backdrop_line(composite->ground, p, y, first, first + n), row,
			(int)(composite->options.despill * VRS_DESPILL_ONE), vrs_sample_bytes(&composite->out), (1 << composite->out.bit_depth) - 1, n);
	return composite->clean;
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

/* The softened surroundings of what will be written over. */
static void learn(struct vrs_composite *composite, const struct vrs_frame *src, const struct vrs_matte *mattes)
{
	const struct vrs_rect *views[VRS_COMPOSITE_MAX_VIEWS] = {0};
	for (int i = 0; i < composite->options.view_count; i++)
		views[i] = &composite->views[i].rect;
	if (composite->ground)
		vrs_backdrop_learn(composite->ground, src, mattes, views);
	if (composite->options.backdrop.kind == VRS_BACKDROP_BLUR && composite->backdrop) {
		if (composite->ground != composite->backdrop)
			vrs_backdrop_learn(composite->backdrop, src, mattes, views);
		composite->shown = true;
	}
}

/* Piece k of a view. */
struct piece {
	struct view *view;
	int k;
};

/* The pieces of all views from left to right; returns how many. */
static int sorted_pieces(struct vrs_composite *composite, int group, struct piece ret[2 * VRS_COMPOSITE_MAX_VIEWS])
{
	int count = 0;
	for (int i = 0; i < composite->options.view_count; i++) {
		struct view *view = &composite->views[i];
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
		fill_block(composite, dst, p, whole ? x : rect->x, first, y, y + 1);
		x = first + n;
		if (!whole)
			fill_block(composite, dst, p, x, rect->x + rect->width, y, y + 1);
		if (n == 0)
			continue;
		const uint8_t *people = own_colors(composite, from + at, p, y, first, n, &crossings[i]);
		if (composite->shown)
			blend_over(composite, line + at, people, p, y, first, n, row);
		else
			blend_color(composite, line + at, people, p, n, row);
	}
	if (whole)
		fill_block(composite, dst, p, x, vrs_plane_width(&composite->out, p), y, y + 1);
}

/* The pieces that cross row y of a group's planes, from left to right; returns how many. */
static int cross(const struct piece *pieces, int count, int group, int y, struct crossing ret[2 * VRS_COMPOSITE_MAX_VIEWS])
{
	int crossings = 0;
	for (int i = 0; i < count; i++) {
		struct view *view = pieces[i].view;
		const struct vrs_rect *rect = &view->piece[group][pieces[i].k];
		if (y < rect->y || y >= rect->y + rect->height)
			continue;
		struct vrs_matte_row row = view_row(view, group, y - rect->y);
		int column = pieces[i].k ? view->piece[group][0].width : 0;
		ret[crossings++] = (struct crossing){view, rect, column, row_of_piece(&row, view->piece[group], pieces[i].k)};
	}
	return crossings;
}

/* The planes of a group, row by row. */
static void write_group(struct vrs_composite *composite, struct vrs_frame *dst, const struct vrs_frame *src, int group, bool whole)
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

/* What is learnt from the frame as it was filmed: edges, and the people's colours where they are written. */
static void learn_views(struct vrs_composite *composite, const struct vrs_frame *src, const struct vrs_matte *mattes, bool colors)
{
	for (int i = 0; i < composite->options.view_count; i++) {
		struct view *view = &composite->views[i];
		if (view->foreground && colors)
			vrs_foreground_learn(view->foreground, src, &mattes[i]);
		if (view->sharp)
			(void)vrs_sharp_edges_learn(view->sharp, src, &mattes[i], &view->rect); /* placed inside always */
	}
}

/* Soft edges of the planes of a group. */
static void recolor_group(struct vrs_composite *composite, struct vrs_frame *frame, int group)
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
				vrs_foreground_row(c->view->foreground, line, line, p, y - c->rect->y, c->column + c->row.first, &c->row,
						   c->row.end - c->row.first);
			}
		}
	}
}

void vrs_composite_recolor(struct vrs_composite *composite, struct vrs_frame *frame, const struct vrs_matte *mattes)
{
	learn_views(composite, frame, mattes, true);
	for (int group = 0; group <= (frame->format.planes >= 3); group++) {
		for (int i = 0; i < composite->options.view_count; i++)
			vrs_matte_rows_begin(&composite->views[i].rows[group], &mattes[i]);
		recolor_group(composite, frame, group);
	}
}

void vrs_composite_run(struct vrs_composite *composite, struct vrs_frame *dst, const struct vrs_frame *src, const struct vrs_matte *mattes,
		       struct vrs_composite_past *past)
{
	/* in mode matte the chroma planes are background everywhere, in mode cutout there are none */
	bool has_color = composite->options.mode == VRS_COMPOSITE_GREEN;
	learn(composite, src, mattes);
	learn_views(composite, src, mattes, composite->options.mode == VRS_COMPOSITE_GREEN);
	bool whole = !past || (vrs_composite_is_moving(composite) && composite->shown);
	if (!whole)
		fill_past(composite, dst, past);
	for (int group = 0; group <= has_color; group++) {
		for (int i = 0; i < composite->options.view_count; i++)
			vrs_matte_rows_begin(&composite->views[i].rows[group], &mattes[i]);
		write_group(composite, dst, src, group, whole);
	}
	for (int p = 1; p < composite->out.planes && whole && !has_color; p++)
		fill_plane(composite, dst, p);
}
