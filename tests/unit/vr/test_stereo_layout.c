/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards vr/stereo_layout: who decides (request, side data, tags, projection, aspect), with a reason, and the rectangles of the eyes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include <vrseg/layout.h>

#define AUTO VRS_STEREO_AUTO
#define MONO VRS_STEREO_MONO
#define SBS VRS_STEREO_SBS
#define TB VRS_STEREO_TB
#define UNKNOWN VRS_PROJECTION_UNKNOWN
#define HALF VRS_PROJECTION_HEQUIRECT
#define FULL VRS_PROJECTION_EQUIRECT
#define FISH VRS_PROJECTION_FISHEYE
#define FLAT VRS_PROJECTION_FLAT

static const struct vrs_stereo_side_data no_side;
static const struct vrs_stereo_side_data side_sbs = {.has_stereo = true, .stereo = SBS};
static const struct vrs_stereo_side_data side_rl = {.has_stereo = true, .stereo = SBS, .inverted = true};
static const struct vrs_stereo_side_data side_mono = {.has_stereo = true, .stereo = MONO};
static const struct vrs_stereo_side_data side_vr180 = {
	.has_stereo = true, .stereo = SBS, .has_spherical = true, .projection = HALF, .bound_left = 0.25, .bound_right = 0.25};
static const struct vrs_stereo_side_data side_sphere = {.has_spherical = true, .projection = FULL};
static const struct vrs_stereo_side_data side_half = {.has_spherical = true, .projection = HALF, .bound_left = 0.25, .bound_right = 0.25};
static const struct vrs_stereo_side_data side_cube = {.has_spherical = true, .projection = UNKNOWN};

struct row {
	enum vrs_stereo request;
	const struct vrs_stereo_side_data *side;
	const char *name;
	int w, h;
	enum vrs_stereo stereo;
	bool right_eye_first;
	enum vrs_projection projection;
	double fov;
	const char *reason; /* part of it */
};

static const struct row rows[] = {
	/* the request beats everything */
	{SBS, &no_side, "a.mp4", 1920, 1080, SBS, false, FLAT, 0, "requested"},
	{MONO, &side_vr180, "a_LR.mp4", 3840, 1920, MONO, false, HALF, 180, "requested"},
	{TB, &side_rl, "a.mp4", 3840, 3840, TB, false, FULL, 360, "requested"},
	{SBS, &side_rl, "a.mp4", 3840, 1920, SBS, true, HALF, 180, "requested"},
	{SBS, NULL, "a_RL.mp4", 3840, 1920, SBS, true, HALF, 180, "requested"},
	/* side data beats tags */
	{AUTO, &side_vr180, "a_TB_360.mp4", 3840, 1920, SBS, false, HALF, 180, "side data"},
	{AUTO, &side_sbs, "a_360.mp4", 3840, 1920, SBS, false, FULL, 360, "side data"},
	{AUTO, &side_rl, "a.mp4", 3840, 1920, SBS, true, HALF, 180, "right eye first"},
	{AUTO, &side_mono, "a.mp4", 3840, 1920, MONO, false, FULL, 360, "one eye"},
	/* tags beat the aspect */
	{AUTO, &no_side, "a_180_LR.mp4", 3840, 1920, SBS, false, HALF, 180, "tag LR"},
	{AUTO, NULL, "a_TB_360.mp4", 3840, 3840, TB, false, FULL, 360, "tag TB"},
	{AUTO, NULL, "a_BT_180.mp4", 2048, 4096, TB, true, HALF, 180, "right eye first"},
	{AUTO, NULL, "a_HSBS.mp4", 1920, 1080, SBS, false, FLAT, 0, "tag HSBS"},
	{AUTO, NULL, "a_MKX200.mp4", 5800, 2900, SBS, false, FISH, 200, "implies"},
	{AUTO, NULL, "a_mono_360.mp4", 4096, 2048, MONO, false, FULL, 360, "tag mono"},
	/* a known projection says how many eyes fit: the guard for mono 360 */
	{AUTO, NULL, "a_360.mp4", 3840, 1920, MONO, false, FULL, 360, "360"},
	{AUTO, &side_sphere, "a.mp4", 3840, 1920, MONO, false, FULL, 360, "side data says 360"},
	{AUTO, NULL, "a_360.mp4", 3840, 3840, TB, false, FULL, 360, "top and bottom"},
	{AUTO, NULL, "a_360.mp4", 7680, 1920, SBS, false, FULL, 360, "two side by side"},
	{AUTO, &side_half, "a.mp4", 3840, 1920, SBS, false, HALF, 180, "side data"},
	{AUTO, NULL, "a_180.mp4", 2900, 2900, MONO, false, HALF, 180, "one eye"},
	{AUTO, NULL, "a_180.mp4", 1920, 3840, TB, false, HALF, 180, "top and bottom"},
	{AUTO, NULL, "a_FISHEYE190.mp4", 5760, 2880, SBS, false, FISH, 190, "fisheye"},
	{AUTO, NULL, "a_flat.mp4", 3840, 1600, MONO, false, FLAT, 0, "flat"},
	/* a projection that fits no layout leaves it to the aspect */
	{AUTO, NULL, "a_360.mp4", 1920, 1080, MONO, false, FULL, 360, "nothing says it"},
	{AUTO, &side_cube, "a.mp4", 3840, 1920, SBS, false, HALF, 180, "nothing says it"},
	/* nothing but the aspect */
	{AUTO, &no_side, "a.mp4", 3840, 1920, SBS, false, HALF, 180, "nothing says it"},
	{AUTO, NULL, NULL, 5760, 2900, SBS, false, HALF, 180, "5760x2900"},
	{AUTO, NULL, NULL, 3840, 1080, SBS, false, FLAT, 0, "side by side"},
	{AUTO, NULL, NULL, 1920, 1080, MONO, false, FLAT, 0, "one eye"},
	{AUTO, NULL, NULL, 1920, 804, MONO, false, FLAT, 0, "one eye"},   /* a 2.39:1 film is no stereo pair */
	{AUTO, NULL, NULL, 1920, 872, MONO, false, FLAT, 0, "one eye"},   /* nor one of 2.20:1 */
	{AUTO, NULL, NULL, 640, 480, MONO, false, FLAT, 0, "one eye"},
	{AUTO, NULL, NULL, 2048, 2048, MONO, false, UNKNOWN, 0, "one eye"},
	/* impossible */
	{SBS, NULL, NULL, 3, 2, MONO, false, FLAT, 0, "too small"},
	{TB, NULL, NULL, 2, 3, MONO, false, FLAT, 0, "too small"},
};

static void decision_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct row *r = &rows[i];
		struct vrs_layout layout;

		memset(&layout, 0xff, sizeof layout);
		vrs_layout_decide(&layout, r->request, r->side, r->name, r->w, r->h);
		if (layout.stereo != r->stereo || layout.right_eye_first != r->right_eye_first || layout.projection != r->projection ||
		    layout.fov_degrees != r->fov || !strstr(layout.reason, r->reason))
			fail_msg("row %zu (%s %dx%d): %s order %d %s fov %g \"%s\"", i, r->name ? r->name : "", r->w, r->h,
				 vrs_stereo_name(layout.stereo), layout.right_eye_first, vrs_projection_name(layout.projection), layout.fov_degrees,
				 layout.reason);
	}
}

static void long_names_keep_the_reason_in_bounds(void **state)
{
	struct vrs_layout layout;

	(void)state;
	vrs_layout_decide(&layout, AUTO, NULL, "name_FISHEYE190_sbs2l_alpha_passthrough.mp4", 2147483646, 1073741823);
	assert_true(strlen(layout.reason) < sizeof layout.reason - 1);
	vrs_layout_decide(&layout, AUTO, NULL, NULL, 0, 0);
	assert_int_equal(layout.stereo, MONO);
}

static void check_rect(struct vrs_rect got, int x, int y, int w, int h)
{
	assert_int_equal(got.x, x);
	assert_int_equal(got.y, y);
	assert_int_equal(got.width, w);
	assert_int_equal(got.height, h);
}

static void eyes_of_usual_sizes(void **state)
{
	struct vrs_layout layout = {.stereo = SBS};

	(void)state;
	assert_int_equal(vrs_layout_eyes(&layout), 2);
	check_rect(vrs_layout_eye(&layout, 3840, 1920, 0), 0, 0, 1920, 1920);
	check_rect(vrs_layout_eye(&layout, 3840, 1920, 1), 1920, 0, 1920, 1920);
	layout.right_eye_first = true;
	check_rect(vrs_layout_eye(&layout, 3840, 1920, 0), 1920, 0, 1920, 1920);
	check_rect(vrs_layout_eye(&layout, 3840, 1920, 1), 0, 0, 1920, 1920);
	layout = (struct vrs_layout){.stereo = TB};
	check_rect(vrs_layout_eye(&layout, 2048, 4096, 0), 0, 0, 2048, 2048);
	check_rect(vrs_layout_eye(&layout, 2048, 4096, 1), 0, 2048, 2048, 2048);
	layout = (struct vrs_layout){.stereo = MONO};
	assert_int_equal(vrs_layout_eyes(&layout), 1);
	check_rect(vrs_layout_eye(&layout, 641, 479, 0), 0, 0, 641, 479);
}

/* All sizes: both eyes equal, even, inside, not overlapping, and at most one sample away from the true half. */
static void eyes_of_odd_sizes(void **state)
{
	(void)state;
	for (int n = 4; n < 600; n++) {
		for (int k = 0; k < 2; k++) {
			struct vrs_layout layout = {.stereo = k ? TB : SBS};
			int w = k ? 101 : n, h = k ? n : 101;
			struct vrs_rect a = vrs_layout_eye(&layout, w, h, 0), b = vrs_layout_eye(&layout, w, h, 1);
			int start = k ? b.y : b.x, length = k ? b.height : b.width;

			assert_int_equal(a.width, b.width);
			assert_int_equal(a.height, b.height);
			assert_int_equal((a.x | a.y | a.width | a.height | b.x | b.y) & 1, 0);
			assert_true(a.width > 0 && a.height > 0 && b.x + b.width <= w && b.y + b.height <= h);
			assert_true(start >= length && start + length <= n && n - 2 * length < 4);
			assert_true(2 * start >= n - 1 && 2 * start <= n + 2);
		}
	}
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(vrs_stereo_name(MONO), "mono");
	assert_string_equal(vrs_stereo_name(SBS), "sbs");
	assert_string_equal(vrs_stereo_name(TB), "tb");
	assert_string_equal(vrs_stereo_name(AUTO), "auto");
	assert_string_equal(vrs_projection_name(FLAT), "flat");
	assert_string_equal(vrs_projection_name(HALF), "hequirect");
	assert_string_equal(vrs_projection_name(FULL), "equirect");
	assert_string_equal(vrs_projection_name(FISH), "fisheye");
	assert_string_equal(vrs_projection_name(UNKNOWN), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decision_table),
		cmocka_unit_test(long_names_keep_the_reason_in_bounds),
		cmocka_unit_test(eyes_of_usual_sizes),
		cmocka_unit_test(eyes_of_odd_sizes),
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
