/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards vr/stereo_layout: who decides (request, side data, tags, projection, aspect), with a reason, and the rectangles of the eyes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include <vrseg/layout.h>

#define ASK_AUTO VRS_LAYOUT_AUTO
#define ASK_MONO VRS_LAYOUT_MONO
#define ASK_SBS VRS_LAYOUT_SBS
#define ASK_TB VRS_LAYOUT_TB
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
static const struct vrs_stereo_side_data side_other = {.has_spherical = true, .projection = UNKNOWN};
static const struct vrs_stereo_side_data side_cube = {.has_spherical = true, .projection = UNKNOWN, .foreign = VRS_FOREIGN_CUBE};
static const struct vrs_stereo_side_data side_mesh = {.has_stereo = true, .stereo = SBS, .foreign = VRS_FOREIGN_MESH};
static const struct vrs_stereo_side_data side_layers = {.has_stereo = true, .stereo = MONO, .foreign = VRS_FOREIGN_LAYERS};
static const struct vrs_stereo_side_data side_lens = {.has_spherical = true, .foreign = VRS_FOREIGN_LENS};
static const struct vrs_stereo_side_data side_fish = {.has_spherical = true, .projection = FISH, .fov_degrees = 195};
static const struct vrs_stereo_side_data side_wide = {
	.has_spherical = true, .projection = FULL, .bound_left = 0.125, .bound_right = 0.125, .bound_top = 0.25, .bound_bottom = 0.25};

struct row {
	enum vrs_layout_choice request;
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
	{ASK_SBS, &no_side, "a.mp4", 1920, 1080, SBS, false, FLAT, 0, "requested"},
	{ASK_MONO, &side_vr180, "a_LR.mp4", 3840, 1920, MONO, false, HALF, 180, "requested"},
	{ASK_TB, &side_rl, "a.mp4", 3840, 3840, TB, false, FULL, 360, "requested"},
	{ASK_SBS, &side_rl, "a.mp4", 3840, 1920, SBS, true, HALF, 180, "requested"},
	{ASK_SBS, NULL, "a_RL.mp4", 3840, 1920, SBS, true, HALF, 180, "requested"},
	{VRS_LAYOUT_RL, &side_sbs, "a_LR.mp4", 3840, 1920, SBS, true, HALF, 180, "right eye first, was requested"},
	{VRS_LAYOUT_BT, NULL, "a_360.mp4", 3840, 3840, TB, true, FULL, 360, "right eye first, was requested"},
	{VRS_LAYOUT_HSBS, NULL, "a.mp4", 1920, 1080, SBS, false, FLAT, 0, "half size was requested"},
	{VRS_LAYOUT_HSBS, NULL, "a_180.mp4", 3840, 1920, SBS, false, HALF, 180, "of this shape are not squeezed"},
	{VRS_LAYOUT_HTB, NULL, "a_BT.mp4", 1920, 1080, TB, true, FLAT, 0, "half size was requested"},
	/* side data beats tags */
	{ASK_AUTO, &side_fish, "a_180.mp4", 3840, 1920, SBS, false, FISH, 195, "side data says fisheye"},
	/* three quarters of the way round and half of the way up: 3:1 for one eye */
	{ASK_AUTO, &side_wide, "a.mp4", 3840, 1280, MONO, false, FULL, 270, "one eye"},
	{ASK_AUTO, &side_wide, "a.mp4", 3840, 2560, TB, false, FULL, 270, "two eyes"},
	{ASK_AUTO, &side_vr180, "a_TB_360.mp4", 3840, 1920, SBS, false, HALF, 180, "side data"},
	{ASK_AUTO, &side_sbs, "a_360.mp4", 3840, 1920, SBS, false, FULL, 360, "side data"},
	{ASK_AUTO, &side_rl, "a.mp4", 3840, 1920, SBS, true, HALF, 180, "right eye first"},
	{ASK_AUTO, &side_mono, "a.mp4", 3840, 1920, MONO, false, FULL, 360, "one eye"},
	/* tags beat the aspect */
	{ASK_AUTO, &no_side, "a_180_LR.mp4", 3840, 1920, SBS, false, HALF, 180, "tag LR"},
	{ASK_AUTO, NULL, "a_TB_360.mp4", 3840, 3840, TB, false, FULL, 360, "tag TB"},
	{ASK_AUTO, NULL, "a_BT_180.mp4", 2048, 4096, TB, true, HALF, 180, "right eye first"},
	{ASK_AUTO, NULL, "a_HSBS.mp4", 1920, 1080, SBS, false, FLAT, 0, "tag HSBS"},
	{ASK_AUTO, NULL, "a_MKX200.mp4", 5800, 2900, SBS, false, FISH, 200, "implies"},
	{ASK_AUTO, NULL, "a_mono_360.mp4", 4096, 2048, MONO, false, FULL, 360, "tag mono"},
	/* a known projection says how many eyes fit: the guard for mono 360 */
	{ASK_AUTO, NULL, "a_360.mp4", 3840, 1920, MONO, false, FULL, 360, "360"},
	{ASK_AUTO, &side_sphere, "a.mp4", 3840, 1920, MONO, false, FULL, 360, "side data says equirect"},
	{ASK_AUTO, NULL, "a_360.mp4", 3840, 3840, TB, false, FULL, 360, "two eyes, top and bottom"},
	{ASK_AUTO, NULL, "a_360.mp4", 7680, 1920, SBS, false, FULL, 360, "two eyes side by side"},
	{ASK_AUTO, &side_half, "a.mp4", 3840, 1920, SBS, false, HALF, 180, "side data"},
	{ASK_AUTO, NULL, "a_180.mp4", 2900, 2900, MONO, false, HALF, 180, "one eye"},
	{ASK_AUTO, NULL, "a_180.mp4", 1920, 3840, TB, false, HALF, 180, "two eyes, top and bottom"},
	{ASK_AUTO, NULL, "a_FISHEYE190.mp4", 5760, 2880, SBS, false, FISH, 190, "fisheye"},
	{ASK_AUTO, NULL, "a_flat.mp4", 3840, 1600, MONO, false, FLAT, 0, "flat"},
	/* a projection that fits no layout leaves it to the aspect */
	{ASK_AUTO, NULL, "a_360.mp4", 1920, 1080, MONO, false, FULL, 360, "nothing says it"},
	{ASK_AUTO, &side_other, "a.mp4", 3840, 1920, SBS, false, HALF, 180, "nothing says it"},
	/* nothing but the aspect */
	{ASK_AUTO, &no_side, "a.mp4", 3840, 1920, SBS, false, HALF, 180, "nothing says it"},
	{ASK_AUTO, NULL, NULL, 5760, 2900, SBS, false, HALF, 180, "5760x2900"},
	{ASK_AUTO, NULL, NULL, 3840, 1080, SBS, false, FLAT, 0, "side by side"},
	{ASK_AUTO, NULL, NULL, 1920, 1080, MONO, false, FLAT, 0, "one eye"},
	{ASK_AUTO, NULL, NULL, 1920, 804, MONO, false, FLAT, 0, "one eye"},   /* a 2.39:1 film is no stereo pair */
	{ASK_AUTO, NULL, NULL, 1920, 872, MONO, false, FLAT, 0, "one eye"},   /* nor one of 2.20:1 */
	{ASK_AUTO, NULL, NULL, 640, 480, MONO, false, FLAT, 0, "one eye"},
	{ASK_AUTO, NULL, NULL, 2048, 2048, MONO, false, UNKNOWN, 0, "one eye"},
	/* impossible */
	{ASK_SBS, NULL, NULL, 3, 2, MONO, false, FLAT, 0, "too small"},
	{ASK_TB, NULL, NULL, 2, 3, MONO, false, FLAT, 0, "too small"},
};

static void decision_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct row *r = &rows[i];
		struct vrs_layout layout;

		memset(&layout, 0xff, sizeof layout);
		const struct vrs_layout_request request = {.layout = r->request};
		assert_int_equal(vrs_layout_decide(&layout, &request, r->side, r->name, r->w, r->h, NULL), VRS_OK);
		if (layout.stereo != r->stereo || layout.right_eye_first != r->right_eye_first || layout.projection != r->projection ||
		    layout.fov_degrees != r->fov || !strstr(layout.reason, r->reason))
			fail_msg("row %zu (%s %dx%d): %s order %d %s fov %g \"%s\"", i, r->name ? r->name : "", r->w, r->h,
				 vrs_stereo_name(layout.stereo), layout.right_eye_first, vrs_projection_name(layout.projection), layout.fov_degrees,
				 layout.reason);
	}
}

/* What was asked for and what names say goes before side data; what is guessed is not said. */
static void outputs_say_what_was_decided(void **state)
{
	static const struct {
		const struct vrs_stereo_side_data *side;
		const char *name, *projection;
		enum vrs_layout_choice request;
		enum vrs_stereo stereo; /* AUTO: nothing */
		bool inverted;
		enum vrs_projection sphere; /* UNKNOWN: nothing */
		double bound;
		bool stereo_is_named, projection_is_named;
	} cases[] = {
		{&side_vr180, "a.mp4", "auto", ASK_TB, TB, false, HALF, 0.25, false, false},
		{&side_vr180, "a.mp4", "auto", ASK_MONO, MONO, false, HALF, 0.25, false, false},
		{&side_vr180, "a_TB_360.mp4", "auto", ASK_AUTO, SBS, false, HALF, 0.25, false, false},
		{&side_vr180, "a.mp4", "equirect", ASK_AUTO, SBS, false, FULL, 0, false, false},
		{&side_vr180, "a.mp4", "flat", ASK_AUTO, SBS, false, UNKNOWN, 0, false, false},
		{&side_vr180, "a.mp4", "fisheye:190", ASK_AUTO, SBS, false, FISH, 0, false, false},
		{&side_vr180, "a.mp4", "hequirect:144", ASK_AUTO, SBS, false, HALF, 0.3, false, false},
		{&side_sphere, "a.mp4", "auto", ASK_AUTO, VRS_STEREO_AUTO, false, FULL, 0, false, false},
		{NULL, "a.mp4", "auto", VRS_LAYOUT_RL, SBS, true, UNKNOWN, 0, false, false},
		{NULL, "a.mp4", "hequirect", ASK_AUTO, SBS, false, HALF, 0.25, false, false},
		{NULL, "a.mp4", "equirect", ASK_AUTO, VRS_STEREO_AUTO, false, FULL, 0, false, false},
		{NULL, "a_180_LR.mp4", "auto", ASK_AUTO, SBS, false, HALF, 0.25, true, true},
		{NULL, "a_180.mp4", "auto", ASK_SBS, SBS, false, HALF, 0.25, false, true},
		{NULL, "a.mp4", "auto", ASK_AUTO, VRS_STEREO_AUTO, false, UNKNOWN, 0, false, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_layout layout;
		struct vrs_layout_request request = {.layout = cases[i].request};
		assert_int_equal(vrs_projection_ask(&request, cases[i].projection, NULL), VRS_OK);
		assert_int_equal(vrs_layout_decide(&layout, &request, cases[i].side, cases[i].name, 3840, 1920, NULL), VRS_OK);
		struct vrs_stereo_side_data said = vrs_layout_side(&layout, cases[i].side);
		bool stereo = said.has_stereo ? said.stereo == cases[i].stereo && said.inverted == cases[i].inverted : cases[i].stereo == VRS_STEREO_AUTO;
		bool sphere = said.has_spherical ? said.projection == cases[i].sphere && fabs(said.bound_left - cases[i].bound) < 1e-9 &&
			      said.bound_left == said.bound_right : cases[i].sphere == UNKNOWN;
		if (!stereo || !sphere || said.stereo_is_named != cases[i].stereo_is_named || said.projection_is_named != cases[i].projection_is_named)
			fail_msg("case %zu: %d %s %d, %d %s %g, named %d %d", i, said.has_stereo, vrs_stereo_name(said.stereo), said.inverted,
				 said.has_spherical, vrs_projection_name(said.projection), said.bound_left, said.stereo_is_named,
				 said.projection_is_named);
	}
}

/* Programs decide by the source, never by the sentence. */
static void the_source_is_told(void **state)
{
	static const struct {
		const struct vrs_stereo_side_data *side;
		const char *name;
		enum vrs_layout_choice request;
		int w, h;
		enum vrs_layout_source source;
	} cases[] = {
		{&side_vr180, "a_LR.mp4", ASK_TB, 3840, 1920, VRS_LAYOUT_BY_REQUEST},   {&side_vr180, "a_TB.mp4", ASK_AUTO, 3840, 1920, VRS_LAYOUT_BY_SIDE_DATA},
		{NULL, "a_LR.mp4", ASK_AUTO, 3840, 1920, VRS_LAYOUT_BY_NAME},           {&side_sphere, "a.mp4", ASK_AUTO, 3840, 1920, VRS_LAYOUT_BY_PROJECTION},
		{NULL, "a.mp4", ASK_AUTO, 3840, 1920, VRS_LAYOUT_BY_SHAPE},             {NULL, "a.mp4", ASK_SBS, 3, 2, VRS_LAYOUT_BY_SHAPE},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_layout layout;
		const struct vrs_layout_request request = {.layout = cases[i].request};
		assert_int_equal(vrs_layout_decide(&layout, &request, cases[i].side, cases[i].name, cases[i].w, cases[i].h, NULL), VRS_OK);
		assert_int_equal(layout.source, cases[i].source);
	}
}

/* What is asked for a projection, on a file that says something else. */
static void requested_projections(void **state)
{
	static const struct {
		const char *text;
		const struct vrs_stereo_side_data *side;
		enum vrs_projection projection;
		double fov;
		enum vrs_stereo stereo; /* of a 2:1 picture without a word on it */
	} asked[] = {
		{"flat", &side_half, FLAT, 0, MONO},     {"flat:90", NULL, FLAT, 90, MONO},       {"equirect", &side_half, FULL, 360, MONO},
		{"fisheye", NULL, FISH, 180, SBS},       {"fisheye:190", NULL, FISH, 190, SBS},   {"fisheye", &side_fish, FISH, 195, SBS},
		{"hequirect", &side_cube, HALF, 180, SBS}, {"fisheye:200.5", &side_lens, FISH, 200.5, SBS}, {"auto", &side_half, HALF, 180, SBS},
		{"hequirect:160", NULL, HALF, 160, AUTO},
	};

	(void)state;
	for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
		struct vrs_layout_request request = {0};
		struct vrs_layout layout;

		assert_int_equal(vrs_projection_ask(&request, asked[i].text, NULL), VRS_OK);
		assert_int_equal(vrs_layout_decide(&layout, &request, asked[i].side, "a.mp4", 3840, 1920, NULL), VRS_OK);
		assert_int_equal(layout.projection, asked[i].projection);
		assert_true(layout.fov_degrees == asked[i].fov);
		if (asked[i].stereo != AUTO)
			assert_int_equal(layout.stereo, asked[i].stereo);
	}
}

static void projections_as_text(void **state)
{
	static const char *const wrong[] = {"", "Flat", "flat:", "flat:171", "fisheye:0", "fisheye:361", "fisheye:nan", "fisheye:190 ", "cube",
					    "auto:1", ":180"};
	struct vrs_layout_request request = {.projection = FISH, .fov_degrees = 7};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		assert_int_equal(vrs_projection_ask(&request, wrong[i], NULL), VRS_ECONFIG);
	assert_int_equal(request.projection, FISH);
	assert_true(request.fov_degrees == 7);
}

/* Each says what to do, and goes when the user says what to take the picture for. */
static void what_cannot_be_shown_is_refused(void **state)
{
	static const struct {
		const struct vrs_stereo_side_data *side;
		const char *name;
		const char *word;
		struct vrs_layout_request way_out;
	} refused[] = {
		{&side_mesh, "a_180_LR.mp4", "--projection", {.projection = HALF}},
		{&side_lens, "a.mov", "--projection", {.projection = FISH, .fov_degrees = 190}},
		{&side_cube, "a.mp4", "v360=c3x2", {.projection = FLAT}},
		{NULL, "a_EAC360.mkv", "v360=eac", {.projection = FLAT}},
		{&side_layers, "a.mov", "--layout mono", {.layout = VRS_LAYOUT_MONO}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		struct vrs_error err = {0};
		struct vrs_layout layout;

		assert_int_equal(vrs_layout_decide(&layout, NULL, refused[i].side, refused[i].name, 3840, 1920, &err), VRS_EUNSUPPORTED);
		if (!strstr(err.text, refused[i].word) || !strstr(err.text, refused[i].name))
			fail_msg("%s", err.text);
		assert_int_equal(vrs_layout_decide(&layout, &refused[i].way_out, refused[i].side, refused[i].name, 3840, 1920, &err), VRS_OK);
	}
}

/* Which eyes were squeezed: by their shape where the projection has one, by word for flat films. */
static void squeezed_eyes(void **state)
{
	static const struct {
		enum vrs_layout_choice layout;
		const char *name;
		int w, h;
		double aspect;
	} eyes[] = {
		{ASK_AUTO, "a_LR_180.mp4", 3840, 1920, 1},   {ASK_AUTO, "a_LR_180.mp4", 1920, 1920, 2},  {ASK_AUTO, "a_TB_360.mp4", 3840, 3840, 1},
		{ASK_AUTO, "a_TB_360.mp4", 3840, 1920, 0.5}, {ASK_AUTO, "a_HSBS.mp4", 1920, 1080, 2},    {ASK_AUTO, "a_HOU.mp4", 1920, 1080, 0.5},
		{ASK_AUTO, "a_HSBS_180.mp4", 3840, 1920, 1}, {VRS_LAYOUT_HTB, "a.mp4", 1920, 1080, 0.5}, {VRS_LAYOUT_HSBS, "a.mp4", 1920, 1080, 2},
		{ASK_AUTO, "a_SBS_flat.mp4", 3840, 1080, 1}, {ASK_AUTO, "a_SBS_flat.mp4", 1920, 1080, 2}, {ASK_AUTO, "a_OU_flat.mp4", 1920, 1080, 0.5},
		{ASK_AUTO, "a_OU_flat.mp4", 1920, 2160, 1},  {ASK_AUTO, "a.mp4", 1920, 1080, 1},         {ASK_AUTO, "a_MKX200_LR.mp4", 5800, 2900, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof eyes / sizeof eyes[0]; i++) {
		const struct vrs_layout_request request = {.layout = eyes[i].layout};
		struct vrs_layout layout;

		assert_int_equal(vrs_layout_decide(&layout, &request, NULL, eyes[i].name, eyes[i].w, eyes[i].h, NULL), VRS_OK);
		if (layout.pixel_aspect != eyes[i].aspect)
			fail_msg("%s %dx%d: %g", eyes[i].name, eyes[i].w, eyes[i].h, layout.pixel_aspect);
	}
}

static void long_names_keep_the_reason_in_bounds(void **state)
{
	struct vrs_layout layout;

	(void)state;
	assert_int_equal(vrs_layout_decide(&layout, NULL, NULL, "name_FISHEYE190_sbs2l_alpha_passthrough.mp4", 2147483646, 1073741823, NULL), VRS_OK);
	assert_true(strlen(layout.reason) < sizeof layout.reason - 1);
	assert_int_equal(vrs_layout_decide(&layout, NULL, NULL, NULL, 0, 0, NULL), VRS_OK);
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

/* Columns after which an eye begins again: those of whole turns, where eyes begin and end with whole chroma samples. */
static void circles(void **state)
{
	struct vrs_picture_format format = {.width = 3840, .height = 1920, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1, .bit_depth = 8};
	struct vrs_layout layout = {.stereo = MONO, .projection = FULL, .fov_degrees = 360};

	(void)state;
	assert_int_equal(vrs_layout_circle(&layout, &format), 3840);
	layout.stereo = SBS;
	assert_int_equal(vrs_layout_circle(&layout, &format), 1920);
	layout.stereo = TB;
	layout.fov_degrees = 0;
	assert_int_equal(vrs_layout_circle(&layout, &format), 3840);
	layout.fov_degrees = 270;
	assert_int_equal(vrs_layout_circle(&layout, &format), 0);
	layout = (struct vrs_layout){.stereo = MONO, .projection = HALF, .fov_degrees = 180};
	assert_int_equal(vrs_layout_circle(&layout, &format), 0);
	layout.projection = FISH;
	layout.fov_degrees = 360;
	assert_int_equal(vrs_layout_circle(&layout, &format), 0);
	layout = (struct vrs_layout){.stereo = SBS, .projection = FULL};
	format.width = 3838; /* the eyes do not meet */
	assert_int_equal(vrs_layout_circle(&layout, &format), 0);
	layout.stereo = MONO;
	format.width = 3839;
	assert_int_equal(vrs_layout_circle(&layout, &format), 0);
	format.chroma_shift_x = 0;
	assert_int_equal(vrs_layout_circle(&layout, &format), 3839);
}

/* Every member changes the text but the reason. */
static void descriptions(void **state)
{
	const struct vrs_layout whole = {.stereo = SBS, .projection = FISH, .fov_degrees = 190, .pixel_aspect = 1};
	struct vrs_layout others[] = {whole, whole, whole, whole, whole, whole, whole};
	char text[VRS_LAYOUT_TEXT], other[VRS_LAYOUT_TEXT];

	(void)state;
	others[0].stereo = TB;
	others[1].projection = HALF;
	others[2].fov_degrees = 220;
	others[3].right_eye_first = true;
	others[4].pixel_aspect = 2;
	others[5].source = VRS_LAYOUT_BY_NAME;
	others[6].projection_source = VRS_LAYOUT_BY_SHAPE;
	vrs_layout_describe(text, &whole);
	assert_string_equal(text, "sbs by the option, fisheye by the option of 190 degrees, samples 1 wide");
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		vrs_layout_describe(other, &others[i]);
		assert_string_not_equal(other, text);
	}
	vrs_layout_describe(other, &others[3]);
	assert_string_equal(other, "sbs by the option, fisheye by the option of 190 degrees, samples 1 wide, right eye first");
	others[0] = whole;
	others[0].reason[0] = 'x';
	vrs_layout_describe(other, &others[0]);
	assert_string_equal(other, text);
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
		cmocka_unit_test(the_source_is_told),
		cmocka_unit_test(outputs_say_what_was_decided),
		cmocka_unit_test(requested_projections),
		cmocka_unit_test(projections_as_text),
		cmocka_unit_test(what_cannot_be_shown_is_refused),
		cmocka_unit_test(squeezed_eyes),
		cmocka_unit_test(long_names_keep_the_reason_in_bounds),
		cmocka_unit_test(eyes_of_usual_sizes),
		cmocka_unit_test(circles),
		cmocka_unit_test(descriptions),
		cmocka_unit_test(eyes_of_odd_sizes),
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
