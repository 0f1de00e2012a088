/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames of all runs of a case together, for percentiles and distributions. */
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "bench/record/frames_file.h"

void vrs_frame_pool_fini(struct vrs_frame_pool *pool)
{
	vrs_free(pool->interval_ms);
	vrs_free(pool->run_starts);
	*pool = (struct vrs_frame_pool){0};
}

/* The intervals between completions of one run: one fewer than frames. A file that turns out damaged leaves the pool as it was. */
static enum vrs_status append_run(struct vrs_frame_pool *pool, size_t *capacity, struct vrs_frames_reader *reader)
{
	struct vrs_frame_times times;
	uint64_t before_ns = 0;
	long first = pool->count;
	enum vrs_status status = reader->count < 2 ? VRS_END : VRS_OK;
	while (status == VRS_OK && (status = vrs_frames_reader_next(reader, &times, NULL)) == VRS_OK) {
		void *items = pool->interval_ms;
		uint64_t end_ns = times.end_ns[VRS_STAGE_ENCODE];
		if (pool->count == VRS_FRAME_POOL_MAX) {
			pool->cut = true;
			break;
		}
		if (reader->next > 1) {
			status = vrs_array_grow(&items, capacity, (size_t)pool->count + 1, sizeof *pool->interval_ms, VRS_FRAME_POOL_MAX);
			pool->interval_ms = items;
			if (status == VRS_OK)
				pool->interval_ms[pool->count++] = 1e-6 * (double)(end_ns - before_ns);
		}
		before_ns = end_ns;
	}
	if (status == VRS_ENOMEM)
		return status;
	if (status != VRS_OK && status != VRS_END)
		pool->count = first;
	if (pool->count > first)
		pool->run_starts[pool->runs++] = first;
	return VRS_OK;
}

bool vrs_frames_name_is_inside(const char *name)
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
	for (int i = 0; i < c->run_count && dir && status == VRS_OK && !pool.cut; i++) {
		char path[VRS_PATH_MAX];
		struct vrs_frames_reader reader;
		if (!vrs_case_result_uses(c, &c->runs[i]) || !vrs_frames_name_is_inside(c->runs[i].frames_file) ||
		    vrs_path_join(path, sizeof path, dir, c->runs[i].frames_file) != VRS_OK || vrs_frames_reader_open(&reader, path, NULL) != VRS_OK)
			continue;
		status = append_run(&pool, &capacity, &reader);
		vrs_frames_reader_close(&reader);
	}
	if (status == VRS_OK)
		*ret_pool = pool;
	else
		vrs_frame_pool_fini(&pool);
	return status;
}
