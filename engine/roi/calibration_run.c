/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calibration with pictures.  Each goes through a float session, whose inputs (picture and states) are a sample; those of every fourth place are
 * not given to the calibrator but kept with their float matte, to compare the 8-bit sessions on.
 */
#include <vrseg/config.h>
#include <vrseg/network_run.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "job/frame_samples.h"
#include "flow/frame_task.h"
#include "matte/preprocess.h"
#include "roi/head.h"
#include "roi/network.h"
#include "job/job_request.h"
#include "roi/roi_plan.h"
#include "roi/state_store.h"

#define PLACES 32
#define STATE_RUN 4       /* consecutive frames of a network with states; that many fewer places */
#define CHECK_EVERY 4
#define MAX_CHECKS 32

struct check {
	float *inputs;    /* all inputs of the session, one after the other */
	float *alpha;     /* of fp32 */
};

struct calibrating {
	const struct vrs_settings *settings;
	struct vrs_network network;
	struct vrs_session *session;
	struct vrs_head *head;
	struct vrs_state_store *states; /* a slot for each eye */
	struct vrs_arena states_arena;
	struct vrs_calibrator *calibrator;
	struct vrs_arena arena; /* of the checks */
	struct check checks[MAX_CHECKS];
	int check_count;
	bool checks_are_samples;
	size_t input_floats, matte_floats;
};

static enum vrs_status make_float_session(struct calibrating *c, struct vrs_error *err)
{
	enum vrs_status status = vrs_network_load(&c->network, c->settings, c->settings->engine.threads, 1, err);
	if (status == VRS_OK)
		status = vrs_session_create(&c->session, c->network.model, &c->network.options, err);
	if (status == VRS_OK)
		status = vrs_head_create(&c->head, &c->network.manifest, c->session, err);
	if (status == VRS_OK)
		status = vrs_state_store_create(&c->states, &c->states_arena, c->head, VRS_MAX_EYES);
	if (status == VRS_OK)
		status = vrs_calibrator_create(&c->calibrator, c->network.model, &c->network.options, err);
	if (status != VRS_OK)
		return status;
	const struct vrs_network_shape *shape = vrs_head_shape(c->head);
	for (int i = 0; vrs_session_input(c->session, i).data; i++)
		c->input_floats += vrs_session_input(c->session, i).elements;
	return vrs_mul_size((size_t)shape->matte_width, (size_t)shape->matte_height, &c->matte_floats) ? VRS_OK : VRS_ELIMIT;
}

/* The session's inputs to an array, or back. */
static void copy_inputs(struct vrs_session *session, float *inputs, bool store)
{
	struct vrs_tensor_view in;
	for (int i = 0; (in = vrs_session_input(session, i)).data; i++, inputs += in.elements)
		memcpy(store ? inputs : in.data, store ? in.data : inputs, in.bytes);
}

/* A new check with the inputs as they are; NULL when there are enough, or no memory (*ret_status). */
static struct check *keep_check(struct calibrating *c, enum vrs_status *ret_status)
{
	if (c->check_count == MAX_CHECKS)
		return NULL;
	struct check *check = &c->checks[c->check_count++];
	check->inputs = vrs_arena_calloc(&c->arena, c->input_floats, sizeof *check->inputs);
	check->alpha = vrs_arena_calloc(&c->arena, c->matte_floats, sizeof *check->alpha);
	if (c->arena.failed) {
		*ret_status = VRS_ENOMEM;
		return NULL;
	}
	copy_inputs(c->session, check->inputs, true);
	return check;
}

static enum vrs_status add_sample(struct calibrating *c, struct vrs_error *err)
{
	for (int i = 0; vrs_session_input(c->session, i).data; i++) {
		struct vrs_tensor_view from = vrs_session_input(c->session, i), to = vrs_calibrator_input(c->calibrator, i);
		memcpy(to.data, from.data, from.bytes < to.bytes ? from.bytes : to.bytes);
	}
	return vrs_calibrator_add(c->calibrator, err);
}

/* The picture of one eye is in the session's input: a sample, a check, or both at the first place until a place is left out. */
static enum vrs_status take_eye(struct calibrating *c, int place, float *alpha, int eye, struct vrs_error *err)
{
	bool left_out = place % CHECK_EVERY == CHECK_EVERY - 1;
	struct check *check = NULL;
	enum vrs_status status = VRS_OK;
	if (left_out && c->checks_are_samples) {
		vrs_arena_free(&c->arena);
		c->check_count = 0;
		c->checks_are_samples = false;
	}
	if (left_out || place == 0)
		check = keep_check(c, &status);
	if (place == 0)
		c->checks_are_samples = true;
	if (status == VRS_OK && !left_out)
		status = add_sample(c, err);
	if (status == VRS_OK)
		status = vrs_session_run(c->session, err);
	if (status == VRS_OK) {
		vrs_head_matte(c->head, 0, alpha);
		vrs_state_store_hold(c->states, 0, eye);
		vrs_state_store_commit(c->states, eye);
		if (check)
			memcpy(check->alpha, alpha, c->matte_floats * sizeof *alpha);
	}
	return status;
}

static enum vrs_status take_frame(struct calibrating *c, const struct vrs_frame_sample *sample, float *alpha, struct vrs_error *err)
{
	const struct vrs_manifest *manifest = &c->network.manifest;
	const struct vrs_network_shape *shape = vrs_head_shape(c->head);
	const struct vrs_picture_format *format = &sample->frame.format;
	struct vrs_layout layout;
	enum vrs_status status = vrs_input_layout(&layout, c->settings, sample->info, sample->name, err);
	for (int eye = 0; status == VRS_OK && eye < vrs_layout_eyes(&layout); eye++) {
		struct vrs_preprocess_options options = {.format = *format, .rect = vrs_view_rect(&layout, c->settings, format, eye),
			.eye = vrs_layout_eye(&layout, format->width, format->height, eye), .width = shape->input_width,
			.height = shape->input_height, .bgr = manifest->bgr};
		struct vrs_arena arena = {0};
		struct vrs_preprocess *pre;
		memcpy(options.mean, manifest->mean, sizeof options.mean);
		memcpy(options.scale, manifest->scale, sizeof options.scale);
		status = vrs_preprocess_create(&pre, &arena, &options);
		if (status == VRS_OK) {
			vrs_preprocess_run(pre, &sample->frame, vrs_head_input(c->head), NULL);
			if (sample->first)
				vrs_state_store_clear(c->states, eye);
			vrs_state_store_load(c->states, 0, eye, NULL);
			status = take_eye(c, sample->place, alpha, eye, err);
		}
		vrs_arena_free(&arena);
	}
	return status;
}

/* The input size that jobs with this input have. */
static enum vrs_status settle_size(struct vrs_settings *settings, const char *input, struct vrs_error *err)
{
	struct vrs_frame_samples *samples = NULL;
	struct vrs_frame_sample first;
	struct vrs_layout layout;
	struct vrs_manifest manifest;
	enum vrs_status status = vrs_manifest_load(&manifest, settings->engine.model, err);
	if (status != VRS_OK || (!manifest.vr_size[0][0] && !manifest.flat_size[0][0]))
		return status; /* the same size in all pictures */
	status = vrs_frame_samples_open(&samples, settings, input, 1, 1, err);
	if (status == VRS_OK)
		status = vrs_frame_samples_next(samples, &first, err);
	if (status == VRS_OK) {
		status = vrs_input_layout(&layout, settings, first.info, first.name, err);
		if (status == VRS_OK)
			status = vrs_roi_settle_size(settings, &layout, &first.frame.format, err);
		vrs_frame_unref(&first.frame);
	}
	vrs_frame_samples_close(samples);
	return status == VRS_END ? VRS_OK : status; /* without frames: told below */
}

static enum vrs_status take_samples(struct calibrating *c, const char *input, struct vrs_error *err)
{
	int run = c->network.manifest.state_count ? STATE_RUN : 1;
	struct vrs_frame_samples *samples = NULL;
	float *alpha = vrs_calloc(c->matte_floats, sizeof *alpha);
	enum vrs_status status = alpha ? vrs_frame_samples_open(&samples, c->settings, input, PLACES / run, run, err) : VRS_ENOMEM;
	while (status == VRS_OK) {
		struct vrs_frame_sample sample;
		status = vrs_frame_samples_next(samples, &sample, err);
		if (status == VRS_OK) {
			status = take_frame(c, &sample, alpha, err);
			vrs_frame_unref(&sample.frame);
		}
	}
	vrs_frame_samples_close(samples);
	vrs_free(alpha);
	if (status == VRS_END && c->check_count == 0)
		return vrs_fail(err, VRS_ECONFIG, "%s has no frames to calibrate with", input);
	return status == VRS_END ? VRS_OK : status;
}

/* Intersection over union at 0.5; 1 where both are empty. */
static double overlap(const float *a, const float *b, size_t count)
{
	size_t both = 0, either = 0;
	for (size_t i = 0; i < count; i++) {
		bool in_a = a[i] >= 0.5f, in_b = b[i] >= 0.5f;
		both += in_a && in_b;
		either += in_a || in_b;
	}
	return either ? (double)both / (double)either : 1;
}

static enum vrs_status compare(struct calibrating *c, const struct vrs_calibration *calibration, enum vrs_precision precision, double *ret_iou,
			       double *ret_worst, struct vrs_error *err)
{
	struct vrs_session_options options = c->network.options;
	struct vrs_session *session = NULL;
	struct vrs_head *head = NULL;
	float *alpha = vrs_calloc(c->matte_floats, sizeof *alpha);
	options.precision = precision;
	options.calibration = calibration;
	enum vrs_status status = alpha ? vrs_session_create(&session, c->network.model, &options, err) : VRS_ENOMEM;
	if (status == VRS_OK)
		status = vrs_head_create(&head, &c->network.manifest, session, err);
	double sum = 0;
	*ret_worst = 1;
	for (int i = 0; i < c->check_count && status == VRS_OK; i++) {
		copy_inputs(session, c->checks[i].inputs, false);
		status = vrs_session_run(session, err);
		if (status == VRS_OK) {
			vrs_head_matte(head, 0, alpha);
			double iou = overlap(alpha, c->checks[i].alpha, c->matte_floats);
			sum += iou;
			*ret_worst = fmin(*ret_worst, iou);
		}
	}
	vrs_head_destroy(head);
	vrs_session_destroy(session);
	vrs_free(alpha);
	*ret_iou = c->check_count ? sum / c->check_count : NAN;
	return status;
}

static enum vrs_status finish(struct calibrating *c, struct vrs_calibration_report *report, struct vrs_error *err)
{
	struct vrs_calibration_settings settings = vrs_calibration_settings_default();
	struct vrs_calibration *calibration = NULL;
	const struct vrs_session_options *options = &c->network.options;
	const struct vrs_network_shape *shape = vrs_head_shape(c->head);
	double worst;
	enum vrs_status status = vrs_calibrator_finish(c->calibrator, &settings, &calibration, err);
	if (status == VRS_OK)
		status = compare(c, calibration, VRS_PRECISION_INT8, &report->int8_iou, &worst, err);
	if (status == VRS_OK && !c->checks_are_samples)
		vrs_calibration_set_check(calibration, c->check_count, report->int8_iou, worst);
	if (status == VRS_OK)
		status = compare(c, calibration, VRS_PRECISION_MIXED, &report->mixed_iou, &worst, err);
	if (status == VRS_OK)
		status = vrs_calibration_store_path(c->network.model, c->network.manifest.content, options, report->path, sizeof report->path,
						    err);
	if (status == VRS_OK)
		status = vrs_calibration_save(calibration, report->path, err);
	if (status == VRS_OK)
		report->info = vrs_calibration_info(calibration);
	vrs_calibration_destroy(calibration);
	(void)vrs_strcpy(report->network, sizeof report->network, c->network.manifest.name); /* only shown */
	report->width = shape->input_width;
	report->height = shape->input_height;
	report->checks = c->check_count;
	report->checks_are_samples = c->checks_are_samples;
	return status;
}

enum vrs_status vrs_calibrate_input(const struct vrs_settings *settings, const char *input, struct vrs_calibration_report *ret_report,
				    struct vrs_error *err)
{
	struct vrs_settings in_float = *settings;
	struct calibrating *c = vrs_calloc(1, sizeof *c);
	struct vrs_error local = {0};
	in_float.engine.precision = VRS_PRECISION_FP32;
	(void)vrs_strcpy(in_float.engine.backend, sizeof in_float.engine.backend, "cpu"); /* whose plan a calibration is of */
	memset(ret_report, 0, sizeof *ret_report);
	if (!c)
		return vrs_fail_nomem(err);
	c->settings = &in_float;
	enum vrs_status status = VRS_OK;
	if (vrs_source_reads_once(input))
		status = vrs_fail(&local, VRS_ECONFIG, "a calibration needs a file or a folder; %s cannot be read twice", vrs_source_words(input));
	if (status == VRS_OK)
		status = vrs_network_settle_name(&in_float, &local);
	if (status == VRS_OK)
		status = settle_size(&in_float, input, &local);
	if (status == VRS_OK)
		status = make_float_session(c, &local);
	if (status == VRS_OK)
		status = take_samples(c, input, &local);
	if (status == VRS_OK)
		status = finish(c, ret_report, &local);
	vrs_arena_free(&c->arena);
	vrs_arena_free(&c->states_arena);
	vrs_calibrator_destroy(c->calibrator);
	vrs_head_destroy(c->head);
	vrs_session_destroy(c->session);
	vrs_network_fini(&c->network);
	vrs_free(c);
	if (status != VRS_OK && !local.text[0])
		vrs_fail(&local, status, "cannot calibrate with %s: %s", input, vrs_status_str(status));
	if (status != VRS_OK && err)
		*err = local;
	return status;
}
