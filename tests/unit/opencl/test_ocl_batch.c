/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: a picture gets the same bits from a device whether it goes through the network alone or beside others, in fp32 and fp16, by the kernels of
 * CPUs and those of GPUs; jobs rely on it when they lower the batch for lack of memory.
 */
#include "op_batch.h"

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}
#define BATCH 2

static int32_t conv(struct vrs_graph *graph, int32_t x, int32_t scale, int64_t in, int64_t out, int kernel, enum vrs_act act)
{
	struct vrs_node node = op_node(VRS_OP_CONV, x);
	node.inputs = 3;
	node.in[1] = node_const(graph, 4, SHAPE(out, kernel, kernel, in), 0.2, (uint64_t)(kernel + out));
	node.in[2] = node_const(graph, 1, &out, 0.5, 7);
	node.scale = scale;
	node.act = act;
	node.u.window.kernel_h = node.u.window.kernel_w = kernel;
	node.u.window.pad_top = node.u.window.pad_left = node.u.window.pad_bottom = node.u.window.pad_right = kernel / 2;
	return node_emit(graph, &node, VRS_F32);
}

static int32_t view(struct vrs_graph *graph, int32_t x, int rank, const int64_t *dims)
{
	struct vrs_node node = op_node(VRS_OP_RESHAPE, x);
	node.u.view.rank = rank;
	memcpy(node.u.view.dims, dims, (size_t)rank * sizeof *dims);
	return node_emit(graph, &node, VRS_F32);
}

/* [images][channels] times a matrix, as importers write it: a convolution of a map of one row. */
static int32_t product(struct vrs_graph *graph, int32_t rows, int64_t in, int64_t out, enum vrs_act act)
{
	int32_t map = conv(graph, view(graph, rows, 4, SHAPE(1, 1, -1, in)), -1, in, out, 1, VRS_ACT_NONE);
	struct vrs_node node = op_node(VRS_OP_UNARY, view(graph, map, 2, SHAPE(-1, out)));
	node.act = act;
	return node_emit(graph, &node, VRS_F32);
}

/* Squeeze-excitation of x by two such products. */
static int32_t squeeze(struct vrs_graph *graph, int32_t x, int64_t channels)
{
	struct vrs_node mean = op_node(VRS_OP_GLOBAL_AVG, x);
	int32_t rows = view(graph, node_emit(graph, &mean, VRS_F32), 2, SHAPE(-1, channels));
	rows = product(graph, product(graph, rows, channels, 24, VRS_ACT_RELU), 24, channels, VRS_ACT_SIGMOID);
	struct vrs_node scaled = op_node(VRS_OP_BINARY, x);
	scaled.inputs = 2;
	scaled.in[1] = view(graph, rows, 4, SHAPE(-1, 1, 1, channels));
	scaled.u.binary.op = VRS_MUL;
	return node_emit(graph, &scaled, VRS_F32);
}

/*
 * A 3x3 convolution with 16 Winograd tiles a picture, of which 32 would do for Winograd; one with a factor for each channel, of which tiles in local
 * memory and those without must make the same; squeeze-excitation by products of rank 2; a sum whose lines are many for two pictures and few for one.
 */
static struct vrs_model *make_model(void)
{
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	struct vrs_graph graph;
	vrs_graph_init(&graph);
	int32_t x = conv(&graph, node_input(&graph, 4, SHAPE(1, 16, 16, 32)), -1, 32, 64, 3, VRS_ACT_RELU);
	struct vrs_node mean = op_node(VRS_OP_GLOBAL_AVG, x);
	int32_t factors = conv(&graph, node_emit(&graph, &mean, VRS_F32), -1, 64, 64, 1, VRS_ACT_SIGMOID);
	graph.outputs[graph.output_count++] = conv(&graph, x, factors, 64, 40, 1, VRS_ACT_NONE);
	struct vrs_node sum = op_node(VRS_OP_REDUCE, node_input(&graph, 4, SHAPE(1, 32, 128, 128)));
	sum.u.reduce.op = VRS_REDUCE_SUM;
	sum.u.reduce.axes = 1u << 1;
	graph.outputs[graph.output_count++] = node_emit(&graph, &sum, VRS_F32);
	graph.outputs[graph.output_count++] = squeeze(&graph, conv(&graph, x, -1, 64, 48, 1, VRS_ACT_RELU), 48);
	if (vrs_graph_infer(&graph, &err) != VRS_OK || vrs_model_from_graph(&model, &graph, "batch", &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_graph_fini(&graph);
	return model;
}

static struct vrs_session *open_session(const struct vrs_model *model, enum vrs_precision precision, int batch)
{
	struct vrs_session_options options = vrs_session_options_default();
	const struct vrs_shape shapes[2] = {{.rank = 4, .dims = {batch, 16, 16, 32}}, {.rank = 4, .dims = {batch, 32, 128, 128}}};
	struct vrs_session *session;
	struct vrs_error err = {0};
	options.backend = "opencl";
	options.precision = precision;
	options.pictures_nhwc = true;
	options.profile = true; /* the context of op_both_devices */
	options.input_shapes = shapes;
	options.input_shape_count = 2;
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return session;
}

/* Pictures from `first` on, each of its own seed. */
static void run(struct vrs_session *session, int first, int batch)
{
	struct vrs_error err = {0};
	for (int k = 0; k < 2; k++) {
		struct vrs_tensor_view in = vrs_session_input(session, k);
		for (int n = 0; n < batch; n++) {
			size_t count = in.elements / (size_t)batch;
			struct vrs_rng rng;
			vrs_rng_init(&rng, (uint64_t)(first + n + 1));
			for (size_t i = 0; i < count; i++)
				in.data[(size_t)n * count + i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
		}
	}
	if (vrs_session_run(session, &err) != VRS_OK)
		fail_msg("%s", err.text);
}

static void check(enum vrs_precision precision)
{
	struct vrs_model *model = make_model();
	struct vrs_session *many = open_session(model, precision, BATCH), *one = open_session(model, precision, 1);
	run(many, 0, BATCH);
	for (int n = 0; n < BATCH; n++) {
		run(one, n, 1);
		for (int k = 0; k < 3; k++) {
			struct vrs_tensor_view all = vrs_session_output(many, k), alone = vrs_session_output(one, k);
			assert_int_equal(all.bytes, BATCH * alone.bytes);
			if (memcmp((const char *)all.raw + (size_t)n * alone.bytes, alone.raw, alone.bytes) != 0)
				fail_msg("%s, output %d: picture %d has other bits alone than in a batch", vrs_precision_name(precision), k, n);
		}
	}
	vrs_session_destroy(many);
	vrs_session_destroy(one);
	vrs_model_destroy(model);
}

static void test_bits(void **state)
{
	(void)state;
	check(VRS_PRECISION_FP32);
	check(VRS_PRECISION_FP16);
}

static int group(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	return op_both_devices(group);
}
