/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of cached mattes that nobody trusts, as they are and with the hash set right, since no fuzzer finds that: no input harms, and a file
 * that is taken gives every frame or says that it cannot, the same each time; frames that it gives are written and read back the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/little_endian.h"
#include "base/mem.h"
#include "matte/matte_file.h"
#include "require.h"
#include "scratch.h"

#define HEADER_BYTES 20 /* as in matte_file.c */
#define END_BYTES 32
#define MOST_PIXELS (1u << 20) /* a few bytes of zstd may be 512 MB of matte, which takes a second each */
#define MOST_FRAMES 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Both mattes of a frame, one behind the other. */
struct frame {
	struct vrs_matte mattes[2];
	struct vrs_rect covers[2];
	size_t bytes;
};

static void frame_init(struct frame *frame, const struct vrs_matte_shape *shape)
{
	size_t pixels = (size_t)shape->width * (size_t)shape->height;
	uint8_t *data = calloc(2, pixels); /* libc: an exact block for the sanitizer */

	require(data != NULL);
	*frame = (struct frame){.bytes = 2 * pixels};
	for (int eye = 0; eye < 2; eye++)
		frame->mattes[eye] = (struct vrs_matte){shape->width, shape->height, shape->width, data + (size_t)eye * pixels};
}

static void frame_fini(struct frame *frame)
{
	free(frame->mattes[0].data); /* libc: see above */
}

static enum vrs_status get(struct vrs_matte_reader *reader, uint64_t i, struct frame *frame)
{
	enum vrs_status status = vrs_matte_reader_get(reader, i, frame->mattes, frame->covers);

	require(status == VRS_OK || status == VRS_EFORMAT);
	return status;
}

static void require_same(const struct frame *a, const struct frame *b)
{
	require(memcmp(a->mattes[0].data, b->mattes[0].data, a->bytes) == 0 && memcmp(a->covers, b->covers, sizeof a->covers) == 0);
}

/* The frames that can be read, into a new file; it has the past, too, and nothing else. */
static void write_back(struct vrs_matte_reader *reader, const struct vrs_matte_shape *shape, struct frame *a, struct frame *b)
{
	struct vrs_matte_writer *writer;
	struct vrs_matte_reader *again;
	char path[256], past_path[256];
	uint64_t frames = vrs_matte_reader_frames(reader), kept = 0;
	size_t past_bytes, bytes;
	const void *past = vrs_matte_reader_past(reader, &past_bytes), *past_again;

	scratch_path(path, sizeof path, "again.mattes");
	scratch_write(scratch_path(past_path, sizeof past_path, "past"), past, past_bytes);
	require(vrs_matte_writer_create(&writer, path, 0, shape, NULL) == VRS_OK);
	for (uint64_t i = 0; i < frames && i < MOST_FRAMES; i++)
		if (get(reader, i, a) == VRS_OK)
			require(vrs_matte_writer_add(writer, a->mattes, a->covers, NULL) == VRS_OK && ++kept > 0);
	require(vrs_matte_writer_add_past(writer, past_path, NULL) == VRS_OK && vrs_matte_writer_finish(writer, NULL) == VRS_OK);
	vrs_matte_writer_close(writer);
	require(vrs_matte_reader_open(&again, path, 0, NULL) == VRS_OK && vrs_matte_reader_frames(again) == kept);
	for (uint64_t i = 0, k = 0; k < kept; i++) {
		if (get(reader, i, a) != VRS_OK)
			continue;
		require(get(again, k++, b) == VRS_OK);
		require_same(a, b);
	}
	past_again = vrs_matte_reader_past(again, &bytes);
	require(bytes == past_bytes && (bytes == 0 || memcmp(past, past_again, bytes) == 0));
	vrs_matte_reader_close(again);
}

static void read_file(const uint8_t *data, size_t size)
{
	struct vrs_matte_reader *reader;
	struct vrs_error err = {0};
	struct frame first, second;
	char path[256];

	scratch_write(scratch_path(path, sizeof path, "read.mattes"), data, size);
	if (vrs_matte_reader_open(&reader, path, 0, &err) != VRS_OK) {
		require(err.text[0] != '\0');
		return;
	}
	struct vrs_matte_shape shape = vrs_matte_reader_shape(reader);

	require(shape.eyes >= 1 && shape.eyes <= VRS_MATTE_FILE_MAX_EYES && shape.width >= 1 && shape.width <= VRS_MATTE_FILE_MAX_SIDE &&
		shape.height >= 1 && shape.height <= VRS_MATTE_FILE_MAX_SIDE);
	if ((size_t)shape.width * (size_t)shape.height <= MOST_PIXELS) {
		frame_init(&first, &shape);
		frame_init(&second, &shape);
		require(vrs_matte_reader_get(reader, vrs_matte_reader_frames(reader), first.mattes, first.covers) == VRS_EINVAL);
		write_back(reader, &shape, &first, &second);
		frame_fini(&first);
		frame_fini(&second);
	}
	vrs_matte_reader_close(reader);
}

/* The hash over the pieces that the end of the file says; false: it says none. */
static bool seal(uint8_t *data, size_t size)
{
	if (size < HEADER_BYTES + END_BYTES)
		return false;
	size_t room = size - HEADER_BYTES - END_BYTES;
	const uint8_t *end = data + size - END_BYTES;
	uint64_t frames = vrs_load_le64(end), past = vrs_load_le64(end + 16), hash = vrs_hash_block(VRS_HASH_INIT, data, HEADER_BYTES), at = HEADER_BYTES;

	if (frames > room / 8 || past > room - 8 * frames)
		return false;
	size_t index = size - END_BYTES - 8 * (size_t)frames, frames_end = index - (size_t)past;

	for (uint64_t i = 0; i < frames; i++) {
		uint64_t to = i + 1 < frames ? vrs_load_le64(data + index + 8 * (i + 1)) : frames_end;

		if (to <= at || to > frames_end)
			return false;
		hash = vrs_hash_block(hash, data + at, to - at);
		at = to;
	}
	if (past > 0)
		hash = vrs_hash_block(hash, data + frames_end, past);
	for (const uint8_t *p = data + index; p < end + 24; p += 8)
		hash = vrs_hash_block(hash, p, 8);
	vrs_store_le64(data + size - 8, hash);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t live = vrs_mem_stats().live_bytes;
	uint8_t *copy = malloc(size > 0 ? size : 1); /* libc: an exact block for the sanitizer */

	require(copy != NULL);
	read_file(data, size);
	memcpy(copy, data, size);
	if (seal(copy, size))
		read_file(copy, size);
	free(copy); /* libc: see above */
	require(vrs_mem_stats().live_bytes == live);
	return 0;
}
