/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/avi_end.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

#define HEAD_BYTES 8    /* "RIFF" and the bytes that follow */
#define MOST_CHUNKS 4096 /* of a GiB each */

/* The end of the chunk that begins here; 0: there is none, or it does not say. */
static int64_t chunk_end(int fd, int64_t at)
{
	uint8_t head[HEAD_BYTES];
	uint32_t size = 0;

	if (TEMP_FAILURE_RETRY(pread(fd, head, sizeof head, at)) == (ssize_t)sizeof head && memcmp(head, "RIFF", 4) == 0)
		size = (uint32_t)head[4] | (uint32_t)head[5] << 8 | (uint32_t)head[6] << 16 | (uint32_t)head[7] << 24;
	return size > 0 && size < UINT32_MAX ? at + HEAD_BYTES + (int64_t)size : 0;
}

int64_t vrs_avi_stated_end(const char *path)
{
	int64_t end;
	int fd;

	if (vrs_file_open(path, &fd, NULL) != VRS_OK)
		return 0;
	end = chunk_end(fd, 0);
	close(fd);
	return end;
}

bool vrs_avi_is_whole(const char *path, int64_t size)
{
	int64_t at = 0, end = 0;
	int fd;

	if (vrs_file_open(path, &fd, NULL) != VRS_OK)
		return false;
	for (int i = 0; i < MOST_CHUNKS && at < size - VRS_AVI_SLACK; i++) {
		end = chunk_end(fd, at);
		if (end == 0)
			break;
		at = end + (end & 1); /* chunks begin at even bytes */
	}
	close(fd);
	return end > 0 && end >= size - VRS_AVI_SLACK && end <= size + VRS_AVI_SLACK;
}
