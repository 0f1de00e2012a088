/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards that the batch does not change the bits of a picture: how a convolution is computed, directly or by tiles, goes by the size of one image,
 * also where more images would pay for weights that are read once; and so does whether an enlarged map goes to its convolution in a ring or through
 * memory, where it is rounded to 16 bits.  So has a row of a product of activations, whose rows may be images, however few they are.
 */
#include "unit/backend/node_check.h"

struct batch_case {
	int side, in, out, kernel;
	bool enlarged;      /* the map, to twice its size, in front of the convolution */
	enum vrs_precision precision;
};

static int32_t enlarge(struct vrs_graph *graph, int32_t x, int side)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_RESIZE, "up");
	node.inputs = 1;
	node.in[0] = x;
	node.u.resize.half_pixel = true;
	node.u.resize.out_h = node.u.resize.out_w = side;
	return node_emit(graph, &node, VRS_F32);
}

static struct vrs_model *make_model(const struct batch_case *c, int images, const char *what)
{
	struct vrs_graph graph;
	struct vrs_model *model = NULL;
	struct vrs_node node;
	struct vrs_error err = {0};
	vrs_graph_init(&graph);
	int32_t x = node_input(&graph, 4, (const int64_t[]){images, c->side, c->side, c->in});
	vrs_node_init(&node, VRS_OP_CONV, "conv");
	node.inputs = 2;
	node.in[0] = c->enlarged ? enlarge(&graph, x, 2 * c->side) : x;
	node.in[1] = node_const(&graph, 4, (const int64_t[]){c->out, c->kernel, c->kernel, c->in}, 0.1, 3);
	node.u.window.kernel_h = node.u.window.kernel_w = c->kernel;
	node.u.window.groups = 1;
	node.u.window.same = true;
	graph.outputs[graph.output_count++] = node_emit(&graph, &node, VRS_F32);
	if (vrs_graph_infer(&graph, &err) != VRS_OK || vrs_model_from_graph(&model, &graph, what, &err) != VRS_OK)
		fail_msg("%s: %s", what, err.text);
	vrs_graph_fini(&graph);
	return model;
}

/* The first image of the result; all batches begin with the same picture. The caller frees it. */
static char *first_image(const struct batch_case *c, int images, int threads, size_t *ret_bytes, const char *what)
{
	struct vrs_model *model = make_model(c, images, what);
	struct node_result result = node_run_half(model, c->precision, 0, threads, what);
	*ret_bytes = result.bytes / (size_t)images;
	vrs_model_destroy(model);
	return result.data;
}

static void check(const struct batch_case *c)
{
	static const int batches[] = {2, 3, 8};
	char what[80];
	size_t bytes;
	snprintf(what, sizeof what, "%dx%d of %d pixels, %d to %d, %s", c->kernel, c->kernel, c->side, c->in, c->out, vrs_precision_name(c->precision));
	char *want = first_image(c, 1, 1, &bytes, what);
	for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
		char *got = first_image(c, batches[i], 1 + (int)i % 2, &bytes, what);
		if (memcmp(got, want, bytes) != 0)
			fail_msg("%s: a batch of %d has other bits than one image", what, batches[i]);
		free(got); /* libc: see node_output */
	}
	free(want); /* libc: see node_output */
}

static void test_sizes(void **state)
{
	static const int sides[] = {4, 5, 8, 11}, channels[] = {8, 40, 128, 256};
	(void)state;
	for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
		for (size_t k = 0; k < sizeof channels / sizeof *channels; k++)
			for (int kernel = 3; kernel <= 5; kernel += 2)
				check(&(struct batch_case){sides[i], channels[k], channels[k], kernel, false, VRS_PRECISION_FP32});
}

static void test_enlarged(void **state)
{
	(void)state;
	check(&(struct batch_case){44, 32, 16, 3, true, VRS_PRECISION_FP16}); /* 968 KiB an image */
	check(&(struct batch_case){44, 32, 16, 3, true, VRS_PRECISION_BF16});
	check(&(struct batch_case){44, 32, 16, 3, true, VRS_PRECISION_FP32});
}

/* The first row of [rows][length] times a matrix that is computed, which is the first input and so the same for any rows. The caller frees it. */
static char *first_row(int rows, int length, int columns, bool turned, const char *what)
{
	struct vrs_graph graph;
	struct vrs_model *model = NULL;
	struct vrs_node node;
	struct vrs_error err = {0};
	vrs_graph_init(&graph);
	vrs_node_init(&node, VRS_OP_MATMUL, "product");
	node.inputs = 2;
	node.in[1] = node_input(&graph, 2, turned ? (const int64_t[]){columns, length} : (const int64_t[]){length, columns});
	node.in[0] = node_input(&graph, 2, (const int64_t[]){rows, length});
	node.u.matmul.transpose_b = turned;
	graph.outputs[graph.output_count++] = node_emit(&graph, &node, VRS_F32);
	if (vrs_graph_infer(&graph, &err) != VRS_OK || vrs_model_from_graph(&model, &graph, what, &err) != VRS_OK)
		fail_msg("%s: %s", what, err.text);
	vrs_graph_fini(&graph);
	struct node_result result = node_run_half(model, VRS_PRECISION_FP32, 0, 1, what);
	assert_int_equal(result.bytes, sizeof(float) * (size_t)rows * (size_t)columns);
	vrs_model_destroy(model);
	return result.data;
}

static void check_columns(int length, int columns, bool turned)
{
	char what[80];
	snprintf(what, sizeof what, "a product of [%d][%d], turned %d", length, columns, turned);
	char *want = first_row(1, length, columns, turned, what);
	for (int rows = 2; rows <= 13; rows++) {
		char *got = first_row(rows, length, columns, turned, what);
		if (memcmp(got, want, sizeof(float) * (size_t)columns) != 0)
			fail_msg("%s: %d rows have other bits than one", what, rows);
		free(got); /* libc: see node_output */
	}
	free(want); /* libc: see node_output */
}

static void test_rows(void **state)
{
	static const int columns[] = {1, 2, 7, 64, 70};
	(void)state;
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		for (int turned = 0; turned < 2; turned++) {
			check_columns(3, columns[i], turned);
			check_columns(99, columns[i], turned);
		}
}

static int group(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_enlarged), cmocka_unit_test(test_rows)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	return node_levels(group);
}
