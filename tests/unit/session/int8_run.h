/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network calibrated on random inputs, and its outputs in some precision. */
#ifndef TESTS_INT8_RUN_H
#define TESTS_INT8_RUN_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vrseg/calibration.h>
#include <vrseg/session.h>

#include "base/rng.h"

#define INT8_SAMPLES 3

static inline void int8_fill(struct vrs_tensor_view view, uint64_t seed)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, seed);
	for (size_t i = 0; i < view.elements; i++)
		view.data[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
}

static inline struct vrs_calibration *int8_calibrate(const struct vrs_model *model)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_calibration_settings settings = vrs_calibration_settings_default();
	struct vrs_calibrator *calibrator;
	struct vrs_calibration *calibration;
	struct vrs_error err = {0};
	settings.find_mixed = false;
	settings.method = VRS_RANGE_MINMAX;
	assert_int_equal(vrs_calibrator_create(&calibrator, model, &options, &err), VRS_OK);
	assert_int_equal(vrs_calibrator_finish(calibrator, &settings, &calibration, &err), VRS_EINVAL);
	for (int i = 0; i < INT8_SAMPLES; i++) {
		for (int k = 0; vrs_calibrator_input(calibrator, k).data; k++)
			int8_fill(vrs_calibrator_input(calibrator, k), (uint64_t)(10 * i + k));
		assert_int_equal(vrs_calibrator_add(calibrator, &err), VRS_OK);
	}
	assert_int_equal(vrs_calibrator_finish(calibrator, &settings, &calibration, &err), VRS_OK);
	vrs_calibrator_destroy(calibrator);
	return calibration;
}

static inline enum vrs_status int8_open_session(struct vrs_session **ret_session, const struct vrs_model *model, enum vrs_precision precision,
						const struct vrs_calibration *calibration, int threads, struct vrs_error *err)
{
	struct vrs_session_options options = vrs_session_options_default();
	options.precision = precision;
	options.calibration = calibration;
	options.threads = threads;
	return vrs_session_create(ret_session, model, &options, err);
}

/* All outputs of a run over the first sample; the caller frees them. */
static inline float *int8_run(const struct vrs_model *model, enum vrs_precision precision, const struct vrs_calibration *calibration, int threads,
			      size_t *ret_count)
{
	struct vrs_session *session;
	struct vrs_error err = {0};
	size_t count = 0;
	if (int8_open_session(&session, model, precision, calibration, threads, &err) != VRS_OK)
		fail_msg("%s", err.text);
	for (int repeat = 0; repeat < 2; repeat++) {
		for (int k = 0; vrs_session_input(session, k).data; k++)
			int8_fill(vrs_session_input(session, k), (uint64_t)k);
		assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	}
	for (int k = 0; vrs_session_output(session, k).data; k++)
		count += vrs_session_output(session, k).elements;
	float *values = calloc(count, sizeof *values), *at = values; /* libc: test scratch */
	for (int k = 0; vrs_session_output(session, k).data; k++) {
		struct vrs_tensor_view view = vrs_session_output(session, k);
		memcpy(at, view.data, view.elements * sizeof *at);
		at += view.elements;
	}
	vrs_session_destroy(session);
	*ret_count = count;
	return values;
}

static inline double int8_relative_error(const float *want, const float *got, size_t count)
{
	double sum = 0, total = 0;
	for (size_t i = 0; i < count; i++) {
		sum += ((double)want[i] - (double)got[i]) * ((double)want[i] - (double)got[i]);
		total += (double)want[i] * (double)want[i];
	}
	return sqrt(sum / (total + 1e-9));
}

#endif
