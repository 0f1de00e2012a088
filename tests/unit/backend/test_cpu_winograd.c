/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards dense 3x3 and 5x5 convolutions in the CPU plan: chains of them with dilation, uneven padding, activations, residuals and concatenations on
 * odd sizes against the reference backend; the same bits for 1 to 8 threads; 16-bit storage; strips in bfloat16; that Winograd tiles and
 * concatenations without a copy are in use; many channels, which come in blocks; and large maps that are enlarged right before a convolution, in one
 * region with it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vrseg/session.h>

#include "backend/cpu/plan/cpu_plan.h"
#include "base/rng.h"
#include "graph/ir.h"
#include "graph/model_graph.h"
#include "machine/cpu_features.h"

#define NETWORKS 40

struct builder {
	struct vrs_graph graph;
	struct vrs_rng rng;
	int32_t maps[16];
	int count;
};

static int pick(struct builder *b, int lo, int hi)
{
	return lo + (int)vrs_rng_below(&b->rng, (uint64_t)(hi - lo + 1));
}

static int32_t add_tensor(struct builder *b, const char *name)
{
	struct vrs_graph_tensor t = {.dtype = VRS_F32, .rank = 4, .dims = {1, 1, 1, 1}, .producer = -1};
	snprintf(t.name, sizeof t.name, "%s%d", name, b->graph.tensor_count);
	int32_t id = vrs_graph_add_tensor(&b->graph, &t);
	assert_true(id >= 0);
	return id;
}

static int32_t add_values(struct builder *b, int rank, const int64_t *dims, double scale)
{
	size_t count = 1;
	for (int i = 0; i < rank; i++)
		count *= (size_t)dims[i];
	float *values = malloc(count * sizeof *values);
	assert_non_null(values);
	for (size_t i = 0; i < count; i++)
		values[i] = (float)((vrs_rng_unit(&b->rng) * 2 - 1) * scale);
	int32_t id = vrs_graph_add_const(&b->graph, "w", VRS_F32, rank, dims, values);
	free(values);
	assert_true(id >= 0);
	return id;
}

static int32_t append(struct builder *b, struct vrs_node *node)
{
	struct vrs_error err = {0};
	node->out = add_tensor(b, "t");
	int32_t id = vrs_graph_add_node(&b->graph, node);
	assert_true(id >= 0);
	if (vrs_graph_infer(&b->graph, &err) != VRS_OK) {
		print_error("%s\n", err.text);
		fail();
	}
	if (b->count < 16)
		b->maps[b->count++] = node->out;
	return node->out;
}

static int32_t add_conv(struct builder *b, int32_t in, int out)
{
	struct vrs_node node;
	int side = pick(b, 0, 3) ? 3 : 5;
	int64_t dims[4] = {out, side, side, b->graph.tensors[in].dims[3]};
	vrs_node_init(&node, VRS_OP_CONV, "conv");
	struct vrs_window *w = &node.u.window;
	node.in[0] = in;
	node.in[1] = add_values(b, 4, dims, 1.5 / sqrt((double)(side * side) * (double)dims[3]));
	node.in[2] = pick(b, 0, 3) ? add_values(b, 1, dims, 0.5) : -1;
	node.inputs = 3;
	w->kernel_h = w->kernel_w = side;
	w->dilation_h = w->dilation_w = pick(b, 0, 2) ? 1 : pick(b, 2, 4);
	w->same = pick(b, 0, 3) > 0 || w->dilation_h > 1 || b->graph.tensors[in].dims[1] < 9 || b->graph.tensors[in].dims[2] < 9;
	if (!w->same) {
		w->pad_top = pick(b, 0, 2);
		w->pad_left = pick(b, 0, 2);
		w->pad_bottom = pick(b, 0, 2);
		w->pad_right = pick(b, 0, 2);
	}
	static const enum vrs_act acts[] = {VRS_ACT_NONE, VRS_ACT_RELU, VRS_ACT_RELU6, VRS_ACT_HSWISH, VRS_ACT_SILU, VRS_ACT_TANH, VRS_ACT_SIGMOID};
	node.act = acts[pick(b, 0, 6)];
	return append(b, &node);
}

static int32_t add_pair(struct builder *b, enum vrs_op op, int32_t x, int32_t y)
{
	struct vrs_node node;
	vrs_node_init(&node, op, "pair");
	node.inputs = 2;
	node.in[0] = x;
	node.in[1] = y;
	if (op == VRS_OP_CONCAT)
		node.u.concat.axis = 3;
	else
		node.u.binary.op = VRS_ADD;
	return append(b, &node);
}

/* An older map of the same height and width, and with `all` of the same channels; -1: none. */
static int32_t partner(struct builder *b, int32_t x, bool all)
{
	const int64_t *d = b->graph.tensors[x].dims;
	for (int i = 0; i < b->count; i++) {
		const int64_t *e = b->graph.tensors[b->maps[i]].dims;
		if (b->maps[i] != x && d[1] == e[1] && d[2] == e[2] && (!all || d[3] == e[3]))
			return b->maps[i];
	}
	return -1;
}

static int32_t start(struct builder *b, uint64_t seed, int most, int channels)
{
	memset(b, 0, sizeof *b);
	vrs_graph_init(&b->graph);
	vrs_rng_init(&b->rng, seed);
	int32_t x = add_tensor(b, "in");
	int64_t *dims = b->graph.tensors[x].dims;
	dims[0] = pick(b, 1, 2);
	dims[1] = pick(b, 5, most);
	dims[2] = pick(b, 5, most);
	dims[3] = channels ? channels : pick(b, 1, 40);
	b->graph.inputs[b->graph.input_count++] = x;
	b->maps[b->count++] = x;
	return x;
}

static struct vrs_model *finish(struct builder *b, int32_t x)
{
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	b->graph.outputs[b->graph.output_count++] = x;
	if (vrs_model_from_graph(&model, &b->graph, "dense", &err) != VRS_OK) {
		print_error("%s\n", err.text);
		fail();
	}
	return model;
}

static struct vrs_model *build(struct builder *b, uint64_t seed)
{
	int32_t x = start(b, seed, 40, 0);
	for (int i = pick(b, 2, 5); i > 0; i--) {
		x = add_conv(b, x, pick(b, 0, 1) ? 8 * pick(b, 1, 6) : pick(b, 9, 50));
		if (b->graph.tensors[x].dims[1] < 5 || b->graph.tensors[x].dims[2] < 5)
			break;
		int32_t other = partner(b, x, false), same = partner(b, x, true);
		if (same >= 0 && pick(b, 0, 1))
			x = add_pair(b, VRS_OP_BINARY, x, same);
		else if (other >= 0 && pick(b, 0, 1))
			x = pick(b, 0, 1) ? add_pair(b, VRS_OP_CONCAT, x, other) : add_pair(b, VRS_OP_CONCAT, other, x);
	}
	return finish(b, add_conv(b, x, pick(b, 9, 40)));
}

/* One convolution of many channels, of one map or of the parts of a concatenation. */
static struct vrs_model *build_many(struct builder *b, uint64_t seed)
{
	int32_t x = start(b, seed, 20, (int)(100 + 47 * seed)), y = add_conv(b, x, pick(b, 100, 180));
	if (b->graph.tensors[x].dims[1] == b->graph.tensors[y].dims[1] && b->graph.tensors[x].dims[2] == b->graph.tensors[y].dims[2])
		y = add_pair(b, VRS_OP_CONCAT, x, y);
	return finish(b, add_conv(b, y, pick(b, 9, 60)));
}

static int32_t add_resize(struct builder *b, int32_t in)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_RESIZE, "resize");
	node.inputs = 1;
	node.in[0] = in;
	node.u.resize.half_pixel = true;
	node.u.resize.scale_h = node.u.resize.scale_w = 2;
	return append(b, &node);
}

/* Two maps of a decoder, enlarged and put together before a convolution; large enough to leave the cache between them. */
static struct vrs_model *build_decoder(struct builder *b, uint64_t seed)
{
	int32_t x = start(b, seed, 8, 3);
	b->graph.tensors[x].dims[1] = 70 + (int)seed;
	b->graph.tensors[x].dims[2] = 61;
	int32_t y = add_conv(b, x, 24);
	while (b->graph.tensors[y].dims[1] != b->graph.tensors[x].dims[1] || b->graph.tensors[y].dims[2] != b->graph.tensors[x].dims[2])
		y = add_conv(b, x, 24);
	int32_t up = add_resize(b, y), image = add_resize(b, x);
	return finish(b, add_conv(b, add_pair(b, VRS_OP_CONCAT, up, image), 12));
}

/* Regions of resizes that end with a convolution by tiles, in the plan for one batch entry. */
static int count_feeding_regions(const struct vrs_graph *graph)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_cpu_plan plan;
	int count = 0;
	assert_int_equal(vrs_cpu_plan_init(&plan, graph, vrs_cpu_features(), 1, &options, NULL), VRS_OK);
	for (int r = 0; r < plan.region_count; r++) {
		const struct vrs_cpu_op *first = &plan.ops[plan.regions[r].first_op], *last = first + plan.regions[r].op_count - 1;
		count += first->kind == VRS_CPU_RESIZE && last->kind == VRS_CPU_WINOGRAD;
	}
	vrs_cpu_plan_fini(&plan);
	return count;
}

struct counts {
	int convs, tiles, strips, copies;
};

static void count_kernels(struct vrs_session *session, struct counts *counts)
{
	const struct vrs_op_profile *profile;
	int rows = vrs_session_profile(session, &profile);
	assert_true(rows > 0);
	for (int i = 0; i < rows; i++) {
		counts->convs += strncmp(profile[i].name, "conv", 4) == 0;
		counts->tiles += strncmp(profile[i].kernel, "winograd", 8) == 0;
		counts->strips += strncmp(profile[i].kernel, "strips", 6) == 0;
		counts->copies += strcmp(profile[i].kernel, "copy") == 0;
	}
}

static float *run(const struct vrs_model *model, const char *backend, int threads, enum vrs_precision precision, uint64_t seed, size_t *ret_count,
		  struct counts *counts)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	struct vrs_rng rng;
	options.backend = backend;
	options.threads = threads;
	options.precision = precision;
	options.half_min_bytes = 0;
	options.profile = counts != NULL;
	options.batch = 1 + (int)(seed % 2);
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK) {
		print_error("seed %llu, %s: %s\n", (unsigned long long)seed, backend, err.text);
		fail();
	}
	vrs_rng_init(&rng, seed + 1);
	struct vrs_tensor_view in = vrs_session_input(session, 0), out = vrs_session_output(session, 0);
	for (size_t k = 0; k < in.elements; k++)
		in.data[k] = (float)(vrs_rng_unit(&rng) * 2 - 1);
	assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	if (counts)
		count_kernels(session, counts);
	float *values = malloc(out.elements * sizeof *values);
	assert_non_null(values);
	memcpy(values, out.data, out.elements * sizeof *values);
	*ret_count = out.elements;
	vrs_session_destroy(session);
	return values;
}

/* Relative to the largest value: each of at most 7 convolutions adds 2e-6 (see test_winograd.c), or a rounding to 16 bits. */
static void compare(const float *want, const float *got, size_t count, double limit, uint64_t seed, const char *what)
{
	double largest = 1;
	for (size_t i = 0; i < count; i++)
		largest = fmax(largest, fabs((double)want[i]));
	for (size_t i = 0; i < count; i++) {
		if (!(fabs((double)want[i] - (double)got[i]) <= limit * largest)) {
			print_error("seed %llu, %s, element %zu: want %.8g, got %.8g\n", (unsigned long long)seed, what, i, (double)want[i], (double)got[i]);
			fail();
		}
	}
}

static void test_dense_networks(void **state)
{
	(void)state;
	struct counts counts = {0};
	for (uint64_t seed = 0; seed < NETWORKS; seed++) {
		struct builder b;
		size_t count, more_count;
		struct vrs_model *model = build(&b, seed);
		float *want = run(model, "ref", 1, VRS_PRECISION_FP32, seed, &count, NULL);
		float *got = run(model, "cpu", 1, VRS_PRECISION_FP32, seed, &more_count, &counts);
		compare(want, got, count, 2e-5, seed, "fp32");
		for (int threads = 2; threads <= 8; threads += seed % 4 ? 3 : 1) {
			float *more = run(model, "cpu", threads, VRS_PRECISION_FP32, seed, &more_count, NULL);
			if (count != more_count || memcmp(got, more, count * sizeof *got) != 0) {
				print_error("seed %llu: %d threads give other bits\n", (unsigned long long)seed, threads);
				fail();
			}
			free(more);
		}
		float *half = run(model, "cpu", 1 + (int)(seed % 3), VRS_PRECISION_FP16, seed, &more_count, NULL);
		compare(want, half, count, 7e-3, seed, "fp16");
		free(want);
		free(got);
		free(half);
		vrs_model_destroy(model);
		vrs_graph_fini(&b.graph);
	}
	print_message("%d convolutions, %d by tiles, %d copied concatenations\n", counts.convs, counts.tiles, counts.copies);
	assert_true(counts.tiles * 2 > counts.convs);
}

/* The errors grow with the sum of magnitudes, which signs of thousands of products cancel: with 500 channels up to 3e-5 of the largest value. */
static void test_many_channels(void **state)
{
	(void)state;
	struct counts counts = {0};
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct builder b;
		size_t count, more_count;
		struct vrs_model *model = build_many(&b, seed);
		float *want = run(model, "ref", 1, VRS_PRECISION_FP32, seed, &count, NULL);
		float *got = run(model, "cpu", 1, VRS_PRECISION_FP32, seed, &more_count, &counts);
		float *more = run(model, "cpu", 3, VRS_PRECISION_FP32, seed, &more_count, NULL);
		compare(want, got, count, 8e-5, seed, "many channels");
		assert_memory_equal(got, more, count * sizeof *got);
		free(want);
		free(got);
		free(more);
		vrs_model_destroy(model);
		vrs_graph_fini(&b.graph);
	}
	assert_true(counts.tiles * 2 > counts.convs && counts.copies == 0);
}

/* In bfloat16: 0.03 of the largest value is what a few roundings of 2^-8 become in seven layers, whichever way the products are made. */
static void test_strips(void **state)
{
	(void)state;
	struct counts counts = {0};
	bool dot = (vrs_cpu_features() & VRS_CPU_AVX512BF16) && strcmp(vrs_cpu_isa(vrs_cpu_features()), "avx512") == 0;
	if (!dot)
		print_message("this CPU cannot run avx512 with bf16: tiles in float\n");
	for (uint64_t seed = 0; seed < NETWORKS + 3; seed++) {
		struct builder b;
		size_t count, more_count;
		struct vrs_model *model = seed < NETWORKS ? build(&b, seed) : build_decoder(&b, seed - NETWORKS);
		float *want = run(model, "ref", 1, VRS_PRECISION_FP32, seed, &count, NULL);
		float *got = run(model, "cpu", 1, VRS_PRECISION_BF16, seed, &more_count, &counts);
		compare(want, got, count, 0.03, seed, "bf16");
		for (int threads = 2; threads <= 8; threads += 3) {
			float *more = run(model, "cpu", threads, VRS_PRECISION_BF16, seed, &more_count, NULL);
			if (count != more_count || memcmp(got, more, count * sizeof *got) != 0) {
				print_error("seed %llu: %d threads give other bits in bf16\n", (unsigned long long)seed, threads);
				fail();
			}
			free(more);
		}
		free(want);
		free(got);
		vrs_model_destroy(model);
		vrs_graph_fini(&b.graph);
	}
	print_message("%d convolutions, %d by strips, %d by tiles\n", counts.convs, counts.strips, counts.tiles);
	assert_true(dot ? counts.strips * 4 > counts.convs : counts.strips == 0);
}

static void test_resize_before_tiles(void **state)
{
	(void)state;
	int regions = 0;
	for (uint64_t seed = 0; seed < 3; seed++) {
		struct builder b;
		size_t count, more_count;
		struct vrs_model *model = build_decoder(&b, seed);
		regions += count_feeding_regions(&b.graph);
		float *want = run(model, "ref", 1, VRS_PRECISION_FP32, seed, &count, NULL);
		float *got = run(model, "cpu", 1, VRS_PRECISION_FP32, seed, &more_count, NULL);
		compare(want, got, count, 2e-5, seed, "resize");
		for (int threads = 2; threads <= 5; threads++) {
			float *more = run(model, "cpu", threads, VRS_PRECISION_FP32, seed, &more_count, NULL);
			assert_memory_equal(got, more, count * sizeof *got);
			free(more);
		}
		float *half = run(model, "cpu", 2, VRS_PRECISION_FP16, seed, &more_count, NULL);
		compare(want, half, count, 7e-3, seed, "resize, fp16");
		free(want);
		free(got);
		free(half);
		vrs_model_destroy(model);
		vrs_graph_fini(&b.graph);
	}
	assert_true(regions > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_dense_networks), cmocka_unit_test(test_many_channels), cmocka_unit_test(test_strips),
		cmocka_unit_test(test_resize_before_tiles)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
