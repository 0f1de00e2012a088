/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bounded reader of FlatBuffers (the container of TFLite files; format: flatbuffers.dev, "FlatBuffer internals").
 *
 * Every offset is checked against the file before it is followed.  The first damage is kept in the reader with its byte offset, and every
 * later call returns zeros and empty vectors, so callers check `status` once after a group of reads.  Nothing is allocated.
 */
#ifndef VRS_GRAPH_FLATBUFFER_H
#define VRS_GRAPH_FLATBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/status.h>

struct vrs_fb {
	const uint8_t *data;
	size_t size;
	const char *name;         /* for messages */
	enum vrs_status status;   /* first failure */
	struct vrs_error *err;
};

struct vrs_fb_table {
	size_t at;                /* of the object; 0: absent */
	size_t vtable;
	uint16_t vtable_bytes, object_bytes;
};

struct vrs_fb_vector {
	size_t at;                /* of element 0 */
	uint32_t count;
};

void vrs_fb_init(struct vrs_fb *fb, const void *data, size_t size, const char *name, struct vrs_error *err);
/* Record damage at a byte offset unless something failed before. */
void vrs_fb_fail(struct vrs_fb *fb, enum vrs_status status, size_t at, const char *what);

struct vrs_fb_table vrs_fb_root(struct vrs_fb *fb);
/* Scalars: the default when the field is absent. */
int32_t vrs_fb_i32(struct vrs_fb *fb, const struct vrs_fb_table *table, int field, int32_t fallback);
uint64_t vrs_fb_u64(struct vrs_fb *fb, const struct vrs_fb_table *table, int field, uint64_t fallback);
/* A truth value is one of 8 bits, too. */
int vrs_fb_i8(struct vrs_fb *fb, const struct vrs_fb_table *table, int field, int fallback);
float vrs_fb_f32(struct vrs_fb *fb, const struct vrs_fb_table *table, int field, float fallback);
/* Sub-table; at 0 when absent. */
struct vrs_fb_table vrs_fb_child(struct vrs_fb *fb, const struct vrs_fb_table *table, int field);
/* Vector of elements of a size (4 for tables and strings); empty when absent; VRS_ELIMIT above max. */
struct vrs_fb_vector vrs_fb_vector(struct vrs_fb *fb, const struct vrs_fb_table *table, int field, size_t element_bytes, uint32_t max);
/* Element i (below count) of a vector of tables or of 32-bit integers. */
struct vrs_fb_table vrs_fb_vector_table(struct vrs_fb *fb, const struct vrs_fb_vector *vector, uint32_t i);
int32_t vrs_fb_vector_i32(struct vrs_fb *fb, const struct vrs_fb_vector *vector, uint32_t i);
/* Copy a string field, cut to size, control bytes and quotes replaced by '?'; "" when absent. */
void vrs_fb_string(struct vrs_fb *fb, const struct vrs_fb_table *table, int field, char *buf, size_t size);

#endif
