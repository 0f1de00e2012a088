/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the name of an output from the input's name, what the input is, and the player that it is for; compares an output that exists with the input
 * that it should have been made of.
 */
#include <vrseg/output_file.h>

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "job/job_request.h"
#include "job/player_tags.h"
#include "video/media_file.h"
#include "video/source.h"
#include "vr/name_tags.h"

#define FRAMES_SHARE 0.001   /* of the frames may be missing: damaged ones are lost */
#define SECONDS_SHARE 0.001
#define SECONDS_LEAST 0.5
#define END_FRAMES 0.75      /* by which the ends of two videos may differ that have the same last frame: times are rounded */
#define SEPARATORS "_-. " /* between the words of a name */

static const char *const suffixes[] = {
	[VRS_MODE_GREEN] = "green", [VRS_MODE_MATTE] = "matte", [VRS_MODE_ALPHA] = "alpha", [VRS_MODE_CUTOUT] = "cutout",
};
#define SUFFIXES (sizeof suffixes / sizeof suffixes[0])

const char *vrs_output_suffix(const struct vrs_settings *settings)
{
	return suffixes[settings->output.mode];
}

bool vrs_output_name_needs_input(const struct vrs_settings *settings)
{
	return settings->output.mode == VRS_MODE_ALPHA || settings->output.player != VRS_PLAYER_NONE;
}

bool vrs_output_name_is_packed(const char *name)
{
	struct vrs_name_tags tags;

	vrs_name_tags_parse(&tags, name);
	return tags.alpha_packed;
}

/* What a number or a wildcard takes of a name; 0: this is none. */
static size_t varying(const char *at, bool numbered)
{
	size_t digits = 1 + strspn(at + 1, "0123456789");

	if (numbered)
		return *at == '%' && at[digits] == 'd' ? digits + 1 : 0;
	return *at == '[' && strchr(at, ']') ? (size_t)(strchr(at, ']') - at) + 1 : *at == '*' || *at == '?';
}

/* Characters that shells, FFmpeg and synth: read as something else do not go on; separators at the ends say nothing. */
static void settle_stem(char *stem)
{
	for (char *c = stem; (c = strpbrk(c, "%*?[]\\/:,=")); c++)
		*c = '_';
	size_t begin = strspn(stem, SEPARATORS), length = strlen(stem);

	while (length > begin && strchr(SEPARATORS, stem[length - 1]))
		length--;
	memmove(stem, stem + begin, length - begin);
	stem[length - begin] = '\0';
}

/* What the names of all its pictures have; else the name of their folder. */
static void sequence_stem(char stem[VRS_PATH_MAX], const char *input)
{
	const char *base = vrs_path_base(input), *dot = strrchr(base, '.'), *end = dot ? dot : base + strlen(base);
	char folder[PATH_MAX];
	size_t length = 0;

	for (const char *at = base; at < end && length + 1 < VRS_PATH_MAX;) {
		size_t skip = varying(at, strchr(input, '%'));

		if (skip == 0)
			stem[length++] = *at;
		at += skip > 0 ? skip : 1;
	}
	stem[length] = '\0';
	settle_stem(stem);
	if (stem[0])
		return;
	vrs_sequence_folder(folder, input);
	for (length = strlen(folder); length > 1 && folder[length - 1] == '/'; length--)
		folder[length - 1] = '\0';
	(void)snprintf(stem, VRS_PATH_MAX, "%s", vrs_path_base(folder)); /* cut where it is longer than names are */
	settle_stem(stem);
	if (!stem[0])
		(void)vrs_strcpy(stem, VRS_PATH_MAX, "pictures"); /* in the folder that the program runs in */
}

enum vrs_status vrs_output_like(char *ret, size_t size, const char *input, struct vrs_error *err)
{
	char stem[VRS_PATH_MAX];
	bool is_drawn = strncmp(input, "synth:", 6) == 0, fits = true;

	if (strcmp(input, "-") == 0 || strcmp(input, "/dev/stdin") == 0)
		return vrs_fail(err, VRS_ECONFIG, "input from standard input needs an output name: -o FILE");
	if (vrs_source_is_address(input))
		return vrs_fail(err, VRS_ECONFIG, "%s is an address, which has no name for its output; name the output: -o FILE", input);
	if (is_drawn) {
		fits = vrs_strcpy(stem, sizeof stem, input);
		settle_stem(stem);
	} else if (vrs_source_is_sequence(input)) {
		sequence_stem(stem, input);
	} else if (vrs_file_is_stream(input)) { /* below /dev and /proc nothing is made beside it */
		fits = vrs_strcpy(stem, sizeof stem, vrs_path_base(input));
	} else {
		return vrs_strcpy(ret, size, input) ? VRS_OK : vrs_fail(err, VRS_ELIMIT, "the name %s is too long", input);
	}
	int n = fits ? snprintf(ret, size, "%s.mp4", stem) : -1;
	return n > 0 && (size_t)n < size ? VRS_OK : vrs_fail(err, VRS_ELIMIT, "the name %s is too long", input);
}

/* Of a name without its folder. */
static size_t stem_length(const char *base)
{
	const char *dot = strrchr(base, '.');

	return dot && dot != base ? (size_t)(dot - base) : strlen(base);
}

/* What follows the input's whole name: the word of a mode. */
static bool is_suffix(const char *tail, size_t length)
{
	for (size_t i = 0; i < SUFFIXES; i++)
		if (tail[0] == '_' && strlen(suffixes[i]) == length - 1 && memcmp(tail + 1, suffixes[i], length - 1) == 0)
			return true;
	return false;
}

/* What follows the input's name without tags: _green and a player's tags, or tags with alpha among them. */
static bool is_tagged(const char *tail, const char *input)
{
	static const char green[] = "_green";
	struct vrs_name_tags of_input;
	char rest[VRS_PATH_MAX], name[VRS_PATH_MAX + 1];
	bool is_green = strncmp(tail, green, sizeof green - 1) == 0;

	if (is_green)
		tail += sizeof green - 1;
	if (tail[0] != '_' && (!is_green || (tail[0] != '.' && tail[0] != '\0'))) /* a flat video has no tags */
		return false;
	if (snprintf(name, sizeof name, "x%s", tail) >= (int)sizeof name || !vrs_name_tags_strip(rest, sizeof rest, name))
		return false;
	vrs_name_tags_parse(&of_input, input);
	/* Of two packed videos with the same name but for their tags, neither was made of the other. */
	return strcmp(rest, "x") == 0 && (is_green || (vrs_output_name_is_packed(name) && !of_input.alpha_packed));
}

bool vrs_output_name_is_of(const char *name, const char *input)
{
	const char *base = vrs_path_base(name), *from = vrs_path_base(input);
	size_t folder = (size_t)(base - name), length = stem_length(base), whole = stem_length(from);
	char plain[VRS_PATH_MAX];

	if (folder != (size_t)(from - input) || memcmp(name, input, folder) != 0)
		return false;
	if (length > whole && memcmp(base, from, whole) == 0 && is_suffix(base + whole, length - whole))
		return true;
	/* of thousands of names in a folder, each beside each, few are worth a close look */
	if (!strstr(base, "_green") && !strcasestr(base, "alpha"))
		return false;
	if (!vrs_name_tags_strip(plain, sizeof plain, input) || strncmp(base, plain, strlen(plain)) != 0)
		return false;
	return is_tagged(base + strlen(plain), input);
}

static enum vrs_status layout_of(struct vrs_layout *ret_layout, const char *input, const struct vrs_settings *settings, struct vrs_error *err)
{
	const struct vrs_source_options options = {.threads = 1};
	struct vrs_source *source = NULL;
	enum vrs_status status = vrs_source_open(&source, input, &options, err);

	if (status == VRS_OK)
		status = vrs_input_layout(ret_layout, settings, vrs_source_info(source), input, err);
	vrs_source_close(source);
	return status;
}

enum vrs_status vrs_output_name_stem(char *ret, size_t size, const char *input, struct vrs_error *err)
{
	char like[VRS_PATH_MAX];
	enum vrs_status status = vrs_output_like(like, sizeof like, input, err);

	if (status == VRS_OK && !vrs_name_tags_strip(ret, size, like))
		status = vrs_fail(err, VRS_ELIMIT, "the name %s is too long", input);
	return status;
}

enum vrs_status vrs_output_name(char *ret, size_t size, const char *input, const struct vrs_settings *settings, struct vrs_error *err)
{
	struct vrs_layout layout;
	char tags[64], stem[VRS_PATH_MAX];
	enum vrs_status status = vrs_output_name_stem(stem, sizeof stem, input, err);

	if (status == VRS_OK)
		status = layout_of(&layout, input, settings, err);
	if (status == VRS_OK)
		status = vrs_player_tags(tags, sizeof tags, settings, &layout, input, err);
	if (status != VRS_OK)
		return status;
	const char *mode = settings->output.mode == VRS_MODE_GREEN ? "_green" : ""; /* alpha stands among the tags */
	int n = snprintf(ret, size, "%s%s%s%s", stem, mode, tags[0] ? "_" : "", tags);
	return n > 0 && (size_t)n < size ? VRS_OK : vrs_fail(err, VRS_ELIMIT, "the name %s is too long", input);
}

enum vrs_status vrs_output_name_check(const char *input, const struct vrs_settings *settings, struct vrs_error *err)
{
	struct vrs_layout layout;

	if (!vrs_output_name_needs_input(settings))
		return VRS_OK;
	enum vrs_status status = layout_of(&layout, input, settings, err);
	return status != VRS_OK ? status : vrs_player_check(settings, &layout, input, err);
}

enum vrs_status vrs_output_compare_check(const char *input, struct vrs_error *err)
{
	return vrs_source_check_again(input, "--skip-existing compares the output with the input", err);
}

bool vrs_output_of_no_file(const char *input)
{
	char like[VRS_PATH_MAX];
	return vrs_output_like(like, sizeof like, input, NULL) == VRS_OK && strcmp(like, input) != 0;
}

/* What the job takes of the input; of what is no file the source knows. */
static enum vrs_status measure_input(struct vrs_media_frames *ret, const char *input, const struct vrs_settings *settings, struct vrs_error *err)
{
	double start = settings->input.start, duration = settings->input.duration;
	if (!vrs_output_of_no_file(input))
		return vrs_media_file_measure(input, start, duration, ret, err);
	const struct vrs_source_options options = {.threads = 1, .fps = settings->input.fps, .start_seconds = start, .duration_seconds = duration};
	struct vrs_source *source = NULL;
	enum vrs_status status = vrs_source_open(&source, input, &options, err);
	if (status == VRS_OK) {
		const struct vrs_source_info *info = vrs_source_info(source);
		*ret = (struct vrs_media_frames){.most = info->frames, .least = info->frames, .seconds = info->duration_seconds, .exact = true,
			.complete = true};
		if (info->frames < 1)
			status = vrs_fail(err, VRS_EUNSUPPORTED, "%s does not say how many frames it has", input);
	}
	vrs_source_close(source);
	return status;
}

/* Do both have the same last frame?  Then frames before it are missing because they are damaged, and not because a run has ended too early. */
static bool ends_alike(const struct vrs_media_frames *in, const struct vrs_media_frames *out)
{
	return in->most > 0 && in->seconds > 0 && out->seconds > 0 && in->seconds - out->seconds < END_FRAMES * in->seconds / (double)in->most;
}

/* Frames of the output that the input with these settings gives: between these two where nothing is damaged. */
static void wanted_frames(const struct vrs_media_frames *in, const struct vrs_settings *settings, int64_t *ret_least, int64_t *ret_most)
{
	int64_t nth = settings->pipeline.every_nth, max = settings->pipeline.max_frames > 0 ? settings->pipeline.max_frames : INT64_MAX;
	int64_t most = (in->most + nth - 1) / nth, least = (in->least + nth - 1) / nth;
	*ret_most = most < max ? most : max;
	*ret_least = least < max ? least : max;
}

static bool has_frames(const struct vrs_media_frames *in, const struct vrs_media_frames *out, const struct vrs_settings *settings, int64_t least,
		       int64_t most)
{
	double slack = fmax(2, FRAMES_SHARE * (double)most);
	if ((double)(out->most - most) > slack || (double)(least - out->most) > slack)
		return false;
	return out->most >= least || !in->exact || (settings->pipeline.every_nth == 1 && ends_alike(in, out));
}

bool vrs_output_is_complete(const char *input, const char *output, const struct vrs_settings *settings, char *ret_reason, size_t size)
{
	struct vrs_media_frames in, out;
	struct vrs_error err = {0};
	int64_t least, most;
	if (vrs_media_file_measure(output, 0, 0, &out, &err) || measure_input(&in, input, settings, &err)) {
		snprintf(ret_reason, size, "%s", err.text);
		return false;
	}
	if (!out.complete) {
		snprintf(ret_reason, size, "%s was not finished", output);
		return false;
	}
	wanted_frames(&in, settings, &least, &most);
	if (!has_frames(&in, &out, settings, least, most)) {
		snprintf(ret_reason, size, "%s holds %" PRId64 " of %" PRId64 " frames", output, out.most, most);
		return false;
	}
	bool all = settings->pipeline.max_frames <= 0 || most < settings->pipeline.max_frames;
	double seconds_slack = fmax(SECONDS_LEAST, SECONDS_SHARE * in.seconds);
	if (all && in.seconds > 0 && out.seconds > 0 && fabs(out.seconds - in.seconds) > seconds_slack) {
		snprintf(ret_reason, size, "%s lasts %.2f of %.2f seconds", output, out.seconds, in.seconds);
		return false;
	}
	return true;
}
