/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading a case's network: old ones are told to be of opset 7, inputs become initializers. */
#include <onnx/onnx.pb-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/model.h>

#include "base/file.h"
#include "base/mem.h"
#include "onnx/case_file.h"

#define OLDEST_READ 7
#define MAX_FILE ((size_t)256 << 20)

/* Operators that mean the same in opset 7 as in the opset of the files that use them (1 to 6), but for the flags dropped here. */
static const char *const unchanged[] = {
	"Add", "And", "AveragePool", "BatchNormalization", "Clip", "Concat", "Constant", "Conv", "ConvTranspose", "Div", "Dropout", "Elu", "Exp", "Flatten",
	"Gather", "Gemm", "GlobalAveragePool", "GlobalMaxPool", "HardSigmoid", "Identity", "InstanceNormalization", "LeakyRelu", "Log",
		"LogSoftmax", "MatMul", "Max", "MaxPool", "Min", "Mul", "Neg", "Not", "Or",
	"Pad", "Pow", "PRelu", "ReduceLogSum", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "Relu", "Reshape", "Selu", "Sigmoid", "Slice",
		"Softmax", "Softplus",
	"Softsign", "Split", "Sqrt", "Squeeze", "Sub", "Tanh", "Tile", "Transpose", "Unsqueeze", "Xor", NULL,
};

static bool is_unchanged(const char *type)
{
	for (int i = 0; unchanged[i] != NULL; i++)
		if (strcmp(unchanged[i], type) == 0)
			return true;
	return false;
}

static bool has(const Onnx__NodeProto *node, const char *name)
{
	for (size_t i = 0; i < node->n_attribute; i++)
		if (strcmp(node->attribute[i]->name, name) == 0)
			return true;
	return false;
}

static void drop(Onnx__NodeProto *node, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < node->n_attribute; i++)
		if (strcmp(node->attribute[i]->name, name) == 0)
			onnx__attribute_proto__free_unpacked(node->attribute[i], NULL);
		else
			node->attribute[kept++] = node->attribute[i];
	node->n_attribute = kept;
}

/* The opset of the default domain, raised to 7; false: a node would change its meaning. */
static bool raise_opset(Onnx__ModelProto *model)
{
	Onnx__OperatorSetIdProto *set = NULL;

	for (size_t i = 0; i < model->n_opset_import; i++)
		if (model->opset_import[i]->domain == NULL || model->opset_import[i]->domain[0] == '\0')
			set = model->opset_import[i];
	if (set == NULL || set->version >= OLDEST_READ || model->graph == NULL)
		return true;
	for (size_t i = 0; i < model->graph->n_node; i++) {
		Onnx__NodeProto *node = model->graph->node[i];

		if (!is_unchanged(node->op_type) || (has(node, "broadcast") && has(node, "axis")))
			return false;
		drop(node, "broadcast");
		drop(node, "is_test");
	}
	set->version = OLDEST_READ;
	return true;
}

static enum vrs_status load_packed(struct vrs_model **ret_model, const Onnx__ModelProto *model, const char *path, struct vrs_error *err)
{
	size_t size = onnx__model_proto__get_packed_size(model);
	uint8_t *bytes = vrs_alloc(size);
	enum vrs_status status;

	if (bytes == NULL)
		return vrs_fail(err, VRS_ENOMEM, "out of memory");
	(void)onnx__model_proto__pack(model, bytes);
	status = vrs_model_load_memory(ret_model, bytes, size, path, err);
	vrs_free(bytes);
	return status;
}

static bool is_initializer(const Onnx__GraphProto *graph, const char *name)
{
	for (size_t i = 0; i < graph->n_initializer; i++)
		if (strcmp(graph->initializer[i]->name, name) == 0)
			return true;
	return false;
}

static Onnx__TensorProto *read_input(const char *dir, int set, int number)
{
	struct vrs_buf file;
	Onnx__TensorProto *tensor;
	char path[1200];

	snprintf(path, sizeof path, "%s/test_data_set_%d/input_%d.pb", dir, set, number);
	if (vrs_file_read(path, MAX_FILE, &file, NULL) != VRS_OK)
		return NULL;
	tensor = onnx__tensor_proto__unpack(NULL, file.len, (const uint8_t *)vrs_buf_str(&file));
	vrs_buf_fini(&file);
	return tensor;
}

/* Move input number `at` of the list to the initializers. The lists belong to protobuf-c, which allocates with malloc. */
static bool move_input(Onnx__GraphProto *graph, size_t at, Onnx__TensorProto *values)
{
	Onnx__TensorProto **list = realloc(graph->initializer, (graph->n_initializer + 1) * sizeof *list);
	char *name = strdup(graph->input[at]->name);

	if (list != NULL)
		graph->initializer = list;
	if (list == NULL || name == NULL) {
		free(name);
		return false;
	}
	if (values->name != protobuf_c_empty_string)
		free(values->name);
	values->name = name;
	list[graph->n_initializer++] = values;
	onnx__value_info_proto__free_unpacked(graph->input[at], NULL);
	graph->n_input--;
	memmove(&graph->input[at], &graph->input[at + 1], (graph->n_input - at) * sizeof *graph->input);
	return true;
}

/* Inputs are numbered without those that have an initializer. */
static enum vrs_status freeze(Onnx__GraphProto *graph, const char *dir, int set, int keep, struct vrs_error *err)
{
	int number = 0;

	for (size_t i = 0; i < graph->n_input;) {
		Onnx__TensorProto *values;

		if (is_initializer(graph, graph->input[i]->name) || number < keep) {
			number += !is_initializer(graph, graph->input[i]->name);
			i++;
			continue;
		}
		values = read_input(dir, set, number++);
		if (values == NULL)
			return vrs_fail(err, VRS_EUNSUPPORTED, "%s: input %d is no tensor", dir, number - 1);
		if (!move_input(graph, i, values)) {
			onnx__tensor_proto__free_unpacked(values, NULL);
			return vrs_fail(err, VRS_ENOMEM, "out of memory");
		}
	}
	return VRS_OK;
}

enum vrs_status case_model_load(struct vrs_model **ret_model, const char *dir, int set, int keep, struct vrs_error *err)
{
	struct vrs_buf file;
	Onnx__ModelProto *model;
	enum vrs_status status;
	char path[1200];

	snprintf(path, sizeof path, "%s/model.onnx", dir);
	status = vrs_file_read(path, MAX_FILE, &file, err);
	if (status != VRS_OK)
		return status;
	model = onnx__model_proto__unpack(NULL, file.len, (const uint8_t *)vrs_buf_str(&file));
	vrs_buf_fini(&file);
	if (model == NULL || model->graph == NULL)
		status = vrs_fail(err, VRS_EFORMAT, "%s is no network", path);
	else if (!raise_opset(model))
		status = vrs_fail(err, VRS_EUNSUPPORTED, "%s: its opset is older than 7, and an operator changed", path);
	else
		status = freeze(model->graph, dir, set, keep, err);
	if (status == VRS_OK)
		status = load_packed(ret_model, model, path, err);
	if (model != NULL)
		onnx__model_proto__free_unpacked(model, NULL);
	return status;
}
