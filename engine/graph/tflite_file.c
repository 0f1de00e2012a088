/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/tflite_file.h"

#include <string.h>

#include "base/mem.h"
#include "graph/model_limits.h"

/* Field numbers of the schema's tables. */
enum { MODEL_VERSION = 0, MODEL_CODES = 1, MODEL_SUBGRAPHS = 2, MODEL_BUFFERS = 4 };
enum { CODE_OLD_BUILTIN = 0, CODE_CUSTOM = 1, CODE_BUILTIN = 3 };
enum { GRAPH_TENSORS = 0, GRAPH_INPUTS = 1, GRAPH_OUTPUTS = 2, GRAPH_OPS = 3 };
enum { TENSOR_SHAPE = 0, TENSOR_TYPE = 1, TENSOR_BUFFER = 2, TENSOR_NAME = 3 };
enum { BUFFER_DATA = 0, BUFFER_OFFSET = 1, BUFFER_SIZE = 2 };
enum { OP_CODE = 0, OP_INPUTS = 1, OP_OUTPUTS = 2, OP_OPTIONS = 4, OP_CUSTOM = 5 };

/* At most this many tensors of one operator; CONCATENATION is the widest. */
#define MAX_OP_TENSORS 256

static void read_codes(struct vrs_tflite_file *file, const struct vrs_fb_vector *codes)
{
	for (uint32_t i = 0; i < codes->count; i++) {
		struct vrs_fb_table table = vrs_fb_vector_table(&file->fb, codes, i);
		int32_t old = vrs_fb_i8(&file->fb, &table, CODE_OLD_BUILTIN, 0);
		int32_t builtin = vrs_fb_i32(&file->fb, &table, CODE_BUILTIN, 0);

		/* The old byte stops at 127; newer writers fill both fields. */
		file->codes[i].builtin = builtin > old ? builtin : old;
		vrs_fb_string(&file->fb, &table, CODE_CUSTOM, file->codes[i].custom, sizeof file->codes[i].custom);
	}
}

/* The bytes of a constant: inside the FlatBuffer, or behind it at an absolute offset (files above 2 GB use the latter). */
static void read_buffer(struct vrs_fb *fb, const struct vrs_fb_vector *buffers, uint32_t index, struct vrs_tflite_tensor *tensor)
{
	struct vrs_fb_table table;
	struct vrs_fb_vector bytes;
	uint64_t offset, size;

	if (index >= buffers->count) {
		if (index != 0)
			vrs_fb_fail(fb, VRS_EFORMAT, tensor->at, "a tensor names a buffer that does not exist");
		return;
	}
	table = vrs_fb_vector_table(fb, buffers, index);
	bytes = vrs_fb_vector(fb, &table, BUFFER_DATA, 1, UINT32_MAX);
	offset = vrs_fb_u64(fb, &table, BUFFER_OFFSET, 0);
	size = vrs_fb_u64(fb, &table, BUFFER_SIZE, 0);
	if (fb->status != VRS_OK)
		return;
	if (bytes.count > 0) {
		tensor->data = fb->data + bytes.at;
		tensor->data_bytes = bytes.count;
	} else if (offset > 1 && size > 0) {
		if (offset > fb->size || size > fb->size - offset) {
			vrs_fb_fail(fb, VRS_EFORMAT, table.at, "a buffer lies outside the file");
			return;
		}
		tensor->data = fb->data + offset;
		tensor->data_bytes = (size_t)size;
	}
}

static void read_tensor(struct vrs_tflite_file *file, const struct vrs_fb_table *table, const struct vrs_fb_vector *buffers,
			struct vrs_tflite_tensor *tensor)
{
	struct vrs_fb *fb = &file->fb;
	struct vrs_fb_vector shape = vrs_fb_vector(fb, table, TENSOR_SHAPE, 4, 64);

	tensor->at = table->at;
	tensor->type = vrs_fb_i8(fb, table, TENSOR_TYPE, VRS_TFLITE_F32);
	tensor->rank = shape.count <= VRS_MAX_RANK ? (int)shape.count : -1;
	for (int i = 0; i < tensor->rank; i++)
		tensor->dims[i] = vrs_fb_vector_i32(fb, &shape, (uint32_t)i);
	vrs_fb_string(fb, table, TENSOR_NAME, tensor->name, sizeof tensor->name);
	read_buffer(fb, buffers, (uint32_t)vrs_fb_i32(fb, table, TENSOR_BUFFER, 0), tensor);
}

static void check_indices(struct vrs_tflite_file *file, const struct vrs_fb_vector *indices, int32_t lowest)
{
	for (uint32_t i = 0; i < indices->count && file->fb.status == VRS_OK; i++) {
		int32_t index = vrs_fb_vector_i32(&file->fb, indices, i);

		if (index < lowest || (int64_t)index >= (int64_t)file->tensor_count)
			vrs_fb_fail(&file->fb, VRS_EFORMAT, indices->at + 4 * (size_t)i, "a tensor index is outside the list of tensors");
	}
}

static void read_op(struct vrs_tflite_file *file, const struct vrs_fb_table *table, struct vrs_tflite_op *op)
{
	struct vrs_fb *fb = &file->fb;
	uint32_t code = (uint32_t)vrs_fb_i32(fb, table, OP_CODE, 0);

	op->at = table->at;
	op->inputs = vrs_fb_vector(fb, table, OP_INPUTS, 4, MAX_OP_TENSORS);
	op->outputs = vrs_fb_vector(fb, table, OP_OUTPUTS, 4, MAX_OP_TENSORS);
	op->options = vrs_fb_child(fb, table, OP_OPTIONS);
	op->custom = vrs_fb_vector(fb, table, OP_CUSTOM, 1, UINT32_MAX);
	check_indices(file, &op->inputs, -1);
	check_indices(file, &op->outputs, 0);
	if (fb->status == VRS_OK && code >= file->code_count)
		vrs_fb_fail(fb, VRS_EFORMAT, table->at, "an operator has a code that does not exist");
	else if (fb->status == VRS_OK)
		op->code = &file->codes[code];
}

static enum vrs_status allocate(struct vrs_tflite_file *file)
{
	file->tensors = vrs_calloc(file->tensor_count + 1u, sizeof *file->tensors);
	file->codes = vrs_calloc(file->code_count + 1u, sizeof *file->codes);
	file->ops = vrs_calloc(file->op_count + 1u, sizeof *file->ops);
	if (file->tensors == NULL || file->codes == NULL || file->ops == NULL)
		return vrs_fail(file->fb.err, VRS_ENOMEM, "%s: out of memory", file->fb.name);
	return VRS_OK;
}

static enum vrs_status read_all(struct vrs_tflite_file *file)
{
	struct vrs_fb *fb = &file->fb;
	struct vrs_fb_table model = vrs_fb_root(fb), graph;
	int32_t version = vrs_fb_i32(fb, &model, MODEL_VERSION, 0);
	struct vrs_fb_vector codes = vrs_fb_vector(fb, &model, MODEL_CODES, 4, VRS_MODEL_MAX_OPCODES);
	struct vrs_fb_vector subgraphs = vrs_fb_vector(fb, &model, MODEL_SUBGRAPHS, 4, 64);
	struct vrs_fb_vector buffers = vrs_fb_vector(fb, &model, MODEL_BUFFERS, 4, VRS_MODEL_MAX_BUFFERS);
	struct vrs_fb_vector tensors, ops;

	if (fb->status != VRS_OK)
		return fb->status;
	if (version != 3)
		return vrs_fail(fb->err, VRS_EUNSUPPORTED, "%s: TFLite schema version %d; only version 3 is supported", fb->name, (int)version);
	if (subgraphs.count != 1)
		return vrs_fail(fb->err, VRS_EUNSUPPORTED, "%s: %u subgraphs; only networks of one subgraph are supported", fb->name,
				(unsigned)subgraphs.count);
	graph = vrs_fb_vector_table(fb, &subgraphs, 0);
	tensors = vrs_fb_vector(fb, &graph, GRAPH_TENSORS, 4, VRS_MODEL_MAX_TENSORS / 2);
	ops = vrs_fb_vector(fb, &graph, GRAPH_OPS, 4, VRS_MODEL_MAX_NODES / 2);
	file->inputs = vrs_fb_vector(fb, &graph, GRAPH_INPUTS, 4, 8);
	file->outputs = vrs_fb_vector(fb, &graph, GRAPH_OUTPUTS, 4, 8);
	file->tensor_count = tensors.count;
	file->code_count = codes.count;
	file->op_count = ops.count;
	if (fb->status != VRS_OK || allocate(file) != VRS_OK)
		return fb->status != VRS_OK ? fb->status : VRS_ENOMEM;
	read_codes(file, &codes);
	for (uint32_t i = 0; i < tensors.count && fb->status == VRS_OK; i++) {
		struct vrs_fb_table table = vrs_fb_vector_table(fb, &tensors, i);

		read_tensor(file, &table, &buffers, &file->tensors[i]);
	}
	check_indices(file, &file->inputs, 0);
	check_indices(file, &file->outputs, 0);
	for (uint32_t i = 0; i < ops.count && fb->status == VRS_OK; i++) {
		struct vrs_fb_table table = vrs_fb_vector_table(fb, &ops, i);

		read_op(file, &table, &file->ops[i]);
	}
	return fb->status;
}

enum vrs_status vrs_tflite_open(struct vrs_tflite_file *ret_file, const void *data, size_t size, const char *name, struct vrs_error *err)
{
	struct vrs_tflite_file file = {0};
	enum vrs_status status;

	vrs_fb_init(&file.fb, data, size, name, err);
	status = read_all(&file);
	if (status != VRS_OK) {
		vrs_tflite_close(&file);
		return status;
	}
	*ret_file = file;
	return VRS_OK;
}

void vrs_tflite_close(struct vrs_tflite_file *file)
{
	vrs_free(file->tensors);
	vrs_free(file->codes);
	vrs_free(file->ops);
	memset(file, 0, sizeof *file);
}
