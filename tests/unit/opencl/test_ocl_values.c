/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the buffers of values: values of other times share, and with own_buffers each has one of exactly its bytes, as tests under oclgrind ask.
 */
#include "op_check.h"

#include "opencl/ocl_planner.h"
#include "unit/backend/random_graph.h"

/* Values without weights that have a buffer; with own_buffers each buffer is exact and has one user. */
static int users(const struct vrs_ocl_plan *plan)
{
	int count = 0;
	for (int32_t i = 0; i < plan->value_count; i++) {
		const struct vrs_ocl_value *value = &plan->values[i];
		if (value->buffer < 0)
			continue;
		count++;
		if (plan->caps.own_buffers)
			assert_int_equal(plan->buffer_bytes[value->buffer], value->bytes > 0 ? value->bytes : 1);
		else
			assert_true(plan->buffer_bytes[value->buffer] >= value->bytes);
		for (int32_t k = 0; k < i && plan->caps.own_buffers; k++)
			assert_int_not_equal(plan->values[k].buffer, value->buffer);
	}
	return count;
}

static void test_buffers(void **state)
{
	struct vrs_ocl_caps caps = {.max_group = 256, .max_items = {256, 256, 256}, .local_bytes = 32768, .max_alloc_bytes = 1u << 28};
	struct vrs_session_options options = vrs_session_options_default();
	int apart[2] = {0}, odd = 0; /* values less buffers; buffers of no multiple of 64 bytes */
	(void)state;
	options.precision = VRS_PRECISION_FP32;
	for (uint64_t i = 0; i < 20; i++) {
		struct vrs_graph graph;
		struct vrs_ocl_plan plan;
		random_graph_build(&graph, i / 2);
		caps.own_buffers = i % 2 == 1;
		assert_int_equal(vrs_ocl_plan_begin(&plan, &graph, &caps, &options, NULL), VRS_OK);
		assert_int_equal(vrs_ocl_plan_complete(&plan, NULL), VRS_OK);
		apart[i % 2] += users(&plan) - plan.buffer_count;
		size_t sum = 0;
		for (int32_t b = 0; b < plan.buffer_count; b++) {
			sum += plan.buffer_bytes[b];
			odd += caps.own_buffers && plan.buffer_bytes[b] % 64 != 0;
		}
		assert_int_equal(sum, plan.arena_bytes);
		vrs_ocl_plan_fini(&plan);
		vrs_graph_fini(&graph);
	}
	assert_true(apart[0] > 0 && odd > 0);
	assert_int_equal(apart[1], 0);
}

/* Whoever opens the device gets what was asked for. */
static void test_environment(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct vrs_ocl_context *context;
		struct vrs_error err = {0};
		if (i == 2) {
			assert_int_equal(setenv("VRS_OWN_BUFFERS", "1", 1), 0);
			held_contexts_begin();
		}
		if (vrs_ocl_context_open(&context, "", i % 2 == 1, &err) != VRS_OK)
			fail_msg("%s", err.text);
		assert_int_equal(context->caps.own_buffers, i >= 2);
		vrs_ocl_context_close(context);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_buffers), cmocka_unit_test(test_environment)};
	return held_contexts_end(cmocka_run_group_tests(tests, NULL, NULL));
}
