/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The mattes of a film in a file: for each frame the matte of each eye and the part of the picture that it covers, compressed by zstd.
 *
 *     "VRSMATT2", u32 eyes, width, height (of a matte)        little end, as everything
 *     frames, one after another: a zstd block of eyes x (4 x i32 rectangle, height * width bytes)
 *     the past: any bytes that belong to the mattes, or none
 *     u64 offset of each frame, u64 number of frames, u64 offset of the first offset, u64 bytes of the past, u64 hash of the key and all before it
 *
 * The key says what the mattes are of; it does not stand in the file.  A file without its end, whose hash does not fit, or that is opened with
 * another key, is no file: it is noticed when it is opened.
 */
#ifndef VRS_MATTE_MATTE_FILE_H
#define VRS_MATTE_MATTE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <vrseg/frame.h>

#define VRS_MATTE_FILE_MAX_EYES 2
#define VRS_MATTE_FILE_MAX_SIDE 16384

struct vrs_matte_writer;
struct vrs_matte_reader;

struct vrs_matte_shape {
	int eyes, width, height;
};

/* Begin a file, which appears with vrs_matte_writer_finish. VRS_EINVAL, VRS_EIO, VRS_ENOSPC, VRS_ENOMEM. */
enum vrs_status vrs_matte_writer_create(struct vrs_matte_writer **ret_writer, const char *path, uint64_t key,
					const struct vrs_matte_shape *shape, struct vrs_error *err) VRS_MUST_CHECK;
/* The next frame; [eyes] of each. VRS_EIO, VRS_ENOSPC, VRS_ENOMEM. One thread at a time. */
enum vrs_status vrs_matte_writer_add(struct vrs_matte_writer *writer, const struct vrs_matte *mattes, const struct vrs_rect *covers,
				     struct vrs_error *err) VRS_MUST_CHECK;
/* After the last frame, at most once: the content of a file as the past. VRS_EIO, VRS_ENOSPC, VRS_ENOTFOUND, VRS_ENOMEM. */
enum vrs_status vrs_matte_writer_add_past(struct vrs_matte_writer *writer, const char *path, struct vrs_error *err) VRS_MUST_CHECK;
enum vrs_status vrs_matte_writer_finish(struct vrs_matte_writer *writer, struct vrs_error *err) VRS_MUST_CHECK;
void vrs_matte_writer_close(struct vrs_matte_writer *writer); /* NULL is fine; what was not finished is removed */

/* Open and check everything. VRS_ENOTFOUND, VRS_EIO, VRS_EFORMAT: damaged, or of another key; VRS_ENOMEM. */
enum vrs_status vrs_matte_reader_open(struct vrs_matte_reader **ret_reader, const char *path, uint64_t key, struct vrs_error *err) VRS_MUST_CHECK;
struct vrs_matte_shape vrs_matte_reader_shape(const struct vrs_matte_reader *reader);
uint64_t vrs_matte_reader_frames(const struct vrs_matte_reader *reader);
/* *ret_size 0: there is none. */
const void *vrs_matte_reader_past(const struct vrs_matte_reader *reader, size_t *ret_size);
/* Frame `index` into mattes of the file's shape; thread-safe. VRS_EINVAL: no such frame; VRS_EFORMAT. */
enum vrs_status vrs_matte_reader_get(struct vrs_matte_reader *reader, uint64_t index, struct vrs_matte *mattes, struct vrs_rect *covers)
	VRS_MUST_CHECK;
void vrs_matte_reader_close(struct vrs_matte_reader *reader); /* NULL is fine */

#endif
