/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of synth inputs: words between commas, in any order. */
#include "video/synth_name.h"

#include <string.h>

#include "base/str_parse.h"

#define PREFIX "synth:"
#define MOST_WORDS 16

static const struct {
	const char *key;
	int64_t min, max;
	size_t offset;
} numbers[] = {
	{"frames=", 0, 10000000, offsetof(struct vrs_synth_name, frames)},
	{"fps=", 1, 1000, offsetof(struct vrs_synth_name, fps)},
	{"people=", 0, VRS_SYNTH_CAST, offsetof(struct vrs_synth_name, play.people)},
	{"seed=", 0, 9999, offsetof(struct vrs_synth_name, play.seed)},
	{"bits=", 8, 10, offsetof(struct vrs_synth_name, bits)},
};

static const struct {
	const char *word;
	enum vrs_stereo stereo;
	bool right_eye_first;
} stereos[] = {
	{"mono", VRS_STEREO_MONO, false}, {"sbs", VRS_STEREO_SBS, false}, {"tb", VRS_STEREO_TB, false}, {"rl", VRS_STEREO_SBS, true},
	{"bt", VRS_STEREO_TB, true},
};

static const struct {
	const char *word;
	enum vrs_projection projection;
	double fov_degrees;
} projections[] = {
	{"flat", VRS_PROJECTION_FLAT, 90}, {"hequirect", VRS_PROJECTION_HEQUIRECT, 180}, {"equirect", VRS_PROJECTION_EQUIRECT, 360},
	{"fisheye", VRS_PROJECTION_FISHEYE, 180},
};

static const struct {
	const char *word;
	enum vrs_synth_scene_kind kind;
} scenes[] = {
	{"stand", VRS_SYNTH_SCENE_STAND}, {"meet", VRS_SYNTH_SCENE_MEET}, {"far", VRS_SYNTH_SCENE_FAR}, {"sit", VRS_SYNTH_SCENE_SIT},
	{"back", VRS_SYNTH_SCENE_BACK}, {"enter", VRS_SYNTH_SCENE_ENTER},
};

static const struct {
	const char *word;
	enum vrs_synth_extra extra;
} extras[] = {
	{"hair", VRS_SYNTH_WITH_HAIR}, {"pattern", VRS_SYNTH_WITH_PATTERN}, {"light", VRS_SYNTH_WITH_LIGHT}, {"pan", VRS_SYNTH_WITH_PAN},
	{"cut", VRS_SYNTH_WITH_CUT},
};

/* What people do, or what is added. */
static bool take_scene_word(struct vrs_synth_play *play, const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
		if (strlen(scenes[i].word) == length && strncmp(word, scenes[i].word, length) == 0) {
			play->kind = scenes[i].kind;
			return true;
		}
	for (size_t i = 0; i < sizeof extras / sizeof extras[0]; i++)
		if (strlen(extras[i].word) == length && strncmp(word, extras[i].word, length) == 0) {
			play->extras |= extras[i].extra;
			return true;
		}
	return false;
}

/* "scene=meet+light": without a word of what people do, they stand. */
static bool take_scene(struct vrs_synth_name *name, const char *word)
{
	if (strncmp(word, "scene=", 6) != 0)
		return false;
	name->play.kind = VRS_SYNTH_SCENE_STAND;
	for (word += 6;; word++) {
		size_t length = strcspn(word, "+");

		if (!take_scene_word(&name->play, word, length))
			return false;
		word += length;
		if (!*word)
			return true;
	}
}

static bool take_number(struct vrs_synth_name *name, const char *word)
{
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		size_t length = strlen(numbers[i].key);
		int64_t value;

		if (strncmp(word, numbers[i].key, length) != 0 || !vrs_parse_int(word + length, numbers[i].min, numbers[i].max, &value))
			continue;
		*(int *)(void *)((char *)name + numbers[i].offset) = (int)value;
		return true;
	}
	return false;
}

static bool take_projection(struct vrs_synth_name *name, const char *word)
{
	for (size_t i = 0; i < sizeof projections / sizeof projections[0]; i++) {
		size_t length = strlen(projections[i].word);
		double degrees = projections[i].fov_degrees;

		if (strncmp(word, projections[i].word, length) != 0)
			continue;
		if (word[length] == ':' ? !vrs_parse_double(word + length + 1, 60, 360, &degrees) : word[length] != '\0')
			continue;
		name->projection = projections[i].projection;
		name->fov_degrees = degrees;
		return true;
	}
	return false;
}

static bool take_word(struct vrs_synth_name *name, const char *word)
{
	int size[2];

	for (size_t i = 0; i < sizeof stereos / sizeof stereos[0]; i++) {
		if (strcmp(word, stereos[i].word) != 0)
			continue;
		name->stereo = stereos[i].stereo;
		name->right_eye_first = stereos[i].right_eye_first;
		return true;
	}
	if (strcmp(word, "alpha") == 0) {
		name->alpha = true;
		return true;
	}
	if (vrs_parse_size2(word, 64, 16384, size)) {
		name->width = size[0];
		name->height = size[1];
		return true;
	}
	return take_number(name, word) || take_projection(name, word) || take_scene(name, word);
}

/* What was not said follows from the shape: 2:1 is VR180 side by side, all else a flat video. */
static void fill_up(struct vrs_synth_name *name)
{
	bool pair = name->width == 2 * name->height;

	if (name->projection == VRS_PROJECTION_UNKNOWN) {
		bool half = name->stereo == VRS_STEREO_AUTO ? pair : name->stereo != VRS_STEREO_MONO;

		name->projection = half ? VRS_PROJECTION_HEQUIRECT : VRS_PROJECTION_FLAT;
		name->fov_degrees = half ? 180 : 90;
	}
	if (name->stereo == VRS_STEREO_AUTO)
		name->stereo = pair && name->projection != VRS_PROJECTION_EQUIRECT && name->projection != VRS_PROJECTION_FLAT ? VRS_STEREO_SBS :
																VRS_STEREO_MONO;
}

enum vrs_status vrs_synth_name_parse(struct vrs_synth_name *ret_name, const char *text, struct vrs_error *err)
{
	struct vrs_synth_name name = {.width = 3840, .height = 1920, .frames = 300, .fps = 30, .play = {.people = 1}, .bits = 8};
	const char *word = strncmp(text, PREFIX, strlen(PREFIX)) == 0 ? text + strlen(PREFIX) : text;
	char one[64];

	for (int i = 0; *word; i++) {
		size_t length = strcspn(word, ",");

		if (i == MOST_WORDS || length >= sizeof one)
			return vrs_fail(err, VRS_ECONFIG, "%s: too long", text);
		memcpy(one, word, length);
		one[length] = '\0';
		if (!take_word(&name, one))
			return vrs_fail(err, VRS_ECONFIG, "%s: \"%s\" is not a size, layout (mono sbs tb rl bt), projection (flat hequirect equirect fisheye:FOV), "
			"frames=N, fps=N, people=0..%d, bits=8|10, scene=WORD+WORD (stand meet far sit back enter; hair pattern light pan cut), seed=N or "
			"alpha", text, one, VRS_SYNTH_CAST);
		word += length + (word[length] == ',');
	}
	fill_up(&name);
	if (name.play.people > VRS_SYNTH_PEOPLE && name.play.kind == VRS_SYNTH_SCENE_NONE)
		return vrs_fail(err, VRS_ECONFIG, "%s: more than %d people need a scene, for example scene=meet", text, VRS_SYNTH_PEOPLE);
	if (name.bits == 9)
		return vrs_fail(err, VRS_ECONFIG, "%s: bits are 8 or 10", text);
	if (name.width % 4 || name.height % 4)
		return vrs_fail(err, VRS_ECONFIG, "%s: width and height are multiples of 4", text);
	*ret_name = name;
	return VRS_OK;
}

int vrs_synth_eyes(const struct vrs_synth_name *name, struct vrs_rect ret_eyes[2])
{
	const struct vrs_rect whole = {0, 0, name->width, name->height};
	int eyes = name->stereo == VRS_STEREO_MONO ? 1 : 2;

	for (int i = 0; i < eyes; i++) {
		int place = name->right_eye_first ? !i : i;

		ret_eyes[i] = whole;
		if (name->stereo == VRS_STEREO_SBS) {
			ret_eyes[i].width = name->width / 2;
			ret_eyes[i].x = place * ret_eyes[i].width;
		} else if (name->stereo == VRS_STEREO_TB) {
			ret_eyes[i].height = name->height / 2;
			ret_eyes[i].y = place * ret_eyes[i].height;
		}
	}
	return eyes;
}
