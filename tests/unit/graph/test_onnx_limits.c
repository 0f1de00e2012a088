/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: every limit of graph/model_limits.h that an ONNX file can meet stops it with a sentence, before the memory is taken.  (Nesting:
 * test_onnx_import.c.)
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "unit/graph/onnx_expect.h"

#include "base/file.h"
#include "base/mem.h"
#include "graph/ir.h"
#include "graph/model_limits.h"

static void net_begin(struct onnx_net *net)
{
	static const int64_t dims[] = {2};

	net_init(net, 13);
	net_value(net, false, "x", FLOAT, 1, dims);
	net_value(net, true, "y", FLOAT, 1, dims);
	net_node(net, "Relu", "x", "y");
}

static void test_file_size(void **state)
{
	static const char path[] = "test_onnx_limits.onnx";
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	struct onnx_net net;
	uint8_t *bytes;
	size_t size;

	(void)state;
	net_begin(&net);
	bytes = net_pack(&net, &size);
	/* Nothing behind the first bytes is looked at. */
	assert_int_equal(vrs_model_load_memory(&model, bytes, VRS_MODEL_MAX_FILE_BYTES + 1, "large", &err), VRS_ELIMIT);
	assert_non_null(strstr(err.text, "536870913 bytes, more than 536870912"));
	assert_int_equal(vrs_file_replace(path, bytes, size, NULL), VRS_OK);
	assert_int_equal(truncate(path, (off_t)VRS_MODEL_MAX_FILE_BYTES + 1), 0); /* a hole: takes no disk */
	assert_int_equal(vrs_model_load(&model, path, &err), VRS_ELIMIT);
	assert_int_equal(unlink(path), 0);
	free(bytes);
	net_fini(&net);
}

static void test_dims(void **state)
{
	static const struct { int rank; int64_t dims[9]; const char *word; } cases[] = {
		{9, {1, 1, 1, 1, 1, 1, 1, 1, 1}, "9 dimensions, more than 8"}, {1, {VRS_MODEL_MAX_DIM + 1}, "more than"},
		{2, {1 << 16, 1 << 16}, "more than 2147483648 elements"}, {3, {0, 1 << 24, (int64_t)1 << 40}, "more than"},
	};
	struct onnx_net net;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		net_begin(&net);
		net_value(&net, false, "big", FLOAT, cases[i].rank, cases[i].dims);
		EXPECT(&net, VRS_ELIMIT, "big", cases[i].word);
		net_fini(&net);
		net_begin(&net);
		net_initializer(&net, "big", FLOAT, cases[i].rank, cases[i].dims, "1234", 4);
		EXPECT(&net, VRS_ELIMIT, "big");
		net_fini(&net);
	}
}

static void test_ends(void **state)
{
	static const int64_t dims[] = {2};
	char name[16];

	(void)state;
	for (int output = 0; output < 2; output++) {
		struct onnx_net net;

		net_begin(&net);
		for (int i = 1; i <= VRS_MAX_ENDS; i++) {
			snprintf(name, sizeof name, "v%d", i);
			net_value(&net, output, name, FLOAT, 1, dims);
			if (output)
				net_node(&net, "Relu", "x", name);
		}
		EXPECT(&net, VRS_ELIMIT, output ? "more than 32 outputs" : "more than 32 inputs");
		net_fini(&net);
	}
}

static void test_window(void **state)
{
	static const int64_t dims[] = {1, 1, 8, 8};
	struct onnx_net net;
	Onnx__AttributeProto *kernel;

	(void)state;
	net_init(&net, 13);
	net_value(&net, false, "x", FLOAT, 4, dims);
	net_value(&net, true, "y", FLOAT, 4, dims);
	kernel = net_attribute(&net, net_node(&net, "MaxPool", "x", "y"), "kernel_shape");
	kernel->n_ints = 2;
	kernel->ints = net_alloc(&net, 2 * sizeof *kernel->ints);
	kernel->ints[0] = kernel->ints[1] = VRS_MODEL_MAX_WINDOW + 1;
	EXPECT(&net, VRS_EFORMAT, "node 0 (MaxPool y)");
	net_fini(&net);
}

/* Tensors: as many scalars; nodes: as many on one value. The lists are allocated here, onnx_net.h has room for few. */
static void test_counts(void **state)
{
	static const struct { bool nodes; size_t count; const char *word; } cases[] = {
		{true, VRS_MODEL_MAX_NODES + 1, "too many nodes or tensors"}, {false, VRS_MODEL_MAX_TENSORS + 1, "too many nodes or tensors"},
	};

	uint8_t zero[4] = {0};

	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		size_t count = cases[c].count;
		char (*names)[24] = calloc(count, sizeof *names); /* libc: data of a test */
		Onnx__NodeProto *nodes = calloc(count, sizeof *nodes), **node_list = calloc(count, sizeof *node_list);
		Onnx__TensorProto *tensors = calloc(count, sizeof *tensors), **tensor_list = calloc(count, sizeof *tensor_list);
		char in_name[] = "x", op_type[] = "Sqrt", *in = in_name, **outs = calloc(count, sizeof *outs);
		struct onnx_net net;

		assert_true(names && nodes && node_list && tensors && tensor_list && outs);
		net_begin(&net);
		for (size_t i = 0; i < count; i++) {
			snprintf(names[i], sizeof names[i], "v%zu", i);
			outs[i] = names[i];
			nodes[i] = (Onnx__NodeProto)ONNX__NODE_PROTO__INIT;
			nodes[i].op_type = op_type;
			nodes[i].n_input = nodes[i].n_output = 1;
			nodes[i].input = &in;
			nodes[i].output = &outs[i];
			node_list[i] = &nodes[i];
			tensors[i] = (Onnx__TensorProto)ONNX__TENSOR_PROTO__INIT;
			tensors[i].name = names[i];
			tensors[i].has_data_type = tensors[i].has_raw_data = 1;
			tensors[i].data_type = FLOAT;
			tensors[i].raw_data = (ProtobufCBinaryData){sizeof zero, zero};
			tensor_list[i] = &tensors[i];
		}
		if (cases[c].nodes)
			net.graph.n_node = count, net.graph.node = node_list;
		else
			net.graph.n_initializer = count, net.graph.initializer = tensor_list;
		EXPECT(&net, VRS_ELIMIT, cases[c].word);
		net_fini(&net);
		free(names), free(nodes), free(node_list), free(tensors), free(tensor_list), free(outs);
	}
}

/* A file of some hundred bytes whose constants would be 1 MiB each. */
static void test_constants(void **state)
{
	static const int64_t shape = 1 << 18;
	struct onnx_net net;

	(void)state;
	net_begin(&net);
	net_initializer(&net, "shape", INT64, 1, (const int64_t[]){1}, &shape, sizeof shape);
	net_node(&net, "ConstantOfShape", "shape", "a");
	net_node(&net, "Cos", "a", "b");
	EXPECT(&net, VRS_ELIMIT, "constants need more than 1048576 bytes, 8 times the size of the file");
	net_fini(&net);
}

/* Convolutions and products over one weight of 256 KiB, as in heads of feature pyramids: it is turned once, whatever the number of its readers. */
static void test_shared_weights(void **state)
{
	enum { READERS = 20, SIDE = 64, TAPS = 16, BYTES = SIDE * SIDE * TAPS * 4 };
	static const int64_t map[4] = {1, SIDE, 32, 32}, line[3] = {1, SIDE, 256}, rows[2] = {4, 4 * SIDE};
	static const struct {
		const char *op;
		int rank, weight_rank;
		const int64_t *dims;
		int64_t weight[4];
	} cases[] = {
		{"Conv", 4, 4, map, {SIDE, SIDE, 4, 4}}, {"Conv", 3, 3, line, {SIDE, SIDE, TAPS}}, {"ConvTranspose", 4, 4, map, {SIDE, SIDE, 4, 4}},
		{"MatMul", 2, 2, rows, {4 * SIDE, 4 * SIDE}},
	};
	void *raw = calloc(1, BYTES); /* libc: data of a test */

	(void)state;
	assert_non_null(raw);
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct onnx_net net;
		char in[32], out[32];

		net_init(&net, 13);
		net_value(&net, false, "x", FLOAT, cases[c].rank, cases[c].dims);
		net_initializer(&net, "w", FLOAT, cases[c].weight_rank, cases[c].weight, raw, BYTES);
		for (int i = 0; i < READERS; i++) {
			snprintf(in, sizeof in, "x,w");
			snprintf(out, sizeof out, "y%d", i);
			net_node(&net, cases[c].op, in, out);
			net_value(&net, true, out, FLOAT, cases[c].rank, (const int64_t[]){-2, -2, -2, -2});
		}
		vrs_model_destroy(must_load(&net));
		net_fini(&net);
	}
	free(raw);
}

/* Each of these is another constant. */
static void test_other_constants(void **state)
{
	enum { STEPS = 20, COUNT = 1 << 16 };
	static const int64_t dims[1] = {COUNT};
	void *raw = calloc(COUNT, 4); /* libc: data of a test */
	struct onnx_net net;
	char in[32], out[32];

	(void)state;
	assert_non_null(raw);
	net_begin(&net);
	net_initializer(&net, "c0", FLOAT, 1, dims, raw, COUNT * 4);
	for (int i = 0; i < STEPS; i++) {
		snprintf(in, sizeof in, "c%d", i);
		snprintf(out, sizeof out, "c%d", i + 1);
		net_node(&net, "Cos", in, out);
	}
	EXPECT(&net, VRS_ELIMIT, "8 times the size of the file");
	net_fini(&net);
	free(raw);
}

static void test_fields(void **state)
{
	size_t size = 2 * (VRS_MODEL_MAX_FIELDS + 1) + 2;
	uint8_t *bytes = malloc(size); /* libc: data of a test */
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};

	(void)state;
	assert_non_null(bytes);
	bytes[0] = 0x08; /* ir_version 8, then field 15, which nobody knows, again and again */
	bytes[1] = 8;
	for (size_t i = 2; i < size; i += 2) {
		bytes[i] = 0x78;
		bytes[i + 1] = 0;
	}
	assert_int_equal(vrs_model_load_memory(&model, bytes, size, "fields", &err), VRS_EFORMAT);
	assert_non_null(strstr(err.text, "too many fields"));
	free(bytes);
}

/* Empty nodes: two bytes each in the file, a hundred and more unpacked. */
static void test_messages(void **state)
{
	enum { NODES = 400000, HEAD = 6 };
	uint8_t *bytes = malloc(HEAD + 2 * NODES); /* libc: data of a test */
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	size_t len = 2 * NODES;

	(void)state;
	assert_non_null(bytes);
	memcpy(bytes, (const uint8_t[]){0x08, 8, 0x3a, (uint8_t)(len | 0x80), (uint8_t)(len >> 7 | 0x80), (uint8_t)(len >> 14)}, HEAD); /* model.graph */
	for (size_t i = 0; i < NODES; i++) {
		bytes[HEAD + 2 * i] = 0x0a;
		bytes[HEAD + 2 * i + 1] = 0;
	}
	assert_int_equal(vrs_model_load_memory(&model, bytes, HEAD + 2 * NODES, "empty", &err), VRS_ELIMIT);
	assert_non_null(strstr(err.text, "its messages need more than"));
	free(bytes);
}

static void test_external_size(void **state)
{
	static const char model_path[] = "test_onnx_limits.onnx", side_path[] = "test_onnx_limits.bin";
	static const int64_t dims[] = {1 << 24, 33};
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	Onnx__StringStringEntryProto *place;
	Onnx__TensorProto *tensor;
	struct onnx_net net;
	uint8_t *bytes;
	size_t size;

	(void)state;
	net_begin(&net);
	tensor = net_initializer(&net, "k", FLOAT, 2, dims, NULL, 0);
	tensor->has_data_location = 1;
	tensor->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
	place = net_alloc(&net, sizeof *place);
	onnx__string_string_entry_proto__init(place);
	place->key = net_text(&net, "location");
	place->value = net_text(&net, side_path);
	net_push(&net, (void ***)&tensor->external_data, &tensor->n_external_data, place);
	bytes = net_pack(&net, &size);
	assert_int_equal(vrs_file_replace(model_path, bytes, size, NULL), VRS_OK);
	assert_int_equal(vrs_file_replace(side_path, "", 0, NULL), VRS_OK);
	assert_int_equal(truncate(side_path, (off_t)dims[0] * dims[1] * 4), 0);
	assert_int_equal(vrs_model_load(&model, model_path, &err), VRS_ELIMIT);
	assert_non_null(strstr(err.text, "the external data has more than 2147483648 bytes"));
	assert_int_equal(unlink(model_path), 0);
	assert_int_equal(unlink(side_path), 0);
	free(bytes);
	net_fini(&net);
}

/* CPU seconds of refusing a file with so many nodes of unknown operators, and so many functions that are none of them. */
static double refusal_seconds(size_t nodes, size_t functions)
{
	Onnx__FunctionProto *function = calloc(functions + 1, sizeof *function), **function_list = calloc(functions + 1, sizeof *function_list);
	Onnx__NodeProto *node = calloc(nodes, sizeof *node), **node_list = calloc(nodes, sizeof *node_list);
	char name[] = "NobodyKnows", other[] = "NobodyKnowz", in_name[] = "x", *in = in_name, (*outs)[24] = calloc(nodes, sizeof *outs);
	char **out_list = calloc(nodes, sizeof *out_list);
	struct onnx_net net;
	clock_t start = clock();

	assert_true(function && function_list && node && node_list && outs && out_list);
	net_begin(&net); /* whose output its own node makes: it is put first */
	node_list[0] = net.graph.node[0];
	for (size_t i = 0; i < functions; i++) {
		function[i] = (Onnx__FunctionProto)ONNX__FUNCTION_PROTO__INIT;
		function[i].name = other;
		function_list[i] = &function[i];
	}
	for (size_t i = 1; i < nodes; i++) {
		snprintf(outs[i], sizeof outs[i], "v%zu", i);
		out_list[i] = outs[i];
		node[i] = (Onnx__NodeProto)ONNX__NODE_PROTO__INIT;
		node[i].op_type = name;
		node[i].n_input = node[i].n_output = 1;
		node[i].input = &in;
		node[i].output = &out_list[i];
		node_list[i] = &node[i];
	}
	net.graph.n_node = nodes, net.graph.node = node_list;
	net.model.n_functions = functions, net.model.functions = function_list;
	EXPECT(&net, VRS_EUNSUPPORTED, "NobodyKnows (v1)", "and ", " more");
	net_fini(&net);
	free(function);
	free(function_list);
	free(node);
	free(node_list);
	free(outs);
	free(out_list);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* Time grows with nodes and with functions, not with their product, which here is 3 thousand millions. */
static void test_functions(void **state)
{
	const size_t nodes = 15000, functions = 200000;
	double apart = refusal_seconds(nodes, 0) + refusal_seconds(100, functions);

	(void)state;
	assert_true(refusal_seconds(nodes, functions) < 5 * apart + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_size), cmocka_unit_test(test_dims), cmocka_unit_test(test_ends),
		cmocka_unit_test(test_window), cmocka_unit_test(test_counts), cmocka_unit_test(test_constants),
		cmocka_unit_test(test_shared_weights), cmocka_unit_test(test_other_constants),
		cmocka_unit_test(test_fields), cmocka_unit_test(test_messages), cmocka_unit_test(test_external_size),
		cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
