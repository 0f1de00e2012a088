/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: states that a file leaves open get the sizes of the outputs they follow, whether the network spreads a first state of one value or joins it
 * as it is; constants reach the network in its own type, and decide sizes; inputs that a manifest does not explain, or explains wrongly, are
 * named.
 */
#include <stdio.h>
#include <string.h>

#include "unit/graph/onnx_expect.h"

#include "graph/model_graph.h"

static const int64_t picture[] = {-1, 3, -2, -2}, open_map[] = {-2, -2, -2, -2}, deep_map[] = {-2, 2, -2, -2};

/* A convolution of stride 2 without bias; weights 1. */
static void add_conv(struct onnx_net *net, const char *in, const char *out, int64_t from, int64_t to)
{
	float weights[3 * 3 * 16] = {1};
	char name[16];
	Onnx__NodeProto *node;

	snprintf(name, sizeof name, "w_%s", out);
	net_initializer(net, name, FLOAT, 4, (const int64_t[]){to, from, 1, 1}, weights, (size_t)(from * to) * sizeof *weights);
	node = net_node(net, "Conv", "", out);
	net_push(net, (void ***)&node->input, &node->n_input, net_text(net, in));
	net_push(net, (void ***)&node->input, &node->n_input, net_text(net, name));
	for (int i = 0; i < 1; i++) {
		Onnx__AttributeProto *strides = net_attribute(net, node, "strides");

		strides->n_ints = 2;
		strides->ints = net_alloc(net, 2 * sizeof *strides->ints);
		strides->ints[0] = strides->ints[1] = 2;
	}
}

/* ratio scales the picture; the state is spread over a map of stride 2 and added to it. */
static void make_spread(struct onnx_net *net)
{
	static const int64_t one[] = {1}, two[] = {2};
	static const float ones[] = {1, 1};

	net_init(net, 13);
	net_value(net, false, "src", FLOAT, 4, picture);
	net_value(net, false, "r1i", FLOAT, 4, open_map);
	net_value(net, false, "ratio", FLOAT, 1, one);
	net_value(net, true, "pha", FLOAT, 4, open_map);
	net_value(net, true, "r1o", FLOAT, 4, open_map);
	net_initializer(net, "ones", FLOAT, 1, two, ones, sizeof ones);
	net_int(net, net_node(net, "Concat", "ones,ratio,ratio", "scales"), "axis", 0);
	net_node(net, "Resize", "src,,scales", "small");
	add_conv(net, "small", "f", 3, 2);
	net_node(net, "Shape", "f", "s");
	net_node(net, "Expand", "r1i,s", "state");
	net_node(net, "Add", "f,state", "r1o");
	net_node(net, "Sigmoid", "r1o", "pha");
}

/* The state, whose depth is known, is joined to a map of stride 4. */
static void make_joined(struct onnx_net *net)
{
	net_init(net, 13);
	net_value(net, false, "src", FLOAT, 4, picture);
	net_value(net, false, "h", FLOAT, 4, deep_map);
	net_value(net, true, "y", FLOAT, 4, open_map);
	net_value(net, true, "next", FLOAT, 4, deep_map);
	add_conv(net, "src", "a", 3, 3);
	add_conv(net, "a", "b", 3, 2);
	net_int(net, net_node(net, "Concat", "b,h", "y"), "axis", 1);
	net_node(net, "Add", "b,h", "next");
}

static const struct vrs_manifest spread = {.name = "net", .input_width = 64, .input_height = 32, .state_count = 1, .states = {{"r1i", "r1o"}},
	.constant_count = 1, .constants = {{.name = "ratio", .count = 1, .values = {0.5}}}};

static void expect_dims(const struct vrs_model_inputs *inputs, int i, int64_t n, int64_t c, int64_t h, int64_t w)
{
	const struct vrs_shape *shape = &inputs->shapes[i];

	assert_int_equal(shape->rank, 4);
	if (shape->dims[0] != n || shape->dims[1] != c || shape->dims[2] != h || shape->dims[3] != w)
		fail_msg("input %d is [%d, %d, %d, %d]", i, (int)shape->dims[0], (int)shape->dims[1], (int)shape->dims[2], (int)shape->dims[3]);
}

static void test_spread(void **state)
{
	struct vrs_model_inputs inputs;
	struct vrs_manifest manifest = spread;
	struct vrs_error err = {0};
	struct onnx_net net;
	struct vrs_model *model;

	(void)state;
	make_spread(&net);
	model = must_load(&net);
	assert_int_equal(vrs_model_input(model, 1).dims[0], -1);
	assert_int_equal(vrs_model_input(model, 1).dims[3], -1);
	assert_true(vrs_model_input_gives_sizes(model, 2));
	assert_false(vrs_model_input_gives_sizes(model, 1));
	if (vrs_model_inputs_find(&inputs, model, &manifest, 2, 0, 0, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(inputs.count, 3);
	expect_dims(&inputs, 0, 2, 3, 32, 64); /* the size of the manifest */
	expect_dims(&inputs, 1, 2, 2, 8, 16);
	assert_null(inputs.values[1]);
	assert_int_equal(inputs.shapes[2].dims[0], 1);
	assert_true(((const float *)inputs.values[2])[0] == 0.5F);
	vrs_model_inputs_fini(&inputs);
	manifest.constants[0].values[0] = 1;
	assert_int_equal(vrs_model_inputs_find(&inputs, model, &manifest, 1, 100, 50, &err), VRS_OK);
	expect_dims(&inputs, 1, 1, 2, 25, 50);
	vrs_model_inputs_fini(&inputs);
	vrs_model_destroy(model);
	net_fini(&net);
}

static void test_joined(void **state)
{
	const struct vrs_manifest manifest = {.name = "net", .state_count = 1, .states = {{"h", "next"}}};
	struct vrs_model_inputs inputs;
	struct vrs_error err = {0};
	struct onnx_net net;
	struct vrs_model *model;

	(void)state;
	make_joined(&net);
	model = must_load(&net);
	if (vrs_model_inputs_find(&inputs, model, &manifest, 1, 100, 60, &err) != VRS_OK)
		fail_msg("%s", err.text);
	expect_dims(&inputs, 1, 1, 2, 15, 25);
	vrs_model_inputs_fini(&inputs);
	assert_int_equal(vrs_model_inputs_find(&inputs, model, &manifest, 1, 0, 60, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "leaves the size of its pictures open"));
	vrs_model_destroy(model);
	net_fini(&net);
}

/* A network of states alone has no picture whose size they could follow. */
static void test_no_picture(void **state)
{
	static const int64_t fixed[] = {1, 2, 6, 10};
	const struct vrs_manifest manifest = {.name = "net", .state_count = 1, .states = {{"h", "next"}}};
	struct vrs_model_inputs inputs;
	struct vrs_error err = {0};
	struct onnx_net net;
	struct vrs_model *model;

	(void)state;
	net_init(&net, 13);
	net_value(&net, false, "h", FLOAT, 4, fixed);
	net_value(&net, true, "next", FLOAT, 4, fixed);
	net_node(&net, "Sigmoid", "h", "next");
	model = must_load(&net);
	if (vrs_model_inputs_find(&inputs, model, &manifest, 1, 100, 60, &err) != VRS_OK)
		fail_msg("%s", err.text);
	expect_dims(&inputs, 0, 1, 2, 6, 10);
	vrs_model_inputs_fini(&inputs);
	vrs_model_destroy(model);
	net_fini(&net);
}

static void test_mistakes(void **state)
{
	static const char *const texts[] = {
		"needs more than a picture: the manifest must say whether r1i, ratio are each a state",
		"needs more than a picture: the manifest must say whether ratio is a state",
		"the network net has no input \"r9\"; it has src, r1i, ratio",
		"the network net has no output \"r9\"; it has pha, r1o",
		"the network net has no input \"foo\"; it has src, r1i, ratio",
		"the network net has no input \"image\"; it has src, r1i, ratio",
		"input.constants: ratio of the network net has another number of values than the 2 given",
		"scale 0 in dimension 1",
	};
	struct vrs_manifest m[8];
	struct onnx_net net;
	struct vrs_model *model;

	(void)state;
	for (int i = 0; i < 8; i++)
		m[i] = spread;
	m[0].state_count = m[0].constant_count = 0;
	m[1].constant_count = 0;
	strcpy(m[2].states[0].in, "r9");
	strcpy(m[3].states[0].out, "r9");
	strcpy(m[4].constants[0].name, "foo");
	strcpy(m[5].input_name, "image");
	m[6].constants[0].count = 2;
	m[7].constants[0].values[0] = 0;
	make_spread(&net);
	model = must_load(&net);
	for (int i = 0; i < 8; i++) {
		struct vrs_model_inputs inputs;
		struct vrs_error err = {0};

		assert_int_equal(vrs_model_inputs_find(&inputs, model, &m[i], 1, 0, 0, &err), i < 7 ? VRS_ECONFIG : VRS_EUNSUPPORTED);
		if (strstr(err.text, texts[i]) == NULL)
			fail_msg("%d: %s", i, err.text);
		vrs_model_inputs_fini(&inputs);
	}
	vrs_model_destroy(model);
	net_fini(&net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_joined),
		cmocka_unit_test(test_no_picture),
		cmocka_unit_test(test_mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
