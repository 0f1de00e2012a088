/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/frames_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/str_parse.h"

static const char magic_1[8] = "VRSFRAM1", magic_2[8] = "VRSFRAM2";
enum { HEADER_BYTES = 24, TIMES_BYTES = 16 * VRS_STAGE_COUNT, FRAME_BYTES_1 = 8 + TIMES_BYTES, FRAME_BYTES_2 = 16 + TIMES_BYTES };

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

static bool write_header(FILE *out, uint64_t count)
{
	uint8_t header[HEADER_BYTES] = {0};
	memcpy(header, magic_2, sizeof magic_2);
	put_u64(header + 8, VRS_STAGE_COUNT);
	put_u64(header + 16, count);
	return fwrite(header, sizeof header, 1, out) == 1;
}

enum vrs_status vrs_frames_writer_open(struct vrs_frames_writer *ret_writer, const char *path, struct vrs_error *err)
{
	struct vrs_frames_writer writer = {.out = NULL};
	if (!vrs_strcpy(writer.path, sizeof writer.path, path))
		return vrs_fail(err, VRS_ELIMIT, "the name %.60s... is too long", path);
	enum vrs_status status = path[0] ? vrs_file_temp_name(path, writer.temp, sizeof writer.temp, err) : VRS_OK;
	if (status != VRS_OK)
		return status;
	writer.out = path[0] ? fopen(writer.temp, "w+e") : tmpfile();
	if (!writer.out)
		return vrs_fail(err, VRS_EIO, "cannot write %s: %s", path[0] ? path : "a temporary file", strerror(errno));
	writer.failed = !write_header(writer.out, 0);
	*ret_writer = writer;
	return VRS_OK;
}

void vrs_frames_writer_add(struct vrs_frames_writer *writer, const struct vrs_frame_times *times)
{
	uint8_t bytes[FRAME_BYTES_2];
	if (writer->failed || writer->count == VRS_FRAMES_MAX)
		return;
	put_u64(bytes, (uint64_t)times->index);
	put_u64(bytes + 8, times->intended_ns);
	for (int s = 0; s < VRS_STAGE_COUNT; s++) {
		put_u64(bytes + 16 + 8 * s, times->start_ns[s]);
		put_u64(bytes + 16 + 8 * (VRS_STAGE_COUNT + s), times->end_ns[s]);
	}
	writer->failed = fwrite(bytes, sizeof bytes, 1, writer->out) != 1;
	writer->count += !writer->failed;
}

enum vrs_status vrs_frames_writer_commit(struct vrs_frames_writer *writer, struct vrs_error *err)
{
	bool whole = !writer->failed && fseek(writer->out, 0, SEEK_SET) == 0 && write_header(writer->out, writer->count) && fflush(writer->out) == 0;
	int cause = errno;
	if (!whole) {
		vrs_frames_writer_discard(writer);
		return vrs_fail(err, VRS_EIO, "cannot write %s: %s", writer->path, strerror(cause));
	}
	fclose(writer->out);
	writer->out = NULL;
	return writer->path[0] ? vrs_file_commit(writer->temp, writer->path, err) : VRS_OK;
}

void vrs_frames_writer_discard(struct vrs_frames_writer *writer)
{
	if (!writer->out)
		return;
	fclose(writer->out);
	writer->out = NULL;
	if (writer->path[0])
		vrs_file_discard(writer->temp);
}

static enum vrs_status check_header(struct vrs_frames_reader *r, const uint8_t *header, size_t got, size_t size, struct vrs_error *err)
{
	bool first = got == HEADER_BYTES && memcmp(header, magic_1, sizeof magic_1) == 0;
	if (got < HEADER_BYTES || (!first && memcmp(header, magic_2, sizeof magic_2) != 0))
		return vrs_fail_at(err, VRS_EFORMAT, r->path, 0, 0, "this is not a file of frame times (wrong mark at byte 0)");
	uint64_t stages = get_u64(header + 8);
	r->has_intended = !first;
	r->count = get_u64(header + 16);
	if (stages != VRS_STAGE_COUNT)
		return vrs_fail_at(err, VRS_EFORMAT, r->path, 0, 0, "byte 8: %" PRIu64 " stages instead of %d", stages, VRS_STAGE_COUNT);
	if (r->count > VRS_FRAMES_MAX || size - HEADER_BYTES != r->count * (first ? FRAME_BYTES_1 : FRAME_BYTES_2))
		return vrs_fail_at(err, VRS_EFORMAT, r->path, 0, 0, "byte 16: %" PRIu64 " frames do not fit a file of %zu bytes", r->count, size);
	return VRS_OK;
}

enum vrs_status vrs_frames_reader_open(struct vrs_frames_reader *ret_reader, const char *path, struct vrs_error *err)
{
	struct vrs_frames_reader r = {.in = fopen(path, "re")};
	uint8_t header[HEADER_BYTES];
	struct stat info;
	if (!r.in)
		return vrs_fail(err, errno == ENOENT ? VRS_ENOTFOUND : VRS_EIO, "cannot open %s: %s", path, strerror(errno));
	vrs_strcpy(r.path, sizeof r.path, path);
	size_t got = fread(header, 1, sizeof header, r.in);
	enum vrs_status status = fstat(fileno(r.in), &info) == 0 && S_ISREG(info.st_mode)
					 ? check_header(&r, header, got, (size_t)info.st_size, err)
					 : vrs_fail(err, VRS_EIO, "cannot read %s: it is not a regular file", path);
	if (status == VRS_OK)
		*ret_reader = r;
	else
		fclose(r.in);
	return status;
}

enum vrs_status vrs_frames_reader_of_writer(struct vrs_frames_reader *ret_reader, struct vrs_frames_writer *writer, struct vrs_error *err)
{
	struct vrs_frames_reader r = {.in = writer->out, .count = writer->count, .has_intended = true, .borrowed = true};
	vrs_strcpy(r.path, sizeof r.path, writer->path[0] ? writer->path : "frame times");
	if (writer->failed)
		return vrs_fail(err, VRS_EIO, "cannot write %s: %s", r.path, strerror(errno));
	*ret_reader = r;
	return vrs_frames_reader_rewind(ret_reader, err);
}

enum vrs_status vrs_frames_reader_rewind(struct vrs_frames_reader *r, struct vrs_error *err)
{
	r->next = 0;
	r->last_end_ns = 0;
	if (fflush(r->in) != 0 || fseek(r->in, HEADER_BYTES, SEEK_SET) != 0)
		return vrs_fail(err, VRS_EIO, "cannot read %s: %s", r->path, strerror(errno));
	return VRS_OK;
}

enum vrs_status vrs_frames_reader_next(struct vrs_frames_reader *r, struct vrs_frame_times *ret_times, struct vrs_error *err)
{
	uint8_t bytes[FRAME_BYTES_2];
	struct vrs_frame_times times = {.index = 0};
	size_t size = r->has_intended ? FRAME_BYTES_2 : FRAME_BYTES_1;
	if (r->next == r->count)
		return VRS_END;
	if (fread(bytes, size, 1, r->in) != 1)
		return vrs_fail_at(err, VRS_EIO, r->path, 0, 0, "frame %" PRIu64 " cannot be read", r->next);
	const uint8_t *at = bytes + size - TIMES_BYTES;
	times.index = (int64_t)get_u64(bytes);
	for (int s = 0; s < VRS_STAGE_COUNT; s++) {
		times.start_ns[s] = get_u64(at + 8 * s);
		times.end_ns[s] = get_u64(at + 8 * (VRS_STAGE_COUNT + s));
	}
	times.intended_ns = r->has_intended ? get_u64(bytes + 8) : times.start_ns[VRS_STAGE_DECODE];
	uint64_t done = times.end_ns[VRS_STAGE_ENCODE];
	if (done < r->last_end_ns || done >> 62)
		return vrs_fail_at(err, VRS_EFORMAT, r->path, 0, 0, "frame %" PRIu64 " ends before the one before it", r->next);
	r->last_end_ns = done;
	r->next++;
	*ret_times = times;
	return VRS_OK;
}

void vrs_frames_reader_close(struct vrs_frames_reader *r)
{
	if (r->in && r->borrowed)
		(void)fseek(r->in, 0, SEEK_END); /* the writer goes on at its end */
	else if (r->in)
		fclose(r->in);
	r->in = NULL;
}
