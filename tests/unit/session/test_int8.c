/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards precision int8: random networks stay near their float results and give the same bits for any number of threads, alone and in batches;
 * pools and concats between layers of bytes stay bytes; mixed with nothing chosen is float; a calibration of another network is refused before it
 * is read; layers with weights that are no numbers stay float; a file brings back what was saved; precision auto with a calibration that passed
 * keeps all outputs; a calibrator refuses the options that a session refuses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/file.h"
#include "graph/model_graph.h"
#include "graph/quant.h"
#include "unit/backend/random_graph.h"
#include "unit/backend/node_check.h"
#include "unit/graph/graph_builder.h"
#include "unit/session/int8_run.h"

#define ROUNDS 60

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

/* The options are those of a session, and so are their ranges. */
static void test_options_of_a_calibrator(void **state)
{
	static const struct {
		int batch, affinity, width;
	} bad[] = {{0, 0, 0}, {257, 0, 0}, {-1, 0, 0}, {100000, 0, 0}, {1, 9, 0}, {1, 0, -4}};
	struct vrs_model *model = model_of(1);
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct vrs_session_options options = vrs_session_options_default();
		struct vrs_calibrator *calibrator = NULL;
		struct vrs_error err = {0};
		options.batch = bad[i].batch;
		options.affinity = (enum vrs_affinity)bad[i].affinity;
		options.input_width = bad[i].width;
		assert_int_equal(vrs_calibrator_create(&calibrator, model, &options, &err), VRS_EINVAL);
		assert_true(err.text[0] != '\0');
		assert_null(calibrator);
	}
	vrs_model_destroy(model);
}

static void test_random_networks(void **state)
{
	(void)state;
	double sum = 0;
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_model *model = model_of(seed);
		struct vrs_calibration *calibration = int8_calibrate(model);
		size_t count;
		float *want = int8_run(model, VRS_PRECISION_FP32, NULL, 1, &count), *got = int8_run(model, VRS_PRECISION_INT8, calibration, 1, &count);
		double error = int8_relative_error(want, got, count);
		if (getenv("VRS_TEST_VERBOSE"))
			print_message("seed %llu: relative error %.4f\n", (unsigned long long)seed, error);
		sum += error;
		assert_true(error < 0.05);
		for (int threads = 2; threads <= 5; threads++) {
			float *more = int8_run(model, VRS_PRECISION_INT8, calibration, threads, &count);
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

static int32_t add_conv(struct vrs_graph *graph, int32_t x, int out, int kernel, uint64_t seed)
{
	struct vrs_node node;
	int64_t in = graph->tensors[x].dims[3];
	vrs_node_init(&node, VRS_OP_CONV, "conv");
	node.inputs = 2;
	node.in[0] = x;
	node.in[1] = node_const(graph, 4, (const int64_t[]){out, kernel, kernel, in}, 1.7 / sqrt((double)(kernel * kernel * in)), seed);
	node.act = VRS_ACT_RELU;
	node.u.window.kernel_h = node.u.window.kernel_w = kernel;
	node.u.window.same = true;
	return node_emit(graph, &node, VRS_F32);
}

/* conv -> max pool -> conv, beside it another conv of the pool, both concatenated -> conv. */
static struct vrs_model *pool_and_concat(int kernel, int stride, bool same)
{
	struct vrs_graph graph;
	struct vrs_model *model;
	struct vrs_node pool, concat;
	struct vrs_error err = {0};
	vrs_graph_init(&graph);
	int32_t x = add_conv(&graph, node_input(&graph, 4, (const int64_t[]){1, 13, 17, 16}), 32, 3, 1);
	vrs_node_init(&pool, VRS_OP_POOL_MAX, "pool");
	pool.inputs = 1;
	pool.in[0] = x;
	pool.u.window.kernel_h = pool.u.window.kernel_w = kernel;
	pool.u.window.stride_h = pool.u.window.stride_w = stride;
	pool.u.window.same = same;
	x = node_emit(&graph, &pool, VRS_F32);
	vrs_node_init(&concat, VRS_OP_CONCAT, "concat");
	concat.inputs = 2;
	concat.in[0] = add_conv(&graph, x, 32, 1, 2);
	concat.in[1] = add_conv(&graph, x, 16, 3, 3);
	concat.u.concat.axis = 3;
	x = node_emit(&graph, &concat, VRS_F32);
	graph.outputs[graph.output_count++] = add_conv(&graph, x, 8, 1, 4);
	assert_int_equal(vrs_model_from_graph(&model, &graph, "pool and concat", &err), VRS_OK);
	vrs_graph_fini(&graph);
	return model;
}

/* Does a kernel of that name run in 8 bits? */
static bool runs(const struct vrs_model *model, const struct vrs_calibration *calibration, const char *kernel)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session;
	const struct vrs_op_profile *rows;
	bool found = false;
	options.precision = VRS_PRECISION_INT8;
	options.calibration = calibration;
	options.profile = true;
	assert_int_equal(vrs_session_create(&session, model, &options, NULL), VRS_OK);
	assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
	for (int i = 0, n = vrs_session_profile(session, &rows); i < n; i++)
		found = found || strncmp(rows[i].kernel, kernel, strlen(kernel)) == 0;
	vrs_session_destroy(session);
	return found;
}

static void test_pool_and_concat(void **state)
{
	static const int pools[][3] = {{2, 2, false}, {3, 2, true}, {3, 1, true}, {5, 1, true}, {3, 3, false}};
	(void)state;
	for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++) {
		struct vrs_model *model = pool_and_concat(pools[i][0], pools[i][1], pools[i][2]);
		struct vrs_calibration *calibration = int8_calibrate(model);
		size_t count;
		float *want = int8_run(model, VRS_PRECISION_FP32, NULL, 1, &count), *got = int8_run(model, VRS_PRECISION_INT8, calibration, 1, &count);
		assert_true(int8_relative_error(want, got, count) < 0.02);
		for (int threads = 2; threads <= 4; threads++) {
			float *more = int8_run(model, VRS_PRECISION_INT8, calibration, threads, &count);
			assert_memory_equal(got, more, count * sizeof *got);
			free(more);
		}
		assert_true(runs(model, calibration, "max_pool_u8"));
		assert_true(runs(model, calibration, "eltwise_u8"));
		free(want);
		free(got);
		vrs_calibration_destroy(calibration);
		vrs_model_destroy(model);
	}
}

static void test_refusals(void **state)
{
	(void)state;
	struct vrs_model *model = model_of(3), *other = model_of(4);
	struct vrs_calibration *calibration = int8_calibrate(model);
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	assert_int_equal(int8_open_session(&session, other, VRS_PRECISION_INT8, calibration, 1, &err), VRS_EINVAL);
	assert_non_null(strstr(err.text, "calibrate again"));
	assert_int_equal(int8_open_session(&session, model, VRS_PRECISION_MIXED, NULL, 1, &err), VRS_EINVAL);
	assert_non_null(strstr(err.text, "needs a calibration"));
	vrs_calibration_destroy(calibration);
	vrs_model_destroy(model);
	vrs_model_destroy(other);
}

/* Precision auto takes a calibration that passed, which is of the whole network: outputs that nobody wants stay. */
static void test_auto_with_outputs(void **state)
{
	(void)state;
	int several = 0;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct vrs_model *model = model_of(seed);
		struct vrs_calibration *calibration = int8_calibrate(model);
		struct vrs_session_options options = vrs_session_options_default();
		struct vrs_session *session = NULL;
		struct vrs_error err = {0};
		int outputs = vrs_model_info(model).outputs;
		vrs_calibration_set_check(calibration, 8, 1, 1);
		options.precision = VRS_PRECISION_AUTO;
		options.calibration = calibration;
		options.outputs = 1;
		if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
		assert_int_equal(vrs_session_info(session).precision, VRS_PRECISION_INT8);
		assert_non_null(vrs_session_output(session, outputs - 1).raw);
		several += outputs > 1;
		vrs_session_destroy(session);
		vrs_calibration_destroy(calibration);
		vrs_model_destroy(model);
	}
	assert_true(several > 0);
}

/* Nothing of a calibration is read before its numbers of tensors and nodes are known to be those of the network. */
static void test_other_version(void **state)
{
	(void)state;
	struct vrs_model *model = model_of(3);
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	void *guard = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(guard, MAP_FAILED);
	struct vrs_calibration other = {.ranges = guard, .int8 = guard, .mixed = guard};
	assert_int_equal(int8_open_session(&session, model, VRS_PRECISION_INT8, &other, 1, &err), VRS_EINVAL);
	assert_non_null(strstr(err.text, "calibrate again"));
	assert_int_equal(int8_open_session(&session, model, VRS_PRECISION_MIXED, &other, 1, &err), VRS_EINVAL);
	assert_int_equal(munmap(guard, 4096), 0);
	vrs_model_destroy(model);
}

/* A layer of 16 to 16 channels on 6x6 pixels whose first weight, or the first bias, is `value`. */
static struct vrs_model *layer_with(bool depthwise, bool bias, float value)
{
	enum { CHANNELS = 16 };
	const int64_t dims[2][4] = {{CHANNELS, 3, 3, CHANNELS}, {3, 3, CHANNELS}}, channels = CHANNELS;
	float weights[CHANNELS * 3 * 3 * CHANNELS], biases[CHANNELS] = {0};
	struct vrs_model *model = NULL;
	struct vrs_graph graph;
	struct vrs_node node;
	for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
		weights[i] = (float)(i % 11) / 40 - 0.1f;
	*(bias ? biases : weights) = value;
	vrs_graph_init(&graph);
	vrs_node_init(&node, VRS_OP_CONV, "layer");
	node.inputs = 3;
	node.in[0] = build_input(&graph, 6, 6, CHANNELS);
	node.in[1] = vrs_graph_add_const(&graph, "w", VRS_F32, depthwise ? 3 : 4, dims[depthwise], weights);
	node.in[2] = vrs_graph_add_const(&graph, "b", VRS_F32, 1, &channels, biases);
	node.u.window.kernel_h = node.u.window.kernel_w = 3;
	node.u.window.groups = depthwise ? CHANNELS : 1;
	node.u.window.same = true;
	build_output(&graph, build_node(&graph, &node));
	assert_int_equal(vrs_model_from_graph(&model, &graph, "layer", NULL), VRS_OK);
	vrs_graph_fini(&graph);
	return model;
}

/* A layer with weights that are no numbers, or beyond what a product of two scales can hold, stays float; others become 8 bits. */
static void test_strange_weights(void **state)
{
	static const float values[] = {0.1f, NAN, INFINITY, -INFINITY, 3e38f, -1e30f};
	(void)state;
	for (size_t i = 0; i < 4 * sizeof values / sizeof *values; i++) {
		struct vrs_model *model = layer_with(i & 1, i & 2, values[i / 4]);
		struct vrs_calibration *calibration = int8_calibrate(model);
		size_t count;
		float *want = int8_run(model, VRS_PRECISION_FP32, NULL, 1, &count), *got = int8_run(model, VRS_PRECISION_INT8, calibration, 1, &count);
		assert_int_equal(vrs_calibration_info(calibration).int8_layers, i < 4 ? 1 : 0);
		if (i >= 4)
			assert_memory_equal(want, got, count * sizeof *want);
		free(want);
		free(got);
		vrs_calibration_destroy(calibration);
		vrs_model_destroy(model);
	}
}

/* Saved and loaded again it gives the same bits; a damaged file and one of another network are refused. */
static void test_file(void **state)
{
	static const char path[] = VRS_BUILD_DIR "/test_int8.json", damaged[] = "{\"format\": \"vrseg-calibration\", \"version\": 1, \"ranges\": [1, 2]}";
	(void)state;
	struct vrs_model *model = model_of(3), *other = model_of(4);
	struct vrs_calibration *calibration = int8_calibrate(model), *loaded = NULL;
	struct vrs_error err = {0};
	size_t count;
	assert_int_equal(vrs_calibration_save(calibration, path, &err), VRS_OK);
	assert_int_equal(vrs_calibration_load(&loaded, path, model, &err), VRS_OK);
	float *want = int8_run(model, VRS_PRECISION_INT8, calibration, 1, &count), *got = int8_run(model, VRS_PRECISION_INT8, loaded, 1, &count);
	assert_memory_equal(want, got, count * sizeof *want);
	assert_int_equal(vrs_calibration_info(loaded).samples, INT8_SAMPLES);
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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_networks), cmocka_unit_test(test_pool_and_concat), cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_other_version), cmocka_unit_test(test_strange_weights), cmocka_unit_test(test_file),
		cmocka_unit_test(test_auto_with_outputs), cmocka_unit_test(test_options_of_a_calibrator),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
