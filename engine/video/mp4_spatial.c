/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/mp4_spatial.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libavutil/intreadwrite.h>

#include "base/file.h"
#include "base/mem.h"
#include "video/mp4_boxes.h"

#define MOST_BYTES (1 << 30) /* behind the sample entry */

/* 1: it is there; 0: it is not; -1: no memory. */
static int find(const char *path, uint32_t track_id, struct vrs_mp4_sound *ret_sound)
{
	struct vrs_mp4_boxes *boxes = vrs_alloc(sizeof *boxes);
	int found = 0;

	if (!boxes)
		return -1;
	vrs_mp4_boxes_read(boxes, path);
	for (int i = 0; i < boxes->sounds_count && !found; i++) {
		found = boxes->sounds[i].id == track_id;
		*ret_sound = boxes->sounds[i];
	}
	vrs_free(boxes);
	return found;
}

enum vrs_status vrs_mp4_spatial_read(struct vrs_buf *ret_box, const char *path, uint32_t track_id)
{
	struct vrs_mp4_sound sound;
	int found = find(path, track_id, &sound);
	size_t size = found > 0 ? (size_t)sound.spatial_size : 0;
	enum vrs_status status = VRS_OK;

	if (found < 0)
		return VRS_ENOMEM;
	if (size == 0)
		return VRS_OK;
	uint8_t *bytes = vrs_alloc(size);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!bytes)
		status = VRS_ENOMEM;
	else if (fd >= 0 && pread(fd, bytes, size, sound.spatial_at) == (ssize_t)size && AV_RB32(bytes) == size)
		status = vrs_buf_append(ret_box, bytes, size) == VRS_OK ? VRS_OK : VRS_ENOMEM;
	if (fd >= 0)
		close(fd);
	vrs_free(bytes);
	return status;
}

/* The boxes around it become larger by its size. */
static enum vrs_status grow(int fd, const char *path, const struct vrs_mp4_sound *sound, size_t size, struct vrs_error *err)
{
	for (int i = 0; i < VRS_MP4_ENTRY_DEPTH; i++) {
		uint8_t head[4];

		if (pread(fd, head, sizeof head, sound->at[i]) != (ssize_t)sizeof head)
			return vrs_file_fail_write(err, path, errno);
		AV_WB32(head, (uint32_t)(AV_RB32(head) + size));
		if (pwrite(fd, head, sizeof head, sound->at[i]) != (ssize_t)sizeof head)
			return vrs_file_fail_write(err, path, errno);
	}
	return VRS_OK;
}

/* What lies behind the sample entry moves, which is nothing but the rest of moov: no sample has another place. */
static enum vrs_status insert(int fd, const char *path, const struct vrs_mp4_sound *sound, const struct vrs_buf *box, struct vrs_error *err)
{
	struct stat st;
	uint8_t head[4];

	if (fstat(fd, &st) < 0 || pread(fd, head, sizeof head, sound->at[0]) != (ssize_t)sizeof head)
		return vrs_file_fail_write(err, path, errno);
	if (sound->at[0] + (int64_t)AV_RB32(head) != st.st_size || st.st_size - sound->end > MOST_BYTES)
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s does not end with its index", path);
	size_t rest = (size_t)(st.st_size - sound->end);
	uint8_t *bytes = vrs_alloc(rest + box->len + 1);
	enum vrs_status status = bytes ? VRS_OK : vrs_fail_nomem(err);

	if (bytes)
		memcpy(bytes, box->data, box->len);
	if (bytes && pread(fd, bytes + box->len, rest, sound->end) != (ssize_t)rest)
		status = vrs_file_fail_write(err, path, errno);
	if (status == VRS_OK && lseek(fd, sound->end, SEEK_SET) < 0)
		status = vrs_file_fail_write(err, path, errno);
	if (status == VRS_OK)
		status = vrs_file_write_all(fd, path, bytes, rest + box->len, err);
	vrs_free(bytes);
	return status == VRS_OK ? grow(fd, path, sound, box->len, err) : status;
}

enum vrs_status vrs_mp4_spatial_insert(const char *path, uint32_t track_id, const struct vrs_buf *box, struct vrs_error *err)
{
	struct vrs_mp4_sound sound;
	int found = find(path, track_id, &sound);

	if (found < 0)
		return vrs_fail_nomem(err);
	if (!found)
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s has no sound track %u", path, track_id);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return vrs_file_fail_write(err, path, errno);
	enum vrs_status status = insert(fd, path, &sound, box, err);
	if (close(fd) < 0 && status == VRS_OK)
		status = vrs_file_fail_write(err, path, errno);
	return status;
}
