/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: a session of the cpu backend takes at most 1.3 times the memory that no plan could go below.  Counted is what the session allocates for the
 * life of its plan: tensors, packed weights, and the scratch memory of every thread.  The bound is the largest set of tensors that live at a time,
 * and the weights.  The selfie networks are checked whole, with one to four threads; random networks, whose tensors are no larger than their
 * scratch, by their tensors alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <vrseg/session.h>

#include "base/file.h"
#include "graph/model_graph.h"
#include "unit/backend/random_graph.h"

#define MOST 1.3

/* Info of a session that is made and taken down. */
static struct vrs_session_info info_of(const struct vrs_model *model, int threads, int batch, int width, int height)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session = NULL;
	struct vrs_session_info info;
	struct vrs_error err = {0};

	options.backend = "cpu";
	options.threads = threads;
	options.batch = batch;
	options.input_width = width;
	options.input_height = height;
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	info = vrs_session_info(session);
	vrs_session_destroy(session);
	return info;
}

static void check_network(const char *name)
{
	static const struct {
		int threads, batch, width, height;
	} cases[] = {{1, 1, 0, 0}, {2, 1, 0, 0}, {4, 1, 0, 0}, {1, 2, 0, 0}, {2, 2, 0, 0}, {2, 1, 512, 512}, {8, 1, 512, 512}};
	char path[1024];
	struct vrs_model *model;
	struct vrs_error err = {0};

	if (vrs_data_file(name, path, sizeof path, NULL) != VRS_OK) {
		printf("skipped: %s is not installed; run ./test.sh, which fetches it\n", name);
		skip();
	}
	assert_int_equal(vrs_model_load(&model, path, &err), VRS_OK);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_session_info info = info_of(model, cases[i].threads, cases[i].batch, cases[i].width, cases[i].height);
		double bound = (double)(info.arena_lower_bound_bytes + info.weight_bytes);
		double peak = (double)(info.arena_bytes + info.weight_bytes + info.scratch_bytes);

		assert_true(info.arena_bytes >= info.arena_lower_bound_bytes && info.arena_lower_bound_bytes > 0);
		if (peak > MOST * bound)
			fail_msg("%s, %d threads, batch %d, %dx%d: %.0f bytes, %.2f times the bound of %.0f", name, cases[i].threads, cases[i].batch,
				 cases[i].width, cases[i].height, peak, peak / bound, bound);
	}
	vrs_model_destroy(model);
}

static void test_selfie(void **state)
{
	(void)state;
	check_network("models/selfie_segmentation.tflite");
}

static void test_landscape(void **state)
{
	(void)state;
	check_network("models/selfie_segmentation_landscape.tflite");
}

static void test_random_networks(void **state)
{
	double worst = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct vrs_graph graph;
		struct vrs_model *model;
		struct vrs_session_info info;

		random_graph_build(&graph, seed);
		assert_int_equal(vrs_model_from_graph(&model, &graph, "random", NULL), VRS_OK);
		info = info_of(model, 1 + (int)(seed % 3), 1, 0, 0);
		double ratio = (double)info.arena_bytes / (double)info.arena_lower_bound_bytes;
		if (ratio > MOST)
			fail_msg("seed %llu: tensors take %zu bytes, %.2f times the bound", (unsigned long long)seed, info.arena_bytes, ratio);
		worst = ratio > worst ? ratio : worst;
		vrs_model_destroy(model);
		vrs_graph_fini(&graph);
	}
	printf("worst of 300 random networks: %.3f times the bound\n", worst);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_selfie), cmocka_unit_test(test_landscape), cmocka_unit_test(test_random_networks)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
