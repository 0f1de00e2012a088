/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small ONNX files node by node, for tests of the builders of operators. */
#ifndef TESTS_ONNX_NODES_H
#define TESTS_ONNX_NODES_H

#include <stdlib.h>
#include <string.h>

#include "graph/onnx_build.h"
#include "graph/onnx_import.h"

enum { NODES_MAX = 16, NODES_ATTRIBUTES = 48, NODES_DIMS = 64 };

struct onnx_nodes {
	Onnx__ModelProto model;
	Onnx__GraphProto graph;
	Onnx__OperatorSetIdProto opset, *opset_list[1];
	Onnx__NodeProto node[NODES_MAX], *node_list[NODES_MAX];
	char *names[NODES_MAX][12];
	Onnx__AttributeProto attribute[NODES_ATTRIBUTES], *attribute_list[NODES_MAX][8];
	int attributes, dims;
	Onnx__TensorProto tensor[NODES_MAX], *tensor_list[NODES_MAX];
	Onnx__ValueInfoProto value[NODES_MAX], *input_list[8], *output_list[8];
	Onnx__TypeProto type[NODES_MAX];
	Onnx__TypeProto__Tensor tensor_type[NODES_MAX];
	Onnx__TensorShapeProto shape[NODES_MAX];
	Onnx__TensorShapeProto__Dimension dim[NODES_DIMS], *dim_list[NODES_DIMS];
	int values;
};

static inline struct onnx_nodes *nodes_new(int opset)
{
	struct onnx_nodes *n = calloc(1, sizeof *n);

	if (n == NULL)
		abort();
	onnx__model_proto__init(&n->model);
	onnx__graph_proto__init(&n->graph);
	onnx__operator_set_id_proto__init(&n->opset);
	n->model.graph = &n->graph;
	n->model.has_ir_version = 1;
	n->model.ir_version = 8;
	n->model.n_opset_import = 1;
	n->model.opset_import = n->opset_list;
	n->opset_list[0] = &n->opset;
	n->opset.domain = (char *)(uintptr_t)"";
	n->opset.has_version = 1;
	n->opset.version = opset;
	n->graph.name = (char *)(uintptr_t)"graph";
	n->graph.node = n->node_list;
	n->graph.initializer = n->tensor_list;
	n->graph.input = n->input_list;
	n->graph.output = n->output_list;
	return n;
}

/* Dims of -1 are open. */
static inline Onnx__ValueInfoProto *nodes_value(struct onnx_nodes *n, const char *name, int rank, const int64_t *dims)
{
	int k = n->values++;

	onnx__value_info_proto__init(&n->value[k]);
	onnx__type_proto__init(&n->type[k]);
	onnx__type_proto__tensor__init(&n->tensor_type[k]);
	onnx__tensor_shape_proto__init(&n->shape[k]);
	n->value[k].name = (char *)(uintptr_t)name;
	n->value[k].type = &n->type[k];
	n->type[k].value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	n->type[k].tensor_type = &n->tensor_type[k];
	n->tensor_type[k].has_elem_type = 1;
	n->tensor_type[k].elem_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
	n->tensor_type[k].shape = &n->shape[k];
	n->shape[k].n_dim = (size_t)rank;
	n->shape[k].dim = n->dim_list + n->dims;
	for (int i = 0; i < rank; i++, n->dims++) {
		Onnx__TensorShapeProto__Dimension *dim = &n->dim[n->dims];

		onnx__tensor_shape_proto__dimension__init(dim);
		n->dim_list[n->dims] = dim;
		if (dims[i] < 0)
			continue;
		dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
		dim->dim_value = dims[i];
	}
	return &n->value[k];
}

static inline void nodes_input(struct onnx_nodes *n, const char *name, int rank, const int64_t *dims)
{
	n->input_list[n->graph.n_input++] = nodes_value(n, name, rank, dims);
}

static inline void nodes_output(struct onnx_nodes *n, const char *name)
{
	n->output_list[n->graph.n_output++] = nodes_value(n, name, 0, NULL);
	n->tensor_type[n->values - 1].shape = NULL;
}

/* data: what the type says, owned by the caller until nodes_import. */
static inline void nodes_constant(struct onnx_nodes *n, const char *name, int32_t type, int rank, const int64_t *dims, const void *data, size_t bytes)
{
	Onnx__TensorProto *t = &n->tensor[n->graph.n_initializer];

	onnx__tensor_proto__init(t);
	t->name = (char *)(uintptr_t)name;
	t->has_data_type = 1;
	t->data_type = type;
	t->n_dims = (size_t)rank;
	t->dims = (int64_t *)(uintptr_t)dims;
	t->has_raw_data = 1;
	t->raw_data.data = (uint8_t *)(uintptr_t)data;
	t->raw_data.len = bytes;
	n->tensor_list[n->graph.n_initializer++] = t;
}

/* Names separated by spaces ("-": left out); the node's name is its first output. */
static inline void nodes_add(struct onnx_nodes *n, const char *type, char *inputs, char *outputs)
{
	size_t k = n->graph.n_node++;
	Onnx__NodeProto *node = &n->node[k];
	char *at = NULL;

	onnx__node_proto__init(node);
	node->op_type = (char *)(uintptr_t)type;
	node->input = n->names[k];
	for (char *name = strtok_r(inputs, " ", &at); name != NULL; name = strtok_r(NULL, " ", &at))
		n->names[k][node->n_input++] = strcmp(name, "-") == 0 ? (char *)(uintptr_t)"" : name;
	node->output = n->names[k] + node->n_input;
	for (char *name = strtok_r(outputs, " ", &at); name != NULL; name = strtok_r(NULL, " ", &at))
		node->output[node->n_output++] = name;
	node->name = node->output[0];
	node->attribute = n->attribute_list[k];
	n->node_list[k] = node;
}

/* An attribute of the last node. */
static inline Onnx__AttributeProto *nodes_attribute(struct onnx_nodes *n, const char *name)
{
	Onnx__NodeProto *node = n->node_list[n->graph.n_node - 1];
	Onnx__AttributeProto *a = &n->attribute[n->attributes++];

	onnx__attribute_proto__init(a);
	a->name = (char *)(uintptr_t)name;
	node->attribute[node->n_attribute++] = a;
	return a;
}

static inline void nodes_int(struct onnx_nodes *n, const char *name, int64_t value)
{
	Onnx__AttributeProto *a = nodes_attribute(n, name);

	a->has_i = 1;
	a->i = value;
}

static inline void nodes_float(struct onnx_nodes *n, const char *name, float value)
{
	Onnx__AttributeProto *a = nodes_attribute(n, name);

	a->has_f = 1;
	a->f = value;
}

static inline void nodes_ints(struct onnx_nodes *n, const char *name, int count, int64_t *values)
{
	Onnx__AttributeProto *a = nodes_attribute(n, name);

	a->n_ints = (size_t)count;
	a->ints = values;
}

static inline void nodes_text(struct onnx_nodes *n, const char *name, const char *text)
{
	Onnx__AttributeProto *a = nodes_attribute(n, name);

	a->has_s = 1;
	a->s.data = (uint8_t *)(uintptr_t)text;
	a->s.len = strlen(text);
}

/* Pack and import; n is released. */
static inline enum vrs_status nodes_import(struct onnx_nodes *n, struct vrs_graph *ret_graph, struct vrs_error *err)
{
	size_t size = onnx__model_proto__get_packed_size(&n->model);
	uint8_t *bytes = malloc(size + 1);
	enum vrs_status status;

	if (bytes == NULL)
		abort();
	(void)onnx__model_proto__pack(&n->model, bytes);
	free(n);
	status = vrs_onnx_import(ret_graph, bytes, size, "test", NULL, err);
	free(bytes);
	return status;
}

#endif
