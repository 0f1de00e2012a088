/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "onnx/case_file.h"

#include <math.h>
#include <onnx/onnx.pb-c.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "graph/eval.h"

#define MAX_FILE ((size_t)256 << 20)

/* ONNX's numbers of types; -1: no tensor of ours. */
static const int types[] = {-1, VRS_F32, VRS_U8, VRS_I8, VRS_U16, VRS_I16, VRS_I32, VRS_I64, -1, VRS_BOOL, VRS_F16, VRS_F64, VRS_U32, VRS_U64,
	-1, -1,
	VRS_BF16};

/* The i-th value of the typed fields, as the bytes of an element. */
static void take_value(const Onnx__TensorProto *tensor, enum vrs_dtype dtype, size_t i, void *data)
{
	if (tensor->n_float_data > i)
		vrs_store_f64(dtype, data, i, (double)tensor->float_data[i]);
	else if (tensor->n_double_data > i)
		vrs_store_f64(dtype, data, i, tensor->double_data[i]);
	else if (tensor->n_int64_data > i)
		vrs_store_i64(dtype, data, i, tensor->int64_data[i]);
	else if (tensor->n_uint64_data > i)
		vrs_store_i64(dtype, data, i, (int64_t)tensor->uint64_data[i]);
	else if (tensor->n_int32_data > i && (dtype == VRS_F16 || dtype == VRS_BF16))
		((uint16_t *)data)[i] = (uint16_t)tensor->int32_data[i];
	else if (tensor->n_int32_data > i)
		vrs_store_i64(dtype, data, i, tensor->int32_data[i]);
}

static size_t typed_count(const Onnx__TensorProto *t)
{
	return t->n_float_data + t->n_double_data + t->n_int64_data + t->n_uint64_data + t->n_int32_data;
}

static enum vrs_status convert(struct vrs_npy *array, const Onnx__TensorProto *tensor, const char *path, struct vrs_error *err)
{
	int type = tensor->has_data_type && (size_t)tensor->data_type < sizeof types / sizeof *types ? types[tensor->data_type] : -1;

	if (type < 0 || tensor->n_dims > VRS_MAX_RANK)
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s is no plain tensor", path);
	array->dtype = (enum vrs_dtype)type;
	array->rank = (int)tensor->n_dims;
	array->elements = 1;
	for (int i = 0; i < array->rank; i++) {
		array->dims[i] = tensor->dims[i];
		array->elements *= (size_t)tensor->dims[i];
	}
	array->bytes = array->elements * vrs_dtype_size(array->dtype);
	if (array->elements > (size_t)1 << 28 || (tensor->has_raw_data ? tensor->raw_data.len != array->bytes : typed_count(tensor) != array->elements))
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s holds no values for its shape", path);
	array->data = vrs_alloc_aligned(64, array->bytes > 0 ? array->bytes : 1);
	if (array->data == NULL)
		return vrs_fail(err, VRS_ENOMEM, "out of memory");
	if (tensor->has_raw_data && array->bytes > 0)
		memcpy(array->data, tensor->raw_data.data, array->bytes);
	for (size_t i = 0; i < array->elements && !tensor->has_raw_data; i++)
		take_value(tensor, array->dtype, i, array->data);
	return VRS_OK;
}

static enum vrs_status read_tensor(struct vrs_npy *ret_array, const char *path, struct vrs_error *err)
{
	struct vrs_buf file;
	Onnx__TensorProto *tensor;
	enum vrs_status status = vrs_file_read(path, MAX_FILE, &file, err);

	*ret_array = (struct vrs_npy){0};
	if (status != VRS_OK)
		return status;
	tensor = onnx__tensor_proto__unpack(NULL, file.len, (const uint8_t *)vrs_buf_str(&file));
	status = tensor != NULL ? convert(ret_array, tensor, path, err) : vrs_fail(err, VRS_EUNSUPPORTED, "%s is no tensor", path);
	if (tensor != NULL)
		onnx__tensor_proto__free_unpacked(tensor, NULL);
	vrs_buf_fini(&file);
	return status;
}

static enum vrs_status read_all(struct vrs_npy *arrays, int *count, const char *dir, int set, const char *kind, struct vrs_error *err)
{
	for (*count = 0; *count < VRS_MAX_ENDS; ++*count) {
		char path[1200];
		enum vrs_status status;

		snprintf(path, sizeof path, "%s/test_data_set_%d/%s_%d.pb", dir, set, kind, *count);
		if (!vrs_path_exists(path))
			break;
		status = read_tensor(&arrays[*count], path, err);
		if (status != VRS_OK)
			return status;
	}
	return VRS_OK;
}

enum vrs_status case_set_read(struct case_set *ret_set, const char *dir, int set, struct vrs_error *err)
{
	char path[1200];
	enum vrs_status status;

	memset(ret_set, 0, sizeof *ret_set);
	snprintf(path, sizeof path, "%s/test_data_set_%d", dir, set);
	if (!vrs_path_exists(path))
		return VRS_END;
	status = read_all(ret_set->inputs, &ret_set->input_count, dir, set, "input", err);
	if (status == VRS_OK)
		status = read_all(ret_set->outputs, &ret_set->output_count, dir, set, "output", err);
	if (status != VRS_OK)
		case_set_fini(ret_set);
	return status;
}

void case_set_fini(struct case_set *set)
{
	for (int i = 0; i < VRS_MAX_ENDS; i++) {
		vrs_npy_fini(&set->inputs[i]);
		vrs_npy_fini(&set->outputs[i]);
	}
}

static bool same_number(double a, double b, double absolute, double relative)
{
	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b);
	return a == b || fabs(a - b) <= absolute + relative * fabs(b);
}

static double largest(const struct vrs_npy *array)
{
	double most = 0;

	for (size_t i = 0; i < array->elements; i++) {
		double value = fabs(vrs_load_f64(array->dtype, array->data, i));

		if (isfinite(value) && value > most)
			most = value;
	}
	return most;
}

static void dims_text(char *buf, size_t size, int rank, const int64_t *dims)
{
	size_t used = 0;

	buf[0] = '\0';
	for (int i = 0; i < rank && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%lld", i > 0 ? "x" : "", (long long)dims[i]);
}

static enum vrs_status compare_shapes(const struct vrs_npy *want, enum vrs_dtype dtype, int rank, const int *dims, struct vrs_error *err)
{
	int64_t got[VRS_MAX_RANK] = {0};
	char a[128], b[128];
	bool same = want->dtype == dtype && want->rank == rank;

	for (int i = 0; i < rank; i++) {
		got[i] = dims[i];
		same = same && got[i] == want->dims[i];
	}
	if (same)
		return VRS_OK;
	dims_text(a, sizeof a, rank, got);
	dims_text(b, sizeof b, want->rank, want->dims);
	return vrs_fail(err, VRS_EFORMAT, "is %s [%s], not %s [%s]", vrs_dtype_name(dtype), a, vrs_dtype_name(want->dtype), b);
}

enum vrs_status case_compare(const struct vrs_npy *want, enum vrs_dtype dtype, int rank, const int *dims, const void *data,
			     const struct case_tolerance *tolerance, struct vrs_error *err)
{
	enum vrs_status status = compare_shapes(want, dtype, rank, dims, err);
	size_t wrong = 0, first = 0;
	double absolute = tolerance->absolute;

	if (status != VRS_OK)
		return status;
	if (tolerance->of_largest > 0)
		absolute += tolerance->of_largest * largest(want);
	for (size_t i = 0; i < want->elements; i++) {
		double got = vrs_load_f64(dtype, data, i), wanted = vrs_load_f64(dtype, want->data, i);
		bool same = vrs_dtype_is_float(dtype) ? same_number(got, wanted, absolute, tolerance->relative) :
							vrs_load_i64(dtype, data, i) == vrs_load_i64(dtype, want->data, i);

		if (!same && wrong++ == 0)
			first = i;
	}
	if (wrong == 0)
		return VRS_OK;
	return vrs_fail(err, VRS_EFORMAT, "differs in %zu of %zu values; value %zu is %.9g, not %.9g", wrong, want->elements, first,
			vrs_load_f64(dtype, data, first), vrs_load_f64(dtype, want->data, first));
}
