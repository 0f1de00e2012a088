/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading a case's network; old ones are told to be of opset 7. */
#include <onnx/onnx.pb-c.h>
#include <stdio.h>
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
	"Gather", "Gemm", "GlobalAveragePool", "Identity", "LeakyRelu", "Log", "LogSoftmax", "MatMul", "Max", "MaxPool", "Min", "Mul", "Neg", "Not", "Or",
	"Pad", "Pow", "PRelu", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "Relu", "Reshape", "Selu", "Sigmoid", "Slice", "Softmax", "Softplus",
	"Softsign", "Split", "Sqrt", "Squeeze", "Sub", "Tanh", "Transpose", "Unsqueeze", "Xor", NULL,
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
static bool raise_opset(Onnx__ModelProto *model, bool *ret_raised)
{
	Onnx__OperatorSetIdProto *set = NULL;

	*ret_raised = false;
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
	*ret_raised = true;
	return true;
}

static enum vrs_status load_raised(struct vrs_model **ret_model, const Onnx__ModelProto *model, const char *path, struct vrs_error *err)
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

enum vrs_status case_model_load(struct vrs_model **ret_model, const char *dir, struct vrs_error *err)
{
	struct vrs_buf file;
	Onnx__ModelProto *model;
	enum vrs_status status;
	char path[1200];
	bool raised = false, sound = true;

	snprintf(path, sizeof path, "%s/model.onnx", dir);
	status = vrs_file_read(path, MAX_FILE, &file, err);
	if (status != VRS_OK)
		return status;
	model = onnx__model_proto__unpack(NULL, file.len, (const uint8_t *)vrs_buf_str(&file));
	vrs_buf_fini(&file);
	if (model != NULL)
		sound = raise_opset(model, &raised);
	if (!sound)
		status = vrs_fail(err, VRS_EUNSUPPORTED, "%s: its opset is older than 7, and an operator changed", path);
	else
		status = raised ? load_raised(ret_model, model, path, err) : vrs_model_load(ret_model, path, err);
	if (model != NULL)
		onnx__model_proto__free_unpacked(model, NULL);
	return status;
}
