/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards convolutions on a device, computed as the plan chooses: results are those of the reference for every parameter of a window, groups,
 * depthwise with several outputs an input, factors of channels, the epilogue, Winograd tiles, odd sizes and numbers of channels, several pictures.
 */
#include "op_check.h"
#include "opencl/ocl_conv.h"

#define GRAPH 16 /* nodes of one network: its kernels are built at once */

struct shape {
	int in, out, groups, kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pads[4], height, width, batch;
	bool plain, scaled;        /* plain: no bias; scaled: a factor for each channel of x */
	int residual;              /* 1: added before the function, 2: behind it */
	enum vrs_act act;
	bool dense;                /* weights of rank 4 though each group has one channel */
};

#define SAME(pad) {pad, pad, pad, pad}

static const struct shape shapes[] = {
	{3, 16, 1, 3, 3, 2, 2, 1, 1, {0, 0, 1, 1}, 17, 23, .batch = 1, .act = VRS_ACT_HSWISH},
	{5, 7, 1, 1, 1, 1, 1, 1, 1, SAME(0), 5, 9, .batch = 1},                             /* tails of everything */
	{8, 24, 1, 1, 1, 1, 1, 1, 1, SAME(0), 9, 11, .batch = 2, .plain = true},            /* pictures joined */
	{16, 16, 1, 3, 3, 1, 1, 2, 2, SAME(2), 9, 13, .batch = 1},                          /* dilation */
	{12, 20, 1, 3, 3, 1, 1, 1, 1, {2, 0, 0, 1}, 6, 7, .batch = 2, .act = VRS_ACT_RELU}, /* each side another padding */
	{4, 33, 1, 5, 3, 2, 1, 1, 1, {2, 1, 2, 1}, 11, 8, .batch = 1},                      /* height and width differ in all */
	{4, 6, 1, 2, 4, 1, 3, 3, 1, SAME(1), 9, 10, .batch = 1},
	{9, 27, 3, 3, 3, 1, 1, 1, 1, SAME(1), 7, 6, .batch = 1, .act = VRS_ACT_SIGMOID},    /* groups */
	{16, 32, 4, 3, 3, 2, 2, 1, 1, SAME(1), 9, 5, .batch = 2},
	{40, 20, 20, 1, 1, 1, 1, 1, 1, SAME(0), 5, 13, .batch = 1, .plain = true},
	{1, 8, 1, 3, 3, 1, 1, 1, 1, SAME(1), 8, 8, .batch = 1},
	{8, 1, 1, 3, 3, 1, 1, 1, 1, SAME(1), 6, 5, .batch = 1, .act = VRS_ACT_TANH},
	{7, 18, 1, 1, 1, 2, 2, 1, 1, SAME(0), 7, 10, .batch = 1},                           /* one tap, but not every pixel */
	{6, 10, 1, 1, 1, 1, 1, 1, 1, SAME(1), 4, 4, .batch = 1},                            /* one tap with padding */
	{5, 10, 1, 9, 9, 1, 1, 1, 1, SAME(4), 3, 4, .batch = 1},                            /* a window larger than the map */
	{96, 24, 1, 1, 1, 1, 1, 1, 1, SAME(0), 1, 1, .batch = 3, .act = VRS_ACT_RELU},      /* squeeze-excitation */
	{24, 40, 1, 1, 1, 1, 1, 1, 1, SAME(0), 5, 6, .batch = 2, .scaled = true},
	{7, 9, 1, 3, 3, 1, 1, 1, 1, SAME(1), 5, 6, .batch = 2, .scaled = true},
	{12, 18, 3, 3, 3, 1, 1, 1, 1, SAME(1), 5, 6, .batch = 2, .scaled = true, .plain = true},
	{16, 12, 1, 1, 1, 1, 1, 1, 1, SAME(0), 7, 5, .batch = 1, .residual = 1, .act = VRS_ACT_RELU},
	{16, 17, 1, 3, 3, 1, 1, 1, 1, SAME(1), 7, 5, .batch = 2, .residual = 2, .act = VRS_ACT_LEAKY},
	/* depthwise */
	{16, 16, 16, 3, 3, 1, 1, 1, 1, SAME(1), 13, 18, .batch = 1, .act = VRS_ACT_RELU},
	{13, 13, 13, 5, 5, 2, 2, 1, 1, {1, 2, 2, 2}, 10, 19, .batch = 2},
	{24, 48, 24, 3, 3, 1, 1, 1, 1, SAME(1), 6, 11, .batch = 1},                         /* two outputs an input */
	{5, 15, 5, 3, 3, 2, 1, 1, 1, SAME(1), 7, 6, .batch = 1, .plain = true},
	{1, 4, 1, 3, 3, 1, 1, 1, 1, SAME(1), 7, 6, .batch = 1},
	{8, 8, 8, 3, 3, 1, 1, 2, 3, SAME(3), 9, 14, .batch = 1},                            /* dilation */
	{8, 8, 8, 1, 1, 2, 2, 1, 1, SAME(0), 5, 7, .batch = 1, .residual = 1},
	{12, 12, 12, 9, 9, 1, 1, 1, 1, SAME(4), 3, 4, .batch = 1, .residual = 2},           /* a window larger than the map */
	{20, 20, 20, 3, 3, 1, 1, 1, 1, SAME(1), 6, 9, .batch = 2, .scaled = true, .act = VRS_ACT_HSWISH},
	{6, 18, 6, 3, 3, 1, 1, 1, 1, SAME(1), 6, 9, .batch = 2, .scaled = true},
	{10, 20, 10, 3, 3, 1, 1, 1, 1, SAME(1), 9, 8, .batch = 1, .dense = true},           /* in groups of one channel */
	/* tiles of Winograd */
	{64, 64, 1, 3, 3, 1, 1, 1, 1, SAME(1), 24, 24, .batch = 2, .act = VRS_ACT_RELU},
	{36, 44, 1, 3, 3, 1, 1, 1, 1, SAME(1), 23, 26, .batch = 1, .residual = 2},          /* tails of tiles */
	{33, 35, 1, 3, 3, 1, 1, 1, 1, {0, 2, 1, 0}, 22, 25, .batch = 1, .residual = 1, .act = VRS_ACT_TANH}, /* tails of vectors */
	{48, 32, 1, 3, 3, 1, 1, 1, 1, SAME(0), 26, 27, .batch = 1, .plain = true},
};

#define SHAPES (sizeof shapes / sizeof *shapes)

static bool is_depthwise(const struct shape *s)
{
	return s->in == s->groups && (s->in > 1 || s->out == 4) && !s->dense;
}

/* A value x of its own for the shape, the convolution, an output. */
static void add_shape(struct vrs_graph *graph, const struct shape *s, bool computed_weights)
{
	struct vrs_node node;
	int64_t out = s->out;
	const int64_t dense[4] = {s->out, s->kernel_h, s->kernel_w, s->in / s->groups}, single[3] = {s->kernel_h, s->kernel_w, s->out};
	int64_t height = (s->height + s->pads[0] + s->pads[2] - (int64_t)(s->kernel_h - 1) * s->dilation_h - 1) / s->stride_h + 1;
	int64_t width = (s->width + s->pads[1] + s->pads[3] - (int64_t)(s->kernel_w - 1) * s->dilation_w - 1) / s->stride_w + 1;
	vrs_node_init(&node, VRS_OP_CONV, "conv");
	node.inputs = 3;
	node.in[0] = node_input(graph, 4, (const int64_t[]){s->batch, s->height, s->width, s->in});
	node.in[1] = computed_weights ? node_input(graph, 4, dense) : node_const(graph, is_depthwise(s) ? 3 : 4, is_depthwise(s) ? single : dense, 0.5, 3);
	node.in[2] = s->plain ? -1 : node_const(graph, 1, &out, 0.5, 4);
	if (s->residual)
		node.residual = node_input(graph, 4, (const int64_t[]){s->batch, height, width, s->out});
	node.residual_before = s->residual == 1;
	if (s->scaled)
		node.scale = node_input(graph, 4, (const int64_t[]){s->batch, 1, 1, s->in});
	node.act = s->act;
	node.act_lo = 0.2f;
	node.u.window = (struct vrs_window){
		.kernel_h = s->kernel_h, .kernel_w = s->kernel_w, .stride_h = s->stride_h, .stride_w = s->stride_w, .dilation_h = s->dilation_h,
		.dilation_w = s->dilation_w, .pad_top = s->pads[0], .pad_left = s->pads[1], .pad_bottom = s->pads[2], .pad_right = s->pads[3],
		.groups = s->groups,
	};
	graph->outputs[graph->output_count++] = node_emit(graph, &node, VRS_F32);
}

static struct vrs_session *run(const struct vrs_model *model, const char *backend, enum vrs_precision precision)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session;
	struct vrs_shape inputs[VRS_MAX_ENDS];
	struct vrs_error err = {0};
	struct vrs_rng rng;
	options.backend = backend;
	options.precision = precision;
	options.pictures_nhwc = true;
	options.profile = true;
	options.input_shapes = inputs;
	options.input_shape_count = vrs_model_graph(model)->input_count;
	for (int k = 0; k < options.input_shape_count; k++) {
		const struct vrs_graph_tensor *input = &vrs_model_graph(model)->tensors[vrs_model_graph(model)->inputs[k]];
		inputs[k].rank = input->rank;
		memcpy(inputs[k].dims, input->dims, sizeof inputs[k].dims);
	}
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_rng_init(&rng, 11);
	for (int k = 0; k < options.input_shape_count; k++)
		for (size_t i = 0; i < vrs_session_input(session, k).elements; i++)
			vrs_session_input(session, k).data[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
	for (int i = 0; i < node_runs(); i++)
		if (vrs_session_run(session, &err) != VRS_OK)
			fail_msg("%s", err.text);
	node_kernels(session, "host", backend);
	return session;
}

static struct node_result output(struct vrs_session *session, int index)
{
	struct vrs_tensor_view view = vrs_session_output(session, index);
	return (struct node_result){view.raw, view.bytes, view.dtype};
}

static void check(const struct shape *first, int count)
{
	static const enum vrs_precision precisions[] = {VRS_PRECISION_FP32, VRS_PRECISION_FP16};
	struct vrs_model *model = NULL;
	const struct shape *added[GRAPH];
	int64_t work = 0;
	int outputs = 0;
	struct vrs_graph graph;
	struct vrs_error err = {0};
	vrs_graph_init(&graph);
	for (int i = 0; i < count; i++) {
		add_shape(&graph, &first[i], false);
		if (node_work(&graph) - work > node_work_max())
			graph.output_count--; /* nobody computes it */
		else
			added[outputs++] = &first[i];
		work = node_work(&graph);
	}
	if (outputs == 0) {
		vrs_graph_fini(&graph);
		return;
	}
	if (vrs_graph_infer(&graph, &err) != VRS_OK || vrs_model_from_graph(&model, &graph, "convolutions", &err) != VRS_OK)
		fail_msg("%s", err.text);
	struct vrs_session *reference = run(model, "ref", VRS_PRECISION_FP32);
	for (size_t k = 0; k < sizeof precisions / sizeof *precisions; k++) {
		struct vrs_session *session = run(model, "opencl", precisions[k]);
		for (int i = 0; i < outputs; i++) {
			struct node_result want = output(reference, i), got = output(session, i);
			const struct shape *s = added[i];
			char what[128];
			snprintf(what, sizeof what, "shape %zu, %d->%d in %d groups, %dx%d, precision %d", (size_t)(s - shapes), s->in, s->out, s->groups,
				 s->kernel_h, s->kernel_w, (int)precisions[k]);
			node_compare(&want, &got, k == 0 ? 2 * OP_BOUND_FP32 : OP_BOUND_FP16, what);
		}
		vrs_session_destroy(session);
	}
	vrs_session_destroy(reference);
	vrs_model_destroy(model);
	vrs_graph_fini(&graph);
}

static void test_shapes(void **state)
{
	(void)state;
	for (size_t i = 0; i < SHAPES; i += GRAPH)
		check(&shapes[i], (int)(SHAPES - i < GRAPH ? SHAPES - i : GRAPH));
}

/* Weights that a network computes are left to the host. */
static void test_computed_weights(void **state)
{
	struct vrs_graph graph;
	struct vrs_ocl_conv conv;
	(void)state;
	vrs_graph_init(&graph);
	add_shape(&graph, &shapes[1], true);
	add_shape(&graph, &shapes[1], false);
	assert_int_equal(vrs_ocl_conv_init(&conv, &graph, &graph.nodes[0]), VRS_EUNSUPPORTED);
	assert_int_equal(vrs_ocl_conv_init(&conv, &graph, &graph.nodes[1]), VRS_OK);
	vrs_graph_fini(&graph);
}

int main(void)
{
	held_contexts_begin();
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_computed_weights)};
	return held_contexts_end(cmocka_run_group_tests(tests, NULL, NULL));
}
