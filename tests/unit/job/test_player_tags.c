/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the names of outputs: the tags of each player for packed and keyed films, what is refused because a player would ignore it, and names given
 * by the user that hide what the video is.  Every tag that is written is read back as the same layout by vr/name_tags.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "job/player_tags.h"
#include "vr/name_tags.h"

static struct vrs_layout layout_of(enum vrs_stereo stereo, enum vrs_projection projection, double fov)
{
	return (struct vrs_layout){.stereo = stereo, .projection = projection, .fov_degrees = fov, .pixel_aspect = 1};
}

static struct vrs_settings settings_of(enum vrs_output_mode mode, enum vrs_player player, double fov)
{
	struct vrs_settings s = {0};
	s.output.mode = mode;
	s.output.player = player;
	s.output.fov = fov;
	return s;
}

static void test_packed(void **state)
{
	(void)state;
	static const struct {
		enum vrs_player player;
		enum vrs_projection projection;
		double source_fov, fov;
		const char *input, *tags; /* NULL: refused */
	} cases[] = {
		{VRS_PLAYER_NONE, VRS_PROJECTION_HEQUIRECT, 180, 0, "a_180_LR.mp4", "FISHEYE180_alpha"},
		{VRS_PLAYER_NONE, VRS_PROJECTION_HEQUIRECT, 180, 190, "a.mp4", "FISHEYE190_alpha"},
		{VRS_PLAYER_NONE, VRS_PROJECTION_FISHEYE, 200, 0, "a_MKX200.mp4", "MKX200_alpha"},
		{VRS_PLAYER_NONE, VRS_PROJECTION_FISHEYE, 200, 0, "a_FISHEYE200.mp4", "FISHEYE200_alpha"},
		{VRS_PLAYER_NONE, VRS_PROJECTION_FISHEYE, 175, 0, "a_FISHEYE175.mp4", "FISHEYE175_alpha"},
		{VRS_PLAYER_NONE, VRS_PROJECTION_FISHEYE, 187.5, 0, "a.mp4", NULL},
		{VRS_PLAYER_DEOVR, VRS_PROJECTION_FISHEYE, 190, 0, "a_RF52.mp4", "RF52_alpha"},
		{VRS_PLAYER_DEOVR, VRS_PROJECTION_FISHEYE, 220, 0, "a_VRCA220.mp4", "VRCA220_alpha"},
		{VRS_PLAYER_DEOVR, VRS_PROJECTION_FISHEYE, 175, 0, "a_FISHEYE175.mp4", NULL},
		{VRS_PLAYER_HERESPHERE, VRS_PROJECTION_HEQUIRECT, 180, 0, "a.mp4", "LR_180_FISHEYE_F180_alpha"},
		{VRS_PLAYER_HERESPHERE, VRS_PROJECTION_FISHEYE, 175, 0, "a.mp4", "LR_FISHEYE175_alpha"},
		{VRS_PLAYER_SKYBOX, VRS_PROJECTION_FISHEYE, 220, 0, "a.mp4", "LR_MKX220_alpha"},
		{VRS_PLAYER_4XVR, VRS_PROJECTION_HEQUIRECT, 180, 190, "a.mp4", "LR_FISHEYE190_alpha"},
		{VRS_PLAYER_XBVR, VRS_PROJECTION_HEQUIRECT, 180, 0, "a.mp4", NULL},
		{VRS_PLAYER_XBVR, VRS_PROJECTION_HEQUIRECT, 180, 190, "a.mp4", "FISHEYE190_alpha"},
		{VRS_PLAYER_XBVR, VRS_PROJECTION_FISHEYE, 200, 0, "a_FISHEYE200.mp4", "MKX200_alpha"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_settings s = settings_of(VRS_MODE_ALPHA, cases[i].player, cases[i].fov);
		struct vrs_layout layout = layout_of(VRS_STEREO_SBS, cases[i].projection, cases[i].source_fov);
		struct vrs_error err = {0};
		struct vrs_name_tags read;
		char tags[64] = "", name[80];
		enum vrs_status status = vrs_player_tags(tags, sizeof tags, &s, &layout, cases[i].input, &err);
		print_message("%d: %s%s\n", (int)i, tags, err.text);
		assert_int_equal(status, cases[i].tags ? VRS_OK : VRS_ECONFIG);
		if (!cases[i].tags)
			continue;
		assert_string_equal(tags, cases[i].tags);
		snprintf(name, sizeof name, "x_%s.mp4", tags);
		vrs_name_tags_parse(&read, name);
		assert_true(read.alpha_packed && read.projection == VRS_PROJECTION_FISHEYE);
		assert_true(read.fov_degrees == (cases[i].fov > 0 ? cases[i].fov : cases[i].source_fov));
		assert_true(read.stereo == VRS_STEREO_SBS || read.stereo == VRS_STEREO_AUTO);
	}
}

static void test_keyed(void **state)
{
	(void)state;
	static const struct {
		enum vrs_player player;
		enum vrs_stereo stereo;
		enum vrs_projection projection;
		double fov, aspect;
		bool swapped;
		const char *tags;
	} cases[] = {
		{VRS_PLAYER_DEOVR, VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180, 1, false, "LR_180"},
		{VRS_PLAYER_HERESPHERE, VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180, 1, false, "LR_180_SBS"},
		{VRS_PLAYER_4XVR, VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180, 1, true, "RL_180"},
		{VRS_PLAYER_XBVR, VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180, 1, false, "180_180x180_3dh_LR"},
		{VRS_PLAYER_SKYBOX, VRS_STEREO_TB, VRS_PROJECTION_EQUIRECT, 360, 1, false, "TB_360"},
		{VRS_PLAYER_SKYBOX, VRS_STEREO_TB, VRS_PROJECTION_EQUIRECT, 360, 1, true, "BT_360"},
		{VRS_PLAYER_DEOVR, VRS_STEREO_MONO, VRS_PROJECTION_EQUIRECT, 360, 1, false, "mono_360"},
		{VRS_PLAYER_DEOVR, VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180, 2, false, "HSBS_180"},
		{VRS_PLAYER_DEOVR, VRS_STEREO_SBS, VRS_PROJECTION_FISHEYE, 190, 1, false, "LR_FISHEYE190"},
		{VRS_PLAYER_DEOVR, VRS_STEREO_MONO, VRS_PROJECTION_FLAT, 0, 1, false, ""},
		{VRS_PLAYER_DEOVR, VRS_STEREO_SBS, VRS_PROJECTION_UNKNOWN, 0, 1, false, NULL},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_settings s = settings_of(VRS_MODE_GREEN, cases[i].player, 0);
		struct vrs_layout layout = layout_of(cases[i].stereo, cases[i].projection, cases[i].fov);
		struct vrs_error err = {0};
		struct vrs_name_tags read;
		char tags[64] = "", name[80];
		layout.pixel_aspect = cases[i].aspect;
		layout.right_eye_first = cases[i].swapped;
		assert_int_equal(vrs_player_tags(tags, sizeof tags, &s, &layout, "a.mp4", &err), cases[i].tags ? VRS_OK : VRS_ECONFIG);
		if (!cases[i].tags)
			continue;
		assert_string_equal(tags, cases[i].tags);
		snprintf(name, sizeof name, "x_%s.mp4", tags);
		vrs_name_tags_parse(&read, name);
		assert_int_equal(read.projection, tags[0] ? cases[i].projection : VRS_PROJECTION_UNKNOWN);
		assert_int_equal(read.stereo, tags[0] ? cases[i].stereo : VRS_STEREO_AUTO);
		assert_int_equal(read.right_eye_first, cases[i].swapped);
	}
}

static void test_given_names(void **state)
{
	(void)state;
	static const struct {
		enum vrs_output_mode mode;
		enum vrs_player player;
		const char *file;
		enum vrs_status status;
	} cases[] = {
		{VRS_MODE_ALPHA, VRS_PLAYER_DEOVR, "out_FISHEYE190_alpha.mp4", VRS_OK},
		{VRS_MODE_ALPHA, VRS_PLAYER_DEOVR, "out_RF52_alpha.mp4", VRS_OK},
		{VRS_MODE_ALPHA, VRS_PLAYER_DEOVR, "out.mp4", VRS_ECONFIG},
		{VRS_MODE_ALPHA, VRS_PLAYER_DEOVR, "out_alpha.mp4", VRS_ECONFIG},
		{VRS_MODE_ALPHA, VRS_PLAYER_DEOVR, "out_FISHEYE190.mp4", VRS_ECONFIG},
		{VRS_MODE_ALPHA, VRS_PLAYER_DEOVR, "out_FISHEYE180_alpha.mp4", VRS_ECONFIG},
		{VRS_MODE_ALPHA, VRS_PLAYER_DEOVR, "out_TB_FISHEYE190_alpha.mp4", VRS_ECONFIG},
		{VRS_MODE_ALPHA, VRS_PLAYER_XBVR, "out_F190_alpha.mp4", VRS_ECONFIG},
		{VRS_MODE_ALPHA, VRS_PLAYER_DEOVR, "null:", VRS_OK},
		{VRS_MODE_ALPHA, VRS_PLAYER_DEOVR, "y4m:-", VRS_OK},
		{VRS_MODE_ALPHA, VRS_PLAYER_NONE, "out.mp4", VRS_OK}, /* warned */
		{VRS_MODE_GREEN, VRS_PLAYER_DEOVR, "out_LR_180.mp4", VRS_OK},
		{VRS_MODE_GREEN, VRS_PLAYER_DEOVR, "out.mp4", VRS_ECONFIG},
		{VRS_MODE_GREEN, VRS_PLAYER_NONE, "out.mp4", VRS_OK},
	};
	struct vrs_layout layout = layout_of(VRS_STEREO_SBS, VRS_PROJECTION_HEQUIRECT, 180);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_settings s = settings_of(cases[i].mode, cases[i].player, cases[i].mode == VRS_MODE_ALPHA ? 190 : 0);
		struct vrs_error err = {0};
		snprintf(s.output.file, sizeof s.output.file, "%s", cases[i].file);
		enum vrs_status status = vrs_player_check(&s, &layout, "in.mp4", &err);
		if (status != cases[i].status)
			fail_msg("%s: %d %s", cases[i].file, (int)status, err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packed),
		cmocka_unit_test(test_keyed),
		cmocka_unit_test(test_given_names),
	};
	return cmocka_run_group_tests_name("player_tags", tests, NULL, NULL);
}
