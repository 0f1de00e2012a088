/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/foreground.h"

#include <string.h>

#include "kernels/picture.h"
#include "matte/plane_scaler.h"
#include "matte/soft_runs.h"

#define RADIUS 4        /* matte samples that the means reach: least error of 2 to 16 on hair before nine walls (docs/performance-log.md) */
#define CHANNELS 8      /* a * Y, U, V, a; (1 - a) * Y, U, V, 1 - a */
#define SIDE 4          /* channels of the people, then of what is behind them */
#define ONE 255         /* alpha of a matte */
#define BLOCK 16        /* samples that the kernel makes at once */

/* Sums of 9x9 products of a matte value and a sample15: 81 * 255 * 32767 is below 2^30. */
struct sums {
	int32_t channel[CHANNELS];
};

struct vrs_foreground {
	struct vrs_foreground_options options;
	int planes;
	struct vrs_plane_scaler scaler[3];
	uint16_t *picture[3];            /* [height][width] of the matte, sample15 */
	struct vrs_soft_runs runs;       /* soft: means are asked for there; near: their windows */
	struct sums *columns;            /* [width] over the rows of the window */
	uint16_t *means[2][3];           /* people, behind them: [height][width + 1], the last one of a row repeated */
	struct vrs_matte_rows rows[2][3];
};

static size_t cell_of(const struct vrs_foreground *f, int x, int y)
{
	return (size_t)y * (size_t)f->options.matte_width + (size_t)x;
}

static enum vrs_status init_plane(struct vrs_foreground *f, struct vrs_arena *arena, int p)
{
	const struct vrs_foreground_options *o = &f->options;
	struct vrs_rect plane = vrs_plane_rect(&o->format, &o->most, p > 0);
	struct vrs_plane_grid grid = vrs_plane_grid_make(&o->format, &o->most, p > 0);
	size_t width = (size_t)o->matte_width, height = (size_t)o->matte_height;
	enum vrs_status status = vrs_plane_scaler_init(&f->scaler[p], arena, &o->format, p, o->eye, &o->most, o->matte_width, o->matte_height);
	f->picture[p] = vrs_arena_calloc(arena, width * height, sizeof *f->picture[p]);
	for (int side = 0; side < 2 && status == VRS_OK; side++) {
		f->means[side][p] = vrs_arena_calloc(arena, (width + 1) * height, sizeof *f->means[side][p]);
		/* one more: a part of this size that begins at an odd place shares a chroma sample with the outside at both ends */
		status = vrs_matte_rows_init(&f->rows[side][p], arena, o->matte_width, o->matte_height, plane.width + (p > 0), plane.height + (p > 0), &grid);
	}
	return arena->failed ? VRS_ENOMEM : status;
}

enum vrs_status vrs_foreground_create(struct vrs_foreground **ret_foreground, struct vrs_arena *arena, const struct vrs_foreground_options *options)
{
	if (vrs_picture_format_check(&options->format) || !vrs_rect_fits(&options->most, &options->format) || options->matte_width < 1 ||
	    options->matte_height < 1)
		return VRS_EINVAL;
	struct vrs_foreground *f = vrs_arena_calloc(arena, 1, sizeof *f);
	if (!f)
		return VRS_ENOMEM;
	f->options = *options;
	f->planes = options->format.planes == 1 ? 1 : 3;
	f->columns = vrs_arena_calloc(arena, (size_t)options->matte_width, sizeof *f->columns);
	enum vrs_status status = vrs_soft_runs_init(&f->runs, arena, options->matte_width, options->matte_height, RADIUS);
	for (int p = 0; p < f->planes && status == VRS_OK; p++)
		status = init_plane(f, arena, p);
	if (status == VRS_OK)
		status = vrs_foreground_place(f, &options->most);
	f->options.eye = NULL;
	*ret_foreground = f;
	return status;
}

enum vrs_status vrs_foreground_place(struct vrs_foreground *foreground, const struct vrs_rect *part)
{
	enum vrs_status status = VRS_OK;
	for (int p = 0; p < foreground->planes && status == VRS_OK; p++) {
		struct vrs_rect plane = vrs_plane_rect(&foreground->options.format, part, p > 0);
		struct vrs_plane_grid grid = vrs_plane_grid_make(&foreground->options.format, part, p > 0);
		status = vrs_plane_scaler_place(&foreground->scaler[p], part);
		for (int side = 0; side < 2 && status == VRS_OK; side++)
			status = vrs_matte_rows_place(&foreground->rows[side][p], plane.width, plane.height, &grid);
	}
	return status;
}

static void scale_picture(struct vrs_foreground *f, const struct vrs_frame *frame, int y)
{
	const struct vrs_run_of_row *runs = vrs_runs_row(&f->runs.near, y);
	for (int i = 0; i < f->runs.near.count[y]; i++)
		for (int p = 0; p < f->planes; p++)
			vrs_plane_scaler_columns(&f->scaler[p], frame, y, runs[i].first, runs[i].end, f->picture[p] + cell_of(f, runs[i].first, y));
}

/* Row y of the picture comes into the windows (sign 1), or leaves them (-1), in all columns that one of them asks for. */
static void add_row(struct vrs_foreground *f, const struct vrs_matte *matte, int y, int sign)
{
	const uint8_t *alpha = matte->data + matte->stride * y;
	const struct vrs_run_of_row *runs = vrs_runs_row(&f->runs.near, y);
	for (int i = 0; i < f->runs.near.count[y]; i++)
		for (int x = runs[i].first; x < runs[i].end; x++) {
			int32_t *sum = f->columns[x].channel, a = sign * alpha[x], rest = sign * (ONE - alpha[x]);
			for (int p = 0; p < f->planes; p++) {
				int32_t sample = f->picture[p][cell_of(f, x, y)];
				sum[p] += a * sample;
				sum[SIDE + p] += rest * sample;
			}
			sum[3] += a;
			sum[SIDE + 3] += rest;
		}
}

static void add_column(const struct vrs_foreground *f, struct sums *window, int x, int sign)
{
	for (int c = 0; c < CHANNELS; c++)
		window->channel[c] += sign * f->columns[x].channel[c];
}

/* Where only one side is near both are the picture: nobody asks there. */
static void store_means(struct vrs_foreground *f, const struct sums *window, int x, int y)
{
	const int32_t *sum = window->channel;
	bool edge = sum[3] > 0 && sum[SIDE + 3] > 0;
	for (int p = 0; p < f->planes; p++)
		for (int side = 0; side < 2; side++)
			f->means[side][p][cell_of(f, x, y) + (size_t)y] =
				(uint16_t)(edge ? sum[side * SIDE + p] / sum[side * SIDE + 3] : f->picture[p][cell_of(f, x, y)]);
}

/* The means around the soft samples of row y. */
static void store_row(struct vrs_foreground *f, int y)
{
	int width = f->options.matte_width;
	const struct vrs_run_of_row *runs = vrs_runs_row(&f->runs.soft, y);
	for (int i = 0; i < f->runs.soft.count[y]; i++) {
		struct sums window = {{0}};
		for (int x = runs[i].first > RADIUS ? runs[i].first - RADIUS : 0; x < runs[i].first + RADIUS && x < width; x++)
			add_column(f, &window, x, 1);
		for (int x = runs[i].first; x < runs[i].end; x++) {
			if (x + RADIUS < width)
				add_column(f, &window, x + RADIUS, 1);
			if (x - RADIUS > 0 && x > runs[i].first)
				add_column(f, &window, x - RADIUS - 1, -1);
			store_means(f, &window, x, y);
		}
	}
	for (int p = 0; p < f->planes; p++)
		for (int side = 0; side < 2; side++) {
			uint16_t *end = f->means[side][p] + ((size_t)width + 1) * ((size_t)y + 1) - 1;
			*end = end[-1];
		}
}

void vrs_foreground_learn(struct vrs_foreground *foreground, const struct vrs_frame *frame, const struct vrs_matte *matte)
{
	struct vrs_foreground *f = foreground;
	int height = f->options.matte_height;
	vrs_soft_runs_find(&f->runs, matte);
	for (int y = 0; y < height; y++)
		scale_picture(f, frame, y);
	memset(f->columns, 0, (size_t)f->options.matte_width * sizeof *f->columns);
	for (int y = 0; y < height && y < RADIUS; y++)
		add_row(f, matte, y, 1);
	for (int y = 0; y < height; y++) {
		if (y + RADIUS < height)
			add_row(f, matte, y + RADIUS, 1);
		if (y - RADIUS > 0)
			add_row(f, matte, y - RADIUS - 1, -1);
		store_row(f, y);
	}
	for (int p = 0; p < f->planes; p++)
		for (int side = 0; side < 2; side++)
			vrs_matte_rows_begin_samples(&f->rows[side][p], f->means[side][p], (size_t)f->options.matte_width + 1, &f->runs.soft);
}

/* Columns [from, end) of the part, of which samples and row begin at `column`. */
static void recolor(const struct vrs_foreground *f, uint8_t *samples, const struct vrs_matte_row *row, const struct vrs_matte_row colors[2],
		    int from, int end, int column)
{
	const struct vrs_picture_kernels *kernels = vrs_picture_kernels();
	int skip = from - column, at = row->first + skip, n = end - from, depth = f->options.format.bit_depth;
	const uint16_t *alpha[2] = {row->above + at, row->below + at};
	const uint16_t *people[2] = {colors[0].above + from, colors[0].below + from}, *behind[2] = {colors[1].above + from, colors[1].below + from};
	if (depth == 8)
		kernels->own_color_u8(samples + skip, alpha, people, behind, row->weight, colors[0].weight, n);
	else
		kernels->own_color_u16((uint16_t *)(void *)samples + skip, alpha, people, behind, row->weight, colors[0].weight, depth, n);
}

/* The runs of a row lie apart, and what is between them is not soft: whole blocks of the kernel may reach there. */
void vrs_foreground_row(struct vrs_foreground *foreground, uint8_t *samples, int p, int y, int column, const struct vrs_matte_row *row, int n)
{
	struct vrs_matte_rows *rows = &foreground->rows[0][p];
	int upper = rows->row[y], done = column;
	struct vrs_matte_row colors[2] = {0};
	for (int i = 0; i < foreground->runs.soft.count[upper]; i++) {
		struct vrs_run_of_row target = vrs_matte_rows_targets(rows, vrs_runs_row(&foreground->runs.soft, upper)[i]);
		int from = target.first > done ? target.first : done, left = column + n - from;
		if (from >= target.end || left <= 0)
			continue;
		for (int side = 0; side < 2 && !colors[side].above; side++)
			colors[side] = vrs_matte_rows_get(&foreground->rows[side][p], y);
		int blocks = (target.end - from + BLOCK - 1) / BLOCK * BLOCK;
		done = from + (blocks < left ? blocks : left);
		recolor(foreground, samples, row, colors, from, done, column);
	}
}
