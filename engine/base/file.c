/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading with a limit, hashes and locks of files; what a user named.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/str_parse.h"

#define READ_BLOCK 65536
#define MOST_LINKS 40 /* as the kernel's */

static enum vrs_status fail_open(struct vrs_error *err, const char *path)
{
	return vrs_fail(err, errno == ENOENT || errno == ENOTDIR ? VRS_ENOTFOUND : VRS_EIO, "cannot open %s: %s", path, strerror(errno));
}

/* What only a user names, and means; /dev/shm holds plain files. */
static bool is_named_device(const char *path)
{
	return (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0) || strncmp(path, "/proc/", 6) == 0;
}

enum vrs_status vrs_file_open(const char *path, int *ret_fd, struct vrs_error *err)
{
	/* Opening a pipe waits for its other end, and opening a terminal may take it: neither happens before it is known to be one. */
	bool device = is_named_device(path);
	int fd = open(path, O_RDONLY | O_CLOEXEC | (device ? 0 : O_NONBLOCK | O_NOCTTY));
	struct stat st;

	if (fd < 0)
		return fail_open(err, path);
	if (!device && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		close(fd);
		return vrs_fail(err, VRS_EIO, "cannot read %s: it is a pipe or device, not a file", path);
	}
	*ret_fd = fd;
	return VRS_OK;
}

enum vrs_status vrs_file_open_stream(const char *path, FILE **ret_file, struct vrs_error *err)
{
	int fd = -1;
	enum vrs_status status = vrs_file_open(path, &fd, err);

	if (status != VRS_OK)
		return status;
	*ret_file = fdopen(fd, "r");
	if (*ret_file)
		return VRS_OK;
	close(fd);
	return vrs_fail_nomem(err);
}

/* expected: bytes that the file is said to have; it may have more or fewer. */
static enum vrs_status read_all(int fd, const char *path, size_t max, size_t expected, struct vrs_buf *buf, struct vrs_error *err)
{
	char block[READ_BLOCK];

	if (expected > 0 && vrs_buf_reserve(buf, expected) == VRS_ENOMEM)
		return vrs_fail_nomem(err);

	for (;;) {
		ssize_t n = TEMP_FAILURE_RETRY(read(fd, block, sizeof block));

		if (n < 0)
			return vrs_fail(err, VRS_EIO, "cannot read %s: %s", path, strerror(errno));
		if (n == 0)
			return VRS_OK;
		enum vrs_status status = vrs_buf_append(buf, block, (size_t)n);

		if (status == VRS_ELIMIT)
			return vrs_fail(err, status, "%s is larger than the limit of %zu bytes", path, max);
		if (status != VRS_OK)
			return vrs_fail_nomem(err);
	}
}

enum vrs_status vrs_file_read(const char *path, size_t max, struct vrs_buf *ret_buf, struct vrs_error *err)
{
	struct stat st = {0};

	vrs_buf_init(ret_buf, max);
	int fd;
	enum vrs_status status = vrs_file_open(path, &fd, err);

	if (status != VRS_OK)
		return status;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uintmax_t)st.st_size > max)
		status = vrs_fail(err, VRS_ELIMIT, "%s has %jd bytes, more than the limit of %zu", path, (intmax_t)st.st_size, max);
	else
		status = read_all(fd, path, max, st.st_size > 0 && S_ISREG(st.st_mode) ? (size_t)st.st_size : 0, ret_buf, err);
	close(fd);
	if (status != VRS_OK)
		vrs_buf_fini(ret_buf);
	return status;
}

enum vrs_status vrs_file_write_status(int cause)
{
	return cause == ENOSPC || cause == EDQUOT ? VRS_ENOSPC : VRS_EIO;
}

enum vrs_status vrs_file_fail_write(struct vrs_error *err, const char *path, int cause)
{
	return vrs_fail(err, vrs_file_write_status(cause), "cannot write %s: %s", path, strerror(cause));
}

enum vrs_status vrs_file_write_all(int fd, const char *path, const void *data, size_t len, struct vrs_error *err)
{
	for (const char *at = data; len > 0;) {
		ssize_t n = TEMP_FAILURE_RETRY(write(fd, at, len));

		if (n < 0)
			return vrs_file_fail_write(err, path, errno);
		at += n;
		len -= (size_t)n;
	}
	return VRS_OK;
}

/* Written in place: there is nothing to protect. */
static bool is_direct(const char *path)
{
	struct stat st;

	return is_named_device(path) || (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

static enum vrs_status fail_length(const char *path, struct vrs_error *err)
{
	return vrs_fail(err, VRS_ELIMIT, "the path %.80s... is too long", path);
}

/* Link by link: the file that the last one names is not there yet. */
static enum vrs_status follow_links(const char *path, char io_real[PATH_MAX], struct vrs_error *err)
{
	char target[PATH_MAX], folder[PATH_MAX];

	for (int i = 0; i < MOST_LINKS; i++) {
		ssize_t length = readlink(io_real, target, sizeof target);

		if (length < 0)
			return VRS_OK;
		if ((size_t)length >= sizeof target)
			return fail_length(path, err);
		target[length] = '\0';
		vrs_path_folder(folder, io_real);
		if (vrs_path_join(io_real, PATH_MAX, target[0] == '/' || strcmp(folder, ".") == 0 ? "" : folder, target) != VRS_OK)
			return fail_length(path, err);
	}
	return vrs_fail(err, VRS_EIO, "cannot follow the link %s: %s", path, strerror(ELOOP));
}

enum vrs_status vrs_file_resolve(const char *path, char ret_real[PATH_MAX], struct vrs_error *err)
{
	struct stat st;
	bool is_link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);

	if (is_link && realpath(path, ret_real))
		return VRS_OK;
	if (is_link && errno != ENOENT)
		return vrs_fail(err, VRS_EIO, "cannot follow the link %s: %s", path, strerror(errno));
	if (!vrs_strcpy(ret_real, PATH_MAX, path))
		return fail_length(path, err);
	return is_link ? follow_links(path, ret_real, err) : VRS_OK;
}

void vrs_path_folder(char folder[PATH_MAX], const char *path)
{
	size_t len = (size_t)(vrs_path_base(path) - path);

	if (len >= PATH_MAX)
		len = PATH_MAX - 1;
	if (len == 0) {
		vrs_strcpy(folder, PATH_MAX, ".");
		return;
	}
	memcpy(folder, path, len);
	folder[len] = '\0';
}

/* The descriptor that a name of the kernel stands for; -1: none. */
static int named_descriptor(const char *path)
{
	static const struct {
		const char *begin;
		int fd; /* -1: behind it */
	} names[] = {{"/dev/stdin", STDIN_FILENO}, {"/dev/stdout", STDOUT_FILENO}, {"/dev/stderr", STDERR_FILENO}, {"/dev/fd/", -1},
		     {"/proc/self/fd/", -1}};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *behind = path + strlen(names[i].begin);
		int64_t fd = names[i].fd;

		if (strncmp(path, names[i].begin, strlen(names[i].begin)) != 0)
			continue;
		if (fd < 0 ? vrs_parse_int(behind, 0, INT_MAX, &fd) : *behind == '\0')
			return (int)fd;
	}
	return -1;
}

const char *vrs_path_opened(const char *name)
{
	static const char file[] = "/dev/stdin";
	struct stat st, opened;

	if (strcmp(name, "-") != 0 || fstat(STDIN_FILENO, &st) != 0 || !S_ISREG(st.st_mode) || lseek(STDIN_FILENO, 0, SEEK_CUR) != 0)
		return name;
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool same = fd >= 0 && fstat(fd, &opened) == 0 && opened.st_dev == st.st_dev && opened.st_ino == st.st_ino;

	if (fd >= 0)
		close(fd);
	return same ? file : name;
}

bool vrs_file_is_stream(const char *path)
{
	struct stat st;

	return named_descriptor(path) >= 0 || (is_named_device(path) && stat(path, &st) == 0 && !S_ISREG(st.st_mode));
}

/* A file that a descriptor has open already is written where that stands: opened anew it would be overwritten from its beginning. */
static int open_direct(const char *path)
{
	int named = named_descriptor(path);
	struct stat st;

	if (named >= 0 && fstat(named, &st) == 0 && S_ISREG(st.st_mode))
		return fcntl(named, F_DUPFD_CLOEXEC, 0);
	return open(path, O_WRONLY | O_CLOEXEC);
}

static enum vrs_status write_direct(const char *path, const void *data, size_t len, struct vrs_error *err)
{
	int fd = open_direct(path);

	if (fd < 0)
		return fail_open(err, path);
	enum vrs_status status = vrs_file_write_all(fd, path, data, len, err);

	if (close(fd) < 0 && status == VRS_OK)
		status = vrs_file_fail_write(err, path, errno);
	return status;
}

enum vrs_status vrs_file_write(const char *path, const void *data, size_t len, struct vrs_error *err)
{
	char real[PATH_MAX];

	if (is_direct(path))
		return write_direct(path, data, len, err);
	enum vrs_status status = vrs_file_resolve(path, real, err);

	return status == VRS_OK ? vrs_file_replace(real, data, len, err) : status;
}

int vrs_file_try_lock(int fd)
{
	return TEMP_FAILURE_RETRY(flock(fd, LOCK_EX | LOCK_NB)) == 0 ? 0 : errno;
}

int vrs_file_lock(int fd)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	int cause;

	for (int tries = 0; (cause = vrs_file_try_lock(fd)) == EWOULDBLOCK && tries < 50; tries++)
		(void)nanosleep(&pause, NULL);
	return cause;
}

enum vrs_status vrs_file_sha256(const char *path, char ret_hex[65], struct vrs_error *err)
{
	char block[READ_BLOCK];
	struct sha256_ctx sum;
	int fd;
	ssize_t n;
	enum vrs_status status = vrs_file_open(path, &fd, err);

	if (status != VRS_OK)
		return status;
	sha256_init(&sum);
	while ((n = TEMP_FAILURE_RETRY(read(fd, block, sizeof block))) > 0)
		sha256_update(&sum, (size_t)n, (const uint8_t *)block);
	if (n < 0)
		status = vrs_fail(err, VRS_EIO, "cannot read %s: %s", path, strerror(errno));
	close(fd);
	vrs_sha256_end(&sum, ret_hex);
	return status;
}

/* A full block, but at the end of the file, so that the hash does not depend on how reads are cut. */
static ssize_t read_block(int fd, char *block, size_t size)
{
	size_t have = 0;

	while (have < size) {
		ssize_t n = TEMP_FAILURE_RETRY(read(fd, block + have, size - have));

		if (n < 0)
			return n;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

enum vrs_status vrs_file_hash(const char *path, uint64_t *io_hash, struct vrs_error *err)
{
	char block[READ_BLOCK];
	ssize_t n;
	int fd;
	enum vrs_status status = vrs_file_open(path, &fd, err);

	if (status != VRS_OK)
		return status;
	while ((n = read_block(fd, block, sizeof block)) > 0)
		*io_hash = vrs_hash_block(*io_hash, block, (size_t)n);
	if (n < 0)
		status = vrs_fail(err, VRS_EIO, "cannot read %s: %s", path, strerror(errno));
	close(fd);
	return status;
}
