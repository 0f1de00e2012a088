/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards that the passes make the same network of any batch, which calibrations rely on: squeeze-excitation by products of rows, products of the
 * pixels of all images, and products of rank 3 have maps whose first dim is the batch, the same nodes and the same results; rows that are no
 * multiple of the batch, and views that somebody else reads, stay as they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "graph/passes.h"
#include "graph/quant.h"
#include "unit/graph/graph_builder.h"
#include "unit/graph/graph_run.h"

enum { SIDE = 16, CHANNELS = 3, BATCHES = 4 };

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}

static int32_t weights(struct vrs_graph *g, int rank, const int64_t *dims)
{
	float values[64];
	struct vrs_rng rng;

	vrs_rng_init(&rng, 5);
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		values[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
	return vrs_graph_add_const(g, "w", VRS_F32, rank, dims, values);
}

static int32_t picture(struct vrs_graph *g, int64_t batch)
{
	int32_t x = build_input(g, SIDE, SIDE, CHANNELS);

	g->tensors[x].dims[0] = batch;
	return x;
}

/* The convolution of a map of one row that importers make of x [rows][in] times a matrix; the map of it. */
static int32_t row_conv(struct vrs_graph *g, int32_t x, int64_t in, int64_t out)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_CONV, "product");
	node.inputs = 2;
	node.in[0] = build_view(g, x, 4, SHAPE(1, 1, -1, in));
	node.in[1] = weights(g, 4, SHAPE(out, 1, 1, in));
	return build_node(g, &node);
}

static int32_t row_product(struct vrs_graph *g, int32_t x, int64_t in, int64_t out)
{
	return build_view(g, row_conv(g, x, in, out), 2, SHAPE(-1, out));
}

static void squeeze(struct vrs_graph *g, int64_t batch)
{
	int32_t x = picture(g, batch), rows = build_view(g, build_mean(g, x), 2, SHAPE(-1, CHANNELS));

	rows = row_product(g, build_unary(g, row_product(g, rows, CHANNELS, 5), VRS_ACT_RELU), 5, CHANNELS);
	build_output(g, build_binary(g, VRS_MUL, x, build_view(g, rows, 4, SHAPE(batch, 1, 1, CHANNELS)), VRS_ACT_NONE));
}

static void pixels(struct vrs_graph *g, int64_t batch)
{
	int32_t rows = row_product(g, build_view(g, picture(g, batch), 2, SHAPE(-1, CHANNELS)), CHANNELS, 5);

	build_output(g, build_view(g, rows, 4, SHAPE(batch, SIDE, SIDE, 5)));
}

static void tokens(struct vrs_graph *g, int64_t batch)
{
	struct vrs_node node;

	vrs_node_init(&node, VRS_OP_MATMUL, "product");
	node.inputs = 2;
	node.in[0] = build_view(g, picture(g, batch), 3, SHAPE(batch, SIDE * SIDE, CHANNELS));
	node.in[1] = weights(g, 2, SHAPE(CHANNELS, 5));
	build_output(g, build_view(g, build_node(g, &node), 4, SHAPE(batch, SIDE, SIDE, 5)));
}

static void run_passes(struct vrs_graph *g)
{
	struct vrs_error err = {0};

	if (vrs_passes_run(g, true, &err) != VRS_OK || vrs_graph_validate(g, &err) != VRS_OK)
		fail_msg("%s", err.text);
}

static void check_maps(const struct vrs_graph *g, int64_t batch)
{
	for (int32_t i = 0; i < g->node_count; i++)
		if (!g->nodes[i].dead && g->nodes[i].op == VRS_OP_CONV)
			assert_int_equal(g->tensors[g->nodes[i].out].dims[0], batch);
}

static void test_structure(void **state)
{
	static void (*const networks[])(struct vrs_graph *g, int64_t batch) = {squeeze, pixels, tokens};

	(void)state;
	for (size_t k = 0; k < sizeof networks / sizeof *networks; k++) {
		uint64_t structure = 0;
		int32_t tensors = 0, nodes = 0;

		for (int batch = 1; batch <= BATCHES; batch++) {
			struct vrs_graph plain = {0}, g;
			struct graph_run want, got;

			networks[k](&plain, batch);
			assert_int_equal(vrs_graph_copy(&g, &plain), VRS_OK);
			run_passes(&g);
			check_maps(&g, batch);
			if (batch > 1 && (vrs_graph_structure(&g) != structure || g.tensor_count != tensors || g.node_count != nodes))
				fail_msg("network %zu: another one for a batch of %d", k, batch);
			structure = vrs_graph_structure(&g);
			tensors = g.tensor_count;
			nodes = g.node_count;
			want = graph_run(&plain, 1);
			got = graph_run(&g, 1);
			assert_true(graph_run_error(&want, &got, 0) == 0);
			graph_run_free(&want);
			graph_run_free(&got);
			vrs_graph_fini(&plain);
			vrs_graph_fini(&g);
		}
	}
}

/* Five rows in a batch of two; a map that is an output; a map that is read twice; rows of an input that is a matrix. */
static void test_left_alone(void **state)
{
	struct vrs_graph odd = {0}, output = {0}, twice = {0}, matrix = {0};
	int32_t x;

	(void)state;
	picture(&odd, 2);
	x = build_input(&odd, 1, 5, CHANNELS);
	build_output(&odd, row_product(&odd, build_view(&odd, x, 2, SHAPE(5, CHANNELS)), CHANNELS, 5));
	x = picture(&output, 2);
	build_output(&output, row_conv(&output, build_view(&output, x, 2, SHAPE(-1, CHANNELS)), CHANNELS, 5));
	x = row_conv(&twice, build_view(&twice, picture(&twice, 2), 2, SHAPE(-1, CHANNELS)), CHANNELS, 5);
	build_output(&twice, build_view(&twice, x, 2, SHAPE(-1, 5)));
	build_output(&twice, build_unary(&twice, x, VRS_ACT_RELU));
	x = build_input(&matrix, CHANNELS, 1, 1);
	matrix.tensors[x] = (struct vrs_graph_tensor){.dtype = VRS_F32, .rank = 2, .dims = {6, CHANNELS}, .producer = -1};
	build_output(&matrix, row_product(&matrix, x, CHANNELS, 5));
	for (int i = 0; i < 4; i++) {
		struct vrs_graph *g = (struct vrs_graph *[]){&odd, &output, &twice, &matrix}[i];
		struct vrs_error err = {0};

		assert_int_equal(vrs_pass_batch(g, &err), VRS_OK);
		check_maps(g, 1);
		vrs_graph_fini(g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_structure), cmocka_unit_test(test_left_alone)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
