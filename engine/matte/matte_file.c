/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/matte_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "base/assert.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

static const char magic[8] = "VRSMATT2"; /* not a string: it has no end */
#define HEADER_BYTES 20
#define END_BYTES 32
#define LEVEL 1 /* mattes are mostly flat: 30 to 1, at 700 MB/s; higher levels gain a tenth */

struct vrs_matte_writer {
	struct vrs_matte_shape shape;
	struct vrs_temp_file temp;
	FILE *file; /* into it */
	ZSTD_CCtx *zstd;
	uint8_t *plain, *packed;
	size_t plain_bytes, packed_bytes;
	uint64_t *offsets, frames, at, past, hash; /* past: its bytes */
	size_t capacity;
};

struct vrs_matte_reader {
	struct vrs_matte_shape shape;
	const uint8_t *data;  /* the file, mapped */
	size_t bytes;
	uint64_t frames, past, index; /* past: its bytes; index: offset of the offsets */
	pthread_mutex_t lock; /* guards the two below */
	ZSTD_DCtx *zstd;
	uint8_t *plain;
	size_t plain_bytes;
};

static void put_u32(uint8_t *to, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t get_u32(const uint8_t *from)
{
	return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static uint64_t get_u64(const uint8_t *from)
{
	return get_u32(from) | (uint64_t)get_u32(from + 4) << 32;
}

static bool shape_is_good(const struct vrs_matte_shape *shape)
{
	return shape->eyes >= 1 && shape->eyes <= VRS_MATTE_FILE_MAX_EYES && shape->width >= 1 && shape->width <= VRS_MATTE_FILE_MAX_SIDE &&
	       shape->height >= 1 && shape->height <= VRS_MATTE_FILE_MAX_SIDE;
}

static size_t frame_bytes(const struct vrs_matte_shape *shape)
{
	return (size_t)shape->eyes * (16 + (size_t)shape->width * (size_t)shape->height);
}

static bool append(struct vrs_matte_writer *writer, const void *data, size_t size)
{
	writer->hash = vrs_hash_block(writer->hash, data, size);
	writer->at += size;
	return fwrite(data, 1, size, writer->file) == size;
}

enum vrs_status vrs_matte_writer_create(struct vrs_matte_writer **ret_writer, const char *path, uint64_t key,
					const struct vrs_matte_shape *shape, struct vrs_error *err)
{
	uint8_t header[HEADER_BYTES];
	if (!shape_is_good(shape))
		return vrs_fail(err, VRS_EINVAL, "mattes of %dx%d cannot be kept", shape->width, shape->height);
	struct vrs_matte_writer *writer = vrs_calloc(1, sizeof *writer);
	if (!writer)
		return vrs_fail(err, VRS_ENOMEM, "no memory for a file of mattes");
	writer->shape = *shape;
	writer->hash = VRS_HASH_INIT ^ key;
	writer->plain_bytes = frame_bytes(shape);
	writer->packed_bytes = ZSTD_compressBound(writer->plain_bytes);
	writer->plain = vrs_alloc(writer->plain_bytes);
	writer->packed = vrs_alloc(writer->packed_bytes);
	writer->zstd = ZSTD_createCCtx();
	enum vrs_status status = writer->plain && writer->packed && writer->zstd ? VRS_OK : vrs_fail(err, VRS_ENOMEM, "no memory for a file of mattes");
	memcpy(header, magic, sizeof magic);
	put_u32(header + 8, (uint32_t)shape->eyes);
	put_u32(header + 12, (uint32_t)shape->width);
	put_u32(header + 16, (uint32_t)shape->height);
	if (status == VRS_OK)
		status = vrs_temp_file_create(&writer->temp, path, err);
	if (status == VRS_OK) {
		writer->file = vrs_temp_file_stream(&writer->temp, "w");
		if (!writer->file || !append(writer, header, sizeof header))
			status = vrs_fail(err, vrs_file_write_status(errno), "cannot write %s: %s", path, strerror(errno));
	}
	if (status != VRS_OK) {
		vrs_matte_writer_close(writer);
		return status;
	}
	*ret_writer = writer;
	return VRS_OK;
}

enum vrs_status vrs_matte_writer_add(struct vrs_matte_writer *writer, const struct vrs_matte *mattes, const struct vrs_rect *covers,
				     struct vrs_error *err)
{
	uint8_t *to = writer->plain;
	size_t width = (size_t)writer->shape.width;
	for (int eye = 0; eye < writer->shape.eyes; eye++) {
		const int rect[4] = {covers[eye].x, covers[eye].y, covers[eye].width, covers[eye].height};
		for (int i = 0; i < 4; i++, to += 4)
			put_u32(to, (uint32_t)rect[i]);
		for (int y = 0; y < writer->shape.height; y++, to += width)
			memcpy(to, mattes[eye].data + y * mattes[eye].stride, width);
	}
	size_t size = ZSTD_compressCCtx(writer->zstd, writer->packed, writer->packed_bytes, writer->plain, writer->plain_bytes, LEVEL);
	if (ZSTD_isError(size) || vrs_array_grow((void **)&writer->offsets, &writer->capacity, writer->frames + 1, sizeof *writer->offsets, SIZE_MAX))
		return vrs_fail(err, VRS_ENOMEM, "no memory for a file of mattes");
	writer->offsets[writer->frames++] = writer->at;
	return append(writer, writer->packed, size) ? VRS_OK : vrs_fail(err, vrs_file_write_status(errno), "cannot write mattes: %s", strerror(errno));
}

enum vrs_status vrs_matte_writer_add_past(struct vrs_matte_writer *writer, const char *path, struct vrs_error *err)
{
	struct vrs_buf past;
	VRS_ASSERT(writer->past == 0);
	enum vrs_status status = vrs_file_read(path, SIZE_MAX, &past, err);
	writer->past = past.len;
	if (status == VRS_OK && past.len > 0 && !append(writer, vrs_buf_str(&past), past.len))
		status = vrs_fail(err, vrs_file_write_status(errno), "cannot write mattes: %s", strerror(errno));
	vrs_buf_fini(&past);
	return status;
}

enum vrs_status vrs_matte_writer_finish(struct vrs_matte_writer *writer, struct vrs_error *err)
{
	uint8_t bytes[8];
	uint64_t index = writer->at, frames = writer->frames;
	bool good = true;
	for (uint64_t i = 0; i < frames + 4 && good; i++) {
		uint64_t value = i < frames ? writer->offsets[i] : i == frames ? frames : i == frames + 1 ? index : i == frames + 2 ? writer->past : writer->hash;
		put_u32(bytes, (uint32_t)value);
		put_u32(bytes + 4, (uint32_t)(value >> 32));
		good = append(writer, bytes, sizeof bytes);
	}
	good = good && fflush(writer->file) == 0;
	if (good)
		return vrs_temp_file_commit(&writer->temp, true, err);
	return vrs_fail(err, vrs_file_write_status(errno), "cannot write mattes: %s", strerror(errno));
}

void vrs_matte_writer_close(struct vrs_matte_writer *writer)
{
	if (!writer)
		return;
	if (writer->file)
		fclose(writer->file);
	vrs_temp_file_discard(&writer->temp);
	ZSTD_freeCCtx(writer->zstd);
	vrs_free(writer->plain);
	vrs_free(writer->packed);
	vrs_free(writer->offsets);
	vrs_free(writer);
}

static uint64_t frame_offset(const struct vrs_matte_reader *reader, uint64_t i)
{
	return i == reader->frames ? reader->index - reader->past : get_u64(reader->data + reader->index + 8 * i);
}

/* The hash goes over the same pieces as the writer's: header, frames, the past, and each number of the end. */
static bool check(struct vrs_matte_reader *reader, uint64_t key)
{
	const uint8_t *data = reader->data;
	if (reader->bytes < HEADER_BYTES + END_BYTES || memcmp(data, magic, sizeof magic) != 0)
		return false;
	const uint8_t *end = data + reader->bytes - END_BYTES;
	reader->shape = (struct vrs_matte_shape){(int)get_u32(data + 8), (int)get_u32(data + 12), (int)get_u32(data + 16)};
	reader->frames = get_u64(end);
	reader->index = get_u64(end + 8);
	reader->past = get_u64(end + 16);
	size_t room = reader->bytes - HEADER_BYTES - END_BYTES;
	if (!shape_is_good(&reader->shape) || reader->frames > room / 8 || reader->index != reader->bytes - END_BYTES - 8 * reader->frames ||
	    reader->past > reader->index - HEADER_BYTES)
		return false;
	uint64_t hash = vrs_hash_block(VRS_HASH_INIT ^ key, data, HEADER_BYTES), at = HEADER_BYTES;
	for (uint64_t i = 0; i < reader->frames; i++) {
		uint64_t from = frame_offset(reader, i), to = frame_offset(reader, i + 1);
		if (from != at || to <= from || to > reader->index - reader->past)
			return false;
		hash = vrs_hash_block(hash, data + from, to - from);
		at = to;
	}
	if (at != reader->index - reader->past)
		return false;
	if (reader->past > 0)
		hash = vrs_hash_block(hash, data + at, reader->past);
	for (const uint8_t *p = data + reader->index; p < end + 24; p += 8)
		hash = vrs_hash_block(hash, p, 8);
	return hash == get_u64(end + 24);
}

static enum vrs_status map_file(struct vrs_matte_reader *reader, const char *path, struct vrs_error *err)
{
	struct stat st;
	int fd;
	enum vrs_status status = vrs_file_open(path, &fd, err);
	if (status != VRS_OK)
		return status;
	void *data = MAP_FAILED;
	if (fstat(fd, &st) == 0 && st.st_size > 0)
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (data == MAP_FAILED)
		return vrs_fail(err, VRS_EFORMAT, "%s is damaged", path);
	reader->data = data;
	reader->bytes = (size_t)st.st_size;
	return VRS_OK;
}

enum vrs_status vrs_matte_reader_open(struct vrs_matte_reader **ret_reader, const char *path, uint64_t key, struct vrs_error *err)
{
	struct vrs_matte_reader *reader = vrs_calloc(1, sizeof *reader);
	if (!reader)
		return vrs_fail(err, VRS_ENOMEM, "no memory for a file of mattes");
	pthread_mutex_init(&reader->lock, NULL);
	enum vrs_status status = map_file(reader, path, err);
	if (status == VRS_OK && !check(reader, key))
		status = vrs_fail(err, VRS_EFORMAT, "%s is damaged", path);
	if (status == VRS_OK) {
		reader->plain_bytes = frame_bytes(&reader->shape);
		reader->plain = vrs_alloc(reader->plain_bytes);
		reader->zstd = ZSTD_createDCtx();
		if (!reader->plain || !reader->zstd)
			status = vrs_fail(err, VRS_ENOMEM, "no memory for a file of mattes");
	}
	if (status != VRS_OK)
		vrs_matte_reader_close(reader);
	else
		*ret_reader = reader;
	return status;
}

struct vrs_matte_shape vrs_matte_reader_shape(const struct vrs_matte_reader *reader)
{
	return reader->shape;
}

uint64_t vrs_matte_reader_frames(const struct vrs_matte_reader *reader)
{
	return reader->frames;
}

const void *vrs_matte_reader_past(const struct vrs_matte_reader *reader, size_t *ret_size)
{
	*ret_size = reader->past;
	return reader->data + reader->index - reader->past;
}

/* Unpacked bytes into the caller's mattes. */
static void hand_out(const struct vrs_matte_reader *reader, struct vrs_matte *mattes, struct vrs_rect *covers)
{
	const uint8_t *from = reader->plain;
	size_t width = (size_t)reader->shape.width;
	for (int eye = 0; eye < reader->shape.eyes; eye++) {
		covers[eye] = (struct vrs_rect){(int)get_u32(from), (int)get_u32(from + 4), (int)get_u32(from + 8), (int)get_u32(from + 12)};
		from += 16;
		for (int y = 0; y < reader->shape.height; y++, from += width)
			memcpy(mattes[eye].data + y * mattes[eye].stride, from, width);
	}
}

enum vrs_status vrs_matte_reader_get(struct vrs_matte_reader *reader, uint64_t index, struct vrs_matte *mattes, struct vrs_rect *covers)
{
	if (index >= reader->frames)
		return VRS_EINVAL;
	uint64_t from = frame_offset(reader, index), size = frame_offset(reader, index + 1) - from;
	pthread_mutex_lock(&reader->lock);
	size_t got = ZSTD_decompressDCtx(reader->zstd, reader->plain, reader->plain_bytes, reader->data + from, size);
	bool good = !ZSTD_isError(got) && got == reader->plain_bytes;
	if (good)
		hand_out(reader, mattes, covers);
	pthread_mutex_unlock(&reader->lock);
	return good ? VRS_OK : VRS_EFORMAT;
}

void vrs_matte_reader_close(struct vrs_matte_reader *reader)
{
	if (!reader)
		return;
	if (reader->data)
		munmap((void *)(uintptr_t)reader->data, reader->bytes);
	ZSTD_freeDCtx(reader->zstd);
	vrs_free(reader->plain);
	pthread_mutex_destroy(&reader->lock);
	vrs_free(reader);
}
