/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards normalisation on a device: rows from one element to several thousand, with and without scale and bias, also computed ones; maps in chunks,
 * channels alone and in groups; means that are large against the deviation.
 */
#include "op_batch.h"

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}

/* act_lo * x + act_hi */
static int32_t linear(struct vrs_graph *graph, int32_t x, float factor, float term)
{
	struct vrs_node node = op_node(VRS_OP_UNARY, x);
	node.act = VRS_ACT_LINEAR;
	node.act_lo = factor;
	node.act_hi = term;
	return node_emit(graph, &node, VRS_F32);
}

struct rows {
	int rank, axis;
	int64_t dims[4];
};

static void add_rows(struct op_batch *batch, const struct rows *r, int factors, size_t i)
{
	struct vrs_graph *graph = &batch->graph;
	char what[64];
	int64_t count = 1;
	struct vrs_node node = op_node(VRS_OP_LAYER_NORM, linear(graph, node_input(graph, r->rank, r->dims), 1, 0.7f));
	for (int k = r->axis < 0 ? r->rank + r->axis : r->axis; k < r->rank; k++)
		count *= r->dims[k];
	node.inputs = 3;
	node.in[1] = factors & 1 ? node_const(graph, 1, &count, 1, 3) : -1;
	node.in[2] = factors & 2 ? node_const(graph, 1, &count, 1, 4) : -1;
	if (factors == 4) {
		node.in[1] = linear(graph, node_input(graph, 1, &count), 2, 0);
		node.in[2] = node_input(graph, 1, &count);
	}
	node.u.norm.axis = r->axis;
	node.u.norm.epsilon = 1e-3f;
	node_emit(graph, &node, VRS_F32);
	snprintf(what, sizeof what, "rows %zu, factors %d", i, factors);
	op_batch_add_newest(batch, what);
}

static void test_layer_norm(void **state)
{
	static const struct rows cases[] = {
		{2, -1, {7, 1}}, {2, 1, {3, 5}}, {3, -1, {2, 9, 64}}, {3, 1, {5, 3, 7}}, {4, -1, {1, 6, 7, 100}}, {4, 1, {2, 11, 13, 31}}, {2, 0, {9, 70}},
		{2, -1, {1, 2050}}, {2, -1, {130, 6}},
	};
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, OP_BOUND_FP32, OP_BOUND_FP16);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int factors = 0; factors <= (i < 3 ? 4 : 0); factors++)
			add_rows(&batch, &cases[i], i < 3 ? factors : 3, i);
	op_batch_check(&batch);
}

struct maps {
	int batch, height, width, channels, groups;
	float term;
};

static void check_maps(const struct maps *cases, int count, double bound_fp32, double bound_fp16)
{
	struct op_batch batch;
	op_batch_init(&batch, bound_fp32, bound_fp16);
	for (int i = 0; i < count; i++) {
		const struct maps *m = &cases[i];
		struct vrs_graph *graph = &batch.graph;
		char what[64];
		int32_t x = node_input(graph, 4, SHAPE(m->batch, m->height, m->width, m->channels));
		struct vrs_node node = op_node(VRS_OP_INSTANCE_NORM, linear(graph, x, 1, m->term));
		node.inputs = 3;
		node.in[1] = node_const(graph, 1, SHAPE(m->channels), 1, 5);
		node.in[2] = i % 2 ? node_const(graph, 1, SHAPE(m->channels), 1, 6) : node_input(graph, 1, SHAPE(m->channels));
		node.u.norm.groups = m->groups;
		node.u.norm.epsilon = 1e-5f;
		node_emit(graph, &node, VRS_F32);
		snprintf(what, sizeof what, "maps %d with a term of %g", i, (double)m->term);
		op_batch_add_newest(&batch, what);
	}
	op_batch_check(&batch);
}

static void test_instance_norm(void **state)
{
	static const struct maps cases[] = {
		{1, 4, 5, 3, 0, 0}, {2, 7, 9, 16, 0, 0.5f}, {2, 7, 9, 12, 3, 0}, {1, 6, 5, 10, 5, 0}, {1, 1, 3, 8, 1, 0}, {1, 90, 71, 4, 0, 0},
		{1, 60, 71, 6, 2, 0}, {3, 20, 33, 70, 7, 0},
	};
	/* The square of the mean is at least 30000 times the variance: differences of sums of squares would fail. */
	static const struct maps large_means[] = {{1, 64, 64, 8, 2, 100}, {1, 64, 64, 5, 0, -300}};
	(void)state;
	check_maps(cases, sizeof cases / sizeof *cases, 1e-5, OP_BOUND_FP16);
	check_maps(large_means, sizeof large_means / sizeof *large_means, 1e-3, -1);
}

int main(void)
{
	held_contexts_begin();
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_layer_norm), cmocka_unit_test(test_instance_norm)};
	return held_contexts_end(cmocka_run_group_tests(tests, NULL, NULL));
}
