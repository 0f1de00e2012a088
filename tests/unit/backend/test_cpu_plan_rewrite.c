/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the rewrites of the CPU plan: each changes the graph it is for, and leaves alone graphs that only look like it.  That results stay the
 * same is checked on random networks by test_cpu_graphs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/plan/cpu_plan_steps.h"
#include "graph/ir.h"

#define MAX_VALUES 512

static struct vrs_graph graph;

static int32_t tensor(int64_t h, int64_t w, int64_t c)
{
	struct vrs_graph_tensor t = {.dtype = VRS_F32, .rank = 4, .dims = {1, h, w, c}, .producer = -1};
	int32_t id = vrs_graph_add_tensor(&graph, &t);
	assert_true(id >= 0);
	return id;
}

static int32_t constant(int rank, const int64_t *dims)
{
	static const float zeros[MAX_VALUES];
	struct vrs_graph_tensor t = {.dtype = VRS_F32, .rank = rank, .producer = -1};
	size_t count = 1;
	for (int i = 0; i < rank; i++) {
		t.dims[i] = dims[i];
		count *= (size_t)dims[i];
	}
	assert_true(count <= MAX_VALUES);
	t.data_bytes = count * sizeof(float);
	t.data = vrs_graph_store(&graph, zeros, t.data_bytes);
	assert_non_null(t.data);
	return vrs_graph_add_tensor(&graph, &t);
}

static int32_t add(enum vrs_op op, int32_t a, int32_t b, int32_t out, const struct vrs_node *parameters)
{
	struct vrs_node node = *parameters;
	node.op = op;
	node.inputs = b >= 0 ? 2 : 1;
	node.in[0] = a;
	node.in[1] = b;
	node.residual = node.scale = -1;
	node.out = out;
	int32_t id = vrs_graph_add_node(&graph, &node);
	assert_true(id >= 0);
	graph.tensors[out].producer = id;
	return id;
}

static int32_t add_binary(enum vrs_binary op, int32_t a, int32_t b, int32_t out)
{
	return add(VRS_OP_BINARY, a, b, out, &(struct vrs_node){.u.binary.op = op});
}

static int32_t add_resize(int32_t in, int32_t out, bool half_pixel)
{
	const struct vrs_graph_tensor *t = &graph.tensors[out];
	return add(VRS_OP_RESIZE, in, -1, out,
		   &(struct vrs_node){.u.resize = {.half_pixel = half_pixel, .out_h = t->dims[1], .out_w = t->dims[2]}});
}

static int32_t add_conv(int32_t in, int32_t out, int kernel)
{
	int32_t weights = constant(4, (int64_t[]){graph.tensors[out].dims[3], kernel, kernel, graph.tensors[in].dims[3]});
	struct vrs_window w = {
		.kernel_h = kernel, .kernel_w = kernel, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .groups = 1, .same = true,
	};
	w.pad_top = w.pad_left = w.pad_bottom = w.pad_right = kernel / 2;
	return add(VRS_OP_CONV, in, weights, out, &(struct vrs_node){.u.window = w, .act = VRS_ACT_RELU});
}

static int setup(void **state)
{
	(void)state;
	vrs_graph_init(&graph);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	vrs_graph_fini(&graph);
	return 0;
}

static void rewrite(int32_t input, int32_t output)
{
	graph.inputs[graph.input_count++] = input;
	graph.outputs[graph.output_count++] = output;
	assert_int_equal(vrs_cpu_plan_rewrite(&graph, NULL), VRS_OK);
}

static void test_conv_before_resize(void **state)
{
	(void)state;
	int32_t x = tensor(4, 4, 8), big = tensor(8, 8, 8), y = tensor(8, 8, 3);
	int32_t resize = add_resize(x, big, true), conv = add_conv(big, y, 1);
	rewrite(x, y);
	assert_int_equal(graph.nodes[resize].op, VRS_OP_CONV);
	assert_int_equal(graph.nodes[conv].op, VRS_OP_RESIZE);
	assert_int_equal(graph.nodes[conv].act, VRS_ACT_RELU);
	assert_int_equal(graph.nodes[resize].act, VRS_ACT_NONE);
	assert_int_equal(graph.tensors[big].dims[1], 4);
	assert_int_equal(graph.tensors[big].dims[3], 3);
}

/* A 3x3 kernel, a resize that shrinks, or a second reader: no change. */
static void test_conv_stays(void **state)
{
	(void)state;
	int32_t x = tensor(4, 4, 8), big = tensor(8, 8, 8), y = tensor(8, 8, 3), small = tensor(2, 2, 8), z = tensor(2, 2, 3);
	int32_t read = tensor(8, 8, 8), twice = tensor(8, 8, 3), sum = tensor(8, 8, 3);
	add_resize(x, big, true);
	int32_t wide = add_conv(big, y, 3);
	add_resize(x, small, true);
	int32_t shrunk = add_conv(small, z, 1);
	add_resize(x, read, true);
	int32_t shared = add_conv(read, twice, 1);
	add_binary(VRS_ADD, y, twice, sum);
	graph.outputs[graph.output_count++] = read;
	graph.outputs[graph.output_count++] = z;
	rewrite(x, sum);
	assert_int_equal(graph.nodes[wide].op, VRS_OP_CONV);
	assert_int_equal(graph.nodes[shrunk].op, VRS_OP_CONV);
	assert_int_equal(graph.nodes[shared].op, VRS_OP_CONV);
}

/* Average of skip + resize(x): two averages, that of the resize moved before it. */
static void test_average_of_sum(void **state)
{
	(void)state;
	int32_t x = tensor(4, 4, 8), skip = tensor(8, 8, 8), big = tensor(8, 8, 8), sum = tensor(8, 8, 8), mean = tensor(1, 1, 8);
	graph.inputs[graph.input_count++] = skip;
	add_resize(x, big, true);
	int32_t plus = add_binary(VRS_ADD, skip, big, sum), average = add(VRS_OP_GLOBAL_AVG, sum, -1, mean, &(struct vrs_node){0});
	rewrite(x, mean);
	assert_true(graph.nodes[plus].dead);
	assert_int_equal(graph.nodes[average].op, VRS_OP_BINARY);
	int32_t of_skip = graph.tensors[graph.nodes[average].in[0]].producer, of_x = graph.tensors[graph.nodes[average].in[1]].producer;
	assert_int_equal(graph.nodes[of_skip].op, VRS_OP_GLOBAL_AVG);
	assert_int_equal(graph.nodes[of_skip].in[0], skip);
	assert_int_equal(graph.nodes[of_x].op, VRS_OP_GLOBAL_AVG);
	assert_int_equal(graph.nodes[of_x].in[0], x);
}

/* Without half-pixel centres, or with a broken factor, the pixels weigh differently: the average must see the enlarged map. */
static void test_average_stays(void **state)
{
	(void)state;
	int32_t x = tensor(4, 4, 8), corner = tensor(8, 8, 8), mean = tensor(1, 1, 8), odd = tensor(7, 8, 8), mean2 = tensor(1, 1, 8);
	add_resize(x, corner, false);
	int32_t first = add(VRS_OP_GLOBAL_AVG, corner, -1, mean, &(struct vrs_node){0});
	add_resize(x, odd, true);
	int32_t second = add(VRS_OP_GLOBAL_AVG, odd, -1, mean2, &(struct vrs_node){0});
	graph.outputs[graph.output_count++] = mean2;
	rewrite(x, mean);
	assert_int_equal(graph.nodes[first].in[0], corner);
	assert_int_equal(graph.nodes[second].in[0], odd);
}

static void test_scale(void **state)
{
	(void)state;
	int32_t x = tensor(4, 4, 8), s = tensor(1, 1, 8), product = tensor(4, 4, 8), y = tensor(4, 4, 3);
	graph.inputs[graph.input_count++] = s;
	int32_t mul = add_binary(VRS_MUL, s, x, product), conv = add_conv(product, y, 1);
	rewrite(x, y);
	assert_true(graph.nodes[mul].dead);
	assert_int_equal(graph.nodes[conv].in[0], x);
	assert_int_equal(graph.nodes[conv].scale, s);
}

/* skip * s + resize(x) becomes the resize; with an activation between product and sum it must not. */
static void check_merge(enum vrs_act act, bool before, bool merged)
{
	int32_t x = tensor(4, 4, 8), skip = tensor(8, 8, 8), s = tensor(1, 1, 8), big = tensor(8, 8, 8), y = tensor(8, 8, 8);
	graph.inputs[graph.input_count++] = skip;
	graph.inputs[graph.input_count++] = s;
	int32_t resize = add_resize(x, big, true), mul = add_binary(VRS_MUL, skip, s, y);
	graph.nodes[mul].residual = big;
	graph.nodes[mul].residual_before = before;
	graph.nodes[mul].act = act;
	rewrite(x, y);
	assert_int_equal(graph.nodes[mul].dead, merged);
	if (!merged)
		return;
	assert_int_equal(graph.nodes[resize].out, y);
	assert_int_equal(graph.nodes[resize].residual, skip);
	assert_int_equal(graph.nodes[resize].scale, s);
	assert_int_equal(graph.nodes[resize].act, act);
	assert_int_equal(graph.tensors[y].producer, resize);
}

static void test_merge(void **state)
{
	(void)state;
	check_merge(VRS_ACT_RELU, true, true);
}

static void test_merge_stays(void **state)
{
	(void)state;
	check_merge(VRS_ACT_RELU, false, false);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(test_conv_before_resize), CASE(test_conv_stays), CASE(test_average_of_sum), CASE(test_average_stays),
		CASE(test_scale),              CASE(test_merge),      CASE(test_merge_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
