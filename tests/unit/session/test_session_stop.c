/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the end of inferences on request: a run whose work is lost (a region that never completes, as when a thread of the team is gone) releases
 * every thread that waits for it, a run in progress ends long before its work is done, later runs end at once, and a session that nobody stops any
 * more gives the results of before.  A request that is taken back in the middle leaves no run that says it is whole and is not.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <vrseg/session.h>

#include "backend/backend.h"
#include "backend/cpu/exec/backend_cpu.h"
#include "base/clock.h"
#include "graph/model_graph.h"
#include "session/session_graph.h"
#include "unit/graph/graph_builder.h"

enum { LAYERS = 100, SIZE = 128, CHANNELS = 16 };

/* 3x3 on a map of the same size, with weights that keep values small. */
static int32_t conv(struct vrs_graph *graph, int32_t x)
{
	static float weights[CHANNELS * 3 * 3 * CHANNELS];
	const int64_t dims[4] = {CHANNELS, 3, 3, CHANNELS};
	struct vrs_node node;
	for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++)
		weights[i] = (float)(i % 5) / (2 * 9 * CHANNELS);
	vrs_node_init(&node, VRS_OP_CONV, "conv");
	node.inputs = 2;
	node.in[0] = x;
	node.in[1] = vrs_graph_add_const(graph, "w", VRS_F32, 4, dims, weights);
	node.u.window.kernel_h = node.u.window.kernel_w = 3;
	node.u.window.pad_top = node.u.window.pad_left = node.u.window.pad_bottom = node.u.window.pad_right = 1;
	return build_node(graph, &node);
}

static struct vrs_model *deep_model(int layers, int size)
{
	struct vrs_graph graph;
	struct vrs_model *model = NULL;
	vrs_graph_init(&graph);
	int32_t x = build_input(&graph, size, size, CHANNELS);
	for (int i = 0; i < layers; i++)
		x = build_unary(&graph, conv(&graph, x), VRS_ACT_RELU);
	build_output(&graph, x);
	assert_int_equal(vrs_model_from_graph(&model, &graph, "deep", NULL), VRS_OK);
	vrs_graph_fini(&graph);
	return model;
}

/* Sets the flag after a while. */
struct stopper {
	atomic_bool stop;
	unsigned after_us;
	pthread_t thread;
};

static void *stop_later(void *arg)
{
	struct stopper *stopper = arg;
	usleep(stopper->after_us);
	atomic_store(&stopper->stop, true);
	return NULL;
}

static void begin(struct stopper *stopper, unsigned after_us)
{
	atomic_store(&stopper->stop, false);
	stopper->after_us = after_us;
	assert_int_equal(pthread_create(&stopper->thread, NULL, stop_later, stopper), 0);
}

static void lost_work_releases_all(void **state)
{
	(void)state;
	struct vrs_model *model = deep_model(3, 32);
	for (int threads = 1; threads <= 4; threads++) {
		struct vrs_session_options options = vrs_session_options_default();
		struct vrs_graph graph;
		struct vrs_backend_run *run = NULL;
		struct vrs_error err = {0};
		struct stopper stopper;
		options.threads = threads;
		assert_int_equal(vrs_session_graph(&graph, model, &options, &err), VRS_OK);
		assert_int_equal(vrs_backend_cpu.create(&run, &graph, &options, &err), VRS_OK);
		assert_int_equal(vrs_backend_cpu.start(run, &err), VRS_OK);
		/* one unit more than there are: nobody will ever finish it */
		const struct vrs_cpu_plan *plan = vrs_cpu_backend_plan(run);
		assert_true(plan->region_count > 0);
		plan->regions[plan->region_count - 1].units++;
		vrs_backend_cpu.stop_by(run, &stopper.stop);
		begin(&stopper, 50000);
		assert_int_equal(vrs_backend_cpu.start(run, &err), VRS_ESTOPPED);
		assert_int_equal(pthread_join(stopper.thread, NULL), 0);
		vrs_backend_cpu.destroy(run);
		vrs_graph_fini(&graph);
	}
	vrs_model_destroy(model);
}

static uint64_t time_of_run(struct vrs_session *session, enum vrs_status want)
{
	struct vrs_error err = {0};
	uint64_t begin_ns = vrs_now_ns();
	assert_int_equal(vrs_session_run(session, &err), want);
	return vrs_now_ns() - begin_ns;
}

static void runs_end_early(void **state)
{
	static const char *const backends[] = {"cpu", "ref"};
	(void)state;
	for (size_t b = 0; b < sizeof backends / sizeof backends[0]; b++) {
		int ref = strcmp(backends[b], "ref") == 0;
		struct vrs_model *model = deep_model(ref ? LAYERS / 5 : LAYERS, ref ? SIZE / 4 : SIZE);
		struct vrs_session_options options = vrs_session_options_default();
		struct vrs_session *session = NULL;
		struct vrs_error err = {0};
		struct stopper stopper;
		options.backend = backends[b];
		options.threads = 2;
		assert_int_equal(vrs_session_create(&session, model, &options, &err), VRS_OK);
		struct vrs_tensor_view in = vrs_session_input(session, 0), out = vrs_session_output(session, 0);
		for (size_t i = 0; i < in.elements; i++)
			in.data[i] = (float)(i % 7);
		uint64_t whole_ns = time_of_run(session, VRS_OK);
		float before = out.data[out.elements / 2];
		vrs_session_stop_by(session, &stopper.stop);
		begin(&stopper, (unsigned)(whole_ns / 20000)); /* a twentieth of it */
		uint64_t part_ns = time_of_run(session, VRS_ESTOPPED);
		assert_int_equal(pthread_join(stopper.thread, NULL), 0);
		assert_true(before != 0);
		assert_true(part_ns < whole_ns);
		assert_true(time_of_run(session, VRS_ESTOPPED) < whole_ns / 2);
		vrs_session_stop_by(session, NULL);
		(void)time_of_run(session, VRS_OK);
		assert_true(out.data[out.elements / 2] == before);
		vrs_session_destroy(session);
		vrs_model_destroy(model);
	}
}

/* The first thread takes the request back while the other one has left work undone for it. */
static void ask_and_take_back(void *cookie, struct vrs_cpu_thread *thread, int value, int image, int y0, int y1)
{
	atomic_bool *stop = cookie;
	(void)thread, (void)value, (void)image, (void)y0, (void)y1;
	atomic_store(stop, true);
	usleep(500);
	atomic_store(stop, false);
}

static void request_taken_back(void **state)
{
	(void)state;
	enum { RUNS = 5, MOST = 2000 }; /* where the machine is busy, one thread may do all of a run before the other one looks */
	struct vrs_model *model = deep_model(8, 32);
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_graph graph;
	struct vrs_backend_run *run = NULL;
	struct vrs_error err = {0};
	atomic_bool stop = false;
	static float whole[32 * 32 * CHANNELS];
	int stopped = 0, runs = 0;
	options.threads = 2;
	assert_int_equal(vrs_session_graph(&graph, model, &options, &err), VRS_OK);
	assert_int_equal(vrs_backend_cpu.create(&run, &graph, &options, &err), VRS_OK);
	float *in = vrs_backend_cpu.input(run, 0), *out = vrs_backend_cpu.output(run, 0);
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		in[i] = (float)(i % 7);
	assert_int_equal(vrs_backend_cpu.start(run, &err), VRS_OK);
	memcpy(whole, out, sizeof whole);
	vrs_backend_cpu.stop_by(run, &stop);
	vrs_cpu_observe(run, ask_and_take_back, &stop);
	for (; runs < RUNS || (stopped == 0 && runs < MOST); runs++) {
		for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
			in[k] = (float)(k % 7);
		memset(out, 0, sizeof whole);
		enum vrs_status status = vrs_backend_cpu.start(run, &err);
		stopped += status == VRS_ESTOPPED;
		assert_true(status == VRS_ESTOPPED || (status == VRS_OK && memcmp(out, whole, sizeof whole) == 0));
	}
	assert_true(stopped > 0);
	vrs_backend_cpu.destroy(run);
	vrs_graph_fini(&graph);
	vrs_model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lost_work_releases_all),
		cmocka_unit_test(runs_end_early),
		cmocka_unit_test(request_taken_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
