/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the times of a device: spans, gaps and sums of each queue by the events that are added, on the host's clock afterwards; and in a session
 * that they agree with the rows of its profile, never lie after the wait, and exist with a profile only, as the ceilings do.
 */
#include "base/clock.h"
#include "op_check.h"
#include "opencl/ocl_times.h"

static void test_spans(void **state)
{
	struct vrs_ocl_times times;
	(void)state;
	vrs_ocl_times_begin(&times);
	assert_false(times.known);
	vrs_ocl_times_add_span(&times, VRS_DEVICE_UP, 1000, 1200);
	vrs_ocl_times_add_span(&times, VRS_DEVICE_COMPUTE, 1500, 1600);
	vrs_ocl_times_add_span(&times, VRS_DEVICE_COMPUTE, 1300, 1400); /* out of order: the first is the earliest */
	vrs_ocl_times_add_span(&times, VRS_DEVICE_COMPUTE, 1650, 2000);
	assert_int_equal(vrs_ocl_times_gaps(&times, VRS_DEVICE_COMPUTE), 150);
	assert_int_equal(vrs_ocl_times_gaps(&times, VRS_DEVICE_UP), 0);
	assert_int_equal(vrs_ocl_times_gaps(&times, VRS_DEVICE_DOWN), 0); /* nothing was added */
	vrs_ocl_times_end(&times, 50000); /* whatever the device's clock counts from: the last command ends now */
	assert_true(times.known);
	assert_int_equal(times.spans[VRS_DEVICE_COMPUTE].end_ns, 50000);
	assert_int_equal(times.spans[VRS_DEVICE_COMPUTE].begin_ns, 49300);
	assert_int_equal(times.spans[VRS_DEVICE_COMPUTE].busy_ns, 550);
	assert_int_equal(times.spans[VRS_DEVICE_COMPUTE].commands, 3);
	assert_int_equal(times.spans[VRS_DEVICE_UP].begin_ns, 49000);
	assert_int_equal(times.spans[VRS_DEVICE_UP].end_ns, 49200);
	assert_int_equal(times.spans[VRS_DEVICE_DOWN].commands, 0);
	vrs_ocl_times_begin(&times);
	vrs_ocl_times_add_span(&times, VRS_DEVICE_DOWN, UINT64_C(9000000000000), UINT64_C(9000000000100));
	vrs_ocl_times_end(&times, 700); /* the device's clock is ahead */
	assert_int_equal(times.spans[VRS_DEVICE_DOWN].begin_ns, 600);
	assert_int_equal(times.spans[VRS_DEVICE_DOWN].end_ns, 700);
}

/* Two kernels at once fill more than the span. */
static void test_no_gaps(void **state)
{
	struct vrs_ocl_times times;
	(void)state;
	vrs_ocl_times_begin(&times);
	assert_int_equal(vrs_ocl_times_add(&times, VRS_DEVICE_UP, NULL), 0);
	vrs_ocl_times_end(&times, 100);
	assert_false(times.known);
	vrs_ocl_times_add_span(&times, VRS_DEVICE_COMPUTE, 100, 300);
	vrs_ocl_times_add_span(&times, VRS_DEVICE_COMPUTE, 110, 310);
	assert_int_equal(vrs_ocl_times_gaps(&times, VRS_DEVICE_COMPUTE), 0);
}

/* y = 0.5 * x + 1 on the device. */
static struct vrs_session *open_session(struct vrs_model **ret_model, bool profile)
{
	struct vrs_graph graph;
	struct vrs_session *session = NULL;
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_error err = {0};
	const int64_t dims[] = {1, 64, 64, 4};
	vrs_graph_init(&graph);
	struct vrs_node node = op_node(VRS_OP_UNARY, node_input(&graph, 4, dims));
	node.act = VRS_ACT_LINEAR;
	node.act_lo = 0.5f;
	node.act_hi = 1;
	graph.outputs[graph.output_count++] = node_emit(&graph, &node, VRS_F32);
	assert_int_equal(vrs_model_from_graph(ret_model, &graph, "times", &err), VRS_OK);
	vrs_graph_fini(&graph);
	options.backend = "opencl";
	options.profile = profile;
	if (vrs_session_create(&session, *ret_model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return session;
}

/* The sum of the rows that are of a kernel of this name. */
static uint64_t row_ns(struct vrs_session *session, const char *kernel, uint64_t *ret_items)
{
	const struct vrs_op_profile *rows = NULL;
	int count = vrs_session_profile(session, &rows);
	uint64_t sum = 0;
	for (int i = 0; i < count; i++)
		if (kernel ? strcmp(rows[i].kernel, kernel) == 0 : rows[i].items > 0) {
			sum += rows[i].total_ns;
			*ret_items += rows[i].items;
		}
	return sum;
}

static void test_session(void **state)
{
	struct vrs_model *model = NULL;
	struct vrs_session *session = open_session(&model, true);
	struct vrs_device_span spans[VRS_DEVICE_QUEUES];
	struct vrs_device_ceilings ceilings = {0};
	struct vrs_error err = {0};
	uint64_t items = 0, none = 0;
	(void)state;
	assert_false(vrs_session_device_spans(session, spans)); /* nothing has run */
	uint64_t begin = vrs_now_ns();
	assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	uint64_t end = vrs_now_ns();
	assert_true(vrs_session_device_spans(session, spans));
	for (int q = 0; q < VRS_DEVICE_QUEUES; q++) {
		assert_true(spans[q].commands == 1 && spans[q].busy_ns > 0);
		assert_true(spans[q].begin_ns > begin - 1000000000 && spans[q].end_ns <= end); /* a device's clock may run a little faster */
	}
	assert_true(spans[VRS_DEVICE_COMPUTE].begin_ns >= spans[VRS_DEVICE_UP].end_ns);
	assert_true(spans[VRS_DEVICE_DOWN].begin_ns >= spans[VRS_DEVICE_COMPUTE].end_ns);
	assert_int_equal(row_ns(session, "transfer", &none), spans[VRS_DEVICE_UP].busy_ns + spans[VRS_DEVICE_DOWN].busy_ns);
	assert_int_equal(row_ns(session, NULL, &items), spans[VRS_DEVICE_COMPUTE].busy_ns);
	assert_int_equal(row_ns(session, "gap", &none), 0); /* there is one kernel */
	assert_true(items > 0 && none == 0);
	assert_true(vrs_session_info(session).device_memory_bytes > vrs_session_info(session).device_bytes);
	assert_int_equal(vrs_session_ceilings(session, &ceilings, &err), VRS_OK);
	assert_true(ceilings.fma_gflops > 0 && ceilings.full_items > 0);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

static void test_without_profile(void **state)
{
	struct vrs_model *model = NULL;
	struct vrs_session *session = open_session(&model, false);
	struct vrs_device_span spans[VRS_DEVICE_QUEUES];
	struct vrs_device_ceilings ceilings = {.launch_us = 7};
	struct vrs_error err = {0};
	(void)state;
	assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	assert_false(vrs_session_device_spans(session, spans));
	assert_int_equal(vrs_session_ceilings(session, &ceilings, &err), VRS_EINVAL);
	assert_true(ceilings.launch_us == 7);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans), cmocka_unit_test(test_no_gaps), cmocka_unit_test(test_session), cmocka_unit_test(test_without_profile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
