/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares mattes with a truth video while the job runs. */
#include <vrseg/quality.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/truth_sums.h"
#include "matte/boundary.h"
#include "matte/disparity_agreement.h"
#include "matte/matte_expand.h"
#include "matte/person_box.h"
#include "video/source.h"

#include <vrseg/layout.h>
#include <vrseg/pipeline.h>

#define MAX_EYES 2
#define SEEK_FRAMES 30 /* fewer are read, not sought over */
#define CONTOUR_TOLERANCE 2 /* samples between contours that match */

/* Matte and truth of one eye at one size, and those of the frame before. */
struct comparison {
	struct vrs_matte matte, truth, past_matte, past_truth;
	bool has_past, has_box, circle; /* circle: rows close to one */
	struct vrs_rect covers;       /* of the matte before */
	int64_t index;                /* of its frame */
	struct vrs_truth_sum sum;
};

/* The last matte before the part of a video that is compared. */
struct lead {
	struct vrs_matte matte;
	struct vrs_rect covers;
	bool is_there;
};

struct vrs_truth {
	struct vrs_source *source;
	int every_nth;
	int64_t position;            /* truth frames read so far */
	struct vrs_frame frame;      /* the last one */
	struct vrs_arena arena;      /* of the mattes */
	int eyes, circle;            /* circle: of the input's format */
	struct vrs_rect eye[MAX_EYES];
	struct comparison full[MAX_EYES], small[MAX_EYES];
	struct vrs_truth_eyes pair;
	struct lead lead[MAX_EYES];
	struct vrs_error error;
};

/* Time of frame `index` less half a frame, in the source's ticks. */
static int64_t border(const struct vrs_source_info *info, int64_t index)
{
	double ticks = (double)info->fps_den * info->time_base_den / ((double)info->fps_num * info->time_base_num);
	return (int64_t)ceil(((double)index - 0.5) * ticks);
}

/* Go to frame `index` by its time, if a frame lies where it should; else everything is read from the beginning, by counting. */
static enum vrs_status skip_to(struct vrs_truth *truth, const char *path, const struct vrs_source_options *options, int64_t index,
			       struct vrs_error *err)
{
	const struct vrs_source_info *info = vrs_source_info(truth->source);
	struct vrs_source_options late = *options;
	struct vrs_source *source = NULL;
	struct vrs_frame frame = {0};
	if (index < SEEK_FRAMES || info->fps_num < 1 || info->fps_den < 1)
		return VRS_OK;
	late.skip = border(info, index);
	enum vrs_status status = vrs_source_open(&source, path, &late, NULL);
	if (status == VRS_OK)
		status = vrs_source_read(source, &frame, NULL);
	if (status == VRS_ENOMEM)
		return vrs_fail(err, status, "no memory to read %s", path);
	if (status == VRS_OK && frame.pts < border(info, index + 1)) {
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
	char own[VRS_PATH_MAX];
	if (strcmp(path, "synth:") == 0) { /* the coverage of the built-in people in the input */
		if (strncmp(input, path, strlen(path)) != 0)
			return vrs_fail(err, VRS_ECONFIG, "--truth synth: needs an input synth:..., not %s", input);
		if (snprintf(own, sizeof own, "%s,alpha", input) >= (int)sizeof own)
			return vrs_fail(err, VRS_ELIMIT, "the name of the input is too long");
		path = own;
	}
	struct vrs_truth *truth = vrs_calloc(1, sizeof *truth);
	if (!truth)
		return vrs_fail(err, VRS_ENOMEM, "no memory to read %s", path);
	const struct vrs_source_options options = {.threads = 1, .start_seconds = settings->input.start};
	enum vrs_status status = vrs_source_open(&truth->source, path, &options, err);
	if (status == VRS_OK)
		status = skip_to(truth, path, &options, (first - 1) * settings->pipeline.every_nth, err);
	if (status != VRS_OK) {
		vrs_truth_close(truth);
		return status;
	}
	*ret_truth = truth;
	return VRS_OK;
}

enum vrs_status vrs_truth_open(struct vrs_truth **ret_truth, const char *path, const char *input, const struct vrs_settings *settings,
			       struct vrs_error *err)
{
	return vrs_truth_open_at(ret_truth, path, input, settings, 0, err);
}

static enum vrs_status comparison_init(struct comparison *comparison, struct vrs_arena *arena, int width, int height)
{
	struct vrs_matte *mattes[] = {&comparison->matte, &comparison->truth, &comparison->past_matte, &comparison->past_truth};
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < 4 && status == VRS_OK; i++)
		status = vrs_matte_init(mattes[i], arena, width, height);
	return status;
}

enum vrs_status vrs_truth_attach(struct vrs_truth *truth, const struct vrs_job_info *info, int every_nth, struct vrs_error *err)
{
	const struct vrs_picture_format *format = &vrs_source_info(truth->source)->format;
	if (format->width != info->width || format->height != info->height)
		return vrs_fail(err, VRS_ECONFIG, "the truth video has %dx%d pixels, the input %dx%d", format->width, format->height, info->width,
				info->height);
	truth->every_nth = every_nth;
	truth->eyes = info->eyes;
	struct vrs_picture_format luma = *format; /* is all that is looked at */
	luma.chroma_shift_x = 0;
	truth->circle = vrs_layout_circle(&info->layout, &luma);
	truth->frame.format.circle = truth->circle; /* where one was read already */
	for (int i = 0; i < info->eyes; i++) {
		truth->eye[i] = vrs_layout_eye(&info->layout, info->width, info->height, i);
		truth->full[i].has_box = true;
		truth->full[i].circle = truth->circle > 0;
		enum vrs_status status = comparison_init(&truth->full[i], &truth->arena, truth->eye[i].width, truth->eye[i].height);
		if (status == VRS_OK)
			status = comparison_init(&truth->small[i], &truth->arena, info->matte_width, info->matte_height);
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

/* What is there now is what the next frame is compared with. */
static void become_past(struct comparison *c, int64_t index, const struct vrs_rect *covers)
{
	struct vrs_matte matte = c->matte, truth = c->truth;
	c->matte = c->past_matte;
	c->truth = c->past_truth;
	c->past_matte = matte;
	c->past_truth = truth;
	c->covers = *covers;
	c->index = index;
	c->has_past = true;
}

static enum vrs_status add_box(struct comparison *c)
{
	struct vrs_rect box;
	enum vrs_status status = c->has_box ? vrs_person_box(&box, &c->truth, c->circle) : VRS_OK;
	if (status == VRS_OK && c->has_box)
		vrs_truth_sum_box(&c->sum, &box, c->truth.width, c->truth.height, c->circle ? c->truth.width : 0);
	return status;
}

/* Change over time is compared where both mattes cover the same part. */
static enum vrs_status compare(struct comparison *c, int64_t index, const struct vrs_rect *covers)
{
	struct vrs_quality quality;
	double contour_f, dtssd;
	bool with_past = c->has_past && memcmp(&c->covers, covers, sizeof *covers) == 0;
	enum vrs_status status = vrs_quality_compare(&quality, &c->matte, &c->truth);
	if (status == VRS_OK)
		status = vrs_boundary_f(&contour_f, &c->matte, &c->truth, CONTOUR_TOLERANCE);
	if (status == VRS_OK && with_past)
		status = vrs_quality_dtssd(&dtssd, &c->matte, &c->past_matte, &c->truth, &c->past_truth);
	if (status == VRS_OK)
		status = add_box(c);
	if (status != VRS_OK)
		return status;
	vrs_truth_sum_put(&c->sum, VRS_TRUTH_IOU, quality.iou, index);
	vrs_truth_sum_put(&c->sum, VRS_TRUTH_MAD, quality.mad, index);
	vrs_truth_sum_put(&c->sum, VRS_TRUTH_MSE, quality.mse, index);
	vrs_truth_sum_put(&c->sum, VRS_TRUTH_BOUNDARY_F, quality.boundary_f, index);
	vrs_truth_sum_put(&c->sum, VRS_TRUTH_CONTOUR_F, contour_f, index);
	c->sum.score.frames++;
	if (with_past) {
		vrs_truth_sum_put(&c->sum, VRS_TRUTH_DTSSD, dtssd, index);
		c->sum.pairs++;
	}
	become_past(c, index, covers);
	return VRS_OK;
}

/* Both eyes of a frame, once the later one is there. */
static void compare_eyes(struct vrs_truth *truth, int64_t index)
{
	const struct comparison *left = &truth->full[0], *right = &truth->full[1];
	if (truth->eyes < 2 || left->index != index || right->index != index || !left->has_past || !right->has_past)
		return;
	const struct vrs_matte mattes[2] = {left->past_matte, right->past_matte}, truths[2] = {left->past_truth, right->past_truth};
	struct vrs_disparity_agreement agreement = vrs_disparity_agreement(truths, mattes, left->circle);
	bool first = truth->pair.frames++ == 0;
	vrs_truth_metric_add(&truth->pair.mattes, &(struct vrs_truth_metric){agreement.mattes, agreement.mattes, index}, first, true);
	vrs_truth_metric_add(&truth->pair.truths, &(struct vrs_truth_metric){agreement.truths, agreement.truths, index}, first, true);
}

static void copy_matte(struct vrs_matte *to, const struct vrs_matte *from)
{
	for (int y = 0; y < from->height; y++)
		memcpy(to->data + to->stride * y, from->data + from->stride * y, (size_t)from->width);
}

/* Matte and truth of frame `index` into both comparisons of the eye. */
static enum vrs_status load(struct vrs_truth *truth, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	struct comparison *full = &truth->full[eye], *small = &truth->small[eye];
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
		copy_matte(&small->matte, matte);
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
		become_past(&truth->full[eye], index - 1, &truth->eye[eye]);
		become_past(&truth->small[eye], index - 1, &lead->covers);
	}
	return status;
}

static enum vrs_status add(struct vrs_truth *truth, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	enum vrs_status status = use_leads(truth, index);
	if (status == VRS_OK)
		status = load(truth, index, eye, matte, covers);
	if (status == VRS_OK)
		status = compare(&truth->full[eye], index, &truth->eye[eye]);
	if (status == VRS_OK)
		compare_eyes(truth, index);
	return status != VRS_OK ? status : compare(&truth->small[eye], index, covers);
}

void vrs_truth_add(struct vrs_truth *truth, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	if (truth->error.status || eye >= truth->eyes)
		return;
	if (index < 0) {
		copy_matte(&truth->lead[eye].matte, matte);
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
