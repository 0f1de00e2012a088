/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/av_file.h"

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libavutil/error.h>
#include <libavutil/mem.h>

#define BUFFER_BYTES (256 * 1024) /* as FFmpeg's own files have */

/* All of it: FFmpeg takes a short write of such a file for a whole one. */
static int write_bytes(void *opaque, uint8_t *data, int size)
{
	for (int done = 0; done < size;) {
		ssize_t n = TEMP_FAILURE_RETRY(write((int)(intptr_t)opaque, data + done, (size_t)(size - done)));

		if (n <= 0)
			return AVERROR(n < 0 ? errno : ENOSPC);
		done += (int)n;
	}
	return size;
}

static int64_t seek(void *opaque, int64_t offset, int whence)
{
	int fd = (int)(intptr_t)opaque;
	struct stat st;

	if (whence == AVSEEK_SIZE)
		return fstat(fd, &st) == 0 ? st.st_size : AVERROR(errno);
	off_t place = lseek(fd, offset, whence & ~AVSEEK_FORCE);

	return place < 0 ? AVERROR(errno) : place;
}

AVIOContext *vrs_av_file_open(int fd)
{
	uint8_t *buffer = av_malloc(BUFFER_BYTES);
	AVIOContext *file = buffer ? avio_alloc_context(buffer, BUFFER_BYTES, 1, (void *)(intptr_t)fd, NULL, write_bytes, seek) : NULL;

	if (!file)
		av_free(buffer);
	return file;
}

int vrs_av_file_close(AVIOContext **file)
{
	if (!*file)
		return 0;
	avio_flush(*file);
	int rc = (*file)->error;

	av_freep(&(*file)->buffer);
	avio_context_free(file);
	return rc < 0 ? rc : 0;
}
