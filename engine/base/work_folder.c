/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/work_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <vrseg/log.h>

#include "base/file.h"

#define MOST_TRIES 100
#define OUTPUT_PATTERN "." VRS_WORK_OUTPUT ".*"
#define BESIDE_SUFFIX ".made" /* of the folder's path: the last name by which an output is known, when the folder itself goes */

enum vrs_status vrs_work_folder_name(struct vrs_work_folder *folder, const char *output, struct vrs_error *err)
{
	char real[PATH_MAX];
	enum vrs_status status = vrs_file_resolve(output, real, err);

	folder->lease = NULL;
	if (status != VRS_OK)
		return status;
	const char *base = vrs_path_base(real);
	int n = snprintf(folder->path, sizeof folder->path, "%.*s.%s.vrseg", (int)(base - real), real, base);

	return n > 0 && (size_t)n < sizeof folder->path ? VRS_OK : vrs_fail(err, VRS_ELIMIT, "the name %.80s... is too long", output);
}

/* A link leads to a place that the user did not name, and what a stranger has put into a folder must not become part of a video. */
static enum vrs_status check_folder(const char *path, struct vrs_error *err)
{
	char parent[PATH_MAX];
	struct stat st, above;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? VRS_ENOTFOUND : vrs_fail(err, VRS_EIO, "cannot look at %s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return vrs_fail(err, VRS_EIO, "%s is in the way of unfinished work; remove it", path);
	vrs_path_folder(parent, path);
	if (st.st_uid != geteuid() && (stat(parent, &above) < 0 || above.st_uid != st.st_uid))
		return vrs_fail(err, VRS_EIO, "%s belongs to another user; remove it, or choose another output", path);
	return VRS_OK;
}

static enum vrs_status try_open(struct vrs_work_folder *folder, const char *output, struct vrs_error *err)
{
	if (mkdir(folder->path, 0777) < 0 && errno != EEXIST)
		return vrs_fail(err, vrs_file_write_status(errno), "cannot make the folder %s: %s", folder->path, strerror(errno));
	enum vrs_status status = check_folder(folder->path, err);

	if (status != VRS_OK)
		return status;
	status = vrs_lease_take(&folder->lease, folder->path, output, err);
	if (status != VRS_OK)
		(void)rmdir(folder->path); /* as in vrs_work_folder_close; another process that has just made it makes it again */
	return status;
}

/* A link or pipe in place of a file of ours was put there by somebody, for us to follow or to wait at. */
static void remove_planted(const struct vrs_work_folder *folder)
{
	DIR *dir = opendir(folder->path);
	struct stat st;

	for (const struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir))
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		(void)closedir(dir);
}

/* The name in the folder of what is the output, too, into ret_name[NAME_MAX + 1]. */
static bool find_output(const struct vrs_work_folder *folder, const char *output, char *ret_name)
{
	struct stat st, other;
	DIR *dir = stat(output, &st) == 0 && S_ISREG(st.st_mode) ? opendir(folder->path) : NULL;
	bool found = false;

	for (const struct dirent *entry = NULL; dir && !found && (entry = readdir(dir));) {
		found = (strcmp(entry->d_name, VRS_WORK_MADE) == 0 || fnmatch(OUTPUT_PATTERN, entry->d_name, 0) == 0) &&
			fstatat(dirfd(dir), entry->d_name, &other, AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == other.st_dev && st.st_ino == other.st_ino;
		if (found)
			memcpy(ret_name, entry->d_name, strlen(entry->d_name) + 1);
	}
	if (dir)
		(void)closedir(dir);
	return found;
}

static bool name_beside(const struct vrs_work_folder *folder, char path[PATH_MAX])
{
	int n = snprintf(path, PATH_MAX, "%s" BESIDE_SUFFIX, folder->path);

	return n > 0 && n < PATH_MAX;
}

static bool is_output(const char *path, const char *output)
{
	struct stat st, other;

	return stat(output, &st) == 0 && S_ISREG(st.st_mode) && lstat(path, &other) == 0 && st.st_dev == other.st_dev && st.st_ino == other.st_ino;
}

/* Unfinished outputs go; the name of one that a killed run has made stays, in case that we are killed, too. */
static void remove_outputs(const struct vrs_work_folder *folder, const char *output)
{
	char name[NAME_MAX + 1], from[PATH_MAX], to[PATH_MAX], beside[PATH_MAX];
	bool has_beside = name_beside(folder, beside), joined = vrs_path_join(to, sizeof to, folder->path, VRS_WORK_MADE) == VRS_OK;

	if (joined && find_output(folder, output, name) && vrs_path_join(from, sizeof from, folder->path, name) == VRS_OK)
		(void)rename(from, to);
	else if (joined && has_beside && is_output(beside, output))
		(void)rename(beside, to);
	if (has_beside)
		(void)unlink(beside);
	vrs_work_folder_remove(folder, OUTPUT_PATTERN);
}

enum vrs_status vrs_work_folder_open(struct vrs_work_folder *folder, const char *output, struct vrs_error *err)
{
	enum vrs_status status = vrs_work_folder_name(folder, output, err);

	if (status != VRS_OK)
		return status;
	status = VRS_ENOTFOUND; /* removed by its last user between two steps */
	for (int i = 0; status == VRS_ENOTFOUND && i < MOST_TRIES; i++)
		status = try_open(folder, output, err);
	if (status == VRS_OK) {
		remove_outputs(folder, output); /* whoever the writer was, the lease is ours */
		vrs_temp_files_clean(folder->path, NULL);
		remove_planted(folder);
	}
	return status == VRS_ENOTFOUND ? vrs_fail(err, VRS_EIO, "cannot keep the folder %s", folder->path) : status;
}

bool vrs_work_folder_has_made(const struct vrs_work_folder *folder, const char *output)
{
	char name[NAME_MAX + 1], beside[PATH_MAX];

	return find_output(folder, output, name) || (name_beside(folder, beside) && is_output(beside, output));
}

bool vrs_work_folder_made(const char *output)
{
	struct vrs_work_folder folder;

	return vrs_work_folder_name(&folder, output, NULL) == VRS_OK && vrs_work_folder_has_made(&folder, output);
}

void vrs_work_folder_forget_output(const struct vrs_work_folder *folder)
{
	vrs_work_folder_remove(folder, VRS_WORK_MADE);
	vrs_work_folder_remove(folder, OUTPUT_PATTERN);
}

/* Threads and files of the work that has just ended give their descriptors back: what is scarce now may be there in a moment. */
static DIR *open_listing(const char *path)
{
	const struct timespec moment = {.tv_nsec = 10000000};
	DIR *dir = opendir(path);

	for (int i = 0; i < 3 && !dir && (errno == EMFILE || errno == ENFILE || errno == ENOMEM); i++) {
		nanosleep(&moment, NULL);
		dir = opendir(path);
	}
	return dir;
}

bool vrs_work_folder_remove(const struct vrs_work_folder *folder, const char *pattern)
{
	DIR *dir = open_listing(folder->path);
	bool good = dir != NULL;

	if (!dir)
		vrs_log(VRS_LOG_WARNING, "cannot read %s, whose files are needed no more: %s", folder->path, strerror(errno));
	for (const struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
		char path[PATH_MAX];

		if (fnmatch(pattern, entry->d_name, 0) == 0 && vrs_path_join(path, sizeof path, folder->path, entry->d_name) == VRS_OK)
			good &= vrs_file_remove(path);
	}
	if (dir)
		(void)closedir(dir);
	return good;
}

static bool close_folder(struct vrs_work_folder *folder)
{
	bool good = vrs_lease_return(folder->lease);

	folder->lease = NULL;
	/* it may stay when something else lies in it, and then is in use */
	if (rmdir(folder->path) == 0 || errno == ENOTEMPTY || errno == EEXIST || errno == ENOENT)
		return good;
	vrs_log(VRS_LOG_WARNING, "cannot remove %s, which is needed no more: %s", folder->path, strerror(errno));
	return false;
}

void vrs_work_folder_close(struct vrs_work_folder *folder)
{
	if (folder->lease)
		(void)close_folder(folder);
}

void vrs_work_folder_finish(struct vrs_work_folder *folder, const char *output, bool cleared)
{
	char name[NAME_MAX + 1], note[PATH_MAX], beside[PATH_MAX];

	if (!folder->lease)
		return;
	if (vrs_lease_check(folder->lease, NULL) != VRS_OK) { /* what lies there is another's */
		vrs_work_folder_close(folder);
		return;
	}
	bool moved = find_output(folder, output, name) && vrs_path_join(note, sizeof note, folder->path, name) == VRS_OK &&
		     name_beside(folder, beside) && rename(note, beside) == 0;

	if (cleared || moved)
		vrs_work_folder_forget_output(folder);
	if (close_folder(folder) && cleared && moved)
		(void)vrs_file_remove(beside);
}
