/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: ONNX files made here import with the sizes they leave open, constants of every storage, types of 16 bits only at the ends, and outputs
 * that are inputs, constants or the same twice; one message lists all that is not supported; damaged files, files beyond limits, external data
 * outside the folder and every failing allocation give a status and a sentence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <vrseg/model.h>

#include "base/file.h"
#include "base/mem.h"
#include "graph/model_graph.h"
#include "graph/model_limits.h"
#include "unit/graph/onnx_expect.h"

/* x [N,3,H,W] -> reshape to [its N, its C, -1], whose sizes go through shape, gather, unsqueeze and concat, as exporters write it. */
static void make_open(struct onnx_net *net)
{
	static const int64_t x[] = {-1, 3, -1, -1}, y[] = {-2, -2, -2}, zero = 0, one = 1, minus = -1, axes = 0;

	net_init(net, 17);
	net_value(net, false, "x", FLOAT, 4, x);
	net_value(net, true, "y", FLOAT, 3, y);
	net_initializer(net, "zero", INT64, 0, NULL, &zero, 8);
	net_initializer(net, "one", INT64, 0, NULL, &one, 8);
	net_initializer(net, "minus", INT64, 1, (const int64_t[]){1}, &minus, 8);
	net_initializer(net, "axes", INT64, 1, (const int64_t[]){1}, &axes, 8);
	net_node(net, "Relu", "x", "r");
	net_node(net, "Shape", "r", "s");
	net_node(net, "Gather", "s,zero", "n");
	net_node(net, "Gather", "s,one", "c");
	net_node(net, "Unsqueeze", "n,axes", "n1");
	net_node(net, "Unsqueeze", "c,axes", "c1");
	net_int(net, net_node(net, "Concat", "n1,c1,minus", "shape"), "axis", 0);
	net_node(net, "Reshape", "r,shape", "y");
}

static void test_open_sizes(void **state)
{
	struct onnx_net net;
	struct vrs_model *model;
	struct vrs_graph graph;
	struct vrs_error err = {0};
	const struct vrs_graph_tensor *y;

	(void)state;
	make_open(&net);
	model = must_load(&net);
	assert_string_equal(vrs_model_info(model).format, "onnx");
	assert_int_equal(vrs_model_info(model).input_width, 0);
	assert_int_equal(vrs_model_info(model).input_channels, 3);
	assert_true(vrs_model_graph(model)->nchw);
	assert_int_equal(vrs_graph_copy(&graph, vrs_model_graph(model)), VRS_OK);
	assert_int_equal(vrs_graph_infer(&graph, &err), VRS_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "input x open"));
	vrs_graph_fini(&graph);
	for (int64_t h = 4; h <= 12; h += 8) {
		assert_int_equal(vrs_graph_copy(&graph, vrs_model_graph(model)), VRS_OK);
		assert_int_equal(vrs_graph_set_input(&graph, 2, h, 6, &err), VRS_OK);
		y = &graph.tensors[graph.outputs[0]];
		assert_string_equal(y->name, "y");
		assert_int_equal(y->rank, 3);
		assert_int_equal(y->dims[0], 2);
		assert_int_equal(y->dims[1], 3);
		assert_int_equal(y->dims[2], h * 6);
		vrs_graph_fini(&graph);
	}
	vrs_model_destroy(model);
	net_fini(&net);
}

/* Constants stored as raw bytes, in typed fields of wider types, as halves, and named like an input. */
static void test_constants(void **state)
{
	static const int64_t dims[] = {2};
	static const uint16_t halves[] = {0x3c00, 0xc000}; /* 1, -2 */
	struct onnx_net net;
	struct vrs_model *model;
	const struct vrs_graph *graph;
	Onnx__TensorProto *typed, *truth;
	int found = 0;

	(void)state;
	net_init(&net, 13);
	net_value(&net, false, "x", FLOAT, 1, dims);
	net_value(&net, false, "half", FLOAT16, 1, dims);
	net_value(&net, true, "y", FLOAT, 1, dims);
	net_initializer(&net, "half", FLOAT16, 1, dims, halves, sizeof halves);
	typed = net_initializer(&net, "typed", FLOAT16, 1, dims, NULL, 0);
	typed->n_int32_data = 2;
	typed->int32_data = net_alloc(&net, 8);
	typed->int32_data[0] = 0x4000; /* 2 */
	typed->int32_data[1] = 0x4200; /* 3 */
	truth = net_initializer(&net, "truth", BOOL, 1, dims, NULL, 0);
	truth->n_int32_data = 2;
	truth->int32_data = net_alloc(&net, 8);
	truth->int32_data[1] = 7;
	net_node(&net, "Add", "x,half", "a");
	net_node(&net, "Where", "truth,a,typed", "y");
	model = must_load(&net);
	graph = vrs_model_graph(model);
	assert_int_equal(graph->input_count, 1);
	for (int32_t i = 0; i < graph->tensor_count; i++) {
		const float *f = graph->tensors[i].data;
		const uint8_t *b = graph->tensors[i].data;

		if (strcmp(graph->tensors[i].name, "half") == 0 && ++found)
			assert_true(graph->tensors[i].dtype == VRS_F32 && f[0] == 1 && f[1] == -2);
		if (strcmp(graph->tensors[i].name, "typed") == 0 && ++found)
			assert_true(graph->tensors[i].dtype == VRS_F32 && f[0] == 2 && f[1] == 3);
		if (strcmp(graph->tensors[i].name, "truth") == 0 && ++found)
			assert_true(graph->tensors[i].dtype == VRS_BOOL && b[0] == 0 && b[1] == 1);
	}
	assert_int_equal(found, 3);
	vrs_model_destroy(model);
	net_fini(&net);
}

/* An input, a constant, the same value twice, and halves: each output is a tensor of its own with its own name and type. */
static void test_outputs(void **state)
{
	static const char *const names[] = {"id", "k", "a", "b", "h"};
	static const enum vrs_dtype types[] = {VRS_F16, VRS_I64, VRS_F16, VRS_F16, VRS_F16};
	static const int64_t dims[] = {3}, numbers[] = {1, 2, 3};
	struct onnx_net net;
	struct vrs_model *model;
	const struct vrs_graph *graph;

	(void)state;
	net_init(&net, 21);
	net_value(&net, false, "x", FLOAT16, 1, dims);
	for (int i = 0; i < 5; i++)
		net_value(&net, true, names[i], i == 1 ? INT64 : FLOAT16, 1, dims);
	net_initializer(&net, "k", INT64, 1, dims, numbers, sizeof numbers);
	net_node(&net, "Identity", "x", "id");
	net_node(&net, "Sqrt", "x", "a");
	net_node(&net, "Identity", "a", "b");
	net_int(&net, net_node(&net, "Cast", "a", "h"), "to", FLOAT16);
	model = must_load(&net);
	graph = vrs_model_graph(model);
	assert_int_equal(graph->tensors[graph->inputs[0]].dtype, VRS_F16);
	assert_int_equal(graph->output_count, 5);
	for (int i = 0; i < 5; i++) {
		const struct vrs_graph_tensor *out = &graph->tensors[graph->outputs[i]];

		assert_string_equal(out->name, names[i]);
		assert_int_equal(out->dtype, types[i]);
		assert_true(out->producer >= 0);
		for (int k = 0; k < i; k++)
			assert_int_not_equal(graph->outputs[i], graph->outputs[k]);
	}
	vrs_model_destroy(model);
	net_fini(&net);
}

static void test_unsupported(void **state)
{
	static const int64_t dims[] = {1, 4};
	struct onnx_net net;
	Onnx__NodeProto *node;
	char out[32], in[32] = "d";

	(void)state;
	net_init(&net, 16);
	net_value(&net, false, "x", FLOAT, 2, dims);
	net_value(&net, true, "y", FLOAT, 2, dims);
	net_node(&net, "Loop", "x", "a")->name = net_text(&net, "first");
	node = net_node(&net, "FusedConv", "a", "b");
	node->domain = net_text(&net, "com.microsoft");
	net_node(&net, "Mish", "b", "c");
	net_node(&net, "Relu", "c", "d");
	EXPECT(&net, VRS_EFORMAT, "output y is computed by no node");
	for (int i = 0; i < 40; i++) {
		snprintf(out, sizeof out, i == 39 ? "y" : "d%d", i);
		net_node(&net, "TopK", in, out);
		strcpy(in, out);
	}
	EXPECT(&net, VRS_EUNSUPPORTED, "Loop (first)", "FusedConv (b): operator of the domain com.microsoft", "Mish (c): not supported in opset 16",
	       "TopK (d0)", " more");
	net_fini(&net);
}

static void test_damaged(void **state)
{
	static const int64_t dims[] = {2}, wrong[] = {3}, negative[] = {-4}, huge[] = {VRS_MODEL_MAX_DIM + 1};
	static const float two[] = {1, 2};
	static const struct { const int64_t *dims; enum vrs_status status; const char *word; } shapes[] = {
		{wrong, VRS_EFORMAT, "its shape needs 3 values"}, {negative, VRS_EFORMAT, "has the size -4"}, {huge, VRS_ELIMIT, "more than"},
	};
	struct onnx_net net;

	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		net_init(&net, 13);
		net_value(&net, false, "x", FLOAT, 1, dims);
		net_value(&net, true, "y", FLOAT, 1, dims);
		net_initializer(&net, "k", FLOAT, 1, shapes[i].dims, two, sizeof two);
		net_node(&net, "Add", "x,k", "y");
		EXPECT(&net, shapes[i].status, "tensor k", shapes[i].word);
		net_fini(&net);
	}
	net_init(&net, 13);
	net_value(&net, false, "x", FLOAT, 1, dims);
	net_value(&net, true, "y", FLOAT, 1, dims);
	net_node(&net, "Add", "x,z", "y");
	net_node(&net, "Relu", "x", "z");
	EXPECT(&net, VRS_EFORMAT, "node 0 (Add y)", "input z is not computed before");
	net.graph.node[0]->input[1] = net_text(&net, "x");
	net.graph.node[1]->output[0] = net_text(&net, "y");
	EXPECT(&net, VRS_EFORMAT, "node 1 (Relu y)", "the value y is defined twice");
	net.graph.node[1]->output[0] = net_text(&net, "z");
	net.opset.version = 6;
	EXPECT(&net, VRS_EUNSUPPORTED, "opset 6; 7 to 21");
	net.opset.version = 22;
	EXPECT(&net, VRS_EUNSUPPORTED, "opset 22; 7 to 21");
	net.model.n_opset_import = 0;
	EXPECT(&net, VRS_EFORMAT, "opset_import");
	net.model.n_opset_import = 1;
	net.model.graph = NULL;
	net.opset.version = 13;
	EXPECT(&net, VRS_EFORMAT, "holds no network");
	net_fini(&net);
}

/* Networks within nodes within networks: a length in front of each part, so that the reader would recurse once for each. */
static void test_nesting(void **state)
{
	static uint8_t bytes[65536];
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	size_t at = sizeof bytes, size;
	static const uint8_t tags[] = {0x0a, 0x2a, 0x32}; /* graph.node, node.attribute, attribute.g */

	(void)state;
	for (int level = 0; level < 3000; level++) {
		size_t len = sizeof bytes - at;

		bytes[--at] = (uint8_t)(len >> 14);
		bytes[--at] = (uint8_t)(len >> 7 | 0x80);
		bytes[--at] = (uint8_t)(len | 0x80);
		bytes[--at] = level == 2999 ? 0x3a : tags[(2998 - level) % 3]; /* the last one: model.graph */
	}
	bytes[--at] = 8;
	bytes[--at] = 0x08;
	size = sizeof bytes - at;
	assert_int_equal(vrs_model_load_memory(&model, bytes + at, size, "deep", &err), VRS_EFORMAT);
	assert_non_null(strstr(err.text, "nested too deeply"));
}

static void test_truncated(void **state)
{
	struct onnx_net net;
	size_t size;
	uint8_t *bytes;

	(void)state;
	make_open(&net);
	bytes = net_pack(&net, &size);
	for (size_t i = 0; i < size; i++)
		for (int mask = 0; mask < 256; mask += mask == 0 ? 1 : mask == 1 ? 127 : 128) { /* 0: cut there; else that byte changed */
			struct vrs_model *model = NULL;
			struct vrs_error err = {0};

			bytes[i] ^= (uint8_t)mask;
			if (vrs_model_load_memory(&model, bytes, mask == 0 ? i : size, "cut", &err) == VRS_OK)
				assert_int_equal(vrs_graph_validate(vrs_model_graph(model), NULL), VRS_OK);
			else
				assert_true(err.text[0] != '\0');
			vrs_model_destroy(model);
			bytes[i] ^= (uint8_t)mask;
		}
	free(bytes);
	net_fini(&net);
}

static void test_out_of_memory(void **state)
{
	struct onnx_net net;
	size_t size;
	uint8_t *bytes;
	uint64_t live, n = 0;
	enum vrs_status status = VRS_ENOMEM;

	(void)state;
	make_open(&net);
	bytes = net_pack(&net, &size);
	live = vrs_mem_stats().live_bytes;
	while (status != VRS_OK) {
		struct vrs_model *model = NULL;
		struct vrs_error err = {0};

		vrs_mem_fail_after(++n, true);
		status = vrs_model_load_memory(&model, bytes, size, "test", &err);
		vrs_mem_fail_after(0, false);
		if (status != VRS_OK)
			assert_true(status == VRS_ENOMEM && err.text[0] != '\0');
		vrs_model_destroy(model);
		assert_int_equal(vrs_mem_stats().live_bytes, live);
		assert_true(n < 10000);
	}
	assert_true(n > 20);
	free(bytes);
	net_fini(&net);
}

struct folder {
	char path[64], outside[96], inside[160], model[160];
};

static void write_file(const char *path, const void *data, size_t size)
{
	assert_int_equal(vrs_file_replace(path, data, size, NULL), VRS_OK);
}

static int make_folder(void **state)
{
	static struct folder folder;
	static const float values[] = {9, 1, 2, 3};

	strcpy(folder.path, "/tmp/vrs-onnx-XXXXXX");
	if (mkdtemp(folder.path) == NULL)
		return -1;
	snprintf(folder.outside, sizeof folder.outside, "%s/secret", folder.path);
	snprintf(folder.inside, sizeof folder.inside, "%s/net", folder.path);
	if (mkdir(folder.inside, 0700) != 0)
		return -1;
	write_file(folder.outside, values, sizeof values);
	snprintf(folder.model, sizeof folder.model, "%s/net/weights", folder.path);
	write_file(folder.model, values, sizeof values);
	snprintf(folder.model, sizeof folder.model, "%s/net/link", folder.path);
	if (symlink("../secret", folder.model) != 0)
		return -1;
	snprintf(folder.model, sizeof folder.model, "%s/net/net.onnx", folder.path);
	*state = &folder;
	return 0;
}

static int remove_folder(void **state)
{
	struct folder *folder = *state;
	static const char *const names[] = {"weights", "link", "net.onnx"};
	char path[256];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", folder->inside, names[i]);
		unlink(path);
	}
	unlink(folder->outside);
	rmdir(folder->inside);
	rmdir(folder->path);
	return 0;
}

static void entry(struct onnx_net *net, Onnx__TensorProto *tensor, const char *key, const char *value)
{
	Onnx__StringStringEntryProto *pair = net_alloc(net, sizeof *pair);

	onnx__string_string_entry_proto__init(pair);
	pair->key = net_text(net, key);
	pair->value = net_text(net, value);
	net_push(net, (void ***)&tensor->external_data, &tensor->n_external_data, pair);
}

/* y = x + k, with k in another file of the folder. */
static uint8_t *pack_external(const char *location, const char *offset, size_t *ret_size)
{
	static const int64_t dims[] = {3};
	Onnx__TensorProto *tensor;
	struct onnx_net net;
	uint8_t *bytes;

	net_init(&net, 13);
	net_value(&net, false, "x", FLOAT, 1, dims);
	net_value(&net, true, "y", FLOAT, 1, dims);
	tensor = net_initializer(&net, "k", FLOAT, 1, dims, NULL, 0);
	tensor->has_data_location = 1;
	tensor->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
	entry(&net, tensor, "location", location);
	entry(&net, tensor, "offset", offset);
	net_node(&net, "Add", "x,k", "y");
	bytes = net_pack(&net, ret_size);
	net_fini(&net);
	return bytes;
}

/* What recognises a network again covers its weights, wherever they lie. */
static void test_external_hash(void **state)
{
	static const float weights[][4] = {{0, 1, 2, 3}, {9, 1, 2, 3}, {0, 1, 2, 4}};
	const struct folder *folder = *state;
	uint64_t hashes[3];
	char path[256];
	size_t size;
	uint8_t *bytes = pack_external("weights", "4", &size);

	write_file(folder->model, bytes, size);
	snprintf(path, sizeof path, "%s/weights", folder->inside);
	for (size_t i = 0; i < 3; i++) {
		struct vrs_model *model;

		write_file(path, weights[i], sizeof weights[i]);
		assert_int_equal(vrs_model_load(&model, folder->model, NULL), VRS_OK);
		hashes[i] = vrs_model_info(model).hash;
		vrs_model_destroy(model);
	}
	assert_true(hashes[0] == hashes[1]); /* the first number is not the network's */
	assert_true(hashes[0] != hashes[2]);
	free(bytes);
}

static void test_external(void **state)
{
	static const struct { const char *location, *offset; enum vrs_status status; const char *word; } cases[] = {
		{"weights", "4", VRS_OK, ""},
		{"weights", "8", VRS_EFORMAT, "16 bytes; 12 at 8 are needed"},
		{"weights", "18446744073709551615", VRS_EFORMAT, "are needed"},
		{"weights", "-4", VRS_EFORMAT, "not a number"},
		{"../secret", "4", VRS_EFORMAT, "outside the folder"},
		{"a/../../secret", "4", VRS_EFORMAT, "outside the folder"},
		{"/etc/passwd", "0", VRS_EFORMAT, "relative to the network"},
		{"link", "4", VRS_EFORMAT, "leads outside the folder"},
		{"absent", "0", VRS_ENOTFOUND, "cannot open"},
		{".", "0", VRS_EFORMAT, "outside the folder"},
	};
	const struct folder *folder = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_model *model = NULL;
		struct vrs_error err = {0};
		enum vrs_status status;
		size_t size;
		uint8_t *bytes = pack_external(cases[i].location, cases[i].offset, &size);

		write_file(folder->model, bytes, size);
		status = vrs_model_load(&model, folder->model, &err);
		if (status != cases[i].status || strstr(err.text, cases[i].word) == NULL)
			fail_msg("case %zu: %d, %s", i, (int)status, err.text);
		if (status == VRS_OK)
			assert_true(((const float *)vrs_model_graph(model)->tensors[0].data)[2] == 3);
		vrs_model_destroy(model);
		if (i == 0)
			assert_int_equal(vrs_model_load_memory(&model, bytes, size, "memory", &err), VRS_EUNSUPPORTED);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open_sizes),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_outputs),
		cmocka_unit_test(test_unsupported),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_out_of_memory),
		cmocka_unit_test_setup_teardown(test_external, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_external_hash, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
