/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: outputs have the same bits whether kernels are repeated from recordings or queued one by one, and whether they go by pinned memory or by
 * plain, in queues of their own or in that of the kernels; also when several runs are queued before one wait, with steps of the host between
 * recordings, and by a clone.  Recordings are made where the device has command buffers, and not for a profile; a run that is stopped ends.
 */
#include "op_check.h"

#include <string.h>

#include "opencl/ocl_network.h"
#include "opencl/ocl_planner.h"
#include "opencl/ocl_replay.h"
#include "unit/backend/random_graph.h"

#define NETWORKS 3 /* PoCL takes seconds to compile each */

static struct vrs_model *random_model(uint64_t seed)
{
	struct vrs_model *model = NULL;
	struct vrs_graph graph;
	struct vrs_error err = {0};
	random_graph_build(&graph, seed);
	if (vrs_model_from_graph(&model, &graph, "random", &err) != VRS_OK)
		fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
	vrs_graph_fini(&graph);
	return model;
}

static struct vrs_session *open_session(const struct vrs_model *model, bool pinned, bool replay, bool async)
{
	struct vrs_session_options options = vrs_session_options_default();
	const struct vrs_graph *graph = vrs_model_graph(model);
	struct vrs_session *session;
	struct vrs_error err = {0};
	assert_true(options.pinned_memory && options.async_transfers && !options.command_replay);
	options.backend = "opencl";
	options.batch = (int)graph->tensors[graph->inputs[0]].dims[0];
	options.pinned_memory = pinned;
	options.command_replay = replay;
	options.async_transfers = async;
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return session;
}

/* Three runs are queued before the wait, all on the same input. */
static void run(struct vrs_session *session, uint64_t seed)
{
	struct vrs_tensor_view in = vrs_session_input(session, 0);
	struct vrs_error err = {0};
	struct vrs_rng rng;
	vrs_rng_init(&rng, seed);
	assert_int_equal((uintptr_t)in.raw % 64, 0);
	for (size_t i = 0; i < in.elements; i++)
		in.data[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
	enum vrs_status status = vrs_session_upload(session, 0, &err);
	for (int i = 0; i < 3 && status == VRS_OK; i++) {
		status = vrs_session_start(session, &err);
		for (int k = 0; status == VRS_OK && vrs_session_output(session, k).raw != NULL; k++)
			status = vrs_session_download(session, k, &err);
	}
	if (status != VRS_OK || vrs_session_wait(session, &err) != VRS_OK)
		fail_msg("%s", err.text);
}

static void compare(struct vrs_session *want, struct vrs_session *got, const char *what)
{
	for (int k = 0; vrs_session_output(want, k).raw != NULL; k++) {
		struct vrs_tensor_view a = vrs_session_output(want, k), b = vrs_session_output(got, k);
		assert_int_equal(a.bytes, b.bytes);
		if (memcmp(a.raw, b.raw, a.bytes) != 0)
			fail_msg("%s: output %d has other bits", what, k);
	}
}

static void test_bits(void **state)
{
	static const char *const names[] = {"", "pinned", "replayed", "pinned, replayed", "one queue"};
	(void)state;
	for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
		struct vrs_model *model = random_model(seed);
		struct vrs_session *plain = open_session(model, false, false, true), *clone = NULL;
		struct vrs_error err = {0};
		run(plain, seed);
		for (int i = 1; i < 5; i++) {
			struct vrs_session *other = open_session(model, i & 1, i & 2, i & 3);
			run(other, seed);
			compare(plain, other, names[i]);
			vrs_session_destroy(clone);
			if (vrs_session_clone(&clone, other, &err) != VRS_OK)
				fail_msg("%s", err.text);
			vrs_session_destroy(other);
			run(clone, seed);
			compare(plain, clone, "a clone");
		}
		vrs_session_destroy(clone);
		vrs_session_destroy(plain);
		vrs_model_destroy(model);
	}
}

/* A stream over the plan of 40 softmaxes, each a step. */
static void open_stream(struct vrs_ocl_stream *stream, struct vrs_ocl_context *context, bool profile)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_ocl_network *network = NULL;
	struct vrs_ocl_plan plan;
	struct vrs_graph graph;
	struct vrs_error err = {0};
	vrs_graph_init(&graph);
	int32_t x = node_input(&graph, 4, (const int64_t[]){1, 4, 4, 8});
	for (int i = 0; i < 40; i++) {
		struct vrs_node node = op_node(VRS_OP_SOFTMAX, x);
		x = node_emit(&graph, &node, VRS_F32);
	}
	graph.outputs[graph.output_count++] = x;
	if (vrs_ocl_plan_begin(&plan, &graph, &context->caps, &options, &err) != VRS_OK || vrs_ocl_plan_complete(&plan, &err) != VRS_OK ||
	    vrs_ocl_network_create(&network, context, &plan, &options, &err) != VRS_OK ||
	    vrs_ocl_stream_init(stream, network, profile, &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_ocl_network_unref(network);
	vrs_graph_fini(&graph);
}

/* All steps are recorded, on a CPU in parts that can be waited for; with a profile none is. */
static void test_parts(void **state)
{
	struct vrs_ocl_context *context = NULL;
	struct vrs_ocl_stream stream = {0}, profiled = {0};
	struct vrs_error err = {0};
	int32_t steps = 0, parts = 0;
	(void)state;
	if (vrs_ocl_context_open(&context, "", false, &err) != VRS_OK)
		fail_msg("%s", err.text);
	open_stream(&stream, context, false);
	open_stream(&profiled, context, true);
	assert_null(vrs_ocl_replay_create(&profiled));
	assert_int_equal(vrs_ocl_replay_queue(NULL, 0), 0);
	struct vrs_ocl_replay *replay = vrs_ocl_replay_create(&stream);
	bool can = context->caps.command_buffer;
	assert_true(can == (replay != NULL));
	for (int32_t done; replay && steps < stream.network->plan.step_count; steps += done, parts++) {
		done = vrs_ocl_replay_queue(replay, steps);
		assert_true(done > 0 && done <= 16);
		if (done > 1)
			assert_int_equal(vrs_ocl_replay_queue(replay, steps + 1), 0); /* in the middle of a part */
	}
	assert_int_equal(clFinish(context->compute), CL_SUCCESS);
	if (can && context->caps.is_cpu)
		assert_int_equal(parts, 3);
	vrs_ocl_replay_destroy(replay);
	vrs_ocl_stream_fini(&stream);
	vrs_ocl_stream_fini(&profiled);
	vrs_ocl_context_close(context);
}

static void test_stop(void **state)
{
	struct vrs_model *model = random_model(1);
	struct vrs_session *session = open_session(model, true, true, true);
	struct vrs_error err = {0};
	atomic_bool stop = false;
	(void)state;
	vrs_session_stop_by(session, &stop);
	assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	stop = true;
	assert_int_equal(vrs_session_run(session, &err), VRS_ESTOPPED);
	stop = false;
	assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_parts), cmocka_unit_test(test_stop)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
