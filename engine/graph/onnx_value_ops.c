/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ONNX operators that make values, or hand them on in another type. */
#include "graph/eval.h"
#include "graph/onnx_build.h"

int32_t vrs_onnx_number_like(const struct vrs_onnx_node *node, int32_t x, double value)
{
	enum vrs_dtype dtype = vrs_onnx_type_of(node, x);
	uint64_t room = 0;

	vrs_store_f64(dtype, &room, 0, value);
	return vrs_onnx_const(node, dtype, 0, NULL, &room);
}

static enum vrs_status build_constant(const struct vrs_onnx_node *node)
{
	const Onnx__AttributeProto *a;
	int32_t id;

	if ((a = vrs_onnx_attribute(node, "value")) != NULL && a->t != NULL)
		id = vrs_onnx_tensor_const(node->build, a->t, node->proto->output[0]);
	else if ((a = vrs_onnx_attribute(node, "value_float")) != NULL)
		id = vrs_onnx_scalar(node, a->f);
	else if ((a = vrs_onnx_attribute(node, "value_int")) != NULL)
		id = vrs_onnx_const(node, VRS_I64, 0, NULL, &a->i);
	else if ((a = vrs_onnx_attribute(node, "value_floats")) != NULL)
		id = vrs_onnx_const(node, VRS_F32, 1, &(int64_t){(int64_t)a->n_floats}, a->floats);
	else if ((a = vrs_onnx_attribute(node, "value_ints")) != NULL)
		id = vrs_onnx_const(node, VRS_I64, 1, &(int64_t){(int64_t)a->n_ints}, a->ints);
	else
		return vrs_onnx_unsupported(node, "a constant that is no tensor of numbers");
	return vrs_onnx_alias(node, id, 0);
}

/* One value, expanded. */
static enum vrs_status build_constant_of_shape(const struct vrs_onnx_node *node)
{
	const Onnx__AttributeProto *given = vrs_onnx_attribute(node, "value");
	bool is_tensor = given != NULL && given->t != NULL;
	int32_t id = is_tensor ? vrs_onnx_tensor_const(node->build, given->t, node->name) : vrs_onnx_scalar(node, 0);
	const struct vrs_graph_tensor *value = vrs_onnx_constant(node, id);

	if (value != NULL && vrs_tensor_elements(value) != 1)
		return vrs_fail(node->build->err, VRS_EFORMAT, "its value has %zu elements", vrs_tensor_elements(value));
	if (value != NULL) /* as a scalar: the shape may have no dimensions */
		id = vrs_onnx_const(node, value->dtype, 0, NULL, value->data);
	return vrs_onnx_done(vrs_onnx_plain(node, VRS_OP_EXPAND, 2, (const int32_t[]){id, vrs_onnx_input(node, 0)}, 0));
}

/* A conversion to the type that x has already is another name for x. */
static enum vrs_status cast_to(const struct vrs_onnx_node *node, enum vrs_dtype to)
{
	int32_t x = vrs_onnx_input(node, 0);

	if (vrs_onnx_rank(node, x) >= 0 && vrs_onnx_type_of(node, x) == to)
		return vrs_onnx_alias(node, x, 0);
	return vrs_onnx_done(vrs_onnx_cast(node, x, to, 0));
}

static enum vrs_status build_cast(const struct vrs_onnx_node *node)
{
	int64_t type = vrs_onnx_int(node, "to", 0);
	enum vrs_dtype to;

	if (!vrs_onnx_dtype(type, &to))
		return vrs_onnx_unsupported(node, "conversion to type %lld", (long long)type);
	return cast_to(node, vrs_onnx_inner_type(to));
}

static enum vrs_status build_cast_like(const struct vrs_onnx_node *node)
{
	return cast_to(node, vrs_onnx_type_of(node, vrs_onnx_input(node, 1)));
}

static enum vrs_status build_identity(const struct vrs_onnx_node *node)
{
	return vrs_onnx_alias(node, vrs_onnx_input(node, 0), 0);
}

/* Inference: nothing is dropped. The mask is true everywhere (before opset 10: ones of the type of x). */
static enum vrs_status build_dropout(const struct vrs_onnx_node *node)
{
	const struct vrs_graph_tensor *training = vrs_onnx_constant(node, vrs_onnx_input(node, 2));
	int32_t x = vrs_onnx_input(node, 0), one;
	uint8_t yes = 1;

	if (vrs_onnx_input(node, 2) >= 0 &&
	    (training == NULL || vrs_tensor_elements(training) != 1 || vrs_load_i64(training->dtype, training->data, 0) != 0))
		return vrs_onnx_unsupported(node, "training_mode");
	if (vrs_onnx_has_output(node, 1)) {
		one = node->opset >= 10 ? vrs_onnx_const(node, VRS_BOOL, 0, NULL, &yes) : vrs_onnx_number_like(node, x, 1);
		one = vrs_onnx_plain(node, VRS_OP_EXPAND, 2, (const int32_t[]){one, vrs_onnx_shape(node, x, 0, VRS_MAX_RANK)}, 1);
		if (one < 0)
			return vrs_onnx_done(one);
	}
	return vrs_onnx_alias(node, x, 0);
}

const struct vrs_onnx_op vrs_onnx_value_ops[] = {
	{"Constant", 7, 21, 0, build_constant, 0},
	{"ConstantOfShape", 9, 21, 1, build_constant_of_shape, 0},
	{"Cast", 7, 21, 1, build_cast, 0},
	{"CastLike", 15, 21, 2, build_cast_like, 0},
	{"Identity", 7, 21, 1, build_identity, 0},
	{"Dropout", 7, 21, 1, build_dropout, 0},
	{0},
};
