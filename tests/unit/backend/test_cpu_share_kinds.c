/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards that only operations that heed a share are cut by pixels or channels: a depthwise 1x1 convolution of one channel to several is not, on a
 * map and on one pixel; and that a layer that is cut by channels leaves no sums of all channels for an average.  Inputs alternate, so that rows of
 * the run before show; 2 to 4 threads give the bits of one.
 */
#include "unit/backend/node_check.h"

#include "backend/cpu/plan/cpu_plan.h"
#include "machine/cpu_features.h"
#include "session/session_graph.h"

#define RUNS 40
#define MOST_THREADS 4

static int32_t add_sigmoid(struct vrs_graph *graph, int32_t x)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_UNARY, "sigmoid");
	node.inputs = 1;
	node.in[0] = x;
	node.act = VRS_ACT_SIGMOID;
	return node_emit(graph, &node, VRS_F32);
}

/* 1x1, depthwise, of one channel to `out`. */
static int32_t add_spread(struct vrs_graph *graph, int32_t x, int out)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_CONV, "spread");
	node.inputs = 2;
	node.in[0] = x;
	node.in[1] = node_const(graph, 3, (const int64_t[]){1, 1, out}, 1, 5);
	node.u.window.kernel_h = node.u.window.kernel_w = node.u.window.groups = 1;
	return node_emit(graph, &node, VRS_F32);
}

/* A map of side x side to one pixel of `out` channels. */
static int32_t add_dense(struct vrs_graph *graph, int32_t x, int side, int out)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_CONV, "dense");
	node.inputs = 2;
	node.in[0] = x;
	node.in[1] = node_const(graph, 4, (const int64_t[]){out, side, side, graph->tensors[x].dims[3]}, 0.1, 6);
	node.u.window.kernel_h = node.u.window.kernel_w = side;
	node.u.window.groups = 1;
	return node_emit(graph, &node, VRS_F32);
}

static int32_t add_mean(struct vrs_graph *graph, int32_t x)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_GLOBAL_AVG, "mean");
	node.inputs = 1;
	node.in[0] = x;
	return node_emit(graph, &node, VRS_F32);
}

static struct vrs_model *make_model(struct vrs_graph *graph, int32_t output)
{
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	graph->outputs[graph->output_count++] = output;
	if (vrs_graph_infer(graph, &err) != VRS_OK || vrs_model_from_graph(&model, graph, "shares", &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_graph_fini(graph);
	return model;
}

static struct vrs_session_options options_for(const struct vrs_model *model, int threads, struct vrs_shape *shape)
{
	const struct vrs_graph_tensor *input = &vrs_model_graph(model)->tensors[vrs_model_graph(model)->inputs[0]];
	struct vrs_session_options options = vrs_session_options_default();
	shape->rank = input->rank;
	memcpy(shape->dims, input->dims, sizeof shape->dims);
	options.backend = "cpu";
	options.threads = threads;
	options.pictures_nhwc = true;
	options.input_shapes = shape;
	options.input_shape_count = 1;
	return options;
}

/* No item has a share that its operation would not heed, nor sums of channels that others make. Returns how many are cut by channels. */
static int check_items(const struct vrs_model *model, int threads)
{
	struct vrs_shape shape;
	struct vrs_session_options options = options_for(model, threads, &shape);
	struct vrs_graph graph;
	struct vrs_cpu_plan plan;
	int cut = 0;
	assert_int_equal(vrs_session_graph(&graph, model, &options, NULL), VRS_OK);
	assert_int_equal(vrs_cpu_plan_init(&plan, &graph, vrs_cpu_features(), threads, &options, NULL), VRS_OK);
	for (size_t i = 0; i < plan.item_count; i++) {
		const struct vrs_cpu_item *item = &plan.items[i];
		const struct vrs_cpu_op *op = &plan.ops[item->op];
		assert_false((item->share.x1 > 0 || item->share.c1 > 0) && op->routine == VRS_CPU_RUN_DWCONV_SPREAD);
		assert_false(item->share.c1 > 0 && plan.values[op->out].sum_mem_item >= 0);
		cut += item->share.c1 > 0;
	}
	vrs_cpu_plan_fini(&plan);
	vrs_graph_fini(&graph);
	return cut;
}

/* Runs on two pictures in turn: the results of both, of each run where `want` has them. The caller frees them. */
static float *run(const struct vrs_model *model, int threads, const float *want, const char *what)
{
	struct vrs_shape shape;
	struct vrs_session_options options = options_for(model, threads, &shape);
	struct vrs_session *session;
	struct vrs_error err = {0};
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s: %s", what, err.text);
	struct vrs_tensor_view in = vrs_session_input(session, 0), out = vrs_session_output(session, 0);
	float *results = malloc(2 * out.bytes); /* libc: test scratch */
	assert_non_null(results);
	for (int k = 0; k < RUNS; k++) {
		float *result = results + (k % 2 ? out.elements : 0);
		struct vrs_rng rng;
		vrs_rng_init(&rng, 12 + (uint64_t)k % 2);
		for (size_t i = 0; i < in.elements; i++)
			in.data[i] = (float)(vrs_rng_unit(&rng) * 8 - 4);
		assert_int_equal(vrs_session_run(session, &err), VRS_OK);
		memcpy(result, out.data, out.bytes);
		if (want && memcmp(result, want + (result - results), out.bytes) != 0)
			fail_msg("%s: run %d on %d threads has other bits than on one", what, k, threads);
	}
	vrs_session_destroy(session);
	return results;
}

/* Destroys the model. */
static void check(struct vrs_model *model, bool by_channels, const char *what)
{
	float *want = run(model, 1, NULL, what);
	for (int threads = 2; threads <= MOST_THREADS; threads++) {
		assert_int_equal(check_items(model, threads) > 0, by_channels);
		free(run(model, threads, want, what)); /* libc: see run */
	}
	free(want); /* libc: see run */
	vrs_model_destroy(model);
}

static void test_spread(void **state)
{
	static const int cases[][3] = {{33, 33, 64}, {9, 9, 64}, {7, 7, 8}, {5, 1, 3}, {1, 1, 20000}}; /* height, width, outputs */
	(void)state;
	for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
		const int *c = cases[i / 2];
		struct vrs_graph graph;
		char what[64];
		snprintf(what, sizeof what, "%dx%d to %d, form %d", c[0], c[1], c[2], (int)i % 2);
		vrs_graph_init(&graph);
		int32_t x = node_input(&graph, 4, (const int64_t[]){1, c[0], c[1], 1});
		x = i % 2 ? add_sigmoid(&graph, add_spread(&graph, x, c[2])) : add_spread(&graph, add_sigmoid(&graph, x), c[2]);
		check(make_model(&graph, x), false, what);
	}
}

static void test_mean_of_one_pixel(void **state)
{
	(void)state;
	for (int images = 1; images <= 2; images++) {
		struct vrs_graph graph;
		vrs_graph_init(&graph);
		int32_t x = node_input(&graph, 4, (const int64_t[]){images, 7, 7, 16});
		x = add_mean(&graph, add_dense(&graph, x, 7, 64));
		check(make_model(&graph, add_dense(&graph, x, 1, 24)), true, "mean");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_spread), cmocka_unit_test(test_mean_of_one_pixel)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
