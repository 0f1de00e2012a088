/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of synth inputs: words between commas, in any order. */
#include <string.h>

#include "base/str_parse.h"
#include "video/synth_scene.h"

#define PREFIX "synth:"
#define MOST_WORDS 16

static const struct {
	const char *key;
	int64_t min, max;
	size_t offset;
} numbers[] = {
	{"frames=", 0, 10000000, offsetof(struct vrs_synth_name, frames)},
	{"fps=", 1, 1000, offsetof(struct vrs_synth_name, fps)},
	{"people=", 0, VRS_SYNTH_PEOPLE, offsetof(struct vrs_synth_name, people)},
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
	return take_number(name, word) || take_projection(name, word);
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
	struct vrs_synth_name name = {.width = 3840, .height = 1920, .frames = 300, .fps = 30, .people = 1, .bits = 8};
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
			"frames=N, fps=N, people=0..%d, bits=8|10 or alpha", text, one, VRS_SYNTH_PEOPLE);
		word += length + (word[length] == ',');
	}
	fill_up(&name);
	if (name.bits == 9)
		return vrs_fail(err, VRS_ECONFIG, "%s: bits are 8 or 10", text);
	if (name.width % 4 || name.height % 4)
		return vrs_fail(err, VRS_ECONFIG, "%s: width and height are multiples of 4", text);
	*ret_name = name;
	return VRS_OK;
}
