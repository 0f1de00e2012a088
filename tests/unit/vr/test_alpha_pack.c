/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards alpha packing: the compact form of the discs against the table of tiles that players are written by (no mismatch at 4000x2000), packed
 * mattes against tiles cut and pasted, discs of views anywhere against the lenses in double, the carrier's geometry for every layout, depth and
 * chroma sampling, eyes kept apart, every sample written, red discs in 4:2:0, and refusals.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "vr/alpha_pack.h"
#include "vr/lens.h"
#include "unit/random_frame.h"

/* The table: tile of an eye's matte (in the eye's picture, 0..1), and the upper left corner of its place in the frame (shares of W and H). */
static const struct tile {
	int eye;
	double left, top, right, bottom, x, y;
} tiles[] = {
	{0, 0.0, 0.0, 1.0, 0.5, 0.4, 0.8},
	{0, 0.0, 0.5, 1.0, 1.0, 0.4, 0.0},
	{1, 0.0, 0.0, 0.5, 0.5, 0.9, 0.8},
	{1, 0.5, 0.0, 1.0, 0.5, 0.0, 0.8},
	{1, 0.0, 0.5, 0.5, 1.0, 0.9, 0.0},
	{1, 0.5, 0.5, 1.0, 1.0, 0.0, 0.0},
};

/* Eye and eye position (0..1) of a frame position by the table; false: no tile there. */
static bool by_table(double x, double y, double w, double h, int *eye, double *u, double *v)
{
	for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
		const struct tile *t = &tiles[i];
		/* an eye's whole matte is 0.2 W x 0.4 H */
		double a = (x / w - t->x) / 0.2 + t->left, b = (y / h - t->y) / 0.4 + t->top;
		if (a >= t->left && a < t->right && b >= t->top && b < t->bottom) {
			*eye = t->eye;
			*u = a;
			*v = b;
			return true;
		}
	}
	return false;
}

static double wrap(double value, double length)
{
	return value - length * floor(value / length + 0.5);
}

static bool by_discs(double x, double y, double w, double h, int *eye, double *u, double *v)
{
	for (*eye = 0; *eye < 2; ++*eye) {
		double dx = wrap(*eye ? x : x - w / 2, w), dy = wrap(y, h);
		*u = 0.5 + dx / 0.4 / h;
		*v = 0.5 + dy / 0.4 / h;
		if (dx * dx + dy * dy <= 0.04 * h * h)
			return true;
	}
	return false;
}

/* Wherever a disc is, the table names the same eye and the same place of it. */
static void test_discs_are_the_tiles(void **state)
{
	(void)state;
	static const int heights[] = {2000, 1920, 2048};
	for (int k = 0; k < 3; k++) {
		int h = heights[k], w = 2 * h, mismatches = 0, samples = 0;
		for (int y = 0; y < h; y++)
			for (int x = 0; x < w; x++) {
				int disc_eye, tile_eye;
				double u, v, a, b;
				if (!by_discs(x + 0.5, y + 0.5, w, h, &disc_eye, &u, &v))
					continue;
				samples++;
				/* at 2048 a tile ends between samples: the last of a disc may lie beyond it */
				if (!by_table(x + 0.5, y + 0.5, w, h, &tile_eye, &a, &b))
					mismatches++;
				else
					mismatches += tile_eye != disc_eye || fabs(a - u) > 1e-9 || fabs(b - v) > 1e-9;
			}
		assert_true(fabs(samples - 2 * 3.14159265 * 0.04 * h * h) < h);
		assert_int_equal(mismatches, 0);
	}
}

struct setup {
	struct vrs_alpha_pack_options options;
	struct vrs_alpha_pack *pack;
	struct vrs_frame src, dst;
};

/* Codes are alpha itself (shifted to the depth), chroma 3/4 and 1/4 of it above the middle, so that each plane shows what it was given. */
static void set_codes(struct vrs_alpha_pack_options *o, bool colored)
{
	int unit = 1 << (o->format.bit_depth - 8);
	for (int a = 0; a < 256; a++) {
		o->codes[0][a] = (uint16_t)(a * unit);
		o->codes[1][a] = (uint16_t)((colored ? 128 + a / 4 : 128) * unit);
		o->codes[2][a] = (uint16_t)((colored ? 128 + a / 3 : 128) * unit);
	}
	for (int p = 0; p < 3; p++)
		o->black[p] = o->codes[p][0];
	o->colored = colored;
}

static struct setup setup_of(const struct vrs_picture_format *format, const struct vrs_layout *layout, double fov, bool colored)
{
	struct setup s = {.options = {.format = *format, .layout = *layout, .fov_degrees = fov}};
	struct vrs_error err = {0};
	set_codes(&s.options, colored);
	if (vrs_alpha_pack_create(&s.pack, &s.options, &err))
		fail_msg("%s", err.text);
	assert_int_equal(vrs_frame_alloc(&s.src, format), VRS_OK);
	assert_int_equal(vrs_frame_alloc(&s.dst, vrs_alpha_pack_format(s.pack)), VRS_OK);
	return s;
}

static void setup_fini(struct setup *s)
{
	vrs_alpha_pack_destroy(s->pack);
	vrs_frame_unref(&s->src);
	vrs_frame_unref(&s->dst);
}

static struct vrs_picture_format format_of(int width, int height, int planes, int depth, int sx, int sy)
{
	return (struct vrs_picture_format){.width = width, .height = height, .planes = planes, .bit_depth = depth,
		.chroma_shift_x = planes > 1 ? sx : 0, .chroma_shift_y = planes > 1 ? sy : 0, .chroma_location = 2};
}

static struct vrs_layout layout_of(enum vrs_stereo stereo, enum vrs_projection projection, double fov)
{
	return (struct vrs_layout){.stereo = stereo, .projection = projection, .fov_degrees = fov, .pixel_aspect = 1};
}

static struct vrs_matte matte_new(int width, int height)
{
	struct vrs_matte m = {.width = width, .height = height, .stride = width, .data = calloc((size_t)width, (size_t)height)};
	assert_non_null(m.data);
	return m;
}

/* A fisheye film of 4000x2000 with mattes of 800x800: the disc's samples are the matte's, so that the tiles are the matte cut in pieces. */
static void test_packed_mattes_are_the_tiles(void **state)
{
	(void)state;
	struct vrs_picture_format format = format_of(4000, 2000, 1, 8, 0, 0);
	struct vrs_layout layout = layout_of(VRS_STEREO_SBS, VRS_PROJECTION_FISHEYE, 190);
	struct setup s = setup_of(&format, &layout, 0, false);
	struct vrs_matte mattes[2] = {matte_new(800, 800), matte_new(800, 800)};
	const struct vrs_rect views[2] = {{0, 0, 2000, 2000}, {2000, 0, 2000, 2000}};
	int mismatches = 0, checked = 0;
	for (int i = 0; i < 800 * 800; i++) {
		mattes[0].data[i] = (uint8_t)(rand() % 255 + 1);
		mattes[1].data[i] = (uint8_t)(rand() % 255 + 1);
	}
	samples_fill(&s.src, 77);
	samples_fill(&s.dst, 99);
	vrs_alpha_pack_run(s.pack, &s.dst, &s.src, mattes, views);
	for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
		const struct tile *t = &tiles[i];
		for (int y = (int)lrint(t->top * 800); y < (int)lrint(t->bottom * 800); y++)
			for (int x = (int)lrint(t->left * 800); x < (int)lrint(t->right * 800); x++) {
				int to_x = (int)lrint(t->x * 4000 + x - t->left * 800), to_y = (int)lrint(t->y * 2000 + y - t->top * 800);
				if (hypot(x + 0.5 - 400, y + 0.5 - 400) > 400)
					continue;
				checked++;
				mismatches += sample_get(&s.dst, 0, to_x, to_y) != mattes[t->eye].data[y * 800 + x];
			}
	}
	assert_in_range(checked, 2 * 502000, 2 * 503000); /* two circles of radius 400 */
	assert_int_equal(mismatches, 0);
	/* all else is the picture's circles, or black */
	for (int y = 0; y < 2000; y++)
		for (int x = 0; x < 4000; x++) {
			int eye;
			double u, v;
			if (by_discs(x + 0.5, y + 0.5, 4000, 2000, &eye, &u, &v))
				continue;
			bool picture = hypot(x % 2000 + 0.5 - 1000, y + 0.5 - 1000) <= 1000;
			if (sample_get(&s.dst, 0, x, y) != (picture ? 77 : 0))
				fail_msg("(%d, %d) is %d", x, y, sample_get(&s.dst, 0, x, y));
		}
	free(mattes[0].data);
	free(mattes[1].data);
	setup_fini(&s);
}

/* Alpha of an eye position as the view places the matte, in double. */
static double alpha_at(const struct vrs_matte *m, const struct vrs_rect *view, double u, double v)
{
	double x = (u - view->x) * m->width / view->width - 0.5, y = (v - view->y) * m->height / view->height - 0.5;
	if (x < -0.5 || y < -0.5 || x > m->width - 0.5 || y > m->height - 0.5)
		return 0;
	x = fmin(fmax(x, 0), m->width - 1);
	y = fmin(fmax(y, 0), m->height - 1);
	int i = (int)fmin(x, m->width - 2), j = (int)fmin(y, m->height - 2);
	const uint8_t *p = m->data + m->stride * j + i;
	x -= i;
	y -= j;
	return (1 - y) * ((1 - x) * p[0] + x * p[1]) + y * ((1 - x) * p[m->stride] + x * p[m->stride + 1]);
}

/* Views in odd places, of a half-sphere film and of others; the disc's sample sees what the lenses say. */
static void check_placed_views(const struct vrs_layout *layout, int width, int height, double fov)
{
	struct vrs_picture_format format = format_of(width, height, 3, 8, 1, 1);
	struct setup s = setup_of(&format, layout, fov, false);
	int h = s.dst.format.height, eyes = vrs_layout_eyes(layout);
	struct vrs_matte mattes[2] = {matte_new(64, 48), matte_new(64, 48)};
	struct vrs_rect eye[2], views[2];
	struct vrs_lens source, carrier;
	struct vrs_error err = {0};
	for (int i = 0; i < eyes; i++) {
		eye[i] = vrs_layout_eye(layout, width, height, i);
		views[i] = (struct vrs_rect){eye[i].x + 30 + 10 * i, eye[i].y + 50, 161, 140};
		for (int y = 0; y < 48; y++)
			for (int x = 0; x < 64; x++)
				mattes[i].data[y * 64 + x] = (uint8_t)(x * 3 + (i ? 40 : y));
	}
	assert_int_equal(vrs_lens_init(&source, layout->projection, layout->fov_degrees, eye[0].width, eye[0].height, &err), VRS_OK);
	assert_int_equal(vrs_lens_init(&carrier, VRS_PROJECTION_FISHEYE, vrs_alpha_pack_fov(s.pack), h, h, &err), VRS_OK);
	samples_fill(&s.src, 50);
	vrs_alpha_pack_run(s.pack, &s.dst, &s.src, mattes, views);
	int people = 0;
	for (int y = 0; y < h; y++)
		for (int x = 0; x < 2 * h; x++) {
			int e;
			double u, v, d[3], a = 0;
			if (!by_discs(x + 0.5, y + 0.5, 2 * h, h, &e, &u, &v))
				continue;
			int i = eyes == 1 ? 0 : e;
			struct vrs_rect view = {views[i].x - eye[i].x, views[i].y - eye[i].y, views[i].width, views[i].height};
			/* closer than 1/16 pixel to a border of the view either is right */
			(void)vrs_lens_direction(&carrier, u * h, v * h, d);
			if (vrs_lens_position(&source, d, &u, &v))
				a = alpha_at(&mattes[i], &view, u, v);
			double off = fmin(fmin(fabs(u - view.x), fabs(u - view.x - view.width)), fmin(fabs(v - view.y), fabs(v - view.y - view.height)));
			people += a > 0;
			if (fabs(sample_get(&s.dst, 0, x, y) - a) > 1 && off > 1.0 / 16)
				fail_msg("(%d, %d) of %dx%d is %d, expected %.2f", x, y, 2 * h, h, sample_get(&s.dst, 0, x, y), a);
		}
	assert_true(people > 200);
	free(mattes[0].data);
	free(mattes[1].data);
	setup_fini(&s);
}

static void test_placed_views(void **state)
{
	(void)state;
	struct vrs_layout sbs = layout_of(VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180), tb = layout_of(VRS_STEREO_TB, VRS_PROJECTION_HEQUIRECT, 180);
	struct vrs_layout fisheye = layout_of(VRS_STEREO_TB, VRS_PROJECTION_FISHEYE, 200), mono = layout_of(VRS_STEREO_MONO,
		VRS_PROJECTION_HEQUIRECT, 180), swapped = sbs;
	swapped.right_eye_first = true;
	check_placed_views(&sbs, 640, 320, 0);
	check_placed_views(&sbs, 642, 323, 190);
	check_placed_views(&tb, 300, 600, 0);
	check_placed_views(&fisheye, 300, 600, 0);
	check_placed_views(&fisheye, 300, 600, 180);
	check_placed_views(&mono, 301, 299, 0);
	check_placed_views(&swapped, 640, 320, 0);
}

/* Smooth in every plane, in luma coordinates; eyes differ. */
static double paint_value(int p, int eye, double u, double v)
{
	return 100 + 50 * eye + 30 * sin(u * 0.02 + p) + 20 * cos(v * 0.03 - p);
}

/* The samples of an eye in a plane, by the centre of each in luma coordinates of the eye. */
static void paint(struct vrs_frame *frame, const struct vrs_layout *layout)
{
	const struct vrs_picture_format *f = &frame->format;
	int unit = 1 << (f->bit_depth - 8);
	samples_fill(frame, 255);
	for (int eye = 0; eye < vrs_layout_eyes(layout); eye++) {
		struct vrs_rect r = vrs_layout_eye(layout, f->width, f->height, eye);
		for (int p = 0; p < f->planes; p++) {
			int sx = p ? f->chroma_shift_x : 0, sy = p ? f->chroma_shift_y : 0;
			for (int y = 0; y < (r.height + (1 << sy) - 1) >> sy; y++)
				for (int x = 0; x < (r.width + (1 << sx) - 1) >> sx; x++)
					sample_put(frame, p, (r.x >> sx) + x, (r.y >> sy) + y,
					    (int)lrint(unit * paint_value(p, eye, (x + 0.5) * (1 << sx), (y + 0.5) * (1 << sy))));
		}
	}
}

static void check_carrier(const struct vrs_picture_format *format, const struct vrs_layout *layout, double fov)
{
	struct setup s = setup_of(format, layout, fov, false);
	const struct vrs_picture_format *out = &s.dst.format;
	int h = out->height, unit = 1 << (format->bit_depth - 8);
	struct vrs_rect eye = vrs_layout_eye(layout, format->width, format->height, 0);
	const struct vrs_rect views[2] = {eye, vrs_layout_eye(layout, format->width, format->height, vrs_layout_eyes(layout) - 1)};
	struct vrs_matte mattes[2] = {matte_new(8, 8), matte_new(8, 8)};
	struct vrs_lens source, carrier;
	struct vrs_error err = {0};
	assert_true(out->width == 2 * h && h % 2 == 0 && out->planes == 3 && out->bit_depth == format->bit_depth);
	assert_int_equal(vrs_lens_init(&source, layout->projection, layout->fov_degrees, eye.width, eye.height, &err), VRS_OK);
	assert_int_equal(vrs_lens_init(&carrier, VRS_PROJECTION_FISHEYE, vrs_alpha_pack_fov(s.pack), h, h, &err), VRS_OK);
	if (layout->projection == VRS_PROJECTION_HEQUIRECT)
		source.v_fov = fmin(source.h_fov * eye.height / (eye.width * layout->pixel_aspect), 3.14159265358979323846);
	paint(&s.src, layout);
	samples_fill(&s.dst, 13); /* every sample is to be written */
	vrs_alpha_pack_run(s.pack, &s.dst, &s.src, mattes, views);
	for (int p = 0; p < 3; p++) {
		int sx = p ? out->chroma_shift_x : 0, sy = p ? out->chroma_shift_y : 0, w = h >> sx;
		for (int y = 0; y < h >> sy; y++)
			for (int x = 0; x < 2 * w; x++) {
				double u, v, d[3], want = p ? 128 : 0;
				bool shown = vrs_lens_direction(&carrier, (x % w + 0.5) * (1 << sx), (y + 0.5) * (1 << sy), d);
				shown = vrs_lens_position(&source, d, &u, &v) && shown && p < format->planes;
				int e = vrs_layout_eyes(layout) == 1 ? 0 : x / w;
				if (shown) /* beyond the border samples' centres their value goes on */
					want = paint_value(p, e, fmin(fmax(u, (1 << sx) / 2.0), eye.width - (1 << sx) / 2.0),
							   fmin(fmax(v, (1 << sy) / 2.0), eye.height - (1 << sy) / 2.0));
				/* half a step of rounding twice, 1/32 sample and the curve between samples of 1 per sample at most */
				if (fabs(sample_get(&s.dst, p, x, y) / (double)unit - want) > 1.3 + 0.1 * (1 << sx))
					fail_msg("plane %d (%d, %d) is %d, expected %.2f", p, x, y, sample_get(&s.dst, p, x, y), want * unit);
			}
	}
	free(mattes[0].data);
	free(mattes[1].data);
	setup_fini(&s);
}

static void test_carrier(void **state)
{
	(void)state;
	static const struct {
		enum vrs_stereo stereo;
		enum vrs_projection projection;
		double source_fov, fov, aspect;
		int width, height, planes, depth, sx, sy;
		bool swapped;
	} cases[] = {
		{VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180, 0, 1, 512, 256, 3, 8, 1, 1, false},
		{VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180, 190, 1, 512, 256, 3, 10, 1, 1, true},
		{VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180, 0, 1, 470, 233, 3, 8, 1, 0, false},
		{VRS_STEREO_TB, VRS_PROJECTION_HEQUIRECT, 180, 0, 1, 256, 512, 3, 8, 0, 0, false},
		{VRS_STEREO_TB, VRS_PROJECTION_HEQUIRECT, 180, 0, 0.5, 256, 256, 3, 8, 1, 1, true},
		{VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180, 0, 2, 256, 256, 3, 12, 1, 1, false},
		{VRS_STEREO_MONO, VRS_PROJECTION_HEQUIRECT, 180, 200, 1, 255, 257, 1, 8, 0, 0, false},
		{VRS_STEREO_SBS, VRS_PROJECTION_FISHEYE, 190, 0, 1, 512, 256, 3, 8, 1, 1, false},
		{VRS_STEREO_SBS, VRS_PROJECTION_FISHEYE, 200, 180, 1, 512, 256, 3, 10, 1, 1, false},
		{VRS_STEREO_TB, VRS_PROJECTION_FISHEYE, 220, 0, 1, 256, 512, 3, 16, 1, 1, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_picture_format format = format_of(cases[i].width, cases[i].height, cases[i].planes, cases[i].depth, cases[i].sx, cases[i].sy);
		struct vrs_layout layout = layout_of(cases[i].stereo, cases[i].projection, cases[i].source_fov);
		layout.right_eye_first = cases[i].swapped;
		layout.pixel_aspect = cases[i].aspect;
		print_message("carrier %d\n", (int)i);
		check_carrier(&format, &layout, cases[i].fov);
	}
}

/* Chroma has the largest alpha of its four luma samples, and stays where there is none. */
static void test_red_discs(void **state)
{
	(void)state;
	struct vrs_picture_format format = format_of(1000, 500, 3, 10, 1, 1);
	struct vrs_layout layout = layout_of(VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180);
	struct setup s = setup_of(&format, &layout, 0, true);
	struct vrs_matte mattes[2] = {matte_new(32, 32), matte_new(32, 32)};
	const struct vrs_rect views[2] = {{100, 100, 300, 300}, {600, 100, 300, 300}};
	for (int i = 0; i < 32 * 32; i++) {
		mattes[0].data[i] = (uint8_t)(rand() % 5 ? rand() % 256 : 0);
		mattes[1].data[i] = (uint8_t)(rand() % 5 ? rand() % 256 : 0);
	}
	samples_fill(&s.src, 600);
	vrs_alpha_pack_run(s.pack, &s.dst, &s.src, mattes, views);
	int above = 0;
	for (int y = 0; y < 250; y++)
		for (int x = 0; x < 500; x++) {
			int eye, largest = 0;
			double u, v;
			if (!by_discs(2 * x + 1, 2 * y + 1, 1000, 500, &eye, &u, &v))
				continue;
			for (int i = 0; i < 4; i++) {
				int luma = sample_get(&s.dst, 0, 2 * x + (i & 1), 2 * y + i / 2) / 4;
				largest = luma > largest ? luma : largest;
			}
			above += largest > 0;
			assert_int_equal(sample_get(&s.dst, 1, x, y), s.options.codes[1][largest]);
			assert_int_equal(sample_get(&s.dst, 2, x, y), s.options.codes[2][largest]);
		}
	assert_true(above > 1000);
	free(mattes[0].data);
	free(mattes[1].data);
	setup_fini(&s);
}

static void test_refusals_and_sizes(void **state)
{
	(void)state;
	struct vrs_alpha_pack *pack = NULL;
	struct vrs_error err = {0};
	struct vrs_alpha_pack_options o = {.format = format_of(640, 320, 3, 8, 1, 1), .layout = layout_of(VRS_STEREO_SBS, VRS_PROJECTION_EQUIRECT, 360)};
	assert_int_equal(vrs_alpha_pack_create(&pack, &o, &err), VRS_EUNSUPPORTED);
	o.layout.projection = VRS_PROJECTION_FLAT;
	assert_int_equal(vrs_alpha_pack_create(&pack, &o, &err), VRS_EUNSUPPORTED);
	o.layout.projection = VRS_PROJECTION_UNKNOWN;
	assert_int_equal(vrs_alpha_pack_create(&pack, &o, &err), VRS_EUNSUPPORTED);
	o.layout = layout_of(VRS_STEREO_SBS, VRS_PROJECTION_FISHEYE, 190);
	o.layout.pixel_aspect = 2;
	assert_int_equal(vrs_alpha_pack_create(&pack, &o, &err), VRS_EUNSUPPORTED);
	o.layout = layout_of(VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180);
	o.format = format_of(64, 32, 3, 8, 1, 1);
	assert_int_equal(vrs_alpha_pack_create(&pack, &o, &err), VRS_EUNSUPPORTED);
	assert_null(pack);
	o.format = format_of(2048, 1024, 3, 8, 1, 1);
	o.exact_size = true;
	assert_int_equal(vrs_alpha_pack_create(&pack, &o, &err), VRS_OK);
	assert_int_equal(vrs_alpha_pack_format(pack)->height, 1120);
	assert_int_equal(vrs_alpha_pack_format(pack)->width, 2240);
	assert_true(fabs(vrs_alpha_pack_fov(pack) - 180) < 1e-9);
	vrs_alpha_pack_destroy(pack);
	o.format = format_of(200, 100, 3, 8, 1, 1);
	enum vrs_status status = VRS_ENOMEM;
	for (uint64_t n = 1; status == VRS_ENOMEM; n++) {
		assert_true(n < 200);
		vrs_mem_fail_after(n, false);
		status = vrs_alpha_pack_create(&pack, &o, &err);
	}
	vrs_mem_fail_after(0, false);
	assert_int_equal(status, VRS_OK);
	vrs_alpha_pack_destroy(pack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_discs_are_the_tiles),
		cmocka_unit_test(test_packed_mattes_are_the_tiles),
		cmocka_unit_test(test_placed_views),
		cmocka_unit_test(test_carrier),
		cmocka_unit_test(test_red_discs),
		cmocka_unit_test(test_refusals_and_sizes),
	};
	return cmocka_run_group_tests_name("alpha_pack", tests, NULL, NULL);
}
