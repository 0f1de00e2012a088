/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what backends have in common with the calibration of the CPU's plan: nodes that its rewrites change do not count as the same, a calibration
 * of another graph is refused, and the bytes of a range cover it and zero.
 */
#include "node_check.h"

#include <vrseg/calibration.h>

#include "backend/cpu/plan/cpu_plan_steps.h"
#include "backend/quant_graph.h"

static int32_t add_conv(struct vrs_graph *graph, int32_t x, int in, int out, int kernel)
{
	struct vrs_node node;
	vrs_node_init(&node, VRS_OP_CONV, "conv");
	node.inputs = 2;
	node.in[0] = x;
	node.in[1] = node_const(graph, 4, (const int64_t[]){out, kernel, kernel, in}, 1, 5);
	node.u.window = (struct vrs_window){
		.kernel_h = kernel, .kernel_w = kernel, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .groups = 1,
		.pad_top = kernel / 2, .pad_left = kernel / 2, .pad_bottom = kernel / 2, .pad_right = kernel / 2,
	};
	return node_emit(graph, &node, VRS_F32);
}

/* A 3x3 convolution, which stays; a resize and a 1x1 one, which change places. */
static void build(struct vrs_graph *graph)
{
	struct vrs_node resize;
	vrs_graph_init(graph);
	int32_t x = add_conv(graph, node_input(graph, 4, (const int64_t[]){1, 4, 5, 3}), 3, 8, 3);
	vrs_node_init(&resize, VRS_OP_RESIZE, "resize");
	resize.inputs = 1;
	resize.in[0] = x;
	resize.u.resize.half_pixel = true;
	resize.u.resize.out_h = 8;
	resize.u.resize.out_w = 10;
	x = node_emit(graph, &resize, VRS_F32);
	graph->outputs[graph->output_count++] = add_conv(graph, x, 8, 4, 1);
}

static struct vrs_calibration *calibration_of(const struct vrs_graph *graph, bool fusion)
{
	struct vrs_graph planned;
	struct vrs_calibration *calibration = NULL;
	assert_int_equal(vrs_graph_copy(&planned, graph), VRS_OK);
	if (fusion)
		assert_int_equal(vrs_cpu_plan_rewrite(&planned, NULL), VRS_OK);
	assert_int_equal(vrs_calibration_create(&calibration, planned.tensor_count, planned.node_count), VRS_OK);
	calibration->structure = vrs_graph_structure(&planned);
	vrs_graph_fini(&planned);
	return calibration;
}

static void test_match(void **state)
{
	struct vrs_graph graph;
	struct vrs_error err = {0};
	bool same[3];
	(void)state;
	build(&graph);
	for (int fusion = 0; fusion < 2; fusion++) {
		struct vrs_calibration *calibration = calibration_of(&graph, fusion);
		assert_int_equal(vrs_quant_graph_match(same, &graph, fusion, calibration, &err), VRS_OK);
		assert_true(same[0]);
		assert_int_equal(same[1], !fusion);
		assert_int_equal(same[2], !fusion);
		assert_int_equal(vrs_quant_graph_match(same, &graph, !fusion, calibration, &err), VRS_EINVAL);
		assert_non_null(strstr(err.text, "calibrate again"));
		vrs_calibration_destroy(calibration);
	}
	vrs_graph_fini(&graph);
}

static void test_steps(void **state)
{
	static const struct vrs_quant_range ranges[] = {{-1, 3}, {0, 6}, {-2, 0}, {1, 2}, {-5, -4}};
	(void)state;
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		struct vrs_quant_step step = vrs_quant_step_of(&ranges[i]);
		float low = (0 - step.zero) * step.scale, high = (255 - step.zero) * step.scale;
		assert_true(vrs_quant_range_is_usable(&ranges[i]));
		assert_true(step.zero >= 0 && step.zero <= 255 && step.zero == rintf(step.zero)); /* a real 0 is a byte */
		assert_true(low <= ranges[i].lo + step.scale / 2 && high >= ranges[i].hi - step.scale / 2);
	}
	assert_false(vrs_quant_range_is_usable(&(struct vrs_quant_range){0, 0}));
	assert_false(vrs_quant_range_is_usable(&(struct vrs_quant_range){-1, INFINITY}));
	assert_false(vrs_quant_range_is_usable(&(struct vrs_quant_range){0, NAN}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_match), cmocka_unit_test(test_steps)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
