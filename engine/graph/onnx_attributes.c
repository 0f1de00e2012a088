/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs, outputs and attributes of one node of an ONNX file. */
#include <string.h>

#include "graph/onnx_build.h"

const Onnx__AttributeProto *vrs_onnx_attribute(const struct vrs_onnx_node *node, const char *name)
{
	for (size_t i = 0; i < node->proto->n_attribute; i++)
		if (strcmp(vrs_onnx_text(node->proto->attribute[i]->name), name) == 0)
			return node->proto->attribute[i];
	return NULL;
}

int vrs_onnx_inputs(const struct vrs_onnx_node *node)
{
	size_t count = node->proto->n_input;

	while (count > 0 && node->proto->input[count - 1][0] == '\0')
		count--;
	return (int)count; /* bounded by VRS_MODEL_MAX_FIELDS */
}

int32_t vrs_onnx_input(const struct vrs_onnx_node *node, int i)
{
	if (i < 0 || (size_t)i >= node->proto->n_input || node->proto->input[i][0] == '\0')
		return -1;
	return vrs_onnx_names_find(&node->build->names, node->proto->input[i]); /* onnx_import.c has checked that it is there */
}

enum vrs_status vrs_onnx_need(const struct vrs_onnx_node *node, int i, int32_t *ret_id)
{
	*ret_id = vrs_onnx_input(node, i);
	return *ret_id >= 0 ? VRS_OK : vrs_fail(node->build->err, VRS_EFORMAT, "its input %d is missing", i);
}

bool vrs_onnx_has_output(const struct vrs_onnx_node *node, int i)
{
	return i >= 0 && (size_t)i < node->proto->n_output && node->proto->output[i][0] != '\0';
}

int64_t vrs_onnx_int(const struct vrs_onnx_node *node, const char *name, int64_t or_else)
{
	const Onnx__AttributeProto *found = vrs_onnx_attribute(node, name);

	return found != NULL && found->has_i ? found->i : or_else;
}

float vrs_onnx_float(const struct vrs_onnx_node *node, const char *name, float or_else)
{
	const Onnx__AttributeProto *found = vrs_onnx_attribute(node, name);

	return found != NULL && found->has_f ? found->f : or_else;
}

int vrs_onnx_ints(const struct vrs_onnx_node *node, const char *name, int64_t *values, int max)
{
	const Onnx__AttributeProto *found = vrs_onnx_attribute(node, name);
	int count = 0;

	if (found == NULL)
		return -1;
	for (; count < max && (size_t)count < found->n_ints; count++)
		values[count] = found->ints[count];
	return count;
}

enum vrs_status vrs_onnx_axis(const struct vrs_onnx_node *node, int or_else, int *ret_axis)
{
	int64_t axis = vrs_onnx_int(node, "axis", or_else);

	if (axis < -VRS_MAX_RANK || axis > VRS_MAX_RANK)
		return vrs_fail(node->build->err, VRS_EFORMAT, "axis %lld", (long long)axis);
	*ret_axis = (int)axis;
	return VRS_OK;
}

bool vrs_onnx_is(const struct vrs_onnx_node *node, const char *name, const char *text, const char *or_else)
{
	const Onnx__AttributeProto *found = vrs_onnx_attribute(node, name);
	size_t len = strlen(text);

	if (found == NULL || !found->has_s)
		return strcmp(text, or_else) == 0;
	return found->s.len == len && memcmp(found->s.data, text, len) == 0;
}

int vrs_onnx_choice(const struct vrs_onnx_node *node, const char *name, const char *const *texts, int count, int or_else)
{
	for (int i = 0; i < count; i++)
		if (texts[i] != NULL && vrs_onnx_is(node, name, texts[i], texts[or_else]))
			return i;
	return -1;
}
