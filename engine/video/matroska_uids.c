/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/matroska_uids.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <libavutil/crc.h>
#include <libavutil/intreadwrite.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "video/ebml.h"

#define MOST_HEADER_BYTES (1 << 30) /* of the elements that hold identifiers, fonts among them */
#define SAMPLE 4096                 /* bytes at both ends of each other element that count as its content; its check sum is in them, if it has one */
#define MOST_DEPTH 8

enum element_id {
	INFO = 0x1549A966, TRACKS = 0x1654AE6B, ATTACHMENTS = 0x1941A469, TAGS = 0x1254C367,
	TRACK_ENTRY = 0xAE, ATTACHED_FILE = 0x61A7, TAG = 0x7373, TARGETS = 0x63C0,
	CHECK_SUM = 0xBF, SEGMENT_UID = 0x73A4, TRACK_UID = 0x73C5, FILE_UID = 0x46AE, TAG_TRACK_UID = 0x63C5, TAG_ATTACHMENT_UID = 0x63C6,
};

/* The payload of an element that holds identifiers. */
struct part {
	int64_t at;         /* in the file */
	size_t begin, size; /* in the buffer */
};

struct rewrite {
	int fd;
	const char *path;
	struct vrs_error *err;
	struct vrs_buf buf;
	struct part *parts;
	size_t part_count, part_capacity;
	uint64_t *uids;     /* of tracks and attachments as libavformat wrote them, in the order of their first appearance */
	size_t uid_count, uid_capacity;
	uint64_t content;   /* hash of all but the identifiers */
};

typedef enum vrs_status (*uid_fn)(struct rewrite *rewrite, uint32_t id, uint8_t *data, size_t size);

static enum vrs_status fail_format(struct rewrite *rewrite)
{
	return vrs_fail(rewrite->err, VRS_EFORMAT, "%s is not as FFmpeg writes Matroska files; write another container", rewrite->path);
}

static enum vrs_status read_at(struct rewrite *rewrite, int64_t at, void *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pread(rewrite->fd, (uint8_t *)data + done, size - done, at + (int64_t)done);

		if (n == 0)
			return fail_format(rewrite);
		if (n < 0 && errno != EINTR)
			return vrs_fail(rewrite->err, VRS_EIO, "cannot read %s: %s", rewrite->path, strerror(errno));
		done += n > 0 ? (size_t)n : 0;
	}
	return VRS_OK;
}

static enum vrs_status write_at(struct rewrite *rewrite, int64_t at, const void *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pwrite(rewrite->fd, (const uint8_t *)data + done, size - done, at + (int64_t)done);

		if (n < 0 && errno != EINTR)
			return vrs_file_fail_write(rewrite->err, rewrite->path, errno);
		done += n > 0 ? (size_t)n : 0;
	}
	return VRS_OK;
}

static enum vrs_status read_element(struct rewrite *rewrite, int64_t at, int64_t end, struct vrs_ebml_element *ret)
{
	uint8_t data[VRS_EBML_HEAD_BYTES];
	size_t count = end - at < VRS_EBML_HEAD_BYTES ? (size_t)(end - at) : VRS_EBML_HEAD_BYTES;
	enum vrs_status status = read_at(rewrite, at, data, count);

	return status != VRS_OK || vrs_ebml_parse(data, count, at, end, ret) ? status : fail_format(rewrite);
}

static bool is_folder(uint32_t id)
{
	return id == TRACK_ENTRY || id == ATTACHED_FILE || id == TAG || id == TARGETS;
}

/* The identifiers among the elements from `at` to `end` of the buffer. */
static enum vrs_status visit_uids(struct rewrite *rewrite, int64_t at, int64_t end, int depth, uid_fn visit)
{
	uint8_t *data = (uint8_t *)rewrite->buf.data;
	enum vrs_status status = VRS_OK;
	struct vrs_ebml_element element;

	for (; status == VRS_OK && at < end; at = element.end) {
		if (depth > MOST_DEPTH || !vrs_ebml_parse(data + at, (size_t)(end - at), at, end, &element))
			return fail_format(rewrite);
		if (is_folder(element.id))
			status = visit_uids(rewrite, element.begin, element.end, depth + 1, visit);
		else
			status = visit(rewrite, element.id, data + element.begin, (size_t)(element.end - element.begin));
	}
	return status;
}

/* An identifier gives way to its rank, which the same run of another time has too. */
static enum vrs_status take_uid(struct rewrite *rewrite, uint32_t id, uint8_t *data, size_t size)
{
	size_t rank = 0;

	if (id == SEGMENT_UID)
		memset(data, 0, size);
	if (id == CHECK_SUM)
		memset(data, 0, size);
	if (id != TRACK_UID && id != FILE_UID && id != TAG_TRACK_UID && id != TAG_ATTACHMENT_UID)
		return VRS_OK;
	if (size != sizeof(uint64_t))
		return fail_format(rewrite);
	while (rank < rewrite->uid_count && rewrite->uids[rank] != AV_RB64(data))
		rank++;
	if (rank == rewrite->uid_count) {
		if (vrs_array_grow(&rewrite->uids, &rewrite->uid_capacity, rank + 1, sizeof *rewrite->uids, SIZE_MAX) != VRS_OK)
			return vrs_fail_nomem(rewrite->err);
		rewrite->uids[rewrite->uid_count++] = AV_RB64(data);
	}
	AV_WB64(data, rank);
	return VRS_OK;
}

static uint64_t uid_of(const struct rewrite *rewrite, uint64_t kind, uint64_t rank)
{
	uint64_t number[2] = {kind, rank}, uid = vrs_hash(rewrite->content, number, sizeof number);

	return uid ? uid : 1; /* 0 is none */
}

static enum vrs_status give_uid(struct rewrite *rewrite, uint32_t id, uint8_t *data, size_t size)
{
	if (id == SEGMENT_UID)
		for (size_t i = 0; i + sizeof(uint64_t) <= size; i += sizeof(uint64_t))
			AV_WB64(data + i, uid_of(rewrite, SEGMENT_UID, i));
	if (id == TRACK_UID || id == FILE_UID || id == TAG_TRACK_UID || id == TAG_ATTACHMENT_UID)
		AV_WB64(data, uid_of(rewrite, TRACK_UID, AV_RB64(data)));
	return VRS_OK;
}

/* Take an element that holds identifiers into the buffer. */
static enum vrs_status take_part(struct rewrite *rewrite, const struct vrs_ebml_element *element)
{
	size_t begin = rewrite->buf.len, size = (size_t)(element->end - element->begin);
	enum vrs_status status = vrs_array_grow(&rewrite->parts, &rewrite->part_capacity, rewrite->part_count + 1, sizeof *rewrite->parts, SIZE_MAX);

	if (status == VRS_OK)
		status = vrs_buf_reserve(&rewrite->buf, size);
	if (status != VRS_OK)
		return vrs_fail(rewrite->err, status, "the header of %s is too large for the memory", rewrite->path);
	status = read_at(rewrite, element->begin, rewrite->buf.data + begin, size);
	if (status != VRS_OK)
		return status;
	rewrite->buf.len += size;
	rewrite->parts[rewrite->part_count++] = (struct part){element->begin, begin, size};
	status = visit_uids(rewrite, (int64_t)begin, (int64_t)(begin + size), 0, take_uid);
	rewrite->content = vrs_hash_block(rewrite->content, rewrite->buf.data + begin, size);
	return status;
}

/* Count another element by its size and both its ends. */
static enum vrs_status count_sample(struct rewrite *rewrite, const struct vrs_ebml_element *element)
{
	int64_t size = element->end - element->begin, sample = size < SAMPLE ? size : SAMPLE;
	uint8_t data[2 * SAMPLE];
	enum vrs_status status = read_at(rewrite, element->begin, data, (size_t)sample);

	if (status == VRS_OK)
		status = read_at(rewrite, element->end - sample, data + sample, (size_t)sample);
	rewrite->content = vrs_hash_block(rewrite->content, &size, sizeof size);
	if (status == VRS_OK)
		rewrite->content = vrs_hash_block(rewrite->content, data, 2 * (size_t)sample);
	return status;
}

static enum vrs_status take_segment(struct rewrite *rewrite, const struct vrs_ebml_element *segment)
{
	enum vrs_status status = VRS_OK;
	struct vrs_ebml_element element;

	for (int64_t at = segment->begin; status == VRS_OK && at < segment->end; at = element.end) {
		status = read_element(rewrite, at, segment->end, &element);
		if (status != VRS_OK)
			return status;
		bool is_part = element.id == INFO || element.id == TRACKS || element.id == ATTACHMENTS || element.id == TAGS;

		status = is_part ? take_part(rewrite, &element) : count_sample(rewrite, &element);
	}
	return status;
}

static enum vrs_status take_file(struct rewrite *rewrite)
{
	int64_t end = lseek(rewrite->fd, 0, SEEK_END);
	enum vrs_status status = VRS_OK;
	struct vrs_ebml_element element = {0};

	for (int64_t at = 0; status == VRS_OK && at < end; at = element.end) {
		status = read_element(rewrite, at, end, &element);
		if (status == VRS_OK && element.id == VRS_MATROSKA_SEGMENT)
			status = take_segment(rewrite, &element);
	}
	return status != VRS_OK || rewrite->part_count ? status : fail_format(rewrite);
}

/* The check sum stands first and covers what follows. */
static void set_check_sum(uint8_t *data, size_t size)
{
	struct vrs_ebml_element sum;

	if (vrs_ebml_parse(data, size, 0, (int64_t)size, &sum) && sum.id == CHECK_SUM && sum.end - sum.begin == 4)
		AV_WL32(data + sum.begin, ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), UINT32_MAX, data + sum.end, size - (size_t)sum.end));
}

static enum vrs_status give_parts(struct rewrite *rewrite)
{
	enum vrs_status status = VRS_OK;

	for (size_t i = 0; status == VRS_OK && i < rewrite->part_count; i++) {
		const struct part *part = &rewrite->parts[i];
		uint8_t *data = (uint8_t *)rewrite->buf.data + part->begin;

		status = visit_uids(rewrite, (int64_t)part->begin, (int64_t)(part->begin + part->size), 0, give_uid);
		set_check_sum(data, part->size);
		if (status == VRS_OK)
			status = write_at(rewrite, part->at, data, part->size);
	}
	return status;
}

enum vrs_status vrs_matroska_uids_set(const char *path, struct vrs_error *err)
{
	struct rewrite rewrite = {.path = path, .err = err, .content = VRS_HASH_INIT, .fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)};
	enum vrs_status status;

	if (rewrite.fd < 0)
		return vrs_fail(err, VRS_EIO, "cannot open %s: %s", path, strerror(errno));
	vrs_buf_init(&rewrite.buf, MOST_HEADER_BYTES);
	status = take_file(&rewrite);
	if (status == VRS_OK)
		status = give_parts(&rewrite);
	if (close(rewrite.fd) < 0 && status == VRS_OK)
		status = vrs_file_fail_write(err, path, errno);
	vrs_buf_fini(&rewrite.buf);
	vrs_free(rewrite.parts);
	vrs_free(rewrite.uids);
	return status;
}
