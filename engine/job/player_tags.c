/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/player_tags.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "video/sink.h"
#include "vr/alpha_pack.h"
#include "vr/name_tags.h"

#include <vrseg/config.h>

static const char *player_name(int player)
{
	static const char *const names[] = {"no player", "deovr", "heresphere", "skybox", "4xvr", "xbvr"};

	return names[player];
}

/* Lens tags that mean an angle; the first is the one to write, the others stay where the input has them. */
static const struct lens_tag {
	const char *text;
	int degrees;
	bool xbvr;
} lens_tags[] = {
	{"FISHEYE180", 180, false}, {"FISHEYE", 180, false}, {"F180", 180, false}, {"180F", 180, false},
	{"FISHEYE190", 190, true}, {"RF52", 190, true},
	{"MKX200", 200, true}, {"FISHEYE200", 200, false},
	{"MKX220", 220, true}, {"VRCA220", 220, true},
};
#define LENS_TAGS (sizeof lens_tags / sizeof lens_tags[0])

static const struct lens_tag *lens_tag_named(const char *text)
{
	for (size_t i = 0; i < LENS_TAGS; i++)
		if (strcasecmp(lens_tags[i].text, text) == 0)
			return &lens_tags[i];
	return NULL;
}

static const struct lens_tag *lens_tag_for(double degrees, const struct vrs_name_tags *input, bool xbvr)
{
	const struct lens_tag *own = lens_tag_named(input->projection_tag);

	if (own && own->degrees == degrees && (own->xbvr || !xbvr))
		return own;
	for (size_t i = 0; i < LENS_TAGS; i++)
		if (lens_tags[i].degrees == degrees && (lens_tags[i].xbvr || !xbvr))
			return &lens_tags[i];
	return NULL;
}

static enum vrs_status alpha_tags(char *ret, size_t size, const struct vrs_settings *settings, const struct vrs_layout *layout,
				  const struct vrs_name_tags *input, struct vrs_error *err)
{
	double degrees = vrs_alpha_pack_angle(layout, settings->output.fov);
	int player = settings->output.player;
	bool generic = player == VRS_PLAYER_HERESPHERE || player == VRS_PLAYER_SKYBOX || player == VRS_PLAYER_4XVR;
	const struct lens_tag *tag = lens_tag_for(degrees, input, player == VRS_PLAYER_XBVR);

	if (player == VRS_PLAYER_XBVR && !tag)
		return vrs_fail(err, VRS_ECONFIG, "xbvr knows packed mattes only for fisheyes of 190, 200 and 220 degrees, not %g; use --fov 190",
				degrees);
	if (!tag && player != VRS_PLAYER_NONE && player != VRS_PLAYER_HERESPHERE)
		return vrs_fail(err, VRS_ECONFIG, "%s knows no name tag for a fisheye of %g degrees; use --fov 180, 190, 200 or 220",
				player_name(player), degrees);
	if (!tag && (degrees != floor(degrees) || degrees < 90))
		return vrs_fail(err, VRS_ECONFIG, "there is no name tag for a fisheye of %g degrees; use a whole number from 90 to 270 for --fov", degrees);
	if (generic && degrees == 180)
		snprintf(ret, size, "LR_180_FISHEYE_F180_alpha");
	else if (tag)
		snprintf(ret, size, "%s%s_alpha", generic ? "LR_" : "", tag->text);
	else
		snprintf(ret, size, "%sFISHEYE%d_alpha", generic ? "LR_" : "", (int)degrees);
	return VRS_OK;
}

static const char *stereo_tag(const struct vrs_layout *layout)
{
	bool squeezed = layout->pixel_aspect > 0 && fabs(layout->pixel_aspect - 1) > 1e-6;

	if (layout->stereo == VRS_STEREO_SBS)
		return squeezed ? "HSBS" : layout->right_eye_first ? "RL" : "LR";
	if (layout->stereo == VRS_STEREO_TB)
		return squeezed ? "HOU" : layout->right_eye_first ? "BT" : "TB";
	return "mono";
}

/* Tags of a video that keeps its layout. */
static enum vrs_status layout_tags(char *ret, size_t size, const struct vrs_settings *settings, const struct vrs_layout *layout,
				   const struct vrs_name_tags *input, struct vrs_error *err)
{
	int player = settings->output.player;
	const char *stereo = stereo_tag(layout), *view = layout->projection == VRS_PROJECTION_EQUIRECT ? "360" : "180";
	const struct lens_tag *lens = lens_tag_for(layout->fov_degrees > 0 ? layout->fov_degrees : 180, input, false);

	switch (layout->projection) {
	case VRS_PROJECTION_UNKNOWN:
		return vrs_fail(err, VRS_ECONFIG, "%s reads the projection from the name, and it is unknown; use --projection",
				player_name(player));
	case VRS_PROJECTION_FLAT:
		snprintf(ret, size, "%s%s", layout->stereo == VRS_STEREO_MONO ? "" : stereo, layout->stereo == VRS_STEREO_MONO ? "" : "_flat");
		return VRS_OK;
	case VRS_PROJECTION_FISHEYE:
		if (!lens)
			return vrs_fail(err, VRS_ECONFIG, "%s knows no name tag for a fisheye of %g degrees", player_name(player), layout->fov_degrees);
		snprintf(ret, size, "%s_%s", stereo, lens->text);
		return VRS_OK;
	case VRS_PROJECTION_HEQUIRECT:
	case VRS_PROJECTION_EQUIRECT:
		break;
	}
	bool pair = strcmp(stereo, "LR") == 0;
	if (player == VRS_PLAYER_XBVR && pair && layout->projection == VRS_PROJECTION_HEQUIRECT)
		snprintf(ret, size, "180_180x180_3dh_LR");
	else
		snprintf(ret, size, "%s_%s%s", stereo, view, pair && (player == VRS_PLAYER_HERESPHERE || player == VRS_PLAYER_4XVR) ? "_SBS" : "");
	return VRS_OK;
}

enum vrs_status vrs_player_tags(char *ret, size_t size, const struct vrs_settings *settings, const struct vrs_layout *layout, const char *input,
				struct vrs_error *err)
{
	struct vrs_name_tags tags;

	vrs_name_tags_parse(&tags, input);
	if (settings->output.mode == VRS_MODE_ALPHA)
		return alpha_tags(ret, size, settings, layout, &tags, err);
	return layout_tags(ret, size, settings, layout, &tags, err);
}

static bool same_layout(const struct vrs_name_tags *a, const struct vrs_name_tags *b)
{
	return a->stereo == b->stereo && a->projection == b->projection && a->right_eye_first == b->right_eye_first && a->half_size == b->half_size &&
	       fabs(a->fov_degrees - b->fov_degrees) < 0.5;
}

enum vrs_status vrs_player_check(const struct vrs_settings *settings, const struct vrs_layout *layout, const char *input, struct vrs_error *err)
{
	const char *file = settings->output.file, *base = vrs_path_base(file), *dot = strrchr(base, '.');
	int player = settings->output.player;
	bool alpha = settings->output.mode == VRS_MODE_ALPHA, fits;
	char wanted[64], name[64 + 2];
	struct vrs_name_tags has, wants;

	if ((!alpha && player == VRS_PLAYER_NONE) || vrs_sink_is_virtual(file) || strncmp(file, "y4m:", 4) == 0)
		return VRS_OK;
	enum vrs_status status = vrs_player_tags(wanted, sizeof wanted, settings, layout, input, err);
	if (status != VRS_OK && player == VRS_PLAYER_NONE) { /* no tag says it; the user knows what the file is for */
		if (err)
			*err = (struct vrs_error){0};
		return VRS_OK;
	}
	if (status != VRS_OK)
		return status;
	snprintf(name, sizeof name, "x_%s", wanted);
	vrs_name_tags_parse(&has, file);
	vrs_name_tags_parse(&wants, name);
	if (alpha) { /* the stereo tag is implied */
		const struct lens_tag *tag = lens_tag_named(has.projection_tag);
		fits = has.alpha_packed && has.projection == wants.projection && fabs(has.fov_degrees - wants.fov_degrees) < 0.5 &&
		       has.stereo != VRS_STEREO_TB && has.stereo != VRS_STEREO_MONO && !has.right_eye_first && (player != VRS_PLAYER_XBVR || (tag && tag->xbvr));
	} else {
		fits = same_layout(&has, &wants);
	}
	if (fits)
		return VRS_OK;
	if (player == VRS_PLAYER_NONE)
		return vrs_config_warn(settings, file, err, "players recognise packed mattes only by name, such as NAME_%s%s; %s lacks the tag", wanted,
				       dot ? dot : "", base);
	return vrs_fail(err, VRS_ECONFIG, "%s cannot tell from the name %s what this video is; end it in _%s%s", player_name(player), base, wanted,
			dot ? dot : "");
}
