/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/input_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/playlist.h"

#define SAMPLE_BYTES 16384
#define SAMPLES 18

/* Short reads only happen at the end of the file. */
static bool hash_at(int fd, int64_t offset, uint64_t *hash)
{
	uint8_t bytes[SAMPLE_BYTES];
	size_t have = 0;
	while (have < sizeof bytes) {
		ssize_t n = pread(fd, bytes + have, sizeof bytes - have, offset + (int64_t)have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	*hash = vrs_hash_block(*hash, bytes, have);
	return true;
}

enum vrs_status vrs_input_identity_read(struct vrs_input_identity *ret_identity, const char *path, struct vrs_error *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return vrs_fail(err, errno == ENOENT ? VRS_ENOTFOUND : VRS_EIO, "cannot open %s: %s", path, strerror(errno));
	bool good = fstat(fd, &st) == 0;
	if (good && !S_ISREG(st.st_mode)) {
		close(fd);
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s is not a regular file", path);
	}
	bool is_playlist;
	enum vrs_status status = vrs_playlist_look(path, &is_playlist, err);
	if (status == VRS_OK && is_playlist)
		status = vrs_fail(err, VRS_EUNSUPPORTED, "%s is a playlist, and what it names may change while it stays the same", path);
	if (status != VRS_OK) {
		close(fd);
		return status;
	}
	struct vrs_input_identity identity = {.size = st.st_size, .mtime_ns = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec,
		.sample = VRS_HASH_INIT};
	int64_t last = st.st_size > SAMPLE_BYTES ? st.st_size - SAMPLE_BYTES : 0;
	for (int i = 0; good && i < SAMPLES; i++)
		good = hash_at(fd, (int64_t)((double)last * i / (SAMPLES - 1)), &identity.sample);
	int cause = errno;
	close(fd);
	if (!good)
		return vrs_fail(err, VRS_EIO, "cannot read %s: %s", path, strerror(cause));
	*ret_identity = identity;
	return VRS_OK;
}

bool vrs_input_identity_same(const struct vrs_input_identity *a, const struct vrs_input_identity *b)
{
	return a->size == b->size && a->mtime_ns == b->mtime_ns && a->sample == b->sample;
}
