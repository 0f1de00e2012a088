/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The result folder of a runner.  One measurement at a time has it: a second would remove the first one's files, and both would measure each other.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "bench/run/runner_state.h"

bool vrs_runner_folder_is_used(const char *folder)
{
	static const char *const names[] = {"journal.jsonl", "results.json"};
	char path[VRS_PATH_MAX];
	bool used = false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		used = used || (vrs_path_join(path, sizeof path, folder, names[i]) == VRS_OK && vrs_path_exists(path));
	return used;
}

enum vrs_status vrs_runner_folder_open(struct vrs_runner *runner, const struct vrs_runner_options *options, struct vrs_error *err)
{
	static const char *const parts[] = {"frames", "mattes", "work"};
	char path[VRS_PATH_MAX];
	if (!options->folder)
		return options->resume ? vrs_fail(err, VRS_EINVAL, "there is no folder to resume") : VRS_OK;
	if (!vrs_strcpy(runner->folder, sizeof runner->folder, options->folder) ||
	    vrs_path_join(runner->journal, sizeof runner->journal, options->folder, "journal.jsonl") != VRS_OK)
		return vrs_fail(err, VRS_ELIMIT, "the name of the result folder is too long");
	if (options->resume && !vrs_path_exists(runner->journal))
		return vrs_fail(err, VRS_ENOTFOUND, "there is nothing to resume in %s: it has no journal.jsonl", options->folder);
	if (!options->resume && !options->overwrite && vrs_runner_folder_is_used(options->folder))
		return vrs_fail(err, VRS_EEXIST, "%s already holds a result: continue it with --resume %s, replace it with --overwrite, or choose another folder",
				options->folder, options->folder);
	enum vrs_status status = options->folder_root ? vrs_mkdirs_below(options->folder_root, runner->folder, err) : vrs_mkdirs(runner->folder, err);
	if (status == VRS_OK)
		status = vrs_lease_take(&runner->lease, runner->folder, runner->folder, err);
	for (size_t i = 0; i < 3 && status == VRS_OK; i++) {
		status = vrs_path_join(path, sizeof path, options->folder, parts[i]);
		if (status == VRS_OK)
			status = vrs_mkdir_own(path, err);
		if (status == VRS_OK)
			vrs_temp_files_clean(path, NULL); /* of runs that were killed; names of later ones may differ */
	}
	if (status == VRS_OK)
		vrs_runner_folder_clear_work(runner);
	return status;
}

void vrs_runner_folder_close(struct vrs_runner *runner)
{
	static const char *const parts[] = {"work", "mattes", "frames", ""};
	char path[VRS_PATH_MAX];
	if (!runner->lease) /* it is another's */
		return;
	vrs_lease_return(runner->lease);
	runner->lease = NULL;
	/* What nothing was written to goes away again; rmdir refuses folders with content. */
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (vrs_path_join(path, sizeof path, runner->folder, parts[i]) == VRS_OK)
			(void)rmdir(path);
}

enum vrs_status vrs_runner_folder_check(const struct vrs_runner *runner, struct vrs_error *err)
{
	return runner->lease ? vrs_lease_check(runner->lease, err) : VRS_OK;
}

void vrs_runner_folder_remove_results(const struct vrs_runner *runner)
{
	static const char *const names[] = {"journal.jsonl", "results.json", "recommended.yaml", "env.json"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[VRS_PATH_MAX];
		if (vrs_path_join(path, sizeof path, runner->folder, names[i]) == VRS_OK)
			(void)unlink(path);
	}
}

enum vrs_status vrs_runner_folder_file(const struct vrs_runner *runner, const char *part, const char *name, char path[VRS_PATH_MAX])
{
	char relative[256];
	snprintf(relative, sizeof relative, "%s/%s", part, name);
	return vrs_path_join(path, VRS_PATH_MAX, runner->folder, relative);
}

/* Of a run in work/: a video (name_files of runner_request.c), or what is hidden beside it while it is made.  All else there is a stranger's. */
static bool is_of_run(const char *name)
{
	static const char *const videos[] = {VRS_RUN_VIDEO, VRS_RUN_PLAIN_VIDEO};
	const char *visible = name + (name[0] == '.');
	for (size_t i = 0; i < sizeof videos / sizeof *videos; i++) {
		size_t length = strlen(videos[i]);
		if (strncmp(visible, videos[i], length) == 0 && visible[length] == (visible == name ? '\0' : '.'))
			return true;
	}
	return false;
}

/* What runs have left in a folder; links are removed, not followed.  top: work/ itself; a run that was killed leaves a folder of its own there. */
static void clear(int parent, const char *name, bool top)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || (top && !is_of_run(entry->d_name)) ||
		    unlinkat(fd, entry->d_name, 0) == 0 || !top)
			continue;
		clear(fd, entry->d_name, false);
		(void)unlinkat(fd, entry->d_name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

void vrs_runner_folder_clear_work(const struct vrs_runner *runner)
{
	char folder[VRS_PATH_MAX];
	if (vrs_path_join(folder, sizeof folder, runner->folder, "work") == VRS_OK)
		clear(AT_FDCWD, folder, true);
}
