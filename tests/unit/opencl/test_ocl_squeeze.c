/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards squeeze-excitation on a device, as a CPU and as a GPU: one step, behind the sums of a large map, for one and two layers of any width; a step
 * a layer with many weights; none where a value between the layers has a second reader.
 */
#include "op_batch.h"
#include "plan_steps.h"

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}

struct squeeze {
	int batch, height, width, channels, middle, outputs; /* middle 0: one layer */
	enum vrs_act first, second;
	bool bias, pool;
};

static int32_t average(struct vrs_graph *graph, const struct squeeze *s, int32_t x)
{
	struct vrs_node node = op_node(s->pool ? VRS_OP_POOL_AVG : VRS_OP_GLOBAL_AVG, x);
	node.u.window.kernel_h = s->height;
	node.u.window.kernel_w = s->width;
	return node_emit(graph, &node, VRS_F32);
}

/* x * act(w2 * act(w1 * average(x))) */
static void build(struct vrs_graph *graph, const struct squeeze *s, bool shared)
{
	int32_t x = node_input(graph, 4, SHAPE(s->batch, s->height, s->width, s->channels)), mean = average(graph, s, x), last, middle = mean;
	if (s->middle > 0)
		middle = op_layer(graph, mean, s->middle, 1, s->bias, s->first, 3);
	last = op_layer(graph, middle, s->outputs, 1, s->bias, s->second, 5);
	struct vrs_node node = op_node(VRS_OP_BINARY, x);
	node.u.binary.op = VRS_MUL;
	node.inputs = 2;
	node.in[1] = last;
	if (s->outputs != s->channels) /* the map has other channels: its own average with a value for all */
		node.in[0] = node_input(graph, 4, SHAPE(s->batch, 2, 2, s->outputs));
	int32_t scaled = node_emit(graph, &node, VRS_F32);
	if (shared) { /* the value before the last layer has a second reader */
		node.u.binary.op = VRS_ADD;
		node.in[0] = scaled;
		node.in[1] = middle;
		node_emit(graph, &node, VRS_F32);
	}
}

static const struct squeeze cases[] = {
	{1, 60, 70, 16, 8, 16, VRS_ACT_RELU, VRS_ACT_HSIGMOID, true, false},
	{2, 9, 7, 72, 24, 72, VRS_ACT_RELU, VRS_ACT_SIGMOID, true, true},
	{3, 5, 5, 5, 3, 5, VRS_ACT_NONE, VRS_ACT_TANH, false, false},
	{1, 33, 40, 33, 300, 33, VRS_ACT_SILU, VRS_ACT_SIGMOID, true, false},
	{1, 3, 3, 520, 7, 520, VRS_ACT_RELU, VRS_ACT_HSIGMOID, true, false},
	{2, 20, 20, 40, 0, 40, VRS_ACT_NONE, VRS_ACT_SIGMOID, true, false}, /* one layer */
	{1, 20, 20, 40, 0, 1, VRS_ACT_NONE, VRS_ACT_SIGMOID, false, false},
	{1, 9, 9, 12, 6, 12, VRS_ACT_LEAKY, VRS_ACT_SIGMOID, true, false},
	{1, 9, 9, 12, 6, 12, VRS_ACT_RELU, VRS_ACT_CLIP, true, false},
	{2, 5, 7, 200, 90, 203, VRS_ACT_RELU, VRS_ACT_HSIGMOID, true, false}, /* many weights */
	{1, 2, 2, 300, 0, 70, VRS_ACT_NONE, VRS_ACT_SIGMOID, true, false},
	{1, 1, 1, 8, 4, 8, VRS_ACT_RELU, VRS_ACT_SIGMOID, true, false},
};

static void test_layers(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, OP_BOUND_FP32, OP_BOUND_FP16);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char what[64];
		build(&batch.graph, &cases[i], false);
		snprintf(what, sizeof what, "squeeze %zu", i);
		op_batch_add_newest(&batch, what);
	}
	op_batch_check(&batch);
}

static void test_steps(void **state)
{
	struct vrs_graph graph;
	(void)state;
	vrs_graph_init(&graph);
	build(&graph, &cases[0], false);
	graph.outputs[graph.output_count++] = graph.nodes[graph.node_count - 1].out;
	assert_int_equal(plan_steps(&graph, "squeeze", true, NULL), 1);
	assert_int_equal(plan_steps(&graph, "global_avg", true, NULL), 1);
	assert_int_equal(plan_steps(&graph, "squeeze", false, NULL), 0);
	graph.outputs[graph.output_count++] = graph.nodes[0].out; /* the average is an output, too */
	assert_int_equal(plan_steps(&graph, "squeeze", true, NULL), 0);
	vrs_graph_fini(&graph);
	vrs_graph_init(&graph);
	build(&graph, &cases[5], true);
	graph.outputs[graph.output_count++] = graph.nodes[graph.node_count - 1].out;
	assert_int_equal(plan_steps(&graph, "squeeze", true, NULL), 0);
	vrs_graph_fini(&graph);
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
