/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the CPU executor on networks as an ONNX file gives them ([N][C][H][W], transpositions, slices, splits, reductions, views): with and
 * without the passes, for several threads and as NHWC pictures, the results are those of the reference.  A failure prints the seed.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vrseg/session.h>

#include "graph/model_graph.h"
#include "unit/graph/random_nchw_graph.h"

#define NETWORKS 250
#define TOLERANCE 5e-4 /* of values near 1 behind some twenty operators */

struct result {
	struct vrs_tensor_view view;
	float *values;
};

/* Value of the element at NCHW place `at` of an input: the same whatever the layout. */
static float value_at(uint64_t seed, int input, size_t at)
{
	uint64_t x = seed * 7919 + (uint64_t)input * 104729 + at * 2654435761u;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 32;
	return (float)((double)(x & 0xffffff) / 8388608.0 - 1.0);
}

/* Place in [N][C][H][W] of element k of a view, which may be [N][H][W][C]. */
static size_t nchw_place(const struct vrs_tensor_view *view, bool nhwc, size_t k)
{
	size_t c, w, h, n;

	if (!nhwc || view->rank != 4)
		return k;
	c = k % (size_t)view->dims[3];
	k /= (size_t)view->dims[3];
	w = k % (size_t)view->dims[2];
	k /= (size_t)view->dims[2];
	h = k % (size_t)view->dims[1];
	n = k / (size_t)view->dims[1];
	return ((n * (size_t)view->dims[3] + c) * (size_t)view->dims[1] + h) * (size_t)view->dims[2] + w;
}

/* All outputs in the layout of the network; free values. */
static int run(const struct vrs_model *model, uint64_t seed, const char *backend, int threads, bool fusion, bool nhwc, struct result *results)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	int outputs = vrs_model_info(model).outputs;

	options.backend = backend;
	options.threads = threads;
	options.fusion = fusion;
	options.pictures_nhwc = nhwc;
	options.batch = (int)vrs_model_graph(model)->tensors[vrs_model_graph(model)->inputs[0]].dims[0];
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("seed %llu, %s: %s", (unsigned long long)seed, backend, err.text);
	for (int i = 0; i < vrs_model_info(model).inputs; i++) {
		struct vrs_tensor_view in = vrs_session_input(session, i);

		for (size_t k = 0; k < in.elements; k++)
			in.data[k] = value_at(seed, i, nchw_place(&in, nhwc, k));
	}
	if (vrs_session_run(session, &err) != VRS_OK)
		fail_msg("seed %llu, %s: %s", (unsigned long long)seed, backend, err.text);
	for (int i = 0; i < outputs; i++) {
		struct vrs_tensor_view out = vrs_session_output(session, i);

		results[i] = (struct result){out, calloc(out.elements + 1, sizeof(float))};
		assert_non_null(results[i].values);
		for (size_t k = 0; k < out.elements; k++)
			results[i].values[nchw_place(&out, nhwc, k)] = out.data[k];
	}
	vrs_session_destroy(session);
	return outputs;
}

static void compare(const struct result *want, const struct result *got, int outputs, uint64_t seed, const char *what)
{
	for (int i = 0; i < outputs; i++) {
		assert_int_equal(want[i].view.elements, got[i].view.elements);
		for (size_t k = 0; k < want[i].view.elements; k++) {
			double a = (double)want[i].values[k], b = (double)got[i].values[k];

			if (!(fabs(a - b) <= TOLERANCE * fmax(1, fabs(a))) && !(isnan(a) && isnan(b)) && a != b)
				fail_msg("seed %llu, %s, output %d: want %g, got %g", (unsigned long long)seed, what, i, a, b);
		}
	}
}

static void release(struct result *results, int outputs)
{
	for (int i = 0; i < outputs; i++)
		free(results[i].values);
}

static void test_networks(void **state)
{
	static const struct {
		const char *what;
		int threads;
		bool fusion, nhwc;
	} ways[] = {{"as imported", 1, false, false}, {"fused", 1, true, false}, {"three threads", 3, true, false}, {"NHWC pictures", 2,
		true, true}};

	(void)state;
	for (uint64_t seed = 5001; seed <= 5000 + NETWORKS; seed++) {
		struct result want[VRS_MAX_ENDS], got[VRS_MAX_ENDS];
		struct vrs_model *model = NULL;
		struct vrs_graph graph;
		struct vrs_error err = {0};
		int outputs;

		nchw_graph_build(&graph, seed);
		if (vrs_model_from_graph(&model, &graph, "random", &err) != VRS_OK)
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
		outputs = run(model, seed, "ref", 1, false, false, want);
		for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
			run(model, seed, "cpu", ways[i].threads, ways[i].fusion, ways[i].nhwc, got);
			compare(want, got, outputs, seed, ways[i].what);
			release(got, outputs);
		}
		release(want, outputs);
		vrs_model_destroy(model);
		vrs_graph_fini(&graph);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_networks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
