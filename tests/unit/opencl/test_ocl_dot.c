/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards convolutions of bytes on a device: single ones give what the CPU's 8 bits give, for odd sizes, windows and numbers of channels; between two
 * of them nothing is float; layers that a calibration leaves in float are float; a device, precision or calibration that does not suit is refused.
 * A device without cl_khr_integer_dot_product emulates the products; one that has it computes them itself.
 */
#include <vrseg/calibration.h>

#include "form_check.h"
#include "graph/quant.h"
#include "op_batch.h"
#include "session/session_graph.h"

#define EXACT 1e-5   /* of the largest value: the same bytes, other sums of floats */
#define STEPS 2e-2   /* bytes that may lie a step beside those of the CPU, and sums that the CPU rounds to bytes */

static struct vrs_ocl_context *device; /* of all sessions here */

struct shape {
	int in, out, kernel_h, kernel_w, stride, dilation, pads[4], height, width, batch;
	enum vrs_act act;
	bool plain;                /* no bias */
};

static const struct shape shapes[] = {
	{3, 16, 3, 3, 2, 1, {0, 0, 1, 1}, 17, 23, 1, VRS_ACT_RELU, false},  {5, 7, 1, 1, 1, 1, {0, 0, 0, 0}, 5, 9, 2, VRS_ACT_NONE, false},
	{40, 33, 1, 1, 1, 1, {0, 0, 0, 0}, 7, 5, 2, VRS_ACT_HSWISH, false}, {16, 18, 3, 3, 1, 2, {2, 2, 2, 2}, 9, 13, 1, VRS_ACT_NONE, true},
	{12, 20, 3, 5, 1, 1, {1, 2, 1, 2}, 6, 7, 2, VRS_ACT_RELU6, false},  {64, 4, 3, 3, 1, 1, {1, 1, 1, 1}, 8, 8, 1, VRS_ACT_SIGMOID, false},
	{8, 1, 3, 3, 1, 1, {2, 0, 0, 1}, 6, 5, 1, VRS_ACT_NONE, false},     {7, 18, 1, 1, 2, 1, {0, 0, 0, 0}, 7, 10, 1, VRS_ACT_LEAKY, false},
};

#define SHAPES (int)(sizeof shapes / sizeof *shapes)

static int32_t add_conv(struct vrs_graph *graph, int32_t x, const struct shape *s, int32_t residual)
{
	const int64_t weights[4] = {s->out, s->kernel_h, s->kernel_w, s->in}, out = s->out;
	struct vrs_node node = op_node(VRS_OP_CONV, x);
	node.inputs = 3;
	node.in[1] = node_const(graph, 4, weights, 0.3, 3 + (uint64_t)graph->node_count);
	node.in[2] = s->plain ? -1 : node_const(graph, 1, &out, 0.5, 4);
	node.residual = residual;
	node.act = s->act;
	node.act_lo = 0.2f;
	node.u.window = (struct vrs_window){
		.kernel_h = s->kernel_h, .kernel_w = s->kernel_w, .stride_h = s->stride, .stride_w = s->stride, .dilation_h = s->dilation,
		.dilation_w = s->dilation, .pad_top = s->pads[0], .pad_left = s->pads[1], .pad_bottom = s->pads[2], .pad_right = s->pads[3], .groups = 1,
	};
	return node_emit(graph, &node, VRS_F32);
}

static struct vrs_model *model_of(struct vrs_graph *graph)
{
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	if (vrs_graph_infer(graph, &err) != VRS_OK || vrs_model_from_graph(&model, graph, "bytes", &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_graph_fini(graph);
	return model;
}

static struct vrs_model *shapes_model(void)
{
	struct vrs_graph graph;
	vrs_graph_init(&graph);
	for (int i = 0; i < SHAPES; i++) {
		const struct shape *s = &shapes[i];
		int32_t x = node_input(&graph, 4, (const int64_t[]){s->batch, s->height, s->width, s->in});
		graph.outputs[graph.output_count++] = add_conv(&graph, x, s, -1);
	}
	return model_of(&graph);
}

/* Four convolutions behind each other, the last but one with a sum; one more tensor is read as floats, too. */
static struct vrs_model *chain_model(void)
{
	static const struct shape chain[] = {
		{20, 23, 3, 3, 1, 1, {1, 1, 1, 1}, 0, 0, 0, VRS_ACT_RELU, false}, {23, 36, 1, 1, 1, 1, {0, 0, 0, 0}, 0, 0, 0, VRS_ACT_HSWISH, false},
		{36, 36, 3, 3, 1, 1, {1, 1, 1, 1}, 0, 0, 0, VRS_ACT_NONE, false}, {36, 9, 3, 3, 2, 1, {1, 1, 1, 1}, 0, 0, 0, VRS_ACT_NONE, false},
	};
	struct vrs_graph graph;
	vrs_graph_init(&graph);
	int32_t x = node_input(&graph, 4, (const int64_t[]){2, 9, 11, 20}), wide;
	x = add_conv(&graph, x, &chain[0], -1);
	wide = add_conv(&graph, x, &chain[1], -1);
	x = add_conv(&graph, wide, &chain[2], wide);
	graph.outputs[graph.output_count++] = add_conv(&graph, x, &chain[3], -1);
	return model_of(&graph);
}

static void fill(struct vrs_tensor_view view, uint64_t seed)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, seed);
	for (size_t i = 0; i < view.elements; i++)
		view.data[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
}

/* shapes: room for the shape of each input. */
static struct vrs_session_options options_of(const struct vrs_model *model, struct vrs_shape *inputs)
{
	const struct vrs_graph *graph = vrs_model_graph(model);
	struct vrs_session_options options = vrs_session_options_default();
	options.threads = 1;
	options.pictures_nhwc = options.profile = true;
	options.input_shapes = inputs;
	options.input_shape_count = graph->input_count;
	for (int k = 0; k < graph->input_count; k++) {
		inputs[k].rank = graph->tensors[graph->inputs[k]].rank;
		memcpy(inputs[k].dims, graph->tensors[graph->inputs[k]].dims, sizeof inputs[k].dims);
	}
	return options;
}

static struct vrs_calibration *calibrate(const struct vrs_model *model)
{
	struct vrs_shape inputs[VRS_MAX_ENDS];
	struct vrs_session_options options = options_of(model, inputs);
	struct vrs_calibration_settings settings = vrs_calibration_settings_default();
	struct vrs_calibrator *calibrator;
	struct vrs_calibration *calibration;
	struct vrs_error err = {0};
	settings.find_mixed = false;
	if (vrs_calibrator_create(&calibrator, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	for (uint64_t i = 0; i < 3; i++) {
		for (int k = 0; vrs_calibrator_input(calibrator, k).data; k++)
			fill(vrs_calibrator_input(calibrator, k), 10 * i + (uint64_t)k);
		assert_int_equal(vrs_calibrator_add(calibrator, &err), VRS_OK);
	}
	if (vrs_calibrator_finish(calibrator, &settings, &calibration, &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_calibrator_destroy(calibrator);
	return calibration;
}

static enum vrs_status open_session(struct vrs_session **ret_session, const struct vrs_model *model, const char *backend,
				    enum vrs_precision precision, enum vrs_device_math math, const struct vrs_calibration *calibration,
				    struct vrs_error *err)
{
	struct vrs_shape inputs[VRS_MAX_ENDS];
	struct vrs_session_options options = options_of(model, inputs);
	options.backend = backend;
	options.precision = precision;
	options.device_math = math;
	options.calibration = calibration;
	return vrs_session_create(ret_session, model, &options, err);
}

/* A session that has run twice. */
static struct vrs_session *run(const struct vrs_model *model, const char *backend, enum vrs_precision precision,
			       const struct vrs_calibration *calibration)
{
	struct vrs_session *session;
	struct vrs_error err = {0};
	enum vrs_device_math math = calibration ? VRS_DEVICE_MATH_DOT : VRS_DEVICE_MATH_FLOAT;
	if (open_session(&session, model, backend, precision, math, calibration, &err) != VRS_OK)
		fail_msg("%s: %s", backend, err.text);
	for (int repeat = 0; repeat < 2; repeat++) {
		for (int k = 0; vrs_session_input(session, k).data; k++)
			fill(vrs_session_input(session, k), (uint64_t)k);
		if (vrs_session_run(session, &err) != VRS_OK)
			fail_msg("%s: %s", backend, err.text);
	}
	return session;
}

/* Steps whose kernel is of a template. */
static int steps_of(struct vrs_session *session, const char *template_name)
{
	const struct vrs_op_profile *rows;
	int count = vrs_session_profile(session, &rows), found = 0;
	for (int i = 0; i < count; i++)
		found += strncmp(rows[i].kernel, template_name, strlen(template_name)) == 0;
	return found;
}

static void compare(const struct vrs_model *model, struct vrs_session *want, struct vrs_session *got, double bound)
{
	for (int i = 0; i < vrs_model_graph(model)->output_count; i++) {
		struct node_result a = op_batch_output(want, i), b = op_batch_output(got, i);
		char what[64];
		snprintf(what, sizeof what, "output %d", i);
		node_compare(&a, &b, bound, what);
	}
}

static void test_shapes(void **state)
{
	struct vrs_model *model = shapes_model();
	struct vrs_calibration *calibration = calibrate(model);
	(void)state;
	struct vrs_session *cpu = run(model, "cpu", VRS_PRECISION_INT8, calibration), *got = run(model, "opencl", VRS_PRECISION_INT8, calibration);
	assert_int_equal(steps_of(got, "conv_dot"), SHAPES);
	assert_int_equal(steps_of(got, "pack_bytes"), SHAPES);
	assert_int_equal(steps_of(got, "host"), 0);
	compare(model, cpu, got, EXACT);
	vrs_session_destroy(cpu);
	vrs_session_destroy(got);
	vrs_calibration_destroy(calibration);
	vrs_model_destroy(model);
}

/* The input, and the tensor that is also a summand, are floats first; what lies between the others never is. */
static void test_chain(void **state)
{
	struct vrs_model *model = chain_model();
	struct vrs_calibration *calibration = calibrate(model);
	(void)state;
	struct vrs_session *cpu = run(model, "cpu", VRS_PRECISION_INT8, calibration), *got = run(model, "opencl", VRS_PRECISION_INT8, calibration);
	assert_int_equal(steps_of(got, "conv_dot"), 4);
	assert_int_equal(steps_of(got, "pack_bytes"), 2);
	compare(model, cpu, got, STEPS);
	vrs_session_destroy(cpu);
	vrs_session_destroy(got);
	vrs_calibration_destroy(calibration);
	vrs_model_destroy(model);
}

/* Layers that precision mixed has in float. */
static void test_mixed(void **state)
{
	struct vrs_model *model = chain_model();
	struct vrs_calibration *calibration = calibrate(model);
	(void)state;
	memset(calibration->mixed, VRS_NODE_FP32, (size_t)calibration->node_count);
	struct vrs_session *reference = run(model, "ref", VRS_PRECISION_FP32, NULL);
	struct vrs_session *got = run(model, "opencl", VRS_PRECISION_MIXED, calibration);
	assert_int_equal(steps_of(got, "conv_dot"), 0);
	compare(model, reference, got, 2 * OP_BOUND_FP32);
	vrs_session_destroy(got);
	calibration->mixed[1] = calibration->int8[1];
	got = run(model, "opencl", VRS_PRECISION_MIXED, calibration);
	assert_int_equal(steps_of(got, "conv_dot"), 1);
	compare(model, reference, got, STEPS);
	vrs_session_destroy(got);
	vrs_session_destroy(reference);
	vrs_calibration_destroy(calibration);
	vrs_model_destroy(model);
}

static void refuse(const struct vrs_model *model, enum vrs_precision precision, enum vrs_device_math math, const struct vrs_calibration *calibration,
		   enum vrs_status status, const char *word)
{
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	assert_int_equal(open_session(&session, model, "opencl", precision, math, calibration, &err), status);
	if (strstr(err.text, word) == NULL)
		fail_msg("\"%s\" says nothing of %s", err.text, word);
	assert_null(session);
}

static void test_refusals(void **state)
{
	struct vrs_model *model = chain_model(), *other = shapes_model();
	struct vrs_calibration *calibration = calibrate(model);
	struct vrs_ocl_caps kept = device->caps;
	(void)state;
	refuse(model, VRS_PRECISION_INT8, VRS_DEVICE_MATH_FLOAT, calibration, VRS_EINVAL, "--device-math dot");
	refuse(model, VRS_PRECISION_FP32, VRS_DEVICE_MATH_DOT, NULL, VRS_EINVAL, "int8");
	refuse(model, VRS_PRECISION_BF16, VRS_DEVICE_MATH_DOT, NULL, VRS_EINVAL, "bf16");
	refuse(other, VRS_PRECISION_INT8, VRS_DEVICE_MATH_DOT, calibration, VRS_EINVAL, "calibrate again");
	device->caps.int8_dot = false;
	refuse(model, VRS_PRECISION_INT8, VRS_DEVICE_MATH_DOT, calibration, VRS_EUNSUPPORTED, "cl_khr_integer_dot_product");
	device->caps = kept;
	vrs_calibration_destroy(calibration);
	vrs_model_destroy(model);
	vrs_model_destroy(other);
}

/* The device's own dot products, where it has them. */
static void test_form(void **state)
{
	struct vrs_model *model = shapes_model();
	struct vrs_calibration *calibration = calibrate(model);
	struct vrs_shape inputs[VRS_MAX_ENDS];
	struct vrs_session_options options = options_of(model, inputs);
	struct vrs_ocl_caps caps = device->caps;
	struct vrs_graph graph;
	struct vrs_error err = {0};
	(void)state;
	options.precision = VRS_PRECISION_INT8;
	options.device_math = VRS_DEVICE_MATH_DOT;
	options.calibration = calibration;
	caps.emulated = false;
	if (vrs_session_graph(&graph, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	char *text = form_text(&graph, &caps, &options);
	assert_non_null(strstr(text, "dot_4x8packed_us_int"));
	assert_null(strstr(text, "vrs_dot4"));
	form_check(text, "-cl-std=CL3.0");
	free(text); /* libc: see form_text */
	vrs_graph_fini(&graph);
	vrs_calibration_destroy(calibration);
	vrs_model_destroy(model);
}

static int open_device(void **state)
{
	struct vrs_error err = {0};
	(void)state;
	if (vrs_ocl_context_open(&device, NULL, true, &err) != VRS_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (!device->caps.int8_dot)
		device->caps.int8_dot = device->caps.emulated = true;
	return 0;
}

static int close_device(void **state)
{
	(void)state;
	vrs_ocl_context_close(device);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes), cmocka_unit_test(test_chain), cmocka_unit_test(test_mixed), cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_form),
	};
	return cmocka_run_group_tests(tests, open_device, close_device);
}
