/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs, outputs and attributes of one node of an ONNX file. */
#include <string.h>

#include "graph/onnx_build.h"
#include "graph/onnx_state.h"

static const Onnx__AttributeProto *find(const struct vrs_onnx_node *node, const char *name)
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

int32_t vrs_onnx_input(struct vrs_onnx_build *build, const struct vrs_onnx_node *node, int i)
{
	if (i < 0 || (size_t)i >= node->proto->n_input || node->proto->input[i][0] == '\0')
		return -1;
	return vrs_onnx_names_find(&build->names, node->proto->input[i]); /* onnx_import.c has checked that it is there */
}

bool vrs_onnx_has_output(const struct vrs_onnx_node *node, int i)
{
	return i >= 0 && (size_t)i < node->proto->n_output && node->proto->output[i][0] != '\0';
}

bool vrs_onnx_has(const struct vrs_onnx_node *node, const char *name)
{
	return find(node, name) != NULL;
}

int64_t vrs_onnx_int(const struct vrs_onnx_node *node, const char *name, int64_t or_else)
{
	const Onnx__AttributeProto *found = find(node, name);

	return found != NULL && found->has_i ? found->i : or_else;
}

float vrs_onnx_float(const struct vrs_onnx_node *node, const char *name, float or_else)
{
	const Onnx__AttributeProto *found = find(node, name);

	return found != NULL && found->has_f ? found->f : or_else;
}

int vrs_onnx_ints(const struct vrs_onnx_node *node, const char *name, int64_t *values, int max)
{
	const Onnx__AttributeProto *found = find(node, name);
	int count = 0;

	if (found == NULL)
		return -1;
	for (; count < max && (size_t)count < found->n_ints; count++)
		values[count] = found->ints[count];
	return count;
}

int vrs_onnx_floats(const struct vrs_onnx_node *node, const char *name, float *values, int max)
{
	const Onnx__AttributeProto *found = find(node, name);
	int count = 0;

	if (found == NULL)
		return -1;
	for (; count < max && (size_t)count < found->n_floats; count++)
		values[count] = found->floats[count];
	return count;
}

bool vrs_onnx_is(const struct vrs_onnx_node *node, const char *name, const char *text, const char *or_else)
{
	const Onnx__AttributeProto *found = find(node, name);
	size_t len = strlen(text);

	if (found == NULL || !found->has_s)
		return strcmp(text, or_else) == 0;
	return found->s.len == len && memcmp(found->s.data, text, len) == 0;
}

const Onnx__TensorProto *vrs_onnx_tensor(const struct vrs_onnx_node *node, const char *name)
{
	const Onnx__AttributeProto *found = find(node, name);

	return found != NULL ? found->t : NULL;
}

Onnx__GraphProto *vrs_onnx_part(const struct vrs_onnx_node *node, const char *name)
{
	const Onnx__AttributeProto *found = find(node, name);

	return found != NULL ? found->g : NULL;
}
