/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what a network's tensors are taken for: states go on in their slots, once a frame, and are forgotten when told, whatever the batch; they
 * move with the view; the named channel of the named output is the matte; manifests that do not fit the network are refused with the names that
 * it has.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/ir.h"
#include "graph/model_graph.h"
#include "roi/state_store.h"

#define SIDE 4
#define PIXELS (SIDE * SIDE)

static int32_t tensor(struct vrs_graph *graph, const char *name, int channels)
{
	struct vrs_graph_tensor t = {.dtype = VRS_F32, .rank = 4, .dims = {1, SIDE, SIDE, channels}};
	strcpy(t.name, name);
	return vrs_graph_add_tensor(graph, &t);
}

/* out = a convolution of in by 1x1 weights of one value everywhere. */
static int32_t conv(struct vrs_graph *graph, int32_t in, int in_channels, const char *name, int channels, float weight)
{
	float weights[16];
	struct vrs_node node;
	for (int i = 0; i < in_channels * channels; i++)
		weights[i] = weight * (float)(i / in_channels + 1);
	vrs_node_init(&node, VRS_OP_CONV, name);
	node.inputs = 2;
	node.in[0] = in;
	node.in[1] = vrs_graph_add_const(graph, "w", VRS_F32, 4, (const int64_t[]){channels, 1, 1, in_channels}, weights);
	node.out = tensor(graph, name, channels);
	assert_true(vrs_graph_add_node(graph, &node) >= 0);
	return node.out;
}

/*
 * src [.., 3] and state [.., 1]: sum = mean of src + state is output "sum" and the next state; "both" = (src mean, 2 * src mean).
 */
static struct vrs_model *make_model(void)
{
	struct vrs_graph graph;
	struct vrs_model *model;
	struct vrs_node add;
	struct vrs_error err = {0};
	vrs_graph_init(&graph);
	graph.inputs[0] = tensor(&graph, "src", 3);
	graph.inputs[1] = tensor(&graph, "state", 1);
	graph.input_count = 2;
	int32_t mean = conv(&graph, graph.inputs[0], 3, "mean", 1, 1.0f / 3);
	graph.outputs[0] = conv(&graph, graph.inputs[0], 3, "both", 2, 1.0f / 3);
	vrs_node_init(&add, VRS_OP_BINARY, "add");
	add.u.binary.op = VRS_ADD;
	add.inputs = 2;
	add.in[0] = mean;
	add.in[1] = graph.inputs[1];
	add.out = tensor(&graph, "sum", 1);
	assert_true(vrs_graph_add_node(&graph, &add) >= 0);
	graph.outputs[1] = add.out;
	graph.output_count = 2;
	if (vrs_model_from_graph(&model, &graph, "test", &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_graph_fini(&graph);
	return model;
}

static struct vrs_session *make_session(const struct vrs_model *model, int batch)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session;
	struct vrs_error err = {0};
	options.batch = batch;
	options.threads = 1;
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	return session;
}

static const struct vrs_manifest recurrent = {.name = "test", .input_name = "src", .output_kind = VRS_OUTPUT_PROBABILITY, .output_name = "sum",
	.output_channel = -1, .state_count = 1, .states = {{"state", "sum"}}};

/* Run one frame of both eyes: eye e shows value + e / 100, and has slot e. Alphas of the first pixel come back; they are held. */
static void run_frame(struct vrs_head *head, struct vrs_session *session, struct vrs_state_store *store, float value, float alpha[2])
{
	int batch = vrs_head_shape(head)->batch;
	float map[PIXELS];
	for (int first = 0; first < 2; first += batch) {
		for (int i = 0; i < batch; i++) {
			vrs_state_store_load(store, i, first + i, NULL);
			for (int p = 0; p < PIXELS * 3; p++)
				vrs_head_input(head)[i * PIXELS * 3 + p] = value + (float)(first + i) / 100;
		}
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		for (int i = 0; i < batch; i++) {
			vrs_head_matte(head, i, map);
			alpha[first + i] = map[PIXELS - 1];
			vrs_state_store_hold(store, i, first + i);
		}
	}
}

static void commit(struct vrs_state_store *store)
{
	vrs_state_store_commit(store, 0);
	vrs_state_store_commit(store, 1);
}

static void assert_alphas(const float alpha[2], float left, float right)
{
	assert_true(fabsf(alpha[0] - left) < 1e-6f && fabsf(alpha[1] - right) < 1e-6f);
}

static void states_belong_to_slots(void **state)
{
	(void)state;
	struct vrs_model *model = make_model();
	for (int batch = 1; batch <= 2; batch++) {
		struct vrs_session *session = make_session(model, batch);
		struct vrs_arena arena = {0};
		struct vrs_state_store *store;
		struct vrs_head *head;
		struct vrs_error err = {0};
		float alpha[2];
		if (vrs_head_create(&head, &recurrent, session, &err) != VRS_OK)
			fail_msg("%s", err.text);
		assert_int_equal(vrs_head_shape(head)->matte_width, SIDE);
		assert_int_equal(vrs_head_shape(head)->input_height, SIDE);
		assert_int_equal(vrs_state_store_create(&store, &arena, head, 2), VRS_OK);
		for (int i = 0; i < 3; i++) {
			run_frame(head, session, store, 0.1f, alpha);
			run_frame(head, session, store, 0.1f, alpha); /* a frame may be looked at again */
			commit(store);
		}
		assert_alphas(alpha, 0.3f, 0.33f);
		run_frame(head, session, store, 0.2f, alpha);
		run_frame(head, session, store, 0.1f, alpha); /* the last look counts */
		commit(store);
		run_frame(head, session, store, 0.2f, alpha);
		assert_alphas(alpha, 0.6f, 0.65f);
		vrs_state_store_clear(store, 0);
		run_frame(head, session, store, 0.2f, alpha);
		assert_alphas(alpha, 0.2f, 0.65f);
		vrs_arena_free(&arena);
		vrs_head_destroy(head);
		vrs_session_destroy(session);
	}
	vrs_model_destroy(model);
	vrs_head_destroy(NULL);
}

/* The right half of a view, seen twice as large; and what goes into a batch entry without a slot. */
static void states_are_seen_from_other_views(void **state)
{
	(void)state;
	static const struct vrs_rect from = {0, 0, 64, 64}, to = {32, 0, 32, 64};
	struct vrs_model *model = make_model();
	struct vrs_session *session = make_session(model, 1);
	struct vrs_arena arena = {0};
	struct vrs_state_store *store;
	struct vrs_head *head;
	struct vrs_state_map map;
	assert_int_equal(vrs_head_create(&head, &recurrent, session, NULL), VRS_OK);
	assert_int_equal(vrs_state_store_create(&store, &arena, head, 1), VRS_OK);
	for (int p = 0; p < PIXELS * 3; p++)
		vrs_head_input(head)[p] = (float)(p / 3 % SIDE); /* columns 0, 1, 2, 3 */
	vrs_state_store_load(store, 0, 0, NULL);
	assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
	vrs_state_store_hold(store, 0, 0);
	vrs_state_store_commit(store, 0);
	const struct vrs_head_state *in = vrs_head_state(head, 0);
	assert_true(in->is_map && in->height == SIDE && in->width == SIDE && in->channels == 1 && in->floats == PIXELS);
	vrs_state_map_set(&map, &from, &to, 0);
	vrs_state_store_load(store, 0, 0, &map);
	for (int i = 0; i < PIXELS; i++)
		assert_true(fabsf(in->in[i] - (const float[]){1.75f, 2.25f, 2.75f, 3}[i % SIDE]) < 1e-5f);
	vrs_state_store_load(store, 0, -1, &map);
	for (int i = 0; i < PIXELS; i++)
		assert_true(in->in[i] == 0);
	vrs_arena_free(&arena);
	vrs_head_destroy(head);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

static void the_channel_counts(void **state)
{
	(void)state;
	static const struct {
		enum vrs_output_kind kind;
		int channel;
		float want;
	} cases[] = {
		{VRS_OUTPUT_PROBABILITY, 0, 0.25f}, {VRS_OUTPUT_PROBABILITY, 1, 0.5f}, {VRS_OUTPUT_ALPHA_FOREGROUND, -1, 0.5f},
		{VRS_OUTPUT_SOFTMAX2, -1, 0.562177f}, {VRS_OUTPUT_SOFTMAX2, 0, 0.437823f}, /* 1 / (1 + exp(-0.25)) */
	};
	struct vrs_model *model = make_model();
	struct vrs_session *session = make_session(model, 1);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_manifest manifest = recurrent;
		struct vrs_head *head;
		float alpha[2];
		manifest.output_name[0] = '\0';
		manifest.output_kind = cases[i].kind;
		manifest.output_channel = cases[i].channel;
		struct vrs_arena arena = {0};
		struct vrs_state_store *store;
		assert_int_equal(vrs_head_create(&head, &manifest, session, NULL), VRS_OK);
		assert_int_equal(vrs_state_store_create(&store, &arena, head, 2), VRS_OK);
		run_frame(head, session, store, 0.25f, alpha);
		assert_true(fabsf(alpha[0] - cases[i].want) < 1e-5f);
		vrs_arena_free(&arena);
		vrs_head_destroy(head);
	}
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

static void misfits_are_named(void **state)
{
	(void)state;
	struct vrs_model *model = make_model();
	struct vrs_session *session = make_session(model, 1);
	struct vrs_manifest m[7];
	static const char *const texts[] = {
		"the network test has no output \"pha\"; it has both, sum",
		"the network test has no input \"r1\"; it has src, state",
		"input \"state\" of the network test is neither the picture nor a state of the manifest; name the picture with input.name and "
		"the others in states (--describe-network lists them all)",
		"output \"sum\" of the network test has 1 channel; the matte would be number 3",
		"the network test has no input \"image\"; it has src, state",
		"output \"sum\" of the network test holds no detections of 5 classes with 2 prototypes",
		"output \"both\" of the network test has 2 channels, and nothing says which one is the matte: give it a manifest with output.channel, or "
		"with output.kind softmax2, alpha_foreground or prototypes",
	};
	for (int i = 0; i < 7; i++)
		m[i] = recurrent;
	strcpy(m[0].output_name, "pha");
	m[1].state_count = 2;
	strcpy(m[1].states[1].in, "r1");
	m[2].state_count = 0;
	m[3].output_channel = 3;
	strcpy(m[4].input_name, "image");
	m[5].output_name[0] = '\0';
	m[5].output_kind = VRS_OUTPUT_PROTOTYPES;
	m[5].detection_count = 1;
	m[5].classes = 5;
	strcpy(m[5].detections[0], "sum");
	strcpy(m[6].output_name, "both");
	m[6].output_kind = VRS_OUTPUT_PROBABILITY;
	for (int i = 0; i < 7; i++) {
		struct vrs_head *head;
		struct vrs_error err = {0};
		assert_int_not_equal(vrs_head_create(&head, &m[i], session, &err), VRS_OK);
		assert_string_equal(err.text, texts[i]);
	}
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_belong_to_slots),
		cmocka_unit_test(states_are_seen_from_other_views),
		cmocka_unit_test(the_channel_counts),
		cmocka_unit_test(misfits_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
