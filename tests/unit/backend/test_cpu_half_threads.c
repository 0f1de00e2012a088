/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards that the number of threads changes nothing of what is rounded to 16 bits: a 1x1 convolution whose result is stored in 16 bits between
 * regions, then a layer of many weights to one pixel, which threads share by channels and one thread does not.  So also in large batches, where the
 * weights of the layer are widened for each band with few threads and not with more, and at a size from which on values are stored by themselves.
 */
#include "unit/backend/node_check.h"

#define CHANNELS 16

struct half_case {
	int images, side, kernel, dilation, out;
	int64_t half_min_bytes;
};

static int32_t add_conv(struct vrs_graph *graph, int32_t x, int kernel, int dilation, int out)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_CONV, "conv");
	node.inputs = 2;
	node.in[0] = x;
	node.in[1] = node_const(graph, 4, (const int64_t[]){out, kernel, kernel, CHANNELS}, 0.3, 3);
	node.u.window.kernel_h = node.u.window.kernel_w = kernel;
	node.u.window.dilation_h = node.u.window.dilation_w = dilation;
	node.u.window.groups = 1;
	return node_emit(graph, &node, VRS_F32);
}

static struct vrs_model *make_model(const struct half_case *c)
{
	struct vrs_graph graph;
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	vrs_graph_init(&graph);
	int32_t x = node_input(&graph, 4, (const int64_t[]){c->images, c->side, c->side, CHANNELS});
	x = add_conv(&graph, x, 1, 1, CHANNELS);
	graph.outputs[graph.output_count++] = add_conv(&graph, x, c->kernel, c->dilation, c->out);
	if (vrs_graph_infer(&graph, &err) != VRS_OK || vrs_model_from_graph(&model, &graph, "half", &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_graph_fini(&graph);
	return model;
}

static void check(const struct half_case *c, enum vrs_precision precision)
{
	struct vrs_model *model = make_model(c);
	struct node_result want = node_run_half(model, precision, c->half_min_bytes, 1, "one thread");
	struct node_result in_float = node_run_half(model, precision, INT64_MAX, 1, "in floats");
	if (precision == VRS_PRECISION_FP16) /* products in bfloat16 round all the same */
		assert_memory_not_equal(want.data, in_float.data, want.bytes); /* the result of the first layer was rounded */
	for (int threads = 2; threads <= 4; threads++) {
		struct node_result got = node_run_half(model, precision, c->half_min_bytes, threads, "more threads");
		if (memcmp(got.data, want.data, want.bytes) != 0)
			fail_msg("%d images, side %d, %s: %d threads have other bits than one", c->images, c->side, vrs_precision_name(precision), threads);
		free(got.data); /* libc: see node_output */
	}
	free(want.data); /* libc: see node_output */
	free(in_float.data);
	vrs_model_destroy(model);
}

static void test_threads(void **state)
{
	static const struct half_case cases[] = {{1, 14, 14, 1, 64, 0}, {1100, 4, 4, 1, 128, 0}, {1, 192, 3, 95, 256, -1}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		check(&cases[i], VRS_PRECISION_FP16);
		check(&cases[i], VRS_PRECISION_BF16);
	}
}

static int group(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	return node_levels(group);
}
