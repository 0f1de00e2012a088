/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards inverted residuals with squeeze-excitation on small maps with many channels: pointwise convolutions that take rows over the padding of their
 * reader as one, and that scale their input or their weights, whichever are fewer; against the reference, the same bits on 1 to 8 threads; and
 * that both ways to scale are in use.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <vrseg/session.h>

#include "backend/cpu/plan/cpu_plan.h"
#include "graph/model_graph.h"
#include "machine/cpu_features.h"
#include "session/session_graph.h"
#include "unit/backend/random_graph.h"
#include "unit/backend/random_run.h"

#define NETWORKS 60

static int channels_of(const struct random_graph *r, int32_t x)
{
	return (int)random_tensor(r, x)->dims[3];
}

static int32_t add_conv(struct random_graph *r, int32_t x, int out, int kernel, bool depthwise, enum vrs_act act, int residual)
{
	const int64_t in = channels_of(r, x), each = depthwise ? 1 : in, dims[4] = {out, kernel, kernel, each}, outs = out;
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_CONV, NULL);
	node.inputs = 3;
	node.in[0] = x;
	node.in[1] = random_const(r, 4, dims, sqrt(3.0 / (double)(each * kernel * kernel)));
	node.in[2] = random_const(r, 1, &outs, 0.3);
	node.u.window.kernel_h = node.u.window.kernel_w = kernel;
	node.u.window.groups = depthwise ? (int)in : 1;
	node.u.window.same = true;
	node.act = act;
	node.act_hi = 6;
	node.residual = residual;
	return random_check(random_emit(r, &node));
}

static int32_t add_mean(struct random_graph *r, int32_t x)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_GLOBAL_AVG, NULL);
	node.inputs = 1;
	node.in[0] = x;
	return random_check(random_emit(r, &node));
}

static int32_t add_product(struct random_graph *r, int32_t a, int32_t b)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_BINARY, NULL);
	node.u.binary.op = VRS_MUL;
	node.inputs = 2;
	node.in[0] = a;
	node.in[1] = b;
	return random_check(random_emit(r, &node));
}

static int32_t add_block(struct random_graph *r, int32_t x, int out)
{
	bool same = out == channels_of(r, x);
	int wide = random_range(r, 40, 150);
	int32_t y = add_conv(r, x, wide, 1, false, random_range(r, 0, 1) ? VRS_ACT_HSWISH : VRS_ACT_CLIP, -1);
	y = add_conv(r, y, wide, random_range(r, 1, 2) * 2 + 1, true, VRS_ACT_HSWISH, -1);
	if (random_range(r, 0, 3) > 0) {
		int32_t s = add_conv(r, add_mean(r, y), random_range(r, 8, 40), 1, false, VRS_ACT_CLIP, -1);
		y = add_product(r, y, add_conv(r, s, wide, 1, false, VRS_ACT_HSIGMOID, -1));
	}
	return add_conv(r, y, out, 1, false, VRS_ACT_NONE, same ? x : -1);
}

static struct vrs_model *build(struct random_graph *r, uint64_t seed)
{
	struct vrs_graph_tensor input = {.name = "image", .dtype = VRS_F32, .rank = 4};
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	*r = (struct random_graph){.serial = 0};
	vrs_rng_init(&r->rng, seed);
	const int64_t dims[4] = {random_range(r, 1, 2), random_range(r, 2, 14), random_range(r, 2, 9), random_range(r, 8, 150)};
	memcpy(input.dims, dims, sizeof dims);
	r->graph.inputs[r->graph.input_count++] = random_check(vrs_graph_add_tensor(&r->graph, &input));
	int32_t x = add_block(r, 0, (int)dims[3]);
	x = add_block(r, x, random_range(r, 10, 150));
	r->graph.outputs[r->graph.output_count++] = add_block(r, x, channels_of(r, x));
	if (vrs_model_from_graph(&model, &r->graph, "small maps", &err) != VRS_OK)
		fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
	return model;
}

/* limit 0: the same bits; else relative to the largest value. */
static void compare(struct vrs_session *a, struct vrs_session *b, double limit, uint64_t seed, int threads)
{
	struct vrs_tensor_view want = vrs_session_output(a, 0), got = vrs_session_output(b, 0);
	double largest = 1, worst = 0;
	for (size_t i = 0; i < want.elements; i++) {
		double off = fabs((double)want.data[i] - (double)got.data[i]);
		largest = fmax(largest, fabs((double)want.data[i]));
		worst = off > worst || isnan(off) ? off : worst;
	}
	if (limit > 0 ? !(worst <= limit * largest) : memcmp(want.data, got.data, want.bytes) != 0)
		fail_msg("seed %llu, %d threads: differs by %g", (unsigned long long)seed, threads, worst);
}

static void count_scaled(const struct vrs_model *model, int *inputs, int *weights)
{
	struct vrs_session_options options = random_options(model, "cpu", 2);
	struct vrs_graph graph;
	struct vrs_cpu_plan plan;
	assert_int_equal(vrs_session_graph(&graph, model, &options, NULL), VRS_OK);
	assert_int_equal(vrs_cpu_plan_init(&plan, &graph, vrs_cpu_features(), 2, &options, NULL), VRS_OK);
	for (int i = 0; i < plan.op_count; i++) {
		*inputs += plan.ops[i].scale >= 0 && plan.ops[i].scaled_rows > 0;
		*weights += plan.ops[i].scale >= 0 && plan.ops[i].prepared;
	}
	vrs_cpu_plan_fini(&plan);
	vrs_graph_fini(&graph);
}

static void test_small_maps(void **state)
{
	(void)state;
	int inputs = 0, weights = 0;
	for (uint64_t seed = 0; seed < NETWORKS; seed++) {
		struct random_graph r;
		struct vrs_model *model = build(&r, seed);
		struct vrs_session *want = random_run(model, "ref", 1, seed), *one = random_run(model, "cpu", 1, seed);
		compare(want, one, 2e-5, seed, 1);
		for (int threads = 2; threads <= 8; threads += seed % 4 ? 3 : 1) {
			struct vrs_session *more = random_run(model, "cpu", threads, seed);
			compare(one, more, 0, seed, threads);
			vrs_session_destroy(more);
		}
		count_scaled(model, &inputs, &weights);
		vrs_session_destroy(want);
		vrs_session_destroy(one);
		vrs_model_destroy(model);
		vrs_graph_fini(&r.graph);
	}
	print_message("%d convolutions scale their input, %d their weights\n", inputs, weights);
	assert_true(inputs > NETWORKS / 2);
	assert_true(weights > NETWORKS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_small_maps)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
