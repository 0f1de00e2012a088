/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the choice of ways to compute convolutions by time: each different convolution is timed once and known afterwards, deterministic sessions
 * keep the default's algorithm, and a tuned session gives the reference's results.
 */
#include "base/mem.h"
#include "op_check.h"
#include "opencl/ocl_conv.h"
#include "opencl/ocl_tune.h"
#include "scratch_folder.h"
#include "session/session_graph.h"

#define CHANNELS 36

/* Three 3x3 convolutions, two of them alike. */
static struct vrs_model *make_model(void)
{
	const int64_t dims[] = {1, 24, 20, CHANNELS}, weights[] = {CHANNELS, 3, 3, CHANNELS};
	struct vrs_model *model = NULL;
	struct vrs_graph graph;
	struct vrs_error err = {0};
	vrs_graph_init(&graph);
	int32_t x = node_input(&graph, 4, dims);
	for (int i = 0; i < 3; i++) {
		struct vrs_node node = op_node(VRS_OP_CONV, x);
		node.in[1] = node_const(&graph, 4, weights, 0.08, 7 + (uint64_t)i);
		node.inputs = 2;
		node.u.window.kernel_h = node.u.window.kernel_w = 3;
		node.u.window.same = true;
		node.act = i == 2 ? VRS_ACT_RELU : VRS_ACT_NONE;
		x = node_emit(&graph, &node, VRS_F32);
	}
	graph.outputs[graph.output_count++] = x;
	if (vrs_graph_infer(&graph, &err) != VRS_OK || vrs_model_from_graph(&model, &graph, "tune", &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_graph_fini(&graph);
	return model;
}

static struct vrs_session_options tune_options(enum vrs_device_tune level, bool deterministic)
{
	struct vrs_session_options options = vrs_session_options_default();
	options.backend = "opencl";
	options.device_tune = level;
	options.deterministic = deterministic;
	return options;
}

static struct vrs_ocl_tune_stats tune(const struct vrs_graph *graph, const struct vrs_session_options *options, uint8_t **ret_tiles)
{
	struct vrs_ocl_context *context = NULL;
	struct vrs_ocl_tune_stats stats = {0};
	struct vrs_error err = {0};
	if (vrs_ocl_context_open(&context, "", true, &err) != VRS_OK || vrs_ocl_tune(ret_tiles, &stats, context, graph, options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_ocl_context_close(context);
	return stats;
}

static void test_known_afterwards(void **state)
{
	struct vrs_model *model = make_model();
	struct vrs_session_options options = tune_options(VRS_DEVICE_TUNE_FAST, true);
	struct vrs_graph graph = {0};
	struct vrs_error err = {0};
	uint8_t *first = NULL, *again = NULL;
	(void)state;
	if (vrs_session_graph(&graph, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	struct vrs_ocl_tune_stats stats = tune(&graph, &options, &first);
	assert_int_equal(stats.convolutions, 2);
	assert_int_equal(stats.timed, 2);
	stats = tune(&graph, &options, &again);
	assert_int_equal(stats.convolutions, 2);
	assert_int_equal(stats.timed, 0);
	assert_memory_equal(first, again, (size_t)graph.node_count);
	options.program_cache = false; /* what is known is not read */
	vrs_free(again);
	assert_int_equal(tune(&graph, &options, &again).timed, 2);
	options.program_cache = true;
	options.precision = VRS_PRECISION_FP16; /* another kernel */
	vrs_free(again);
	assert_int_equal(tune(&graph, &options, &again).timed, 2);
	vrs_free(first);
	vrs_free(again);
	vrs_graph_fini(&graph);
	vrs_model_destroy(model);
}

static void test_deterministic(void **state)
{
	struct vrs_model *model = make_model();
	struct vrs_session_options options = tune_options(VRS_DEVICE_TUNE_FULL, true);
	struct vrs_ocl_context *context = NULL;
	struct vrs_graph graph = {0};
	struct vrs_error err = {0};
	uint8_t *tiles = NULL;
	(void)state;
	assert_int_equal(vrs_session_graph(&graph, model, &options, &err), VRS_OK);
	(void)tune(&graph, &options, &tiles);
	assert_int_equal(vrs_ocl_context_open(&context, "", true, &err), VRS_OK);
	for (int32_t i = 0; i < graph.node_count; i++) {
		struct vrs_ocl_tile candidates[VRS_OCL_MAX_TILES];
		struct vrs_ocl_conv conv;
		if (graph.nodes[i].dead || vrs_ocl_conv_init(&conv, &graph, &graph.nodes[i]) != VRS_OK)
			continue;
		assert_in_range(tiles[i], 0, vrs_ocl_tile_candidates(&context->caps, &conv, candidates, VRS_OCL_MAX_TILES) - 1);
		assert_int_equal(candidates[tiles[i]].algorithm, candidates[0].algorithm);
	}
	vrs_ocl_context_close(context);
	vrs_free(tiles);
	vrs_graph_fini(&graph);
	vrs_model_destroy(model);
}

static void run(struct vrs_session **ret_session, const struct vrs_model *model, const struct vrs_session_options *options)
{
	struct vrs_error err = {0};
	struct vrs_rng rng;
	if (vrs_session_create(ret_session, model, options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_rng_init(&rng, 3);
	struct vrs_tensor_view in = vrs_session_input(*ret_session, 0);
	for (size_t i = 0; i < in.elements; i++)
		in.data[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
	assert_int_equal(vrs_session_run(*ret_session, &err), VRS_OK);
}

static void test_results(void **state)
{
	struct vrs_model *model = make_model();
	struct vrs_session_options options = tune_options(VRS_DEVICE_TUNE_FULL, false), plain = vrs_session_options_default();
	struct vrs_session *want = NULL, *got = NULL;
	(void)state;
	plain.backend = "ref";
	run(&want, model, &plain);
	run(&got, model, &options);
	struct vrs_tensor_view a = vrs_session_output(want, 0), b = vrs_session_output(got, 0);
	for (size_t i = 0; i < a.elements; i++)
		assert_float_equal(a.data[i], b.data[i], 2e-4);
	vrs_session_destroy(want);
	vrs_session_destroy(got);
	vrs_model_destroy(model);
}

static void test_no_profiling(void **state)
{
	struct vrs_ocl_context *context = NULL;
	struct vrs_session_options options = tune_options(VRS_DEVICE_TUNE_FAST, true);
	struct vrs_ocl_tune_stats stats;
	struct vrs_graph graph;
	struct vrs_error err = {0};
	uint8_t *tiles = NULL;
	(void)state;
	vrs_graph_init(&graph);
	assert_int_equal(vrs_ocl_context_open(&context, "", false, &err), VRS_OK);
	assert_int_equal(vrs_ocl_tune(&tiles, &stats, context, &graph, &options, &err), VRS_EINVAL);
	assert_null(tiles);
	vrs_ocl_context_close(context);
	vrs_graph_fini(&graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_afterwards), cmocka_unit_test(test_deterministic), cmocka_unit_test(test_results),
		cmocka_unit_test(test_no_profiling),
	};
	/* nothing is known at first */
	if (scratch_folder_enter("test_ocl_tune") != 0 || setenv("XDG_CACHE_HOME", SCRATCH_PARENT "/test_ocl_tune", 1) != 0)
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	return scratch_folder_remove("test_ocl_tune") != 0 || failed;
}
