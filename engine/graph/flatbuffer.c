/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/flatbuffer.h"

#include <string.h>

void vrs_fb_init(struct vrs_fb *fb, const void *data, size_t size, const char *name, struct vrs_error *err)
{
	*fb = (struct vrs_fb){.data = data, .size = size, .name = name, .status = VRS_OK, .err = err};
}

void vrs_fb_fail(struct vrs_fb *fb, enum vrs_status status, size_t at, const char *what)
{
	if (fb->status == VRS_OK)
		fb->status = vrs_fail(fb->err, status, "%s: damaged at byte %zu of %zu: %s", fb->name, at, fb->size, what);
}

/* Whether bytes [at, at + len) lie in the file; records the failure. */
static bool have(struct vrs_fb *fb, size_t at, size_t len, const char *what)
{
	if (fb->status != VRS_OK)
		return false;
	if (at > fb->size || len > fb->size - at) {
		vrs_fb_fail(fb, VRS_EFORMAT, at, what);
		return false;
	}
	return true;
}

/* Little-endian loads from places that `have` has checked; any alignment. */
static uint16_t load16(const struct vrs_fb *fb, size_t at)
{
	return (uint16_t)(fb->data[at] | fb->data[at + 1] << 8);
}

static uint32_t load32(const struct vrs_fb *fb, size_t at)
{
	return (uint32_t)load16(fb, at) | (uint32_t)load16(fb, at + 2) << 16;
}

static struct vrs_fb_table open_table(struct vrs_fb *fb, size_t at)
{
	struct vrs_fb_table table = {0};
	int64_t vtable;

	if (!have(fb, at, 4, "a table lies outside the file"))
		return table;
	vtable = (int64_t)at - (int32_t)load32(fb, at);
	if (vtable < 0 || !have(fb, (size_t)vtable, 4, "the description of a table lies outside the file")) {
		vrs_fb_fail(fb, VRS_EFORMAT, at, "the description of a table lies outside the file");
		return table;
	}
	table.vtable = (size_t)vtable;
	table.vtable_bytes = load16(fb, table.vtable);
	table.object_bytes = load16(fb, table.vtable + 2);
	if (table.vtable_bytes < 4 || table.vtable_bytes % 2 != 0 || table.object_bytes < 4)
		vrs_fb_fail(fb, VRS_EFORMAT, table.vtable, "a table has an impossible size");
	else if (have(fb, table.vtable, table.vtable_bytes, "the description of a table ends outside the file") &&
		 have(fb, at, table.object_bytes, "a table ends outside the file"))
		table.at = at;
	return table.at != 0 ? table : (struct vrs_fb_table){0};
}

struct vrs_fb_table vrs_fb_root(struct vrs_fb *fb)
{
	if (!have(fb, 0, 8, "the file is too short"))
		return (struct vrs_fb_table){0};
	return open_table(fb, load32(fb, 0));
}

/* Place of a field with len bytes; 0 when absent or damaged. */
static size_t field_at(struct vrs_fb *fb, const struct vrs_fb_table *table, int field, size_t len)
{
	size_t slot = 4 + 2 * (size_t)field;
	uint16_t offset;

	if (fb->status != VRS_OK || table->at == 0 || slot + 2 > table->vtable_bytes)
		return 0;
	offset = load16(fb, table->vtable + slot);
	if (offset == 0)
		return 0;
	if (offset < 4 || offset + len > table->object_bytes) {
		vrs_fb_fail(fb, VRS_EFORMAT, table->vtable + slot, "a field lies outside its table");
		return 0;
	}
	return table->at + offset;
}

int32_t vrs_fb_i32(struct vrs_fb *fb, const struct vrs_fb_table *table, int field, int32_t fallback)
{
	size_t at = field_at(fb, table, field, 4);

	return at != 0 ? (int32_t)load32(fb, at) : fallback;
}

uint64_t vrs_fb_u64(struct vrs_fb *fb, const struct vrs_fb_table *table, int field, uint64_t fallback)
{
	size_t at = field_at(fb, table, field, 8);

	return at != 0 ? (uint64_t)load32(fb, at) | (uint64_t)load32(fb, at + 4) << 32 : fallback;
}

int vrs_fb_i8(struct vrs_fb *fb, const struct vrs_fb_table *table, int field, int fallback)
{
	size_t at = field_at(fb, table, field, 1);

	return at != 0 ? (int8_t)fb->data[at] : fallback;
}

float vrs_fb_f32(struct vrs_fb *fb, const struct vrs_fb_table *table, int field, float fallback)
{
	size_t at = field_at(fb, table, field, 4);
	uint32_t bits;
	float value;

	if (at == 0)
		return fallback;
	bits = load32(fb, at);
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Follow the 32-bit offset stored at `at`; 0 on damage. An offset of 0 would point at itself. */
static size_t follow(struct vrs_fb *fb, size_t at)
{
	uint32_t offset;

	if (!have(fb, at, 4, "an offset lies outside the file"))
		return 0;
	offset = load32(fb, at);
	if (offset == 0 || offset > fb->size - at) {
		vrs_fb_fail(fb, VRS_EFORMAT, at, "an offset points outside the file");
		return 0;
	}
	return at + offset;
}

struct vrs_fb_table vrs_fb_child(struct vrs_fb *fb, const struct vrs_fb_table *table, int field)
{
	size_t at = field_at(fb, table, field, 4);

	at = at != 0 ? follow(fb, at) : 0;
	return at != 0 ? open_table(fb, at) : (struct vrs_fb_table){0};
}

struct vrs_fb_vector vrs_fb_vector(struct vrs_fb *fb, const struct vrs_fb_table *table, int field, size_t element_bytes, uint32_t max)
{
	struct vrs_fb_vector none = {0}, vector = {0};
	size_t at = field_at(fb, table, field, 4);

	at = at != 0 ? follow(fb, at) : 0;
	if (at == 0 || !have(fb, at, 4, "a vector lies outside the file"))
		return none;
	vector.count = load32(fb, at);
	vector.at = at + 4;
	if (vector.count > (fb->size - vector.at) / element_bytes) {
		vrs_fb_fail(fb, VRS_EFORMAT, at, "a vector ends outside the file");
		return none;
	}
	if (vector.count > max) {
		if (fb->status == VRS_OK)
			fb->status = vrs_fail(fb->err, VRS_ELIMIT, "%s: the list at byte %zu has %u entries, more than %u", fb->name, at, (unsigned)vector.count,
					      (unsigned)max);
		return none;
	}
	return vector;
}

struct vrs_fb_table vrs_fb_vector_table(struct vrs_fb *fb, const struct vrs_fb_vector *vector, uint32_t i)
{
	size_t at = i < vector->count ? follow(fb, vector->at + 4 * (size_t)i) : 0;

	return at != 0 ? open_table(fb, at) : (struct vrs_fb_table){0};
}

int32_t vrs_fb_vector_i32(struct vrs_fb *fb, const struct vrs_fb_vector *vector, uint32_t i)
{
	if (i >= vector->count || !have(fb, vector->at + 4 * (size_t)i, 4, "an integer lies outside the file"))
		return 0;
	return (int32_t)load32(fb, vector->at + 4 * (size_t)i);
}

void vrs_fb_string(struct vrs_fb *fb, const struct vrs_fb_table *table, int field, char *buf, size_t size)
{
	struct vrs_fb_vector s = vrs_fb_vector(fb, table, field, 1, UINT32_MAX);
	size_t n = s.count < size - 1 ? s.count : size - 1;

	for (size_t i = 0; i < n; i++) {
		uint8_t c = fb->data[s.at + i];

		buf[i] = c >= 0x20 && c < 0x7f && c != '"' && c != '\\' ? (char)c : '?';
	}
	buf[n] = '\0';
}
