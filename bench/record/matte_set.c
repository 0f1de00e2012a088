/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/matte_set.h"

#include <endian.h>
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

/* An entry as a file has it. */
enum { INDEX, EYE, WIDTH, HEIGHT, COVERS_X, COVERS_Y, COVERS_WIDTH, COVERS_HEIGHT, NUMBERS };

static bool is_sane(const int64_t v[NUMBERS])
{
	static const int64_t low[NUMBERS] = {0, 0, 1, 1, -SIDE_MAX, -SIDE_MAX, 1, 1};
	static const int64_t high[NUMBERS] = {INT64_C(1) << 40, 1, SIDE_MAX, SIDE_MAX, SIDE_MAX, SIDE_MAX, SIDE_MAX, SIDE_MAX};
	for (int i = 0; i < NUMBERS; i++)
		if (v[i] < low[i] || v[i] > high[i])
			return false;
	return true;
}

/* A new entry with room for its pixels, which the caller fills. */
static enum vrs_status append_entry(struct vrs_matte_set *set, const int64_t v[NUMBERS], struct vrs_matte_entry **ret)
{
	if (!is_sane(v))
		return VRS_EINVAL;
	void *items = set->entries;
	enum vrs_status status = vrs_array_grow(&items, &set->capacity, set->count + 1, sizeof *set->entries, VRS_MATTE_SET_MAX);
	if (status != VRS_OK)
		return status;
	set->entries = items;
	struct vrs_matte_entry *entry = &set->entries[set->count];
	*entry = (struct vrs_matte_entry){.index = v[INDEX], .number = v[INDEX], .eye = (int)v[EYE], .width = (int)v[WIDTH], .height = (int)v[HEIGHT],
					  .covers = {(int)v[COVERS_X], (int)v[COVERS_Y], (int)v[COVERS_WIDTH], (int)v[COVERS_HEIGHT]},
					  .data = vrs_alloc((size_t)v[WIDTH] * (size_t)v[HEIGHT])};
	if (!entry->data)
		return VRS_ENOMEM;
	set->count++;
	*ret = entry;
	return VRS_OK;
}

enum vrs_status vrs_matte_set_add(struct vrs_matte_set *set, int64_t number, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	const int64_t v[NUMBERS] = {number, eye, matte->width, matte->height, covers->x, covers->y, covers->width, covers->height};
	struct vrs_matte_entry *entry;
	enum vrs_status status = append_entry(set, v, &entry);
	for (int y = 0; y < matte->height && status == VRS_OK; y++)
		memcpy(entry->data + (size_t)y * (size_t)matte->width, matte->data + y * matte->stride, (size_t)matte->width);
	return status;
}

void vrs_matte_set_place(struct vrs_matte_set *set, int every_nth, int64_t loop_frames)
{
	int64_t in_loop = (loop_frames + every_nth - 1) / every_nth; /* mattes */
	set->loop_frames = loop_frames;
	for (size_t i = 0; i < set->count; i++) {
		struct vrs_matte_entry *e = &set->entries[i];
		int64_t loop = in_loop > 0 ? e->number / in_loop : 0;
		e->index = loop * loop_frames + (e->number - loop * in_loop) * every_nth;
	}
}

static enum vrs_status put_numbers(struct vrs_buf *buf, const int64_t *values, int count)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < count && status == VRS_OK; i++)
		status = vrs_buf_append(buf, &(uint64_t){htole64((uint64_t)values[i])}, sizeof *values);
	return status;
}

enum vrs_status vrs_matte_set_write(const struct vrs_matte_set *set, const char *path, struct vrs_error *err)
{
	struct vrs_buf buf;
	vrs_buf_init(&buf, VRS_MATTE_SET_BYTES);
	enum vrs_status status = vrs_buf_append(&buf, magic, sizeof magic);
	const int64_t head[] = {set->frame_width, set->frame_height, (int64_t)set->count};
	if (status == VRS_OK)
		status = put_numbers(&buf, head, 3);
	for (size_t i = 0; i < set->count && status == VRS_OK; i++) {
		const struct vrs_matte_entry *e = &set->entries[i];
		const int64_t v[NUMBERS] = {e->index, e->eye, e->width, e->height, e->covers.x, e->covers.y, e->covers.width, e->covers.height};
		status = put_numbers(&buf, v, NUMBERS);
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

/* False when the file ends. */
static bool take_numbers(struct reader *r, int64_t *values, int count)
{
	size_t bytes = (size_t)count * sizeof *values;
	if (r->size - r->at < bytes)
		return false;
	memcpy(values, r->data + r->at, bytes);
	for (int i = 0; i < count; i++)
		values[i] = (int64_t)le64toh((uint64_t)values[i]);
	r->at += bytes;
	return true;
}

static bool take_entry(struct reader *r, struct vrs_matte_set *set)
{
	int64_t v[NUMBERS];
	struct vrs_matte_entry *entry;
	if (!take_numbers(r, v, NUMBERS) || !is_sane(v))
		return false;
	size_t bytes = (size_t)v[WIDTH] * (size_t)v[HEIGHT];
	if (r->size - r->at < bytes || append_entry(set, v, &entry) != VRS_OK)
		return false;
	memcpy(entry->data, r->data + r->at, bytes);
	r->at += bytes;
	return true;
}

enum vrs_status vrs_matte_set_read(struct vrs_matte_set *ret_set, const char *path, struct vrs_error *err)
{
	struct vrs_buf buf;
	struct vrs_matte_set set;
	int64_t head[3] = {0};
	enum vrs_status status = vrs_file_read(path, VRS_MATTE_SET_BYTES, &buf, err);
	if (status != VRS_OK)
		return status;
	struct reader r = {(const uint8_t *)vrs_buf_str(&buf), sizeof magic, buf.len};
	bool ok = buf.len >= sizeof magic && memcmp(r.data, magic, sizeof magic) == 0 && take_numbers(&r, head, 3) && head[0] >= 1 &&
		  head[0] <= SIDE_MAX && head[1] >= 1 && head[1] <= SIDE_MAX && head[2] >= 0 && head[2] <= VRS_MATTE_SET_MAX;
	vrs_matte_set_init(&set, ok ? (int)head[0] : 0, ok ? (int)head[1] : 0);
	for (int64_t i = 0; i < head[2] && ok; i++)
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
