/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small ONNX files made in C, for tests of the importer. */
#ifndef TESTS_ONNX_NET_H
#define TESTS_ONNX_NET_H

#include <stdlib.h>
#include <string.h>

#include <onnx/onnx.pb-c.h>

/* libc throughout: the accounting of base/mem.h belongs to the code under test. Aborts when memory is out. */
struct onnx_net {
	Onnx__ModelProto model;
	Onnx__GraphProto graph;
	Onnx__OperatorSetIdProto opset, *opsets[1];
	void *blocks[512];
	size_t count;
};

static inline void *net_alloc(struct onnx_net *net, size_t size)
{
	void *block = calloc(1, size > 0 ? size : 1);

	if (block == NULL || net->count == sizeof net->blocks / sizeof *net->blocks)
		abort();
	return net->blocks[net->count++] = block;
}

static inline char *net_text(struct onnx_net *net, const char *text)
{
	return strcpy(net_alloc(net, strlen(text) + 1), text);
}

/* One more pointer at the end of a list. */
static inline void net_push(struct onnx_net *net, void ***list, size_t *count, void *item)
{
	void **longer = net_alloc(net, (*count + 1) * sizeof *longer);

	if (*count > 0)
		memcpy(longer, *list, *count * sizeof *longer);
	longer[(*count)++] = item;
	*list = longer;
}

static inline void net_init(struct onnx_net *net, int64_t opset)
{
	memset(net, 0, sizeof *net);
	onnx__model_proto__init(&net->model);
	onnx__graph_proto__init(&net->graph);
	onnx__operator_set_id_proto__init(&net->opset);
	net->model.has_ir_version = 1;
	net->model.ir_version = 8;
	net->opset.has_version = 1;
	net->opset.version = opset;
	net->opsets[0] = &net->opset;
	net->model.opset_import = net->opsets;
	net->model.n_opset_import = 1;
	net->model.graph = &net->graph;
}

static inline void net_fini(struct onnx_net *net)
{
	while (net->count > 0)
		free(net->blocks[--net->count]);
}

/* dims: -1 has a name of its own ("N", "H", ...), -2 is simply not there. */
static inline void net_value(struct onnx_net *net, bool output, const char *name, int32_t type, int rank, const int64_t *dims)
{
	static const char *const symbols[] = {"N", "C", "H", "W", "D", "E", "F", "G"};
	Onnx__ValueInfoProto *value = net_alloc(net, sizeof *value);
	Onnx__TypeProto *of = net_alloc(net, sizeof *of);
	Onnx__TypeProto__Tensor *tensor = net_alloc(net, sizeof *tensor);
	Onnx__TensorShapeProto *shape = net_alloc(net, sizeof *shape);

	onnx__value_info_proto__init(value);
	onnx__type_proto__init(of);
	onnx__type_proto__tensor__init(tensor);
	onnx__tensor_shape_proto__init(shape);
	for (int i = 0; i < rank; i++) {
		Onnx__TensorShapeProto__Dimension *dim = net_alloc(net, sizeof *dim);

		onnx__tensor_shape_proto__dimension__init(dim);
		if (dims[i] >= 0) {
			dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
			dim->dim_value = dims[i];
		} else if (dims[i] == -1) {
			dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
			dim->dim_param = net_text(net, symbols[i]);
		}
		net_push(net, (void ***)&shape->dim, &shape->n_dim, dim);
	}
	tensor->has_elem_type = 1;
	tensor->elem_type = type;
	tensor->shape = shape;
	of->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	of->tensor_type = tensor;
	value->name = net_text(net, name);
	value->type = of;
	if (output)
		net_push(net, (void ***)&net->graph.output, &net->graph.n_output, value);
	else
		net_push(net, (void ***)&net->graph.input, &net->graph.n_input, value);
}

static inline Onnx__TensorProto *net_tensor(struct onnx_net *net, const char *name, int32_t type, int rank, const int64_t *dims, const void *raw,
					    size_t bytes)
{
	Onnx__TensorProto *tensor = net_alloc(net, sizeof *tensor);

	onnx__tensor_proto__init(tensor);
	tensor->name = net_text(net, name);
	tensor->has_data_type = 1;
	tensor->data_type = type;
	tensor->n_dims = (size_t)rank;
	tensor->dims = net_alloc(net, (size_t)rank * sizeof *dims);
	for (int i = 0; i < rank; i++)
		tensor->dims[i] = dims[i];
	if (raw != NULL) {
		tensor->has_raw_data = 1;
		tensor->raw_data.data = net_alloc(net, bytes);
		tensor->raw_data.len = bytes;
		memcpy(tensor->raw_data.data, raw, bytes);
	}
	return tensor;
}

static inline Onnx__TensorProto *net_initializer(struct onnx_net *net, const char *name, int32_t type, int rank, const int64_t *dims, const void *raw,
						 size_t bytes)
{
	Onnx__TensorProto *tensor = net_tensor(net, name, type, rank, dims, raw, bytes);

	net_push(net, (void ***)&net->graph.initializer, &net->graph.n_initializer, tensor);
	return tensor;
}

/* A node; inputs and outputs are lists of names with a comma between them. */
static inline Onnx__NodeProto *net_node(struct onnx_net *net, const char *type, const char *inputs, const char *outputs)
{
	Onnx__NodeProto *node = net_alloc(net, sizeof *node);
	const char *lists[2] = {inputs, outputs};

	onnx__node_proto__init(node);
	node->op_type = net_text(net, type);
	for (int k = 0; k < 2; k++)
		for (const char *at = lists[k]; *at != '\0';) {
			size_t len = strcspn(at, ",");
			char *name = net_alloc(net, len + 1);

			memcpy(name, at, len);
			if (k == 0)
				net_push(net, (void ***)&node->input, &node->n_input, name);
			else
				net_push(net, (void ***)&node->output, &node->n_output, name);
			at += len + (at[len] == ',');
		}
	net_push(net, (void ***)&net->graph.node, &net->graph.n_node, node);
	return node;
}

static inline Onnx__AttributeProto *net_attribute(struct onnx_net *net, Onnx__NodeProto *node, const char *name)
{
	Onnx__AttributeProto *attribute = net_alloc(net, sizeof *attribute);

	onnx__attribute_proto__init(attribute);
	attribute->name = net_text(net, name);
	net_push(net, (void ***)&node->attribute, &node->n_attribute, attribute);
	return attribute;
}

static inline void net_int(struct onnx_net *net, Onnx__NodeProto *node, const char *name, int64_t value)
{
	Onnx__AttributeProto *attribute = net_attribute(net, node, name);

	attribute->has_i = 1;
	attribute->i = value;
}

/* The bytes of the file; free them. */
static inline uint8_t *net_pack(const struct onnx_net *net, size_t *size)
{
	uint8_t *bytes = malloc(onnx__model_proto__get_packed_size(&net->model) + 1);

	if (bytes == NULL)
		abort();
	*size = onnx__model_proto__pack(&net->model, bytes);
	return bytes;
}

#endif
