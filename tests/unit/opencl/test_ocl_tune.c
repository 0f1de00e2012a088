/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the choice of ways to compute convolutions by time: each different convolution is timed once and known afterwards, deterministic sessions
 * keep the default's order of sums, whatever the cache holds, and a tuned session gives the reference's results.  A group of trials that the driver
 * refuses, or builds for ever, costs its own convolutions alone, with one warning, and never the session; what was timed before it, or before a
 * stop, is kept.
 *
 * Calls of the driver go through this file, which lets some fail.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include <vrseg/log.h>

#include "backend/plan_cache.h"
#include "base/mem.h"
#include "base/stop.h"
#include "op_check.h"
#include "opencl/ocl_conv.h"
#include "opencl/ocl_tune.h"
#include "scratch_folder.h"
#include "session/session_graph.h"

#define CHANNELS 36
#define MOST_BUILDS 8

/* What happens to each build; threads of the compiler see it. */
enum fate { WORKS, FAILS, HANGS, STOPS };
static atomic_int fates[MOST_BUILDS]; /* enum fate; a compiler that is given up goes on reading */
static atomic_int builds;
static bool refuses_runs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t let_go = PTHREAD_COND_INITIALIZER;
static bool released;
static int passed; /* builds that hung, and were released */

static char lines[40][600]; /* of the log */
static enum vrs_log_level levels[40];
static int line_count;

static void find_real(void *ret_function, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	assert_non_null(found);
	memcpy(ret_function, &found, sizeof found);
}

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
				  void(CL_CALLBACK *notify)(cl_program, void *), void *cookie)
{
	cl_int CL_API_CALL (*real)(cl_program, cl_uint, const cl_device_id *, const char *, void(CL_CALLBACK *)(cl_program, void *), void *);
	int n = atomic_fetch_add(&builds, 1);
	enum fate fate = n < MOST_BUILDS ? (enum fate)atomic_load(&fates[n]) : WORKS;

	find_real(&real, "clBuildProgram");
	if (fate == STOPS)
		vrs_stop_request();
	pthread_mutex_lock(&lock);
	while (fate == HANGS && !released)
		pthread_cond_wait(&let_go, &lock);
	passed += fate == HANGS;
	pthread_cond_broadcast(&let_go);
	pthread_mutex_unlock(&lock);
	return fate == FAILS ? CL_BUILD_PROGRAM_FAILURE : real(program, count, devices, options, notify, cookie);
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset, const size_t *global,
					  const size_t *local, cl_uint waits, const cl_event *list, cl_event *event)
{
	cl_int CL_API_CALL (*real)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint, const cl_event *,
				   cl_event *);

	find_real(&real, "clEnqueueNDRangeKernel");
	return refuses_runs ? CL_OUT_OF_RESOURCES : real(queue, kernel, dims, offset, global, local, waits, list, event);
}

static void keep_line(void *cookie, enum vrs_log_level level, const char *line)
{
	(void)cookie;
	if (line_count == (int)(sizeof levels / sizeof levels[0]))
		return;
	levels[line_count] = level;
	(void)snprintf(lines[line_count++], sizeof lines[0], "%s", line);
}

/* The place of the line that has this text; -1: there is none. */
static int find_line(const char *text)
{
	for (int i = 0; i < line_count; i++)
		if (strstr(lines[i], text))
			return i;
	return -1;
}

static int count_warnings(void)
{
	int count = 0;

	for (int i = 0; i < line_count; i++)
		count += levels[i] <= VRS_LOG_WARNING;
	return count;
}

/* Nothing is known, and the driver works. */
static int begin(void **state)
{
	(void)state;
	if (remove_tree("vrseg") != 0 && errno != ENOENT)
		return -1;
	for (int i = 0; i < MOST_BUILDS; i++)
		fates[i] = WORKS;
	builds = line_count = 0;
	refuses_runs = released = false;
	passed = 0;
	vrs_log_set_sink(keep_line, NULL);
	return 0;
}

/* Three 3x3 convolutions, two of them alike. */
static struct vrs_model *make_model(void)
{
	const int64_t dims[] = {1, 24, 20, CHANNELS}, weights[] = {CHANNELS, 3, 3, CHANNELS};
	struct vrs_model *model = NULL;
	struct vrs_graph graph;
	struct vrs_error err = {0};
	vrs_graph_init(&graph);
	int32_t x = node_input(&graph, 4, dims);
	for (int i = 0; i < 3; i++) {
		struct vrs_node node = op_node(VRS_OP_CONV, x);
		node.in[1] = node_const(&graph, 4, weights, 0.08, 7 + (uint64_t)i);
		node.inputs = 2;
		node.u.window.kernel_h = node.u.window.kernel_w = 3;
		node.u.window.same = true;
		node.act = i == 2 ? VRS_ACT_RELU : VRS_ACT_NONE;
		x = node_emit(&graph, &node, VRS_F32);
	}
	graph.outputs[graph.output_count++] = x;
	if (vrs_graph_infer(&graph, &err) != VRS_OK || vrs_model_from_graph(&model, &graph, "tune", &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_graph_fini(&graph);
	return model;
}

static struct vrs_session_options tune_options(enum vrs_device_tune level, bool deterministic)
{
	struct vrs_session_options options = vrs_session_options_default();
	options.backend = "opencl";
	options.device_tune = level;
	options.deterministic = deterministic;
	return options;
}

static struct vrs_ocl_tune_stats tune(const struct vrs_graph *graph, const struct vrs_session_options *options, uint8_t **ret_tiles)
{
	struct vrs_ocl_context *context = NULL;
	struct vrs_ocl_tune_stats stats = {0};
	struct vrs_error err = {0};
	if (vrs_ocl_context_open(&context, "", true, &err) != VRS_OK || vrs_ocl_tune(ret_tiles, &stats, context, graph, options, NULL, &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_ocl_context_close(context);
	return stats;
}

static void test_known_afterwards(void **state)
{
	struct vrs_model *model = make_model();
	struct vrs_session_options options = tune_options(VRS_DEVICE_TUNE_FAST, true);
	struct vrs_graph graph = {0};
	struct vrs_error err = {0};
	uint8_t *first = NULL, *again = NULL;
	(void)state;
	if (vrs_session_graph(&graph, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	struct vrs_ocl_tune_stats stats = tune(&graph, &options, &first);
	assert_int_equal(stats.convolutions, 2);
	assert_int_equal(stats.timed, 2);
	stats = tune(&graph, &options, &again);
	assert_int_equal(stats.convolutions, 2);
	assert_int_equal(stats.timed, 0);
	assert_memory_equal(first, again, (size_t)graph.node_count);
	options.program_cache = false; /* what is known is not read */
	vrs_free(again);
	assert_int_equal(tune(&graph, &options, &again).timed, 2);
	options.program_cache = true;
	options.precision = VRS_PRECISION_FP16; /* another kernel */
	vrs_free(again);
	assert_int_equal(tune(&graph, &options, &again).timed, 2);
	vrs_free(first);
	vrs_free(again);
	vrs_graph_fini(&graph);
	vrs_model_destroy(model);
}

static void test_deterministic(void **state)
{
	struct vrs_model *model = make_model();
	struct vrs_session_options options = tune_options(VRS_DEVICE_TUNE_FULL, true);
	struct vrs_ocl_context *context = NULL;
	struct vrs_graph graph = {0};
	struct vrs_error err = {0};
	uint8_t *tiles = NULL;
	(void)state;
	assert_int_equal(vrs_session_graph(&graph, model, &options, &err), VRS_OK);
	(void)tune(&graph, &options, &tiles);
	assert_int_equal(vrs_ocl_context_open(&context, "", true, &err), VRS_OK);
	for (int32_t i = 0; i < graph.node_count; i++) {
		struct vrs_ocl_tile candidates[VRS_OCL_MAX_TILES];
		struct vrs_ocl_conv conv;
		if (graph.nodes[i].dead || vrs_ocl_conv_init(&conv, &graph, &graph.nodes[i]) != VRS_OK)
			continue;
		assert_in_range(tiles[i], 0, vrs_ocl_tile_candidates(&context->caps, &conv, candidates, VRS_OCL_MAX_TILES) - 1);
		assert_int_equal(candidates[tiles[i]].algorithm, candidates[0].algorithm);
	}
	vrs_ocl_context_close(context);
	vrs_free(tiles);
	vrs_graph_fini(&graph);
	vrs_model_destroy(model);
}

/* Tunes a convolution as on a GPU of so many compute units; returns how many were timed. The order is the default's. */
static int tune_units(const struct vrs_graph *graph, int units, struct vrs_ocl_tile *ret_default)
{
	struct vrs_session_options options = tune_options(VRS_DEVICE_TUNE_FAST, true);
	struct vrs_ocl_context *context = NULL;
	struct vrs_ocl_tune_stats stats = {0};
	struct vrs_ocl_tile candidates[VRS_OCL_MAX_TILES];
	struct vrs_ocl_conv conv;
	struct vrs_error err = {0};
	uint8_t *tiles = NULL;
	if (vrs_ocl_context_open(&context, "", true, &err) != VRS_OK)
		fail_msg("%s", err.text);
	context->caps.vendor = VRS_OCL_VENDOR_AMD;
	context->caps.is_cpu = false;
	context->caps.max_group = 256;
	context->caps.compute_units = units;
	if (vrs_ocl_tune(&tiles, &stats, context, graph, &options, NULL, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(stats.convolutions, 1);
	for (int32_t i = 0; i < graph->node_count; i++) {
		if (graph->nodes[i].dead || vrs_ocl_conv_init(&conv, graph, &graph->nodes[i]) != VRS_OK)
			continue;
		(void)vrs_ocl_tile_candidates(&context->caps, &conv, candidates, VRS_OCL_MAX_TILES);
		assert_true(vrs_ocl_same_order(&candidates[tiles[i]], &candidates[0]));
		*ret_default = candidates[0];
	}
	vrs_free(tiles);
	vrs_ocl_context_close(context); /* the last user's: the next one has the device's own caps */
	return stats.timed;
}

/* What each file of plans holds; returns their number. */
static int load_plans(struct vrs_plan_cache *caches, int most)
{
	DIR *folder = opendir("vrseg/plans");
	int count = 0;
	assert_non_null(folder);
	for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		if (entry->d_name[0] == '.')
			continue;
		assert_true(count < most);
		vrs_plan_cache_load(&caches[count], strtoull(entry->d_name, NULL, 16));
		assert_true(caches[count++].count > 0);
	}
	(void)closedir(folder);
	return count;
}

/* Of two devices with one name and driver one may have more compute units, and another default. */
static void test_kept_by_another(void **state)
{
	const int64_t dims[] = {1, 32, 32, 72}, weights[] = {24, 1, 1, 72};
	struct vrs_ocl_tile small, large;
	struct vrs_plan_cache caches[2];
	struct vrs_graph graph;
	struct vrs_error err = {0};
	(void)state;
	vrs_graph_init(&graph);
	struct vrs_node node = op_node(VRS_OP_CONV, node_input(&graph, 4, dims));
	node.in[1] = node_const(&graph, 4, weights, 0.1, 5);
	node.inputs = 2;
	node.u.window.kernel_h = node.u.window.kernel_w = 1;
	graph.outputs[graph.output_count++] = node_emit(&graph, &node, VRS_F32);
	if (vrs_graph_infer(&graph, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(tune_units(&graph, 30, &small), 1);
	assert_int_equal(tune_units(&graph, 40, &large), 1);
	assert_false(vrs_ocl_same_order(&small, &large)); /* else nothing is shown */
	assert_int_equal(tune_units(&graph, 40, &large), 0);
	/* Nor does a file change bits that has, whyever, what the other one chose. */
	assert_int_equal(load_plans(caches, 2), 2);
	uint64_t first = caches[0].entries[0].value, second = caches[1].entries[0].value;
	assert_int_equal(vrs_plan_cache_put(&caches[0], caches[0].entries[0].key, second), VRS_OK);
	assert_int_equal(vrs_plan_cache_put(&caches[1], caches[1].entries[0].key, first), VRS_OK);
	for (int i = 0; i < 2; i++) {
		vrs_plan_cache_save(&caches[i]);
		vrs_plan_cache_fini(&caches[i]);
	}
	assert_int_equal(tune_units(&graph, 40, &large), 1);
	vrs_graph_fini(&graph);
}

static void run(struct vrs_session **ret_session, const struct vrs_model *model, const struct vrs_session_options *options)
{
	struct vrs_error err = {0};
	struct vrs_rng rng;
	if (vrs_session_create(ret_session, model, options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_rng_init(&rng, 3);
	struct vrs_tensor_view in = vrs_session_input(*ret_session, 0);
	for (size_t i = 0; i < in.elements; i++)
		in.data[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
	assert_int_equal(vrs_session_run(*ret_session, &err), VRS_OK);
}

static void test_results(void **state)
{
	struct vrs_model *model = make_model();
	struct vrs_session_options options = tune_options(VRS_DEVICE_TUNE_FULL, false), plain = vrs_session_options_default();
	struct vrs_session *want = NULL, *got = NULL;
	(void)state;
	plain.backend = "ref";
	run(&want, model, &plain);
	run(&got, model, &options);
	struct vrs_tensor_view a = vrs_session_output(want, 0), b = vrs_session_output(got, 0);
	for (size_t i = 0; i < a.elements; i++)
		assert_float_equal(a.data[i], b.data[i], 2e-4);
	vrs_session_destroy(want);
	vrs_session_destroy(got);
	vrs_model_destroy(model);
}

static void test_no_profiling(void **state)
{
	struct vrs_ocl_context *context = NULL;
	struct vrs_session_options options = tune_options(VRS_DEVICE_TUNE_FAST, true);
	struct vrs_ocl_tune_stats stats;
	struct vrs_graph graph;
	struct vrs_error err = {0};
	uint8_t *tiles = NULL;
	(void)state;
	vrs_graph_init(&graph);
	assert_int_equal(vrs_ocl_context_open(&context, "", false, &err), VRS_OK);
	assert_int_equal(vrs_ocl_tune(&tiles, &stats, context, &graph, &options, NULL, &err), VRS_EINVAL);
	assert_null(tiles);
	vrs_ocl_context_close(context);
	vrs_graph_fini(&graph);
}

/* Three small convolutions, each another one. */
static struct vrs_model *make_small_model(void)
{
	static const enum vrs_act acts[] = {VRS_ACT_NONE, VRS_ACT_RELU, VRS_ACT_TANH};
	const int64_t dims[] = {1, 4, 8, 16}, weights[] = {16, 1, 1, 16};
	struct vrs_model *model = NULL;
	struct vrs_graph graph;
	struct vrs_error err = {0};
	vrs_graph_init(&graph);
	int32_t x = node_input(&graph, 4, dims);
	for (int i = 0; i < 3; i++) {
		struct vrs_node node = op_node(VRS_OP_CONV, x);
		node.in[1] = node_const(&graph, 4, weights, 0.1, 5 + (uint64_t)i);
		node.inputs = 2;
		node.u.window.kernel_h = node.u.window.kernel_w = 1;
		node.act = acts[i];
		x = node_emit(&graph, &node, VRS_F32);
	}
	graph.outputs[graph.output_count++] = x;
	if (vrs_graph_infer(&graph, &err) != VRS_OK || vrs_model_from_graph(&model, &graph, "small", &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_graph_fini(&graph);
	return model;
}

/* Tunes the small model, each convolution in a group of its own, whose compiler is given up after so many seconds. */
static enum vrs_status tune_small(struct vrs_ocl_tune_stats *ret_stats, double seconds)
{
	const struct vrs_ocl_trial_limits limits = {.kernels = 1, .seconds = seconds};
	struct vrs_session_options options = tune_options(VRS_DEVICE_TUNE_FAST, true);
	struct vrs_model *model = make_small_model();
	struct vrs_ocl_context *context = NULL;
	struct vrs_graph graph = {0};
	struct vrs_error err = {0};
	uint8_t *tiles = NULL;
	builds = line_count = 0;
	if (vrs_session_graph(&graph, model, &options, &err) != VRS_OK || vrs_ocl_context_open(&context, "", true, &err) != VRS_OK)
		fail_msg("%s", err.text);
	enum vrs_status status = vrs_ocl_tune(&tiles, ret_stats, context, &graph, &options, &limits, &err);
	assert_true((status == VRS_OK) == (tiles != NULL));
	vrs_ocl_context_close(context);
	vrs_free(tiles);
	vrs_graph_fini(&graph);
	vrs_model_destroy(model);
	return status;
}

static void expect_stats(const struct vrs_ocl_tune_stats *stats, int timed, int failed)
{
	assert_int_equal(stats->convolutions, 3);
	assert_int_equal(stats->timed, timed);
	assert_int_equal(stats->failed, failed);
}

/* The line that says what comes is the first, and the only warning comes behind. */
static void test_refused_group(void **state)
{
	struct vrs_ocl_tune_stats stats;
	(void)state;
	fates[1] = FAILS;
	assert_int_equal(tune_small(&stats, 600), VRS_OK);
	expect_stats(&stats, 2, 1);
	assert_int_equal(builds, 3);
	assert_int_equal(find_line("timing 18 ways to compute 3 convolutions on "), 0);
	assert_int_equal(find_line("this takes about "), 0);
	assert_true(find_line("1 of 3 convolutions could not be timed, and stay as the rules choose: the OpenCL compiler") > 0);
	assert_true(find_line("timed 2 of 3 convolutions") > 0);
	assert_int_equal(count_warnings(), 1);
	fates[1] = WORKS;
	assert_int_equal(tune_small(&stats, 600), VRS_OK);
	expect_stats(&stats, 1, 0); /* the others were kept */
	assert_int_equal(count_warnings(), 0);
}

/* Two groups that hang end the tuning, not the session. */
static void test_hanging_compiler(void **state)
{
	struct vrs_ocl_tune_stats stats;
	(void)state;
	fates[0] = fates[1] = HANGS;
	assert_int_equal(tune_small(&stats, 0.2), VRS_OK);
	expect_stats(&stats, 0, 3);
	assert_int_equal(builds, 2);
	assert_true(find_line("has not finished kernels to be timed after 0.2 s") > 0);
	assert_int_equal(count_warnings(), 1);
	pthread_mutex_lock(&lock);
	released = true;
	pthread_cond_broadcast(&let_go);
	while (passed < 2) /* the next test begins without them */
		pthread_cond_wait(&let_go, &lock);
	pthread_mutex_unlock(&lock);
}

/* A device that runs nothing leaves no choice behind that a later job would take for timed. */
static void test_failing_device(void **state)
{
	struct vrs_ocl_tune_stats stats;
	(void)state;
	refuses_runs = true;
	assert_int_equal(tune_small(&stats, 600), VRS_OK);
	expect_stats(&stats, 0, 3);
	assert_true(find_line("CL_OUT_OF_RESOURCES") > 0);
	refuses_runs = false;
	assert_int_equal(tune_small(&stats, 600), VRS_OK);
	expect_stats(&stats, 3, 0);
}

static void test_stopped(void **state)
{
	struct vrs_ocl_tune_stats stats;
	(void)state;
	fates[1] = STOPS;
	assert_int_equal(tune_small(&stats, 600), VRS_ESTOPPED);
	vrs_stop_reset();
	fates[1] = WORKS;
	assert_int_equal(tune_small(&stats, 600), VRS_OK);
	expect_stats(&stats, 2, 0); /* the first was kept */
}

static void test_session_goes_on(void **state)
{
	struct vrs_model *model = make_small_model();
	struct vrs_session_options options = tune_options(VRS_DEVICE_TUNE_FAST, true), plain = vrs_session_options_default();
	struct vrs_session *want = NULL, *got = NULL;
	(void)state;
	plain.backend = "ref";
	fates[0] = FAILS; /* that of all trials */
	run(&want, model, &plain);
	run(&got, model, &options);
	assert_int_equal(builds, 2);
	assert_int_equal(count_warnings(), 1);
	assert_true(find_line("3 of 3 convolutions could not be timed") > 0);
	struct vrs_tensor_view a = vrs_session_output(want, 0), b = vrs_session_output(got, 0);
	for (size_t i = 0; i < a.elements; i++)
		assert_float_equal(a.data[i], b.data[i], 2e-4);
	vrs_session_destroy(want);
	vrs_session_destroy(got);
	vrs_model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_afterwards), cmocka_unit_test(test_deterministic),
		cmocka_unit_test_setup(test_kept_by_another, begin), cmocka_unit_test(test_results),
		cmocka_unit_test(test_no_profiling), cmocka_unit_test_setup(test_refused_group, begin),
		cmocka_unit_test_setup(test_hanging_compiler, begin), cmocka_unit_test_setup(test_failing_device, begin),
		cmocka_unit_test_setup(test_stopped, begin), cmocka_unit_test_setup(test_session_goes_on, begin),
	};
	/* nothing is known at first */
	if (scratch_folder_enter("test_ocl_tune") != 0 || setenv("XDG_CACHE_HOME", SCRATCH_PARENT "/test_ocl_tune", 1) != 0)
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	return scratch_folder_remove("test_ocl_tune") != 0 || failed;
}
