/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/segment_past.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/work_folder.h"
#include "roi/roi_states.h"

#define MAGIC UINT32_C(0x31545350) /* "PST1" */

/* Of another job, whatever else it holds. */
static bool archive_shape(const struct vrs_roi_plan *plan, struct vrs_archive *archive)
{
	const int numbers[] = {plan->eyes, plan->regions, plan->matte_width, plan->matte_height, plan->shape.input_width, plan->shape.input_height,
		plan->format.width, plan->format.height};
	bool good = vrs_archive_mark(archive, MAGIC);
	for (size_t i = 0; good && i < sizeof numbers / sizeof numbers[0]; i++)
		good = vrs_archive_mark(archive, (uint32_t)numbers[i]);
	return good;
}

static bool archive_all(const struct vrs_segment_memory *memory, struct vrs_archive *archive, uint64_t next_seq)
{
	return archive_shape(memory->plan, archive) && vrs_roi_past_archive(memory->mattes->past, archive, next_seq) &&
	       vrs_reference_archive(memory->reference, memory->plan, archive) && vrs_roi_states_archive(memory->states, archive, next_seq) &&
	       vrs_matte_stage_archive(memory->mattes, memory->last, archive) && vrs_archive_end(archive);
}

enum vrs_status vrs_segment_past_hash(const char *path, int64_t *ret_hash, struct vrs_error *err)
{
	uint64_t hash = VRS_HASH_INIT;
	enum vrs_status status = vrs_file_hash(path, &hash, err);
	*ret_hash = (int64_t)(hash >> 1 | 1);
	return status;
}

enum vrs_status vrs_segment_past_read(const struct vrs_segment_memory *memory, const struct vrs_segment *segment, struct vrs_error *err)
{
	int64_t hash;
	struct vrs_buf file;
	enum vrs_status status = vrs_segment_past_hash(segment->past_from, &hash, err);
	if (status == VRS_OK && hash != segment->past_hash)
		status = vrs_fail(err, VRS_EFORMAT, "%s is damaged; run the same command again to make it anew", segment->past_from);
	if (status != VRS_OK)
		return status;
	status = vrs_file_read(segment->past_from, VRS_SEGMENT_PAST_MAX_BYTES, &file, err);
	struct vrs_archive archive = vrs_archive_reader(vrs_buf_str(&file), file.len);
	if (status == VRS_OK && !archive_all(memory, &archive, 0))
		status = vrs_fail(err, VRS_EFORMAT, "%s is damaged; --no-resume starts anew", segment->past_from);
	vrs_buf_fini(&file);
	return status;
}

/* What came with cached mattes, whose frames were not looked at. */
static bool write_cached(const struct vrs_matte_cache *cache, FILE *to)
{
	size_t size;
	const void *data = vrs_matte_cache_past(cache, &size);
	return fwrite(data, 1, size, to) == size && fflush(to) == 0;
}

static bool write_stream(const struct vrs_segment_memory *memory, uint64_t next_seq, FILE *to)
{
	struct vrs_archive archive = vrs_archive_writer(to);
	const struct vrs_matte_cache *cache = memory->mattes->cache;
	return vrs_matte_cache_has(cache) ? write_cached(cache, to) : archive_all(memory, &archive, next_seq);
}

enum vrs_status vrs_segment_past_write(struct vrs_segment_past *ret_past, const struct vrs_segment_memory *memory, uint64_t next_seq,
				       const struct vrs_segment *segment, struct vrs_error *err)
{
	const char *path = segment->past_to;
	struct vrs_temp_file temp = {0};
	enum vrs_status status = vrs_temp_file_create(&temp, path, err);
	if (status != VRS_OK)
		return status;
	FILE *to = vrs_temp_file_stream(&temp, "w");
	bool good = to && write_stream(memory, next_seq, to);
	long bytes = good ? ftell(to) : -1;
	int error = errno;
	if (to)
		good = fclose(to) == 0 && good && bytes > 0;
	if (!good)
		status = vrs_fail(err, vrs_file_write_status(error), "cannot write %s: %s", path, strerror(error));
	if (status == VRS_OK)
		status = vrs_temp_file_sync(&temp, err); /* which may take long */
	if (status == VRS_OK && segment->folder)
		status = vrs_lease_check(segment->folder->lease, err);
	if (status == VRS_OK)
		status = vrs_temp_file_commit(&temp, true, err);
	if (status == VRS_OK)
		status = vrs_segment_past_hash(path, &ret_past->hash, err);
	vrs_temp_file_discard(&temp);
	ret_past->bytes = bytes;
	ret_past->written = status == VRS_OK;
	return status;
}
