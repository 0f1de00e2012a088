/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards that a batch changes nothing of what is rounded to 16 bits: y = pool(x) + gather(x, {0, 0}) of one image repeats pool(x), which is
 * stored in 16 bits, and has the bits of the first image of a batch of two; tanh(x)^2 of two to five dims has the same bits alone and in batches.
 */
#include "unit/backend/node_check.h"

#define HEIGHT 24
#define WIDTH 40
#define CHANNELS 8
#define LARGE (256 * 640) /* floats of an image */
#define IMAGE (sizeof(float) * HEIGHT * WIDTH * CHANNELS)

static struct vrs_model *make_model(int images, const char *what)
{
	static const int64_t first_twice[2] = {0, 0};
	struct vrs_graph graph;
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	struct vrs_node pool, gather, sum;
	vrs_graph_init(&graph);
	int32_t x = node_input(&graph, 4, (const int64_t[]){images, HEIGHT, WIDTH, CHANNELS});
	vrs_node_init(&pool, VRS_OP_POOL_MAX, "pool"); /* a convolution would take the sum as its residual, in a batch of two only */
	pool.inputs = 1;
	pool.in[0] = x;
	pool.u.window.kernel_h = pool.u.window.kernel_w = 3;
	pool.u.window.pad_top = pool.u.window.pad_left = pool.u.window.pad_bottom = pool.u.window.pad_right = 1;
	int32_t made = node_emit(&graph, &pool, VRS_F32);
	vrs_node_init(&gather, VRS_OP_GATHER, "gather");
	gather.inputs = 2;
	gather.in[0] = x;
	gather.in[1] = node_checked(vrs_graph_add_const(&graph, "i", VRS_I64, 1, (const int64_t[]){2}, first_twice));
	int32_t repeated = node_emit(&graph, &gather, VRS_F32);
	vrs_node_init(&sum, VRS_OP_BINARY, "sum");
	sum.inputs = 2;
	sum.in[0] = made;
	sum.in[1] = repeated;
	sum.u.binary.op = VRS_ADD;
	graph.outputs[graph.output_count++] = node_emit(&graph, &sum, VRS_F32);
	if (vrs_graph_infer(&graph, &err) != VRS_OK || vrs_model_from_graph(&model, &graph, what, &err) != VRS_OK)
		fail_msg("%s: %s", what, err.text);
	vrs_graph_fini(&graph);
	return model;
}

/* The first image of the sum; both batches begin with the same picture. The caller frees it. */
static char *first_image(int images, enum vrs_precision precision, int64_t half_min_bytes, int threads)
{
	char what[64];
	snprintf(what, sizeof what, "%d images, %s, %d threads", images, vrs_precision_name(precision), threads);
	struct vrs_model *model = make_model(images, what);
	struct node_result result = node_run_half(model, precision, half_min_bytes, threads, what);
	assert_int_equal(result.bytes, 2 * IMAGE);
	vrs_model_destroy(model);
	return result.data;
}

static void check_precision(enum vrs_precision precision)
{
	char *in_float = first_image(1, precision, INT64_MAX, 1), *want = first_image(1, precision, 0, 1);
	assert_memory_not_equal(want, in_float, IMAGE); /* pool(x) was rounded */
	for (int threads = 1; threads <= 3; threads++) {
		char *repeated = first_image(1, precision, 0, threads), *batch = first_image(2, precision, 0, threads);
		assert_memory_equal(repeated, want, IMAGE);
		assert_memory_equal(batch, want, IMAGE);
		free(repeated); /* libc: see node_output */
		free(batch);
	}
	free(in_float); /* libc: see node_output */
	free(want);
}

/* tanh(x)^2 of images of this rank, which no cache holds a row of where the pixels are one: tanh(x) is stored. */
static struct vrs_model *make_square(int rank, int images, const char *what)
{
	static const int64_t parts[][4] = {{LARGE}, {256, LARGE / 256}, {16, 16, LARGE / 256}, {2, 8, 16, LARGE / 256}};
	struct vrs_graph graph;
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	struct vrs_node tanh, square;
	int64_t dims[5] = {images};
	memcpy(dims + 1, parts[rank - 2], (size_t)(rank - 1) * sizeof *dims);
	vrs_graph_init(&graph);
	vrs_node_init(&tanh, VRS_OP_UNARY, "tanh");
	tanh.inputs = 1;
	tanh.in[0] = node_input(&graph, rank, dims);
	tanh.act = VRS_ACT_TANH;
	vrs_node_init(&square, VRS_OP_BINARY, "square");
	square.inputs = 2;
	square.in[0] = square.in[1] = node_emit(&graph, &tanh, VRS_F32);
	square.u.binary.op = VRS_MUL;
	graph.outputs[graph.output_count++] = node_emit(&graph, &square, VRS_F32);
	if (vrs_graph_infer(&graph, &err) != VRS_OK || vrs_model_from_graph(&model, &graph, what, &err) != VRS_OK)
		fail_msg("%s: %s", what, err.text);
	vrs_graph_fini(&graph);
	return model;
}

static void check_ranks(enum vrs_precision precision)
{
	for (int rank = 2; rank <= 5; rank++) {
		char *want = NULL;
		for (int images = 1; images <= 2; images++) {
			char what[80];
			snprintf(what, sizeof what, "rank %d, %d images, %s", rank, images, vrs_precision_name(precision));
			struct vrs_model *model = make_square(rank, images, what);
			struct node_result result = node_run_half(model, precision, 0, images, what);
			want = want ? want : result.data;
			if (memcmp(result.data, want, LARGE * sizeof(float)) != 0)
				fail_msg("%s: another first image", what);
			vrs_model_destroy(model);
			if (result.data != want)
				free(result.data); /* libc: see node_output */
		}
		free(want); /* libc: see node_output */
	}
}

static void test_ranks(void **state)
{
	(void)state;
	check_ranks(VRS_PRECISION_FP16);
	check_ranks(VRS_PRECISION_BF16);
}

static void test_repeated_value(void **state)
{
	(void)state;
	check_precision(VRS_PRECISION_FP16);
	check_precision(VRS_PRECISION_BF16);
}

static int group(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_repeated_value), cmocka_unit_test(test_ranks)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	return node_levels(group);
}
