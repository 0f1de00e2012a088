/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the fixed-point maps between lenses: every position within 1/32 sample of the lenses in double precision, forwards and back, the same
 * samples shown; pictures drawn through them as bilinear interpolation in double draws them, in any split of rows; the seam of a 360 degree picture
 * continues, and nothing of a neighbouring eye is read.  Memory faults end with a status.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "vr/remap.h"

#define RUN VRS_REMAP_RUN
#define BOUND (1.0 / 32)
#define MOST 700 /* samples of a side of the drawn pictures */

struct pair {
	enum vrs_projection from;
	double from_fov;
	int from_width, from_height;
	enum vrs_projection to;
	double to_fov;
	int to_width, to_height;
	double yaw, pitch; /* degrees, of the target */
	int step;          /* 2: chroma of 4:2:0 pictures, left chroma location */
};

static const struct pair pairs[] = {
	{VRS_PROJECTION_HEQUIRECT, 180, 640, 640, VRS_PROJECTION_FISHEYE, 180, 640, 640, 0, 0, 1},
	{VRS_PROJECTION_HEQUIRECT, 180, 640, 640, VRS_PROJECTION_FISHEYE, 190, 600, 600, 0, 0, 1},
	{VRS_PROJECTION_HEQUIRECT, 180, 640, 640, VRS_PROJECTION_FISHEYE, 180, 640, 640, 0, 0, 2},
	{VRS_PROJECTION_HEQUIRECT, 180, 451, 333, VRS_PROJECTION_FISHEYE, 200, 357, 357, 0, 0, 2},
	{VRS_PROJECTION_FISHEYE, 200, 500, 500, VRS_PROJECTION_FISHEYE, 180, 481, 481, 0, 0, 1},
	{VRS_PROJECTION_FISHEYE, 190, 500, 500, VRS_PROJECTION_HEQUIRECT, 180, 512, 512, 0, 0, 1},
	{VRS_PROJECTION_EQUIRECT, 360, 700, 350, VRS_PROJECTION_FLAT, 90, 300, 200, 175, 20, 1},
	{VRS_PROJECTION_EQUIRECT, 360, 700, 350, VRS_PROJECTION_FISHEYE, 180, 333, 333, 180, 0, 2},
	{VRS_PROJECTION_HEQUIRECT, 180, 600, 600, VRS_PROJECTION_FLAT, 100, 256, 256, 70, -30, 1},
	{VRS_PROJECTION_FLAT, 90, 400, 300, VRS_PROJECTION_FISHEYE, 180, 400, 400, 0, 0, 1},
	{VRS_PROJECTION_HEQUIRECT, 180, 40, 40, VRS_PROJECTION_FISHEYE, 180, 9, 9, 0, 0, 1},
};

static struct vrs_remap_options options_of(const struct pair *p)
{
	struct vrs_remap_options o;
	struct vrs_error err = {0};
	const double degree = 3.14159265358979323846 / 180;
	double offset = p->step == 2 ? -0.5 : 0;

	if (vrs_lens_init(&o.source, p->from, p->from_fov, p->from_width, p->from_height, &err) ||
	    vrs_lens_init(&o.target, p->to, p->to_fov, p->to_width, p->to_height, &err))
		fail_msg("%s", err.text);
	vrs_lens_turn(&o.target, p->yaw * degree, p->pitch * degree);
	o.target_grid = (struct vrs_remap_grid){(p->to_width + p->step - 1) / p->step, (p->to_height + p->step - 1) / p->step, {p->step, p->step},
		{offset, 0}};
	o.source_grid = (struct vrs_remap_grid){(p->from_width + p->step - 1) / p->step, (p->from_height + p->step - 1) / p->step,
		{p->step, p->step}, {offset, 0}};
	return o;
}

static struct vrs_remap *map_of(const struct vrs_remap_options *options)
{
	struct vrs_remap *map = NULL;
	struct vrs_error err = {0};

	if (vrs_remap_create(&map, options, &err))
		fail_msg("%s", err.text);
	return map;
}

/* Where the lenses see target sample (i, j), in samples of the source grid (0: centre of the first). */
static bool truth(const struct vrs_remap_options *o, int i, int j, double *u, double *v)
{
	double d[3];
	bool shown = vrs_lens_direction(&o->target, (i + 0.5) * o->target_grid.step[0] + o->target_grid.offset[0],
					(j + 0.5) * o->target_grid.step[1] + o->target_grid.offset[1], d);

	shown = shown && vrs_lens_position(&o->source, d, u, v);
	if (shown) {
		*u = (*u - o->source_grid.offset[0]) / o->source_grid.step[0] - 0.5;
		*v = (*v - o->source_grid.offset[1]) / o->source_grid.step[1] - 0.5;
	}
	return shown;
}

static double around(const struct vrs_remap_options *o, double difference)
{
	double width = o->source_grid.width;

	return o->source.h_fov > 6.28 ? difference - width * floor(difference / width + 0.5) : difference;
}

/* Position of a sample by the map; false: not shown. */
static bool position(const struct vrs_remap *map, int i, int j, double *u, double *v)
{
	int32_t us[RUN], vs[RUN];
	int first, end;

	vrs_remap_row(map, j, &first, &end);
	if (i / RUN < first || i / RUN >= end || !(vrs_remap_run(map, i / RUN, j, us, vs) >> i % RUN & 1))
		return false;
	*u = us[i % RUN] / 65536.0;
	*v = vs[i % RUN] / 65536.0;
	return true;
}

/* The largest angle of a sample of the source. */
static double sample_angle(const struct vrs_remap_options *o)
{
	double angle = o->source.projection == VRS_PROJECTION_FLAT ? 2 * tan(o->source.h_fov / 2) : o->source.h_fov;

	return fmax(angle / o->source.width, o->source.v_fov / o->source.height) * o->source_grid.step[0];
}

/* Between what target sample (i, j) sees and what lies at its position in the source. */
static double angle_back(const struct vrs_remap_options *o, int i, int j, double u, double v)
{
	const struct vrs_remap_grid *t = &o->target_grid, *s = &o->source_grid;
	double a[3], b[3];

	(void)vrs_lens_direction(&o->target, (i + 0.5) * t->step[0] + t->offset[0], (j + 0.5) * t->step[1] + t->offset[1], a);
	(void)vrs_lens_direction(&o->source, (u + 0.5) * s->step[0] + s->offset[0], (v + 0.5) * s->step[1] + s->offset[1], b);
	return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Also the way back: what the source has at a position is what the sample sees. */
static void test_positions(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
		struct vrs_remap_options o = options_of(&pairs[k]);
		struct vrs_remap *map = map_of(&o);
		double worst = 0, worst_back = 0;
		int shown = 0;
		for (int j = 0; j < o.target_grid.height; j++)
			for (int i = 0; i < o.target_grid.width; i++) {
				double u = 0, v = 0, x = 0, y = 0;
				bool want = truth(&o, i, j, &x, &y);
				if (position(map, i, j, &u, &v) != want)
					fail_msg("pair %d: sample (%d, %d) is %sshown", (int)k, i, j, want ? "not " : "");
				if (!want)
					continue;
				shown++;
				worst = fmax(worst, fmax(fabs(around(&o, u - x)), fabs(v - y)));
				worst_back = fmax(worst_back, angle_back(&o, i, j, u, v) / sample_angle(&o));
			}
		print_message("pair %d: %d samples, off by at most %.5f, back in angle %.5f\n", (int)k, shown, worst, worst_back);
		assert_true(shown > 0);
		assert_true(worst < BOUND);
		assert_true(worst_back < 1.5 * BOUND);
		vrs_remap_destroy(map);
	}
}

static uint16_t picture[MOST][2 * MOST], drawn[MOST][MOST + 8], again[MOST][MOST + 8];
static uint8_t picture8[MOST][2 * MOST], drawn8[MOST][MOST + 8];

/* Smooth, different everywhere and the same at both ends of a row of w samples; beside it (another eye) what must not be seen. */
static void paint(int w, int h)
{
	for (int y = 0; y < h; y++)
		for (int x = 0; x < 2 * MOST; x++) {
			double value = 30000 + 20000 * sin(x * 6.28318530717958648 / w) + 10000 * cos(y * 3.0 / h);
			picture[y][x] = x < w ? (uint16_t)value : 65535;
			picture8[y][x] = x < w ? (uint8_t)(value / 256) : 255;
		}
}

static double bilinear(const struct vrs_remap_options *o, double u, double v)
{
	int w = o->source_grid.width, h = o->source_grid.height;
	bool wraps = o->source.h_fov > 6.28;

	u = wraps ? u - w * floor(u / w) : fmin(fmax(u, 0), w - 1);
	v = fmin(fmax(v, 0), h - 1);
	int x = (int)u, y = (int)v, next = x + 1 < w ? x + 1 : wraps ? 0 : x, below = y + 1 < h ? y + 1 : y;
	double a = u - x, b = v - y;

	return (1 - b) * ((1 - a) * picture[y][x] + a * picture[y][next]) + b * ((1 - a) * picture[below][x] + a * picture[below][next]);
}

static void check_drawing(const struct pair *pair)
{
	struct vrs_remap_options o = options_of(pair);
	struct vrs_remap *map = map_of(&o);
	int w = o.source_grid.width, h = o.source_grid.height, height = o.target_grid.height, width = o.target_grid.width;
	const struct vrs_remap_plane source = {picture, sizeof picture[0], w, h}, source8 = {picture8, sizeof picture8[0], w, h};

	paint(w, h);
	memset(drawn, 0x77, sizeof drawn);
	memset(again, 0x77, sizeof again);
	memset(drawn8, 0x77, sizeof drawn8);
	vrs_remap_draw(map, &(struct vrs_remap_canvas){drawn, sizeof drawn[0], 2}, &source, 777, 0, height);
	vrs_remap_draw(map, &(struct vrs_remap_canvas){again, sizeof again[0], 2}, &source, 777, height / 3, height);
	vrs_remap_draw(map, &(struct vrs_remap_canvas){again, sizeof again[0], 2}, &source, 777, 0, height / 3);
	assert_memory_equal(drawn, again, sizeof drawn);
	vrs_remap_draw(map, &(struct vrs_remap_canvas){drawn8, sizeof drawn8[0], 1}, &source8, 16, 0, height);
	/* neighbours differ by 20000 * 2 pi / w and 10000 * 3 / h at most; positions by 1/32, weights by 1/256 */
	double tolerance = (20000 * 6.2832 / w + 30000.0 / h) * (BOUND + 1.0 / 256) + 1;
	for (int j = 0; j < height; j++) {
		for (int i = 0; i < width; i++) {
			double u = 0, v = 0, want = truth(&o, i, j, &u, &v) ? bilinear(&o, u, v) : 777, want8 = want == 777 ? 16 : want / 256;
			if (fabs(drawn[j][i] - want) > tolerance)
				fail_msg("sample (%d, %d) is %d, expected %.2f +- %.2f", i, j, drawn[j][i], want, tolerance);
			/* the 8-bit picture is rounded down before */
			if (fabs(drawn8[j][i] + 0.5 - want8) > tolerance / 256 + 1.01)
				fail_msg("sample (%d, %d) is %d in 8 bits, expected %.2f", i, j, drawn8[j][i], want8);
		}
		for (int i = width; i < MOST + 8; i++)
			assert_true(drawn[j][i] == 0x7777 && drawn8[j][i] == 0x77);
	}
	vrs_remap_destroy(map);
}

static void test_drawing(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++)
		check_drawing(&pairs[k]);
}

static void test_refusals_and_faults(void **state)
{
	(void)state;
	struct vrs_remap_options good = options_of(&pairs[9]), bad = good;
	struct vrs_remap *map = NULL;
	struct vrs_error err = {0};

	bad.source_grid.height = 1;
	assert_int_equal(vrs_remap_create(&map, &bad, &err), VRS_EINVAL);
	bad = good;
	bad.target_grid.width = 20000;
	assert_int_equal(vrs_remap_create(&map, &bad, &err), VRS_EINVAL);
	assert_null(map);
	enum vrs_status status = VRS_ENOMEM;
	for (uint64_t n = 1; status == VRS_ENOMEM; n++) {
		assert_true(n < 100);
		vrs_mem_fail_after(n, false);
		status = vrs_remap_create(&map, &good, &err);
		if (status == VRS_OK && vrs_mem_fault_fired())
			fail_msg("a fault was not seen");
	}
	vrs_mem_fail_after(0, false);
	assert_int_equal(status, VRS_OK);
	vrs_remap_destroy(map);
	vrs_remap_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_positions),
		cmocka_unit_test(test_drawing),
		cmocka_unit_test(test_refusals_and_faults),
	};
	return cmocka_run_group_tests_name("remap", tests, NULL, NULL);
}
