/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/sink_target.h"

#include <errno.h>
#include <fcntl.h>
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

/* A container may have one file of the host mounted on the output's name: nothing can be renamed over it. Kernels before 5.8 do not tell. */
static bool is_mount(const char *path)
{
	struct statx st;

	return statx(AT_FDCWD, path, 0, 0, &st) == 0 && (st.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

static enum vrs_status check_existing(struct vrs_sink_target *target, const struct stat *st, const struct vrs_source *source, struct vrs_error *err)
{
	if (S_ISDIR(st->st_mode))
		return vrs_fail(err, VRS_ECONFIG, "%s is a folder; name the output file", target->path);
	target->direct = !S_ISREG(st->st_mode);
	target->is_pipe = S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode);
	if (target->direct)
		return VRS_OK;
	if (is_input(st, source))
		return vrs_fail(err, VRS_ECONFIG, "%s is the input; choose another output", target->path);
	if (is_mount(target->path))
		return vrs_fail(err, VRS_ECONFIG, "%s is mounted as a file and cannot be replaced; mount its folder, or choose another output", target->path);
	target->overwrite |= vrs_work_folder_made(target->path);
	return target->overwrite ? VRS_OK : vrs_fail(err, VRS_EEXIST, "%s already exists; use --overwrite to replace it", target->path);
}

static enum vrs_status check_folder(const struct vrs_sink_target *target, struct vrs_error *err)
{
	char folder[PATH_MAX], real[PATH_MAX];
	enum vrs_status status = vrs_file_resolve(target->path, real, err);

	if (status != VRS_OK)
		return status;
	vrs_path_folder(folder, real);
	if (!vrs_path_is_dir(folder))
		return vrs_fail(err, VRS_ENOTFOUND, "cannot write %s: there is no folder %s", target->path, folder);
	if (access(folder, W_OK) < 0)
		return vrs_file_fail_write(err, target->path, errno);
	return VRS_OK;
}

enum vrs_status vrs_sink_target_check(struct vrs_sink_target *target, const char *path, const struct vrs_sink_options *options,
				      const struct vrs_source *source, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	struct stat st;

	memset(target, 0, sizeof *target);
	target->overwrite = options->overwrite;
	target->check = options->check;
	target->check_cookie = options->check_cookie;
	if (!path[0])
		return vrs_fail(err, VRS_ECONFIG, "the output has no name");
	if (!vrs_strcpy(target->path, sizeof target->path, path))
		return vrs_fail(err, VRS_ELIMIT, "the name of the output is too long");
	if (stat(path, &st) == 0)
		status = check_existing(target, &st, source, err);
	return status == VRS_OK && !target->direct ? check_folder(target, err) : status;
}

/* Who had to wait for the lease may find a file that was not there before. */
static enum vrs_status open_folder(struct vrs_sink_target *target, const struct vrs_source *source, struct vrs_error *err)
{
	enum vrs_status status = vrs_work_folder_open(&target->own, target->path, err);
	struct stat st;

	target->folder = &target->own;
	return status == VRS_OK && stat(target->path, &st) == 0 ? check_existing(target, &st, source, err) : status;
}

/* Segments lie in the work folder of their video already, and only its lease protects them; the checkpoint recognises them. */
static enum vrs_status open_temp(struct vrs_sink_target *target, const struct vrs_sink_options *options, const struct vrs_source *source,
				 struct vrs_error *err)
{
	char path[PATH_MAX];
	enum vrs_status status = VRS_OK;

	target->folder = options->folder;
	if (options->segment_of)
		return vrs_temp_file_create(&target->temp, target->path, err);
	if (!target->folder)
		status = open_folder(target, source, err);
	if (status == VRS_OK && vrs_path_join(path, sizeof path, target->folder->path, VRS_WORK_OUTPUT) != VRS_OK)
		status = vrs_fail(err, VRS_ELIMIT, "the name %.80s... is too long", target->path);
	if (status == VRS_OK)
		status = vrs_temp_file_create_for(&target->temp, path, target->path, err);
	target->temp.stays = status == VRS_OK; /* a run that is killed when it has made the output is recognised by its second name */
	return status;
}

enum vrs_status vrs_sink_target_open(struct vrs_sink_target *target, const char *path, const struct vrs_sink_options *options,
				     const struct vrs_source *source, struct vrs_error *err)
{
	enum vrs_status status = vrs_sink_target_check(target, path, options, source, err);

	return status != VRS_OK || target->direct ? status : open_temp(target, options, source, err);
}

enum vrs_status vrs_sink_target_ask(const struct vrs_sink_target *target, const char *file, struct vrs_error *err)
{
	return target->check ? target->check(target->check_cookie, file, err) : VRS_OK;
}

/* The check and the disk may take long: whether the output is still ours is asked when they are done. */
static enum vrs_status may_commit(const struct vrs_sink_target *target, struct vrs_error *err)
{
	enum vrs_status status = vrs_sink_target_ask(target, target->temp.path, err);

	if (status == VRS_OK && target->folder)
		status = vrs_temp_file_sync(&target->temp, err);
	return status == VRS_OK && target->folder ? vrs_lease_check(target->folder->lease, err) : status;
}

enum vrs_status vrs_sink_target_commit(struct vrs_sink_target *target, struct vrs_error *err)
{
	char temp[PATH_MAX];

	if (target->direct)
		return VRS_OK;
	memcpy(temp, target->temp.path, sizeof temp);
	enum vrs_status status = may_commit(target, err);

	if (status != VRS_OK)
		return status;
	status = vrs_temp_file_commit(&target->temp, target->overwrite, err);
	target->made = status == VRS_OK;
	if (status == VRS_OK)
		vrs_temp_file_keep(&target->temp); /* its name goes last: here in vrs_sink_target_discard, or when the caller has removed the rest */
	if (status == VRS_EEXIST) {
		vrs_temp_file_keep(&target->temp);
		status = vrs_fail(err, VRS_EEXIST, "%s was created by another program meanwhile; the finished output is %s", target->path, temp);
	}
	return status;
}

void vrs_sink_target_discard(struct vrs_sink_target *target)
{
	vrs_lease_settle(target->own.lease); /* as little time as can be between the end of the file and that of its folder */
	vrs_temp_file_discard(&target->temp);
	if (target->made)
		vrs_work_folder_finish(&target->own, target->path, true);
	vrs_work_folder_close(&target->own);
}

bool vrs_image_has_extension(const char *path)
{
	return av_match_ext(path, "png,jpg,jpeg,bmp,tif,tiff") > 0;
}
