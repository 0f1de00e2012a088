/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares mattes with a truth video while the job runs. */
#include <vrseg/quality.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/truth_comparison.h"
#include "matte/matte_expand.h"
#include "video/source.h"

#include <vrseg/layout.h>
#include <vrseg/pipeline.h>

#define MAX_EYES 2
#define SEEK_FRAMES 30 /* fewer are read, not sought over */

/* The last matte before the part of a video that is compared. */
struct lead {
	struct vrs_matte matte;
	struct vrs_rect covers;
	bool is_there;
};

struct vrs_truth {
	char path[VRS_PATH_MAX];
	double start;                /* of the input, as asked for */
	int64_t first;               /* frame of the output that is compared first */
	struct vrs_source *source;
	int every_nth;
	int64_t position;            /* truth frames read so far */
	struct vrs_frame frame;      /* the last one */
	struct vrs_arena arena;      /* of the mattes */
	int eyes, circle;            /* circle: of the input's format */
	struct vrs_rect eye[MAX_EYES];
	struct vrs_truth_comparison full[MAX_EYES], small[MAX_EYES];
	struct vrs_truth_eyes pair;
	struct lead lead[MAX_EYES];
	struct vrs_error error;
};

/* Time of the frame `index` frames after one of time `zero`, less half a frame, in the source's ticks. */
static int64_t border(const struct vrs_source_info *info, int64_t zero, int64_t index)
{
	double ticks = (double)info->fps_den * info->time_base_den / ((double)info->fps_num * info->time_base_num);
	return zero + (int64_t)ceil(((double)index - 0.5) * ticks);
}

/* Go to frame `index` by its time, if a frame lies where it should; else everything is read from the beginning, by counting. */
static enum vrs_status skip_to(struct vrs_truth *truth, const struct vrs_source_options *options, int64_t index, struct vrs_error *err)
{
	const struct vrs_source_info *info = vrs_source_info(truth->source);
	struct vrs_source_options late = *options;
	struct vrs_source *source = NULL;
	struct vrs_frame frame = {0};
	if (index < SEEK_FRAMES || info->fps_num < 1 || info->fps_den < 1)
		return VRS_OK;
	enum vrs_status status = vrs_source_read(truth->source, &truth->frame, err);
	if (status != VRS_OK)
		return status;
	truth->position = 1;
	late.skip = border(info, truth->frame.pts, index);
	status = vrs_source_open(&source, truth->path, &late, NULL);
	if (status == VRS_OK)
		status = vrs_source_read(source, &frame, NULL);
	if (status == VRS_ENOMEM)
		return vrs_fail(err, status, "no memory to read %s", truth->path);
	if (status == VRS_OK && frame.pts < border(info, truth->frame.pts, index + 1)) {
		vrs_frame_unref(&truth->frame);
		vrs_source_close(truth->source);
		truth->source = source;
		truth->frame = frame;
		truth->position = index + 1;
		return VRS_OK;
	}
	vrs_frame_unref(&frame);
	vrs_source_close(source);
	return VRS_OK;
}

enum vrs_status vrs_truth_open_at(struct vrs_truth **ret_truth, const char *path, const char *input, const struct vrs_settings *settings,
				  int64_t first, struct vrs_error *err)
{
	bool is_own = strcmp(path, "synth:") == 0; /* the coverage of the built-in people in the input */
	if (is_own && strncmp(input, path, strlen(path)) != 0)
		return vrs_fail(err, VRS_ECONFIG, "--truth synth: needs an input synth:..., not %s", input);
	struct vrs_truth *truth = vrs_calloc(1, sizeof *truth);
	if (!truth)
		return vrs_fail(err, VRS_ENOMEM, "no memory to read %s", path);
	truth->start = settings->input.start;
	truth->first = first;
	int length = snprintf(truth->path, sizeof truth->path, "%s%s", is_own ? input : path, is_own ? ",alpha" : "");
	if (length >= (int)sizeof truth->path) {
		vrs_truth_close(truth);
		return vrs_fail(err, VRS_ELIMIT, "the name of the %s is too long", is_own ? "input" : "truth video");
	}
	*ret_truth = truth;
	return VRS_OK;
}

enum vrs_status vrs_truth_open(struct vrs_truth **ret_truth, const char *path, const char *input, const struct vrs_settings *settings,
			       struct vrs_error *err)
{
	return vrs_truth_open_at(ret_truth, path, input, settings, 0, err);
}

/*
 * The truth of the first frame that the input has from --start on.  Containers round times differently, so that the same --start may be one frame
 * earlier or later in the truth: the time of the input's frame counts, less half a frame.
 */
static double start_of(const struct vrs_truth *truth, const struct vrs_job_info *info)
{
	double start = truth->start > 0 && info->fps > 0 ? info->first_seconds - 0.5 / info->fps : truth->start;
	return start > 0 ? start : 0;
}

static enum vrs_status open_source(struct vrs_truth *truth, const struct vrs_job_info *info, int every_nth, struct vrs_error *err)
{
	const struct vrs_source_options options = {.threads = 1, .start_seconds = start_of(truth, info)};
	enum vrs_status status = vrs_source_open(&truth->source, truth->path, &options, err);
	if (status != VRS_OK)
		return status;
	const struct vrs_picture_format *format = &vrs_source_info(truth->source)->format;
	if (format->width != info->width || format->height != info->height)
		return vrs_fail(err, VRS_ECONFIG, "the truth video has %dx%d pixels, the input %dx%d", format->width, format->height, info->width,
				info->height);
	return skip_to(truth, &options, (truth->first - 1) * every_nth, err);
}

enum vrs_status vrs_truth_attach(struct vrs_truth *truth, const struct vrs_job_info *info, int every_nth, struct vrs_error *err)
{
	enum vrs_status status = open_source(truth, info, every_nth, err);
	if (status != VRS_OK)
		return status;
	truth->every_nth = every_nth;
	truth->eyes = info->eyes;
	struct vrs_picture_format luma = vrs_source_info(truth->source)->format; /* is all that is looked at */
	luma.chroma_shift_x = 0;
	truth->circle = vrs_layout_circle(&info->layout, &luma);
	truth->frame.format.circle = truth->circle; /* where one was read already */
	for (int i = 0; i < info->eyes; i++) {
		truth->eye[i] = vrs_layout_eye(&info->layout, info->width, info->height, i);
		status = vrs_truth_comparison_init(&truth->full[i], &truth->arena, truth->eye[i].width, truth->eye[i].height);
		if (status == VRS_OK)
			status = vrs_truth_comparison_init(&truth->small[i], &truth->arena, info->matte_width, info->matte_height);
		truth->full[i].has_box = true;
		truth->full[i].circle = truth->circle > 0;
		if (status == VRS_OK)
			status = vrs_matte_init(&truth->lead[i].matte, &truth->arena, info->matte_width, info->matte_height);
		if (status != VRS_OK)
			return vrs_fail(err, status, "no memory to compare mattes of %dx%d", truth->eye[i].width, truth->eye[i].height);
	}
	return VRS_OK;
}

/* Read on to the truth of input frame `index`. */
static enum vrs_status seek_frame(struct vrs_truth *truth, int64_t index)
{
	while (truth->position <= index * truth->every_nth) {
		vrs_frame_unref(&truth->frame);
		enum vrs_status status = vrs_source_read(truth->source, &truth->frame, &truth->error);
		if (status == VRS_END)
			return vrs_fail(&truth->error, VRS_EFORMAT, "the truth video ends after %lld frames, before the input",
					(long long)truth->position);
		if (status != VRS_OK)
			return status;
		truth->frame.format.circle = truth->circle;
		truth->position++;
	}
	return VRS_OK;
}

/* Matte and truth of frame `index` into both comparisons of the eye. */
static enum vrs_status load(struct vrs_truth *truth, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	struct vrs_truth_comparison *full = &truth->full[eye], *small = &truth->small[eye];
	struct vrs_rect inside = {.x = covers->x - truth->eye[eye].x, .y = covers->y - truth->eye[eye].y, .width = covers->width,
		.height = covers->height};
	enum vrs_status status = seek_frame(truth, index);
	if (status == VRS_OK)
		status = vrs_matte_from_luma(&full->truth, &truth->frame, &truth->eye[eye], &truth->eye[eye]);
	if (status == VRS_OK)
		status = vrs_matte_expand(&full->matte, matte, &inside);
	if (status == VRS_OK)
		status = vrs_matte_from_luma(&small->truth, &truth->frame, &truth->eye[eye], covers);
	if (status == VRS_OK)
		vrs_truth_copy_matte(&small->matte, matte);
	return status;
}

/* Before the first frame: the mattes of the one before become the past. */
static enum vrs_status use_leads(struct vrs_truth *truth, int64_t index)
{
	enum vrs_status status = VRS_OK;
	for (int eye = 0; eye < truth->eyes && status == VRS_OK; eye++) {
		struct lead *lead = &truth->lead[eye];
		if (!lead->is_there || index < 1)
			continue;
		status = load(truth, index - 1, eye, &lead->matte, &lead->covers);
		lead->is_there = false;
		vrs_truth_comparison_skip(&truth->full[eye], index - 1, &truth->eye[eye]);
		vrs_truth_comparison_skip(&truth->small[eye], index - 1, &lead->covers);
	}
	return status;
}

static enum vrs_status add(struct vrs_truth *truth, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	enum vrs_status status = use_leads(truth, index);
	if (status == VRS_OK)
		status = load(truth, index, eye, matte, covers);
	if (status == VRS_OK)
		status = vrs_truth_comparison_add(&truth->full[eye], index, &truth->eye[eye]);
	if (status == VRS_OK && truth->eyes > 1)
		vrs_truth_compare_eyes(&truth->pair, truth->full, index);
	return status != VRS_OK ? status : vrs_truth_comparison_add(&truth->small[eye], index, covers);
}

void vrs_truth_add(struct vrs_truth *truth, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	if (truth->error.status || eye >= truth->eyes)
		return;
	if (index < 0) {
		vrs_truth_copy_matte(&truth->lead[eye].matte, matte);
		truth->lead[eye].covers = *covers;
		truth->lead[eye].is_there = true;
		return;
	}
	enum vrs_status status = add(truth, index, eye, matte, covers);
	if (status != VRS_OK && !truth->error.status)
		vrs_fail(&truth->error, status, "cannot compare frame %lld with the truth: %s", (long long)index, vrs_status_str(status));
}

enum vrs_status vrs_truth_sums(const struct vrs_truth *truth, struct vrs_truth_sums *ret_sums, struct vrs_error *err)
{
	if (truth->error.status) {
		if (err)
			*err = truth->error;
		return truth->error.status;
	}
	*ret_sums = (struct vrs_truth_sums){.eyes = truth->eyes, .pair = truth->pair};
	for (int i = 0; i < truth->eyes; i++) {
		ret_sums->frame_size[i] = truth->full[i].sum;
		ret_sums->matte_size[i] = truth->small[i].sum;
	}
	return VRS_OK;
}

enum vrs_status vrs_truth_result(const struct vrs_truth *truth, struct vrs_truth_result *ret_result, struct vrs_error *err)
{
	struct vrs_truth_sums sums;
	enum vrs_status status = vrs_truth_sums(truth, &sums, err);
	if (status == VRS_OK)
		vrs_truth_sums_result(&sums, ret_result);
	return status;
}

void vrs_truth_close(struct vrs_truth *truth)
{
	if (!truth)
		return;
	vrs_arena_free(&truth->arena);
	vrs_frame_unref(&truth->frame);
	vrs_source_close(truth->source);
	vrs_free(truth);
}
