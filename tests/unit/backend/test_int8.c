/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards precision int8: random networks stay near their float results and give the same bits for any number of threads, alone and in batches;
 * mixed with nothing chosen is float; a calibration of another network is refused; a file brings back what was saved.
 */
#include "random_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vrseg/calibration.h>

#include "base/file.h"
#include "graph/model_graph.h"

#define ROUNDS 60
#define SAMPLES 3

static void fill(struct vrs_tensor_view view, uint64_t seed)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, seed);
	for (size_t i = 0; i < view.elements; i++)
		view.data[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
}

static struct vrs_calibration *calibrate(const struct vrs_model *model)
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
	for (int i = 0; i < SAMPLES; i++) {
		for (int k = 0; vrs_calibrator_input(calibrator, k).data; k++)
			fill(vrs_calibrator_input(calibrator, k), (uint64_t)(10 * i + k));
		assert_int_equal(vrs_calibrator_add(calibrator, &err), VRS_OK);
	}
	assert_int_equal(vrs_calibrator_finish(calibrator, &settings, &calibration, &err), VRS_OK);
	vrs_calibrator_destroy(calibrator);
	return calibration;
}

static struct vrs_model *model_of(uint64_t seed)
{
	struct vrs_graph graph;
	struct vrs_model *model;
	struct vrs_error err = {0};
	random_graph_build(&graph, seed);
	assert_int_equal(vrs_model_from_graph(&model, &graph, "random", &err), VRS_OK);
	vrs_graph_fini(&graph);
	return model;
}

static enum vrs_status open_session(struct vrs_session **ret_session, const struct vrs_model *model, enum vrs_precision precision,
				    const struct vrs_calibration *calibration, int threads, struct vrs_error *err)
{
	struct vrs_session_options options = vrs_session_options_default();
	options.precision = precision;
	options.calibration = calibration;
	options.threads = threads;
	return vrs_session_create(ret_session, model, &options, err);
}

/* All outputs of a run over the first sample; the caller frees them. */
static float *run(const struct vrs_model *model, enum vrs_precision precision, const struct vrs_calibration *calibration, int threads,
		  size_t *ret_count)
{
	struct vrs_session *session;
	struct vrs_error err = {0};
	size_t count = 0;
	if (open_session(&session, model, precision, calibration, threads, &err) != VRS_OK)
		fail_msg("%s", err.text);
	for (int repeat = 0; repeat < 2; repeat++) {
		for (int k = 0; vrs_session_input(session, k).data; k++)
			fill(vrs_session_input(session, k), (uint64_t)k);
		assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	}
	for (int k = 0; vrs_session_output(session, k).data; k++)
		count += vrs_session_output(session, k).elements;
	float *values = calloc(count, sizeof *values), *at = values;
	for (int k = 0; vrs_session_output(session, k).data; k++) {
		struct vrs_tensor_view view = vrs_session_output(session, k);
		memcpy(at, view.data, view.elements * sizeof *at);
		at += view.elements;
	}
	vrs_session_destroy(session);
	*ret_count = count;
	return values;
}

static double relative_error(const float *want, const float *got, size_t count)
{
	double sum = 0, total = 0;
	for (size_t i = 0; i < count; i++) {
		sum += ((double)want[i] - (double)got[i]) * ((double)want[i] - (double)got[i]);
		total += (double)want[i] * (double)want[i];
	}
	return sqrt(sum / (total + 1e-9));
}

static void test_random_networks(void **state)
{
	(void)state;
	double sum = 0;
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_model *model = model_of(seed);
		struct vrs_calibration *calibration = calibrate(model);
		size_t count;
		float *want = run(model, VRS_PRECISION_FP32, NULL, 1, &count), *got = run(model, VRS_PRECISION_INT8, calibration, 1, &count);
		double error = relative_error(want, got, count);
		if (getenv("VRS_TEST_VERBOSE"))
			print_message("seed %llu: relative error %.4f\n", (unsigned long long)seed, error);
		sum += error;
		assert_true(error < 0.05);
		for (int threads = 2; threads <= 5; threads++) {
			float *more = run(model, VRS_PRECISION_INT8, calibration, threads, &count);
			assert_memory_equal(got, more, count * sizeof *got);
			free(more);
		}
		free(want);
		free(got);
		vrs_calibration_destroy(calibration);
		vrs_model_destroy(model);
	}
	print_message("mean relative error %.4f\n", sum / ROUNDS);
	assert_true(sum / ROUNDS < 0.01);
}

static void test_refusals(void **state)
{
	(void)state;
	struct vrs_model *model = model_of(3), *other = model_of(4);
	struct vrs_calibration *calibration = calibrate(model);
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	assert_int_equal(open_session(&session, other, VRS_PRECISION_INT8, calibration, 1, &err), VRS_EINVAL);
	assert_non_null(strstr(err.text, "calibrate again"));
	assert_int_equal(open_session(&session, model, VRS_PRECISION_MIXED, NULL, 1, &err), VRS_EINVAL);
	assert_non_null(strstr(err.text, "needs a calibration"));
	vrs_calibration_destroy(calibration);
	vrs_model_destroy(model);
	vrs_model_destroy(other);
}

/* Saved and loaded again it gives the same bits; a damaged file and one of another network are refused. */
static void test_file(void **state)
{
	static const char path[] = VRS_BUILD_DIR "/test_int8.json", damaged[] = "{\"format\": \"vrseg-calibration\", \"version\": 1, \"ranges\": [1, 2]}";
	(void)state;
	struct vrs_model *model = model_of(3), *other = model_of(4);
	struct vrs_calibration *calibration = calibrate(model), *loaded = NULL;
	struct vrs_error err = {0};
	size_t count;
	assert_int_equal(vrs_calibration_save(calibration, path, &err), VRS_OK);
	assert_int_equal(vrs_calibration_load(&loaded, path, model, &err), VRS_OK);
	float *want = run(model, VRS_PRECISION_INT8, calibration, 1, &count), *got = run(model, VRS_PRECISION_INT8, loaded, 1, &count);
	assert_memory_equal(want, got, count * sizeof *want);
	assert_int_equal(vrs_calibration_info(loaded).samples, SAMPLES);
	assert_int_equal(vrs_calibration_info(loaded).layers, vrs_calibration_info(calibration).layers);
	vrs_calibration_destroy(loaded);
	if (vrs_model_info(model).hash != vrs_model_info(other).hash)
		assert_int_equal(vrs_calibration_load(&loaded, path, other, &err), VRS_EINVAL);
	assert_int_equal(vrs_file_replace(path, damaged, strlen(damaged), &err), VRS_OK);
	assert_int_equal(vrs_calibration_load(&loaded, path, model, &err), VRS_EFORMAT);
	assert_non_null(strstr(err.text, "damaged"));
	free(want);
	free(got);
	vrs_calibration_destroy(calibration);
	vrs_model_destroy(model);
	vrs_model_destroy(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_networks), cmocka_unit_test(test_refusals), cmocka_unit_test(test_file)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
