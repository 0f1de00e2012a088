/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards vr/name_tags: every tag of players' conventions, in any case, with both separators, and words that only look like one. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ctype.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/rng.h"
#include "vr/name_tags.h"

#define NONE VRS_STEREO_AUTO
#define MONO VRS_STEREO_MONO
#define SBS VRS_STEREO_SBS
#define TB VRS_STEREO_TB
#define UNKNOWN VRS_PROJECTION_UNKNOWN
#define HALF VRS_PROJECTION_HEQUIRECT
#define FULL VRS_PROJECTION_EQUIRECT
#define FISH VRS_PROJECTION_FISHEYE
#define FLAT VRS_PROJECTION_FLAT

struct row {
	const char *name;
	enum vrs_stereo stereo;
	bool right_eye_first;
	enum vrs_projection projection;
	double fov;
	bool half_size, alpha, implied;
};

static const struct row rows[] = {
	/* one tag each */
	{"a_LR.mp4", SBS, false, UNKNOWN, 0, false, false, false},
	{"a_SBS.mp4", SBS, false, UNKNOWN, 0, false, false, false},
	{"a_3dh.mp4", SBS, false, UNKNOWN, 0, false, false, false},
	{"a_LRF.mp4", SBS, false, UNKNOWN, 0, false, false, false},
	{"a_sbs2l.mp4", SBS, false, UNKNOWN, 0, false, false, false},
	{"a_HSBS.mp4", SBS, false, UNKNOWN, 0, true, false, false},
	{"a_RL.mp4", SBS, true, UNKNOWN, 0, false, false, false},
	{"a_RLF.mp4", SBS, true, UNKNOWN, 0, false, false, false},
	{"a_TB.mp4", TB, false, UNKNOWN, 0, false, false, false},
	{"a_OU.mp4", TB, false, UNKNOWN, 0, false, false, false},
	{"a_3dv.mp4", TB, false, UNKNOWN, 0, false, false, false},
	{"a_TBF.mp4", TB, false, UNKNOWN, 0, false, false, false},
	{"a_HOU.mp4", TB, false, UNKNOWN, 0, true, false, false},
	{"a_BT.mp4", TB, true, UNKNOWN, 0, false, false, false},
	{"a_mono.mp4", MONO, false, UNKNOWN, 0, false, false, false},
	{"a_180.mp4", NONE, false, HALF, 180, false, false, false},
	{"a_180x180.mp4", NONE, false, HALF, 180, false, false, false},
	{"a_360.mp4", NONE, false, FULL, 360, false, false, false},
	{"a_FB360.mkv", NONE, false, FULL, 360, false, false, false},
	{"a_EAC360.mkv", NONE, false, UNKNOWN, 360, false, false, false},
	{"a_FISHEYE.mp4", NONE, false, FISH, 180, false, false, false},
	{"a_FISHEYE180.mp4", NONE, false, FISH, 180, false, false, false},
	{"a_FISHEYE190.mp4", NONE, false, FISH, 190, false, false, false},
	{"a_FISHEYE200.mp4", NONE, false, FISH, 200, false, false, false},
	{"a_F180.mp4", NONE, false, FISH, 180, false, false, false},
	{"a_180F.mp4", NONE, false, FISH, 180, false, false, false},
	{"a_F220.mp4", NONE, false, FISH, 220, false, false, false},
	{"a_MKX200.mp4", SBS, false, FISH, 200, false, false, true},
	{"a_MKX220.mp4", SBS, false, FISH, 220, false, false, true},
	{"a_VRCA220.mp4", SBS, false, FISH, 220, false, false, true},
	{"a_RF52.mp4", SBS, false, FISH, 190, false, false, true},
	{"a_flat.mp4", NONE, false, FLAT, 0, false, false, false},
	{"a_alpha.mp4", NONE, false, UNKNOWN, 0, false, true, false},
	/* common full forms */
	{"Title_180_180x180_3dh_LR.mp4", SBS, false, HALF, 180, false, false, false},
	{"Title_LR_180.mp4", SBS, false, HALF, 180, false, false, false},
	{"Title_LR_180_SBS.mp4", SBS, false, HALF, 180, false, false, false},
	{"Title_TB_360.mp4", TB, false, FULL, 360, false, false, false},
	{"Title_mono_360.mp4", MONO, false, FULL, 360, false, false, false},
	{"Title_FISHEYE190_alpha.mp4", NONE, false, FISH, 190, false, true, false},
	{"Title_LR_180_FISHEYE_F180_alpha.mp4", SBS, false, FISH, 180, false, true, false},
	{"Title_FISHEYE190_180_LR.mp4", SBS, false, FISH, 190, false, false, false},
	{"Title-TB-360.mkv", TB, false, FULL, 360, false, false, false},
	{"Title_LRF_Full_SBS.mp4", SBS, false, UNKNOWN, 0, false, false, false},
	{"Title_RLF_cross.mp4", SBS, true, UNKNOWN, 0, false, false, false},
	/* order of the eyes survives a vaguer tag; a later exact tag wins */
	{"Title_RL_SBS.mp4", SBS, true, UNKNOWN, 0, false, false, false},
	{"Title_RL_LR.mp4", SBS, false, UNKNOWN, 0, false, false, false},
	{"Title_RL_TB.mp4", TB, false, UNKNOWN, 0, false, false, false},
	{"Title_MKX200_RL.mp4", SBS, true, FISH, 200, false, false, false},
	{"Title_MKX200_TB.mp4", TB, false, FISH, 200, false, false, false},
	/* no tags */
	{"LR.mp4", NONE, false, UNKNOWN, 0, false, false, false},
	{"180_movie.mp4", NONE, false, UNKNOWN, 0, false, false, false},
	{"a_colour.mp4", NONE, false, UNKNOWN, 0, false, false, false},
	{"a_1180.mp4", NONE, false, UNKNOWN, 0, false, false, false},
	{"a_360p.mp4", NONE, false, UNKNOWN, 0, false, false, false},
	{"a_F1800.mp4", NONE, false, UNKNOWN, 0, false, false, false},
	{"a_F16.mp4", NONE, false, UNKNOWN, 0, false, false, false},
	{"a_FISHEYE89.mp4", NONE, false, UNKNOWN, 0, false, false, false},
	{"a_FISHEYE271.mp4", NONE, false, UNKNOWN, 0, false, false, false},
	{"a_FISHEYE19a.mp4", NONE, false, UNKNOWN, 0, false, false, false},
	{"a_alphabet.mp4", NONE, false, UNKNOWN, 0, false, false, false},
	{"a LR.mp4", NONE, false, UNKNOWN, 0, false, false, false},
	/* paths, extensions, edges */
	{"/films_TB_360/plain.mp4", NONE, false, UNKNOWN, 0, false, false, false},
	{"/films/a_TB", TB, false, UNKNOWN, 0, false, false, false},
	{"a_LR.part.mp4", NONE, false, UNKNOWN, 0, false, false, false},
	{"a_x.LR", NONE, false, UNKNOWN, 0, false, false, false},
	{"_LR", SBS, false, UNKNOWN, 0, false, false, false},
	{"a__LR__.mp4", SBS, false, UNKNOWN, 0, false, false, false},
	{"", NONE, false, UNKNOWN, 0, false, false, false},
	{"_", NONE, false, UNKNOWN, 0, false, false, false},
	{".mp4", NONE, false, UNKNOWN, 0, false, false, false},
};

static void check(const char *name, const struct row *row)
{
	struct vrs_name_tags tags;

	vrs_name_tags_parse(&tags, name);
	if (tags.stereo != row->stereo || tags.right_eye_first != row->right_eye_first || tags.projection != row->projection ||
	    tags.fov_degrees != row->fov || tags.half_size != row->half_size || tags.alpha_packed != row->alpha || tags.implied != row->implied)
		fail_msg("%s: stereo %d order %d projection %d fov %g half %d alpha %d implied %d", name, tags.stereo, tags.right_eye_first,
			 tags.projection, tags.fov_degrees, tags.half_size, tags.alpha_packed, tags.implied);
	assert_int_equal(tags.stereo != VRS_STEREO_AUTO, tags.stereo_tag[0] != '\0');
}

static void table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char changed[128];

		check(rows[i].name, &rows[i]);
		for (size_t k = 0; k <= strlen(rows[i].name); k++)
			changed[k] = (char)tolower(rows[i].name[k]);
		check(changed, &rows[i]);
		for (size_t k = 0; k <= strlen(rows[i].name); k++)
			changed[k] = rows[i].name[k] == '_' && rows[i].name[0] != '/' ? '-' : (char)toupper(rows[i].name[k]);
		check(changed, &rows[i]);
	}
}

static void nothing_and_long_names(void **state)
{
	char text[5000];

	(void)state;
	check(NULL, &(struct row){.stereo = NONE});
	memset(text, 'x', sizeof text);
	memcpy(text + sizeof text - 8, "_LR.mp4", 8);
	check(text, &(struct row){.stereo = SBS});
	memset(text, '_', sizeof text - 8);
	check(text, &(struct row){.stereo = SBS});
}

/* Every name made of tags and noise gives a decision without contradiction. */
static void random_names_are_consistent(void **state)
{
	static const char *const words[] = {"LR", "RL", "TB", "BT", "180", "360", "MKX200", "F190", "flat", "alpha", "x", "HSBS", "mono", ""};
	struct vrs_rng rng;

	(void)state;
	vrs_rng_init(&rng, 3);
	for (int i = 0; i < 5000; i++) {
		struct vrs_name_tags tags;
		char name[256] = "n";

		for (uint64_t k = vrs_rng_below(&rng, 8); k > 0; k--)
			snprintf(name + strlen(name), sizeof name - strlen(name), "%c%s", vrs_rng_below(&rng, 2) ? '_' : '-',
				 words[vrs_rng_below(&rng, sizeof words / sizeof words[0])]);
		vrs_name_tags_parse(&tags, name);
		assert_true(!tags.right_eye_first || tags.stereo == SBS || tags.stereo == TB);
		assert_true(tags.projection != FISH || (tags.fov_degrees >= 90 && tags.fov_degrees <= 270));
		assert_true(strlen(tags.stereo_tag) < sizeof tags.stereo_tag && strlen(tags.projection_tag) < sizeof tags.projection_tag);
	}
}

static void stripped_names(void **state)
{
	static const char *const cases[][2] = {
		{"trip_180_LR.mp4", "trip"}, {"films/trip_180_LR_2.mp4", "trip_2"}, {"a-TB-360.mkv", "a"}, {"180_LR.mp4", "180"},
		{"my_film.mp4", "my_film"}, {"x_FISHEYE190_alpha.mp4", "x"}, {"dir_LR/plain", "plain"}, {"", ""}, {"_LR", ""},
		{"a__b_SBS.mp4", "a__b"}, {"a_averylongwordthatisnotag_LR.mp4", "a_averylongwordthatisnotag"},
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_true(vrs_name_tags_strip(text, sizeof text, cases[i][0]));
		assert_string_equal(text, cases[i][1]);
	}
	assert_false(vrs_name_tags_strip(text, 4, "trip_180_LR.mp4"));
	assert_true(vrs_name_tags_strip(text, 5, "trip_180_LR.mp4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(nothing_and_long_names),
		cmocka_unit_test(random_names_are_consistent),
		cmocka_unit_test(stripped_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
