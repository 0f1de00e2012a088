/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/foreground.h"

#include <string.h>

#include "matte/plane_scaler.h"

#define RADIUS 4        /* matte samples that the means reach: least error of 2 to 16 on hair before nine walls (docs/performance-log.md) */
#define CHANNELS 8      /* a * Y, U, V, a; (1 - a) * Y, U, V, 1 - a */
#define SIDE 4          /* channels of the people, then of what is behind them */
#define ONE 255         /* alpha of a matte */
#define TOP VRS_ALPHA15_ONE /* of sample15 too */

/* Sums of 9x9 products of a matte value and a sample15: 81 * 255 * 32767 is below 2^30. */
struct sums {
	int32_t channel[CHANNELS];
};

struct vrs_foreground {
	struct vrs_foreground_options options;
	int planes;
	struct vrs_plane_scaler scaler[3];
	uint16_t *picture[3];            /* [height][width] of the matte, sample15 */
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
	enum vrs_status status = f->columns ? VRS_OK : VRS_ENOMEM;
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

/* Row y of the picture comes into the window (sign 1), or leaves it (-1). */
static void add_row(struct vrs_foreground *f, const struct vrs_matte *matte, int y, int sign)
{
	const uint8_t *alpha = matte->data + matte->stride * y;
	for (int x = 0; x < f->options.matte_width; x++) {
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

/* The means around each sample of row y; where only one side is near, both are the picture: nobody asks there. */
static void store_row(struct vrs_foreground *f, int y)
{
	int width = f->options.matte_width;
	struct sums window = {{0}};
	for (int x = 0; x < width && x < RADIUS; x++)
		add_column(f, &window, x, 1);
	for (int x = 0; x < width; x++) {
		if (x + RADIUS < width)
			add_column(f, &window, x + RADIUS, 1);
		if (x - RADIUS > 0)
			add_column(f, &window, x - RADIUS - 1, -1);
		const int32_t *sum = window.channel;
		bool edge = sum[3] > 0 && sum[SIDE + 3] > 0;
		for (int p = 0; p < f->planes; p++) {
			uint16_t sample = f->picture[p][cell_of(f, x, y)];
			for (int side = 0; side < 2; side++)
				f->means[side][p][cell_of(f, x, y) + (size_t)y] =
					edge ? (uint16_t)(sum[side * SIDE + p] / sum[side * SIDE + 3]) : sample;
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
	for (int p = 0; p < f->planes; p++)
		for (int y = 0; y < height; y++)
			vrs_plane_scaler_row(&f->scaler[p], frame, y, f->picture[p] + cell_of(f, 0, y));
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
			vrs_matte_rows_begin_samples(&f->rows[side][p], f->means[side][p], (size_t)f->options.matte_width + 1);
}

/* The formula, in sample15; alpha in 1 .. TOP - 1. */
static int32_t own_color(int32_t sample, int32_t people, int32_t behind, int32_t alpha)
{
	int32_t mix = behind + (((people - behind) * alpha + (1 << 14)) >> 15);
	int32_t value = people + (((sample - mix) * alpha + (1 << 14)) >> 15);
	return value < 0 ? 0 : value > TOP ? TOP : value;
}

void vrs_foreground_row(struct vrs_foreground *foreground, uint8_t *dst, const uint8_t *src, int p, int y, int column,
			const struct vrs_matte_row *row, int n)
{
	int depth = foreground->options.format.bit_depth, bytes = vrs_sample_bytes(&foreground->options.format);
	int up = depth < 15 ? 15 - depth : 0, down = depth > 15 ? depth - 15 : 0, half = up ? 1 << (up - 1) : 0, top = (1 << depth) - 1;
	const uint16_t *src16 = (const uint16_t *)(const void *)src;
	uint16_t *dst16 = (uint16_t *)(void *)dst;
	struct vrs_matte_row people = {0}, behind = {0};
	if (dst != src)
		memcpy(dst, src, (size_t)n * (size_t)bytes);
	for (int x = 0; x < n; x++) {
		if (x + 4 <= n && vrs_matte_row_plain_four(row, x)) {
			x += 3;
			continue;
		}
		int32_t alpha = vrs_matte_row_alpha(row, x);
		if (alpha == 0 || alpha == TOP)
			continue;
		if (!people.above) {
			people = vrs_matte_rows_get(&foreground->rows[0][p], y);
			behind = vrs_matte_rows_get(&foreground->rows[1][p], y);
			people.first = behind.first = column;
		}
		int32_t sample = (bytes == 1 ? src[x] : src16[x]) << up >> down;
		int32_t value = own_color(sample, vrs_matte_row_alpha(&people, x), vrs_matte_row_alpha(&behind, x), alpha);
		value = ((value + half) >> up) << down;
		value = value > top ? top : value;
		if (bytes == 1)
			dst[x] = (uint8_t)value;
		else
			dst16[x] = (uint16_t)value;
	}
}
