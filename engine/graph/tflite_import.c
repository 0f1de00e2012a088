/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/tflite_import.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "graph/half.h"
#include "graph/model_limits.h"
#include "graph/passes.h"
#include "graph/tflite_ops.h"

bool vrs_tflite_probe(const void *data, size_t size)
{
	return size >= 8 && memcmp((const char *)data + 4, "TFL3", 4) == 0;
}

static const char *type_name(int type)
{
	static const char *const names[] = {"float32", "float16", "int32", "uint8", "int64", "string", "bool", "int16", "complex64", "int8", "float64"};

	return type >= 0 && (size_t)type < sizeof names / sizeof *names ? names[type] : "unknown type";
}

static size_t type_size(int type)
{
	switch (type) {
	case VRS_TFLITE_F32:
	case VRS_TFLITE_I32: return 4;
	case VRS_TFLITE_F16: return 2;
	case VRS_TFLITE_I64: return 8;
	default: return 0;
	}
}

static int64_t load_int(const struct vrs_tflite_tensor *tensor, size_t i)
{
	if (tensor->type == VRS_TFLITE_I64) {
		int64_t wide;

		memcpy(&wide, tensor->data + i * 8, sizeof wide);
		return wide;
	} else {
		int32_t value;

		memcpy(&value, tensor->data + i * 4, sizeof value);
		return value;
	}
}

/* Number of values of a constant whose bytes fill its shape exactly. */
static enum vrs_status count_const(struct vrs_tflite_build *build, const struct vrs_tflite_tensor *tensor, size_t *ret_count)
{
	size_t size = type_size(tensor->type), count = 1;

	if (size == 0)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "constant %s is %s; quantised and other non-float networks are not supported", tensor->name,
				type_name(tensor->type));
	if (tensor->rank < 0)
		return vrs_fail(build->err, VRS_ELIMIT, "constant %s has more than %d dimensions", tensor->name, VRS_MAX_RANK);
	for (int i = 0; i < tensor->rank; i++)
		if (tensor->dims[i] < 1 || !vrs_mul_size(count, (size_t)tensor->dims[i], &count) || count > tensor->data_bytes)
			return vrs_fail(build->err, VRS_EFORMAT, "constant %s: its shape does not fit its %zu bytes", tensor->name, tensor->data_bytes);
	if (count > tensor->data_bytes / size || count * size != tensor->data_bytes)
		return vrs_fail(build->err, VRS_EFORMAT, "constant %s has %zu bytes, its shape needs %zu", tensor->name, tensor->data_bytes, count * size);
	*ret_count = count;
	return VRS_OK;
}

static enum vrs_status import_const(struct vrs_tflite_build *build, const struct vrs_tflite_tensor *tensor, int32_t *ret_id)
{
	bool integer = tensor->type == VRS_TFLITE_I32 || tensor->type == VRS_TFLITE_I64;
	struct vrs_graph_tensor added = {.dtype = integer ? VRS_I32 : VRS_F32, .rank = tensor->rank};
	size_t count = 0;
	uint8_t *data;

	VRS_TRY(count_const(build, tensor, &count));
	VRS_TRY(vrs_graph_charge(&build->const_bytes, count * 4, build->file.fb.size, 0, build->err));
	data = vrs_graph_store(&build->graph, NULL, count * 4);
	if (data == NULL)
		return vrs_fail_nomem(build->err);
	if (tensor->type == VRS_TFLITE_F16)
		vrs_half_to_floats((float *)(void *)data, tensor->data, count);
	else if (!integer)
		memcpy(data, tensor->data, count * 4);
	for (size_t i = 0; i < count && integer; i++) {
		int64_t wide = load_int(tensor, i);
		int32_t value = wide < INT32_MIN ? INT32_MIN : wide > INT32_MAX ? INT32_MAX : (int32_t)wide;

		memcpy(data + i * 4, &value, sizeof value);
	}
	memcpy(added.name, tensor->name, sizeof added.name);
	memcpy(added.dims, tensor->dims, sizeof added.dims);
	added.data = data;
	added.data_bytes = count * 4;
	return vrs_tflite_added(build, *ret_id = vrs_graph_add_tensor(&build->graph, &added));
}

enum vrs_status vrs_tflite_input(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, uint32_t k, int32_t *ret_id)
{
	int32_t index = k < op->inputs.count ? vrs_fb_vector_i32(&build->file.fb, &op->inputs, k) : -1;
	const struct vrs_tflite_tensor *tensor;

	*ret_id = -1;
	if (index < 0)
		return VRS_OK;
	tensor = &build->file.tensors[index];
	if (build->map[index] < 0 && tensor->data != NULL)
		VRS_TRY(import_const(build, tensor, &build->map[index]));
	if (build->map[index] < 0)
		return vrs_fail(build->err, VRS_EFORMAT, "its input %u (%s) is not computed before", (unsigned)k, tensor->name);
	*ret_id = build->map[index];
	return VRS_OK;
}

enum vrs_status vrs_tflite_ints(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, uint32_t k, int64_t *ret_values, int max,
				int *ret_count)
{
	int32_t index = k < op->inputs.count ? vrs_fb_vector_i32(&build->file.fb, &op->inputs, k) : -1;
	const struct vrs_tflite_tensor *tensor = index >= 0 ? &build->file.tensors[index] : NULL;
	size_t count = 0;

	if (tensor == NULL || tensor->data == NULL || (tensor->type != VRS_TFLITE_I32 && tensor->type != VRS_TFLITE_I64))
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "its input %u is not an integer constant", (unsigned)k);
	VRS_TRY(count_const(build, tensor, &count));
	if (count > (size_t)max)
		return vrs_fail(build->err, VRS_ELIMIT, "its input %u has %zu values, more than %d", (unsigned)k, count, max);
	for (size_t i = 0; i < count; i++)
		ret_values[i] = load_int(tensor, i);
	*ret_count = (int)count;
	return VRS_OK;
}

static enum vrs_status append(struct vrs_tflite_build *build, const struct vrs_graph_tensor *out, struct vrs_node *node)
{
	int32_t id;

	node->out = vrs_graph_add_tensor(&build->graph, out);
	if (node->name[0] == '\0')
		memcpy(node->name, out->name, sizeof node->name);
	id = node->out < 0 ? node->out : vrs_graph_add_node(&build->graph, node);
	if (id < 0)
		return vrs_fail(build->err, (enum vrs_status)id, "the network needs too many nodes, or memory is out");
	VRS_TRY(vrs_node_validate(&build->graph, id, build->err));
	VRS_TRY(vrs_node_infer(&build->graph, id, build->err));
	/* Only folds of stored constants reach the charge: an activation has at least one input that is not constant. */
	for (int i = 0; i < node->inputs; i++)
		if (node->in[i] >= 0 && build->graph.tensors[node->in[i]].data == NULL)
			return VRS_OK;
	if (node->op != VRS_OP_RESHAPE)
		VRS_TRY(vrs_graph_charge(&build->const_bytes, vrs_tensor_elements(&build->graph.tensors[node->out]) * 4, build->file.fb.size, 0, build->err));
	return vrs_node_fold(&build->graph, id, build->err);
}

enum vrs_status vrs_tflite_emit(struct vrs_tflite_build *build, const struct vrs_tflite_op *op, struct vrs_node *node)
{
	int32_t index = vrs_fb_vector_i32(&build->file.fb, &op->outputs, 0);
	const struct vrs_tflite_tensor *tensor = &build->file.tensors[index];
	struct vrs_graph_tensor out = {.dtype = VRS_F32};
	const struct vrs_graph_tensor *made;

	if (build->map[index] >= 0 || tensor->data != NULL)
		return vrs_fail(build->err, VRS_EFORMAT, "its output %s is a constant or already computed", tensor->name);
	if (tensor->type != VRS_TFLITE_F32)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "its output %s is %s; only float32 is supported", tensor->name, type_name(tensor->type));
	memcpy(out.name, tensor->name, sizeof out.name);
	VRS_TRY(append(build, &out, node));
	build->map[index] = node->out;
	made = &build->graph.tensors[node->out];
	/* The file stores the shape too: a difference means that the operator was read wrongly. Rank 0 is how old writers say "unknown". */
	if (tensor->rank != 0 && (tensor->rank != made->rank || memcmp(tensor->dims, made->dims, (size_t)made->rank * sizeof *made->dims) != 0))
		return vrs_fail(build->err, VRS_EFORMAT, "its output %s has another shape in the file than the operator gives", tensor->name);
	return VRS_OK;
}

enum vrs_status vrs_tflite_emit_part(struct vrs_tflite_build *build, struct vrs_node *node, int32_t *ret_out)
{
	struct vrs_graph_tensor out = {.dtype = VRS_F32};
	enum vrs_status status;

	memcpy(out.name, node->name, sizeof out.name);
	status = append(build, &out, node);
	*ret_out = node->out;
	return status;
}

enum vrs_status vrs_tflite_shape(struct vrs_tflite_build *build, const int32_t *dims, int count, int32_t *ret_id)
{
	int64_t length = count;

	return vrs_tflite_added(build, *ret_id = vrs_graph_add_const(&build->graph, "shape", VRS_I32, 1, &length, dims));
}

enum vrs_status vrs_tflite_added(struct vrs_tflite_build *build, int32_t id)
{
	return id >= 0 ? VRS_OK : vrs_fail(build->err, (enum vrs_status)id, "too many tensors, or out of memory");
}

/* "GATHER (node 3), CUMSUM (nodes 5, 9)": every operator of the file without a lowering, cut with dots when the sentence gets too long. */
static enum vrs_status check_supported(const struct vrs_tflite_build *build)
{
	const struct vrs_tflite_file *file = &build->file;
	char text[400] = "", number[32];
	size_t len = 0;

	for (uint32_t c = 0; c < file->code_count; c++) {
		bool first = true;

		for (uint32_t i = 0; i < file->op_count; i++) {
			int n;

			if (file->ops[i].code != &file->codes[c] || vrs_tflite_lower(&file->codes[c]) != NULL)
				continue;
			n = first ? snprintf(text + len, sizeof text - len, "%s%s (node %u", len > 0 ? "), " : "",
					     vrs_tflite_op_name(&file->codes[c], number, sizeof number), (unsigned)i)
				  : snprintf(text + len, sizeof text - len, ", %u", (unsigned)i);
			first = false;
			if (n < 0 || (size_t)n >= sizeof text - len) {
				text[len] = '\0';
				return vrs_fail(build->err, VRS_EUNSUPPORTED, "%s: operators that are not supported: %s) and more", file->fb.name, text);
			}
			len += (size_t)n;
		}
	}
	return len == 0 ? VRS_OK
			: vrs_fail(build->err, VRS_EUNSUPPORTED, "%s: operators that are not supported: %s)", file->fb.name, text);
}

static enum vrs_status import_inputs(struct vrs_tflite_build *build)
{
	struct vrs_tflite_file *file = &build->file;

	for (uint32_t i = 0; i < file->inputs.count; i++) {
		int32_t index = vrs_fb_vector_i32(&file->fb, &file->inputs, i);
		const struct vrs_tflite_tensor *tensor = &file->tensors[index];
		struct vrs_graph_tensor input = {.dtype = VRS_F32, .rank = tensor->rank};
		int64_t elements = 1;

		if (tensor->data != NULL || build->map[index] >= 0 || tensor->rank < 0)
			return vrs_fail(build->err, VRS_EFORMAT, "%s: damaged at byte %zu: input %u is not a tensor of its own", file->fb.name, tensor->at,
					(unsigned)i);
		if (tensor->type != VRS_TFLITE_F32)
			return vrs_fail(build->err, VRS_EUNSUPPORTED, "%s: its input is %s; only float32 networks are supported", file->fb.name,
					type_name(tensor->type));
		for (int k = 0; k < tensor->rank; k++)
			if (tensor->dims[k] < 1 || tensor->dims[k] > VRS_MODEL_MAX_DIM || (elements *= tensor->dims[k]) > VRS_MODEL_MAX_ELEMENTS)
				return vrs_fail(build->err, VRS_EUNSUPPORTED, "%s: at byte %zu: input %u has the size %lld in dimension %d, which is open or too large",
						file->fb.name, tensor->at, (unsigned)i, (long long)tensor->dims[k], k);
		memcpy(input.name, tensor->name, sizeof input.name);
		memcpy(input.dims, tensor->dims, sizeof input.dims);
		build->map[index] = vrs_graph_add_tensor(&build->graph, &input);
		if (build->map[index] < 0)
			return vrs_fail_nomem(build->err);
		build->graph.inputs[build->graph.input_count++] = build->map[index];
	}
	return VRS_OK;
}

static enum vrs_status import_op(struct vrs_tflite_build *build, uint32_t i)
{
	const struct vrs_tflite_op *op = &build->file.ops[i];
	struct vrs_error inner = {0}, *outer = build->err;
	char number[32];
	enum vrs_status status;

	build->err = &inner;
	if (op->outputs.count != 1 || op->inputs.count < 1)
		status = vrs_fail(&inner, VRS_EFORMAT, "it has %u inputs and %u outputs", (unsigned)op->inputs.count, (unsigned)op->outputs.count);
	else
		status = vrs_tflite_lower(op->code)(build, op);
	build->err = outer;
	if (build->file.fb.status != VRS_OK) /* damage found while reading options; the reader has named the place */
		return build->file.fb.status;
	if (status == VRS_OK)
		return VRS_OK;
	return vrs_fail(outer, status, "%s: operator %u (%s) at byte %zu: %s", build->file.fb.name, (unsigned)i,
			vrs_tflite_op_name(op->code, number, sizeof number), op->at, inner.text);
}

static enum vrs_status import_graph(struct vrs_tflite_build *build)
{
	struct vrs_tflite_file *file = &build->file;
	enum vrs_status status = check_supported(build);

	build->map = vrs_calloc(file->tensor_count + 1u, sizeof *build->map);
	if (build->map == NULL)
		return vrs_fail(build->err, VRS_ENOMEM, "%s: out of memory", file->fb.name);
	for (uint32_t i = 0; i < file->tensor_count; i++)
		build->map[i] = -1;
	if (status == VRS_OK)
		status = import_inputs(build);
	for (uint32_t i = 0; i < file->op_count && status == VRS_OK; i++)
		status = import_op(build, i);
	for (uint32_t i = 0; i < file->outputs.count && status == VRS_OK; i++) {
		int32_t index = vrs_fb_vector_i32(&file->fb, &file->outputs, i);

		if (build->map[index] < 0)
			return vrs_fail(build->err, VRS_EFORMAT, "%s: damaged at byte %zu: output %u is never computed", file->fb.name,
					file->tensors[index].at, (unsigned)i);
		build->graph.outputs[build->graph.output_count++] = build->map[index];
	}
	return status;
}

enum vrs_status vrs_tflite_import(struct vrs_graph *ret_graph, const void *data, size_t size, const char *name, struct vrs_error *err)
{
	struct vrs_tflite_build build = {.err = err};
	struct vrs_error inner = {0};
	enum vrs_status status;

	if (size > VRS_MODEL_MAX_FILE_BYTES)
		return vrs_fail(err, VRS_ELIMIT, "%s: %zu bytes, more than %zu", name, size, VRS_MODEL_MAX_FILE_BYTES);
	status = vrs_tflite_open(&build.file, data, size, name, err);
	if (status != VRS_OK)
		return status;
	vrs_graph_init(&build.graph);
	status = import_graph(&build);
	if (status == VRS_OK && (status = vrs_graph_validate(&build.graph, &inner)) != VRS_OK)
		status = vrs_fail(err, status, "%s: %s", name, inner.text);
	vrs_free(build.map);
	vrs_tflite_close(&build.file);
	if (status != VRS_OK)
		vrs_graph_fini(&build.graph);
	else
		*ret_graph = build.graph;
	return status;
}
