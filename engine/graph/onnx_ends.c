/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs and outputs of an ONNX network: types, sizes that are open, and what stands for them in the trial. */
#include <string.h>

#include "base/str_parse.h"
#include "graph/model_limits.h"
#include "graph/onnx_build.h"

#define MAX_GUESSED 16 /* values of an input that may be factors of sizes */

/* What an open size gets in the trial: the number of another dimension of the same name, or something usual for its place. */
static int64_t trial_size(const struct vrs_onnx_build *build, const Onnx__GraphProto *graph, const char *symbol, int axis, int rank, size_t index)
{
	for (size_t i = 0; i < index && symbol[0] != '\0' && !build->ones; i++) {
		const Onnx__TypeProto *type = graph->input[i]->type;
		int32_t id = vrs_onnx_names_find(&build->names, vrs_onnx_text(graph->input[i]->name));
		const Onnx__TensorShapeProto *shape = type != NULL && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ? type->tensor_type->shape : NULL;

		for (size_t k = 0; id >= 0 && shape != NULL && k < shape->n_dim && (int)k < build->trial.tensors[id].rank; k++)
			if (shape->dim[k]->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM &&
			    strcmp(vrs_onnx_text(shape->dim[k]->dim_param), symbol) == 0)
				return build->trial.tensors[id].dims[k];
	}
	if (axis == 0 || (build->ones && index > 0))
		return 1;
	return rank != 4 ? 16 : axis == 1 ? 3 : 256;
}

/* Dims of an input: -1 where they are open (a batch is 1), and the numbers for the trial. */
static enum vrs_status read_shape(struct vrs_onnx_build *build, const Onnx__GraphProto *graph, size_t index, const Onnx__TensorShapeProto *shape,
				  struct vrs_graph_tensor *input, int64_t *trial)
{
	int64_t elements = 1;

	if (shape->n_dim > VRS_MAX_RANK)
		return vrs_fail(build->err, VRS_ELIMIT, "input %.100s has %zu dimensions, more than %d", input->name, shape->n_dim, VRS_MAX_RANK);
	input->rank = (int)shape->n_dim;
	for (int i = 0; i < input->rank; i++) {
		const Onnx__TensorShapeProto__Dimension *dim = shape->dim[i];
		bool known = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE && dim->dim_value >= 0;
		bool named = dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;

		trial[i] = known ? dim->dim_value : trial_size(build, graph, named ? vrs_onnx_text(dim->dim_param) : "", i, input->rank, index);
		if (trial[i] > VRS_MODEL_MAX_DIM || trial[i] * elements > VRS_MODEL_MAX_ELEMENTS)
			return vrs_fail(build->err, VRS_ELIMIT, "input %.100s has more than %lld elements", input->name, (long long)VRS_MODEL_MAX_ELEMENTS);
		elements *= trial[i];
		input->dims[i] = known ? dim->dim_value : i == 0 ? 1 : -1;
		input->open |= (uint8_t)(known ? 0 : 1u << i);
		build->open = build->open || !known;
	}
	return VRS_OK;
}

/*
 * A few numbers beside the picture may be factors of sizes (the downsample ratio of matting networks): the trial takes 1 for each, so that it goes on
 * behind a resize by them.
 */
static enum vrs_status guess_values(struct vrs_onnx_build *build, struct vrs_graph_tensor *twin)
{
	float ones[MAX_GUESSED];
	size_t count = vrs_tensor_elements(twin);

	if (build->graph.input_count == 0 || twin->dtype != VRS_F32 || twin->rank > 1 || count > MAX_GUESSED || count == 0)
		return VRS_OK;
	for (size_t i = 0; i < count; i++)
		ones[i] = 1;
	twin->data_bytes = count * sizeof *ones;
	twin->data = vrs_graph_store(&build->trial, ones, twin->data_bytes);
	build->guessed = true;
	return twin->data != NULL ? VRS_OK : vrs_fail_nomem(build->err);
}

enum vrs_status vrs_onnx_import_input(struct vrs_onnx_build *build, const Onnx__GraphProto *graph, size_t index)
{
	const Onnx__ValueInfoProto *value = graph->input[index];
	const Onnx__TypeProto *type = value->type;
	struct vrs_graph_tensor input = {.rank = 0};
	int64_t trial[VRS_MAX_RANK] = {0};
	const char *name = vrs_onnx_text(value->name);
	int32_t id;

	(void)vrs_strcpy(input.name, sizeof input.name, name); /* a cut name still tells the tensor */
	if (type == NULL || type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE || type->tensor_type->shape == NULL ||
	    !vrs_onnx_dtype(type->tensor_type->elem_type, &input.dtype)) {
		vrs_onnx_missing(build, "input", input.name, "it is not a tensor of numbers with a known number of dimensions");
		id = vrs_onnx_add_unknown(build, input.name);
		return id >= 0 ? vrs_onnx_names_put(&build->names, name, id, build->err) : (enum vrs_status)id;
	}
	VRS_TRY(read_shape(build, graph, index, type->tensor_type->shape, &input, trial));
	if (build->graph.input_count == VRS_MAX_ENDS)
		return vrs_fail(build->err, VRS_ELIMIT, "the network has more than %d inputs", VRS_MAX_ENDS);
	id = vrs_onnx_add_tensor(build, &input);
	if (id < 0)
		return (enum vrs_status)id;
	memcpy(build->trial.tensors[id].dims, trial, sizeof trial);
	VRS_TRY(guess_values(build, &build->trial.tensors[id]));
	build->graph.inputs[build->graph.input_count++] = id;
	build->trial.inputs[build->trial.input_count++] = id;
	if (vrs_onnx_inner_type(input.dtype) != input.dtype) {
		struct vrs_node cast = vrs_node_of(VRS_OP_CAST, input.name, 1, &id);

		cast.u.cast.to = vrs_onnx_inner_type(input.dtype);
		id = vrs_onnx_append(build, &cast, input.name);
	}
	return id >= 0 ? vrs_onnx_names_put(&build->names, name, id, build->err) : (enum vrs_status)id;
}

/* For whoever asks what the network makes: dims that the file declares open, or otherwise than the trial has it, are open. */
static void describe_output(struct vrs_onnx_build *build, const Onnx__ValueInfoProto *value, int rank, struct vrs_graph_tensor *output)
{
	const Onnx__TypeProto *type = value->type;
	const Onnx__TensorShapeProto *shape = type != NULL && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ? type->tensor_type->shape : NULL;

	if (rank < 0 && shape != NULL && shape->n_dim <= VRS_MAX_RANK) {
		output->rank = (int)shape->n_dim;
		for (int i = 0; i < output->rank; i++)
			output->dims[i] = 1;
	}
	for (int i = 0; i < output->rank && (build->open || rank < 0); i++) {
		const Onnx__TensorShapeProto__Dimension *dim = shape != NULL && (int)shape->n_dim == output->rank ? shape->dim[i] : NULL;
		bool known = dim != NULL && dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE && dim->dim_value >= 0 &&
			     dim->dim_value <= VRS_MODEL_MAX_DIM && (rank < 0 || dim->dim_value == output->dims[i]);

		output->open |= (uint8_t)(known ? 0 : 1u << i);
		if (known && rank < 0)
			output->dims[i] = dim->dim_value;
	}
}

/* An output of the network is a tensor of its own, of the declared type, under its own name: otherwise a copy is made. */
enum vrs_status vrs_onnx_import_output(struct vrs_onnx_build *build, const Onnx__ValueInfoProto *value)
{
	struct vrs_graph *graph = &build->graph;
	const char *name = vrs_onnx_text(value->name);
	int32_t id = vrs_onnx_names_find(&build->names, name);
	enum vrs_dtype declared = VRS_F32;
	struct vrs_graph_tensor *tensor;
	bool taken = false;
	int rank;

	if (id < 0)
		return vrs_fail(build->err, VRS_EFORMAT, "the output %.100s is computed by no node", name);
	if (graph->output_count == VRS_MAX_ENDS)
		return vrs_fail(build->err, VRS_ELIMIT, "the network has more than %d outputs", VRS_MAX_ENDS);
	tensor = &graph->tensors[id];
	declared = tensor->dtype;
	rank = build->trial.tensors[id].rank;
	if (rank == VRS_ONNX_NOT_MADE)
		vrs_onnx_missing(build, "output", name, "it is an output of its operator that is not supported");
	else if (value->type != NULL && value->type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE &&
		 !vrs_onnx_dtype(value->type->tensor_type->elem_type, &declared))
		vrs_onnx_missing(build, "output", name, vrs_onnx_type_name(value->type->tensor_type->elem_type));
	if (rank >= 0 && vrs_onnx_inner_type(declared) != vrs_onnx_inner_type(tensor->dtype))
		return vrs_fail(build->err, VRS_EFORMAT, "the output %.100s is declared %s, its node makes %s", name, vrs_dtype_name(declared),
				vrs_dtype_name(tensor->dtype));
	for (int i = 0; i < graph->output_count; i++)
		taken = taken || graph->outputs[i] == id;
	if (taken || tensor->producer < 0 || vrs_onnx_inner_type(declared) != declared) {
		struct vrs_node cast = vrs_node_of(VRS_OP_CAST, name, 1, &id);

		cast.u.cast.to = declared;
		id = vrs_onnx_append(build, &cast, name);
		if (id < 0)
			return (enum vrs_status)id;
	}
	(void)vrs_strcpy(graph->tensors[id].name, sizeof graph->tensors[id].name, name); /* a cut name still tells the tensor */
	describe_output(build, value, rank, &graph->tensors[id]);
	graph->outputs[graph->output_count++] = id;
	return VRS_OK;
}
