/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the colours of soft edges: hair before coloured walls, whose own colours are known, comes back with at most 0.4 of the error of the picture
 * as it was filmed, in every depth and sampling; no sample inside or outside of the people changes; what is composed is what the recoloured picture
 * gives; looking at soft edges alone gives the samples of the formula computed everywhere; parts that move and parts across the seam of a circle are
 * no different.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/picture.h"
#include "matte/composite.h"
#include "matte/foreground.h"
#include "matte/matte_expand.h"
#include "matte/plane_scaler.h"

#define SIDE 256
#define MATTE 64

static struct vrs_arena arena; /* of all tests */

static int free_arena(void **state)
{
	(void)state;
	vrs_arena_free(&arena);
	return 0;
}

/* How much of the picture is the head at luma position (x, y): strands of hair stand off it. */
static double coverage(double x, double y)
{
	double dx = x - SIDE / 2.0, dy = y - SIDE / 2.0, distance = hypot(dx, dy), angle = atan2(dy, dx);
	double strands = 14 + 9 * sin(37 * angle) * cos(11 * angle + 0.05 * distance);
	double a = (SIDE * 0.27 + strands - distance) / 10;
	return a < 0 ? 0 : a > 1 ? 1 : a;
}

/* Share of the largest code value: the person's own colour (side 0) and the wall (1) in plane p. */
static double color(int side, int wall, int p, double x, double y)
{
	static const double walls[][3] = {{0.6, 0.3, 0.25}, {0.35, 0.4, 0.8}, {0.9, 0.5, 0.5}};
	static const double hair[3] = {0.2, 0.45, 0.56};
	if (side == 0)
		return hair[p] + (p ? 0.01 : 0.04) * sin(x * 0.35) * cos(y * 0.21);
	return walls[wall][p] + 0.05 * sin(x * 0.045 + p) + 0.05 * cos(y * 0.06);
}

struct scene {
	struct vrs_picture_format format;
	int wall;
	struct vrs_frame frame;
	struct vrs_matte matte;
};

static void set(const struct vrs_frame *frame, int p, int x, int y, int value)
{
	uint8_t *line = frame->data[p] + frame->stride_bytes[p] * y;
	if (frame->format.bit_depth > 8)
		((uint16_t *)(void *)line)[x] = (uint16_t)value;
	else
		line[x] = (uint8_t)value;
}

static int get(const struct vrs_frame *frame, int p, int x, int y)
{
	const uint8_t *line = frame->data[p] + frame->stride_bytes[p] * y;
	return frame->format.bit_depth > 8 ? ((const uint16_t *)(const void *)line)[x] : line[x];
}

/* Luma position of a sample; chroma lies in the middle of its luma samples. */
static double luma_at(const struct vrs_picture_format *format, int p, int at, bool vertical)
{
	int shift = p == 0 ? 0 : vertical ? format->chroma_shift_y : format->chroma_shift_x;
	return (at + 0.5) * (1 << shift);
}

static void draw(struct scene *s)
{
	double top = (1 << s->format.bit_depth) - 1;
	assert_int_equal(vrs_frame_alloc(&s->frame, &s->format), VRS_OK);
	assert_int_equal(vrs_matte_init(&s->matte, &arena, MATTE, MATTE), VRS_OK);
	for (int p = 0; p < s->format.planes; p++)
		for (int y = 0; y < vrs_plane_height(&s->format, p); y++)
			for (int x = 0; x < vrs_plane_width(&s->format, p); x++) {
				double lx = luma_at(&s->format, p, x, false), ly = luma_at(&s->format, p, y, true), a = coverage(lx, ly);
				set(&s->frame, p, x, y, (int)lrint(top * (a * color(0, s->wall, p, lx, ly) + (1 - a) * color(1, s->wall, p, lx, ly))));
			}
	for (int y = 0; y < MATTE; y++)
		for (int x = 0; x < MATTE; x++) {
			double sum = 0, cell = (double)SIDE / MATTE;
			for (int i = 0; i < 16; i++)
				sum += coverage((x + (i % 4 + 0.5) / 4) * cell, (y + (i / 4 + 0.5) / 4) * cell) / 16;
			s->matte.data[s->matte.stride * y + x] = (uint8_t)lrint(255 * sum);
		}
}

static struct vrs_composite_options options_of(const struct scene *s)
{
	return (struct vrs_composite_options){.format = s->format, .mode = VRS_COMPOSITE_GREEN, .color = {0, 0, 0}, .view_count = 1,
		.views = {{0, 0, SIDE, SIDE}}, .matte_width = MATTE, .matte_height = MATTE, .foreground = true};
}

static struct vrs_composite *make(const struct vrs_composite_options *options)
{
	struct vrs_composite *composite;
	assert_int_equal(vrs_composite_create(&composite, &arena, options), VRS_OK);
	return composite;
}

static struct vrs_frame copy_of(const struct vrs_frame *frame)
{
	struct vrs_frame copy;
	assert_int_equal(vrs_frame_alloc(&copy, &frame->format), VRS_OK);
	for (int p = 0; p < frame->format.planes; p++)
		for (int y = 0; y < vrs_plane_height(&frame->format, p); y++)
			memcpy(copy.data[p] + copy.stride_bytes[p] * y, frame->data[p] + frame->stride_bytes[p] * y,
			       (size_t)vrs_plane_width(&frame->format, p) * (size_t)vrs_sample_bytes(&frame->format));
	return copy;
}

static bool same(const struct vrs_frame *a, const struct vrs_frame *b)
{
	for (int p = 0; p < a->format.planes; p++)
		for (int y = 0; y < vrs_plane_height(&a->format, p); y++)
			if (memcmp(a->data[p] + a->stride_bytes[p] * y, b->data[p] + b->stride_bytes[p] * y,
				   (size_t)vrs_plane_width(&a->format, p) * (size_t)vrs_sample_bytes(&a->format)))
				return false;
	return true;
}

/* Mean error of a plane's colour to the person's own, by how much of it a composite shows; and is all else as it was? */
static double error_of(const struct scene *s, const struct vrs_frame *frame, int p)
{
	double sum = 0, weight = 0, top = (1 << s->format.bit_depth) - 1;
	for (int y = 0; y < vrs_plane_height(&s->format, p); y++)
		for (int x = 0; x < vrs_plane_width(&s->format, p); x++) {
			double lx = luma_at(&s->format, p, x, false), ly = luma_at(&s->format, p, y, true), a = coverage(lx, ly);
			if (a <= 0.02 || a >= 0.98)
				continue;
			sum += a * fabs(get(frame, p, x, y) / top - color(0, s->wall, p, lx, ly));
			weight += a;
		}
	return sum / weight;
}

/* Samples whose surroundings in the matte are all inside or all outside keep their value. */
static void assert_plain_parts_stay(const struct scene *s, const struct vrs_frame *frame)
{
	int cell = SIDE / MATTE;
	for (int p = 0; p < s->format.planes; p++)
		for (int y = 0; y < vrs_plane_height(&s->format, p); y++)
			for (int x = 0; x < vrs_plane_width(&s->format, p); x++) {
				int mx = (int)luma_at(&s->format, p, x, false) / cell, my = (int)luma_at(&s->format, p, y, true) / cell, low = 255, high = 0;
				for (int i = 0; i < 9; i++) {
					int cx = mx + i % 3 - 1, cy = my + i / 3 - 1;
					if (cx < 0 || cy < 0 || cx >= MATTE || cy >= MATTE)
						continue;
					int value = s->matte.data[s->matte.stride * cy + cx];
					low = value < low ? value : low;
					high = value > high ? value : high;
				}
				if (low == high && (low == 0 || low == 255))
					assert_int_equal(get(frame, p, x, y), get(&s->frame, p, x, y));
			}
}

static void hair_before_coloured_walls(void **state)
{
	static const struct vrs_picture_format formats[] = {
		{.width = SIDE, .height = SIDE, .planes = 3, .bit_depth = 8, .chroma_shift_x = 1, .chroma_shift_y = 1, .chroma_location = 2},
		{.width = SIDE, .height = SIDE, .planes = 3, .bit_depth = 10, .chroma_shift_x = 1, .chroma_location = 2},
		{.width = SIDE, .height = SIDE, .planes = 3, .bit_depth = 16},
		{.width = SIDE, .height = SIDE, .planes = 1, .bit_depth = 8},
	};
	(void)state;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		for (int wall = 0; wall < 3; wall++) {
			struct scene s = {.format = formats[i], .wall = wall};
			draw(&s);
			struct vrs_composite_options options = options_of(&s);
			struct vrs_composite *composite = make(&options);
			struct vrs_frame own = copy_of(&s.frame);
			vrs_composite_recolor(composite, &own, &s.matte);
			double before = 0, after = 0;
			for (int p = 0; p < s.format.planes; p++) {
				before += error_of(&s, &s.frame, p);
				after += error_of(&s, &own, p);
			}
			print_message("%d bits, %d planes, wall %d: %.4f becomes %.4f\n", s.format.bit_depth, s.format.planes, wall, before, after);
			assert_true(after <= 0.4 * before);
			assert_plain_parts_stay(&s, &own);
			vrs_frame_unref(&own);
			vrs_frame_unref(&s.frame);
		}
}

/* Mean of a plane's samples at matte size around (x, y), weighted by the matte (side 0) or what it leaves (1), as integers have it. */
static int mean_around(const uint16_t *picture, const struct vrs_matte *matte, int side, int x, int y)
{
	int64_t sum = 0, weight = 0;
	for (int i = 0; i < 81; i++) {
		int cx = x + i % 9 - 4, cy = y + i / 9 - 4;
		if (cx < 0 || cy < 0 || cx >= MATTE || cy >= MATTE)
			continue;
		int a = matte->data[matte->stride * cy + cx], share = side ? 255 - a : a;
		sum += (int64_t)share * picture[cy * MATTE + cx];
		weight += share;
	}
	return weight ? (int)(sum / weight) : 0;
}

/* Bilinear between the matte samples around sample (x, y) of a plane, rounded along rows and then between them. */
static int between_samples(const uint16_t *map, const struct vrs_matte_rows *rows, int x, int y)
{
	int column = rows->index[x], upper = rows->row[y], lower = upper + 1 < MATTE ? upper + 1 : upper, next = column + 1 < MATTE ? column + 1 : column;
	int64_t w = rows->weight[x], mixed[2];
	for (int i = 0; i < 2; i++) {
		const uint16_t *row = map + (size_t)(i ? lower : upper) * MATTE;
		mixed[i] = (row[column] * (VRS_WEIGHT_ONE - w) + row[next] * w + VRS_WEIGHT_ONE / 2) >> VRS_WEIGHT_BITS;
	}
	return (int)(mixed[0] + (((mixed[1] - mixed[0]) * (lower > upper ? rows->row_weight[y] : 0) + (1 << 14)) >> 15));
}

/* The formula at every sample of a plane, without a thought for what is soft. */
static void assert_plane_is_formula(const struct scene *s, const struct vrs_frame *own, int p)
{
	static uint16_t picture[MATTE * MATTE], alpha[MATTE * MATTE], means[2][MATTE * MATTE];
	struct vrs_rect all = {0, 0, SIDE, SIDE}, plane = vrs_plane_rect(&s->format, &all, p > 0);
	struct vrs_plane_grid grid = vrs_plane_grid_make(&s->format, &all, p > 0);
	struct vrs_plane_scaler scaler;
	struct vrs_matte_rows rows;
	assert_int_equal(vrs_plane_scaler_init(&scaler, &arena, &s->format, p, NULL, &all, MATTE, MATTE), VRS_OK);
	assert_int_equal(vrs_matte_rows_init(&rows, &arena, MATTE, MATTE, plane.width, plane.height, &grid), VRS_OK);
	for (int y = 0; y < MATTE; y++)
		vrs_plane_scaler_row(&scaler, &s->frame, y, picture + (size_t)y * MATTE);
	for (int i = 0; i < MATTE * MATTE; i++) {
		int a = s->matte.data[s->matte.stride * (i / MATTE) + i % MATTE];
		alpha[i] = (uint16_t)((a << 7) + (a >> 1));
		for (int side = 0; side < 2; side++)
			means[side][i] = (uint16_t)mean_around(picture, &s->matte, side, i % MATTE, i / MATTE);
	}
	for (int y = 0; y < plane.height; y++)
		for (int x = 0; x < plane.width; x++) {
			int a = between_samples(alpha, &rows, x, y), sample = get(&s->frame, p, x, y);
			int people = between_samples(means[0], &rows, x, y), behind = between_samples(means[1], &rows, x, y);
			int mix = behind + (((people - behind) * a + (1 << 14)) >> 15);
			int value = people + ((((sample << 7) - mix) * a + (1 << 14)) >> 15);
			value = ((value < 0 ? 0 : value > 32767 ? 32767 : value) + 64) >> 7;
			assert_int_equal(get(own, p, x, y), a == 0 || a == 32767 ? sample : value > 255 ? 255 : value);
		}
}

static void skipping_changes_nothing(void **state)
{
	(void)state;
	for (int wall = 0; wall < 3; wall++) {
		struct scene s = {.format = {.width = SIDE, .height = SIDE, .planes = 3, .bit_depth = 8, .chroma_shift_x = 1, .chroma_shift_y = 1}, .wall = wall};
		draw(&s);
		for (int y = 0; y < MATTE && wall == 2; y++) /* edges of every kind, also at the borders and without a soft sample */
			for (int x = 0; x < MATTE; x++)
				if ((x / 16 + y / 16) % 3 == 0)
					s.matte.data[s.matte.stride * y + x] = (uint8_t)(x / 5 % 2 ? 255 : 0);
		struct vrs_composite_options options = options_of(&s);
		struct vrs_composite *composite = make(&options);
		struct vrs_frame own = copy_of(&s.frame);
		vrs_composite_recolor(composite, &own, &s.matte);
		for (int p = 0; p < 3; p++)
			assert_plane_is_formula(&s, &own, p);
		vrs_frame_unref(&own);
		vrs_frame_unref(&s.frame);
	}
}

/* The composite of a picture is that of the recoloured one, also in place, in a smaller part and across a seam. */
static void a_composite_shows_them(void **state)
{
	static const struct vrs_rect parts[] = {{0, 0, SIDE, SIDE}, {32, 16, 192, 224}, {150, 0, 200, SIDE}};
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct scene s = {.format = {.width = SIDE, .height = SIDE, .planes = 3, .bit_depth = 8, .chroma_shift_x = 1, .chroma_shift_y = 1}};
		s.format.circle = i == 2 ? SIDE : 0;
		draw(&s);
		struct vrs_composite_options options = options_of(&s);
		struct vrs_composite *first = make(&options), *second = make(&options), *placed;
		struct vrs_frame own = copy_of(&s.frame), composed = copy_of(&s.frame), expected = copy_of(&s.frame);
		assert_int_equal(vrs_composite_place(first, 0, &parts[i]), VRS_OK);
		vrs_composite_recolor(first, &own, &s.matte);
		assert_false(same(&own, &s.frame));
		assert_int_equal(vrs_composite_place(second, 0, &parts[i]), VRS_OK);
		vrs_composite_run(second, &composed, &composed, &s.matte, NULL);
		options.foreground = false;
		options.views[0] = parts[i];
		placed = make(&options);
		vrs_composite_run(placed, &expected, &own, &s.matte, NULL);
		assert_true(same(&composed, &expected));
		vrs_frame_unref(&own);
		vrs_frame_unref(&composed);
		vrs_frame_unref(&expected);
		vrs_frame_unref(&s.frame);
	}
}

static void impossible_sizes_are_refused(void **state)
{
	struct vrs_foreground_options options = {.format = {.width = SIDE, .height = SIDE, .planes = 3, .bit_depth = 8}, .most = {0, 0, SIDE, SIDE},
		.matte_width = MATTE, .matte_height = MATTE};
	struct vrs_foreground *foreground;
	(void)state;
	assert_int_equal(vrs_foreground_create(&foreground, &arena, &options), VRS_OK);
	assert_int_equal(vrs_foreground_place(foreground, &(struct vrs_rect){0, 0, SIDE + 2, SIDE}), VRS_EINVAL);
	options.matte_height = 0;
	assert_int_equal(vrs_foreground_create(&foreground, &arena, &options), VRS_EINVAL);
	options.matte_height = MATTE;
	options.most.width = SIDE + 2;
	assert_int_equal(vrs_foreground_create(&foreground, &arena, &options), VRS_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(hair_before_coloured_walls, free_arena),
		cmocka_unit_test_teardown(skipping_changes_nothing, free_arena),
		cmocka_unit_test_teardown(a_composite_shows_them, free_arena),
		cmocka_unit_test_teardown(impossible_sizes_are_refused, free_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
