/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards floats that come from bytes and are read with padding: zeros lie beside them, whatever the zero point of the bytes, where they go through a
 * ring, are loaded from another region, and are an output of the network as well.
 */
#include "unit/session/int8_run.h"

#include "graph/model_graph.h"
#include "unit/graph/graph_builder.h"

#define CHANNELS 16
#define SIDE 12

enum form { RING, LOAD, OUTPUT, FORMS };

/* 3x3 with padding; groups as many as channels: depthwise. */
static int32_t add_conv(struct vrs_graph *graph, int32_t x, int groups, enum vrs_act act, float bias)
{
	enum { WEIGHTS = CHANNELS * 3 * 3 * CHANNELS };
	const int64_t dims[4] = {CHANNELS, 3, 3, CHANNELS / groups}, depthwise[3] = {3, 3, CHANNELS}, channels = CHANNELS;
	float weights[WEIGHTS], biases[CHANNELS];
	struct vrs_node node;
	struct vrs_rng rng;
	vrs_rng_init(&rng, (uint64_t)graph->node_count);
	for (size_t i = 0; i < WEIGHTS; i++)
		weights[i] = (float)(vrs_rng_unit(&rng) - 0.5) * 0.6f;
	for (size_t i = 0; i < CHANNELS; i++)
		biases[i] = bias;
	vrs_node_init(&node, VRS_OP_CONV, "conv");
	node.inputs = 3;
	node.in[0] = x;
	node.in[1] = groups == CHANNELS ? vrs_graph_add_const(graph, "w", VRS_F32, 3, depthwise, weights)
					: vrs_graph_add_const(graph, "w", VRS_F32, 4, dims, weights);
	node.in[2] = vrs_graph_add_const(graph, "b", VRS_F32, 1, &channels, biases);
	node.act = act;
	node.u.window.kernel_h = node.u.window.kernel_w = 3;
	node.u.window.groups = groups;
	node.u.window.stride_h = node.u.window.stride_w = groups == CHANNELS ? 1 : 2; /* 2: not by tiles, which need no padding */
	node.u.window.same = true;
	return build_node(graph, &node);
}

/* A depthwise layer of bytes, which always makes bytes, and layers on it that read floats: of two groups, or with a sigmoid. */
static struct vrs_model *make_model(enum form form, float bias)
{
	struct vrs_graph graph;
	struct vrs_model *model = NULL;
	vrs_graph_init(&graph);
	int32_t bytes = add_conv(&graph, build_input(&graph, SIDE, SIDE, CHANNELS), CHANNELS, VRS_ACT_NONE, bias);
	int32_t y = add_conv(&graph, bytes, form == RING ? 2 : CHANNELS, form == RING ? VRS_ACT_NONE : VRS_ACT_SIGMOID, 0);
	if (form == LOAD) { /* the mean ends the region, and the bytes are read again after it */
		y = build_binary(&graph, VRS_MUL, y, build_mean(&graph, y), VRS_ACT_NONE);
		y = build_binary(&graph, VRS_ADD, y, add_conv(&graph, bytes, CHANNELS, VRS_ACT_SIGMOID, 0), VRS_ACT_NONE);
	}
	if (form == OUTPUT)
		build_output(&graph, bytes);
	build_output(&graph, y);
	assert_int_equal(vrs_model_from_graph(&model, &graph, "pads", NULL), VRS_OK);
	vrs_graph_fini(&graph);
	return model;
}

/* Is a float from bytes loaded from another region? */
static bool has_load(const struct vrs_model *model, const struct vrs_calibration *calibration)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session;
	const struct vrs_op_profile *rows;
	bool made = false, loaded = false;
	options.precision = VRS_PRECISION_INT8;
	options.calibration = calibration;
	options.profile = true;
	assert_int_equal(vrs_session_create(&session, model, &options, NULL), VRS_OK);
	for (int i = 0, n = vrs_session_profile(session, &rows); i < n; i++) {
		made = made || strcmp(rows[i].kernel, "dequantize") == 0;
		loaded = loaded || (made && strcmp(rows[i].kernel, "copy") == 0);
	}
	vrs_session_destroy(session);
	return loaded;
}

static void check(enum form form, float bias)
{
	struct vrs_model *model = make_model(form, bias);
	struct vrs_calibration *calibration = int8_calibrate(model);
	size_t count;
	assert_int_equal(vrs_calibration_info(calibration).int8_layers, 1);
	assert_int_equal(has_load(model, calibration), form == LOAD);
	float *want = int8_run(model, VRS_PRECISION_FP32, NULL, 1, &count);
	for (int threads = 1; threads <= 3; threads++) {
		float *got = int8_run(model, VRS_PRECISION_INT8, calibration, threads, &count);
		double error = int8_relative_error(want, got, count);
		if (!(error < 0.02))
			fail_msg("form %d, bias %g, %d threads: relative error %g", (int)form, (double)bias, threads, error);
		free(got);
	}
	free(want);
	vrs_calibration_destroy(calibration);
	vrs_model_destroy(model);
}

static void test_pads(void **state)
{
	static const float biases[] = {-2, -0.3f, 0, 0.3f, 2}; /* zero points of 0 to 255 */
	(void)state;
	for (enum form form = 0; form < FORMS; form++)
		for (size_t i = 0; i < sizeof biases / sizeof *biases; i++)
			check(form, biases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_pads)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
