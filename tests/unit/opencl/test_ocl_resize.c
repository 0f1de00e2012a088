/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards resizes on a device: both plain kinds with every kind of coordinates, given scales and roundings, cubic and antialiased filters, regions
 * with values from outside, enlarging, shrinking and the same size, channels that four divides and others.
 */
#include "op_batch.h"

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}

static const int sizes[][2] = {{5, 11}, {25, 20}, {1, 7}, {12, 10}, {36, 1}};
#define SIZES ((int)(sizeof sizes / sizeof *sizes))

static struct vrs_node resize_node(struct op_batch *batch, int size, int channels)
{
	struct vrs_graph *graph = &batch->graph;
	struct vrs_node node = op_node(VRS_OP_RESIZE, node_input(graph, 4, SHAPE(2, 12, 10, channels)));
	node.u.resize.out_h = sizes[size][0];
	node.u.resize.out_w = sizes[size][1];
	return node;
}

static void end_case(struct op_batch *batch, struct vrs_node *node, const char *name, int i, int size)
{
	char what[64];
	node_emit(&batch->graph, node, VRS_F32);
	snprintf(what, sizeof what, "%s %d to %dx%d", name, i, sizes[size][1], sizes[size][0]);
	op_batch_add_newest(batch, what);
}

static void test_plain(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, OP_BOUND_FP32, OP_BOUND_FP16);
	for (int i = 0; i < 6; i++)
		for (int size = 0; size < SIZES; size++) {
			struct vrs_node node = resize_node(&batch, size, size % 2 ? 3 : 8);
			node.u.resize.nearest = i & 1;
			node.u.resize.half_pixel = i / 2 == 1;
			node.u.resize.align_corners = i / 2 == 2;
			end_case(&batch, &node, "plain", i, size);
		}
	op_batch_check(&batch);
}

/* Coordinates and roundings of ONNX that take two neighbours, or one. */
static void test_pairs(void **state)
{
	(void)state;
	for (int coord = VRS_COORD_HALF_PIXEL; coord < VRS_COORD_TF_CROP_AND_RESIZE; coord++) {
		struct op_batch batch;
		op_batch_init(&batch, OP_BOUND_FP32, -1);
		for (int round = -1; round <= (int)VRS_ROUND_DOWN_CEIL; round++) {
			struct vrs_node node = resize_node(&batch, (coord + round + 1) % SIZES, 4);
			struct vrs_resize *r = &node.u.resize;
			r->coord = (enum vrs_resize_coord)coord;
			r->nearest = round >= 0;
			r->round = round >= 0 ? (enum vrs_resize_round)round : VRS_ROUND_FLOOR;
			if (round == -1) { /* a scale that is not out / in */
				r->given_scale = true;
				r->scale_h = 1.3;
				r->scale_w = 0.47;
			}
			end_case(&batch, &node, "pair", coord * 10 + round, (coord + round + 1) % SIZES);
		}
		op_batch_check(&batch);
	}
}

static void test_filters(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, OP_BOUND_FP32, OP_BOUND_FP16);
	for (int i = 0; i < 24; i++) {
		int size = i % SIZES;
		struct vrs_node node = resize_node(&batch, size, i % 2 ? 5 : 4);
		struct vrs_resize *r = &node.u.resize;
		r->coord = i % 4 == 0 ? VRS_COORD_TF_CROP_AND_RESIZE : i % 4 == 1 ? VRS_COORD_HALF_PIXEL : i % 4 == 2 ? VRS_COORD_ALIGN_CORNERS :
			   VRS_COORD_ASYMMETRIC;
		r->cubic = i % 3 != 1;
		r->antialias = i % 3 != 0;
		r->exclude_outside = i >= 12;
		r->cubic_a = -0.75F;
		end_case(&batch, &node, "filter", i, size);
	}
	op_batch_check(&batch);
}

/* Regions that reach beyond the picture, also backwards: every filter and the value from outside. */
static void test_regions(void **state)
{
	struct op_batch batch;
	(void)state;
	op_batch_init(&batch, OP_BOUND_FP32, OP_BOUND_FP16);
	for (int i = 0; i < 12; i++) {
		int size = i % 2;
		struct vrs_node node = resize_node(&batch, size, i % 4 < 2 ? 4 : 3);
		struct vrs_resize *r = &node.u.resize;
		r->coord = VRS_COORD_TF_CROP_AND_RESIZE;
		r->nearest = i % 3 == 0;
		r->cubic = i % 3 == 1;
		r->cubic_a = -0.5F;
		r->extrapolation = i == 7 ? INFINITY : 7;
		r->roi[0] = i >= 6 ? 0.9F : -0.2F;
		r->roi[1] = 0.1F;
		r->roi[2] = i >= 6 ? 0.1F : 1.3F;
		r->roi[3] = i >= 6 ? 1.8F : 0.8F;
		end_case(&batch, &node, "region", i, size);
	}
	op_batch_check(&batch);
}

int main(void)
{
	held_contexts_begin();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain), cmocka_unit_test(test_pairs), cmocka_unit_test(test_filters), cmocka_unit_test(test_regions),
	};
	return held_contexts_end(cmocka_run_group_tests(tests, NULL, NULL));
}
