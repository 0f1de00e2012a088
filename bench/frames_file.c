/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/frames_file.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"

static const char magic[8] = "VRSFRAM1";
enum { HEADER_BYTES = 24, FRAME_BYTES = 8 + 16 * VRS_STAGE_COUNT };

static void put_u64(uint8_t *to, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get_u64(const uint8_t *from)
{
	uint64_t value = 0;
	for (int i = 7; i >= 0; i--)
		value = value << 8 | from[i];
	return value;
}

enum vrs_status vrs_frames_write(const char *path, const struct vrs_frame_times *frames, size_t count, struct vrs_error *err)
{
	size_t size;
	uint8_t *bytes = NULL;
	if (count > VRS_FRAMES_MAX)
		return vrs_fail(err, VRS_ELIMIT, "%s cannot hold more than %d frames", path, VRS_FRAMES_MAX);
	if (!vrs_mul_size(count, FRAME_BYTES, &size) || !(bytes = vrs_alloc(size + HEADER_BYTES)))
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to write %s", path);
	memcpy(bytes, magic, sizeof magic);
	put_u64(bytes + 8, VRS_STAGE_COUNT);
	put_u64(bytes + 16, count);
	uint8_t *at = bytes + HEADER_BYTES;
	for (size_t i = 0; i < count; i++, at += FRAME_BYTES) {
		put_u64(at, (uint64_t)frames[i].index);
		for (int s = 0; s < VRS_STAGE_COUNT; s++) {
			put_u64(at + 8 + 8 * s, frames[i].start_ns[s]);
			put_u64(at + 8 + 8 * (VRS_STAGE_COUNT + s), frames[i].end_ns[s]);
		}
	}
	enum vrs_status status = vrs_file_replace(path, bytes, size + HEADER_BYTES, err);
	vrs_free(bytes);
	return status;
}

static enum vrs_status decode(const char *path, const uint8_t *bytes, size_t size, struct vrs_frame_times **ret_frames, size_t *ret_count,
			      struct vrs_error *err)
{
	if (size < HEADER_BYTES || memcmp(bytes, magic, sizeof magic) != 0)
		return vrs_fail_at(err, VRS_EFORMAT, path, 0, 0, "this is no file of frame times (wrong mark at byte 0)");
	uint64_t stages = get_u64(bytes + 8), count = get_u64(bytes + 16);
	if (stages != VRS_STAGE_COUNT)
		return vrs_fail_at(err, VRS_EFORMAT, path, 0, 0, "byte 8: %llu stages instead of %d", (unsigned long long)stages, VRS_STAGE_COUNT);
	if (count > VRS_FRAMES_MAX || size - HEADER_BYTES != count * FRAME_BYTES)
		return vrs_fail_at(err, VRS_EFORMAT, path, 0, 0, "byte 16: %llu frames do not fit a file of %zu bytes", (unsigned long long)count, size);
	struct vrs_frame_times *frames = vrs_calloc((size_t)count + 1, sizeof *frames);
	if (!frames)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to read %s", path);
	const uint8_t *at = bytes + HEADER_BYTES;
	uint64_t previous = 0;
	for (size_t i = 0; i < count; i++, at += FRAME_BYTES) {
		frames[i].index = (int64_t)get_u64(at);
		for (int s = 0; s < VRS_STAGE_COUNT; s++) {
			frames[i].start_ns[s] = get_u64(at + 8 + 8 * s);
			frames[i].end_ns[s] = get_u64(at + 8 + 8 * (VRS_STAGE_COUNT + s));
		}
		uint64_t done = frames[i].end_ns[VRS_STAGE_ENCODE];
		if (done < previous || done >> 62) {
			vrs_free(frames);
			return vrs_fail_at(err, VRS_EFORMAT, path, 0, 0, "frame %zu ends before the one before it", i);
		}
		previous = done;
	}
	*ret_frames = frames;
	*ret_count = (size_t)count;
	return VRS_OK;
}

enum vrs_status vrs_frames_read(const char *path, struct vrs_frame_times **ret_frames, size_t *ret_count, struct vrs_error *err)
{
	struct vrs_buf buf;
	enum vrs_status status = vrs_file_read(path, (size_t)VRS_FRAMES_MAX * FRAME_BYTES + HEADER_BYTES, &buf, err);
	if (status != VRS_OK)
		return status;
	status = decode(path, (const uint8_t *)vrs_buf_str(&buf), buf.len, ret_frames, ret_count, err);
	vrs_buf_fini(&buf);
	return status;
}

void vrs_frame_pool_fini(struct vrs_frame_pool *pool)
{
	vrs_free(pool->interval_ms);
	vrs_free(pool->run_starts);
	*pool = (struct vrs_frame_pool){0};
}

/* Append the intervals between completions of one run: count - 1 values. */
static enum vrs_status pool_append(struct vrs_frame_pool *pool, size_t *capacity, const struct vrs_frame_times *frames, size_t count)
{
	if (count < 2)
		return VRS_OK;
	void *items = pool->interval_ms;
	enum vrs_status status = vrs_array_grow(&items, capacity, (size_t)pool->count + count, sizeof *pool->interval_ms, INT32_MAX / 2);
	if (status != VRS_OK)
		return status;
	pool->interval_ms = items;
	pool->run_starts[pool->runs++] = pool->count;
	for (size_t i = 1; i < count; i++)
		pool->interval_ms[pool->count++] =
			1e-6 * (double)(frames[i].end_ns[VRS_STAGE_ENCODE] - frames[i - 1].end_ns[VRS_STAGE_ENCODE]);
	return VRS_OK;
}

/* A result file may come from anywhere: it must not lead out of its folder. */
static bool stays_inside(const char *name)
{
	return name[0] && name[0] != '/' && strncmp(name, "../", 3) != 0 && !strstr(name, "/../");
}

enum vrs_status vrs_frame_pool_load(struct vrs_frame_pool *ret_pool, const struct vrs_case_result *c, const char *dir)
{
	struct vrs_frame_pool pool = {0};
	size_t capacity = 0;
	enum vrs_status status = VRS_OK;
	pool.run_starts = vrs_calloc((size_t)c->run_count + 1, sizeof *pool.run_starts);
	if (!pool.run_starts)
		return VRS_ENOMEM;
	for (int i = 0; i < c->run_count && dir && status == VRS_OK; i++) {
		char path[VRS_PATH_MAX];
		struct vrs_frame_times *frames;
		size_t count;
		if (c->runs[i].status != VRS_RUN_OK || !stays_inside(c->runs[i].frames_file) ||
		    vrs_path_join(path, sizeof path, dir, c->runs[i].frames_file) != VRS_OK ||
		    vrs_frames_read(path, &frames, &count, NULL) != VRS_OK)
			continue;
		status = pool_append(&pool, &capacity, frames, count);
		vrs_free(frames);
	}
	if (status == VRS_OK)
		*ret_pool = pool;
	else
		vrs_frame_pool_fini(&pool);
	return status == VRS_ELIMIT ? VRS_ENOMEM : status;
}
