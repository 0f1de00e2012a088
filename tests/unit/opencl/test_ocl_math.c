/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards products of halves on a device: convolutions give what the reference gives, sums are those of 16 products in halves and of floats beyond,
 * to the bit, and a device or precision that has no such products is refused.  A device without cl_khr_fp16 emulates them; one that has it computes
 * them itself.
 */
#include "form_check.h"
#include "graph/half.h"
#include "op_batch.h"
#include "opencl/ocl_math.h"

static struct vrs_ocl_context *device; /* of all sessions here */

struct shape {
	int in, out, groups, kernel, stride, height, width, batch;
	bool scaled;
};

static const struct shape shapes[] = {
	{3, 17, 1, 3, 2, 9, 11, 1, false}, {40, 21, 1, 1, 1, 5, 7, 2, false}, {36, 35, 1, 3, 1, 7, 6, 1, false}, {7, 9, 1, 3, 1, 5, 6, 2, true},
	{24, 12, 1, 1, 1, 5, 3, 2, true},  {9, 15, 3, 3, 1, 7, 6, 1, false},  {13, 13, 13, 3, 1, 6, 9, 2, false}, {16, 16, 16, 5, 2, 9, 9, 1, false},
	{8, 8, 8, 17, 1, 4, 20, 1, false}, {12, 24, 12, 3, 1, 6, 11, 1, true},
};

#define SHAPES (sizeof shapes / sizeof *shapes)

/* The convolution between two other nodes: its input, output and factors are halves in memory. */
static void add_shape(struct vrs_graph *graph, const struct shape *s)
{
	struct vrs_node node;
	bool depthwise = s->groups == s->in;
	const int64_t dense[4] = {s->out, s->kernel, s->kernel, s->in / s->groups}, single[3] = {s->kernel, s->kernel, s->out}, out = s->out;
	const int64_t dims[4] = {s->batch, s->height, s->width, s->in}, factors[4] = {s->batch, 1, 1, s->in};
	int pad = (s->kernel - 1) / 2;
	vrs_node_init(&node, VRS_OP_CONV, "conv");
	node.inputs = 3;
	node.in[0] = op_input_at(graph, 1, 4, dims);
	node.in[1] = node_const(graph, depthwise ? 3 : 4, depthwise ? single : dense, 0.5, 3);
	node.in[2] = node_const(graph, 1, &out, 0.5, 4);
	if (s->scaled)
		node.scale = op_input_at(graph, 1, 4, factors);
	node.u.window = (struct vrs_window){
		.kernel_h = s->kernel, .kernel_w = s->kernel, .stride_h = s->stride, .stride_w = s->stride, .dilation_h = 1, .dilation_w = 1,
		.pad_top = pad, .pad_left = pad, .pad_bottom = pad, .pad_right = pad, .groups = s->groups,
	};
	graph->outputs[graph->output_count++] = op_unary(graph, node_emit(graph, &node, VRS_F32), VRS_ACT_ABS, VRS_F32);
}

static struct vrs_session *run(const struct vrs_model *model, const char *backend, enum vrs_precision precision, enum vrs_device_math math)
{
	const struct vrs_graph *graph = vrs_model_graph(model);
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_shape inputs[VRS_MAX_ENDS];
	struct vrs_session *session;
	struct vrs_error err = {0};
	struct vrs_rng rng;
	options.backend = backend;
	options.precision = precision;
	options.device_math = math;
	options.pictures_nhwc = options.profile = true;
	options.input_shapes = inputs;
	options.input_shape_count = graph->input_count;
	for (int k = 0; k < graph->input_count; k++) {
		inputs[k].rank = graph->tensors[graph->inputs[k]].rank;
		memcpy(inputs[k].dims, graph->tensors[graph->inputs[k]].dims, sizeof inputs[k].dims);
	}
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_rng_init(&rng, 11);
	for (int k = 0; k < graph->input_count; k++)
		for (size_t i = 0; i < vrs_session_input(session, k).elements; i++)
			vrs_session_input(session, k).data[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
	if (vrs_session_run(session, &err) != VRS_OK)
		fail_msg("%s", err.text);
	node_kernels(session, "host", backend);
	return session;
}

static struct vrs_model *model_of(struct vrs_graph *graph)
{
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	if (vrs_graph_infer(graph, &err) != VRS_OK || vrs_model_from_graph(&model, graph, "products", &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_graph_fini(graph);
	return model;
}

static void test_shapes(void **state)
{
	struct vrs_graph graph;
	size_t added[SHAPES];
	int64_t work = 0;
	(void)state;
	vrs_graph_init(&graph);
	for (size_t i = 0; i < SHAPES; i++) {
		add_shape(&graph, &shapes[i]);
		added[graph.output_count - 1] = i;
		graph.output_count -= node_work(&graph) - work > node_work_max(); /* nobody computes it then */
		work = node_work(&graph);
	}
	int count = graph.output_count;
	struct vrs_model *model = model_of(&graph);
	struct vrs_session *reference = run(model, "ref", VRS_PRECISION_FP32, VRS_DEVICE_MATH_FLOAT);
	struct vrs_session *session = run(model, "opencl", VRS_PRECISION_FP16, VRS_DEVICE_MATH_HALF);
	for (int i = 0; i < count; i++) {
		struct node_result want = op_batch_output(reference, i), got = op_batch_output(session, i);
		char what[64];
		snprintf(what, sizeof what, "shape %zu", added[i]);
		node_compare(&want, &got, OP_BOUND_FP16, what);
	}
	vrs_session_destroy(session);
	vrs_session_destroy(reference);
	vrs_model_destroy(model);
}

static float rounded(float value)
{
	return vrs_half_to_float(vrs_half_from_float(value));
}

/* One output of a 1x1 convolution, as the device is to compute it. */
static float sum_of(const float *x, const float *w, int channels, float bias)
{
	float sum = bias;
	for (int first = 0; first < channels; first += VRS_OCL_HALF_RUN) {
		float part = 0;
		for (int k = first; k < channels && k < first + VRS_OCL_HALF_RUN; k++)
			part = rounded(part + rounded(x[k]) * rounded(w[k]));
		sum += part;
	}
	return sum;
}

/* What is emulated is what halves are: the same bits.  A device's own sums are rounded once where these are rounded twice. */
static void test_bits(void **state)
{
	enum { IN = 45, OUT = 19, PIXELS = 35 };
	const int64_t dims[4] = {1, 5, 7, IN}, weights[4] = {OUT, 1, 1, IN}, out = OUT;
	struct vrs_graph graph;
	(void)state;
	if (!device->caps.emulated)
		skip();
	vrs_graph_init(&graph);
	struct vrs_node node = op_node(VRS_OP_CONV, node_input(&graph, 4, dims));
	node.inputs = 3;
	node.in[1] = node_const(&graph, 4, weights, 3, 5);
	node.in[2] = node_const(&graph, 1, &out, 0.5, 6);
	node.u.window = (struct vrs_window){.kernel_h = 1, .kernel_w = 1, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .groups = 1};
	graph.outputs[graph.output_count++] = node_emit(&graph, &node, VRS_F32);
	struct vrs_model *model = model_of(&graph);
	const struct vrs_graph *kept = vrs_model_graph(model);
	const float *w = kept->tensors[kept->nodes[0].in[1]].data, *b = kept->tensors[kept->nodes[0].in[2]].data;
	struct vrs_session *session = run(model, "opencl", VRS_PRECISION_FP16, VRS_DEVICE_MATH_HALF);
	const float *x = vrs_session_input(session, 0).data, *y = vrs_session_output(session, 0).data;
	for (int p = 0; p < PIXELS; p++)
		for (int n = 0; n < OUT; n++) {
			float want = sum_of(x + (size_t)p * IN, w + (size_t)n * IN, IN, b[n]), got = y[p * OUT + n];
			if (memcmp(&want, &got, sizeof want) != 0)
				fail_msg("pixel %d, channel %d: %.9g, not %.9g", p, n, (double)got, (double)want);
		}
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

static enum vrs_status plan_begin(const struct vrs_ocl_caps *caps, enum vrs_precision precision, enum vrs_device_math math, struct vrs_error *err)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_ocl_plan plan;
	struct vrs_graph graph;
	options.precision = precision;
	options.device_math = math;
	vrs_graph_init(&graph);
	add_shape(&graph, &shapes[1]);
	enum vrs_status status = vrs_ocl_plan_begin(&plan, &graph, caps, &options, err);
	vrs_ocl_plan_fini(&plan);
	vrs_graph_fini(&graph);
	return status;
}

/* A device without the extension, and a precision without halves. */
static void test_refusals(void **state)
{
	struct vrs_ocl_caps caps = device->caps;
	struct vrs_error err = {0};
	(void)state;
	caps.fp16_math = caps.emulated = false;
	assert_int_equal(plan_begin(&caps, VRS_PRECISION_FP16, VRS_DEVICE_MATH_HALF, &err), VRS_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "cl_khr_fp16"));
	assert_non_null(strstr(err.text, caps.name));
	caps.fp16_math = true;
	assert_int_equal(plan_begin(&caps, VRS_PRECISION_FP32, VRS_DEVICE_MATH_HALF, &err), VRS_EINVAL);
	assert_non_null(strstr(err.text, "fp32"));
}

/* The device's own halves where it has them, emulated ones where it is told to, and neither unless asked for. */
static void test_forms(void **state)
{
	struct vrs_ocl_caps caps = device->caps;
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_graph graph;
	(void)state;
	options.precision = VRS_PRECISION_FP16;
	caps.fp16_math = true;
	vrs_graph_init(&graph);
	for (size_t i = 0; i < SHAPES; i++)
		add_shape(&graph, &shapes[i]);
	for (int i = 0; i < 3; i++) {
		caps.emulated = i == 1;
		options.device_math = i < 2 ? VRS_DEVICE_MATH_HALF : VRS_DEVICE_MATH_FLOAT;
		char *text = form_text(&graph, &caps, &options);
		assert_int_equal(strstr(text, "cl_khr_fp16 : enable") != NULL, i == 0);
		assert_int_equal(strstr(text, "fma((MULV)(a), f, sum)") != NULL, i == 0);
		assert_int_equal(strstr(text, "ROUND_HALF") != NULL, i == 1);
		form_check(text, "-cl-std=CL1.2");
		free(text); /* libc: see form_text */
	}
	vrs_graph_fini(&graph);
}

static int open_device(void **state)
{
	struct vrs_error err = {0};
	(void)state;
	if (vrs_ocl_context_open(&device, NULL, true, &err) != VRS_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (!device->caps.fp16_math)
		device->caps.fp16_math = device->caps.emulated = true;
	return 0;
}

static int close_device(void **state)
{
	(void)state;
	vrs_ocl_context_close(device);
	return 0;
}

static int group(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes), cmocka_unit_test(test_bits), cmocka_unit_test(test_refusals), cmocka_unit_test(test_forms),
	};
	return cmocka_run_group_tests(tests, open_device, close_device);
}

int main(void)
{
	return op_both_devices(group);
}
