/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares mattes with a truth video while the job runs. */
#include <vrseg/quality.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "matte/matte_expand.h"
#include "video/source.h"

#include <vrseg/layout.h>
#include <vrseg/pipeline.h>

#define MAX_EYES 2

/* Matte and truth of one eye at one size, and those of the frame before. */
struct comparison {
	struct vrs_matte matte, truth, past_matte, past_truth;
	uint64_t pairs;              /* consecutive frames compared by dtSSD */
	struct vrs_rect covers;       /* of the matte before */
	struct vrs_truth_score score; /* means hold sums until the result is asked for */
};

struct vrs_truth {
	struct vrs_source *source;
	int every_nth;
	int64_t position;            /* truth frames read so far */
	struct vrs_frame frame;      /* the last one */
	int eyes, circle;            /* circle: of the input's format */
	struct vrs_rect eye[MAX_EYES];
	struct comparison full[MAX_EYES], small[MAX_EYES];
	struct vrs_error error;
};

enum vrs_status vrs_truth_open(struct vrs_truth **ret_truth, const char *path, const char *input, const struct vrs_settings *settings,
			       struct vrs_error *err)
{
	char own[VRS_PATH_MAX];
	if (strcmp(path, "synth:") == 0) { /* the coverage of the built-in people in the input */
		if (strncmp(input, path, strlen(path)) != 0)
			return vrs_fail(err, VRS_ECONFIG, "--truth synth: goes with an input synth:..., not with %s", input);
		if (snprintf(own, sizeof own, "%s,alpha", input) >= (int)sizeof own)
			return vrs_fail(err, VRS_ELIMIT, "the name of the input is too long");
		path = own;
	}
	struct vrs_truth *truth = vrs_calloc(1, sizeof *truth);
	if (!truth)
		return vrs_fail(err, VRS_ENOMEM, "no memory to read %s", path);
	const struct vrs_source_options options = {.threads = 1, .start_seconds = settings->input.start};
	enum vrs_status status = vrs_source_open(&truth->source, path, &options, err);
	if (status) {
		vrs_free(truth);
		return status;
	}
	*ret_truth = truth;
	return VRS_OK;
}

static void comparison_fini(struct comparison *comparison)
{
	vrs_matte_fini(&comparison->matte);
	vrs_matte_fini(&comparison->truth);
	vrs_matte_fini(&comparison->past_matte);
	vrs_matte_fini(&comparison->past_truth);
}

static enum vrs_status comparison_init(struct comparison *comparison, int width, int height)
{
	struct vrs_matte *mattes[] = {&comparison->matte, &comparison->truth, &comparison->past_matte, &comparison->past_truth};
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < 4 && !status; i++)
		status = vrs_matte_init(mattes[i], width, height);
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
	for (int i = 0; i < info->eyes; i++) {
		truth->eye[i] = vrs_layout_eye(&info->layout, info->width, info->height, i);
		enum vrs_status status = comparison_init(&truth->full[i], truth->eye[i].width, truth->eye[i].height);
		if (!status)
			status = comparison_init(&truth->small[i], info->matte_width, info->matte_height);
		if (status)
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
		if (status)
			return status;
		truth->frame.format.circle = truth->circle;
		truth->position++;
	}
	return VRS_OK;
}

/* First value or a worse one: small is bad for shares of agreement, large for differences. */
static void metric_add(struct vrs_truth_metric *metric, double value, bool first, bool small_is_bad, int64_t frame)
{
	metric->mean += value;
	if (first || (small_is_bad ? value < metric->worst : value > metric->worst)) {
		metric->worst = value;
		metric->worst_frame = frame;
	}
}

/* Change over time is compared where both mattes cover the same part. */
static enum vrs_status compare(struct comparison *c, int64_t index, const struct vrs_rect *covers)
{
	struct vrs_quality quality;
	struct vrs_truth_score *score = &c->score;
	enum vrs_status status = vrs_quality_compare(&quality, &c->matte, &c->truth);
	if (status)
		return status;
	bool first = score->frames == 0;
	metric_add(&score->iou, quality.iou, first, true, index);
	metric_add(&score->mad, quality.mad, first, false, index);
	metric_add(&score->boundary_f, quality.boundary_f, first, true, index);
	if (!first && memcmp(&c->covers, covers, sizeof *covers) == 0) {
		double dtssd;
		status = vrs_quality_dtssd(&dtssd, &c->matte, &c->past_matte, &c->truth, &c->past_truth);
		if (status)
			return status;
		metric_add(&score->dtssd, dtssd, c->pairs++ == 0, false, index);
	}
	score->frames++;
	c->covers = *covers;
	struct vrs_matte matte = c->matte, truth = c->truth;
	c->matte = c->past_matte;
	c->truth = c->past_truth;
	c->past_matte = matte;
	c->past_truth = truth;
	return VRS_OK;
}

static enum vrs_status add(struct vrs_truth *truth, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	struct comparison *full = &truth->full[eye], *small = &truth->small[eye];
	struct vrs_rect inside = {.x = covers->x - truth->eye[eye].x, .y = covers->y - truth->eye[eye].y, .width = covers->width,
		.height = covers->height};
	enum vrs_status status = seek_frame(truth, index);
	if (!status)
		status = vrs_matte_from_luma(&full->truth, &truth->frame, &truth->eye[eye]);
	if (!status)
		status = vrs_matte_expand(&full->matte, matte, &inside);
	if (!status)
		status = compare(full, index, &truth->eye[eye]);
	if (!status)
		status = vrs_matte_from_luma(&small->truth, &truth->frame, covers);
	if (status)
		return status;
	for (int y = 0; y < matte->height; y++)
		memcpy(small->matte.data + small->matte.stride * y, matte->data + matte->stride * y, (size_t)matte->width);
	return compare(small, index, covers);
}

void vrs_truth_add(struct vrs_truth *truth, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	if (truth->error.status || eye >= truth->eyes)
		return;
	enum vrs_status status = add(truth, index, eye, matte, covers);
	if (status && !truth->error.status)
		vrs_fail(&truth->error, status, "cannot compare frame %lld with the truth: %s", (long long)index, vrs_status_str(status));
}

static struct vrs_truth_score finished(const struct comparison *c)
{
	struct vrs_truth_score score = c->score;
	double frames = score.frames ? (double)score.frames : 1, pairs = c->pairs ? (double)c->pairs : 1;
	score.iou.mean /= frames;
	score.mad.mean /= frames;
	score.boundary_f.mean /= frames;
	score.dtssd.mean /= pairs;
	return score;
}

enum vrs_status vrs_truth_result(const struct vrs_truth *truth, struct vrs_truth_result *ret_result, struct vrs_error *err)
{
	if (truth->error.status) {
		if (err)
			*err = truth->error;
		return truth->error.status;
	}
	struct vrs_truth_result result = {.eyes = truth->eyes};
	for (int i = 0; i < truth->eyes; i++) {
		result.frame_size[i] = finished(&truth->full[i]);
		result.matte_size[i] = finished(&truth->small[i]);
	}
	*ret_result = result;
	return VRS_OK;
}

void vrs_truth_close(struct vrs_truth *truth)
{
	if (!truth)
		return;
	for (int i = 0; i < MAX_EYES; i++) {
		comparison_fini(&truth->full[i]);
		comparison_fini(&truth->small[i]);
	}
	vrs_frame_unref(&truth->frame);
	vrs_source_close(truth->source);
	vrs_free(truth);
}
