/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/frames_file.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"

static const char magic_1[8] = "VRSFRAM1", magic_2[8] = "VRSFRAM2";
enum { HEADER_BYTES = 24, TIMES_BYTES = 16 * VRS_STAGE_COUNT, FRAME_BYTES_1 = 8 + TIMES_BYTES, FRAME_BYTES_2 = 16 + TIMES_BYTES };

static bool write_header(FILE *out, uint64_t count)
{
	uint64_t header[HEADER_BYTES / 8] = {0, htole64(VRS_STAGE_COUNT), htole64(count)};
	memcpy(header, magic_2, sizeof magic_2);
	return fwrite(header, sizeof header, 1, out) == 1;
}

/* What failed is told at the end, when errno says something else. */
static bool note_write(struct vrs_frames_writer *writer, bool good)
{
	writer->failed = !good;
	writer->cause = good ? 0 : errno;
	return good;
}

enum vrs_status vrs_frames_writer_open(struct vrs_frames_writer *ret_writer, const char *path, struct vrs_error *err)
{
	struct vrs_frames_writer writer = {.out = NULL};
	if (!vrs_strcpy(writer.path, sizeof writer.path, path))
		return vrs_fail(err, VRS_ELIMIT, "the name %.60s... is too long", path);
	enum vrs_status status = path[0] ? vrs_temp_file_create(&writer.temp, path, err) : VRS_OK;
	if (status != VRS_OK)
		return status;
	writer.out = path[0] ? vrs_temp_file_stream(&writer.temp, "w+") : tmpfile();
	if (!writer.out) {
		status = vrs_file_fail_write(err, path[0] ? path : "a temporary file", errno);
		vrs_temp_file_discard(&writer.temp);
		return status;
	}
	note_write(&writer, write_header(writer.out, 0));
	*ret_writer = writer;
	return VRS_OK;
}

void vrs_frames_writer_add(struct vrs_frames_writer *writer, const struct vrs_frame_times *times)
{
	uint64_t words[FRAME_BYTES_2 / 8] = {htole64((uint64_t)times->index), htole64(times->intended_ns)};
	if (writer->failed || writer->count == VRS_FRAMES_MAX)
		return;
	for (int s = 0; s < VRS_STAGE_COUNT; s++) {
		words[2 + s] = htole64(times->start_ns[s]);
		words[2 + VRS_STAGE_COUNT + s] = htole64(times->end_ns[s]);
	}
	writer->count += note_write(writer, fwrite(words, sizeof words, 1, writer->out) == 1);
}

enum vrs_status vrs_frames_writer_commit(struct vrs_frames_writer *writer, struct vrs_error *err)
{
	if (!writer->failed)
		(void)note_write(writer, fseek(writer->out, 0, SEEK_SET) == 0 && write_header(writer->out, writer->count) && fflush(writer->out) == 0);
	if (writer->failed) {
		int cause = writer->cause;
		vrs_frames_writer_discard(writer);
		return vrs_file_fail_write(err, writer->path, cause);
	}
	if (fclose(writer->out) != 0) {
		writer->out = NULL;
		vrs_temp_file_discard(&writer->temp);
		return vrs_file_fail_write(err, writer->path, errno);
	}
	writer->out = NULL;
	return writer->path[0] ? vrs_temp_file_commit(&writer->temp, true, err) : VRS_OK;
}

void vrs_frames_writer_discard(struct vrs_frames_writer *writer)
{
	if (!writer->out)
		return;
	fclose(writer->out);
	writer->out = NULL;
	vrs_temp_file_discard(&writer->temp);
}

static enum vrs_status check_header(struct vrs_frames_reader *r, const uint64_t *header, size_t got, size_t size, struct vrs_error *err)
{
	bool first = got == HEADER_BYTES && memcmp(header, magic_1, sizeof magic_1) == 0;
	if (got < HEADER_BYTES || (!first && memcmp(header, magic_2, sizeof magic_2) != 0))
		return vrs_fail_at(err, VRS_EFORMAT, r->path, 0, 0, "this is not a file of frame times (wrong mark at byte 0)");
	uint64_t stages = le64toh(header[1]);
	r->has_intended = !first;
	r->count = le64toh(header[2]);
	if (stages != VRS_STAGE_COUNT)
		return vrs_fail_at(err, VRS_EFORMAT, r->path, 0, 0, "byte 8: %" PRIu64 " stages instead of %d", stages, VRS_STAGE_COUNT);
	if (r->count > VRS_FRAMES_MAX || size - HEADER_BYTES != r->count * (first ? FRAME_BYTES_1 : FRAME_BYTES_2))
		return vrs_fail_at(err, VRS_EFORMAT, r->path, 0, 0, "byte 16: %" PRIu64 " frames do not fit a file of %zu bytes", r->count, size);
	return VRS_OK;
}

enum vrs_status vrs_frames_reader_open(struct vrs_frames_reader *ret_reader, const char *path, struct vrs_error *err)
{
	struct vrs_frames_reader r = {.in = NULL};
	uint64_t header[HEADER_BYTES / 8];
	struct stat info;
	enum vrs_status status = vrs_file_open_stream(path, &r.in, err);
	if (status != VRS_OK)
		return status;
	vrs_strcpy(r.path, sizeof r.path, path);
	size_t got = fread(header, 1, sizeof header, r.in);
	status = fstat(fileno(r.in), &info) == 0 && S_ISREG(info.st_mode)
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
	if (!writer->failed)
		(void)note_write(writer, fflush(writer->out) == 0);
	if (writer->failed)
		return vrs_file_fail_write(err, r.path, writer->cause);
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
	uint64_t words[FRAME_BYTES_2 / 8];
	struct vrs_frame_times times = {.index = 0};
	size_t size = r->has_intended ? FRAME_BYTES_2 : FRAME_BYTES_1;
	if (r->next == r->count)
		return VRS_END;
	if (fread(words, size, 1, r->in) != 1)
		return vrs_fail_at(err, VRS_EIO, r->path, 0, 0, "frame %" PRIu64 " cannot be read", r->next);
	const uint64_t *at = words + (size - TIMES_BYTES) / 8;
	times.index = (int64_t)le64toh(words[0]);
	for (int s = 0; s < VRS_STAGE_COUNT; s++) {
		times.start_ns[s] = le64toh(at[s]);
		times.end_ns[s] = le64toh(at[VRS_STAGE_COUNT + s]);
	}
	times.intended_ns = r->has_intended ? le64toh(words[1]) : times.start_ns[VRS_STAGE_DECODE];
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
