/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/sharp_edges.h"

#include <math.h>
#include <string.h>

#include "base/wraparound.h"
#include "kernels/picture.h"
#include "matte/guided.h"
#include "matte/plane_scaler.h"
#include "matte/yuv_color.h"

enum map { ALPHA, SLOPE, OFFSET, MAPS };

#define MOST_CHROMA_ROWS 4 /* of luma */

struct span {
	int first, end;              /* columns with alpha above 0 */
};

struct vrs_sharp_edges {
	struct vrs_picture_format format;
	struct vrs_rect most, part;
	int limit;                   /* 0..32768 */
	struct vrs_guided *guided;
	struct vrs_luma_view luma;   /* at the matte's size */
	uint8_t *guide;              /* [matte_height][matte_width] of it */
	uint16_t *slopes, *offsets;  /* [matte_height][matte_width + 1] */
	struct vrs_matte_rows rows[MAPS];
	uint16_t *alpha;             /* [height][width] of the part, alpha15 */
	struct span *spans;          /* [height] */
	uint16_t *chroma_row;
	float *sums;                 /* of luma rows under a chroma row */
	bool chroma_at_left;
};

enum vrs_status vrs_sharp_edges_create(struct vrs_sharp_edges **ret_edges, struct vrs_arena *arena, const struct vrs_picture_format *format,
				       const struct vrs_rect *most, int matte_width, int matte_height, const struct vrs_sharp_options *options)
{
	if (matte_width < 1 || matte_height < 1)
		return VRS_EINVAL;
	struct vrs_sharp_edges *edges = vrs_arena_calloc(arena, 1, sizeof *edges);
	if (!edges)
		return VRS_ENOMEM;
	edges->format = *format;
	edges->most = edges->part = *most;
	edges->limit = (int)lrint(options->limit * 32768);
	edges->chroma_at_left = format->chroma_shift_x == 1 && vrs_chroma_offset(format, 0) < -0.25;
	size_t w = (size_t)matte_width, h = (size_t)matte_height, across = (size_t)most->width, down = (size_t)most->height;
	edges->guide = vrs_arena_calloc(arena, h, w);
	edges->slopes = vrs_arena_calloc(arena, h, (w + 1) * sizeof *edges->slopes);
	edges->offsets = vrs_arena_calloc(arena, h, (w + 1) * sizeof *edges->offsets);
	edges->alpha = vrs_arena_calloc(arena, down, across * sizeof *edges->alpha);
	edges->spans = vrs_arena_calloc(arena, down, sizeof *edges->spans);
	edges->chroma_row = vrs_arena_calloc(arena, across + 1, sizeof *edges->chroma_row);
	edges->sums = vrs_arena_calloc(arena, across + 16, sizeof *edges->sums); /* a chroma sample and a column beyond either end */
	struct vrs_plane_grid grid = vrs_plane_grid_make(format, most, 0);
	enum vrs_status status = vrs_guided_create(&edges->guided, arena, matte_width, matte_height, options->radius, options->eps, options->limit);
	if (status == VRS_OK)
		status = vrs_luma_view_init(&edges->luma, arena, format, most, most, matte_width, matte_height);
	for (int m = 0; m < MAPS && status == VRS_OK; m++)
		status = vrs_matte_rows_init(&edges->rows[m], arena, matte_width, matte_height, most->width, most->height, &grid);
	if (status == VRS_OK)
		*ret_edges = edges;
	return status;
}

static enum vrs_status place(struct vrs_sharp_edges *edges, const struct vrs_rect *part)
{
	struct vrs_plane_grid grid = vrs_plane_grid_make(&edges->format, part, 0);
	if (memcmp(part, &edges->part, sizeof *part) == 0)
		return VRS_OK;
	for (int m = 0; m < MAPS; m++) {
		enum vrs_status status = vrs_matte_rows_place(&edges->rows[m], part->width, part->height, &grid);
		if (status != VRS_OK)
			return status;
	}
	edges->part = *part;
	return VRS_OK;
}

/* Columns [from, to) of a row of the part, whose luma begins at `luma`. */
static void sharpen(const struct vrs_sharp_edges *edges, uint16_t *dst, const uint8_t *luma, const struct vrs_matte_row maps[MAPS], int from, int to)
{
	const struct vrs_picture_kernels *kernels = vrs_picture_kernels();
	const uint16_t *rows[MAPS][2];
	for (int m = 0; m < MAPS; m++) {
		rows[m][0] = maps[m].above + from;
		rows[m][1] = maps[m].below + from;
	}
	if (vrs_sample_bytes(&edges->format) == 1)
		kernels->sharpen_row_u8(dst + from, luma, rows[ALPHA], rows[SLOPE], rows[OFFSET], maps[ALPHA].weight, edges->limit, to - from);
	else
		kernels->sharpen_row_u16(dst + from, (const uint16_t *)(const void *)luma, rows[ALPHA], rows[SLOPE], rows[OFFSET], maps[ALPHA].weight,
					 edges->limit, edges->format.bit_depth, to - from);
}

/* Row y of the part, of whose columns the circle may divide the picture's. */
static void sharpen_row(struct vrs_sharp_edges *edges, const struct vrs_frame *frame, const struct vrs_rect pieces[2], int count, int y)
{
	int width = edges->part.width, begin = 0, bytes = vrs_sample_bytes(&edges->format);
	uint16_t *dst = edges->alpha + (size_t)y * (size_t)width;
	struct vrs_matte_row maps[MAPS] = {vrs_matte_rows_get(&edges->rows[ALPHA], y)};
	int first = maps[ALPHA].first, end = maps[ALPHA].end;
	edges->spans[y] = (struct span){first, end};
	if (first == end) {
		memset(dst, 0, (size_t)width * sizeof *dst);
		return;
	}
	for (int m = SLOPE; m < MAPS; m++)
		maps[m] = vrs_matte_rows_get(&edges->rows[m], y);
	memset(dst, 0, (size_t)first * sizeof *dst);
	memset(dst + end, 0, (size_t)(width - end) * sizeof *dst);
	const uint8_t *line = frame->data[0] + frame->stride_bytes[0] * (edges->part.y + y);
	for (int i = 0; i < count; begin += pieces[i++].width) {
		int from = first > begin ? first : begin, to = end < begin + pieces[i].width ? end : begin + pieces[i].width;
		if (from < to)
			sharpen(edges, dst, line + (ptrdiff_t)(pieces[i].x + from - begin) * bytes, maps, from, to);
	}
}

enum vrs_status vrs_sharp_edges_learn(struct vrs_sharp_edges *edges, const struct vrs_frame *frame, const struct vrs_matte *matte,
				      const struct vrs_rect *part)
{
	struct vrs_rect pieces[2];
	size_t stride = (size_t)matte->width + 1;
	if (part->width > edges->most.width || part->height > edges->most.height)
		return VRS_EINVAL;
	enum vrs_status status = vrs_luma_view_get(&edges->luma, frame, part, edges->guide, NULL);
	if (status == VRS_OK)
		status = place(edges, part);
	if (status != VRS_OK)
		return status;
	vrs_guided_coefficients(edges->guided, matte->data, matte->stride, edges->guide, edges->slopes, edges->offsets, stride);
	vrs_matte_rows_begin(&edges->rows[ALPHA], matte);
	vrs_matte_rows_begin_samples(&edges->rows[SLOPE], edges->slopes, stride, NULL);
	vrs_matte_rows_begin_samples(&edges->rows[OFFSET], edges->offsets, stride, NULL);
	int count = vrs_wraparound_spans(part, edges->format.circle, pieces);
	for (int y = 0; y < part->height; y++)
		sharpen_row(edges, frame, pieces, count, y);
	return VRS_OK;
}

/* Sums over the rows of columns [first - 1, end + 1) of the part, whose border goes on outside of it, to sums[0] and on. */
static void add_rows(float *sums, const uint16_t *const *rows, int count, int width, int first, int end)
{
	int from = first < 1 ? 0 : first - 1, to = end < width ? end + 1 : width;
	float *at = sums + from - (first - 1);
	for (int x = from; x < to; x++)
		at[x - from] = rows[0][x];
	for (int i = 1; i < count; i++)
		for (int x = from; x < to; x++)
			at[x - from] += rows[i][x];
	for (ptrdiff_t i = at - sums; i-- > 0;)
		sums[i] = *at;
	for (int x = to; x < end + 1; x++)
		at[x - from] = at[to - 1 - from];
}

/* Chroma samples, the first of whose luma columns is the second of sums. */
static void chroma_samples(const struct vrs_sharp_edges *edges, uint16_t *dst, const float *sums, int rows, int n)
{
	int columns = 1 << edges->format.chroma_shift_x;
	if (edges->chroma_at_left) { /* at the first of two columns, not between them */
		const float share = 0.25f / (float)rows;
		for (int x = 0; x < n; x++)
			dst[x] = (uint16_t)((sums[2 * x] + 2 * sums[2 * x + 1] + sums[2 * x + 2]) * share + 0.5f);
		return;
	}
	const float share = 1.0f / (float)(columns * rows);
	for (int x = 0; x < n; x++) {
		float sum = 0;
		for (int t = 1; t <= columns; t++)
			sum += sums[x * columns + t];
		dst[x] = (uint16_t)(sum * share + 0.5f);
	}
}

static struct vrs_matte_row chroma_row(struct vrs_sharp_edges *edges, int y)
{
	const struct vrs_rect *part = &edges->part;
	struct vrs_rect plane = vrs_plane_rect(&edges->format, part, 1);
	int sx = edges->format.chroma_shift_x, sy = edges->format.chroma_shift_y, count = 0;
	int left = (plane.x << sx) - part->x, top = ((plane.y + y) << sy) - part->y;
	const uint16_t *rows[MOST_CHROMA_ROWS];
	struct span span = {part->width, 0};
	for (int at = top < 0 ? 0 : top; at < top + (1 << sy) && at < part->height; at++) { /* others are outside, which shares the sample */
		rows[count++] = edges->alpha + (size_t)at * (size_t)part->width;
		if (edges->spans[at].first < edges->spans[at].end) {
			span.first = edges->spans[at].first < span.first ? edges->spans[at].first : span.first;
			span.end = edges->spans[at].end > span.end ? edges->spans[at].end : span.end;
		}
	}
	struct vrs_matte_row row = {.above = edges->chroma_row, .below = edges->chroma_row};
	if (span.first >= span.end)
		return row;
	row.first = (span.first - left) >> sx;
	row.end = ((span.end - left) >> sx) + 1; /* that far may a sample reach back */
	row.end = row.end > plane.width ? plane.width : row.end;
	add_rows(edges->sums, rows, count, part->width, left + (row.first << sx), left + (row.end << sx));
	chroma_samples(edges, edges->chroma_row + row.first, edges->sums, count, row.end - row.first);
	return row;
}

struct vrs_matte_row vrs_sharp_edges_row(struct vrs_sharp_edges *edges, bool chroma, int y)
{
	if (chroma)
		return chroma_row(edges, y);
	const uint16_t *alpha = edges->alpha + (size_t)y * (size_t)edges->part.width;
	return (struct vrs_matte_row){.above = alpha, .below = alpha, .first = edges->spans[y].first, .end = edges->spans[y].end};
}
