/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stored tensors of an ONNX file to constants of the graph. */
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "graph/eval.h"
#include "graph/model_limits.h"
#include "graph/onnx_build.h"

/* Where a tensor keeps its values. */
struct values {
	const void *data;      /* NULL: none, or external */
	size_t bytes;
	size_t stride;         /* bytes from one value to the next: typed fields store small types in wider ones */
};

static const struct {
	const char *name;
	bool known;
	enum vrs_dtype dtype;
} types[] = {
	[1] = {"float32", true, VRS_F32},  [2] = {"uint8", true, VRS_U8},     [3] = {"int8", true, VRS_I8},
	[4] = {"uint16", true, VRS_U16},   [5] = {"int16", true, VRS_I16},    [6] = {"int32", true, VRS_I32},
	[7] = {"int64", true, VRS_I64},    [8] = {"string", false, VRS_F32},  [9] = {"bool", true, VRS_BOOL},
	[10] = {"float16", true, VRS_F16}, [11] = {"float64", true, VRS_F64}, [12] = {"uint32", true, VRS_U32},
	[13] = {"uint64", true, VRS_U64},  [14] = {"complex64", false, VRS_F32}, [15] = {"complex128", false, VRS_F32},
	[16] = {"bfloat16", true, VRS_BF16},
};

const char *vrs_onnx_type_name(int32_t type)
{
	return type > 0 && (size_t)type < sizeof types / sizeof *types ? types[type].name : "of an unknown type";
}

bool vrs_onnx_dtype(int64_t type, enum vrs_dtype *ret_dtype)
{
	if (type <= 0 || (size_t)type >= sizeof types / sizeof *types || !types[type].known)
		return false;
	*ret_dtype = types[type].dtype;
	return true;
}

enum vrs_dtype vrs_onnx_inner_type(enum vrs_dtype dtype)
{
	return dtype == VRS_F16 || dtype == VRS_BF16 ? VRS_F32 : dtype;
}

/* The typed field of a type. */
static struct values typed_values(const Onnx__TensorProto *tensor, enum vrs_dtype dtype)
{
	switch (dtype) {
	case VRS_F32: return (struct values){tensor->float_data, tensor->n_float_data * 4, 4};
	case VRS_F64: return (struct values){tensor->double_data, tensor->n_double_data * 8, 8};
	case VRS_I64: return (struct values){tensor->int64_data, tensor->n_int64_data * 8, 8};
	case VRS_U32:
	case VRS_U64: return (struct values){tensor->uint64_data, tensor->n_uint64_data * 8, 8};
	default: return (struct values){tensor->int32_data, tensor->n_int32_data * 4, 4};
	}
}

static enum vrs_status read_dims(struct vrs_onnx_build *build, const Onnx__TensorProto *tensor, struct vrs_graph_tensor *out, size_t *ret_count)
{
	int64_t count = 1;

	if (tensor->n_dims > VRS_MAX_RANK)
		return vrs_fail(build->err, VRS_ELIMIT, "the tensor %.100s has %zu dimensions, more than %d", out->name, tensor->n_dims, VRS_MAX_RANK);
	out->rank = (int)tensor->n_dims;
	for (int i = 0; i < out->rank; i++) {
		int64_t dim = tensor->dims[i];

		if (dim < 0)
			return vrs_fail(build->err, VRS_EFORMAT, "the tensor %.100s has the size %lld in dimension %d", out->name, (long long)dim, i);
		if (dim > VRS_MODEL_MAX_DIM || dim * count > VRS_MODEL_MAX_ELEMENTS)
			return vrs_fail(build->err, VRS_ELIMIT, "the tensor %.100s has more than %lld elements, or %lld in a dimension", out->name,
					(long long)VRS_MODEL_MAX_ELEMENTS, (long long)VRS_MODEL_MAX_DIM);
		out->dims[i] = dim;
		count *= dim;
	}
	*ret_count = (size_t)count;
	return VRS_OK;
}

static bool is_external(const Onnx__TensorProto *tensor)
{
	return tensor->has_data_location && tensor->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
}

/* Find count values of size bytes each; data NULL afterwards: external, or no values at all. */
static enum vrs_status find_values(struct vrs_onnx_build *build, const Onnx__TensorProto *tensor, enum vrs_dtype dtype, const char *name,
				   size_t count, struct values *ret)
{
	size_t size = vrs_dtype_size(dtype), found;

	if (is_external(tensor)) {
		*ret = (struct values){.stride = size};
		return VRS_OK;
	}
	if (tensor->segment != NULL)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "the tensor %.100s is stored in segments", name);
	if (tensor->has_raw_data && (tensor->raw_data.len > 0 || count == 0))
		*ret = (struct values){tensor->raw_data.data, tensor->raw_data.len, size};
	else
		*ret = typed_values(tensor, dtype);
	found = ret->bytes / ret->stride;
	if (found != count || ret->bytes % ret->stride != 0)
		return vrs_fail(build->err, VRS_EFORMAT, "the tensor %.100s has %zu bytes of values, its shape needs %zu values", name, ret->bytes, count);
	return VRS_OK;
}

/* Values of type from, stride bytes apart, to dense ones of type to: the same type, or 16-bit floats to F32. */
static void convert(void *out, enum vrs_dtype to, const struct values *values, enum vrs_dtype from, size_t count)
{
	size_t size = vrs_dtype_size(from);

	if (to == from && values->stride == size && to != VRS_BOOL) {
		if (count > 0)
			memcpy(out, values->data, count * size);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const char *at = (const char *)values->data + i * values->stride; /* little-endian: the low bytes come first */
		uint64_t value = 0;

		memcpy(&value, at, size);
		if (to == VRS_BOOL)
			((uint8_t *)out)[i] = value != 0;
		else if (to == from)
			memcpy((char *)out + i * size, &value, size);
		else
			((float *)out)[i] = (float)vrs_load_f64(from, &value, 0);
	}
}

/* External values: into the constant itself, or through a buffer when they are converted. */
static enum vrs_status fill_external(struct vrs_onnx_build *build, const struct vrs_onnx_external *external, void *out, enum vrs_dtype to,
				     enum vrs_dtype from, size_t count)
{
	struct values values = {.bytes = external->size, .stride = vrs_dtype_size(from)};
	enum vrs_status status;
	void *buffer;

	if (to == from && to != VRS_BOOL)
		return vrs_onnx_read_external(build, external, out);
	buffer = vrs_alloc(external->size);
	if (buffer == NULL)
		return vrs_fail_nomem(build->err);
	values.data = buffer;
	status = vrs_onnx_read_external(build, external, buffer);
	if (status == VRS_OK)
		convert(out, to, &values, from, count);
	vrs_free(buffer);
	return status;
}

/* The file must hold the values before memory for them is taken. */
static enum vrs_status make_constant(struct vrs_onnx_build *build, const Onnx__TensorProto *tensor, enum vrs_dtype from, struct vrs_graph_tensor *out,
				     size_t count)
{
	struct vrs_onnx_external external = {.fd = -1};
	struct values values = {0};
	enum vrs_status status = find_values(build, tensor, from, out->name, count, &values);
	void *data = NULL;

	out->data_bytes = count * vrs_dtype_size(out->dtype); /* at most 2^31 values */
	if (status == VRS_OK && is_external(tensor))
		status = vrs_onnx_open_external(build, tensor, count * vrs_dtype_size(from), &external);
	if (status == VRS_OK)
		status = vrs_onnx_charge(build, &build->const_bytes, out->data_bytes);
	if (status == VRS_OK && (data = vrs_graph_store(&build->graph, NULL, out->data_bytes)) == NULL)
		status = vrs_fail_nomem(build->err);
	if (status == VRS_OK && external.fd >= 0)
		status = fill_external(build, &external, data, out->dtype, from, count);
	else if (status == VRS_OK)
		convert(data, out->dtype, &values, from, count);
	if (external.fd >= 0)
		close(external.fd);
	out->data = data;
	return status;
}

int32_t vrs_onnx_tensor_const(struct vrs_onnx_build *build, const Onnx__TensorProto *tensor, const char *name)
{
	struct vrs_graph_tensor out = {.rank = 0};
	enum vrs_dtype from = VRS_F32;
	enum vrs_status status;
	size_t count = 0;

	(void)vrs_strcpy(out.name, sizeof out.name, name); /* a cut name still tells the tensor */
	if (!vrs_onnx_dtype(tensor->data_type, &from)) {
		vrs_onnx_missing(build, "stored tensor", out.name, vrs_onnx_type_name(tensor->data_type));
		return vrs_onnx_add_unknown(build, out.name);
	}
	out.dtype = vrs_onnx_inner_type(from);
	status = read_dims(build, tensor, &out, &count);
	if (status == VRS_OK)
		status = make_constant(build, tensor, from, &out, count);
	return status == VRS_OK ? vrs_onnx_add_tensor(build, &out) : (int32_t)status;
}
