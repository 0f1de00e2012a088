/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: choices survive the way through the disk; files of another environment, cut or changed ones count as none; processes that write at once
 * leave a whole file; a session that times its kernels gives the reference's values, the same bits as one that does not when it is deterministic, and
 * times nothing the second time.
 */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <vrseg/session.h>

#include "backend/cpu/exec/cpu_tune.h"
#include "backend/plan_cache.h"
#include "base/file.h"
#include "base/mem.h"
#include "graph/model_graph.h"
#include "kernels/kernels.h"
#include "machine/cpu_features.h"
#include "unit/backend/random_graph.h"

static char cache_home[] = "/tmp/vrs-test-plan-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(cache_home) == NULL || setenv("XDG_CACHE_HOME", cache_home, 1) != 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", cache_home);
	return system(command);
}

/* Path of the only file in the cache; false: there is none. */
static bool only_file(char *path, size_t size)
{
	char folder[300];
	struct dirent *entry;
	int files = 0;
	DIR *dir;

	snprintf(folder, sizeof folder, "%s/vrseg/plans", cache_home);
	dir = opendir(folder);
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.' && ++files == 1)
			snprintf(path, size, "%s/%.200s", folder, entry->d_name);
	if (dir != NULL)
		closedir(dir);
	return files == 1;
}

static void test_round_trip(void **state)
{
	struct vrs_plan_cache cache;
	char path[600];
	uint64_t value;

	(void)state;
	vrs_plan_cache_load(&cache, 42);
	assert_int_equal(cache.count, 0);
	vrs_plan_cache_save(&cache); /* nothing to keep: no file */
	assert_false(only_file(path, sizeof path));
	for (uint64_t key = 1; key <= 500; key++)
		assert_int_equal(vrs_plan_cache_put(&cache, key * UINT64_C(0x9e3779b97f4a7c15), key), VRS_OK);
	assert_int_equal(vrs_plan_cache_put(&cache, 7, 8), VRS_OK);
	assert_int_equal(vrs_plan_cache_put(&cache, 7, 9), VRS_OK);
	vrs_plan_cache_save(&cache);
	vrs_plan_cache_fini(&cache);
	vrs_plan_cache_load(&cache, 42);
	assert_int_equal(cache.count, 501);
	assert_true(vrs_plan_cache_find(&cache, 7, &value) && value == 9);
	assert_true(vrs_plan_cache_find(&cache, 500 * UINT64_C(0x9e3779b97f4a7c15), &value) && value == 500);
	assert_false(vrs_plan_cache_find(&cache, 8, &value));
	vrs_plan_cache_fini(&cache);
	vrs_plan_cache_load(&cache, 43);
	assert_int_equal(cache.count, 0);
	for (uint64_t key = 0; key < VRS_PLAN_CACHE_MAX; key++)
		assert_int_equal(vrs_plan_cache_put(&cache, key, 0), VRS_OK);
	assert_int_equal(vrs_plan_cache_put(&cache, UINT64_MAX, 0), VRS_ELIMIT);
	vrs_plan_cache_fini(&cache);
	assert_true(only_file(path, sizeof path));
	unlink(path);
}

/* Every cut and every changed bit is seen, and nothing of such a file is taken. */
static void test_damage(void **state)
{
	struct vrs_plan_cache cache = {.environment = 5};
	struct vrs_buf file;
	char path[600];

	(void)state;
	for (uint64_t key = 1; key <= 6; key++)
		assert_int_equal(vrs_plan_cache_put(&cache, key, key), VRS_OK);
	vrs_plan_cache_save(&cache);
	vrs_plan_cache_fini(&cache);
	assert_true(only_file(path, sizeof path));
	assert_int_equal(vrs_file_read(path, 100000, &file, NULL), VRS_OK);
	assert_int_equal(vrs_plan_cache_parse(&cache, file.data, file.len), VRS_OK);
	vrs_plan_cache_fini(&cache);
	for (size_t cut = 0; cut < file.len; cut++)
		assert_int_equal(vrs_plan_cache_parse(&cache, file.data, cut), VRS_EFORMAT);
	for (size_t bit = 0; bit < 8 * file.len; bit++) {
		file.data[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_equal(vrs_plan_cache_parse(&cache, file.data, file.len), VRS_EFORMAT);
		file.data[bit / 8] ^= (char)(1 << bit % 8);
	}
	assert_int_equal(cache.count, 0);
	vrs_buf_fini(&file);
	unlink(path);
}

/* Whoever reads meanwhile sees a whole file, with what was there before anybody wrote. */
static void test_two_writers(void **state)
{
	struct vrs_plan_cache cache;
	char path[600];
	uint64_t value;
	int left = 2;

	(void)state;
	vrs_plan_cache_load(&cache, 9);
	assert_int_equal(vrs_plan_cache_put(&cache, 1, 11), VRS_OK);
	vrs_plan_cache_save(&cache);
	vrs_plan_cache_fini(&cache);
	for (uint64_t child = 1; child <= 2; child++)
		if (fork() == 0) {
			for (uint64_t i = 0; i < 40; i++) {
				vrs_plan_cache_load(&cache, 9);
				(void)vrs_plan_cache_put(&cache, 1000 * child + i, i);
				vrs_plan_cache_save(&cache);
				vrs_plan_cache_fini(&cache);
			}
			_exit(0);
		}
	while (left > 0) {
		left -= waitpid(-1, NULL, WNOHANG) > 0;
		vrs_plan_cache_load(&cache, 9);
		assert_true(vrs_plan_cache_find(&cache, 1, &value) && value == 11);
		vrs_plan_cache_fini(&cache);
	}
	vrs_plan_cache_load(&cache, 9);
	assert_true(vrs_plan_cache_find(&cache, 1039, &value) || vrs_plan_cache_find(&cache, 2039, &value)); /* of whoever wrote last */
	vrs_plan_cache_fini(&cache);
	assert_true(only_file(path, sizeof path));
	unlink(path);
}

/* Two 3x3 convolutions of 32 channels at 40 x 40: large enough that all candidates exist. */
static struct vrs_model *conv_model(void)
{
	struct random_graph r = {.serial = 0};
	struct vrs_graph_tensor input = {.name = "image", .dtype = VRS_F32, .rank = 4, .dims = {1, 40, 40, 32}};
	const int64_t dims[4] = {32, 3, 3, 32}, out = 32;
	struct vrs_model *model = NULL;
	int32_t x;

	vrs_rng_init(&r.rng, 11);
	x = r.graph.inputs[r.graph.input_count++] = random_check(vrs_graph_add_tensor(&r.graph, &input));
	for (int i = 0; i < 2; i++) {
		struct vrs_node node;

		vrs_node_init(&node, VRS_OP_CONV, NULL);
		node.inputs = 3;
		node.in[0] = x;
		node.in[1] = random_const(&r, 4, dims, 0.06);
		node.in[2] = random_const(&r, 1, &out, 0.3);
		node.u.window.kernel_h = node.u.window.kernel_w = 3;
		node.u.window.same = true;
		node.act = VRS_ACT_RELU;
		x = random_emit(&r, &node);
	}
	r.graph.outputs[r.graph.output_count++] = x;
	assert_int_equal(vrs_model_from_graph(&model, &r.graph, "convolutions", NULL), VRS_OK);
	vrs_graph_fini(&r.graph);
	return model;
}

/* Output of one run, in libc memory. */
static float *run(const struct vrs_model *model, const char *backend, bool autotune, bool deterministic, size_t *ret_elements)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	struct vrs_tensor_view in, out;
	struct vrs_rng rng;
	float *copy;

	options.backend = backend;
	options.threads = 2;
	options.autotune = autotune;
	options.deterministic = deterministic;
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	in = vrs_session_input(session, 0);
	vrs_rng_init(&rng, 3);
	for (size_t i = 0; i < in.elements; i++)
		in.data[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
	assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	out = vrs_session_output(session, 0);
	*ret_elements = out.elements;
	copy = malloc(out.elements * sizeof *copy); /* libc: test scratch */
	assert_non_null(copy);
	memcpy(copy, out.data, out.elements * sizeof *copy);
	vrs_session_destroy(session);
	return copy;
}

static void test_timed_sessions(void **state)
{
	struct vrs_model *model = conv_model();
	size_t n;
	float *plain = run(model, "cpu", false, true, &n), *ref = run(model, "ref", false, true, &n);
	char path[600], again[600];
	struct vrs_buf first, second;

	(void)state;
	assert_false(only_file(path, sizeof path)); /* who does not ask for it leaves nothing behind */
	for (int deterministic = 1; deterministic >= 0; deterministic--) {
		float *tuned = run(model, "cpu", true, deterministic, &n);

		if (deterministic)
			assert_memory_equal(tuned, plain, n * sizeof *plain);
		for (size_t i = 0; i < n; i++)
			assert_true(fabsf(tuned[i] - ref[i]) <= 2e-4f * (1 + fabsf(ref[i])));
		free(tuned); /* libc */
	}
	assert_true(only_file(path, sizeof path));
	assert_int_equal(vrs_file_read(path, 100000, &first, NULL), VRS_OK);
	free(run(model, "cpu", true, false, &n)); /* libc */
	assert_true(only_file(again, sizeof again));
	assert_string_equal(path, again);
	assert_int_equal(vrs_file_read(path, 100000, &second, NULL), VRS_OK);
	assert_int_equal(first.len, second.len);
	assert_memory_equal(first.data, second.data, first.len);
	/* A file that chooses what does not exist is as good as none. */
	struct vrs_plan_cache wild = {.environment = strtoull(strrchr(path, '/') + 1, NULL, 16)};
	assert_int_equal(vrs_plan_cache_parse(&wild, second.data, second.len), VRS_OK);
	for (size_t i = 0; i < wild.count; i++)
		wild.entries[i].value = UINT64_MAX - i;
	wild.changed = true;
	unlink(path);
	vrs_plan_cache_save(&wild);
	vrs_plan_cache_fini(&wild);
	float *tuned = run(model, "cpu", true, true, &n);
	assert_memory_equal(tuned, plain, n * sizeof *plain);
	free(tuned); /* libc */
	free(plain); /* libc */
	free(ref);   /* libc */
	vrs_buf_fini(&first);
	vrs_buf_fini(&second);
	vrs_model_destroy(model);
	unlink(path);
}

/* Without a folder to write to, and without memory. */
static void test_no_place(void **state)
{
	struct vrs_model *model = conv_model();
	size_t n;

	(void)state;
	assert_int_equal(setenv("XDG_CACHE_HOME", "/proc/nowhere", 1), 0);
	free(run(model, "cpu", true, true, &n)); /* libc */
	assert_int_equal(setenv("XDG_CACHE_HOME", cache_home, 1), 0);
	for (uint64_t k = 1; k < 400; k += 7) {
		struct vrs_session_options options = vrs_session_options_default();
		struct vrs_session *session = NULL;

		options.threads = 1;
		options.autotune = true;
		vrs_mem_fail_after(k, false);
		enum vrs_status status = vrs_session_create(&session, model, &options, NULL);
		vrs_mem_fail_after(0, false);
		assert_true(status == VRS_OK || status == VRS_ENOMEM);
		vrs_session_destroy(session);
	}
	vrs_model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_damage), cmocka_unit_test(test_two_writers),
					    cmocka_unit_test(test_timed_sessions), cmocka_unit_test(test_no_place)};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
