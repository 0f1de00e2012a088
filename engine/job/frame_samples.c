/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/frame_samples.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/mem.h"
#include "job/job_request.h"

#include <vrseg/options.h>

#define SEEK_SECONDS 40.0 /* longer clips are opened at each place; shorter ones are read once */
#define UNKNOWN_STEP 10   /* frames between places where the length is not known */
#define MAX_PICTURES 100000

struct vrs_frame_samples {
	const char *input;
	struct vrs_source_options options; /* of a clip */
	int places, run;
	char **pictures;        /* of a folder; NULL: a clip */
	size_t picture_count, picture_cap;
	struct vrs_source *source;
	bool seeks;
	double duration;
	int64_t step, index;    /* of a clip that is read once: frames from place to place, next frame */
	int place, taken;       /* the place in hand, and how many frames of it are given */
	char name[VRS_PATH_MAX];
};

static bool is_picture(const char *name)
{
	static const char *const ends[] = {".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".ppm", ".pgm"};
	const char *dot = strrchr(name, '.');
	for (size_t i = 0; dot && dot != name && i < sizeof ends / sizeof *ends; i++)
		if (strcasecmp(dot, ends[i]) == 0)
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum vrs_status list_pictures(struct vrs_frame_samples *s, struct vrs_error *err)
{
	DIR *dir = opendir(s->input);
	if (!dir)
		return vrs_fail(err, VRS_EIO, "the folder %s cannot be read", s->input);
	enum vrs_status status = VRS_OK;
	for (struct dirent *entry = readdir(dir); entry && status == VRS_OK; entry = readdir(dir)) {
		void *items = s->pictures;
		if (!is_picture(entry->d_name))
			continue;
		status = vrs_array_grow(&items, &s->picture_cap, s->picture_count + 1, sizeof *s->pictures, MAX_PICTURES);
		s->pictures = items;
		char *name = status != VRS_OK ? NULL : vrs_strdup(entry->d_name);
		if (name)
			s->pictures[s->picture_count++] = name;
		else
			status = vrs_fail(err, VRS_ENOMEM, "too many pictures in %s", s->input);
	}
	closedir(dir);
	if (status == VRS_OK && s->picture_count == 0)
		return vrs_fail(err, VRS_ECONFIG, "the folder %s holds no pictures (PNG, JPEG, BMP, WebP, TIFF, PPM)", s->input);
	qsort(s->pictures, s->picture_count, sizeof *s->pictures, by_name);
	return status;
}

static enum vrs_status open_source(struct vrs_frame_samples *s, const char *name, const struct vrs_source_options *options, struct vrs_error *err)
{
	vrs_source_close(s->source);
	s->source = NULL;
	return vrs_source_open(&s->source, name, options, err);
}

static enum vrs_status open_at(struct vrs_frame_samples *s, double seconds, struct vrs_error *err)
{
	s->options.start_seconds = seconds;
	return open_source(s, s->input, &s->options, err);
}

static enum vrs_status open_clip(struct vrs_frame_samples *s, struct vrs_error *err)
{
	enum vrs_status status = open_at(s, 0, err);
	if (status != VRS_OK)
		return status;
	const struct vrs_source_info *info = vrs_source_info(s->source);
	s->duration = info->duration_seconds;
	s->seeks = s->duration > SEEK_SECONDS;
	s->step = info->frames > 0 ? info->frames / s->places : UNKNOWN_STEP;
	s->step = s->step < s->run ? s->run : s->step;
	return VRS_OK;
}

/* How a job opens it, but all of it and without a device: the same frames on every machine. */
static struct vrs_source_options clip_options(const struct vrs_settings *settings)
{
	struct vrs_source_options options = vrs_input_options(settings, 0);
	options.hwdecode = NULL;
	options.duration_seconds = 0;
	return options;
}

enum vrs_status vrs_frame_samples_open(struct vrs_frame_samples **ret_samples, const struct vrs_settings *settings, const char *input, int places,
				       int run, struct vrs_error *err)
{
	struct vrs_frame_samples *s = vrs_calloc(1, sizeof *s);
	if (!s)
		return vrs_fail_nomem(err);
	*s = (struct vrs_frame_samples){.input = input, .options = clip_options(settings), .places = places, .run = run};
	bool folder = vrs_path_is_dir(input);
	enum vrs_status status = folder ? list_pictures(s, err) : open_clip(s, err);
	if (status != VRS_OK) {
		vrs_frame_samples_close(s);
		return status;
	}
	*ret_samples = s;
	return VRS_OK;
}

void vrs_frame_samples_close(struct vrs_frame_samples *s)
{
	if (!s)
		return;
	vrs_source_close(s->source);
	for (size_t i = 0; i < s->picture_count; i++)
		vrs_free(s->pictures[i]);
	vrs_free(s->pictures);
	vrs_free(s);
}

static enum vrs_status next_picture(struct vrs_frame_samples *s, struct vrs_frame *frame, struct vrs_error *err)
{
	size_t count = s->picture_count, places = (size_t)s->places < count ? (size_t)s->places : count;
	if ((size_t)s->place == places)
		return VRS_END;
	const char *picture = s->pictures[(size_t)s->place * count / places];
	if (vrs_path_join(s->name, sizeof s->name, s->input, picture) != VRS_OK)
		return vrs_fail(err, VRS_ELIMIT, "the name %.100s is too long", picture);
	const struct vrs_source_options options = {.start_seconds = 0};
	enum vrs_status status = open_source(s, s->name, &options, err);
	return status != VRS_OK ? status : vrs_source_read(s->source, frame, err);
}

/* A place that lies behind the last frame has none. */
static enum vrs_status next_by_seeking(struct vrs_frame_samples *s, struct vrs_frame *frame, struct vrs_error *err)
{
	struct vrs_error ignored = {0};
	while (s->place < s->places) {
		struct vrs_error *said = s->place ? &ignored : err;
		enum vrs_status status = VRS_OK;
		if (s->taken == 0)
			status = open_at(s, s->duration * (s->place + 0.5) / s->places, said);
		if (status == VRS_OK)
			status = vrs_source_read(s->source, frame, said);
		if (status == VRS_OK || s->place == 0)
			return status;
		s->place++;
		s->taken = 0;
	}
	return VRS_END;
}

static enum vrs_status next_by_reading(struct vrs_frame_samples *s, struct vrs_frame *frame, struct vrs_error *err)
{
	while (s->place < s->places) {
		enum vrs_status status = vrs_source_read(s->source, frame, err);
		if (status == VRS_EFORMAT && s->options.keep_partial && s->index > 0)
			return VRS_END;
		if (status != VRS_OK)
			return status;
		if (s->index++ >= s->place * s->step)
			return VRS_OK;
		vrs_frame_unref(frame);
	}
	return VRS_END;
}

enum vrs_status vrs_frame_samples_next(struct vrs_frame_samples *s, struct vrs_frame_sample *ret, struct vrs_error *err)
{
	int run = s->pictures ? 1 : s->run;
	memset(ret, 0, sizeof *ret);
	enum vrs_status status = s->pictures ? next_picture(s, &ret->frame, err) : s->seeks ? next_by_seeking(s, &ret->frame, err) :
				 next_by_reading(s, &ret->frame, err);
	if (status != VRS_OK)
		return status;
	ret->place = s->place;
	ret->first = s->taken == 0;
	ret->name = s->pictures ? s->name : s->input;
	ret->info = vrs_source_info(s->source);
	if (++s->taken == run) {
		s->taken = 0;
		s->place++;
	}
	return VRS_OK;
}
