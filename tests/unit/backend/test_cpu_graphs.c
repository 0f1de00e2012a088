/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the CPU executor: random networks of all operators against the reference backend, with and without fusion, in fp32, fp16 and bf16; the
 * same bits for 1 to 8 threads; repeated runs; allocation failures.  A failure prints the seed that builds the network again.
 */
#include <float.h>
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

#include "base/mem.h"
#include "base/rng.h"
#include "graph/eval.h"
#include "graph/model_graph.h"

#define NETWORKS 150
#define MAX_OPS 14

struct builder {
	struct vrs_graph graph;
	struct vrs_rng rng;
	int32_t pool[64]; /* rank 4 activations so far */
	int pool_count, ops;
	char trace[1024];
};

static int pick(struct builder *b, int lo, int hi)
{
	return lo + (int)vrs_rng_below(&b->rng, (uint64_t)(hi - lo + 1));
}

static bool chance(struct builder *b, int percent)
{
	return pick(b, 0, 99) < percent;
}

static int32_t add_activation(struct builder *b)
{
	struct vrs_graph_tensor t = {.dtype = VRS_F32, .rank = 4, .producer = -1};
	snprintf(t.name, sizeof t.name, "t%d", b->graph.tensor_count);
	for (int i = 0; i < 4; i++)
		t.dims[i] = 1; /* inferred later */
	int32_t id = vrs_graph_add_tensor(&b->graph, &t);
	assert_true(id >= 0);
	return id;
}

static int32_t add_constant(struct builder *b, int rank, const int64_t *dims, double scale)
{
	struct vrs_graph_tensor t = {.dtype = VRS_F32, .rank = rank, .producer = -1};
	size_t count = 1;
	for (int i = 0; i < rank; i++) {
		t.dims[i] = dims[i];
		count *= (size_t)dims[i];
	}
	float *values = malloc(count * sizeof *values);
	assert_non_null(values);
	for (size_t i = 0; i < count; i++)
		values[i] = (float)((vrs_rng_unit(&b->rng) * 2 - 1) * scale);
	snprintf(t.name, sizeof t.name, "c%d", b->graph.tensor_count);
	t.data = vrs_graph_store(&b->graph, values, count * sizeof *values);
	t.data_bytes = count * sizeof *values;
	free(values);
	assert_non_null(t.data);
	int32_t id = vrs_graph_add_tensor(&b->graph, &t);
	assert_true(id >= 0);
	return id;
}

static struct vrs_node new_node(enum vrs_op op, int32_t in)
{
	struct vrs_node node = {.op = op, .inputs = 1, .in = {in}, .residual = -1, .scale = -1};
	for (int i = 1; i < VRS_NODE_MAX_INPUTS; i++)
		node.in[i] = -1;
	return node;
}

/* Append, infer shapes, and drop the network's newest node again if it does not fit. */
static int32_t append(struct builder *b, struct vrs_node *node)
{
	struct vrs_error err = {0};
	memset(&err, 0, sizeof err);
	node->out = add_activation(b);
	snprintf(node->name, sizeof node->name, "n%d", b->graph.node_count);
	int32_t id = vrs_graph_add_node(&b->graph, node);
	assert_true(id >= 0);
	b->graph.tensors[node->out].producer = id;
	if (vrs_graph_infer(&b->graph, &err) != VRS_OK) {
		print_error("%s: %s\n", b->trace, err.text);
		fail();
	}
	const struct vrs_graph_tensor *t = &b->graph.tensors[node->out];
	size_t used = strlen(b->trace);
	snprintf(b->trace + used, sizeof b->trace - used, " %s[%dx%dx%d]", vrs_op_name(node->op), (int)t->dims[1], (int)t->dims[2], (int)t->dims[3]);
	b->pool[b->pool_count++] = node->out;
	b->ops++;
	return node->out;
}

static const int64_t *dims_of(const struct builder *b, int32_t id)
{
	return b->graph.tensors[id].dims;
}

static int32_t add_unary(struct builder *b, int32_t in, enum vrs_act act)
{
	struct vrs_node node = new_node(VRS_OP_UNARY, in);
	node.act = act;
	node.act_lo = act == VRS_ACT_LEAKY ? 0.1f : -0.4f;
	node.act_hi = 0.8f;
	return append(b, &node);
}

static void random_window(struct builder *b, struct vrs_node *node, int32_t in, bool dilate)
{
	struct vrs_window *w = &node->u.window;
	int64_t h = dims_of(b, in)[1], width = dims_of(b, in)[2];
	w->kernel_h = chance(b, 40) ? 3 : pick(b, 1, 5);
	w->kernel_w = chance(b, 60) ? w->kernel_h : pick(b, 1, 5);
	w->stride_h = w->stride_w = chance(b, 30) ? 2 : 1;
	w->dilation_h = w->dilation_w = dilate && chance(b, 20) ? 2 : 1;
	w->groups = 1;
	if (chance(b, 60)) {
		w->same = true;
		return;
	}
	w->pad_top = pick(b, 0, w->kernel_h - 1);
	w->pad_left = pick(b, 0, w->kernel_w - 1);
	w->pad_bottom = pick(b, 0, w->kernel_h - 1);
	w->pad_right = pick(b, 0, w->kernel_w - 1);
	w->same = h + w->pad_top + w->pad_bottom <= (w->kernel_h - 1) * w->dilation_h + 1 ||
		  width + w->pad_left + w->pad_right <= (w->kernel_w - 1) * w->dilation_w + 1;
	if (w->same)
		w->pad_top = w->pad_left = w->pad_bottom = w->pad_right = 0;
}

static int32_t add_conv(struct builder *b, int32_t in, bool depthwise, bool pointwise, int64_t out)
{
	struct vrs_node node = new_node(VRS_OP_CONV, in);
	struct vrs_window *w = &node.u.window;
	int64_t channels = dims_of(b, in)[3];
	random_window(b, &node, in, true);
	if (pointwise)
		*w = (struct vrs_window){.kernel_h = 1, .kernel_w = 1, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .groups = 1};
	if (!depthwise && !pointwise && channels % 2 == 0 && out % 2 == 0 && chance(b, 20))
		w->groups = 2;
	double scale = 1.5 / sqrt((double)(w->kernel_h * w->kernel_w) * (depthwise ? 1.0 : (double)channels / w->groups));
	if (depthwise) {
		w->groups = (int)channels;
		out = channels * (chance(b, 15) ? 2 : 1);
		node.in[1] = add_constant(b, 3, (int64_t[]){w->kernel_h, w->kernel_w, out}, scale);
	} else {
		node.in[1] = add_constant(b, 4, (int64_t[]){out, w->kernel_h, w->kernel_w, channels / w->groups}, scale);
	}
	node.in[2] = chance(b, 80) ? add_constant(b, 1, &out, 0.5) : -1;
	node.inputs = 3;
	return append(b, &node);
}

static int32_t add_deconv(struct builder *b, int32_t in)
{
	struct vrs_node node = new_node(VRS_OP_DECONV, in);
	struct vrs_window *w = &node.u.window;
	int64_t out = pick(b, 1, 9), channels = dims_of(b, in)[3];
	*w = (struct vrs_window){.dilation_h = 1, .dilation_w = 1, .groups = 1, .same = true};
	w->stride_h = w->stride_w = pick(b, 1, 2);
	w->kernel_h = w->kernel_w = chance(b, 50) ? w->stride_h : pick(b, w->stride_h, 4);
	node.in[1] = add_constant(b, 4, (int64_t[]){out, w->kernel_h, w->kernel_w, channels}, 1.5 / sqrt((double)channels));
	node.in[2] = chance(b, 80) ? add_constant(b, 1, &out, 0.5) : -1;
	node.inputs = 3;
	return append(b, &node);
}

static int32_t add_resize(struct builder *b, int32_t in)
{
	struct vrs_node node = new_node(VRS_OP_RESIZE, in);
	int mode = pick(b, 0, 2);
	node.u.resize.half_pixel = mode == 1;
	node.u.resize.align_corners = mode == 2;
	node.u.resize.nearest = mode != 2 && chance(b, 30);
	node.u.resize.out_h = chance(b, 70) ? 2 * dims_of(b, in)[1] : pick(b, 1, 30);
	node.u.resize.out_w = chance(b, 70) ? 2 * dims_of(b, in)[2] : pick(b, 1, 30);
	return append(b, &node);
}

static int32_t add_binary(struct builder *b, enum vrs_binary op, int32_t x, int32_t y)
{
	struct vrs_node node = new_node(VRS_OP_BINARY, x);
	node.u.binary.op = op;
	node.in[1] = y;
	node.inputs = 2;
	return append(b, &node);
}

/* A tensor of the same shape, made by a 1x1 convolution of x or found in the network. */
static int32_t partner(struct builder *b, int32_t x)
{
	for (int i = 0; i < b->pool_count; i++)
		if (b->pool[i] != x && memcmp(dims_of(b, b->pool[i]), dims_of(b, x), 4 * sizeof(int64_t)) == 0 && chance(b, 70))
			return b->pool[i];
	return add_conv(b, x, false, true, dims_of(b, x)[3]);
}

/* Squeeze-excitation with an optional 1x1 convolution behind it. */
static int32_t add_se(struct builder *b, int32_t x)
{
	struct vrs_node gap = new_node(VRS_OP_GLOBAL_AVG, x);
	int32_t y = append(b, &gap);
	y = add_unary(b, add_conv(b, y, false, true, pick(b, 1, 12)), VRS_ACT_RELU);
	y = add_unary(b, add_conv(b, y, false, true, dims_of(b, x)[3]), VRS_ACT_SIGMOID);
	y = add_binary(b, VRS_MUL, x, y);
	return chance(b, 60) ? add_conv(b, y, false, true, pick(b, 1, 40)) : y;
}

/* The decoder step of the selfie network: up-sampled path and skip, weighted by the average of their sum. */
static int32_t add_merge(struct builder *b, int32_t x)
{
	int32_t skip = partner(b, x), sum = add_binary(b, VRS_ADD, skip, x);
	struct vrs_node gap = new_node(VRS_OP_GLOBAL_AVG, sum);
	int32_t factor = add_unary(b, append(b, &gap), VRS_ACT_SIGMOID);
	return add_binary(b, VRS_ADD, add_binary(b, VRS_MUL, skip, factor), x);
}

static int32_t add_concat(struct builder *b, int32_t x)
{
	struct vrs_node node = new_node(VRS_OP_CONCAT, x);
	node.in[1] = partner(b, x);
	node.inputs = 2;
	node.u.concat.axis = chance(b, 70) ? 3 : pick(b, 1, 2);
	return append(b, &node);
}

static int32_t add_pool(struct builder *b, int32_t x)
{
	struct vrs_node node = new_node(chance(b, 50) ? VRS_OP_POOL_MAX : VRS_OP_POOL_AVG, x);
	random_window(b, &node, x, false);
	node.u.window.same = true;
	node.u.window.count_pad = node.op == VRS_OP_POOL_AVG && chance(b, 40);
	return append(b, &node);
}

static int32_t add_pad(struct builder *b, int32_t x)
{
	struct vrs_node node = new_node(VRS_OP_PAD, x);
	for (int i = 1; i < 4; i++) {
		node.u.pad.before[i] = pick(b, 0, 2);
		node.u.pad.after[i] = pick(b, 0, 2);
	}
	vrs_store_f64(VRS_F32, node.u.pad.fill, 0, chance(b, 50) ? 0 : 0.5);
	return append(b, &node);
}

static int32_t add_random(struct builder *b, int32_t x)
{
	int64_t out = chance(b, 50) ? 8 * pick(b, 1, 5) : pick(b, 1, 40);
	switch (pick(b, 0, 15)) {
	case 0:
	case 1: return add_conv(b, x, false, false, out);
	case 2:
	case 3: return add_conv(b, x, false, true, out);
	case 4:
	case 5: return add_conv(b, x, true, false, 0);
	case 6: return add_deconv(b, x);
	case 7: return add_resize(b, x);
	case 8: return add_binary(b, (enum vrs_binary)(chance(b, 60) ? 0 : pick(b, 1, 2)), x, partner(b, x));
	case 9: return add_se(b, x);
	case 10: return add_merge(b, x);
	case 11: return add_concat(b, x);
	case 12: return add_pool(b, x);
	case 13: {
		struct vrs_node node = new_node(VRS_OP_SOFTMAX, x);
		return append(b, &node);
	}
	case 14: return add_pad(b, x);
	default: return add_unary(b, x, (enum vrs_act)pick(b, VRS_ACT_RELU, VRS_ACT_SILU));
	}
}

static void build(struct builder *b, uint64_t seed)
{
	memset(b, 0, sizeof *b);
	vrs_graph_init(&b->graph);
	vrs_rng_init(&b->rng, seed);
	int32_t x = add_activation(b);
	struct vrs_graph_tensor *in = &b->graph.tensors[x];
	in->dims[0] = pick(b, 1, 3);
	in->dims[1] = pick(b, 2, 28);
	in->dims[2] = pick(b, 2, 28);
	in->dims[3] = pick(b, 1, 20);
	b->graph.inputs[b->graph.input_count++] = x;
	b->pool[b->pool_count++] = x;
	int wanted = pick(b, 1, MAX_OPS - 5);
	while (b->ops < wanted) {
		x = add_random(b, x);
		if (chance(b, 50))
			x = add_unary(b, x, (enum vrs_act)pick(b, VRS_ACT_RELU, VRS_ACT_SILU));
		if (dims_of(b, x)[1] * dims_of(b, x)[2] * dims_of(b, x)[3] > 60000)
			break;
	}
	b->graph.outputs[b->graph.output_count++] = x;
	if (b->pool_count > 2 && chance(b, 30) && b->pool[b->pool_count / 2] != x)
		b->graph.outputs[b->graph.output_count++] = b->pool[b->pool_count / 2];
}

struct result {
	float *values;
	size_t count;
};

/* Run a network; the outputs one after the other.  min_bytes: of values that 16-bit storage takes. */
static struct result run_stored(const struct vrs_model *model, const char *backend, int threads, bool fusion, enum vrs_precision precision,
				int64_t min_bytes, int runs, uint64_t seed)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	struct result result = {NULL, 0};
	memset(&err, 0, sizeof err);
	options.backend = backend;
	options.threads = threads;
	options.fusion = fusion;
	options.precision = precision;
	options.half_min_bytes = min_bytes;
	options.batch = 1 + (int)(seed % 3);
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK) {
		print_error("seed %llu, %s: %s\n", (unsigned long long)seed, backend, err.text);
		fail();
	}
	for (int i = 0; i < runs; i++) {
		struct vrs_rng rng;
		struct vrs_tensor_view in = vrs_session_input(session, 0);
		vrs_rng_init(&rng, seed + 1);
		for (size_t k = 0; k < in.elements; k++)
			in.data[k] = (float)(vrs_rng_unit(&rng) * 2 - 1);
		assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	}
	int outputs = vrs_model_info(model).outputs;
	for (int i = 0; i < outputs; i++)
		result.count += vrs_session_output(session, i).elements;
	result.values = malloc(result.count * sizeof *result.values);
	assert_non_null(result.values);
	size_t at = 0;
	for (int i = 0; i < outputs; i++) {
		struct vrs_tensor_view out = vrs_session_output(session, i);
		memcpy(result.values + at, out.data, out.elements * sizeof *out.data);
		at += out.elements;
	}
	vrs_session_destroy(session);
	return result;
}

/* Run a network; the outputs one after the other. */
static struct result run(const struct vrs_model *model, const char *backend, int threads, bool fusion, enum vrs_precision precision, int runs,
			 uint64_t seed)
{
	return run_stored(model, backend, threads, fusion, precision, -1, runs, seed);
}
/*
 * Relative to the largest value.  Every operator adds rounding errors of sums of at most 800 products; weights have gain 1 at most, so that errors
 * of single operators add up: ops * sqrt(800) * eps, times a factor of 8 for the few outliers of a random walk.
 */
static double tolerance(int ops, double epsilon)
{
	return 8.0 * ops * sqrt(800.0) * epsilon;
}

static void compare(const struct builder *b, const struct result *want, const struct result *got, double limit, uint64_t seed, const char *what)
{
	double largest = 1;
	assert_int_equal(want->count, got->count);
	for (size_t i = 0; i < want->count; i++)
		largest = fmax(largest, fabs((double)want->values[i]));
	for (size_t i = 0; i < want->count; i++) {
		if (!(fabs((double)want->values[i] - (double)got->values[i]) <= limit * largest)) {
			print_error("seed %llu, %s, element %zu of %zu: want %.8g, got %.8g (limit %.3g):%s\n", (unsigned long long)seed, what, i, want->count,
				    (double)want->values[i], (double)got->values[i], limit * largest, b->trace);
			fail();
		}
	}
}

static void same_bits(const struct result *a, const struct result *b, uint64_t seed, int threads, const char *trace)
{
	if (a->count != b->count || memcmp(a->values, b->values, a->count * sizeof *a->values) != 0) {
		print_error("seed %llu: %d threads give other bits:%s\n", (unsigned long long)seed, threads, trace);
		fail();
	}
}

static struct vrs_model *model_of(struct builder *b)
{
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	memset(&err, 0, sizeof err);
	if (vrs_model_from_graph(&model, &b->graph, "random", &err) != VRS_OK) {
		print_error("%s: %s\n", b->trace, err.text);
		fail();
	}
	return model;
}

static void test_random_networks(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < NETWORKS; seed++) {
		struct builder b;
		build(&b, seed);
		struct vrs_model *model = model_of(&b);
		struct result want = run(model, "ref", 1, false, VRS_PRECISION_FP32, 1, seed);
		struct result plain = run(model, "cpu", 1, false, VRS_PRECISION_FP32, 1, seed);
		struct result fused = run(model, "cpu", 1, true, VRS_PRECISION_FP32, 3, seed);
		compare(&b, &want, &plain, tolerance(b.ops, (double)FLT_EPSILON), seed, "without fusion");
		compare(&b, &want, &fused, tolerance(b.ops, (double)FLT_EPSILON), seed, "with fusion");
		for (int threads = 2; threads <= 8; threads += seed % 4 ? 3 : 1) {
			struct result more = run(model, "cpu", threads, true, VRS_PRECISION_FP32, 1, seed);
			same_bits(&fused, &more, seed, threads, b.trace);
			free(more.values);
		}
		free(want.values);
		free(plain.values);
		free(fused.values);
		vrs_model_destroy(model);
		vrs_graph_fini(&b.graph);
	}
}

/* Root mean square of the differences, as a share of that of the values. */
static double rms_error(const struct result *want, const struct result *got)
{
	double sum = 1e-12 * (double)want->count, difference = 0;
	assert_int_equal(want->count, got->count);
	for (size_t i = 0; i < want->count; i++) {
		double d = (double)want->values[i] - (double)got->values[i];
		sum += (double)want->values[i] * (double)want->values[i];
		difference += d * d;
	}
	return sqrt(difference / sum);
}

/*
 * 16 bits in all values between regions, or only in large ones (of which these networks have none) and the weights.  Single elements err like
 * sums of rounding errors; on the whole an output is right to 1e-2 in bf16 (8 bits) and 1.5e-3 in fp16 (11 bits).
 */
static void check_stored(enum vrs_precision precision, double element_limit, double rms_limit)
{
	double worst = 0;
	for (uint64_t seed = 1000; seed < 1000 + NETWORKS / 2; seed++) {
		struct builder b;
		build(&b, seed);
		struct vrs_model *model = model_of(&b);
		struct result want = run(model, "ref", 1, false, VRS_PRECISION_FP32, 1, seed);
		for (int64_t min_bytes = -1; min_bytes <= 0; min_bytes++) {
			struct result one = run_stored(model, "cpu", 1, true, precision, min_bytes, 2, seed);
			struct result more = run_stored(model, "cpu", 3, true, precision, min_bytes, 1, seed);
			double rms = rms_error(&want, &one);
			compare(&b, &want, &one, tolerance(b.ops, element_limit), seed, vrs_precision_name(precision));
			same_bits(&one, &more, seed, 3, b.trace);
			worst = fmax(worst, rms);
			if (!(rms <= rms_limit))
				fail_msg("seed %llu, %s: error %.3g of the values:%s", (unsigned long long)seed, vrs_precision_name(precision), rms, b.trace);
			free(one.values);
			free(more.values);
		}
		free(want.values);
		vrs_model_destroy(model);
		vrs_graph_fini(&b.graph);
	}
	print_message("%s: largest error %.2g of the values\n", vrs_precision_name(precision), worst);
}

static void test_fp16_networks(void **state)
{
	(void)state;
	check_stored(VRS_PRECISION_FP16, ldexp(1, -11) / 8, 1.5e-3);
}

static void test_bf16_networks(void **state)
{
	(void)state;
	check_stored(VRS_PRECISION_BF16, ldexp(1, -8) / 8, 1e-2);
}

/* Every allocation of a session may fail: an error, no leak, no crash. */
static void test_out_of_memory(void **state)
{
	(void)state;
	struct builder b;
	build(&b, 17);
	struct vrs_model *model = model_of(&b);
	struct vrs_session_options options = vrs_session_options_default();
	options.backend = "cpu";
	options.threads = 2;
	options.profile = true;
	uint64_t live = vrs_mem_stats().live_bytes;
	for (uint64_t n = 1;; n++) {
		struct vrs_session *session = NULL;
		vrs_mem_fail_after(n, false);
		enum vrs_status status = vrs_session_create(&session, model, &options, NULL);
		bool fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		vrs_session_destroy(session);
		assert_int_equal(vrs_mem_stats().live_bytes, live);
		if (!fired)
			break;
		assert_int_equal(status, VRS_ENOMEM);
	}
	vrs_model_destroy(model);
	vrs_graph_fini(&b.graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_networks), cmocka_unit_test(test_fp16_networks), cmocka_unit_test(test_bf16_networks),
		cmocka_unit_test(test_out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
