/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/input_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <vrseg/log.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/playlist.h"
#include "base/stop.h"

#define SAMPLE_BYTES 16384
#define SAMPLES 18
#define BLOCK_BYTES ((size_t)256 << 10)
#define TOLD_BYTES (INT64_C(2) << 30) /* what takes longer to read is told */
#define SETTLE_NS INT64_C(3000000000)

/* A full block, but at the end of the file; less than 0: errno says why not. */
static ssize_t read_block(int fd, uint8_t *block, size_t size, int64_t offset)
{
	size_t have = 0;
	while (have < size) {
		ssize_t n = TEMP_FAILURE_RETRY(pread(fd, block + have, size - have, offset + (int64_t)have));
		if (n < 0)
			return n;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

static bool hash_at(int fd, int64_t offset, uint64_t *hash)
{
	uint8_t bytes[SAMPLE_BYTES];
	ssize_t n = read_block(fd, bytes, sizeof bytes, offset);
	if (n >= 0)
		*hash = vrs_hash_block(*hash, bytes, (size_t)n);
	return n >= 0;
}

static int64_t nanoseconds(const struct timespec *t)
{
	return t->tv_sec * INT64_C(1000000000) + t->tv_nsec;
}

static void take_stamps(struct vrs_input_identity *identity, const struct stat *st)
{
	identity->size = st->st_size;
	identity->mtime_ns = nanoseconds(&st->st_mtim);
	identity->ctime_ns = nanoseconds(&st->st_ctim);
	identity->device = (int64_t)st->st_dev;
	identity->inode = (int64_t)st->st_ino;
}

static bool same_stamps(const struct vrs_input_identity *a, const struct vrs_input_identity *b)
{
	return a->size == b->size && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns && a->device == b->device && a->inode == b->inode;
}

static enum vrs_status fail_read(struct vrs_error *err, const char *path)
{
	return vrs_fail(err, VRS_EIO, "cannot read %s: %s", path, strerror(errno));
}

/* The open file, which is the caller's also after a failure (-1: not open). */
static enum vrs_status look(struct vrs_input_identity *ret, const char *path, int *ret_fd, struct vrs_error *err)
{
	struct stat st;
	int fd = *ret_fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return vrs_fail(err, errno == ENOENT ? VRS_ENOTFOUND : VRS_EIO, "cannot open %s: %s", path, strerror(errno));
	if (fstat(fd, &st) != 0)
		return fail_read(err, path);
	if (!S_ISREG(st.st_mode))
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s is not a regular file", path);
	bool is_playlist;
	enum vrs_status status = vrs_playlist_look(path, &is_playlist, err);
	if (status == VRS_OK && is_playlist)
		status = vrs_fail(err, VRS_EUNSUPPORTED, "%s is a playlist, and what it names may change while it stays the same", path);
	if (status != VRS_OK)
		return status;
	*ret = (struct vrs_input_identity){.sample = VRS_HASH_INIT};
	take_stamps(ret, &st);
	int64_t last = st.st_size > SAMPLE_BYTES ? st.st_size - SAMPLE_BYTES : 0;
	for (int i = 0; i < SAMPLES; i++)
		if (!hash_at(fd, (int64_t)((double)last * i / (SAMPLES - 1)), &ret->sample))
			return fail_read(err, path);
	return VRS_OK;
}

static enum vrs_status hash_all(struct vrs_input_identity *identity, int fd, const char *path, struct vrs_error *err)
{
	uint8_t *block = vrs_alloc(BLOCK_BYTES);
	uint64_t hash = VRS_HASH_INIT;
	enum vrs_status status = block ? VRS_OK : vrs_fail_nomem(err);
	ssize_t n = 1;
	if (identity->size > TOLD_BYTES)
		vrs_log(VRS_LOG_INFO, "reading %s (%.1f GB), to recognise it again", path, (double)identity->size / 1e9);
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	for (int64_t at = 0; status == VRS_OK && n > 0; at += n) {
		n = read_block(fd, block, BLOCK_BYTES, at);
		if (n < 0)
			status = fail_read(err, path);
		else if (vrs_stop_requested())
			status = vrs_fail(err, VRS_ESTOPPED, "stopped before the first frame; nothing was written");
		else
			hash = vrs_hash_block(hash, block, (size_t)n);
	}
	vrs_free(block);
	identity->content = hash ? hash : 1;
	return status;
}

/* Who changed it while it was read may have changed what was read already. */
static enum vrs_status check_unchanged(const struct vrs_input_identity *identity, int fd, const char *path, struct vrs_error *err)
{
	struct vrs_input_identity now = *identity;
	struct stat st;
	if (fstat(fd, &st) != 0)
		return fail_read(err, path);
	take_stamps(&now, &st);
	now.ctime_ns = identity->ctime_ns; /* another name of it changes that */
	return same_stamps(&now, identity) ? VRS_OK : vrs_fail(err, VRS_EIO, "%s was changed while it was read; run the command again", path);
}

static bool is_untouched(const struct vrs_input_identity *known, const struct vrs_input_identity *now)
{
	return now->size > VRS_INPUT_SMALL && known->content != 0 && known->ctime_ns != 0 && same_stamps(known, now) && known->sample == now->sample;
}

/*
 * Time stamps of file systems have steps, of 2 s the coarsest: a change after this one may have the same.  That any write moves ctime is enough;
 * mtime is what programs set, and may lie in the future.
 */
static bool is_settled(const struct vrs_input_identity *identity, const struct timespec *before)
{
	return nanoseconds(before) - identity->ctime_ns > SETTLE_NS;
}

enum vrs_status vrs_input_identity_look(struct vrs_input_identity *ret_identity, const char *path, struct vrs_error *err)
{
	int fd;
	enum vrs_status status = look(ret_identity, path, &fd, err);
	if (fd >= 0)
		close(fd);
	return status;
}

enum vrs_status vrs_input_identity_read(struct vrs_input_identity *ret_identity, const char *path, const struct vrs_input_identity *known,
					struct vrs_error *err)
{
	struct vrs_input_identity identity;
	struct timespec before;
	int fd;
	(void)clock_gettime(CLOCK_REALTIME, &before);
	enum vrs_status status = look(&identity, path, &fd, err);
	if (status == VRS_OK && known && is_untouched(known, &identity)) {
		identity.content = known->content;
	} else if (status == VRS_OK) {
		status = hash_all(&identity, fd, path, err);
		if (status == VRS_OK)
			status = check_unchanged(&identity, fd, path, err);
		if (!is_settled(&identity, &before))
			identity.ctime_ns = 0;
	}
	if (fd >= 0)
		close(fd);
	if (status == VRS_OK)
		*ret_identity = identity;
	return status;
}

bool vrs_input_identity_same(const struct vrs_input_identity *a, const struct vrs_input_identity *b)
{
	return a->size == b->size && a->content == b->content;
}

bool vrs_input_identity_looks_same(const struct vrs_input_identity *a, const struct vrs_input_identity *b)
{
	return a->size == b->size && a->mtime_ns == b->mtime_ns && a->sample == b->sample;
}
