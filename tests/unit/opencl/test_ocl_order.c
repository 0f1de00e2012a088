/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what tells devices apart that have one name and driver and add in different orders: each number that decides the order changes the hash, of
 * CPUs not the compute units, and what the listing says of a device is what a session on it says.
 */
#include "op_check.h"
#include "opencl/ocl_choice.h"
#include "opencl/ocl_context.h"
#include "opencl/ocl_order.h"

static const struct vrs_ocl_order gpu = {.compute_units = 60, .max_group = 256, .max_items = {1024, 1024, 64}, .local_bytes = 65536};

static void test_fields(void **state)
{
	struct vrs_ocl_order changed[] = {gpu, gpu, gpu, gpu, gpu, gpu, gpu};
	(void)state;
	changed[0].compute_units = 80; /* RX 6800 and 6900 XT: both gfx1030 */
	changed[1].max_group = 1024;
	changed[2].max_items[0] = 256;
	changed[3].max_items[1] = 256;
	changed[4].max_items[2] = 1;
	changed[5].local_bytes = 32768;
	changed[6].is_cpu = true;
	for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
		if (vrs_ocl_order_hash(&changed[i]) == vrs_ocl_order_hash(&gpu))
			fail_msg("change %zu has the same hash", i);
	changed[0].is_cpu = true;
	assert_true(vrs_ocl_order_hash(&changed[0]) == vrs_ocl_order_hash(&changed[6]));
}

static void test_session(void **state)
{
	const int64_t dims[] = {1, 2, 2, 4};
	struct vrs_device_set set;
	struct vrs_model *model = NULL;
	struct vrs_graph graph;
	struct vrs_error err = {0};
	(void)state;
	vrs_graph_init(&graph);
	graph.outputs[graph.output_count++] = op_layer(&graph, node_input(&graph, 4, dims), 4, 1, false, VRS_ACT_NONE, 3);
	if (vrs_graph_infer(&graph, &err) != VRS_OK || vrs_model_from_graph(&model, &graph, "order", &err) != VRS_OK ||
	    vrs_session_devices(&set, "opencl", "", &err) != VRS_OK)
		fail_msg("%s", err.text);
	struct vrs_session *session = node_session(model, "opencl", VRS_PRECISION_FP32, 1, "order");
	assert_int_equal(set.count, 1);
	assert_int_not_equal(set.device[0].order, 0);
	assert_true(vrs_session_info(session).device_order == set.device[0].order);
	vrs_session_destroy(session);
	session = node_session(model, "ref", VRS_PRECISION_FP32, 1, "order");
	assert_true(vrs_session_info(session).device_order == 0);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
	vrs_graph_fini(&graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields), cmocka_unit_test(test_session)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
