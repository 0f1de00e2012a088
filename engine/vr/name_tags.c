/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vr/name_tags.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/str_parse.h"

#define MAX_TAG 15 /* longer words are no tags */

enum eye_order { ORDER_UNSAID, ORDER_LEFT_FIRST, ORDER_RIGHT_FIRST };

static const struct stereo_tag {
	const char *text;
	enum vrs_stereo stereo;
	enum eye_order order;
	bool half_size;
} stereo_tags[] = {
	{"LR", VRS_STEREO_SBS, ORDER_LEFT_FIRST, false},
	{"LRF", VRS_STEREO_SBS, ORDER_LEFT_FIRST, false},
	{"SBS2L", VRS_STEREO_SBS, ORDER_LEFT_FIRST, false},
	{"SBS", VRS_STEREO_SBS, ORDER_UNSAID, false},
	{"3DH", VRS_STEREO_SBS, ORDER_UNSAID, false},
	{"HSBS", VRS_STEREO_SBS, ORDER_UNSAID, true},
	{"RL", VRS_STEREO_SBS, ORDER_RIGHT_FIRST, false},
	{"RLF", VRS_STEREO_SBS, ORDER_RIGHT_FIRST, false},
	{"TB", VRS_STEREO_TB, ORDER_LEFT_FIRST, false},
	{"TBF", VRS_STEREO_TB, ORDER_LEFT_FIRST, false},
	{"OU", VRS_STEREO_TB, ORDER_UNSAID, false},
	{"3DV", VRS_STEREO_TB, ORDER_UNSAID, false},
	{"HOU", VRS_STEREO_TB, ORDER_UNSAID, true},
	{"HTB", VRS_STEREO_TB, ORDER_LEFT_FIRST, true},
	{"BT", VRS_STEREO_TB, ORDER_RIGHT_FIRST, false},
	{"BTF", VRS_STEREO_TB, ORDER_RIGHT_FIRST, false},
	{"MONO", VRS_STEREO_MONO, ORDER_UNSAID, false},
	{"2D", VRS_STEREO_MONO, ORDER_UNSAID, false},
};

static const struct {
	const char *text;
	enum vrs_projection projection;
	double fov_degrees;
	bool side_by_side; /* a stereo lens or player format that exists only side by side */
} projection_tags[] = {
	{"180", VRS_PROJECTION_HEQUIRECT, 180, false},
	{"180x180", VRS_PROJECTION_HEQUIRECT, 180, false},
	{"360", VRS_PROJECTION_EQUIRECT, 360, false},
	{"FB360", VRS_PROJECTION_EQUIRECT, 360, false},
	{"EAC360", VRS_PROJECTION_UNKNOWN, 360, false}, /* equi-angular cube map */
	{"FISHEYE", VRS_PROJECTION_FISHEYE, 180, false},
	{"180F", VRS_PROJECTION_FISHEYE, 180, false},
	{"MKX200", VRS_PROJECTION_FISHEYE, 200, true},
	{"MKX220", VRS_PROJECTION_FISHEYE, 220, true},
	{"VRCA220", VRS_PROJECTION_FISHEYE, 220, true},
	{"RF52", VRS_PROJECTION_FISHEYE, 190, true},
	{"FLAT", VRS_PROJECTION_FLAT, 0, false},
};

/* FISHEYEnnn and Fnnn, 90 to 270 degrees; 0: something else. */
static double fisheye_degrees(const char *word)
{
	size_t prefix = strncasecmp(word, "FISHEYE", 7) == 0 ? 7 : strncasecmp(word, "F", 1) == 0;
	size_t digits = strspn(word + prefix, "0123456789");
	int64_t degrees;

	return prefix && digits > 0 && digits <= 3 && vrs_parse_int(word + prefix, 90, 270, &degrees) ? (double)degrees : 0;
}

static void take_stereo(struct vrs_name_tags *tags, const struct stereo_tag *tag, const char *word)
{
	/* Tags are appended, so the last one counts; but SBS after RL only repeats what RL said more exactly. */
	bool repeats = tags->stereo == tag->stereo && !tags->implied && tag->order == ORDER_UNSAID;

	tags->half_size = tag->half_size || (tags->half_size && tags->stereo == tag->stereo);
	if (repeats)
		return;
	tags->stereo = tag->stereo;
	tags->implied = false;
	tags->right_eye_first = tag->order == ORDER_RIGHT_FIRST;
	(void)vrs_strcpy(tags->stereo_tag, sizeof tags->stereo_tag, word);
}

static void take_projection(struct vrs_name_tags *tags, enum vrs_projection projection, double fov_degrees, bool side_by_side, const char *word)
{
	/* "_180_FISHEYE190": the lens says more than the coverage, wherever it stands. */
	if (tags->projection == VRS_PROJECTION_FISHEYE && projection != VRS_PROJECTION_FISHEYE)
		return;
	tags->projection = projection;
	tags->fov_degrees = fov_degrees;
	(void)vrs_strcpy(tags->projection_tag, sizeof tags->projection_tag, word);
	if (side_by_side && tags->stereo == VRS_STEREO_AUTO) {
		tags->stereo = VRS_STEREO_SBS;
		tags->implied = true;
		(void)vrs_strcpy(tags->stereo_tag, sizeof tags->stereo_tag, word);
	}
}

static void take_word(struct vrs_name_tags *tags, const char *word)
{
	double degrees = fisheye_degrees(word);

	for (size_t i = 0; i < sizeof stereo_tags / sizeof stereo_tags[0]; i++)
		if (strcasecmp(word, stereo_tags[i].text) == 0)
			take_stereo(tags, &stereo_tags[i], word);
	for (size_t i = 0; i < sizeof projection_tags / sizeof projection_tags[0]; i++)
		if (strcasecmp(word, projection_tags[i].text) == 0)
			take_projection(tags, projection_tags[i].projection, projection_tags[i].fov_degrees, projection_tags[i].side_by_side, word);
	tags->cube_map = tags->cube_map || strcasecmp(word, "EAC360") == 0;
	if (degrees > 0)
		take_projection(tags, VRS_PROJECTION_FISHEYE, degrees, false, word);
	if (strcasecmp(word, "ALPHA") == 0)
		tags->alpha_packed = true;
	if (strcasecmp(word, "PASSTHROUGH") == 0)
		tags->passthrough = true;
}

/* A name without its extension. */
static const char *stem_end(const char *base)
{
	const char *dot = strrchr(base, '.');

	return dot && dot != base ? dot : base + strlen(base);
}

/* The word at the beginning of a name with the separator before it: how long it is, and its text where it may be a tag, else "". */
static size_t next_word(const char *at, const char *end, char text[MAX_TAG + 1])
{
	size_t separator = *at == '_' || *at == '-', length = strcspn(at + separator, "_-") + separator;
	bool fits;

	length = at + length > end ? (size_t)(end - at) : length;
	fits = separator && length - separator <= MAX_TAG;
	memcpy(text, at + separator, fits ? length - separator : 0);
	text[fits ? length - separator : 0] = '\0';
	return length;
}

void vrs_name_tags_parse(struct vrs_name_tags *ret_tags, const char *name)
{
	const char *at = name ? vrs_path_base(name) : "", *end = stem_end(at);
	char text[MAX_TAG + 1];

	memset(ret_tags, 0, sizeof *ret_tags);
	while (at < end) {
		at += next_word(at, end, text);
		take_word(ret_tags, text);
	}
}

static bool is_tag(const char *word)
{
	struct vrs_name_tags tags = {0};

	take_word(&tags, word);
	return tags.stereo_tag[0] || tags.projection_tag[0] || tags.alpha_packed || tags.passthrough;
}

bool vrs_name_tags_strip(char *ret, size_t size, const char *name)
{
	const char *at = vrs_path_base(name), *end = stem_end(at);
	char text[MAX_TAG + 1];
	size_t length = 0;

	while (at < end) {
		size_t n = next_word(at, end, text);

		if (!is_tag(text)) {
			if (length + n >= size)
				return false;
			memcpy(ret + length, at, n);
			length += n;
		}
		at += n;
	}
	if (length >= size)
		return false;
	ret[length] = '\0';
	return true;
}
