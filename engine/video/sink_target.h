/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file that a sink writes: in the output's work folder until it is complete; devices and pipes are written directly. */
#ifndef VRS_VIDEO_SINK_TARGET_H
#define VRS_VIDEO_SINK_TARGET_H

#include <limits.h>

#include "base/file.h"
#include "base/work_folder.h"
#include "video/sink.h"

struct vrs_sink_target {
	char path[PATH_MAX];
	bool direct;               /* a device or pipe: written under its own name; no rename, nothing to remove */
	bool is_pipe;              /* of these, one where nobody can go back */
	bool overwrite;
	bool made;                 /* the output is there */
	struct vrs_temp_file temp; /* open for writing, but when direct */
	struct vrs_work_folder own;
	const struct vrs_work_folder *folder; /* that, or the caller's; NULL: temp lies beside its name */
	enum vrs_status (*check)(void *cookie, const char *file, struct vrs_error *err); /* of the options */
	void *check_cookie;
};

/*
 * Check path; nothing is created.  VRS_EEXIST: it exists and overwrite is false; VRS_ENOTFOUND: its folder does not exist; VRS_ECONFIG: a folder,
 * or the file that `source` (optional) reads; VRS_EIO: the folder cannot be written.
 */
enum vrs_status vrs_sink_target_check(struct vrs_sink_target *target, const char *path, const struct vrs_sink_options *options,
				      const struct vrs_source *source, struct vrs_error *err);
/* Check path and open the file. Also VRS_EEXIST: another process is writing this output. */
enum vrs_status vrs_sink_target_open(struct vrs_sink_target *target, const char *path, const struct vrs_sink_options *options,
				     const struct vrs_source *source, struct vrs_error *err);
/* The check of the options, of a file that is complete. */
enum vrs_status vrs_sink_target_ask(const struct vrs_sink_target *target, const char *file, struct vrs_error *err);
/* Ask, and move the complete file into place. VRS_EEXIST: someone else made the file meanwhile; ours is kept under the name in the message. */
enum vrs_status vrs_sink_target_commit(struct vrs_sink_target *target, struct vrs_error *err);
/* Remove the temporary file if it is still there. Fine on zeroed memory. */
void vrs_sink_target_discard(struct vrs_sink_target *target);
/* True if the name ends in an extension of a picture, in any case. */
bool vrs_image_has_extension(const char *path);

#endif
