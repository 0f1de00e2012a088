/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/ebml.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libavutil/common.h>

#define EBML 0x1A45DFA3
#define MOST_BEFORE 4 /* elements before the segment: the header, and what fills gaps */

bool vrs_ebml_parse(const uint8_t *data, size_t count, int64_t at, int64_t end, struct vrs_ebml_element *ret)
{
	size_t id_size = count ? (size_t)(8 - av_log2(data[0])) : 0, length;
	uint64_t size, unknown;

	if (count < 2 || data[0] < 0x10 || id_size >= count || data[id_size] == 0)
		return false;
	length = (size_t)(8 - av_log2(data[id_size]));
	if (id_size + length > count)
		return false;
	ret->id = 0;
	for (size_t i = 0; i < id_size; i++)
		ret->id = ret->id << 8 | data[i];
	unknown = (UINT64_C(1) << (7 * length)) - 1;
	size = data[id_size] & (0xFFU >> length);
	for (size_t i = 1; i < length; i++)
		size = size << 8 | data[id_size + i];
	ret->begin = at + (int64_t)(id_size + length);
	if (ret->begin > end || size == unknown || size > (uint64_t)(end - ret->begin))
		return false;
	ret->end = ret->begin + (int64_t)size;
	return true;
}

static int64_t segment_end(int fd)
{
	struct vrs_ebml_element element;
	int64_t at = 0;

	for (int i = 0; i <= MOST_BEFORE; i++) {
		uint8_t head[VRS_EBML_HEAD_BYTES];
		ssize_t n = pread(fd, head, sizeof head, at);

		if (n <= 0 || !vrs_ebml_parse(head, (size_t)n, at, INT64_MAX, &element) || (i == 0) != (element.id == EBML))
			return 0;
		if (element.id == VRS_MATROSKA_SEGMENT)
			return element.end;
		at = element.end;
	}
	return 0;
}

int64_t vrs_matroska_stated_end(const char *path)
{
	struct stat st;
	int64_t end;
	int fd;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode)) /* opening a pipe would take its reader's place */
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	end = segment_end(fd);
	close(fd);
	return end;
}
