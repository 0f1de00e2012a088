/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/surround.h"

#include <math.h>
#include <string.h>

#include "matte/plane_scaler.h"

#define MOST_CELLS 512     /* along a side */
#define REACH 6            /* cells that the filter looks at on each side */
#define TAPS (2 * REACH + 1)
#define CELL_SIGMA 2.4495  /* sqrt(6): standard deviation of the filter below, cells */
#define CHANNELS 4         /* Y, U, V, each times the weight, and the weight */
#define FAINT 1e-3f        /* share of the mean of all that is free: decides only where nothing free is near */
#define NEUTRAL 16384.0f   /* sample15 of chroma without colour */

/* Three box filters of five cells after one another: close to a Gaussian. */
static const float filter[TAPS] = {1 / 125.f, 3 / 125.f, 6 / 125.f, 10 / 125.f, 15 / 125.f, 18 / 125.f, 19 / 125.f,
				   18 / 125.f, 15 / 125.f, 10 / 125.f, 6 / 125.f, 3 / 125.f, 1 / 125.f};

struct vrs_surround {
	struct vrs_surround_options options;
	int width, height, planes;
	struct vrs_plane_scaler scaler[3];
	uint16_t *row;        /* [width] one scaled row */
	uint8_t *most;        /* [matte_height][width] largest matte value that touches a column of cells */
	uint8_t *taken;       /* [width] the same for one cell row */
	float *cells, *across; /* [height][width][CHANNELS] */
	float *line;          /* [width + 2 * REACH][CHANNELS] */
	float mean[3];
	float weight[256];    /* of a cell that is taken that much */
	uint16_t *plane[3];   /* [height][width + 1] */
};

static int cells_along(int length, double sigma)
{
	double cells = floor(length * CELL_SIGMA / sigma + 0.5);
	double most = length / 2 < MOST_CELLS ? length / 2 : MOST_CELLS;
	cells = cells > most ? most : cells;
	return cells < 1 ? 1 : (int)cells;
}

enum vrs_status vrs_surround_create(struct vrs_surround **ret_surround, struct vrs_arena *arena, const struct vrs_surround_options *options)
{
	if (vrs_picture_format_check(&options->format) || !vrs_rect_fits(&options->part, &options->format) || !(options->sigma > 0) ||
	    options->matte_width < 1 || options->matte_height < 1)
		return VRS_EINVAL;
	struct vrs_surround *s = vrs_arena_calloc(arena, 1, sizeof *s);
	if (!s)
		return VRS_ENOMEM;
	s->options = *options;
	s->planes = options->format.planes == 1 ? 1 : 3;
	s->width = cells_along(options->part.width, options->sigma);
	s->height = cells_along(options->part.height, options->sigma);
	size_t w = (size_t)s->width, h = (size_t)s->height;
	s->row = vrs_arena_calloc(arena, w, sizeof *s->row);
	s->most = vrs_arena_calloc(arena, (size_t)options->matte_height, w);
	s->taken = vrs_arena_calloc(arena, w, 1);
	s->cells = vrs_arena_calloc(arena, w * h, CHANNELS * sizeof *s->cells);
	s->across = vrs_arena_calloc(arena, w * h, CHANNELS * sizeof *s->across);
	s->line = vrs_arena_calloc(arena, w + 2 * REACH, CHANNELS * sizeof *s->line);
	for (int p = 0; p < 3; p++)
		s->plane[p] = vrs_arena_calloc(arena, (w + 1) * h, sizeof *s->plane[p]);
	for (int i = 0; i < 256; i++) {
		float free_share = (float)(255 - i) * (1 / 255.0f), square = free_share * free_share;
		s->weight[i] = square * square * square * square;
	}
	enum vrs_status status = arena->failed ? VRS_ENOMEM : VRS_OK;
	for (int p = 0; p < s->planes && status == VRS_OK; p++)
		status = vrs_plane_scaler_init(&s->scaler[p], arena, &options->format, p, &options->part, &options->part, s->width, s->height);
	*ret_surround = s;
	return status;
}

void vrs_surround_size(const struct vrs_surround *surround, int *ret_width, int *ret_height)
{
	*ret_width = surround->width;
	*ret_height = surround->height;
}

/*
 * Matte samples [*first, *end) whose interpolation reaches cell i of n along an axis of the part; empty outside the view.  Matte sample m lies at
 * (m + 0.5) * view_length / matte_size and reaches one sample on both sides; beyond the outermost ones the value stays to the edge of the view.
 */
static void samples_of_cell(int i, int n, int part_at, int part_length, int view_at, int view_length, int matte_size, int *first, int *end)
{
	double from = part_at + (double)i * part_length / n - view_at, to = part_at + (double)(i + 1) * part_length / n - view_at;
	*first = *end = 0;
	if (to <= 0 || from >= view_length)
		return;
	double low = floor(from * matte_size / view_length - 0.5), high = ceil(to * matte_size / view_length - 0.5);
	*first = low < 0 ? 0 : low > matte_size - 1 ? matte_size - 1 : (int)low;
	*end = high < 0 ? 1 : high > matte_size - 1 ? matte_size : (int)high + 1;
}

/* Largest value of each matte row over the samples that touch each column of cells. */
static void most_across(struct vrs_surround *s, const struct vrs_matte *matte, const struct vrs_rect *view)
{
	const struct vrs_rect *part = &s->options.part;
	int circle = s->options.format.circle;
	for (int x = 0; x < s->width; x++) {
		int first, end, again, again_end; /* on a circle a cell may lie in the view's begin and, a turn later, in its end */
		samples_of_cell(x, s->width, part->x, part->width, view->x, view->width, matte->width, &first, &end);
		samples_of_cell(x, s->width, part->x + circle, part->width, view->x, view->width, matte->width, &again, &again_end);
		for (int y = 0; y < matte->height; y++) {
			const uint8_t *row = matte->data + matte->stride * y;
			uint8_t most = 0;
			for (int c = first; c < end; c++)
				most = row[c] > most ? row[c] : most;
			for (int c = again; circle && c < again_end; c++)
				most = row[c] > most ? row[c] : most;
			s->most[(size_t)y * (size_t)s->width + (size_t)x] = most;
		}
	}
}

/* How much of each cell of row y is taken by people, 0..255. */
static void take_row(struct vrs_surround *s, const struct vrs_matte *matte, const struct vrs_rect *view, int y)
{
	int first, end;
	samples_of_cell(y, s->height, s->options.part.y, s->options.part.height, view->y, view->height, matte->height, &first, &end);
	memset(s->taken, 0, (size_t)s->width);
	for (int r = first; r < end; r++) {
		const uint8_t *most = s->most + (size_t)r * (size_t)s->width;
		for (int x = 0; x < s->width; x++)
			s->taken[x] = most[x] > s->taken[x] ? most[x] : s->taken[x];
	}
}

/* Cells of the frame: weighted colours and weights, and the mean of what is free (of everything where nothing is). */
static void fill_cells(struct vrs_surround *s, const struct vrs_frame *frame, const struct vrs_matte *matte, const struct vrs_rect *view)
{
	double sum[CHANNELS] = {0}, all[3] = {0};
	most_across(s, matte, view);
	for (int y = 0; y < s->height; y++) {
		float *cells = s->cells + (size_t)y * (size_t)s->width * CHANNELS;
		take_row(s, matte, view, y);
		for (int x = 0; x < s->width; x++) {
			cells[x * CHANNELS + 3] = s->weight[s->taken[x]];
			sum[3] += cells[x * CHANNELS + 3];
		}
		for (int p = 0; p < 3; p++) {
			if (p < s->planes)
				vrs_plane_scaler_row(&s->scaler[p], frame, y, s->row);
			for (int x = 0; x < s->width; x++) {
				float sample = p < s->planes ? (float)s->row[x] : NEUTRAL;
				cells[x * CHANNELS + p] = sample * cells[x * CHANNELS + 3];
				sum[p] += cells[x * CHANNELS + p];
				all[p] += sample;
			}
		}
	}
	for (int p = 0; p < 3; p++)
		s->mean[p] = (float)(sum[3] > 0 ? sum[p] / sum[3] : all[p] / ((double)s->width * s->height));
}

/* What lies beyond the edges has no weight, or is what comes around from the other side. */
static void filter_across(struct vrs_surround *s, int y)
{
	size_t cell = CHANNELS * sizeof *s->line;
	const float *from = s->cells + (size_t)y * (size_t)s->width * CHANNELS;
	float *to = s->across + (size_t)y * (size_t)s->width * CHANNELS;
	memset(s->line, 0, REACH * cell);
	memcpy(s->line + REACH * CHANNELS, from, (size_t)s->width * cell);
	memset(s->line + (REACH + s->width) * CHANNELS, 0, REACH * cell);
	for (int i = 1; s->options.wraps && i <= REACH && i <= s->width; i++) {
		memcpy(s->line + (REACH - i) * CHANNELS, from + (s->width - i) * CHANNELS, cell);
		memcpy(s->line + (REACH + s->width - 1 + i) * CHANNELS, from + (i - 1) * CHANNELS, cell);
	}
	memset(to, 0, (size_t)s->width * cell);
	for (int t = 0; t < TAPS; t++)
		for (int i = 0; i < s->width * CHANNELS; i++)
			to[i] += filter[t] * s->line[i + t * CHANNELS];
}

/* Row y of the filtered cells, into s->line. */
static void filter_down(struct vrs_surround *s, int y)
{
	int n = s->width * CHANNELS;
	memset(s->line, 0, (size_t)n * sizeof *s->line);
	for (int t = 0; t < TAPS; t++) {
		int at = y + t - REACH;
		if (at < 0 || at >= s->height)
			continue;
		const float *from = s->across + (size_t)at * (size_t)n;
		for (int i = 0; i < n; i++)
			s->line[i] += filter[t] * from[i];
	}
}

static void store_row(struct vrs_surround *s, int y)
{
	/* sample15 is code * 2^(15 - depth); a share is code / (2^depth - 1) */
	float top = (float)((1 << s->options.format.bit_depth) - 1), scale = (top + 1) / top;
	for (int p = 0; p < 3; p++) {
		uint16_t *to = s->plane[p] + (size_t)y * ((size_t)s->width + 1);
		for (int x = 0; x < s->width; x++) {
			const float *cell = s->line + x * CHANNELS;
			float value = (cell[p] + FAINT * s->mean[p]) / (cell[3] + FAINT) * scale + 0.5f;
			to[x] = (uint16_t)(value < 32767 ? value : 32767);
		}
		to[s->width] = to[s->width - 1];
	}
}

void vrs_surround_make(struct vrs_surround *surround, const struct vrs_frame *frame, const struct vrs_matte *matte, const struct vrs_rect *view)
{
	fill_cells(surround, frame, matte, view);
	for (int y = 0; y < surround->height; y++)
		filter_across(surround, y);
	for (int y = 0; y < surround->height; y++) {
		filter_down(surround, y);
		store_row(surround, y);
	}
}

const uint16_t *vrs_surround_plane(const struct vrs_surround *surround, int p, size_t *ret_stride)
{
	*ret_stride = (size_t)surround->width + 1;
	return surround->plane[p];
}
