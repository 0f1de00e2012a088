/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards that numbers that a network computes from the batch (a place, a factor, a size) are those of one image where the graph of one image is
 * made of those of more (graph/one_image.h): numbers that grow evenly, and numbers that do not, such as min(images, 2).  The results are
 * those of the plain graph without fusion.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <vrseg/session.h>

#include "base/rng.h"
#include "unit/graph/onnx_net.h"

enum { PARTS = 3, WIDTH = 4, PIXELS = PARTS * WIDTH, MANY = 600, IMAGES = 3 };

#define INTS(...) (const int64_t[]){__VA_ARGS__}

/* The value m of a network, from the batch n; for one, two and three images: */
struct number {
	const char *name, *nodes[3][3]; /* operator, inputs, output; the last makes m */
};

static const struct number numbers[] = {
	{"even, 0 1 2", {{"Sub", "n,one", "m"}}},
	{"smaller, 0 1 1", {{"Min", "n,two", "n1"}, {"Sub", "n1,one", "m"}}},
	{"half, 1 1 2", {{"Add", "n,one", "n1"}, {"Div", "n1,two", "m"}}},
	{"square, 1 3 6", {{"Add", "n,one", "n1"}, {"Mul", "n1,n", "n2"}, {"Div", "n2,two", "m"}}},
	{"less, 1 0 0", {{"Min", "n,two", "n1"}, {"Sub", "two,n1", "m"}}},
	{"bump, 1 0 1", {{"Sub", "n,two", "n1"}, {"Mul", "n1,n1", "m"}}},
};

/* What m does to t, [PARTS][n][WIDTH]. */
struct use {
	const char *name, *nodes[8][3];
};

static const struct use uses[] = {
	{"place", {{"Mod", "m,three", "p"}, {"Gather", "t,p", "y"}}},
	{"places", {{"Add", "many,m", "p"}, {"Mod", "p,three", "q"}, {"Gather", "t,q", "y"}}},
	{"divisor", {{"Add", "m,one", "p"}, {"Cast", "p", "f"}, {"Div", "t,f", "y"}}},
	{"factor", {{"Add", "m,one", "p"}, {"Cast", "p", "f"}, {"Mul", "t,f", "y"}}},
	{"many factors", {{"Cast", "m", "f"}, {"Add", "line,f", "l"}, {"Mul", "t,l", "y"}}},
	{"part", {{"Mod", "m,three", "p"}, {"Reshape", "p,ones", "s"}, {"Add", "s,ones", "e"}, {"Slice", "t,s,e,zeros", "y"}}},
	{"part to the end", {{"Mod", "m,three", "p"}, {"Reshape", "p,ones", "s"}, {"Concat", "s,zeros", "b"}, {"Slice", "t,b,ends", "y"}}},
	{"parts of all sizes", {{"Reshape", "n,ones", "s"}, {"Concat", "most,s", "e"}, {"Slice", "t,zeros2,e", "y"}}},
	{"pad", {{"Reshape", "m,ones", "s"}, {"Concat", "s,zeros5", "b"}, {"Pad", "t,b", "y"}}},
	{"balanced pad", {{"Mod", "m,two", "p"}, {"Sub", "one,p", "r"}, {"Reshape", "p,ones", "s"}, {"Reshape", "r,ones", "e"},
			  {"Concat", "s,zeros2,e,zeros2", "b"}, {"Pad", "t,b", "y"}}},
	{"repeat", {{"Add", "m,one", "p"}, {"Reshape", "p,ones", "s"}, {"Concat", "s,ones,ones", "c"}, {"Tile", "t,c", "y"}}},
	{"sum", {{"Add", "m,one", "p"}, {"Reshape", "p,ones", "s"}, {"Concat", "s,ones,ones", "c"}, {"Tile", "t,c", "u"},
		 {"ReduceSum", "u,zeros", "y"}}},
};

static void attribute(struct onnx_net *net, Onnx__NodeProto *node, const char *name, int64_t value)
{
	Onnx__AttributeProto *attribute = net_attribute(net, node, name);
	attribute->has_type = attribute->has_i = 1;
	attribute->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
	attribute->i = value;
}

static void transpose(struct onnx_net *net)
{
	Onnx__AttributeProto *perm = net_attribute(net, net_node(net, "Transpose", "x", "t"), "perm");
	perm->has_type = 1;
	perm->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
	perm->n_ints = 3;
	perm->ints = net_alloc(net, 3 * sizeof *perm->ints);
	memcpy(perm->ints, INTS(1, 0, 2), 3 * sizeof *perm->ints);
}

static void value(struct onnx_net *net, const char *name, int rank, int64_t count, const int64_t *values)
{
	net_initializer(net, name, ONNX__TENSOR_PROTO__DATA_TYPE__INT64, rank, &count, values, (size_t)count * sizeof *values);
}

static void constants(struct onnx_net *net)
{
	int64_t many[MANY];
	const float line[WIDTH] = {1, 2, 3, 4};
	for (int64_t i = 0; i < MANY; i++)
		many[i] = i * i % 5;
	value(net, "zero", 0, 1, INTS(0));
	value(net, "one", 0, 1, INTS(1));
	value(net, "two", 0, 1, INTS(2));
	value(net, "three", 0, 1, INTS(PARTS));
	value(net, "zeros", 1, 1, INTS(0));
	value(net, "ones", 1, 1, INTS(1));
	value(net, "zeros2", 1, 2, INTS(0, 0));
	value(net, "zeros5", 1, 5, INTS(0, 0, 0, 0, 0));
	value(net, "ends", 1, 2, INTS(INT64_MAX, INT64_MAX));
	value(net, "most", 1, 1, INTS(INT64_MAX));
	value(net, "many", 1, MANY, many);
	net_initializer(net, "line", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 1, INTS(WIDTH), line, sizeof line);
}

static void node(struct onnx_net *net, const char *const parts[3])
{
	Onnx__NodeProto *made = net_node(net, parts[0], parts[1], parts[2]);
	if (strcmp(parts[0], "Concat") == 0)
		attribute(net, made, "axis", 0);
	if (strcmp(parts[0], "Cast") == 0)
		attribute(net, made, "to", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT);
}

static struct vrs_model *make_model(const struct number *number, const struct use *use)
{
	struct onnx_net net;
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	size_t size;
	net_init(&net, 13);
	net_value(&net, false, "x", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 3, INTS(-1, PARTS, WIDTH));
	constants(&net);
	net_node(&net, "Shape", "x", "shape");
	net_node(&net, "Gather", "shape,zero", "n");
	transpose(&net);
	for (int i = 0; i < 3 && number->nodes[i][0] != NULL; i++)
		node(&net, number->nodes[i]);
	for (int i = 0; i < 8 && use->nodes[i][0] != NULL; i++)
		node(&net, use->nodes[i]);
	net_node(&net, "Relu", "y", "z");
	net_value(&net, true, "z", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 0, NULL);
	net.graph.output[0]->type->tensor_type->shape = NULL;
	uint8_t *bytes = net_pack(&net, &size);
	if (vrs_model_load_memory(&model, bytes, size, "numbers", &err) != VRS_OK)
		fail_msg("%s, %s: %s", number->name, use->name, err.text);
	free(bytes); /* libc: see onnx_net.h */
	net_fini(&net);
	return model;
}

static struct vrs_session *run(const struct vrs_model *model, struct vrs_session_options options, const char *name)
{
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	struct vrs_rng rng;
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s, batch %d: %s", name, options.batch, err.text);
	vrs_rng_init(&rng, 3);
	for (int i = 0; i < options.batch * PIXELS; i++)
		vrs_session_input(session, 0).data[i] = (float)vrs_rng_unit(&rng) + 1;
	assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	return session;
}

static void compare(const struct vrs_model *model, struct vrs_session_options options, const char *name, const char *use)
{
	options.fusion = true;
	struct vrs_session *fused = run(model, options, use);
	options.fusion = false;
	struct vrs_session *plain = run(model, options, use);
	struct vrs_tensor_view a = vrs_session_output(fused, 0), b = vrs_session_output(plain, 0);
	assert_int_equal(a.rank, b.rank);
	assert_memory_equal(a.dims, b.dims, (size_t)a.rank * sizeof *a.dims);
	assert_true(a.elements > 0);
	for (size_t i = 0; i < a.elements; i++)
		if (!(fabs((double)a.data[i] - (double)b.data[i]) <= 1e-6 * fabs((double)b.data[i])))
			fail_msg("%s, %s, %s, batch %d: element %zu is %g, not %g", name, use, options.backend, options.batch, i, (double)a.data[i],
				 (double)b.data[i]);
	vrs_session_destroy(fused);
	vrs_session_destroy(plain);
}

static void test_numbers(void **state)
{
	struct vrs_session_options options = vrs_session_options_default();
	(void)state;
	options.threads = 1;
	for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
		for (size_t u = 0; u < sizeof uses / sizeof *uses; u++) {
			struct vrs_model *model = make_model(&numbers[n], &uses[u]);
			for (options.batch = 1; options.batch <= IMAGES; options.batch++) {
				options.backend = "ref";
				compare(model, options, numbers[n].name, uses[u].name);
				options.backend = "cpu";
				compare(model, options, numbers[n].name, uses[u].name);
			}
			vrs_model_destroy(model);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
