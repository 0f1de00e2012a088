/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards that recurrent networks do not drift: with their states fed back for 2,000 frames of a moving picture, the error of states and outputs in
 * fp16, bf16, int8 and mixed against fp32, each with states of its own, has no slope.  A stream whose states are given a leak must be found out.
 *
 * Error of a frame: root mean square of the difference over that of the fp32 values.  Means over blocks of BLOCK frames (longer than the memory of
 * motion and network) are fitted by a line; there is drift if its slope is positive by more than four times its standard error.
 *
 * The network is the small one of tests/golden (four states, GRUs, random weights).  VRS_DRIFT_NETWORK=FILE.onnx and VRS_DRIFT_FRAMES=N in the
 * environment take another one with inputs src, rKi and outputs rKo; VRS_TEST_VERBOSE prints the fits.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vrseg/calibration.h>

#include "base/rng.h"

#define FRAMES 2000
#define WARM_UP 80     /* frames until the states have forgotten the zeros that they start from */
#define BLOCK 48
#define MAX_STATES 8
#define SAMPLES 12     /* for int8, SAMPLE_STEP frames apart */
#define SAMPLE_STEP 9

struct stream {
	const char *name;
	struct vrs_session *session;
	struct vrs_tensor_view src, state_in[MAX_STATES], state_out[MAX_STATES], out;
	int states;
	double leak;           /* added to the states, times the number of the frame */
	double *state_error, *out_error; /* [frames] */
};

struct scene {
	struct vrs_rng rng;
	double x, y, light;    /* of the disc, as parts of the picture */
};

struct fit {
	double mean, slope, error; /* of the mean, a frame; standard error of the slope */
};

static int frame_count(void)
{
	const char *text = getenv("VRS_DRIFT_FRAMES");
	int frames = text ? atoi(text) : FRAMES;
	return frames < WARM_UP + 4 * BLOCK ? WARM_UP + 4 * BLOCK : frames;
}

static struct vrs_model *load_network(void)
{
	const char *path = getenv("VRS_DRIFT_NETWORK");
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	if (vrs_model_load(&model, path ? path : VRS_TEST_DIR "/golden/networks/rvm/model.onnx", &err) != VRS_OK)
		fail_msg("%s", err.text);
	return model;
}

static double noise(struct vrs_rng *rng)
{
	return vrs_rng_unit(rng) * 2 - 1;
}

/* A disc on its way over a background that pans; both jitter, so that no two frames are the same. */
static void scene_next(struct scene *scene, int frame)
{
	scene->x = 0.5 + 0.3 * sin(frame * 0.131) + 0.1 * sin(frame * 0.477) + 0.02 * noise(&scene->rng);
	scene->y = 0.5 + 0.2 * sin(frame * 0.207 + 1) + 0.02 * noise(&scene->rng);
	scene->light = 1 + 0.1 * sin(frame * 0.311) + 0.03 * noise(&scene->rng);
}

/* view is [1][3][H][W]. */
static void scene_draw(const struct scene *scene, int frame, struct vrs_tensor_view view)
{
	int height = view.dims[2], width = view.dims[3];
	for (int c = 0; c < 3; c++) {
		for (int y = 0; y < height; y++) {
			for (int x = 0; x < width; x++) {
				double u = (x + 0.5) / width, v = (y + 0.5) / height, dx = (u - scene->x) * 2, dy = v - scene->y;
				double back = 0.4 + 0.25 * sin(9 * u + 5 * v + c + 0.05 * frame), disc = 0.75 - 0.2 * c;
				double inside = 1 / (1 + exp((sqrt(dx * dx + dy * dy) - 0.25) * 40));
				view.data[((ptrdiff_t)c * height + y) * width + x] = (float)(scene->light * (back + inside * (disc - back)));
			}
		}
	}
}

static struct vrs_tensor_view find_view(struct vrs_session *session, bool input, const char *name)
{
	for (int i = 0;; i++) {
		struct vrs_tensor_view view = input ? vrs_session_input(session, i) : vrs_session_output(session, i);
		if (!view.data || strcmp(view.name, name) == 0)
			return view;
	}
}

static void stream_open(struct stream *s, const struct vrs_model *model, enum vrs_precision precision, const struct vrs_calibration *calibration)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_error err = {0};
	memset(s, 0, sizeof *s);
	s->name = vrs_precision_name(precision);
	options.precision = precision;
	options.calibration = calibration;
	options.half_min_bytes = 0; /* 16 bits wherever they can be, not only where it pays */
	options.threads = getenv("VRS_DRIFT_NETWORK") ? 0 : 1;
	if (vrs_session_create(&s->session, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	s->src = find_view(s->session, true, "src");
	s->out = find_view(s->session, false, "fgr_pha");
	assert_true(s->src.data && s->src.rank == 4 && s->out.data);
	for (; s->states < MAX_STATES; s->states++) {
		char in[16], out[16];
		snprintf(in, sizeof in, "r%di", s->states + 1);
		snprintf(out, sizeof out, "r%do", s->states + 1);
		struct vrs_tensor_view view = find_view(s->session, true, in);
		if (!view.data)
			break;
		s->state_in[s->states] = view;
		s->state_out[s->states] = find_view(s->session, false, out);
		assert_int_equal(s->state_out[s->states].elements, view.elements);
		memset(view.data, 0, view.bytes);
	}
	assert_true(s->states > 0);
	s->state_error = calloc((size_t)frame_count(), sizeof(double));
	s->out_error = calloc((size_t)frame_count(), sizeof(double));
	assert_true(s->state_error && s->out_error);
}

static void stream_close(struct stream *s)
{
	vrs_session_destroy(s->session);
	free(s->state_error);
	free(s->out_error);
}

static void stream_run(struct stream *s, const float *picture)
{
	struct vrs_error err = {0};
	memcpy(s->src.data, picture, s->src.bytes);
	if (vrs_session_run(s->session, &err) != VRS_OK)
		fail_msg("%s", err.text);
}

/* What the frame leaves is what the next one starts from. */
static void stream_feed_back(struct stream *s, int frame)
{
	for (int k = 0; k < s->states; k++) {
		struct vrs_tensor_view to = s->state_in[k];
		memcpy(to.data, s->state_out[k].data, to.bytes);
		for (size_t i = 0; s->leak > 0 && i < to.elements; i++)
			to.data[i] += (float)(s->leak * frame);
	}
}

/* Squared difference and magnitude of two tensors, added up. */
static void add_error(struct vrs_tensor_view want, struct vrs_tensor_view got, double *difference, double *magnitude)
{
	for (size_t i = 0; i < want.elements; i++) {
		double d = (double)got.data[i] - (double)want.data[i];
		*difference += d * d;
		*magnitude += (double)want.data[i] * (double)want.data[i];
	}
}

static void stream_compare(struct stream *s, const struct stream *exact, int frame)
{
	double difference = 0, magnitude = 0;
	for (int k = 0; k < s->states; k++)
		add_error(exact->state_out[k], s->state_out[k], &difference, &magnitude);
	s->state_error[frame] = sqrt(difference / magnitude);
	difference = magnitude = 0;
	add_error(exact->out, s->out, &difference, &magnitude);
	s->out_error[frame] = sqrt(difference / magnitude);
}

/* Least squares through the means of blocks. */
static struct fit fit_line(const double *values, int frames)
{
	int blocks = (frames - WARM_UP) / BLOCK;
	double mean_x = (blocks - 1) / 2.0, xx = 0, xy = 0, rest = 0;
	double *y = calloc((size_t)blocks, sizeof *y);
	struct fit fit = {0, 0, 0};
	assert_non_null(y);
	for (int b = 0; b < blocks; b++) {
		for (int i = 0; i < BLOCK; i++)
			y[b] += values[WARM_UP + b * BLOCK + i] / BLOCK;
		fit.mean += y[b] / blocks;
	}
	for (int b = 0; b < blocks; b++) {
		xx += (b - mean_x) * (b - mean_x);
		xy += (b - mean_x) * (y[b] - fit.mean);
	}
	for (int b = 0; b < blocks; b++) {
		double d = y[b] - fit.mean - xy / xx * (b - mean_x);
		rest += d * d;
	}
	fit.slope = xy / xx / BLOCK;
	fit.error = sqrt(rest / (blocks - 2) / xx) / BLOCK;
	free(y);
	return fit;
}

static bool drifts(const char *stream, const char *what, const double *values, int frames)
{
	struct fit fit = fit_line(values, frames);
	if (getenv("VRS_TEST_VERBOSE"))
		print_message("%-6s %-6s error %.3e, slope %+.2e +- %.1e a frame, %+.2f %% over %d frames\n", stream, what, fit.mean, fit.slope,
			      fit.error, 100 * fit.slope * (frames - WARM_UP) / fit.mean, frames - WARM_UP);
	assert_true(isfinite(fit.mean) && fit.mean > 0); /* another precision that gives the same bits was not tested */
	return fit.slope > 4 * fit.error;
}

/* Ranges and sensitive layers from frames of the fp32 network, states among them. */
static struct vrs_calibration *calibrate(const struct vrs_model *model, float *picture)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_calibration_settings settings = vrs_calibration_settings_default();
	struct vrs_calibrator *calibrator;
	struct vrs_calibration *calibration = NULL;
	struct vrs_error err = {0};
	struct stream exact;
	struct scene scene;
	vrs_rng_init(&scene.rng, 7);
	stream_open(&exact, model, VRS_PRECISION_FP32, NULL);
	assert_int_equal(vrs_calibrator_create(&calibrator, model, &options, &err), VRS_OK);
	for (int frame = 0; frame < SAMPLES * SAMPLE_STEP; frame++) {
		scene_next(&scene, frame);
		scene_draw(&scene, frame, exact.src);
		for (int k = 0; frame % SAMPLE_STEP == 0 && vrs_calibrator_input(calibrator, k).data; k++) {
			struct vrs_tensor_view to = vrs_calibrator_input(calibrator, k);
			memcpy(to.data, find_view(exact.session, true, to.name).data, to.bytes);
		}
		if (frame % SAMPLE_STEP == 0)
			assert_int_equal(vrs_calibrator_add(calibrator, &err), VRS_OK);
		memcpy(picture, exact.src.data, exact.src.bytes);
		stream_run(&exact, picture);
		stream_feed_back(&exact, frame);
	}
	if (vrs_calibrator_finish(calibrator, &settings, &calibration, &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_calibrator_destroy(calibrator);
	stream_close(&exact);
	return calibration;
}

static void run_streams(struct stream *exact, struct stream *streams, int count, float *picture, int frames)
{
	struct scene scene;
	vrs_rng_init(&scene.rng, 1);
	for (int frame = 0; frame < frames; frame++) {
		scene_next(&scene, frame);
		scene_draw(&scene, frame, exact->src);
		memcpy(picture, exact->src.data, exact->src.bytes);
		stream_run(exact, picture);
		for (int i = 0; i < count; i++) {
			stream_run(&streams[i], picture);
			stream_compare(&streams[i], exact, frame);
			stream_feed_back(&streams[i], frame);
		}
		stream_feed_back(exact, frame);
	}
}

static void test_drift(void **state)
{
	enum { FP16, BF16, INT8, MIXED, LEAK, COUNT };
	(void)state;
	struct vrs_model *model = load_network();
	struct stream exact, streams[COUNT];
	int frames = frame_count(), failures = 0;
	stream_open(&exact, model, VRS_PRECISION_FP32, NULL);
	float *picture = malloc(exact.src.bytes);
	assert_non_null(picture);
	struct vrs_calibration *calibration = calibrate(model, picture);
	stream_open(&streams[FP16], model, VRS_PRECISION_FP16, NULL);
	stream_open(&streams[BF16], model, VRS_PRECISION_BF16, NULL);
	stream_open(&streams[INT8], model, VRS_PRECISION_INT8, calibration);
	stream_open(&streams[MIXED], model, VRS_PRECISION_MIXED, calibration);
	stream_open(&streams[LEAK], model, VRS_PRECISION_FP16, NULL);
	streams[LEAK].name = "leak";
	streams[LEAK].leak = 1e-7;
	run_streams(&exact, streams, COUNT, picture, frames);
	for (int i = 0; i < COUNT; i++) {
		bool found = drifts(streams[i].name, "states", streams[i].state_error, frames);
		found = drifts(streams[i].name, "output", streams[i].out_error, frames) || found;
		if (found != (i == LEAK)) {
			print_error("%s: %s\n", streams[i].name, found ? "the error grows from frame to frame" : "a leak is not found");
			failures++;
		}
	}
	for (int i = 0; i < COUNT; i++)
		stream_close(&streams[i]);
	stream_close(&exact);
	free(picture);
	vrs_calibration_destroy(calibration);
	vrs_model_destroy(model);
	assert_int_equal(failures, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_drift)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
