/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NumPy array files: whole arrays from and to memory; the header is npy_header.c. */
#include <vrseg/npy.h>

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "graph/model_limits.h"
#include "graph/npy_header.h"

/* Elements and bytes of the shape, within the limits. */
static enum vrs_status measure(struct vrs_npy *array, const struct vrs_npy_header *header, const char *name, struct vrs_error *err)
{
	array->dtype = header->dtype;
	array->rank = header->rank;
	array->elements = 1;
	memcpy(array->dims, header->dims, sizeof array->dims);
	for (int i = 0; i < header->rank; i++)
		if (!vrs_mul_size(array->elements, (size_t)header->dims[i], &array->elements) || array->elements > (size_t)VRS_MODEL_MAX_ELEMENTS)
			return vrs_fail(err, VRS_ELIMIT, "%s has more than %lld elements", name, (long long)VRS_MODEL_MAX_ELEMENTS);
	array->bytes = array->elements * vrs_dtype_size(header->dtype); /* at most 2^34 */
	return VRS_OK;
}

/* First dim fastest to last dim fastest: the output is written in order, a counter of the dims walks the input. */
static void reorder(void *out, const void *in, const struct vrs_npy *array)
{
	size_t size = vrs_dtype_size(array->dtype), stride[VRS_MAX_RANK], index = 0;
	int64_t at[VRS_MAX_RANK] = {0};

	for (int i = 0; i < array->rank; i++)
		stride[i] = i == 0 ? 1 : stride[i - 1] * (size_t)array->dims[i - 1];
	for (size_t n = 0; n < array->elements; n++) {
		memcpy((char *)out + n * size, (const char *)in + index * size, size);
		for (int i = array->rank - 1; i >= 0; i--) {
			index += stride[i];
			if (++at[i] < array->dims[i])
				break;
			index -= stride[i] * (size_t)array->dims[i];
			at[i] = 0;
		}
	}
}

/* Any byte but 0 is true to NumPy; kernels rely on 1. */
static void normalise_bools(struct vrs_npy *array)
{
	unsigned char *bytes = array->data;

	for (size_t i = 0; i < array->bytes; i++)
		bytes[i] = bytes[i] != 0;
}

enum vrs_status vrs_npy_parse(struct vrs_npy *ret_array, const void *data, size_t size, const char *name, struct vrs_error *err)
{
	struct vrs_npy array = {0};
	struct vrs_npy_header header;
	const char *elements;
	enum vrs_status status;

	*ret_array = array;
	status = vrs_npy_header_parse(&header, data, size, name, err);
	if (status == VRS_OK)
		status = measure(&array, &header, name, err);
	if (status != VRS_OK)
		return status;
	if (size - header.data_offset != array.bytes)
		return vrs_fail(err, VRS_EFORMAT, "%s is damaged: %zu bytes follow its header, its shape needs %zu", name, size - header.data_offset,
				array.bytes);
	array.data = vrs_alloc_aligned(64, array.bytes > 0 ? array.bytes : 1);
	if (array.data == NULL)
		return vrs_fail(err, VRS_ENOMEM, "%s: out of memory for %zu bytes", name, array.bytes);
	elements = (const char *)data + header.data_offset;
	if (header.fortran_order && array.rank > 1)
		reorder(array.data, elements, &array);
	else
		memcpy(array.data, elements, array.bytes);
	if (array.dtype == VRS_BOOL)
		normalise_bools(&array);
	*ret_array = array;
	return VRS_OK;
}

enum vrs_status vrs_npy_read(struct vrs_npy *ret_array, const char *path, struct vrs_error *err)
{
	struct vrs_buf file;
	enum vrs_status status;

	*ret_array = (struct vrs_npy){0};
	status = vrs_file_read(path, VRS_NPY_MAX_FILE_BYTES, &file, err);
	if (status != VRS_OK)
		return status;
	status = vrs_npy_parse(ret_array, vrs_buf_str(&file), file.len, path, err);
	vrs_buf_fini(&file);
	return status;
}

void vrs_npy_fini(struct vrs_npy *array)
{
	vrs_free_aligned(array->data);
	*array = (struct vrs_npy){0};
}

/* Header and elements in one block, for one atomic replacement. */
static enum vrs_status write_block(const char *path, const char *head, size_t head_bytes, const void *data, size_t bytes, struct vrs_error *err)
{
	char *block = vrs_alloc(head_bytes + bytes);
	enum vrs_status status;

	if (block == NULL)
		return vrs_fail(err, VRS_ENOMEM, "%s: out of memory for %zu bytes", path, head_bytes + bytes);
	memcpy(block, head, head_bytes);
	if (bytes > 0)
		memcpy(block + head_bytes, data, bytes);
	status = vrs_file_replace(path, block, head_bytes + bytes, err);
	vrs_free(block);
	return status;
}

enum vrs_status vrs_npy_write(const char *path, enum vrs_dtype dtype, int rank, const int64_t *dims, const void *data, struct vrs_error *err)
{
	struct vrs_npy_header header = {.dtype = dtype, .rank = rank};
	struct vrs_npy array = {0};
	enum vrs_status status;
	char head[512];
	size_t head_bytes;

	if (vrs_dtype_size(dtype) == 0 || rank < 0 || rank > VRS_MAX_RANK)
		return vrs_fail(err, VRS_EINVAL, "%s: an array of type %d and %d dimensions cannot be written", path, (int)dtype, rank);
	for (int i = 0; i < rank; i++) {
		if (dims[i] < 0)
			return vrs_fail(err, VRS_EINVAL, "%s: a dimension is negative", path);
		header.dims[i] = dims[i];
	}
	status = measure(&array, &header, path, err);
	if (status != VRS_OK)
		return status;
	head_bytes = vrs_npy_header_format(&header, head, sizeof head);
	if (head_bytes == 0)
		return vrs_fail(err, VRS_EINTERNAL, "%s: the header is too long", path);
	return write_block(path, head, head_bytes, data, array.bytes, err);
}
