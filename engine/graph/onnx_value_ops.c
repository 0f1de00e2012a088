/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ONNX operators that make values, or hand them on in another type. */
#include <string.h>

#include "graph/eval.h"
#include "graph/onnx_build.h"
#include "graph/onnx_parts.h"

int32_t vrs_onnx_number_like(struct vrs_onnx_build *build, int32_t x, double value)
{
	enum vrs_dtype dtype = vrs_onnx_type_of(build, x);
	uint64_t room = 0;

	vrs_store_f64(dtype, &room, 0, value);
	return vrs_onnx_const(build, dtype, 0, NULL, &room);
}

static int32_t constant_list(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, bool floats)
{
	const Onnx__AttributeProto *attribute = NULL;
	int64_t count;

	for (size_t i = 0; i < node->proto->n_attribute; i++)
		if (node->proto->attribute[i]->name != NULL && strcmp(node->proto->attribute[i]->name, floats ? "value_floats" : "value_ints") == 0)
			attribute = node->proto->attribute[i];
	if (attribute == NULL)
		return (int32_t)vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "it has no value");
	count = (int64_t)(floats ? attribute->n_floats : attribute->n_ints);
	return floats ? vrs_onnx_const(build, VRS_F32, 1, &count, attribute->floats) : vrs_onnx_const(build, VRS_I64, 1, &count, attribute->ints);
}

static enum vrs_status build_constant(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	const Onnx__TensorProto *tensor = vrs_onnx_tensor(node, "value");
	int32_t id = -1;

	if (tensor != NULL) {
		id = vrs_onnx_tensor_const(build, tensor, node->proto->output[0]);
	} else if (vrs_onnx_has(node, "value_float")) {
		float value = vrs_onnx_float(node, "value_float", 0);

		id = vrs_onnx_const(build, VRS_F32, 0, NULL, &value);
	} else if (vrs_onnx_has(node, "value_int")) {
		int64_t value = vrs_onnx_int(node, "value_int", 0);

		id = vrs_onnx_const(build, VRS_I64, 0, NULL, &value);
	} else if (vrs_onnx_has(node, "value_floats") || vrs_onnx_has(node, "value_ints")) {
		id = constant_list(build, node, vrs_onnx_has(node, "value_floats"));
	} else {
		return vrs_onnx_unsupported(build, node, "a constant that is no tensor of numbers");
	}
	return id >= 0 ? vrs_onnx_alias(build, node, id, 0) : vrs_onnx_done(id);
}

/* One value, expanded. */
static enum vrs_status build_constant_of_shape(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	const Onnx__TensorProto *tensor = vrs_onnx_tensor(node, "value");
	const struct vrs_graph_tensor *value;
	const float zero = 0;
	struct vrs_node made;
	int32_t shape = -1;
	enum vrs_status status = vrs_onnx_need(build, node, 0, &shape);

	if (status != VRS_OK)
		return status;
	vrs_node_init(&made, VRS_OP_EXPAND, node->name);
	made.inputs = 2;
	made.in[0] = tensor != NULL ? vrs_onnx_tensor_const(build, tensor, node->name) : vrs_onnx_const(build, VRS_F32, 0, NULL, &zero);
	made.in[1] = shape;
	if (made.in[0] < 0)
		return vrs_onnx_done(made.in[0]);
	value = vrs_onnx_constant(build, made.in[0]);
	if (value != NULL && vrs_tensor_elements(value) != 1)
		return vrs_fail(vrs_onnx_error(build), VRS_EFORMAT, "its value has %zu elements", vrs_tensor_elements(value));
	if (value != NULL) { /* as a scalar: the shape may have no dimensions */
		made.in[0] = vrs_onnx_const(build, value->dtype, 0, NULL, value->data);
		if (made.in[0] < 0)
			return vrs_onnx_done(made.in[0]);
	}
	return vrs_onnx_done(vrs_onnx_emit(build, node, &made, 0));
}

/* A conversion to the type that x has already is another name for x. */
static enum vrs_status cast_to(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int32_t x, enum vrs_dtype to)
{
	if (vrs_onnx_rank(build, x) >= 0 && vrs_onnx_type_of(build, x) == to)
		return vrs_onnx_alias(build, node, x, 0);
	return vrs_onnx_done(vrs_onnx_cast(build, node, x, to, 0));
}

static enum vrs_status build_cast(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	enum vrs_dtype to = VRS_F32;
	int32_t x = -1;
	enum vrs_status status = vrs_onnx_need(build, node, 0, &x);

	if (status != VRS_OK)
		return status;
	if (!vrs_onnx_element_type(vrs_onnx_int(node, "to", 0), &to))
		return vrs_onnx_unsupported(build, node, "conversion to type %lld", (long long)vrs_onnx_int(node, "to", 0));
	return cast_to(build, node, x, to);
}

static enum vrs_status build_cast_like(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int32_t x = -1, like = -1;
	enum vrs_status status = vrs_onnx_need(build, node, 0, &x);

	if (status == VRS_OK)
		status = vrs_onnx_need(build, node, 1, &like);
	return status == VRS_OK ? cast_to(build, node, x, vrs_onnx_type_of(build, like)) : status;
}

static enum vrs_status build_identity(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	int32_t x = -1;
	enum vrs_status status = vrs_onnx_need(build, node, 0, &x);

	return status == VRS_OK ? vrs_onnx_alias(build, node, x, 0) : status;
}

/* Inference: nothing is dropped. The mask is true everywhere (before opset 10: ones of the type of x). */
static enum vrs_status build_dropout(struct vrs_onnx_build *build, const struct vrs_onnx_node *node)
{
	const struct vrs_graph_tensor *training = vrs_onnx_constant(build, vrs_onnx_input(build, node, 2));
	struct vrs_node made;
	int32_t x = -1, one;
	uint8_t yes = 1;
	enum vrs_status status = vrs_onnx_need(build, node, 0, &x);

	if (status != VRS_OK)
		return status;
	if (vrs_onnx_input(build, node, 2) >= 0 &&
	    (training == NULL || vrs_tensor_elements(training) != 1 || vrs_load_i64(training->dtype, training->data, 0) != 0))
		return vrs_onnx_unsupported(build, node, "training_mode");
	if (vrs_onnx_has_output(node, 1)) {
		one = node->opset >= 10 ? vrs_onnx_const(build, VRS_BOOL, 0, NULL, &yes) : vrs_onnx_number_like(build, x, 1);
		vrs_node_init(&made, VRS_OP_EXPAND, node->name);
		made.inputs = 2;
		made.in[0] = one;
		made.in[1] = one >= 0 ? vrs_onnx_shape(build, node, x, 0, VRS_MAX_RANK) : one;
		if (made.in[1] < 0)
			return vrs_onnx_done(made.in[1]);
		status = vrs_onnx_done(vrs_onnx_emit(build, node, &made, 1));
	}
	return status == VRS_OK ? vrs_onnx_alias(build, node, x, 0) : status;
}

const struct vrs_onnx_op vrs_onnx_value_ops[] = {
	{"Constant", 7, 21, build_constant},   {"ConstantOfShape", 9, 21, build_constant_of_shape}, {"Cast", 7, 21, build_cast},
	{"CastLike", 15, 21, build_cast_like}, {"Identity", 7, 21, build_identity},   {"Dropout", 7, 21, build_dropout},
	{NULL, 0, 0, NULL},
};
