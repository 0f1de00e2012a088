/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards that a bf16 session multiplies in bfloat16 where the CPU can, and nowhere else: an input of 1 + 2^-9 lies between two bfloat16 and
 * becomes 1 in the products, which the sums show to the last bit; in float, with weights of 1/2, they keep it.  The kernels that the profile names
 * must agree, and a whole network must have all its dense convolutions there.  With emulated AVX-512 this runs everywhere that has AVX2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vrseg/session.h>

#include "graph/model_graph.h"
#include "machine/cpu_features.h"

#define BF16_KERNEL "conv_bf16_rows__avx512bf16"
#define STRIP_KERNEL "strips_bf16__avx512bf16"
#define IN 8
#define VALUE 0x1.008p0f /* 1 + 2^-9: a quarter of a step above a bfloat16 */

struct conv_case {
	const char *name;
	int kernel, stride, dilation, groups, out;
	bool dense;
};

static const struct conv_case cases[] = {
	{"1x1", 1, 1, 1, 1, 20, true},
	{"3x3, stride 2", 3, 2, 1, 1, 12, true},
	{"5x5, stride 2, dilated", 5, 2, 2, 1, 33, true},
	{"3x3, two groups", 3, 1, 1, 2, 16, false},
};

static bool has_bf16(void)
{
	unsigned features = vrs_cpu_features();
	return strcmp(vrs_cpu_isa(features), "avx512") == 0 && (features & VRS_CPU_AVX512BF16);
}

/* Ids of graphs are negative when memory is out. */
static int32_t checked(int32_t id)
{
	assert_true(id >= 0);
	return id;
}

static int32_t add_weights(struct vrs_graph *graph, const struct conv_case *c)
{
	int64_t dims[4] = {c->out, c->kernel, c->kernel, IN / c->groups};
	size_t count = (size_t)(dims[0] * dims[1] * dims[2] * dims[3]);
	float *values = calloc(count, sizeof *values);
	assert_non_null(values);
	for (size_t i = 0; i < count; i++)
		values[i] = 0.5f;
	int32_t id = checked(vrs_graph_add_const(graph, "w", VRS_F32, 4, dims, values));
	free(values);
	return id;
}

/* One convolution without padding. */
static struct vrs_model *conv_model(const struct conv_case *c)
{
	struct vrs_graph graph;
	struct vrs_model *model = NULL;
	struct vrs_node node;
	struct vrs_error err = {0};
	struct vrs_graph_tensor x = {.name = "x", .dtype = VRS_F32, .rank = 4, .dims = {1, 19, 23, IN}, .producer = -1};
	struct vrs_graph_tensor y = {.name = "y", .dtype = VRS_F32};
	vrs_graph_init(&graph);
	graph.inputs[graph.input_count++] = checked(vrs_graph_add_tensor(&graph, &x));
	vrs_node_init(&node, VRS_OP_CONV, c->name);
	node.inputs = 3;
	node.in[0] = graph.inputs[0];
	node.in[1] = add_weights(&graph, c);
	node.in[2] = -1;
	node.u.window.kernel_h = node.u.window.kernel_w = c->kernel;
	node.u.window.stride_h = node.u.window.stride_w = c->stride;
	node.u.window.dilation_h = node.u.window.dilation_w = c->dilation;
	node.u.window.groups = c->groups;
	node.out = graph.outputs[graph.output_count++] = checked(vrs_graph_add_tensor(&graph, &y));
	checked(vrs_graph_add_node(&graph, &node));
	if (vrs_graph_infer(&graph, &err) != VRS_OK || vrs_model_from_graph(&model, &graph, c->name, &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_graph_fini(&graph);
	return model;
}

static struct vrs_session *profiled_session(const struct vrs_model *model, enum vrs_precision precision)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session;
	struct vrs_error err = {0};
	options.backend = "cpu";
	options.threads = 2;
	options.precision = precision;
	options.profile = true;
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	for (int k = 0; vrs_session_input(session, k).data; k++) {
		struct vrs_tensor_view in = vrs_session_input(session, k);
		for (size_t i = 0; i < in.elements; i++)
			in.data[i] = VALUE;
	}
	if (vrs_session_run(session, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return session;
}

static int rows_of_kernel(struct vrs_session *session, const char *prefix)
{
	const struct vrs_op_profile *rows;
	int count = vrs_session_profile(session, &rows), found = 0;
	for (int i = 0; i < count; i++)
		found += strncmp(rows[i].kernel, prefix, strlen(prefix)) == 0;
	return found;
}

static void test_products(void **state)
{
	static const enum vrs_precision precisions[] = {VRS_PRECISION_FP32, VRS_PRECISION_FP16, VRS_PRECISION_BF16};
	(void)state;
	if (!has_bf16())
		print_message("this CPU cannot run avx512 with bf16: products in float\n");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct conv_case *c = &cases[i];
		struct vrs_model *model = conv_model(c);
		for (int p = 0; p < 3; p++) {
			bool rounded = precisions[p] == VRS_PRECISION_BF16 && c->dense && has_bf16();
			struct vrs_session *session = profiled_session(model, precisions[p]);
			struct vrs_tensor_view out = vrs_session_output(session, 0);
			float want = (rounded ? 1.0f : VALUE) * 0.5f * (float)(c->kernel * c->kernel * (IN / c->groups));
			for (size_t k = 0; k < out.elements; k++)
				if (out.data[k] != want)
					fail_msg("%s in %s: %a instead of %a", c->name, vrs_precision_name(precisions[p]), (double)out.data[k], (double)want);
			assert_int_equal(rows_of_kernel(session, BF16_KERNEL), rounded);
			vrs_session_destroy(session);
		}
		vrs_model_destroy(model);
	}
}

/* All dense convolutions of a network, so that no layer quietly stays in float. */
static void test_network(void **state)
{
	(void)state;
	struct vrs_model *model;
	struct vrs_error err = {0};
	if (vrs_model_load(&model, VRS_TEST_DIR "/golden/networks/rvm/model.onnx", &err) != VRS_OK)
		fail_msg("%s", err.text);
	struct vrs_session *exact = profiled_session(model, VRS_PRECISION_FP32), *session = profiled_session(model, VRS_PRECISION_BF16);
	int dense = rows_of_kernel(exact, "conv_f32") + rows_of_kernel(exact, "winograd"), left = rows_of_kernel(session, "winograd");
	int strips = rows_of_kernel(session, STRIP_KERNEL);
	print_message("%d dense convolutions, in bf16 %d by products of bf16, %d by strips, %d by tiles, %d in float\n", dense,
		      rows_of_kernel(session, BF16_KERNEL), strips, left, rows_of_kernel(session, "conv_f32"));
	assert_true(dense > 20);
	assert_int_equal(rows_of_kernel(exact, BF16_KERNEL), 0);
	if (has_bf16()) {
		assert_int_equal(rows_of_kernel(session, "conv_f32"), 0);
		assert_int_equal(rows_of_kernel(session, BF16_KERNEL) + strips + left, dense);
		assert_true(strips > 0);
		assert_true(left < dense / 4);
	} else {
		assert_int_equal(rows_of_kernel(session, BF16_KERNEL) + strips, 0);
	}
	vrs_session_destroy(exact);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_network)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
