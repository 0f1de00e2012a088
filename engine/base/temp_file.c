/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Temporary files, and replacement that a crash or a full disk cannot tear: the order is write, fsync, rename, fsync of the folder.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <vrseg/log.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/process_identity.h"
#include "base/stop.h"
#include "base/str_parse.h"

#define TEMP_NAME_BYTES 200 /* of the file's own name kept in a temporary name: NAME_MAX is 255 */
#define MARK_BYTES 8        /* hexadecimal digits of the kernel's mark */
#define TAIL_BYTES 31       /* .KERNEL-RANDOM.part with 8 and 16 digits */
#define SECOND_TAIL ".made" /* of a second name of a temporary file */
#define FOREIGN_SECONDS 86400
#define MOST_TRIES 100

/* Of this boot of this kernel and this file system: where both are the same, locks tell who is alive. */
static uint32_t kernel_mark(dev_t device)
{
	struct vrs_process_identity own;

	vrs_process_identity_own(&own);
	uint64_t number = device, hash = vrs_hash(vrs_hash_str(VRS_HASH_INIT, own.boot), &number, sizeof number);

	return own.boot[0] ? (uint32_t)(hash ^ hash >> 32) : 0;
}

/* The tail of ".NAME.KERNEL-RANDOM.part"; NULL: entry has another shape. name NULL: any. */
static const char *temp_tail(const char *entry, const char *name)
{
	size_t length = strlen(entry), kept = name ? strnlen(name, TEMP_NAME_BYTES) : 0;

	if (entry[0] != '.' || length < 2 + TAIL_BYTES || (name && (length != 1 + kept + TAIL_BYTES || memcmp(entry + 1, name, kept) != 0)))
		return NULL;
	const char *tail = entry + length - TAIL_BYTES, *digits = "0123456789abcdef";
	bool fits = tail[0] == '.' && strspn(tail + 1, digits) == MARK_BYTES && tail[1 + MARK_BYTES] == '-' &&
		    strspn(tail + 2 + MARK_BYTES, digits) == 16 && strcmp(tail + TAIL_BYTES - 5, ".part") == 0;

	return fits ? tail : NULL;
}

/* Its writer is gone: the lock is free, or, where locks do not tell it, nothing has changed for long. */
static bool is_stale(int fd, const char *tail)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return false;
	uint32_t mark = kernel_mark(st.st_dev);
	int cause = vrs_file_try_lock(fd);

	if (cause == EWOULDBLOCK)
		return false;
	if (cause == 0 && mark != 0 && strtoul(tail + 1, NULL, 16) == mark)
		return true;
	return time(NULL) - st.st_mtime > FOREIGN_SECONDS;
}

void vrs_temp_files_clean(const char *folder, const char *name)
{
	DIR *dir = opendir(folder);

	for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
		const char *tail = temp_tail(entry->d_name, name);
		int fd = tail ? openat(dirfd(dir), entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;

		if (fd < 0)
			continue;
		if (is_stale(fd, tail))
			(void)unlinkat(dirfd(dir), entry->d_name, 0); /* under its lock */
		(void)close(fd);
	}
	if (dir)
		(void)closedir(dir);
}

mode_t vrs_file_mode_for(const char *target)
{
	struct stat st;

	return lstat(target, &st) == 0 && S_ISREG(st.st_mode) ? (st.st_mode & 0777) | S_IRUSR | S_IWUSR : 0666;
}

/* Whoever cleans up may have found it between the two steps, without its lock: false, errno is ENOENT. */
static bool make(struct vrs_temp_file *temp, mode_t mode)
{
	struct stat st;

	temp->fd = open(temp->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (temp->fd < 0)
		return false;
	(void)vrs_file_lock(temp->fd); /* file systems without locks are used without */
	if (fstat(temp->fd, &st) == 0 && st.st_nlink > 0)
		return true;
	(void)close(temp->fd);
	errno = ENOENT;
	return false;
}

/* The mark of the folder's file system stands in the name, which is why the folder is looked at first. */
static enum vrs_status make_under_free_name(struct vrs_temp_file *temp, const char *folder, const char *path, mode_t mode, struct vrs_error *err)
{
	const char *name = vrs_path_base(temp->target);
	struct stat st;
	uint64_t number;

	if (stat(folder, &st) < 0)
		return vrs_fail(err, VRS_EIO, "cannot create %s: %s", path, strerror(errno));
	for (int i = 0; i < MOST_TRIES; i++) {
		if (getrandom(&number, sizeof number, 0) != sizeof number)
			return vrs_fail(err, VRS_EIO, "cannot create %s: there are no random numbers: %s", path, strerror(errno));
		int length = snprintf(temp->path, sizeof temp->path, "%.*s.%.*s.%08" PRIx32 "-%016" PRIx64 ".part", (int)(name - temp->target),
				      temp->target, TEMP_NAME_BYTES, name, kernel_mark(st.st_dev), number);

		if (length < 0 || (size_t)length >= sizeof temp->path)
			return vrs_fail(err, VRS_ELIMIT, "the path %.80s... is too long", path);
		if (make(temp, mode))
			return VRS_OK;
		if (errno != EEXIST && errno != ENOENT)
			break;
	}
	return vrs_fail(err, vrs_file_write_status(errno), "cannot create %s: %s", path, strerror(errno));
}

static enum vrs_status create(struct vrs_temp_file *ret_temp, const char *path, mode_t mode, struct vrs_error *err)
{
	char folder[PATH_MAX];

	ret_temp->path[0] = '\0';
	ret_temp->fd = -1;
	ret_temp->stays = ret_temp->has_own_mode = false;
	if (!vrs_strcpy(ret_temp->target, sizeof ret_temp->target, path))
		return vrs_fail(err, VRS_ELIMIT, "the path %.80s... is too long", path);
	const char *name = vrs_path_base(ret_temp->target);

	if (!name[0])
		return vrs_fail(err, VRS_EINVAL, "'%s' is a folder, a file name is needed", path);
	vrs_path_folder(folder, ret_temp->target);
	vrs_temp_files_clean(folder, name);
	enum vrs_status status = make_under_free_name(ret_temp, folder, path, mode, err);
	if (status != VRS_OK)
		ret_temp->path[0] = '\0';
	return status;
}

enum vrs_status vrs_temp_file_create(struct vrs_temp_file *ret_temp, const char *path, struct vrs_error *err)
{
	return create(ret_temp, path, vrs_file_mode_for(path), err);
}

enum vrs_status vrs_temp_file_create_for(struct vrs_temp_file *ret_temp, const char *path, const char *name, struct vrs_error *err)
{
	char target[PATH_MAX];
	enum vrs_status status = vrs_file_resolve(name, target, err);

	*ret_temp = (struct vrs_temp_file){.fd = -1};
	if (status == VRS_OK)
		status = create(ret_temp, path, vrs_file_mode_for(target), err);
	if (status == VRS_OK)
		memcpy(ret_temp->target, target, sizeof target);
	return status;
}

FILE *vrs_temp_file_stream(const struct vrs_temp_file *temp, const char *mode)
{
	int fd = fcntl(temp->fd, F_DUPFD_CLOEXEC, 0);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, mode);

	if (fd >= 0 && !stream)
		(void)close(fd);
	return stream;
}

enum vrs_status vrs_temp_file_write(const struct vrs_temp_file *temp, const void *data, size_t len, struct vrs_error *err)
{
	return vrs_file_write_all(temp->fd, temp->target, data, len, err);
}

/* File systems that cannot sync a folder say EINVAL; their renames are as safe as they get. */
enum vrs_status vrs_file_sync_folder(const char *path, struct vrs_error *err)
{
	char folder[PATH_MAX];

	vrs_path_folder(folder, path);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return vrs_fail(err, VRS_EIO, "cannot open the folder %s: %s", folder, strerror(errno));
	enum vrs_status status = VRS_OK;

	if (fsync(fd) < 0 && errno != EINVAL && errno != EROFS)
		status = vrs_fail(err, vrs_file_write_status(errno), "cannot save the folder %s: %s", folder, strerror(errno));
	(void)close(fd);
	return status;
}

bool vrs_file_remove(const char *path)
{
	if (unlink(path) == 0 || errno == ENOENT)
		return true;
	vrs_log(VRS_LOG_WARNING, "cannot remove %s, which is needed no more: %s", path, strerror(errno));
	return false;
}

/* File systems that do not know the flags of renameat2, and kernels that do not know it. */
static bool is_unknown_call(int error)
{
	return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

/* By Linux's own call, a hard link, or a name that is claimed first. */
bool vrs_file_move_to_free_name(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return true;
	if (!is_unknown_call(errno))
		return false;
	if (link(from, to) == 0) {
		(void)unlink(from); /* the second name of a complete file is cleared away like any other of a writer that is gone */
		return true;
	}
	if (errno == EEXIST)
		return false;
	int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

	if (fd < 0)
		return false;
	(void)close(fd);
	if (rename(from, to) == 0)
		return true;
	(void)unlink(to);
	return false;
}

/* Both names change places, where the file system can do that, so that it can be taken back; else the old file is gone. */
static bool move_over(const char *from, const char *to, bool *ret_swapped)
{
	struct stat st;

	if (lstat(to, &st) < 0 || !S_ISREG(st.st_mode))
		return rename(from, to) == 0;
	*ret_swapped = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0;
	return *ret_swapped || (is_unknown_call(errno) && rename(from, to) == 0);
}

/* How a file got its name, and what else is there of it. */
struct moved {
	bool swapped; /* the old file has the temporary name */
	bool linked;  /* the new one has both */
	char second[PATH_MAX]; /* "": none; else the new one has this name, too, and takes the temporary one when the old file has gone */
};

/* So that at no moment a file that stays has its new name alone. */
static void link_second(const struct vrs_temp_file *temp, struct moved *ret)
{
	int length = snprintf(ret->second, sizeof ret->second, "%s" SECOND_TAIL, temp->path);

	if (length < 0 || (size_t)length >= sizeof ret->second || link(temp->path, ret->second) != 0)
		ret->second[0] = '\0';
}

static bool link_and_move_over(const struct vrs_temp_file *temp, struct moved *ret)
{
	if (temp->stays)
		link_second(temp, ret);
	bool good = move_over(temp->path, temp->target, &ret->swapped);

	if (!good && ret->second[0])
		(void)unlink(ret->second);
	return good;
}

static bool link_or_move(const struct vrs_temp_file *temp, bool *ret_linked)
{
	*ret_linked = temp->stays && link(temp->path, temp->target) == 0;
	return *ret_linked || (!(temp->stays && errno == EEXIST) && vrs_file_move_to_free_name(temp->path, temp->target));
}

static enum vrs_status move(const struct vrs_temp_file *temp, bool replace, struct moved *ret, struct vrs_error *err)
{
	ret->swapped = ret->linked = false;
	ret->second[0] = '\0';
	if (replace ? link_and_move_over(temp, ret) : link_or_move(temp, &ret->linked))
		return VRS_OK;
	return errno == EEXIST ? vrs_fail(err, VRS_EEXIST, "%s already exists", temp->target)
			       : vrs_fail(err, VRS_EIO, "cannot move the finished file to %s: %s", temp->target, strerror(errno));
}

/* A folder that cannot be saved may forget the move in a loss of power: then it is as if it had not been. */
static enum vrs_status move_into_place(const struct vrs_temp_file *temp, bool replace, struct moved *ret, struct vrs_error *err)
{
	enum vrs_status status = move(temp, replace, ret, err);

	if (status != VRS_OK)
		return status;
	status = vrs_file_sync_folder(temp->target, err);

	if (status != VRS_OK && ret->linked)
		(void)unlink(temp->target);
	else if (status != VRS_OK && ret->swapped)
		(void)renameat2(AT_FDCWD, temp->path, AT_FDCWD, temp->target, RENAME_EXCHANGE);
	else if (status != VRS_OK && !replace)
		(void)rename(temp->target, temp->path);
	else if (ret->swapped && !ret->second[0])
		(void)vrs_file_remove(temp->path);
	if (!ret->second[0])
		return status;
	ret->linked = status == VRS_OK && rename(ret->second, temp->path) == 0; /* over the old file */
	if (!ret->linked)
		(void)unlink(ret->second);
	if (!ret->linked && status == VRS_OK && ret->swapped)
		(void)vrs_file_remove(temp->path);
	return status;
}

enum vrs_status vrs_temp_file_sync(const struct vrs_temp_file *temp, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;

	vrs_stop_flush_begin(); /* a large file on a slow disk */
	if (fsync(temp->fd) < 0)
		status = vrs_fail(err, vrs_file_write_status(errno), "cannot save %s: %s", temp->target, strerror(errno));
	vrs_stop_flush_end();
	return status;
}

enum vrs_status vrs_temp_file_commit(struct vrs_temp_file *temp, bool replace, struct vrs_error *err)
{
	struct moved moved = {.linked = false};
	struct stat old;

	if (!temp->has_own_mode && lstat(temp->target, &old) == 0 && S_ISREG(old.st_mode))
		(void)fchmod(temp->fd, old.st_mode & 0777); /* a file system without modes has none to keep; --sandbox lets make() decide */
	enum vrs_status status = vrs_temp_file_sync(temp, err);
	if (status == VRS_OK && temp->stays) /* or a loss of power may leave the new name alone */
		status = vrs_file_sync_folder(temp->path, err);
	if (status == VRS_OK)
		status = move_into_place(temp, replace, &moved, err);
	if (status == VRS_EEXIST)
		return status;
	if (status != VRS_OK) {
		vrs_temp_file_discard(temp);
		return status;
	}
	if (!moved.linked)
		vrs_temp_file_keep(temp);
	return VRS_OK;
}

enum vrs_status vrs_temp_file_place(struct vrs_temp_file *temp, bool replace, struct vrs_error *err)
{
	struct moved moved;
	enum vrs_status status = move(temp, replace, &moved, err);

	if (moved.swapped)
		(void)vrs_file_remove(temp->path);
	if (status == VRS_OK)
		memcpy(temp->path, temp->target, sizeof temp->path);
	return status;
}

void vrs_temp_file_keep(struct vrs_temp_file *temp)
{
	if (temp->path[0])
		(void)close(temp->fd); /* it was synced, or is of no use */
	temp->path[0] = '\0';
	temp->fd = -1;
}

void vrs_temp_file_discard(struct vrs_temp_file *temp)
{
	if (temp->path[0])
		(void)vrs_file_remove(temp->path);
	vrs_temp_file_keep(temp);
}

/* A file that was created gets data and its name, or is gone. */
static enum vrs_status fill(struct vrs_temp_file *temp, const void *data, size_t len, struct vrs_error *err)
{
	enum vrs_status status = vrs_temp_file_write(temp, data, len, err);

	if (status == VRS_OK)
		return vrs_temp_file_commit(temp, true, err);
	vrs_temp_file_discard(temp);
	return status;
}

enum vrs_status vrs_file_replace(const char *path, const void *data, size_t len, struct vrs_error *err)
{
	struct vrs_temp_file temp;
	enum vrs_status status = vrs_temp_file_create(&temp, path, err);

	return status == VRS_OK ? fill(&temp, data, len, err) : status;
}

enum vrs_status vrs_file_replace_own(const char *path, const void *data, size_t len, struct vrs_error *err)
{
	struct vrs_temp_file temp;
	enum vrs_status status = create(&temp, path, 0644, err);

	temp.has_own_mode = true;
	return status == VRS_OK ? fill(&temp, data, len, err) : status;
}
