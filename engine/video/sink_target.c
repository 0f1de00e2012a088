/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/sink_target.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libavformat/avformat.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "video/av_reader.h"
#include "video/source_kind.h"

static bool is_input(const struct stat *output, const struct vrs_source *source)
{
	struct stat input;

	return source && source->reader && stat(source->reader->name, &input) == 0 && input.st_dev == output->st_dev &&
	       input.st_ino == output->st_ino;
}

static enum vrs_status check_existing(struct vrs_sink_target *target, const struct stat *st, const struct vrs_source *source, struct vrs_error *err)
{
	if (S_ISDIR(st->st_mode))
		return vrs_fail(err, VRS_ECONFIG, "%s is a folder; name the output file", target->path);
	target->direct = !S_ISREG(st->st_mode);
	if (target->direct)
		return VRS_OK;
	if (is_input(st, source))
		return vrs_fail(err, VRS_ECONFIG, "%s is the input; choose another output", target->path);
	if (!target->overwrite)
		return vrs_fail(err, VRS_EEXIST, "%s already exists; use --overwrite to replace it", target->path);
	return VRS_OK;
}

static enum vrs_status check_folder(const struct vrs_sink_target *target, struct vrs_error *err)
{
	char folder[PATH_MAX];

	vrs_path_folder(folder, target->path);
	if (!vrs_path_is_dir(folder))
		return vrs_fail(err, VRS_ENOTFOUND, "cannot write %s: there is no folder %s", target->path, folder);
	if (access(folder, W_OK) < 0)
		return vrs_fail(err, VRS_EIO, "cannot write %s: %s", target->path, strerror(errno));
	return VRS_OK;
}

enum vrs_status vrs_sink_target_open(struct vrs_sink_target *target, const char *path, bool overwrite, const struct vrs_source *source,
				     struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	struct stat st;

	memset(target, 0, sizeof *target);
	target->overwrite = overwrite;
	if (!path[0])
		return vrs_fail(err, VRS_ECONFIG, "the output has no name");
	if (!vrs_strcpy(target->path, sizeof target->path, path))
		return vrs_fail(err, VRS_ELIMIT, "the name of the output is too long");
	if (stat(path, &st) == 0)
		status = check_existing(target, &st, source, err);
	if (status == VRS_OK && target->direct) {
		(void)vrs_strcpy(target->temp, sizeof target->temp, path); /* same size */
		return VRS_OK;
	}
	if (status == VRS_OK)
		status = check_folder(target, err);
	if (status == VRS_OK)
		status = vrs_file_resolve(path, target->real, err);
	if (status == VRS_OK)
		status = vrs_file_temp_name(target->real, target->temp, sizeof target->temp, err);
	target->open = status == VRS_OK;
	return status;
}

enum vrs_status vrs_sink_target_commit(struct vrs_sink_target *target, struct vrs_error *err)
{
	enum vrs_status status;

	if (target->direct)
		return VRS_OK;
	if (!target->overwrite && vrs_path_exists(target->path)) {
		target->open = false;
		return vrs_fail(err, VRS_EEXIST, "%s was created by another program meanwhile; the finished output is %s", target->path, target->temp);
	}
	status = vrs_file_commit(target->temp, target->real, err);
	if (status == VRS_OK)
		target->open = false;
	return status;
}

void vrs_sink_target_discard(struct vrs_sink_target *target)
{
	if (target->open)
		vrs_file_discard(target->temp);
	target->open = false;
}

bool vrs_image_has_extension(const char *path)
{
	return av_match_ext(path, "png,jpg,jpeg,bmp,tif,tiff") > 0;
}
