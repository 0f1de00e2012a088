/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards work that is cut finer than by rows: dense layers on one pixel and averages by output channels, Winograd maps by tiles, pointwise operations
 * by pixels.  Random sizes around panels and tiles, activations inside and behind the kernels, residuals, batches; on 2 to 8 threads the bits of one
 * thread, which agree with the reference; and that such cuts are in use.
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

static const enum vrs_act acts[] = {VRS_ACT_NONE, VRS_ACT_CLIP, VRS_ACT_HSWISH, VRS_ACT_SIGMOID, VRS_ACT_SILU};
#define ACTS ((int)(sizeof acts / sizeof *acts))

static int32_t emit(struct random_graph *r, struct vrs_node *node)
{
	int32_t id = random_emit(r, node);
	if (id < 0)
		fail_msg("a node cannot be added after tensor %d", (int)node->in[0]);
	return id;
}

static int32_t add_conv(struct random_graph *r, int32_t x, int out, int kernel, int residual)
{
	const int64_t in = random_tensor(r, x)->dims[3], dims[4] = {out, kernel, kernel, in}, outs = out;
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_CONV, NULL);
	node.inputs = 3;
	node.in[0] = x;
	node.in[1] = random_const(r, 4, dims, sqrt(3.0 / (double)(in * kernel * kernel)));
	node.in[2] = random_const(r, 1, &outs, 0.3);
	node.u.window.kernel_h = node.u.window.kernel_w = kernel;
	node.u.window.same = true;
	node.act = acts[random_range(r, 0, ACTS - 1)];
	node.act_hi = 6;
	node.residual = residual;
	node.residual_before = residual >= 0 && random_range(r, 0, 1);
	return emit(r, &node);
}

static int32_t add_mean(struct random_graph *r, int32_t x)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_GLOBAL_AVG, NULL);
	node.inputs = 1;
	node.in[0] = x;
	return emit(r, &node);
}

static int32_t add_depthwise(struct random_graph *r, int32_t x, int stride)
{
	const int64_t channels = random_tensor(r, x)->dims[3];
	const int kernel = random_range(r, 0, 1) ? 3 : 5;
	const int64_t dims[3] = {kernel, kernel, channels};
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_CONV, NULL);
	node.inputs = 2;
	node.in[0] = x;
	node.in[1] = random_const(r, 3, dims, 0.5);
	node.u.window.kernel_h = node.u.window.kernel_w = kernel;
	node.u.window.stride_h = node.u.window.stride_w = stride;
	node.u.window.groups = (int)channels;
	node.u.window.same = true;
	node.act = acts[random_range(r, 0, ACTS - 1)];
	node.act_hi = 6;
	return emit(r, &node);
}

static int32_t add_sum(struct random_graph *r, int32_t a, int32_t b)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_BINARY, NULL);
	node.inputs = 2;
	node.in[0] = a;
	node.in[1] = b;
	node.u.binary.op = VRS_ADD;
	return emit(r, &node);
}

/* The end of a MobileNet: inverted residuals on a map of few, odd rows, then the average and a dense layer. */
static int32_t add_small_maps(struct random_graph *r, int32_t x)
{
	x = add_conv(r, x, random_range(r, 16, 40), 1, -1);
	for (int i = 0; i < 2; i++) {
		int32_t wide = add_conv(r, x, random_range(r, 100, 200), 1, -1);
		wide = add_depthwise(r, wide, 1);
		x = random_range(r, 0, 1) ? add_conv(r, wide, (int)random_tensor(r, x)->dims[3], 1, x)
					  : add_sum(r, x, add_conv(r, wide, (int)random_tensor(r, x)->dims[3], 1, -1));
	}
	r->graph.outputs[r->graph.output_count++] = x;
	x = add_conv(r, x, random_range(r, 600, 700), 1, -1);
	return add_conv(r, add_mean(r, x), random_range(r, 70, 120), 1, -1);
}

/* Convolutions of 3x3 on a map of 9 to 28 pixels a side, its mean, and dense layers of up to 700 channels on that. */
static int32_t add_large_maps(struct random_graph *r, int32_t x)
{
	x = add_conv(r, x, random_range(r, 16, 36), 3, -1);
	x = add_conv(r, x, (int)random_tensor(r, x)->dims[3], 3, x);
	r->graph.outputs[r->graph.output_count++] = x;
	x = add_conv(r, add_mean(r, x), random_range(r, 470, 700), 1, -1);
	x = add_conv(r, x, (int)random_tensor(r, x)->dims[3], 1, x);
	return add_conv(r, x, random_range(r, 70, 120), 1, -1);
}

static struct vrs_model *build(struct random_graph *r, uint64_t seed)
{
	struct vrs_graph_tensor input = {.name = "image", .dtype = VRS_F32, .rank = 4};
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	*r = (struct random_graph){.serial = 0};
	vrs_rng_init(&r->rng, seed);
	int low = seed % 2 ? 5 : 9, high = seed % 2 == 0 ? 28 : seed % 4 == 1 ? 6 : 9;
	int images = random_range(r, 1, seed % 4 == 3 ? 1 : 2);
	const int64_t dims[4] = {images, random_range(r, low, high), random_range(r, low, high), random_range(r, 16, 32)};
	memcpy(input.dims, dims, sizeof dims);
	int32_t x = r->graph.inputs[r->graph.input_count++] = random_check(vrs_graph_add_tensor(&r->graph, &input));
	x = seed % 2 ? add_small_maps(r, x) : add_large_maps(r, x);
	r->graph.outputs[r->graph.output_count++] = x;
	if (vrs_model_from_graph(&model, &r->graph, "shares", &err) != VRS_OK)
		fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
	return model;
}

/* limit 0: the same bits; else relative to the largest value. */
static void compare(struct vrs_session *a, struct vrs_session *b, double limit, uint64_t seed, int threads)
{
	for (int k = 0; k < 2; k++) {
		struct vrs_tensor_view want = vrs_session_output(a, k), got = vrs_session_output(b, k);
		double largest = 1, worst = 0;
		for (size_t i = 0; i < want.elements; i++) {
			double off = fabs((double)want.data[i] - (double)got.data[i]);
			largest = fmax(largest, fabs((double)want.data[i]));
			worst = off > worst || isnan(off) ? off : worst;
		}
		if (limit > 0 ? !(worst <= limit * largest) : memcmp(want.data, got.data, want.bytes) != 0)
			fail_msg("seed %llu, %d threads, output %d: differs by %g", (unsigned long long)seed, threads, k, worst);
	}
}

struct counts {
	int channels, averages, tiles, pixels;
};

static void count_shares(const struct vrs_model *model, int threads, struct counts *counts)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_graph graph;
	struct vrs_cpu_plan plan;
	options.batch = (int)vrs_model_graph(model)->tensors[vrs_model_graph(model)->inputs[0]].dims[0];
	assert_int_equal(vrs_session_graph(&graph, model, &options, NULL), VRS_OK);
	assert_int_equal(vrs_cpu_plan_init(&plan, &graph, vrs_cpu_features(), threads, &options, NULL), VRS_OK);
	for (size_t i = 0; i < plan.item_count; i++) {
		enum vrs_cpu_kind kind = plan.ops[plan.items[i].op].kind;
		counts->channels += plan.items[i].share.c1 > 0 && kind == VRS_CPU_CONV;
		counts->averages += plan.items[i].share.c1 > 0 && kind == VRS_CPU_GLOBAL_AVG;
		counts->tiles += plan.items[i].share.x1 > 0 && kind == VRS_CPU_WINOGRAD;
		counts->pixels += plan.items[i].share.x1 > 0 && kind != VRS_CPU_WINOGRAD;
	}
	vrs_cpu_plan_fini(&plan);
	vrs_graph_fini(&graph);
}

static void test_shares(void **state)
{
	(void)state;
	struct counts counts = {0, 0, 0, 0};
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
		count_shares(model, 2 + (int)(seed % 7), &counts);
		vrs_session_destroy(want);
		vrs_session_destroy(one);
		vrs_model_destroy(model);
		vrs_graph_fini(&r.graph);
	}
	print_message("%d shares of layers, %d of averages, %d of tiles, %d of pixels\n", counts.channels, counts.averages, counts.tiles, counts.pixels);
	assert_true(counts.channels > NETWORKS);
	assert_true(counts.averages > NETWORKS / 6);
	assert_true(counts.tiles > NETWORKS);
	assert_true(counts.pixels > NETWORKS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_shares)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
