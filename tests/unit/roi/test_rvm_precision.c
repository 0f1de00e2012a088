/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what 16 and 8 bits cost Robust Video Matting, on its real weights with states of its own in each precision: over 300 frames of a person the
 * mattes keep the IoU with those of fp32, and neither states nor mattes move away from fp32 as time goes on.  "test_rvm_precision 2000" is the same
 * over 2,000 frames, as a night test.
 *
 * The frames are those of the flat clip, forth and back, each a part of the picture at another place, so that no two are the same.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <vrseg/calibration.h>

#include "matte/preprocess.h"
#include "unit/roi/rvm_stream.h"
#include "video/source.h"

#define SIDE 128
#define PIXELS (SIDE * SIDE)
#define FRAMES 300
#define CLIP_FRAMES 60
#define WARM_UP 60     /* frames that the error of states needs to settle */
#define SAMPLES 16     /* of the calibration, SAMPLE_STEP frames apart */
#define SAMPLE_STEP 7

static int frame_count = FRAMES;

/* The decoded clip, and what makes a picture of a part of one of its frames. */
struct clip {
	struct vrs_frame frames[CLIP_FRAMES];
	struct vrs_arena arena;
	struct vrs_preprocess *preprocess;
};

/* What a precision may lose: what was measured over 2,000 frames on AVX-512, and half as much again. */
struct way {
	enum vrs_precision precision;
	double iou, worst_iou; /* with fp32, mean and worst frame */
};

struct comparison {
	struct rvm_stream stream;
	double iou, worst;
	double *error; /* [frame_count] RMS of states and matte to fp32's, relative */
};

static void clip_open(struct clip *clip)
{
	const struct vrs_source_options source_options = {.threads = 1};
	struct vrs_source *source;
	struct vrs_error err = {0};

	memset(clip, 0, sizeof *clip);
	if (vrs_source_open(&source, VRS_TEST_DIR "/data/person_flat.mp4", &source_options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	for (int i = 0; i < CLIP_FRAMES; i++)
		assert_int_equal(vrs_source_read(source, &clip->frames[i], &err), VRS_OK);
	struct vrs_preprocess_options options = {.format = clip->frames[0].format, .rect = {0, 0, 480, 480}, .width = SIDE, .height = SIDE,
		.scale = {1, 1, 1}};
	assert_int_equal(vrs_preprocess_create(&clip->preprocess, &clip->arena, &options), VRS_OK);
	vrs_source_close(source);
}

static void clip_close(struct clip *clip)
{
	for (int i = 0; i < CLIP_FRAMES; i++)
		vrs_frame_unref(&clip->frames[i]);
	vrs_arena_free(&clip->arena);
}

static void clip_draw(struct clip *clip, int frame, float *picture)
{
	int at = frame % (2 * CLIP_FRAMES), place = 80 + (int)lrint(78 * sin(frame * 0.0713));
	struct vrs_rect rect = {place & ~1, 0, 480, 480};

	assert_int_equal(vrs_preprocess_place(clip->preprocess, &rect), VRS_OK);
	vrs_preprocess_run(clip->preprocess, &clip->frames[at < CLIP_FRAMES ? at : 2 * CLIP_FRAMES - 1 - at], picture, NULL);
}

static struct vrs_session_options options_of(enum vrs_precision precision, const struct vrs_calibration *calibration)
{
	struct vrs_session_options options = vrs_session_options_default();

	options.precision = precision;
	options.calibration = calibration;
	options.half_min_bytes = precision == VRS_PRECISION_FP32 ? -1 : 0; /* 16 bits wherever they can be */
	options.threads = 1;
	return options;
}

static struct vrs_calibration *calibrate(const struct rvm_network *network, struct clip *clip)
{
	struct vrs_calibration_settings settings = vrs_calibration_settings_default();
	struct vrs_session_options options = options_of(VRS_PRECISION_FP32, NULL);
	struct vrs_calibration *calibration;
	struct vrs_calibrator *calibrator;
	struct vrs_error err = {0};
	struct rvm_stream stream;

	rvm_stream_open(&stream, network, options);
	options.pictures_nhwc = true;
	options.input_shapes = network->inputs.shapes;
	options.input_values = network->inputs.values;
	options.input_shape_count = network->inputs.count;
	assert_int_equal(vrs_calibrator_create(&calibrator, network->model, &options, &err), VRS_OK);
	for (int frame = 0; frame < SAMPLES * SAMPLE_STEP; frame++) {
		clip_draw(clip, frame, stream.src.data);
		for (int k = 0; frame % SAMPLE_STEP == 0 && vrs_calibrator_input(calibrator, k).data; k++) {
			struct vrs_tensor_view to = vrs_calibrator_input(calibrator, k);
			memcpy(to.data, rvm_tensor(stream.session, true, to.name).data, to.bytes);
		}
		if (frame % SAMPLE_STEP == 0)
			assert_int_equal(vrs_calibrator_add(calibrator, &err), VRS_OK);
		rvm_stream_run(&stream);
	}
	if (vrs_calibrator_finish(calibrator, &settings, &calibration, &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_calibrator_destroy(calibrator);
	rvm_stream_close(&stream);
	return calibration;
}

static double overlap(const float *a, const float *b)
{
	int both = 0, either = 0;

	for (int i = 0; i < PIXELS; i++) {
		both += a[i] >= 0.5f && b[i] >= 0.5f;
		either += a[i] >= 0.5f || b[i] >= 0.5f;
	}
	assert_true(either > PIXELS / 20); /* the person is seen */
	return (double)both / either;
}

static void add_error(const struct vrs_tensor_view *want, const struct vrs_tensor_view *got, double *difference, double *magnitude)
{
	for (size_t i = 0; i < want->elements; i++) {
		double d = (double)got->data[i] - (double)want->data[i];
		*difference += d * d;
		*magnitude += (double)want->data[i] * (double)want->data[i];
	}
}

static void compare(struct comparison *c, const struct rvm_stream *exact, int frame)
{
	double iou = overlap(c->stream.pha.data, exact->pha.data), difference = 0, magnitude = 0;

	c->iou += iou / frame_count;
	c->worst = frame == 0 || iou < c->worst ? iou : c->worst;
	for (int k = 0; k < RVM_STATES; k++)
		add_error(&exact->state_out[k], &c->stream.state_out[k], &difference, &magnitude);
	add_error(&exact->pha, &c->stream.pha, &difference, &magnitude);
	c->error[frame] = sqrt(difference / magnitude);
}

static double mean(const double *values, int first, int end)
{
	double sum = 0;

	for (int i = first; i < end; i++)
		sum += values[i];
	return sum / (end - first);
}

/* Is the error no larger at the end than at the beginning?  Both are means over a turn of the clip and more. */
static bool stays(const struct comparison *c, const char *name)
{
	int window = 2 * CLIP_FRAMES;
	double early = mean(c->error, WARM_UP, WARM_UP + window), late = mean(c->error, frame_count - window, frame_count);

	print_message("%-6s IoU %.5f, worst %.5f; error %.2e, then %.2e\n", name, c->iou, c->worst, early, late);
	return isfinite(late) && early > 0 && late <= 1.15 * early;
}

static void precisions_keep_the_matte(void **state)
{
	static const struct way ways[] = {
		{VRS_PRECISION_FP16, 0.9999, 0.999}, {VRS_PRECISION_BF16, 0.999, 0.9945}, {VRS_PRECISION_INT8, 0.9915, 0.96},
		{VRS_PRECISION_MIXED, 0.995, 0.976},
	};
	struct comparison comparisons[sizeof ways / sizeof *ways] = {0};
	const size_t count = sizeof ways / sizeof *ways;
	struct rvm_network network;
	struct rvm_stream exact;
	struct clip clip;
	bool good = true;

	(void)state;
	clip_open(&clip);
	rvm_network_open(&network, SIDE, SIDE);
	struct vrs_calibration *calibration = calibrate(&network, &clip);
	rvm_stream_open(&exact, &network, options_of(VRS_PRECISION_FP32, NULL));
	for (size_t i = 0; i < count; i++) {
		rvm_stream_open(&comparisons[i].stream, &network, options_of(ways[i].precision, calibration));
		comparisons[i].error = calloc((size_t)frame_count, sizeof *comparisons[i].error);
		assert_non_null(comparisons[i].error);
	}
	for (int frame = 0; frame < frame_count; frame++) {
		clip_draw(&clip, frame, exact.src.data);
		for (size_t i = 0; i < count; i++)
			memcpy(comparisons[i].stream.src.data, exact.src.data, exact.src.bytes);
		rvm_stream_run(&exact);
		for (size_t i = 0; i < count; i++) {
			rvm_stream_run(&comparisons[i].stream);
			compare(&comparisons[i], &exact, frame);
		}
	}
	for (size_t i = 0; i < count; i++) {
		good = stays(&comparisons[i], vrs_precision_name(ways[i].precision)) && good;
		good = comparisons[i].iou >= ways[i].iou && comparisons[i].worst >= ways[i].worst_iou && good;
		rvm_stream_close(&comparisons[i].stream);
		free(comparisons[i].error);
	}
	assert_true(good);
	rvm_stream_close(&exact);
	vrs_calibration_destroy(calibration);
	rvm_network_close(&network);
	clip_close(&clip);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(precisions_keep_the_matte),
	};

	if (!rvm_is_there())
		return 77;
	if (argc > 1)
		frame_count = atoi(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
