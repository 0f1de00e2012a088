/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A small graph on the CPU backend as on the reference: within a bound, with the same bits for any number of threads, and by kernels of its own,
 * not by the code of the reference.
 */
#ifndef TESTS_NODE_CHECK_H
#define TESTS_NODE_CHECK_H

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

#include "backend/step_name.h"
#include "base/rng.h"
#include "graph/model_graph.h"

static inline int32_t node_checked(int32_t id)
{
	assert_true(id >= 0);
	return id;
}

/* A graph input of floats. */
static inline int32_t node_input(struct vrs_graph *graph, int rank, const int64_t *dims)
{
	struct vrs_graph_tensor t = {.dtype = VRS_F32, .rank = rank, .producer = -1};
	snprintf(t.name, sizeof t.name, "x%d", graph->input_count);
	memcpy(t.dims, dims, (size_t)rank * sizeof *dims);
	return graph->inputs[graph->input_count++] = node_checked(vrs_graph_add_tensor(graph, &t));
}

/* Random floats in -scale..scale, the same for a seed. */
static inline int32_t node_const(struct vrs_graph *graph, int rank, const int64_t *dims, double scale, uint64_t seed)
{
	struct vrs_graph_tensor shape = {.rank = rank};
	struct vrs_rng rng;
	if (rank > 0) /* a number has no dims */
		memcpy(shape.dims, dims, (size_t)rank * sizeof *dims);
	size_t count = vrs_tensor_elements(&shape);
	float *values = malloc((count + 1) * sizeof *values); /* libc: test scratch */
	assert_non_null(values);
	vrs_rng_init(&rng, seed);
	for (size_t i = 0; i < count; i++)
		values[i] = (float)((vrs_rng_unit(&rng) * 2 - 1) * scale);
	int32_t id = node_checked(vrs_graph_add_const(graph, "c", VRS_F32, rank, dims, values));
	free(values); /* libc: see above */
	return id;
}

static inline int32_t node_emit(struct vrs_graph *graph, struct vrs_node *node, enum vrs_dtype dtype)
{
	struct vrs_graph_tensor out = {.dtype = dtype, .producer = -1};
	struct vrs_error err = {0};
	snprintf(out.name, sizeof out.name, "y%d", graph->node_count);
	node->out = node_checked(vrs_graph_add_tensor(graph, &out));
	int32_t id = node_checked(vrs_graph_add_node(graph, node));
	if (vrs_node_validate(graph, id, &err) != VRS_OK || vrs_node_infer(graph, id, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return node->out;
}

/*
 * VRS_OP_WORK=N leaves out cases of more than N products and elements, and runs the others once: for devices that interpret kernels (oclgrind).
 */
static inline int64_t node_work_max(void)
{
	const char *text = getenv("VRS_OP_WORK");
	return text ? strtoll(text, NULL, 10) : INT64_MAX;
}

static inline int node_runs(void)
{
	return node_work_max() < INT64_MAX ? 1 : 2; /* nothing of the first run shows in the second */
}

/* Products of all nodes, and elements that are no constants. */
static inline int64_t node_work(const struct vrs_graph *graph)
{
	int64_t work = vrs_graph_macs(graph);
	for (int32_t t = 0; t < graph->tensor_count; t++)
		work += graph->tensors[t].data ? 0 : (int64_t)vrs_tensor_elements(&graph->tensors[t]);
	return work;
}

struct node_result {
	char *data;
	size_t bytes;
	enum vrs_dtype dtype;
};

/* Of all steps, none by a kernel of this name. */
static inline void node_kernels(struct vrs_session *session, const char *unwanted, const char *what)
{
	const struct vrs_op_profile *rows;
	int count = vrs_session_profile(session, &rows);
	for (int i = 0; i < count; i++)
		if (strcmp(rows[i].kernel, unwanted) == 0)
			fail_msg("%s: %s runs on the code of the reference", what, rows[i].name);
}

/*
 * A session with these options and the sizes of the model that has run, as a rule twice, the same random inputs for any backend. The caller destroys
 * it.
 */
static inline struct vrs_session *node_session_with(const struct vrs_model *model, struct vrs_session_options options, const char *what)
{
	struct vrs_session *session;
	struct vrs_shape shapes[VRS_MAX_ENDS];
	struct vrs_error err = {0};
	struct vrs_rng rng;
	options.pictures_nhwc = true;
	options.input_shapes = shapes;
	options.input_shape_count = vrs_model_graph(model)->input_count;
	for (int k = 0; k < options.input_shape_count; k++) {
		const struct vrs_graph_tensor *input = &vrs_model_graph(model)->tensors[vrs_model_graph(model)->inputs[k]];
		shapes[k].rank = input->rank;
		memcpy(shapes[k].dims, input->dims, sizeof shapes[k].dims);
	}
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s: %s", what, err.text);
	vrs_rng_init(&rng, 11);
	for (int k = 0; k < vrs_model_graph(model)->input_count; k++)
		for (size_t i = 0; i < vrs_session_input(session, k).elements; i++)
			vrs_session_input(session, k).data[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
	for (int i = 0; i < node_runs(); i++)
		if (vrs_session_run(session, &err) != VRS_OK)
			fail_msg("%s: %s", what, err.text);
	return session;
}

/* The same, which does nothing by the code of the reference. */
static inline struct vrs_session *node_session(const struct vrs_model *model, const char *backend, enum vrs_precision precision, int threads,
					       const char *what)
{
	struct vrs_session_options options = vrs_session_options_default();
	options.backend = backend;
	options.precision = precision;
	options.threads = threads;
	options.profile = true;
	struct vrs_session *session = node_session_with(model, options, what);
	node_kernels(session, strcmp(backend, "cpu") == 0 ? "reference" : "host", what);
	return session;
}

/* A copy of an output; data is freed by the caller. */
static inline struct node_result node_output(struct vrs_session *session, int index)
{
	struct vrs_tensor_view out = vrs_session_output(session, index);
	struct node_result result = {malloc(out.bytes + 1), out.bytes, out.dtype}; /* libc: test scratch */
	assert_non_null(result.data);
	if (out.bytes > 0) /* an empty tensor may have no memory */
		memcpy(result.data, out.raw, out.bytes);
	return result;
}

/* The first output on the CPU; values of at least half_min_bytes as floats are stored in 16 bits. data is freed by the caller. */
static inline struct node_result node_run_half(const struct vrs_model *model, enum vrs_precision precision, int64_t half_min_bytes, int threads,
					       const char *what)
{
	struct vrs_session_options options = vrs_session_options_default();
	options.backend = "cpu";
	options.precision = precision;
	options.half_min_bytes = half_min_bytes;
	options.threads = threads;
	struct vrs_session *session = node_session_with(model, options, what);
	struct node_result result = node_output(session, 0);
	vrs_session_destroy(session);
	return result;
}

static inline struct node_result node_run_as(const struct vrs_model *model, const char *backend, enum vrs_precision precision, int threads,
					     const char *what)
{
	struct vrs_session *session = node_session(model, backend, precision, threads, what);
	struct node_result result = node_output(session, 0);
	vrs_session_destroy(session);
	return result;
}

static inline struct node_result node_run(const struct vrs_model *model, const char *backend, int threads, const char *what)
{
	return node_run_as(model, backend, VRS_PRECISION_FP32, threads, what);
}

/* Bound: of the largest value and 1; results that are no floats are equal. */
static inline void node_compare(const struct node_result *want, const struct node_result *got, double bound, const char *what)
{
	const float *a = (const float *)(const void *)want->data, *b = (const float *)(const void *)got->data;
	double largest = 1;
	assert_int_equal(want->bytes, got->bytes);
	if (want->dtype != VRS_F32) {
		if (memcmp(want->data, got->data, want->bytes) != 0)
			fail_msg("%s: other values than the reference", what);
		return;
	}
	for (size_t i = 0; i < want->bytes / sizeof *a; i++)
		largest = isfinite(a[i]) ? fmax(largest, fabs((double)a[i])) : largest;
	for (size_t i = 0; i < want->bytes / sizeof *a; i++)
		if (!(isnan(a[i]) ? isnan(b[i]) : a[i] == b[i] || fabs((double)a[i] - (double)b[i]) <= bound * largest))
			fail_msg("%s: element %zu is %.9g, not %.9g", what, i, (double)b[i], (double)a[i]);
}

/* The graph's newest value is its output; the graph is freed. */
static inline void node_check(struct vrs_graph *graph, double bound, const char *what)
{
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	graph->outputs[graph->output_count++] = graph->nodes[graph->node_count - 1].out;
	if (vrs_graph_infer(graph, &err) != VRS_OK || vrs_model_from_graph(&model, graph, what, &err) != VRS_OK)
		fail_msg("%s: %s", what, err.text);
	struct node_result want = node_run(model, "ref", 1, what), one = node_run(model, "cpu", 1, what);
	node_compare(&want, &one, bound, what);
	for (int threads = 2; threads <= 5; threads += 3) {
		struct node_result more = node_run(model, "cpu", threads, what);
		if (more.bytes != one.bytes || memcmp(more.data, one.data, one.bytes) != 0)
			fail_msg("%s: %d threads give other bits than one", what, threads);
		free(more.data); /* libc: see node_run */
	}
	free(want.data); /* libc: see node_run */
	free(one.data);
	vrs_model_destroy(model);
	vrs_graph_fini(graph);
}

/* A process chooses its instruction set once, so each level runs in a child; one that the CPU lacks runs the next lower one. */
static inline int node_levels(int (*group)(void))
{
	static const char *const levels[] = {"ref", "avx2", "avx512"};
	int failed = 0;
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
		int status = -1;
		printf("VRSEG_CPU=%s\n", levels[i]);
		fflush(NULL);
		pid_t pid = fork();
		if (pid == 0)
			exit(setenv("VRSEG_CPU", levels[i], 1) == 0 ? group() : 1);
		failed += pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
	}
	return failed != 0;
}

#endif
