/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of an ONNX file to messages.  protobuf-c recurses as deep as the bytes say, merges repeated parts and allocates what they ask for; so the
 * wire format is walked first (along the descriptors that protoc-c made), and the allocator has a limit.
 */
#include "base/mem.h"
#include "graph/model_limits.h"
#include "graph/onnx_import.h"
#include "graph/onnx_build.h"

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

struct scan {
	const uint8_t *start;
	const uint8_t *bad;      /* first place that is wrong */
	const char *what;
	size_t fields;
};

/* One level of nesting. */
struct field {
	uint32_t number;
	enum wire wire;
	const uint8_t *data;     /* of WIRE_BYTES */
	size_t size;
};

static bool read_varint(const uint8_t **p, const uint8_t *end, uint64_t *ret)
{
	uint64_t value = 0;

	for (int shift = 0; shift < 64 && *p < end; shift += 7) {
		uint8_t byte = *(*p)++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if ((byte & 0x80) == 0) {
			*ret = value;
			return true;
		}
	}
	return false;
}

static bool skip(const uint8_t **p, const uint8_t *end, size_t size)
{
	if ((size_t)(end - *p) < size)
		return false;
	*p += size;
	return true;
}

/* Read the field at *p and step over it. */
static bool read_field(const uint8_t **p, const uint8_t *end, struct field *ret)
{
	uint64_t key, value;

	if (!read_varint(p, end, &key) || key >> 3 == 0 || key >> 3 > 0x1fffffff)
		return false;
	ret->number = (uint32_t)(key >> 3);
	ret->wire = (enum wire)(key & 7);
	switch (ret->wire) {
	case WIRE_VARINT: return read_varint(p, end, &value);
	case WIRE_64: return skip(p, end, 8);
	case WIRE_32: return skip(p, end, 4);
	case WIRE_BYTES:
		if (!read_varint(p, end, &value) || value > (uint64_t)(end - *p))
			return false;
		ret->data = *p;
		ret->size = (size_t)value;
		return skip(p, end, (size_t)value);
	}
	return false; /* groups */
}

static bool stop(struct scan *scan, const uint8_t *at, const char *what)
{
	scan->bad = at;
	scan->what = what;
	return false;
}

static bool scan_message(struct scan *scan, const ProtobufCMessageDescriptor *type, const uint8_t *p, const uint8_t *end, int depth)
{
	uint64_t seen = 0; /* parts that may come once: protobuf would merge another one into them */

	if (depth > VRS_MODEL_MAX_NESTING)
		return stop(scan, p, "nested too deeply");
	while (p < end) {
		const uint8_t *at = p;
		const ProtobufCFieldDescriptor *known;
		struct field field = {0};

		if (!read_field(&p, end, &field))
			return stop(scan, at, "not a field");
		if (++scan->fields > VRS_MODEL_MAX_FIELDS)
			return stop(scan, at, "too many fields");
		known = protobuf_c_message_descriptor_get_field(type, field.number);
		if (known == NULL || known->type != PROTOBUF_C_TYPE_MESSAGE || field.wire != WIRE_BYTES)
			continue;
		if (known->label != PROTOBUF_C_LABEL_REPEATED) {
			uint64_t bit = UINT64_C(1) << ((size_t)(known - type->fields) & 63);

			if (seen & bit)
				return stop(scan, at, "a part that comes twice");
			seen |= bit;
		}
		if (!scan_message(scan, known->descriptor, field.data, field.data + field.size, depth + 1))
			return false;
	}
	return true;
}

/* Sizes are kept in front of each block, so that the sum is known. */
struct pool {
	size_t used, limit;
	bool full, no_memory;
};

#define POOL_HEAD 16 /* keeps the alignment */

static void *pool_alloc(void *cookie, size_t size)
{
	struct pool *pool = cookie;
	char *block;

	if (size > pool->limit - pool->used) {
		pool->full = true;
		return NULL;
	}
	block = vrs_calloc(1, size + POOL_HEAD); /* MemorySanitizer does not see what libraries write */
	if (block == NULL) {
		pool->no_memory = true;
		return NULL;
	}
	pool->used += size;
	return block + POOL_HEAD;
}

static void pool_free(void *cookie, void *data)
{
	(void)cookie; /* the limit is on all that was ever asked for */
	if (data != NULL)
		vrs_free((char *)data - POOL_HEAD);
}

enum vrs_status vrs_onnx_unpack(Onnx__ModelProto **ret_model, const void *data, size_t size, const char *name, struct vrs_error *err)
{
	struct scan scan = {.start = data};
	struct pool pool = {.limit = size * VRS_MODEL_MAX_MESSAGE_FACTOR + VRS_MODEL_MIN_MESSAGE_BYTES};
	ProtobufCAllocator allocator = {.alloc = pool_alloc, .free = pool_free, .allocator_data = &pool};

	if (size > VRS_MODEL_MAX_FILE_BYTES)
		return vrs_fail(err, VRS_ELIMIT, "%s: %zu bytes, more than %zu", name, size, VRS_MODEL_MAX_FILE_BYTES);
	if (!scan_message(&scan, &onnx__model_proto__descriptor, scan.start, scan.start + size, 0))
		return vrs_fail(err, VRS_EFORMAT, "%s: damaged at byte %zu of %zu: %s", name, (size_t)(scan.bad - scan.start), size, scan.what);
	*ret_model = onnx__model_proto__unpack(&allocator, size, data);
	if (*ret_model != NULL)
		return VRS_OK;
	if (pool.full)
		return vrs_fail(err, VRS_ELIMIT, "%s: its messages need more than %zu bytes", name, pool.limit);
	if (pool.no_memory)
		return vrs_fail(err, VRS_ENOMEM, "%s: out of memory", name);
	return vrs_fail(err, VRS_EFORMAT, "%s: damaged: its %zu bytes are not the messages of an ONNX file", name, size);
}

void vrs_onnx_unpack_free(Onnx__ModelProto *model)
{
	ProtobufCAllocator allocator = {.alloc = pool_alloc, .free = pool_free};

	if (model != NULL)
		onnx__model_proto__free_unpacked(model, &allocator);
}

static void drop(void **data, size_t *count)
{
	pool_free(NULL, *data);
	*data = NULL;
	*count = 0;
}

void vrs_onnx_drop_values(Onnx__TensorProto *tensor)
{
	void *raw = tensor->raw_data.data, *floats = tensor->float_data, *ints = tensor->int32_data, *longs = tensor->int64_data;

	drop(&raw, &tensor->raw_data.len);
	tensor->raw_data.data = NULL;
	tensor->has_raw_data = 0;
	drop(&floats, &tensor->n_float_data);
	tensor->float_data = NULL;
	drop(&ints, &tensor->n_int32_data);
	tensor->int32_data = NULL;
	drop(&longs, &tensor->n_int64_data);
	tensor->int64_data = NULL;
}

/* A file starts with one of the fields of ModelProto, nearly always with ir_version, which is a small number. */
bool vrs_onnx_probe(const void *data, size_t size)
{
	const uint8_t *p = data, *end = p + size;
	const ProtobufCFieldDescriptor *known;
	struct field field = {0};
	uint64_t key, version;

	if (size < 4 || !read_varint(&p, end, &key) || key >> 3 == 0 || key >> 3 > 64)
		return false;
	known = protobuf_c_message_descriptor_get_field(&onnx__model_proto__descriptor, (unsigned)(key >> 3));
	if (known == NULL)
		return false;
	if (known->type == PROTOBUF_C_TYPE_INT64)
		return (key & 7) == WIRE_VARINT && read_varint(&p, end, &version) && version < 1000;
	p = data;
	return (key & 7) == WIRE_BYTES && (read_field(&p, end, &field) || known->type == PROTOBUF_C_TYPE_MESSAGE);
}
