/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards functions of elements on the CPU backend against the reference, on ordinary values, NaN, infinities and zeros (sessions take subnormals
 * for zero): every activation alone and behind a convolution (where it becomes its epilogue), every function of two inputs, powers of constants,
 * softmax and its logarithm over channels.
 */
#include <float.h>
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

#include "base/rng.h"
#include "graph/model_graph.h"

#define HEIGHT 3
#define WIDTH 5
#define CHANNELS 37
#define TOLERANCE 4e-6 /* of 1 + |result|: the rows are bounded by test_act_rows, here only the right function must be called */

static int32_t checked(int32_t id)
{
	assert_true(id >= 0);
	return id;
}

static int32_t add_tensor(struct vrs_graph *graph, const char *name, int channels)
{
	struct vrs_graph_tensor t = {.dtype = VRS_F32, .rank = 4, .dims = {1, HEIGHT, WIDTH, channels}, .producer = -1};
	snprintf(t.name, sizeof t.name, "%s", name);
	return checked(vrs_graph_add_tensor(graph, &t));
}

static void graph_begin(struct vrs_graph *graph, int inputs)
{
	vrs_graph_init(graph);
	for (int i = 0; i < inputs; i++)
		graph->inputs[graph->input_count++] = add_tensor(graph, i ? "b" : "a", CHANNELS);
}

static int32_t emit(struct vrs_graph *graph, struct vrs_node *node)
{
	node->out = add_tensor(graph, "y", CHANNELS);
	checked(vrs_graph_add_node(graph, node));
	return node->out;
}

/* x times one, by a 1x1 convolution of one group a channel. */
static int32_t emit_copy(struct vrs_graph *graph, int32_t x)
{
	struct vrs_node node;
	float ones[CHANNELS];
	for (int c = 0; c < CHANNELS; c++)
		ones[c] = 1;
	vrs_node_init(&node, VRS_OP_CONV, "copy");
	node.inputs = 3;
	node.in[0] = x;
	node.in[1] = checked(vrs_graph_add_const(graph, "w", VRS_F32, 3, (const int64_t[]){1, 1, CHANNELS}, ones));
	node.in[2] = -1;
	node.u.window.groups = CHANNELS;
	return emit(graph, &node);
}

/* A negative scale: no specials, one of which would make all of a softmax NaN. */
static float special_or_random(struct vrs_rng *rng, float scale)
{
	static const float special[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-30f, -1e-30f, 90.0f, -90.0f, 2.5f, -0.5f};
	if (scale > 0 && vrs_rng_below(rng, 4) == 0)
		return special[vrs_rng_below(rng, sizeof special / sizeof *special)];
	return (float)(vrs_rng_unit(rng) * 2 - 1) * scale;
}

static float *run(const struct vrs_model *model, const char *backend, float scale)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session;
	struct vrs_error err = {0};
	struct vrs_rng rng;
	options.backend = backend;
	options.threads = 2;
	vrs_rng_init(&rng, 5);
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	for (int k = 0; vrs_session_input(session, k).data; k++)
		for (size_t i = 0; i < vrs_session_input(session, k).elements; i++)
			vrs_session_input(session, k).data[i] = special_or_random(&rng, scale);
	if (vrs_session_run(session, &err) != VRS_OK)
		fail_msg("%s", err.text);
	struct vrs_tensor_view out = vrs_session_output(session, 0);
	float *values = malloc(out.bytes); /* libc: test scratch */
	assert_non_null(values);
	memcpy(values, out.data, out.bytes);
	vrs_session_destroy(session);
	return values;
}

static bool is_close(float want, float got)
{
	if (isnan(want) || isinf(want))
		return isnan(want) ? isnan(got) : want == got;
	return fabs((double)want - (double)got) <= TOLERANCE * (1 + fabs((double)want));
}

/* Both backends give the same; the graph is freed. */
static void check(struct vrs_graph *graph, int32_t output, float scale, const char *what, int number)
{
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	graph->outputs[graph->output_count++] = output;
	if (vrs_graph_infer(graph, &err) != VRS_OK || vrs_model_from_graph(&model, graph, what, &err) != VRS_OK)
		fail_msg("%s %d: %s", what, number, err.text);
	float *want = run(model, "ref", scale), *got = run(model, "cpu", scale);
	for (int i = 0; i < HEIGHT * WIDTH * CHANNELS; i++)
		if (!is_close(want[i], got[i]))
			fail_msg("%s %d, element %d: %a instead of %a", what, number, i, (double)got[i], (double)want[i]);
	free(want);
	free(got);
	vrs_graph_fini(graph);
	vrs_model_destroy(model);
}

static void test_activations(void **state)
{
	(void)state;
	for (int act = VRS_ACT_RELU; act < VRS_ACT_NOT; act++) {
		for (int fused = 0; fused < 2; fused++) {
			struct vrs_graph graph;
			struct vrs_node node;
			graph_begin(&graph, 1);
			vrs_node_init(&node, VRS_OP_UNARY, "act");
			node.inputs = 1;
			node.in[0] = fused ? emit_copy(&graph, graph.inputs[0]) : graph.inputs[0];
			node.act = (enum vrs_act)act;
			node.act_lo = act == VRS_ACT_CLIP ? -0.75f : 0.8f;
			node.act_hi = 1.1f;
			check(&graph, emit(&graph, &node), 6.0f, fused ? "activation of a convolution" : "activation", act);
		}
	}
}

static void test_binaries(void **state)
{
	(void)state;
	for (int op = VRS_ADD; op <= VRS_PRELU; op++) {
		struct vrs_graph graph;
		struct vrs_node node;
		graph_begin(&graph, 2);
		vrs_node_init(&node, VRS_OP_BINARY, "binary");
		node.inputs = 2;
		node.in[0] = graph.inputs[0];
		node.in[1] = graph.inputs[1];
		node.u.binary.op = (enum vrs_binary)op;
		check(&graph, emit(&graph, &node), 3.0f, "function of two", op);
	}
}

static void test_powers(void **state)
{
	static const float exponents[] = {2, 3, -1, 0.5f, 1, 0, 1.5f, -2};
	(void)state;
	for (int i = 0; i < (int)(sizeof exponents / sizeof *exponents); i++) {
		struct vrs_graph graph;
		struct vrs_node node;
		graph_begin(&graph, 1);
		vrs_node_init(&node, VRS_OP_BINARY, "power");
		node.inputs = 2;
		node.in[0] = graph.inputs[0];
		node.in[1] = checked(vrs_graph_add_const(&graph, "e", VRS_F32, 1, (const int64_t[]){1}, &exponents[i]));
		node.u.binary.op = VRS_POW;
		check(&graph, emit(&graph, &node), 4.0f, "power", i);
	}
}

static void test_softmax(void **state)
{
	(void)state;
	for (int logarithm = 0; logarithm < 2; logarithm++) {
		for (int scale = 1; scale < 100; scale *= 6) {
			struct vrs_graph graph;
			struct vrs_node node;
			graph_begin(&graph, 1);
			vrs_node_init(&node, VRS_OP_SOFTMAX, "softmax");
			node.inputs = 1;
			node.in[0] = graph.inputs[0];
			node.u.softmax.log = logarithm;
			check(&graph, emit(&graph, &node), (float)-scale, logarithm ? "log softmax" : "softmax", scale);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_activations), cmocka_unit_test(test_binaries), cmocka_unit_test(test_powers),
					    cmocka_unit_test(test_softmax)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
