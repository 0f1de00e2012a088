/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Journals: text lines, appended and synced one at a time.  A line without its newline never happened: it is what a crash leaves behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

#define READ_BLOCK 65536

/* Does the file end inside a line?  Then a newline must come first, or two lines would become one. */
static bool ends_inside_line(int fd, off_t size)
{
	char last;

	return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

static enum vrs_status write_line(int fd, const char *path, const struct vrs_buf *text, off_t size, struct vrs_error *err)
{
	if (vrs_file_write_all(fd, path, text->data, text->len, NULL) == VRS_OK) {
		if (fsync(fd) == 0 || errno == EINVAL)
			return VRS_OK;
		return vrs_fail(err, VRS_EIO, "cannot save %s: %s", path, strerror(errno));
	}
	int cause = errno;

	/* Take the piece back, where one was written; when even that fails, the reader drops it as a torn line. */
	if (lseek(fd, 0, SEEK_CUR) > 0 && ftruncate(fd, size) < 0)
		cause = errno;
	return vrs_fail(err, VRS_EIO, "cannot append to %s: %s", path, strerror(cause));
}

/* What is appended to must not be somebody else's file. */
static enum vrs_status fail_link(struct vrs_error *err, const char *path)
{
	return vrs_fail(err, VRS_EIO, "%s is a link, which is not followed: put the file itself there", path);
}

enum vrs_status vrs_journal_append(const char *path, const char *line, struct vrs_error *err)
{
	struct vrs_buf text;
	struct stat st;

	if (strchr(line, '\n'))
		return vrs_fail(err, VRS_EINVAL, "a journal line must not hold a newline");
	int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);

	if (fd < 0 && errno == ELOOP)
		return fail_link(err, path);
	if (fd < 0)
		return vrs_fail(err, VRS_EIO, "cannot open %s: %s", path, strerror(errno));
	vrs_buf_init(&text, SIZE_MAX / 2);
	enum vrs_status status = VRS_OK;

	/* Two processes on one journal take turns; the lock ends with the descriptor. */
	(void)TEMP_FAILURE_RETRY(flock(fd, LOCK_EX));
	if (fstat(fd, &st) < 0)
		status = vrs_fail(err, VRS_EIO, "cannot read %s: %s", path, strerror(errno));
	else if (vrs_buf_printf(&text, "%s%s\n", ends_inside_line(fd, st.st_size) ? "\n" : "", line) != VRS_OK)
		status = vrs_fail_nomem(err);
	else
		status = write_line(fd, path, &text, st.st_size, err);
	vrs_buf_fini(&text);
	close(fd);
	return status;
}

struct journal_reader {
	const char *path;
	size_t max_line;
	struct vrs_buf line;
	long number;          /* of the line being collected, from 1 */
	off_t good_bytes;     /* up to and with the last newline */
	size_t pending_bytes; /* since then */
	bool too_long, has_nul;
	enum vrs_status (*fn)(void *cookie, const char *line, long number, struct vrs_error *err);
	void *cookie;
};

static enum vrs_status end_line(struct journal_reader *reader, struct vrs_error *err)
{
	enum vrs_status status;

	reader->number++;
	if (reader->too_long)
		return vrs_fail_at(err, VRS_ELIMIT, reader->path, (int)reader->number, 0, "the line is longer than %zu bytes", reader->max_line);
	if (reader->has_nul)
		return vrs_fail_at(err, VRS_EFORMAT, reader->path, (int)reader->number, 0, "the line holds a zero byte");
	status = reader->fn(reader->cookie, vrs_buf_str(&reader->line), reader->number, err);
	reader->good_bytes += (off_t)reader->pending_bytes + 1;
	reader->pending_bytes = 0;
	vrs_buf_clear(&reader->line);
	return status;
}

static enum vrs_status feed(struct journal_reader *reader, const char *data, size_t len, struct vrs_error *err)
{
	while (len > 0) {
		const char *newline = memchr(data, '\n', len);
		size_t piece = newline ? (size_t)(newline - data) : len;

		if (memchr(data, '\0', piece))
			reader->has_nul = true;
		/* An over-long piece is only counted: it may turn out to be a torn tail of garbage. */
		if (piece > reader->max_line - reader->line.len)
			reader->too_long = true;
		else if (!reader->too_long && vrs_buf_append(&reader->line, data, piece) != VRS_OK)
			return vrs_fail_nomem(err);
		reader->pending_bytes += piece;
		if (!newline)
			return VRS_OK;
		enum vrs_status status = end_line(reader, err);

		if (status != VRS_OK)
			return status;
		data += piece + 1;
		len -= piece + 1;
	}
	return VRS_OK;
}

static enum vrs_status feed_file(struct journal_reader *reader, int fd, struct vrs_error *err)
{
	char block[READ_BLOCK];

	for (;;) {
		ssize_t n = TEMP_FAILURE_RETRY(read(fd, block, sizeof block));

		if (n < 0)
			return vrs_fail(err, VRS_EIO, "cannot read %s: %s", reader->path, strerror(errno));
		if (n == 0)
			return VRS_OK;
		enum vrs_status status = feed(reader, block, (size_t)n, err);

		if (status != VRS_OK)
			return status;
	}
}

static enum vrs_status cut_off(const char *path, off_t good_bytes, struct vrs_error *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	enum vrs_status status = VRS_OK;

	if (fd < 0 || ftruncate(fd, good_bytes) < 0 || fsync(fd) < 0)
		status = vrs_fail(err, VRS_EIO, "cannot cut the unfinished last line off %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return status;
}

enum vrs_status vrs_journal_read(const char *path, size_t max_line, bool cut,
				 enum vrs_status (*fn)(void *cookie, const char *line, long number, struct vrs_error *err), void *cookie,
				 size_t *ret_torn_bytes, struct vrs_error *err)
{
	struct journal_reader reader = {.path = path, .max_line = max_line, .fn = fn, .cookie = cookie};
	int fd;
	struct stat st;
	enum vrs_status status = cut && lstat(path, &st) == 0 && S_ISLNK(st.st_mode) ? fail_link(err, path) : vrs_file_open(path, &fd, err);

	if (status != VRS_OK)
		return status;
	vrs_buf_init(&reader.line, max_line);
	status = feed_file(&reader, fd, err);
	if (status == VRS_OK && cut && reader.pending_bytes > 0)
		status = cut_off(path, reader.good_bytes, err);
	if (status == VRS_OK && ret_torn_bytes)
		*ret_torn_bytes = reader.pending_bytes;
	vrs_buf_fini(&reader.line);
	close(fd);
	return status;
}
