/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segments/work_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static bool name_paths(struct vrs_work_folder *folder, const char *output)
{
	const char *base = vrs_path_base(output);
	int n = snprintf(folder->path, sizeof folder->path, "%.*s.%s.vrseg", (int)(base - output), output, base);
	if (n < 0 || (size_t)n >= sizeof folder->path)
		return false;
	return vrs_path_join(folder->checkpoint, sizeof folder->checkpoint, folder->path, "checkpoint.json") == VRS_OK;
}

/* The file is opened again where the folder was removed by its last user between the two steps. */
static enum vrs_status take_lock(struct vrs_work_folder *folder, struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	if (vrs_path_join(path, sizeof path, folder->path, "lock"))
		return vrs_fail(err, VRS_ELIMIT, "the name %s is too long", folder->path);
	folder->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (folder->lock < 0)
		return vrs_fail(err, VRS_EIO, "cannot write %s: %s", path, strerror(errno));
	int cause = vrs_file_lock(folder->lock);
	if (cause == 0)
		return VRS_OK;
	close(folder->lock);
	folder->lock = -1;
	if (cause == EWOULDBLOCK)
		return vrs_fail(err, VRS_EEXIST, "another vrseg is writing this output (%s is locked)", folder->path);
	return vrs_fail(err, VRS_EIO, "cannot lock %s: %s", path, strerror(cause));
}

static bool is_ours(const char *name)
{
	static const char *const patterns[] = {"segment-?*", ".segment-?*", "checkpoint.json", ".checkpoint.json.*",
		"piece-?*"}; /* what earlier versions called a segment */
	for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	return false;
}

/* links: only what is no file, such as a link that somebody has put there for us to follow. */
static void remove_ours(const struct vrs_work_folder *folder, bool links)
{
	DIR *dir = opendir(folder->path);
	const struct dirent *entry;
	struct stat st;
	while (dir && (entry = readdir(dir)))
		if (is_ours(entry->d_name) &&
		    (!links || (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode))))
			(void)unlinkat(dirfd(dir), entry->d_name, 0); /* what stays is told when the folder is used again */
	if (dir)
		closedir(dir);
}

enum vrs_status vrs_work_folder_open(struct vrs_work_folder *folder, const char *output, struct vrs_error *err)
{
	char real[PATH_MAX], temp[PATH_MAX];
	folder->lock = -1;
	if (!name_paths(folder, output))
		return vrs_fail(err, VRS_ELIMIT, "the name %s is too long", output);
	enum vrs_status status = vrs_mkdir_own(folder->path, err);
	if (status == VRS_OK)
		status = take_lock(folder, err);
	if (status == VRS_OK)
		status = vrs_file_resolve(output, real, err);
	if (status == VRS_OK) /* which removes what a run that was killed while it joined its segments has left: it takes as much room as a video */
		status = vrs_file_temp_name(real, temp, sizeof temp, err);
	if (status == VRS_OK)
		remove_ours(folder, true);
	return status;
}

bool vrs_work_folder_segment(const struct vrs_work_folder *folder, int number, char *ret_path, size_t size)
{
	int n = snprintf(ret_path, size, "%s/segment-%06d.part", folder->path, number);
	return n > 0 && (size_t)n < size;
}

void vrs_work_folder_clear(const struct vrs_work_folder *folder)
{
	remove_ours(folder, false);
}

void vrs_work_folder_close(struct vrs_work_folder *folder, bool remove)
{
	char path[VRS_PATH_MAX];
	if (folder->lock < 0)
		return;
	if (remove)
		vrs_work_folder_clear(folder);
	if (!vrs_path_exists(folder->checkpoint) && vrs_path_join(path, sizeof path, folder->path, "lock") == VRS_OK) {
		unlink(path);
		rmdir(folder->path); /* fails, and may, when something of the user lies in it */
	}
	close(folder->lock);
	folder->lock = -1;
}
