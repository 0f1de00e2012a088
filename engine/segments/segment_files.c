/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segments/segment_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

#define BLOCK_BYTES ((size_t)1 << 20)
#define MOST_BLOCKS 1024 /* that are read for a hash: a fraction of a second where the file was just written */

static bool name_file(const struct vrs_work_folder *folder, int number, const char *extension, char *ret_path, size_t size)
{
	int n = snprintf(ret_path, size, "%s/segment-%06d.%s", folder->path, number, extension);
	return n > 0 && (size_t)n < size;
}

bool vrs_segment_file(const struct vrs_work_folder *folder, int number, char *ret_path, size_t size)
{
	return name_file(folder, number, "part", ret_path, size);
}

static bool name_worker_file(const struct vrs_work_folder *folder, int number, uint64_t mark, const char *extension, char *ret_path, size_t size)
{
	char rest[64];
	snprintf(rest, sizeof rest, "part.%016" PRIx64 "%s", mark, extension);
	return name_file(folder, number, rest, ret_path, size);
}

bool vrs_segment_worker_file(const struct vrs_work_folder *folder, int number, uint64_t mark, char *ret_path, size_t size)
{
	return name_worker_file(folder, number, mark, "", ret_path, size);
}

bool vrs_segment_worker_trace(const struct vrs_work_folder *folder, int number, uint64_t mark, char *ret_path, size_t size)
{
	return name_worker_file(folder, number, mark, ".trace", ret_path, size);
}

/* The blocks of a file: all of it, or as many as may be read. */
static enum vrs_status hash_blocks(int fd, const char *path, uint64_t size, char *block, uint64_t *io_hash, struct vrs_error *err)
{
	uint64_t blocks = (size + BLOCK_BYTES - 1) / BLOCK_BYTES, read = blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS;
	for (uint64_t i = 0; i < read; i++) {
		uint64_t at = (read < 2 ? 0 : i * (blocks - 1) / (read - 1)) * BLOCK_BYTES;
		ssize_t n = TEMP_FAILURE_RETRY(pread(fd, block, BLOCK_BYTES, (off_t)at));
		if (n < 0)
			return vrs_fail(err, VRS_EIO, "cannot read %s: %s", path, strerror(errno));
		*io_hash = vrs_hash_block(*io_hash, block, (size_t)n);
	}
	return VRS_OK;
}

enum vrs_status vrs_segment_file_hash(const char *path, int64_t *ret_hash, struct vrs_error *err)
{
	struct stat st = {0};
	uint64_t hash = VRS_HASH_INIT;
	int fd;
	char *block = vrs_alloc(BLOCK_BYTES);
	enum vrs_status status = block ? vrs_file_open(path, &fd, err) : vrs_fail_nomem(err);
	if (status == VRS_OK) {
		status = fstat(fd, &st) == 0 ? hash_blocks(fd, path, (uint64_t)st.st_size, block, &hash, err)
					     : vrs_fail(err, VRS_EIO, "cannot read %s: %s", path, strerror(errno));
		close(fd);
	}
	vrs_free(block);
	*ret_hash = status == VRS_OK ? (int64_t)(hash >> 1 | 1) : 0;
	return status;
}

bool vrs_segment_past_file(const struct vrs_work_folder *folder, int number, char *ret_path, size_t size)
{
	return name_file(folder, number, "past", ret_path, size);
}

void vrs_segment_files_clean(const struct vrs_work_folder *folder)
{
	(void)vrs_work_folder_remove(folder, "segment-??????.part.?*");
}

bool vrs_segment_files_clear(const struct vrs_work_folder *folder)
{
	/* the checkpoint first: without it nothing says that the segments belong together */
	static const char *const patterns[] = {VRS_CHECKPOINT_NAME, ("." VRS_CHECKPOINT_NAME ".*"), "segment-?*", ".segment-?*",
		"lock", "piece-?*"}; /* of earlier versions */
	bool good = true;
	for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
		good &= vrs_work_folder_remove(folder, patterns[i]);
	return good;
}
