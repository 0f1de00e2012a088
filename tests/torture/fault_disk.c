/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs inside of calls that are watched: system calls only, no allocation, errno as before. */
#include "fault_disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char root[PATH_MAX], store[PATH_MAX];

void vrs_fault_disk_begin(const char *dir, const char *disk)
{
	snprintf(root, sizeof root, "%s", dir);
	snprintf(store, sizeof store, "%s", disk);
}

static bool is_below(const char *path)
{
	size_t len = strlen(root);

	return strncmp(path, root, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

bool vrs_fault_disk_has_fd(int fd)
{
	char link[64], path[PATH_MAX];
	int error = errno;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	long len = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);

	errno = error;
	if (len <= 0)
		return false;
	path[len] = '\0';
	return is_below(path);
}

bool vrs_fault_disk_has(int folder, const char *path)
{
	char here[PATH_MAX];

	if (path[0] == '/')
		return is_below(path);
	if (folder != AT_FDCWD)
		return vrs_fault_disk_has_fd(folder);
	return syscall(SYS_getcwd, here, sizeof here) > 0 && is_below(here);
}

static int create(const char *kind, uintmax_t inode)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof path, "%s/%s%ju", store, kind, inode);
	return (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

static void copy_file(int from, int to)
{
	char block[65536];

	for (long n; (n = syscall(SYS_read, from, block, sizeof block)) > 0;)
		syscall(SYS_write, to, block, n);
}

struct entry { /* of getdents64 */
	uint64_t inode;
	int64_t next;
	unsigned short size;
	unsigned char type;
	char name[];
};

static void list_folder(int from, int to)
{
	_Alignas(8) char block[32768];
	char line[NAME_MAX + 64];

	for (long n; (n = syscall(SYS_getdents64, from, block, sizeof block)) > 0;) {
		for (long at = 0; at < n;) {
			const struct entry *entry = (const struct entry *)(block + at);

			at += entry->size;
			if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0)
				continue;
			int len = snprintf(line, sizeof line, "%ju %c %s\n", (uintmax_t)entry->inode, entry->type == DT_DIR ? 'd' : 'f', entry->name);

			syscall(SYS_write, to, line, len);
		}
	}
}

/* A second descriptor: the first may be for writing only, and its position stays. */
void vrs_fault_disk_synced(int fd)
{
	char link[64];
	struct stat st;
	int error = errno;

	if (!store[0] || !vrs_fault_disk_has_fd(fd) || fstat(fd, &st) < 0)
		return;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	int from = (int)syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC);
	int to = create(S_ISDIR(st.st_mode) ? "d." : "f.", st.st_ino);

	if (from >= 0 && to >= 0)
		(S_ISDIR(st.st_mode) ? list_folder : copy_file)(from, to);
	syscall(SYS_close, from);
	syscall(SYS_close, to);
	errno = error;
}

void vrs_fault_disk_keep(int folder, const char *path)
{
	char kept[PATH_MAX + 64];
	struct stat st;
	int error = errno;

	if (store[0] && vrs_fault_disk_has(folder, path) && fstatat(folder, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode)) {
		snprintf(kept, sizeof kept, "%s/old/%ju", store, (uintmax_t)st.st_ino);
		syscall(SYS_linkat, folder, path, AT_FDCWD, kept, 0);
	}
	errno = error;
}

/* Its inode number may be that of a folder that is gone. */
void vrs_fault_disk_new_folder(int folder, const char *path)
{
	struct stat st;
	int error = errno;

	if (store[0] && vrs_fault_disk_has(folder, path) && fstatat(folder, path, &st, 0) == 0)
		syscall(SYS_close, create("d.", st.st_ino));
	errno = error;
}
