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

/* The outputs; the caller frees them. */
static float *run(const struct vrs_model *model, const struct half_case *c, enum vrs_precision precision, int64_t half_min_bytes, int threads,
		  size_t *ret_bytes)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_shape shape = {.rank = 4, .dims = {c->images, c->side, c->side, CHANNELS}};
	struct vrs_session *session;
	struct vrs_error err = {0};
	struct vrs_rng rng;
	options.backend = "cpu";
	options.precision = precision;
	options.half_min_bytes = half_min_bytes;
	options.threads = threads;
	options.pictures_nhwc = true;
	options.input_shapes = &shape;
	options.input_shape_count = 1;
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_rng_init(&rng, 12);
	for (size_t i = 0; i < vrs_session_input(session, 0).elements; i++)
		vrs_session_input(session, 0).data[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
	assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	*ret_bytes = vrs_session_output(session, 0).bytes;
	float *result = malloc(*ret_bytes); /* libc: test scratch */
	assert_non_null(result);
	memcpy(result, vrs_session_output(session, 0).data, *ret_bytes);
	vrs_session_destroy(session);
	return result;
}

static void check(const struct half_case *c, enum vrs_precision precision)
{
	struct vrs_model *model = make_model(c);
	size_t bytes;
	float *want = run(model, c, precision, c->half_min_bytes, 1, &bytes), *in_float = run(model, c, precision, INT64_MAX, 1, &bytes);
	if (precision == VRS_PRECISION_FP16) /* products in bfloat16 round all the same */
		assert_memory_not_equal(want, in_float, bytes); /* the result of the first layer was rounded */
	for (int threads = 2; threads <= 4; threads++) {
		float *got = run(model, c, precision, c->half_min_bytes, threads, &bytes);
		if (memcmp(got, want, bytes) != 0)
			fail_msg("%d images, side %d, %s: %d threads have other bits than one", c->images, c->side, vrs_precision_name(precision), threads);
		free(got); /* libc: see run */
	}
	free(want); /* libc: see run */
	free(in_float);
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
