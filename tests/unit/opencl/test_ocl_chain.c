/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards chains of 1x1 convolutions on a device, as a CPU and as a GPU: 2 to 4 layers of any width up to 32 give what the reference gives, in one
 * step; none where a value between has another reader or is an output, where a layer is too wide, adds something or is no 1x1 convolution.
 */
#include "op_batch.h"
#include "plan_steps.h"


#define SHAPE(...) (const int64_t[]){__VA_ARGS__}

struct chain {
	int batch, height, width, channels[6]; /* into the first layer and out of each; 0: no more layers */
	enum vrs_act act[5];
	bool bias;
};

static const struct chain cases[] = {
	{1, 9, 7, {24, 16, 16, 4}, {VRS_ACT_RELU, VRS_ACT_RELU, VRS_ACT_NONE}, true},
	{2, 5, 5, {3, 5, 1}, {VRS_ACT_HSWISH, VRS_ACT_SIGMOID}, true},
	{1, 4, 4, {32, 32, 32}, {VRS_ACT_LEAKY, VRS_ACT_CLIP}, false},
	{3, 3, 5, {7, 31, 2, 17, 6}, {VRS_ACT_RELU6, VRS_ACT_TANH, VRS_ACT_NONE, VRS_ACT_SILU}, true},
	{1, 2, 3, {4, 8, 4, 8, 4, 8}, {VRS_ACT_RELU, VRS_ACT_RELU, VRS_ACT_RELU, VRS_ACT_RELU, VRS_ACT_ABS}, true}, /* four and one */
};

static int32_t build(struct vrs_graph *graph, const struct chain *c)
{
	int32_t x = node_input(graph, 4, SHAPE(c->batch, c->height, c->width, c->channels[0]));
	for (int k = 1; k < 6 && c->channels[k] > 0; k++)
		x = op_layer(graph, x, c->channels[k], 1, c->bias, c->act[k - 1], (uint64_t)k);
	return x;
}

static void test_layers(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, OP_BOUND_FP32, OP_BOUND_FP16);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char what[64];
		(void)build(&batch.graph, &cases[i]);
		snprintf(what, sizeof what, "chain %zu", i);
		op_batch_add_newest(&batch, what);
	}
	op_batch_check(&batch);
}

/* Chains in the plan of a graph, whose newest value is its output; their products are those of all layers. */
static int chains_of(struct vrs_graph *graph, bool fusion)
{
	uint64_t macs;
	graph->outputs[graph->output_count++] = graph->nodes[graph->node_count - 1].out;
	int count = plan_steps(graph, "chain", fusion, &macs);
	assert_int_equal(macs, vrs_graph_macs(graph));
	vrs_graph_fini(graph);
	return count;
}

static void test_steps(void **state)
{
	struct vrs_graph graph;
	(void)state;
	vrs_graph_init(&graph);
	(void)build(&graph, &cases[0]);
	assert_int_equal(chains_of(&graph, true), 1);
	vrs_graph_init(&graph);
	(void)build(&graph, &cases[0]);
	assert_int_equal(chains_of(&graph, false), 0);

	vrs_graph_init(&graph);
	int32_t x = node_input(&graph, 4, SHAPE(1, 4, 4, 8)), one = op_layer(&graph, x, 8, 1, true, VRS_ACT_RELU, 1);
	(void)op_layer(&graph, one, 8, 1, true, VRS_ACT_NONE, 2);
	graph.outputs[graph.output_count++] = one;
	assert_int_equal(chains_of(&graph, true), 0); /* an output */

	vrs_graph_init(&graph);
	x = node_input(&graph, 4, SHAPE(1, 4, 4, 8));
	one = op_layer(&graph, x, 8, 1, true, VRS_ACT_RELU, 1);
	(void)op_layer(&graph, one, 8, 1, true, VRS_ACT_NONE, 2);
	graph.nodes[graph.node_count - 1].residual = one;
	assert_int_equal(chains_of(&graph, true), 0); /* read twice */

	vrs_graph_init(&graph);
	x = node_input(&graph, 4, SHAPE(1, 4, 4, 8));
	one = op_layer(&graph, x, 33, 1, true, VRS_ACT_RELU, 1);
	(void)op_layer(&graph, one, 8, 1, true, VRS_ACT_NONE, 2);
	assert_int_equal(chains_of(&graph, true), 0); /* too wide */

	vrs_graph_init(&graph);
	x = node_input(&graph, 4, SHAPE(1, 4, 4, 8));
	one = op_layer(&graph, x, 8, 1, true, VRS_ACT_RELU, 1);
	(void)op_layer(&graph, one, 8, 3, true, VRS_ACT_NONE, 2);
	assert_int_equal(chains_of(&graph, true), 0); /* a window */
}

static int group(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_layers), cmocka_unit_test(test_steps)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	return op_both_devices(group);
}
