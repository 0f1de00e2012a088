/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/composite_state.h"

#include <string.h>

#include "base/wraparound.h"
#include "matte/hdr_transfer.h"
#include "matte/yuv_color.h"

#define GROUND_BLUR 0.02 /* softness of the colours that spill, share of the part's height */

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

int vrs_composite_pieces(const struct vrs_composite *composite, const struct vrs_rect *rect, int group, struct vrs_rect ret_pieces[2])
{
	struct vrs_rect plane = vrs_plane_rect(&composite->out, rect, group);
	return vrs_wraparound_spans(&plane, composite->out.circle >> (group ? composite->out.chroma_shift_x : 0), ret_pieces);
}

static enum vrs_status view_place(struct vrs_composite_view *view, const struct vrs_composite *composite, const struct vrs_rect *rect)
{
	view->rect = *rect;
	for (int group = 0; group < 2; group++) {
		struct vrs_rect plane = vrs_plane_rect(&composite->out, rect, group);
		struct vrs_plane_grid grid = vrs_plane_grid_make(&composite->out, rect, group);
		view->pieces[group] = vrs_composite_pieces(composite, rect, group, view->piece[group]);
		enum vrs_status status = vrs_matte_rows_place(&view->rows[group], plane.width, plane.height, &grid);
		if (status != VRS_OK)
			return status;
	}
	return view->foreground ? vrs_foreground_place(view->foreground, rect) : VRS_OK;
}

/* eye: around all parts that the view may have; NULL: not known. */
static enum vrs_status view_init(struct vrs_composite_view *view, struct vrs_arena *arena, const struct vrs_composite *composite,
				 const struct vrs_rect *rect, const struct vrs_rect *eye)
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
	if (!(composite->options.despill > 0) || composite->options.foreground || composite->options.mode != VRS_COMPOSITE_GREEN)
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

/* What is learnt from the frame as it was filmed: edges, and the people's colours where they are written. */
static void learn_views(struct vrs_composite *composite, const struct vrs_frame *src, const struct vrs_matte *mattes, bool colors)
{
	for (int i = 0; i < composite->options.view_count; i++) {
		struct vrs_composite_view *view = &composite->views[i];
		if (view->foreground && colors)
			vrs_foreground_learn(view->foreground, src, &mattes[i]);
		if (view->sharp)
			(void)vrs_sharp_edges_learn(view->sharp, src, &mattes[i], &view->rect); /* placed inside always */
	}
}

void vrs_composite_recolor(struct vrs_composite *composite, struct vrs_frame *frame, const struct vrs_matte *mattes)
{
	learn_views(composite, frame, mattes, true);
	int groups = frame->format.planes >= 3 ? 2 : 1;
	for (int group = 0; group < groups; group++) {
		for (int i = 0; i < composite->options.view_count; i++)
			vrs_matte_rows_begin(&composite->views[i].rows[group], &mattes[i]);
		vrs_composite_write_colors(composite, frame, group);
	}
}

void vrs_composite_run(struct vrs_composite *composite, struct vrs_frame *dst, const struct vrs_frame *src, const struct vrs_matte *mattes,
		       struct vrs_composite_past *past)
{
	/* in mode matte the chroma planes are background everywhere, in mode cutout there are none */
	int groups = composite->options.mode == VRS_COMPOSITE_GREEN ? 2 : 1;
	learn(composite, src, mattes);
	learn_views(composite, src, mattes, composite->options.mode == VRS_COMPOSITE_GREEN);
	bool whole = !past || (vrs_composite_is_moving(composite) && composite->shown);
	if (!whole)
		vrs_composite_fill_past(composite, dst, past);
	for (int group = 0; group < groups; group++) {
		for (int i = 0; i < composite->options.view_count; i++)
			vrs_matte_rows_begin(&composite->views[i].rows[group], &mattes[i]);
		vrs_composite_write(composite, dst, src, group, whole);
	}
	for (int p = 1; p < composite->out.planes && whole && groups == 1; p++)
		vrs_composite_fill_plane(composite, dst, p);
}
