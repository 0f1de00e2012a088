/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "onnx/network_writer.h"

#include <math.h>
#include <onnx/onnx.pb-c.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPSET 17
#define MAX_ATTRIBUTES 8
#define MAX_INTS 8

/* Tests have memory, and few nodes. */
static void *take(struct network *n, size_t count, size_t size)
{
	void *block = vrs_arena_calloc(&n->arena, count > 0 ? count : 1, size);

	if (block == NULL || n->node_count >= NETWORK_LISTS || n->weight_count >= NETWORK_LISTS)
		abort();
	return block;
}

static char *copy(struct network *n, const char *text, size_t length)
{
	char *made = take(n, length + 1, 1);

	memcpy(made, text, length);
	return made;
}

static char *name_of(struct network *n, char kind, int number, int part)
{
	char text[32];

	return copy(n, text, (size_t)snprintf(text, sizeof text, part > 0 ? "%c%d_%d" : "%c%d", kind, number, part));
}

void network_begin(struct network *n, uint64_t seed)
{
	memset(n, 0, sizeof *n);
	vrs_rng_init(&n->rng, seed);
}

void network_end(struct network *n)
{
	vrs_arena_free(&n->arena);
}

int network_pick(struct network *n, int lo, int hi)
{
	return lo + (int)vrs_rng_below(&n->rng, (uint64_t)(hi - lo + 1));
}

bool network_chance(struct network *n, int percent)
{
	return network_pick(n, 0, 99) < percent;
}

static Onnx__ValueInfoProto *value_info(struct network *n, char *name, int type, int rank, const int64_t *dims)
{
	Onnx__ValueInfoProto *info = take(n, 1, sizeof *info);

	onnx__value_info_proto__init(info);
	info->name = name;
	info->type = take(n, 1, sizeof *info->type);
	onnx__type_proto__init(info->type);
	info->type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	info->type->tensor_type = take(n, 1, sizeof *info->type->tensor_type);
	onnx__type_proto__tensor__init(info->type->tensor_type);
	info->type->tensor_type->has_elem_type = 1;
	info->type->tensor_type->elem_type = type;
	if (dims == NULL) /* an output: the nodes tell its shape */
		return info;
	Onnx__TensorShapeProto *shape = info->type->tensor_type->shape = take(n, 1, sizeof *shape);
	onnx__tensor_shape_proto__init(shape);
	shape->n_dim = (size_t)rank;
	shape->dim = take(n, (size_t)rank, sizeof *shape->dim);
	for (int i = 0; i < rank; i++) {
		shape->dim[i] = take(n, 1, sizeof **shape->dim);
		onnx__tensor_shape_proto__dimension__init(shape->dim[i]);
		shape->dim[i]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
		shape->dim[i]->dim_value = dims[i];
	}
	return info;
}

char *network_input(struct network *n, int rank, const int64_t *dims)
{
	char *name = name_of(n, 'x', n->input_count, 0);

	if (n->input_count >= NETWORK_ENDS)
		abort();
	n->inputs[n->input_count++] = value_info(n, name, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, rank, dims);
	return name;
}

static void add_output(struct network *n, char *value, int type)
{
	if (n->output_count >= NETWORK_ENDS)
		abort();
	n->outputs[n->output_count++] = value_info(n, value, type, 0, NULL);
}

void network_output(struct network *n, char *value)
{
	add_output(n, value, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT);
}

void network_index_output(struct network *n, char *value)
{
	add_output(n, value, ONNX__TENSOR_PROTO__DATA_TYPE__INT64);
}

static Onnx__TensorProto *constant(struct network *n, int rank, const int64_t *dims, int type, size_t *ret_count)
{
	Onnx__TensorProto *tensor = take(n, 1, sizeof *tensor);

	onnx__tensor_proto__init(tensor);
	*ret_count = 1;
	tensor->dims = take(n, (size_t)rank, sizeof *tensor->dims);
	tensor->n_dims = (size_t)rank;
	for (int i = 0; i < rank; i++)
		*ret_count *= (size_t)(tensor->dims[i] = dims[i]);
	tensor->has_data_type = 1;
	tensor->data_type = type;
	tensor->name = name_of(n, 'w', n->weight_count, 0);
	n->weights[n->weight_count++] = tensor;
	return tensor;
}

static char *floats(struct network *n, int rank, const int64_t *dims, double scale, float value)
{
	size_t count;
	Onnx__TensorProto *tensor = constant(n, rank, dims, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, &count);

	tensor->n_float_data = count;
	tensor->float_data = take(n, count, sizeof *tensor->float_data);
	for (size_t i = 0; i < count; i++)
		tensor->float_data[i] = scale > 0 ? (float)((vrs_rng_unit(&n->rng) * 2 - 1) * scale) : value;
	return tensor->name;
}

char *network_weights(struct network *n, int rank, const int64_t *dims, double fan)
{
	return floats(n, rank, dims, sqrt(3 / fan), 0);
}

char *network_filled(struct network *n, int rank, const int64_t *dims, float value)
{
	return floats(n, rank, dims, 0, value);
}

char *network_number(struct network *n, float value)
{
	return floats(n, 0, NULL, 0, value);
}

static char *integers(struct network *n, int rank, int64_t count, const int64_t *values)
{
	size_t made;
	Onnx__TensorProto *tensor = constant(n, rank, &count, ONNX__TENSOR_PROTO__DATA_TYPE__INT64, &made);

	tensor->n_int64_data = made;
	tensor->int64_data = take(n, made, sizeof *values);
	memcpy(tensor->int64_data, values, made * sizeof *values);
	return tensor->name;
}

char *network_ints(struct network *n, int count, const int64_t *values)
{
	return integers(n, 1, count, values);
}

char *network_int(struct network *n, int64_t value)
{
	return integers(n, 0, 1, &value);
}

static void read_value(struct network *n, Onnx__AttributeProto *a, const char *text, size_t length)
{
	char *next;

	a->has_type = 1;
	if (*text == '\'') {
		a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
		a->has_s = 1;
		a->s = (ProtobufCBinaryData){length - 2, (uint8_t *)copy(n, text + 1, length - 2)};
	} else if (*text == '[') {
		a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
		a->ints = take(n, MAX_INTS, sizeof *a->ints);
		for (next = copy(n, text, length); *next != ']' && *next != '\0' && a->n_ints < MAX_INTS;)
			a->ints[a->n_ints++] = strtoll(next + 1, &next, 10);
	} else if (memchr(text, '.', length) != NULL) {
		a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
		a->has_f = 1;
		a->f = strtof(text, NULL);
	} else {
		a->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
		a->has_i = 1;
		a->i = strtoll(text, NULL, 10);
	}
}

static void read_attributes(struct network *n, Onnx__NodeProto *node, const char *text)
{
	node->attribute = take(n, MAX_ATTRIBUTES, sizeof *node->attribute);
	while (text != NULL && *(text += strspn(text, " ")) != '\0') {
		size_t all = strcspn(text, " "), name = strcspn(text, "=");
		Onnx__AttributeProto *a = take(n, 1, sizeof *a);

		if (name >= all || node->n_attribute >= MAX_ATTRIBUTES)
			abort();
		onnx__attribute_proto__init(a);
		a->name = copy(n, text, name);
		read_value(n, a, text + name + 1, all - name - 1);
		node->attribute[node->n_attribute++] = a;
		text += all;
	}
}

static char *add_node(struct network *n, const char *type, const char *attributes, int more_count, char **more, int inputs, va_list list)
{
	Onnx__NodeProto *node = take(n, 1, sizeof *node);

	onnx__node_proto__init(node);
	node->op_type = copy(n, type, strlen(type));
	node->name = name_of(n, 'n', n->node_count, 0);
	node->n_input = (size_t)inputs;
	node->input = take(n, node->n_input, sizeof *node->input);
	for (int i = 0; i < inputs; i++) {
		char *name = va_arg(list, char *);

		node->input[i] = name != NULL ? name : name_of(n, 'x', 0, 0) + 2; /* "" */
	}
	node->n_output = (size_t)more_count + 1;
	node->output = take(n, node->n_output, sizeof *node->output);
	for (int i = 0; i <= more_count; i++)
		node->output[i] = name_of(n, 't', n->node_count, i);
	for (int i = 0; i < more_count; i++)
		more[i] = node->output[i + 1];
	read_attributes(n, node, attributes);
	n->nodes[n->node_count++] = node;
	return node->output[0];
}

char *network_op(struct network *n, const char *type, const char *attributes, int inputs, ...)
{
	va_list list;

	va_start(list, inputs);
	char *y = add_node(n, type, attributes, 0, NULL, inputs, list);
	va_end(list);
	return y;
}

char *network_op_more(struct network *n, const char *type, const char *attributes, int more_count, char **more, int inputs, ...)
{
	va_list list;

	va_start(list, inputs);
	char *y = add_node(n, type, attributes, more_count, more, inputs, list);
	va_end(list);
	return y;
}

const uint8_t *network_bytes(struct network *n, size_t *ret_size)
{
	Onnx__ModelProto model = ONNX__MODEL_PROTO__INIT;
	Onnx__GraphProto graph = ONNX__GRAPH_PROTO__INIT;
	Onnx__OperatorSetIdProto opset = ONNX__OPERATOR_SET_ID_PROTO__INIT, *opsets[] = {&opset};
	char name[] = "network";

	graph.name = name;
	graph.n_node = (size_t)n->node_count;
	graph.node = n->nodes;
	graph.n_initializer = (size_t)n->weight_count;
	graph.initializer = n->weights;
	graph.n_input = (size_t)n->input_count;
	graph.input = n->inputs;
	graph.n_output = (size_t)n->output_count;
	graph.output = n->outputs;
	opset.has_version = 1;
	opset.version = OPSET;
	model.has_ir_version = 1;
	model.ir_version = 8;
	model.n_opset_import = 1;
	model.opset_import = opsets;
	model.graph = &graph;
	*ret_size = onnx__model_proto__get_packed_size(&model);
	uint8_t *bytes = take(n, *ret_size, 1);
	(void)onnx__model_proto__pack(&model, bytes);
	return bytes;
}

enum vrs_status network_model(struct network *n, struct vrs_model **ret_model, const char *name, struct vrs_error *err)
{
	size_t size;
	const uint8_t *bytes = network_bytes(n, &size);

	return vrs_model_load_memory(ret_model, bytes, size, name, err);
}
