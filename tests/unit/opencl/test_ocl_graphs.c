/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards whole plans on a device: random networks give the reference's results, with and without fusion, by what runs on the device and what runs on
 * the host; a second run, a clone and two sessions at once give the same bits; outputs carried to inputs stay on the device and give the results of
 * values that go by the host, also those of single entries in slots; a session that is told to stop ends.
 */
#include <pthread.h>

#include "op_check.h"
#include "unit/backend/random_graph.h"
#include "unit/backend/random_run.h"

#define NETWORKS 8 /* PoCL takes seconds to compile each; at night more (argument 1) */

static uint64_t networks = NETWORKS;

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

static void compare_outputs(struct vrs_session *want, struct vrs_session *got, double bound, uint64_t seed)
{
	for (int k = 0; vrs_session_output(want, k).raw != NULL; k++) {
		struct vrs_tensor_view a = vrs_session_output(want, k), b = vrs_session_output(got, k);
		double largest = 1;
		assert_int_equal(a.elements, b.elements);
		for (size_t i = 0; i < a.elements; i++)
			largest = fmax(largest, fabs((double)a.data[i]));
		for (size_t i = 0; i < a.elements; i++)
			if (!(fabs((double)a.data[i] - (double)b.data[i]) <= bound * largest))
				fail_msg("seed %llu, output %d, element %zu: %.9g, not %.9g", (unsigned long long)seed, k, i, (double)b.data[i],
					 (double)a.data[i]);
	}
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= networks; seed++) {
		struct vrs_model *model = random_model(seed);
		struct vrs_session *want = random_run(model, "ref", 1, seed), *got = random_run(model, "opencl", 1, seed);
		compare_outputs(want, got, OP_BOUND_FP32, seed);
		vrs_session_destroy(want);
		vrs_session_destroy(got);
		vrs_model_destroy(model);
	}
}

static void copy_output(struct vrs_session *session, float *to)
{
	struct vrs_tensor_view out = vrs_session_output(session, 0);
	memcpy(to, out.data, out.bytes);
}

static void test_same_bits(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2; seed++) {
		struct vrs_model *model = random_model(seed);
		struct vrs_session *one = random_run(model, "opencl", 1, seed), *clone = NULL;
		struct vrs_tensor_view out = vrs_session_output(one, 0);
		struct vrs_error err = {0};
		float *first = malloc(out.bytes); /* libc: test scratch */
		assert_non_null(first);
		copy_output(one, first);
		assert_int_equal(vrs_session_run(one, &err), VRS_OK);
		assert_memory_equal(first, out.data, out.bytes);
		assert_int_equal(vrs_session_clone(&clone, one, &err), VRS_OK);
		memcpy(vrs_session_input(clone, 0).data, vrs_session_input(one, 0).data, vrs_session_input(one, 0).bytes);
		vrs_session_destroy(one); /* what they share stays */
		assert_int_equal(vrs_session_run(clone, &err), VRS_OK);
		assert_memory_equal(first, vrs_session_output(clone, 0).data, out.bytes);
		vrs_session_destroy(clone);
		free(first); /* libc: see above */
		vrs_model_destroy(model);
	}
}

struct runner {
	struct vrs_session *session;
	bool failed;
};

static void *run_often(void *cookie)
{
	struct runner *runner = cookie;
	struct vrs_error err = {0};
	for (int i = 0; i < 20 && !runner->failed; i++)
		runner->failed = vrs_session_run(runner->session, &err) != VRS_OK;
	return NULL;
}

static void test_side_by_side(void **state)
{
	struct vrs_model *model = random_model(3);
	struct vrs_session *want = random_run(model, "ref", 1, 3);
	struct runner runners[2];
	pthread_t threads[2];
	(void)state;
	for (int i = 0; i < 2; i++) {
		runners[i] = (struct runner){.session = random_run(model, "opencl", 1, 3)};
		assert_int_equal(pthread_create(&threads[i], NULL, run_often, &runners[i]), 0);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_false(runners[i].failed);
		compare_outputs(want, runners[i].session, OP_BOUND_FP32, 3);
		vrs_session_destroy(runners[i].session);
	}
	vrs_session_destroy(want);
	vrs_model_destroy(model);
}

/* y = 0.5 * x + 1, whose output goes back in: 1, 1.5, 1.75, ... */
static void test_carry(void **state)
{
	struct vrs_graph graph;
	struct vrs_model *model = NULL;
	struct vrs_session *session = NULL;
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_error err = {0};
	const int64_t dims[] = {1, 2, 3, 4};
	(void)state;
	vrs_graph_init(&graph);
	struct vrs_node node = op_node(VRS_OP_UNARY, node_input(&graph, 4, dims));
	node.act = VRS_ACT_LINEAR;
	node.act_lo = 0.5f;
	node.act_hi = 1;
	graph.outputs[graph.output_count++] = node_emit(&graph, &node, VRS_F32);
	assert_int_equal(vrs_model_from_graph(&model, &graph, "carry", &err), VRS_OK);
	options.backend = "opencl";
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(vrs_session_upload(session, 0, &err), VRS_OK);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(vrs_session_start(session, &err), VRS_OK);
		assert_int_equal(vrs_session_carry(session, 0, 0, &err), VRS_OK);
	}
	assert_int_equal(vrs_session_download(session, 0, &err), VRS_OK);
	assert_int_equal(vrs_session_wait(session, &err), VRS_OK);
	for (int i = 0; i < 24; i++)
		assert_float_equal(vrs_session_output(session, 0).data[i], 1.875f, 0);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
	vrs_graph_fini(&graph);
}

/* y = x + x of two entries, whose outputs change places; what has no memory of its own on the device has no slots. */
static void test_slots(void **state)
{
	const struct vrs_session_state pair = {.input = 0, .output = 0};
	const int64_t dims[] = {2, 1, 3, 5};
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session = NULL;
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	struct vrs_graph graph;
	float values[15];
	(void)state;
	vrs_graph_init(&graph);
	struct vrs_node node = op_node(VRS_OP_UNARY, node_input(&graph, 4, dims));
	node.act = VRS_ACT_LINEAR;
	node.act_lo = 2;
	graph.outputs[graph.output_count++] = node_emit(&graph, &node, VRS_F32);
	assert_int_equal(vrs_model_from_graph(&model, &graph, "slots", &err), VRS_OK);
	options.backend = "opencl";
	options.batch = 2;
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	size_t bytes = vrs_session_info(session).device_bytes;
	assert_int_equal(vrs_session_slots_create(session, &pair, 1, 1 << 30, &err), VRS_ENOMEM);
	assert_int_equal(vrs_session_slots_create(session, &pair, 1, 3, &err), VRS_OK);
	assert_int_equal(vrs_session_info(session).device_bytes, bytes + 4 * sizeof values);
	for (int slot = 0; slot < 3; slot++) {
		for (int i = 0; i < 15; i++)
			values[i] = (float)(slot * 100 + i);
		vrs_session_slot_write(session, slot, values);
	}
	vrs_session_slot_use(session, 1, 0);
	vrs_session_slot_use(session, 2, 1);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(vrs_session_run(session, &err), VRS_OK);
		vrs_session_slot_keep(session, 0, 2);
		vrs_session_slot_keep(session, 1, 1);
		vrs_session_slot_use(session, 1, 0);
		vrs_session_slot_use(session, i ? -1 : 2, 1);
	}
	for (int slot = 0; slot < 3; slot++) { /* two runs of the entry that began in it; nobody touched 0 */
		assert_int_equal(vrs_session_slot_read(session, slot, values, &err), VRS_OK);
		for (int i = 0; i < 15; i++)
			assert_float_equal(values[i], (float)(slot ? 4 * (slot * 100 + i) : i), 0);
	}
	assert_int_equal(vrs_session_run(session, &err), VRS_OK); /* slot 1 in entry 0, zeros in entry 1 */
	vrs_session_slot_keep(session, 1, 0);
	vrs_session_slot_keep(session, 0, 2);
	assert_int_equal(vrs_session_slot_read(session, 0, values, &err), VRS_OK);
	assert_float_equal(values[14], 0, 0);
	assert_int_equal(vrs_session_slot_read(session, 2, values, &err), VRS_OK);
	assert_float_equal(values[14], 8 * 114, 0);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
	vrs_graph_fini(&graph);
}

static void test_stop(void **state)
{
	struct vrs_model *model = random_model(5);
	struct vrs_session *session = random_run(model, "opencl", 1, 5);
	struct vrs_error err = {0};
	atomic_bool stop = true;
	(void)state;
	vrs_session_stop_by(session, &stop);
	assert_int_equal(vrs_session_run(session, &err), VRS_ESTOPPED);
	atomic_store(&stop, false);
	assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

static void test_info(void **state)
{
	struct vrs_model *model = random_model(5);
	struct vrs_session *session = random_run(model, "opencl", 1, 5);
	struct vrs_session_info info = vrs_session_info(session);
	(void)state;
	assert_string_equal(info.backend, "opencl");
	assert_true(info.device[0] != '\0' && info.driver[0] != '\0');
	assert_true(info.device_bytes >= info.arena_bytes && info.arena_bytes >= info.arena_lower_bound_bytes && info.steps > 0);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

int main(int argc, char **argv)
{
	held_contexts_begin();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random), cmocka_unit_test(test_same_bits), cmocka_unit_test(test_side_by_side), cmocka_unit_test(test_carry),
		cmocka_unit_test(test_slots), cmocka_unit_test(test_stop), cmocka_unit_test(test_info),
	};
	if (argc > 1)
		networks = strtoull(argv[1], NULL, 10);
	return held_contexts_end(cmocka_run_group_tests(tests, NULL, NULL));
}
