/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames spread over a clip, or over the pictures of a folder. */
#ifndef VRS_JOB_FRAME_SAMPLES_H
#define VRS_JOB_FRAME_SAMPLES_H

#include <vrseg/options.h>

#include "video/source.h"

struct vrs_frame_samples;

/*
 * `places` places, `run` consecutive frames at each; fewer where the clip has fewer.  A folder gives single pictures.  The settings say what raw
 * video is, and whether a clip may break off.  VRS_ECONFIG: a folder without pictures; statuses of vrs_source_open.
 */
enum vrs_status vrs_frame_samples_open(struct vrs_frame_samples **ret_samples, const struct vrs_settings *settings, const char *input, int places,
				       int run, struct vrs_error *err);
void vrs_frame_samples_close(struct vrs_frame_samples *samples); /* NULL is fine */
/*
 * The next frame (the caller's, vrs_frame_unref), the number of its place from 0 on, whether it is the first there, and its source with the name that
 * it was opened by, valid until the next call.  VRS_END after the last.
 */
struct vrs_frame_sample {
	struct vrs_frame frame;
	int place;
	bool first;
	const char *name;
	const struct vrs_source_info *info;
};
enum vrs_status vrs_frame_samples_next(struct vrs_frame_samples *samples, struct vrs_frame_sample *ret, struct vrs_error *err);

#endif
