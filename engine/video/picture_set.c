/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/picture_set.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libavformat/avformat.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

#define MOVING "moving"
#define MOST_BYTES ((size_t)1 << 30) /* of that file: 20 for each picture; and of a picture */

enum kind { NEW, OLD };

enum vrs_status vrs_picture_name(const char *pattern, int number, char path[PATH_MAX], struct vrs_error *err)
{
	return av_get_frame_filename(path, PATH_MAX, pattern, number) >= 0 ? VRS_OK : vrs_fail(err, VRS_ELIMIT, "the name %s is too long", pattern);
}

/* With its dot; "": none. */
static const char *extension(const struct vrs_picture_set *set)
{
	const char *dot = strrchr(vrs_path_base(set->pattern), '.');

	return dot ? dot : "";
}

/* In the work folder; new pictures with their extension, by which FFmpeg knows what they are. */
static enum vrs_status name_inside(const struct vrs_picture_set *set, enum kind kind, int number, char path[PATH_MAX], struct vrs_error *err)
{
	char name[64];

	if (kind == NEW)
		(void)snprintf(name, sizeof name, "picture-%08" PRIx32 "-%d%.8s", set->run, number, extension(set));
	else
		(void)snprintf(name, sizeof name, "old-%08" PRIx32 "-%d", set->run, number);
	return vrs_path_join(path, PATH_MAX, set->folder.path, name) == VRS_OK ? VRS_OK
									      : vrs_fail(err, VRS_ELIMIT, "the name %s is too long", set->pattern);
}

/* Where a picture lies, where it belongs, and where the old one waits. */
struct places {
	char in[PATH_MAX], out[PATH_MAX], old[PATH_MAX];
};

static enum vrs_status places_of(const struct vrs_picture_set *set, int number, struct places *ret, struct vrs_error *err)
{
	enum vrs_status status = vrs_picture_name(set->pattern, number, ret->out, err);

	if (status == VRS_OK)
		status = name_inside(set, NEW, number, ret->in, err);
	return status != VRS_OK ? status : name_inside(set, OLD, number, ret->old, err);
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* Folders of such a name are not ours. */
static bool is_file(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static enum vrs_status fail_back(const struct vrs_picture_set *set, const char *path, int error, struct vrs_error *err)
{
	return vrs_fail(err, VRS_EEXIST, "cannot put %s back as it was before an unfinished run: %s; its old pictures are in %s", path,
			error == EEXIST ? "another file is there" : strerror(error), set->folder.path);
}

static bool has_same_bytes(const char *a, const char *b)
{
	struct vrs_buf one, two;

	if (vrs_file_read(a, MOST_BYTES, &one, NULL) != VRS_OK)
		return false;
	bool same = vrs_file_read(b, one.len + 1, &two, NULL) == VRS_OK;

	if (same) {
		same = one.len == two.len && memcmp(one.data, two.data, one.len) == 0;
		vrs_buf_fini(&two);
	}
	vrs_buf_fini(&one);
	return same;
}

/* Under two names; a copy of the folder, from a backup say, has two files with the bytes of one. */
static bool is_same_file(const char *a, const char *b)
{
	struct stat one, two;

	if (lstat(a, &one) < 0 || lstat(b, &two) < 0 || !S_ISREG(one.st_mode) || !S_ISREG(two.st_mode))
		return false;
	return (one.st_dev == two.st_dev && one.st_ino == two.st_ino) || (one.st_size == two.st_size && has_same_bytes(a, b));
}

/* The old picture over the new one, which keeps a name inside: a kill in between leaves a state that put_back mends as well. */
static bool exchange_back(const struct places *at, bool is_out)
{
	if (is_same_file(at->old, at->out))
		return unlink(at->old) == 0;
	if (is_same_file(at->in, at->out) || (is_out && link(at->out, at->in) == 0))
		return rename(at->old, at->out) == 0;
	return (!is_out || rename(at->out, at->in) == 0) && vrs_file_move_to_free_name(at->old, at->out); /* there are no hard links */
}

static enum vrs_status put_back(const struct vrs_picture_set *set, int number, struct vrs_error *err)
{
	struct places at;
	struct stat st;
	enum vrs_status status = places_of(set, number, &at, err);

	if (status != VRS_OK)
		return status;
	bool is_out = !is_there(at.in) && lstat(at.out, &st) == 0;

	if (is_out && (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != set->sizes[number]))
		return fail_back(set, at.out, EEXIST, err);
	bool is_back = is_file(at.old) ? exchange_back(&at, is_out) : !is_out || rename(at.out, at.in) == 0;

	return is_back ? VRS_OK : fail_back(set, at.out, errno, err);
}

/* The folder of the pictures, onto the disk: each once, should the pattern name several. */
static enum vrs_status sync_places(const struct vrs_picture_set *set, struct vrs_error *err)
{
	char path[PATH_MAX], folder[PATH_MAX], last[PATH_MAX] = "";
	enum vrs_status status = VRS_OK;

	for (int i = 0; status == VRS_OK && i < set->count; i++) {
		status = vrs_picture_name(set->pattern, i, path, err);
		vrs_path_folder(folder, path);
		if (status == VRS_OK && strcmp(folder, last) != 0)
			status = vrs_file_sync_folder(path, err);
		memcpy(last, folder, sizeof last);
	}
	return status;
}

/* From here on the old pictures, or the new ones, are those that count. */
static enum vrs_status end_move(const struct vrs_picture_set *set, struct vrs_error *err)
{
	char path[PATH_MAX];

	if (vrs_path_join(path, sizeof path, set->folder.path, MOVING) != VRS_OK)
		return vrs_fail(err, VRS_ELIMIT, "the name %s is too long", set->pattern);
	if (unlink(path) < 0)
		return vrs_fail(err, VRS_EIO, "cannot remove %s: %s", path, strerror(errno));
	return vrs_file_sync_folder(path, err);
}

static enum vrs_status roll_back(const struct vrs_picture_set *set, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;

	for (int i = 0; status == VRS_OK && i < set->count; i++)
		status = put_back(set, i, err);
	if (status == VRS_OK)
		status = sync_places(set, err);
	return status != VRS_OK ? status : end_move(set, err);
}

static enum vrs_status note_size(struct vrs_picture_set *set, uint64_t size, struct vrs_error *err)
{
	void *items = set->sizes;
	enum vrs_status status = vrs_array_grow(&items, &set->capacity, (size_t)set->count + 1, sizeof *set->sizes, INT_MAX);

	set->sizes = items;
	if (status != VRS_OK)
		return vrs_fail_nomem(err);
	set->sizes[set->count++] = size;
	return VRS_OK;
}

/* "RUN SIZE SIZE ..", in hexadecimal digits. */
static enum vrs_status begin_move(const struct vrs_picture_set *set, struct vrs_error *err)
{
	char path[PATH_MAX];
	struct vrs_buf text;

	vrs_buf_init(&text, MOST_BYTES);
	enum vrs_status status = vrs_buf_printf(&text, "%08" PRIx32, set->run);

	for (int i = 0; status == VRS_OK && i < set->count; i++)
		status = vrs_buf_printf(&text, " %" PRIx64, set->sizes[i]);
	if (status != VRS_OK)
		status = vrs_fail_nomem(err);
	else if (vrs_path_join(path, sizeof path, set->folder.path, MOVING) != VRS_OK)
		status = vrs_fail(err, VRS_ELIMIT, "the name %s is too long", set->pattern);
	else
		status = vrs_file_replace(path, text.data, text.len, err);
	vrs_buf_fini(&text);
	return status;
}

/* A number of hexadecimal digits, as begin_move writes it; NULL: there is none. */
static const char *take_number(const char *at, size_t most_digits, uint64_t *ret)
{
	size_t digits = strspn(at, "0123456789abcdef");

	if (digits == 0 || digits > most_digits)
		return NULL;
	*ret = strtoull(at, NULL, 16);
	return at + digits;
}

static enum vrs_status parse_move(struct vrs_picture_set *set, const struct vrs_buf *text, const char *path, struct vrs_error *err)
{
	const char *begin = vrs_buf_str(text), *end = begin + text->len;
	enum vrs_status status = VRS_OK;
	uint64_t number = 0;
	const char *at = take_number(begin, 8, &number);

	if (at != begin + 8)
		at = NULL;
	set->run = (uint32_t)number;
	while (status == VRS_OK && at && at < end) {
		at = *at == ' ' ? take_number(at + 1, 16, &number) : NULL;
		if (at)
			status = note_size(set, number, err);
	}
	if (!at) /* what this run would remove there may be the only pictures */
		return vrs_fail(err, VRS_EFORMAT, "%s is damaged, so an unfinished run cannot be undone; move the old pictures out of %s, and remove it", path,
				set->folder.path);
	return status;
}

static enum vrs_status read_move(struct vrs_picture_set *set, const char *path, struct vrs_error *err)
{
	struct vrs_buf text;
	enum vrs_status status = vrs_file_read(path, MOST_BYTES, &text, err);

	if (status == VRS_OK)
		status = parse_move(set, &text, path, err);
	vrs_buf_fini(&text);
	return status;
}

/* What a run that was killed while it moved its pictures has left. */
static enum vrs_status mend(struct vrs_picture_set *set, struct vrs_error *err)
{
	char path[PATH_MAX];
	struct stat st;

	if (vrs_path_join(path, sizeof path, set->folder.path, MOVING) != VRS_OK)
		return vrs_fail(err, VRS_ELIMIT, "the name %s is too long", set->pattern);
	if (lstat(path, &st) < 0)
		return VRS_OK;
	enum vrs_status status = S_ISREG(st.st_mode) ? read_move(set, path, err) : vrs_fail(err, VRS_EIO, "%s is no file", path);

	if (status == VRS_OK)
		status = roll_back(set, err);
	set->count = 0;
	return status;
}

static void remove_inside(const struct vrs_picture_set *set)
{
	vrs_work_folder_remove(&set->folder, "picture-*");
	vrs_work_folder_remove(&set->folder, "old-*");
}

enum vrs_status vrs_picture_set_open(struct vrs_picture_set *set, const char *pattern, struct vrs_error *err)
{
	*set = (struct vrs_picture_set){.count = 0};
	(void)snprintf(set->pattern, sizeof set->pattern, "%s", pattern); /* a longer one has no work folder */
	enum vrs_status status = vrs_work_folder_open(&set->folder, pattern, err);

	if (status == VRS_OK)
		status = mend(set, err);
	if (status != VRS_OK) {
		vrs_free(set->sizes);
		set->sizes = NULL;
		vrs_work_folder_close(&set->folder);
		return status;
	}
	remove_inside(set);
	if (getrandom(&set->run, sizeof set->run, 0) != sizeof set->run)
		return vrs_fail(err, VRS_EIO, "there are no random numbers: %s", strerror(errno));
	return VRS_OK;
}

/* Whether a picture may come where something is. */
static enum vrs_status check_place(const char *path, bool overwrite, struct vrs_error *err)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return VRS_OK;
	if (!overwrite)
		return vrs_fail(err, VRS_EEXIST, "%s already exists; use --overwrite to replace it", path);
	return S_ISREG(st.st_mode) ? VRS_OK : vrs_fail(err, VRS_ECONFIG, "%s is not a file; remove it, or name the pictures otherwise", path);
}

static enum vrs_status write_picture(const char *path, mode_t mode, const void *data, size_t size, uint64_t *ret_size, struct vrs_error *err)
{
	struct vrs_temp_file file = {.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)};
	struct stat st;

	if (file.fd < 0)
		return vrs_fail(err, vrs_file_write_status(errno), "cannot create %s: %s", path, strerror(errno));
	(void)snprintf(file.target, sizeof file.target, "%s", path);
	enum vrs_status status = vrs_temp_file_write(&file, data, size, err);

	if (status == VRS_OK && (fstat(file.fd, &st) < 0 || fsync(file.fd) < 0))
		status = vrs_fail(err, vrs_file_write_status(errno), "cannot save %s: %s", path, strerror(errno));
	if (close(file.fd) < 0 && status == VRS_OK)
		status = vrs_fail(err, vrs_file_write_status(errno), "cannot save %s: %s", path, strerror(errno));
	if (status == VRS_OK)
		*ret_size = (uint64_t)st.st_size;
	return status;
}

enum vrs_status vrs_picture_set_add(struct vrs_picture_set *set, const void *data, size_t size, bool overwrite, struct vrs_error *err)
{
	struct places at;
	uint64_t bytes = 0;
	enum vrs_status status = places_of(set, set->count, &at, err);

	if (status == VRS_OK)
		status = check_place(at.out, overwrite, err);
	if (status == VRS_OK)
		status = write_picture(at.in, vrs_file_mode_for(at.out), data, size, &bytes, err);
	return status != VRS_OK ? status : note_size(set, bytes, err);
}

enum vrs_status vrs_picture_set_pattern(const struct vrs_picture_set *set, char ret_pattern[PATH_MAX], struct vrs_error *err)
{
	size_t used = 0;
	int n = 0;

	for (const char *at = set->folder.path; *at && used + 2 < PATH_MAX; at++) {
		ret_pattern[used++] = *at;
		if (*at == '%') /* that of the pictures' own pattern stands in the name of the folder */
			ret_pattern[used++] = '%';
	}
	n = snprintf(ret_pattern + used, PATH_MAX - used, "/picture-%08" PRIx32 "-%%d%.8s", set->run, extension(set));
	return n > 0 && (size_t)n < PATH_MAX - used ? VRS_OK : vrs_fail(err, VRS_ELIMIT, "the name %s is too long", set->pattern);
}

/* A second name for each old picture, which stays in its place until the new one takes it.  Without hard links they are moved, one after another. */
static enum vrs_status keep_old(const struct vrs_picture_set *set, struct vrs_error *err)
{
	struct places at;
	enum vrs_status status = VRS_OK;
	bool any = false;

	for (int i = 0; status == VRS_OK && i < set->count; i++) {
		status = places_of(set, i, &at, err);
		any |= status == VRS_OK && is_file(at.out) && link(at.out, at.old) == 0;
	}
	return status == VRS_OK && any ? vrs_file_sync_folder(at.old, err) : status;
}

/* The new picture goes out, with the mode of the old one, which goes inside where it has no name there yet. */
static enum vrs_status move_picture(const struct vrs_picture_set *set, int number, bool overwrite, struct vrs_error *err)
{
	struct places at;
	struct stat st;
	enum vrs_status status = places_of(set, number, &at, err);

	if (status == VRS_OK)
		status = check_place(at.out, overwrite, err);
	if (status != VRS_OK)
		return status;
	if (lstat(at.out, &st) == 0) {
		(void)chmod(at.in, st.st_mode & 0777); /* as vrs_temp_file_commit */
		bool is_kept = is_same_file(at.out, at.old);

		if (rename(is_kept ? at.in : at.out, is_kept ? at.out : at.old) < 0)
			return vrs_fail(err, vrs_file_write_status(errno), "cannot replace %s: %s", at.out, strerror(errno));
		if (is_kept)
			return VRS_OK;
	}
	if (!vrs_file_move_to_free_name(at.in, at.out))
		return vrs_fail(err, VRS_EIO, "cannot move the finished file to %s: %s", at.out, strerror(errno));
	return VRS_OK;
}

enum vrs_status vrs_picture_set_finish(struct vrs_picture_set *set, bool overwrite, struct vrs_error *err)
{
	enum vrs_status status = vrs_lease_check(set->folder.lease, err);
	char path[PATH_MAX];

	for (int i = 0; status == VRS_OK && i < set->count; i++) {
		status = vrs_picture_name(set->pattern, i, path, err);
		if (status == VRS_OK)
			status = check_place(path, overwrite, err);
	}
	if (status == VRS_OK)
		status = begin_move(set, err);
	if (status != VRS_OK)
		return status;
	status = keep_old(set, err);
	for (int i = 0; status == VRS_OK && i < set->count; i++)
		status = move_picture(set, i, overwrite, err);
	if (status == VRS_OK)
		status = sync_places(set, err);
	if (status == VRS_OK)
		status = end_move(set, err);
	if (status != VRS_OK)
		(void)roll_back(set, NULL); /* what this leaves undone, the next run mends */
	return status;
}

void vrs_picture_set_close(struct vrs_picture_set *set)
{
	char path[PATH_MAX];

	vrs_free(set->sizes);
	set->sizes = NULL;
	if (!set->folder.lease)
		return;
	if (vrs_lease_check(set->folder.lease, NULL) == VRS_OK && vrs_path_join(path, sizeof path, set->folder.path, MOVING) == VRS_OK && !is_there(path))
		remove_inside(set);
	vrs_work_folder_close(&set->folder);
}
