/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards that a function of a value in 8 bits, which works in the memory of the float copy that it reads last, leaves other values alone: copies are
 * numbered behind the values that nodes make.  All outputs of such a network are near those of fp32.
 */
#include "unit/session/int8_run.h"

#include "graph/model_graph.h"
#include "unit/graph/graph_builder.h"

enum { HEIGHT = 29, IN = 24, CHANNELS = 60, OUTPUTS = 3 };

static int32_t constant(struct vrs_graph *graph, int rank, const int64_t *dims, uint64_t seed)
{
	float values[CHANNELS * CHANNELS];
	size_t count = 1;
	struct vrs_rng rng;
	vrs_rng_init(&rng, seed);
	for (int i = 0; i < rank; i++)
		count *= (size_t)dims[i];
	assert_true(count <= sizeof values / sizeof *values);
	for (size_t i = 0; i < count; i++)
		values[i] = (float)(vrs_rng_unit(&rng) - 0.5) * 0.5f;
	return vrs_graph_add_const(graph, "c", VRS_F32, rank, dims, values);
}

static int32_t conv(struct vrs_graph *graph, int32_t x, int64_t in, enum vrs_act act)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_CONV, "conv");
	node.inputs = 2;
	node.in[0] = x;
	node.in[1] = constant(graph, 4, (const int64_t[]){CHANNELS, 1, 1, in}, (uint64_t)in);
	node.act = act;
	return build_node(graph, &node);
}

static int32_t norm(struct vrs_graph *graph, int32_t x)
{
	const int64_t channels = CHANNELS;
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_INSTANCE_NORM, "norm");
	node.inputs = 3;
	node.in[0] = x;
	node.in[1] = constant(graph, 1, &channels, 1);
	node.in[2] = constant(graph, 1, &channels, 2);
	node.u.norm.epsilon = 1e-3f;
	return build_node(graph, &node);
}

static int32_t most(struct vrs_graph *graph, int32_t x)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_REDUCE, "most");
	node.inputs = 1;
	node.in[0] = x;
	node.u.reduce.op = VRS_REDUCE_MAX;
	node.u.reduce.axes = 4;
	return build_node(graph, &node);
}

/* What a layer of 8 bits, a norm and a function read, of which the function is the last. */
static struct vrs_model *make_model(void)
{
	struct vrs_model *model = NULL;
	struct vrs_graph graph;
	vrs_graph_init(&graph);
	int32_t x = conv(&graph, build_input(&graph, HEIGHT, 1, IN), IN, VRS_ACT_RELU);
	build_output(&graph, conv(&graph, x, CHANNELS, VRS_ACT_NONE));
	build_output(&graph, norm(&graph, x));
	build_output(&graph, most(&graph, build_unary(&graph, x, VRS_ACT_GELU)));
	assert_int_equal(vrs_model_from_graph(&model, &graph, "share", NULL), VRS_OK);
	vrs_graph_fini(&graph);
	return model;
}

static struct vrs_session *run(const struct vrs_model *model, enum vrs_precision precision, const struct vrs_calibration *calibration)
{
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	if (int8_open_session(&session, model, precision, calibration, 1, &err) != VRS_OK)
		fail_msg("%s", err.text);
	int8_fill(vrs_session_input(session, 0), 1);
	assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	return session;
}

static void test_share(void **state)
{
	struct vrs_model *model = make_model();
	struct vrs_calibration *calibration = int8_calibrate(model);
	struct vrs_session *want = run(model, VRS_PRECISION_FP32, NULL), *got = run(model, VRS_PRECISION_INT8, calibration);
	(void)state;
	for (int k = 0; k < OUTPUTS; k++) {
		struct vrs_tensor_view a = vrs_session_output(want, k), b = vrs_session_output(got, k);
		for (size_t i = 0; i < a.elements; i++)
			if (!(fabsf(a.data[i] - b.data[i]) < 0.1f))
				fail_msg("output %d, element %zu: %.9g instead of %.9g", k, i, (double)b.data[i], (double)a.data[i]);
	}
	vrs_session_destroy(want);
	vrs_session_destroy(got);
	vrs_calibration_destroy(calibration);
	vrs_model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_share)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
