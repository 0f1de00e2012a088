/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/matte_set.h"

#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

enum { SIDE_MAX = VRS_MATTE_SET_SIDE };

static const char magic[8] = "VRSMATT1";

void vrs_matte_set_init(struct vrs_matte_set *set, int frame_width, int frame_height)
{
	*set = (struct vrs_matte_set){.frame_width = frame_width, .frame_height = frame_height};
}

void vrs_matte_set_fini(struct vrs_matte_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		vrs_free(set->entries[i].data);
	vrs_free(set->entries);
	*set = (struct vrs_matte_set){0};
}

static bool sizes_are_sane(int width, int height, const struct vrs_rect *covers, int eye)
{
	return width >= 1 && height >= 1 && width <= SIDE_MAX && height <= SIDE_MAX && covers->width >= 1 && covers->height >= 1 &&
	       covers->width <= SIDE_MAX && covers->height <= SIDE_MAX && covers->x >= -SIDE_MAX && covers->x <= SIDE_MAX &&
	       covers->y >= -SIDE_MAX && covers->y <= SIDE_MAX && eye >= 0 && eye <= 1;
}

/* A new entry with room for its pixels, which the caller fills. */
static enum vrs_status append_entry(struct vrs_matte_set *set, const struct vrs_matte_entry *from, struct vrs_matte_entry **ret)
{
	if (!sizes_are_sane(from->width, from->height, &from->covers, from->eye))
		return VRS_EINVAL;
	void *items = set->entries;
	enum vrs_status status = vrs_array_grow(&items, &set->capacity, set->count + 1, sizeof *set->entries, VRS_MATTE_SET_MAX);
	if (status != VRS_OK)
		return status;
	set->entries = items;
	struct vrs_matte_entry *entry = &set->entries[set->count];
	*entry = *from;
	entry->data = vrs_alloc((size_t)from->width * (size_t)from->height);
	if (!entry->data)
		return VRS_ENOMEM;
	set->count++;
	*ret = entry;
	return VRS_OK;
}

enum vrs_status vrs_matte_set_add(struct vrs_matte_set *set, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	const struct vrs_matte_entry from = {.index = index, .eye = eye, .width = matte->width, .height = matte->height, .covers = *covers};
	struct vrs_matte_entry *entry;
	enum vrs_status status = append_entry(set, &from, &entry);
	for (int y = 0; y < matte->height && status == VRS_OK; y++)
		memcpy(entry->data + (size_t)y * (size_t)matte->width, matte->data + y * matte->stride, (size_t)matte->width);
	return status;
}

static enum vrs_status put_i64(struct vrs_buf *buf, int64_t value)
{
	uint8_t bytes[8];
	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)((uint64_t)value >> (8 * i));
	return vrs_buf_append(buf, bytes, sizeof bytes);
}

enum vrs_status vrs_matte_set_write(const struct vrs_matte_set *set, const char *path, struct vrs_error *err)
{
	struct vrs_buf buf;
	vrs_buf_init(&buf, VRS_MATTE_SET_BYTES);
	enum vrs_status status = vrs_buf_append(&buf, magic, sizeof magic);
	const int64_t head[] = {set->frame_width, set->frame_height, (int64_t)set->count};
	for (size_t i = 0; i < 3 && status == VRS_OK; i++)
		status = put_i64(&buf, head[i]);
	for (size_t i = 0; i < set->count && status == VRS_OK; i++) {
		const struct vrs_matte_entry *e = &set->entries[i];
		const int64_t fields[] = {e->index, e->eye, e->width, e->height, e->covers.x, e->covers.y, e->covers.width, e->covers.height};
		for (size_t k = 0; k < 8 && status == VRS_OK; k++)
			status = put_i64(&buf, fields[k]);
		if (status == VRS_OK)
			status = vrs_buf_append(&buf, e->data, (size_t)e->width * (size_t)e->height);
	}
	if (status == VRS_OK)
		status = vrs_file_replace(path, buf.data, buf.len, err);
	else
		status = vrs_fail(err, status, "cannot keep %zu mattes for %s: %s", set->count, path, vrs_status_str(status));
	vrs_buf_fini(&buf);
	return status;
}

struct reader {
	const uint8_t *data;
	size_t at, size;
};

/* One value within limits; false when the file ends or the value is out of range. */
static bool take_i64(struct reader *r, int64_t min, int64_t max, int64_t *ret)
{
	if (r->size - r->at < 8)
		return false;
	uint64_t value = 0;
	for (int i = 7; i >= 0; i--)
		value = value << 8 | r->data[r->at + (size_t)i];
	int64_t number = (int64_t)value;
	if (number < min || number > max)
		return false;
	r->at += 8;
	*ret = number;
	return true;
}

static bool take_entry(struct reader *r, struct vrs_matte_set *set)
{
	int64_t v[8];
	static const int64_t low[8] = {0, 0, 1, 1, -SIDE_MAX, -SIDE_MAX, 1, 1};
	static const int64_t high[8] = {INT64_C(1) << 40, 1, SIDE_MAX, SIDE_MAX, SIDE_MAX, SIDE_MAX, SIDE_MAX, SIDE_MAX};
	for (int i = 0; i < 8; i++)
		if (!take_i64(r, low[i], high[i], &v[i]))
			return false;
	size_t bytes = (size_t)v[2] * (size_t)v[3];
	if (r->size - r->at < bytes)
		return false;
	const struct vrs_matte_entry from = {.index = v[0], .eye = (int)v[1], .width = (int)v[2], .height = (int)v[3],
					     .covers = {(int)v[4], (int)v[5], (int)v[6], (int)v[7]}};
	struct vrs_matte_entry *entry;
	if (append_entry(set, &from, &entry) != VRS_OK)
		return false;
	memcpy(entry->data, r->data + r->at, bytes);
	r->at += bytes;
	return true;
}

enum vrs_status vrs_matte_set_read(struct vrs_matte_set *ret_set, const char *path, struct vrs_error *err)
{
	struct vrs_buf buf;
	struct vrs_matte_set set;
	int64_t width = 0, height = 0, count = 0;
	enum vrs_status status = vrs_file_read(path, VRS_MATTE_SET_BYTES, &buf, err);
	if (status != VRS_OK)
		return status;
	struct reader r = {(const uint8_t *)vrs_buf_str(&buf), sizeof magic, buf.len};
	bool ok = buf.len >= sizeof magic && memcmp(r.data, magic, sizeof magic) == 0 && take_i64(&r, 1, SIDE_MAX, &width) &&
		  take_i64(&r, 1, SIDE_MAX, &height) && take_i64(&r, 0, VRS_MATTE_SET_MAX, &count);
	vrs_matte_set_init(&set, (int)width, (int)height);
	for (int64_t i = 0; i < count && ok; i++)
		ok = take_entry(&r, &set);
	if (ok && r.at == r.size)
		*ret_set = set;
	else {
		status = vrs_fail_at(err, VRS_EFORMAT, path, 0, 0, "the file of mattes is damaged at byte %zu", buf.len < sizeof magic ? 0 : r.at);
		vrs_matte_set_fini(&set);
	}
	vrs_buf_fini(&buf);
	return status;
}
