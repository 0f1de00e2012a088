/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards streams and places: sessions cloned from one share its weights, compute the same at the same time, and go in any order, also when memory
 * runs out; threads of a bound pool run where they should and the caller comes back; a session over several memory nodes (a recorded machine) gives
 * the bits of any other.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <vrseg/session.h>

#include "backend/thread_pool.h"
#include "base/mem.h"
#include "graph/model_graph.h"
#include "unit/backend/random_graph.h"

#define STREAMS 4
#define RUNS 30

/* Two convolutions of 3x3, 32 channels to 96 and 64: 330 KB of weights as they are, more packed. */
static struct vrs_model *make_model(void)
{
	struct random_graph r = {.serial = 0};
	struct vrs_graph_tensor input = {.name = "image", .dtype = VRS_F32, .rank = 4, .dims = {1, 24, 24, 32}};
	const int64_t channels[] = {32, 96, 64};
	struct vrs_model *model = NULL;
	int32_t x;

	vrs_rng_init(&r.rng, 5);
	x = r.graph.inputs[r.graph.input_count++] = random_check(vrs_graph_add_tensor(&r.graph, &input));
	for (int i = 0; i < 2; i++) {
		const int64_t dims[4] = {channels[i + 1], 3, 3, channels[i]};
		struct vrs_node node;

		vrs_node_init(&node, VRS_OP_CONV, NULL);
		node.inputs = 2;
		node.in[0] = x;
		node.in[1] = random_const(&r, 4, dims, 0.1);
		node.u.window.kernel_h = node.u.window.kernel_w = 3;
		node.u.window.same = true;
		x = random_check(random_emit(&r, &node));
	}
	r.graph.outputs[r.graph.output_count++] = x;
	assert_int_equal(vrs_model_from_graph(&model, &r.graph, "streams", NULL), VRS_OK);
	vrs_graph_fini(&r.graph);
	return model;
}

static struct vrs_session *open_session(const struct vrs_model *model, const char *backend, enum vrs_affinity affinity, int threads)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};

	options.backend = backend;
	options.affinity = affinity;
	options.threads = threads;
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return session;
}

static void fill(struct vrs_session *session, uint64_t seed)
{
	struct vrs_tensor_view in = vrs_session_input(session, 0);
	struct vrs_rng rng;

	vrs_rng_init(&rng, seed);
	for (size_t i = 0; i < in.elements; i++)
		in.data[i] = (float)vrs_rng_unit(&rng);
}

static bool same(struct vrs_session *a, struct vrs_session *b)
{
	struct vrs_tensor_view x = vrs_session_output(a, 0), y = vrs_session_output(b, 0);

	return x.bytes == y.bytes && memcmp(x.raw, y.raw, x.bytes) == 0;
}

struct stream {
	struct vrs_session *session;
	pthread_t thread;
	bool failed;
};

static void *run_stream(void *cookie)
{
	struct stream *stream = cookie;

	for (int i = 0; i < RUNS && !stream->failed; i++)
		stream->failed = vrs_session_run(stream->session, NULL) != VRS_OK;
	return NULL;
}

static void test_streams(void **state)
{
	struct vrs_model *model = make_model();
	struct vrs_session *wanted[STREAMS];
	struct stream streams[STREAMS] = {{.failed = false}};
	uint64_t one, more;

	(void)state;
	one = vrs_mem_stats().live_bytes;
	streams[0].session = open_session(model, "cpu", VRS_AFFINITY_AUTO, 2);
	one = vrs_mem_stats().live_bytes - one;
	more = vrs_mem_stats().live_bytes;
	for (int s = 1; s < STREAMS; s++)
		assert_int_equal(vrs_session_clone(&streams[s].session, streams[s - 1].session, NULL), VRS_OK);
	more = (vrs_mem_stats().live_bytes - more) / (STREAMS - 1);
	struct vrs_session_info info = vrs_session_info(streams[2].session);
	assert_int_equal(info.sharers, STREAMS);
	assert_int_equal(info.threads, 2);
	assert_true(info.weight_bytes > 330000);
	assert_true(more + info.weight_bytes <= one);
	for (int s = 0; s < STREAMS; s++) {
		wanted[s] = open_session(model, "cpu", VRS_AFFINITY_NONE, 1);
		fill(wanted[s], (uint64_t)s);
		fill(streams[s].session, (uint64_t)s);
		assert_int_equal(vrs_session_run(wanted[s], NULL), VRS_OK);
	}
	for (int s = 0; s < STREAMS; s++)
		assert_int_equal(pthread_create(&streams[s].thread, NULL, run_stream, &streams[s]), 0);
	for (int s = 0; s < STREAMS; s++)
		assert_int_equal(pthread_join(streams[s].thread, NULL), 0);
	for (int s = 0; s < STREAMS; s++) {
		assert_false(streams[s].failed);
		assert_true(same(streams[s].session, wanted[s]));
		vrs_session_destroy(wanted[s]);
	}
	vrs_session_destroy(streams[0].session); /* the first goes first, the others keep its weights */
	assert_int_equal(vrs_session_run(streams[1].session, NULL), VRS_OK);
	assert_int_equal(vrs_session_run(streams[3].session, NULL), VRS_OK);
	for (int s = 1; s < STREAMS; s++)
		vrs_session_destroy(streams[s].session);
	vrs_model_destroy(model);
}

/* Backends that share nothing give a session of their own. */
static void test_backends(void **state)
{
	struct vrs_model *model = make_model();
	static const char *const backends[] = {"ref", "null", "cpu"};

	(void)state;
	for (int b = 0; b < 3; b++) {
		struct vrs_session *session = open_session(model, backends[b], VRS_AFFINITY_AUTO, 1), *copy = NULL;

		assert_int_equal(vrs_session_clone(&copy, session, NULL), VRS_OK);
		fill(session, 3);
		fill(copy, 3);
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		assert_int_equal(vrs_session_run(copy, NULL), VRS_OK);
		assert_true(same(session, copy));
		vrs_session_destroy(session);
		vrs_session_destroy(copy);
	}
	assert_int_equal(vrs_session_clone(NULL, NULL, NULL), VRS_EINVAL);
	vrs_model_destroy(model);
}

static void test_out_of_memory(void **state)
{
	struct vrs_model *model = make_model();
	struct vrs_session *session = open_session(model, "cpu", VRS_AFFINITY_CORES, 2), *copy = NULL;
	uint64_t live = vrs_mem_stats().live_bytes;

	(void)state;
	for (uint64_t n = 1;; n++) {
		vrs_mem_fail_after(n, false);
		enum vrs_status status = vrs_session_clone(&copy, session, NULL);
		bool fired = vrs_mem_fault_fired();

		vrs_mem_fail_after(0, false);
		if (!fired) {
			assert_int_equal(status, VRS_OK);
			break;
		}
		assert_int_equal(status, VRS_ENOMEM);
		assert_true(vrs_mem_stats().live_bytes == live);
		assert_int_equal(vrs_session_info(session).sharers, 1);
	}
	vrs_session_destroy(copy);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

struct seen {
	cpu_set_t sets[3];
	atomic_int here;
};

/* Every thread waits for the others, so that all come. */
static void look(void *cookie, int thread)
{
	struct seen *seen = cookie;

	(void)pthread_getaffinity_np(pthread_self(), sizeof seen->sets[thread], &seen->sets[thread]);
	atomic_fetch_add(&seen->here, 1);
	while (atomic_load(&seen->here) < 3)
		usleep(100);
}

static void test_bound_pool(void **state)
{
	struct vrs_thread_pool *pool;
	struct vrs_places *places;
	cpu_set_t before, after;
	struct seen seen;

	(void)state;
	memset(&seen, 0, sizeof seen);
	assert_int_equal(vrs_places_create(&places, false), VRS_OK);
	assert_int_equal(vrs_thread_pool_create(&pool, 3, NULL), VRS_OK);
	assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof before, &before), 0);
	int bound = vrs_thread_pool_bind(pool, places, 1);
	vrs_thread_pool_run(pool, look, &seen);
	assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof after, &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	for (int t = 0; bound == 3 && t < 3; t++)
		assert_true(CPU_EQUAL(&seen.sets[t], vrs_places_set(places, 1 + t)));
	vrs_thread_pool_destroy(pool);
	vrs_places_destroy(places);
	if (bound < 3)
		skip(); /* this system binds nobody */
}

static void test_bound_session(void **state)
{
	struct vrs_model *model = make_model();
	struct vrs_session *wanted = open_session(model, "cpu", VRS_AFFINITY_NONE, 1);

	(void)state;
	assert_int_equal(vrs_session_info(wanted).bound_threads, 0);
	fill(wanted, 11);
	assert_int_equal(vrs_session_run(wanted, NULL), VRS_OK);
	for (int threads = 1; threads <= 8; threads++) {
		struct vrs_session *session = open_session(model, "cpu", VRS_AFFINITY_CORES, threads);

		assert_in_range(vrs_session_info(session).bound_threads, 0, threads);
		fill(session, 11);
		for (int i = 0; i < 3; i++)
			assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		assert_true(same(session, wanted));
		vrs_session_destroy(session);
	}
	vrs_session_destroy(wanted);
	vrs_model_destroy(model);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* A machine of two nodes with four cores each: a session of six threads lies on both, and its tensors are made band by band. */
static void test_two_nodes(void **state)
{
	struct vrs_model *model = make_model();
	struct vrs_session *wanted = open_session(model, "cpu", VRS_AFFINITY_NONE, 1), *session;
	char root[] = "/tmp/vrs_nodes_XXXXXX", status[64], folder[2][64], link[64], target[512];

	(void)state;
	fill(wanted, 12);
	assert_int_equal(vrs_session_run(wanted, NULL), VRS_OK);
	assert_non_null(mkdtemp(root));
	(void)snprintf(link, sizeof link, "%s/hwloc.xml", root);
	(void)snprintf(target, sizeof target, "%s/machines/numa-server/hwloc.xml", VRS_TEST_DIR);
	assert_int_equal(symlink(target, link), 0);
	(void)snprintf(folder[0], sizeof folder[0], "%s/proc", root);
	(void)snprintf(folder[1], sizeof folder[1], "%s/proc/self", root);
	(void)snprintf(status, sizeof status, "%s/proc/self/status", root);
	assert_int_equal(mkdir(folder[0], 0700), 0);
	assert_int_equal(mkdir(folder[1], 0700), 0);
	write_file(status, "Cpus_allowed_list:\t0-15\n");
	assert_int_equal(setenv("VRSEG_ROOT", root, 1), 0);
	session = open_session(model, "cpu", VRS_AFFINITY_CORES, 6);
	assert_int_equal(unsetenv("VRSEG_ROOT"), 0);
	assert_int_equal(vrs_session_info(session).bound_threads, 0); /* it is a recording */
	fill(session, 12);
	assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
	assert_true(same(session, wanted));
	vrs_session_destroy(session);
	vrs_session_destroy(wanted);
	vrs_model_destroy(model);
	assert_int_equal(remove(status) | remove(folder[1]) | remove(folder[0]) | remove(link) | remove(root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams),      cmocka_unit_test(test_backends),      cmocka_unit_test(test_out_of_memory),
		cmocka_unit_test(test_bound_pool),   cmocka_unit_test(test_bound_session), cmocka_unit_test(test_two_nodes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
