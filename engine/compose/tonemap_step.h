/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HDR videos whose output is SDR (output.tonemap): workers map each frame first, so that everything after the decoder, the network too, sees SDR.
 */
#ifndef VRS_COMPOSE_TONEMAP_STEP_H
#define VRS_COMPOSE_TONEMAP_STEP_H

#include <vrseg/options.h>

#include "flow/flow.h"
#include "video/source.h"

struct vrs_frame_pool;
struct vrs_tonemap;

struct vrs_tonemap_step {
	struct vrs_tonemap *tonemap;          /* NULL: frames stay as they are decoded */
	struct vrs_frame_pool *pool;          /* to map into */
};

/* Do the settings want pictures of that format mapped?  `narrow`: the output holds 8 bits, as vrs_tonemap_narrow says of the settings'. */
bool vrs_tonemap_wanted(const struct vrs_settings *settings, const struct vrs_picture_format *format, bool narrow);
bool vrs_tonemap_narrow(const struct vrs_settings *settings);
/* For videos that the settings want mapped; *ret_tonemap is NULL for others. VRS_ENOMEM. */
enum vrs_status vrs_tonemap_for(struct vrs_tonemap **ret_tonemap, const struct vrs_settings *settings, const struct vrs_source_info *source,
				bool narrow);
/* Decide for the open source, whose name is `input`, and say so once (quiet: it has been said). VRS_ENOMEM. */
enum vrs_status vrs_tonemap_step_open(struct vrs_tonemap_step *step, const struct vrs_settings *settings, const struct vrs_source_info *source,
				      const char *input, bool quiet);
/* Room for `frames` mapped frames and what is in hand, before the run; returns the bytes in *ret_bytes. VRS_ENOMEM. */
enum vrs_status vrs_tonemap_step_prepare(struct vrs_tonemap_step *step, const struct vrs_source_info *source, int frames, uint64_t *ret_bytes);
/* Map `count` frames of a worker; false: the job has failed. Thread-safe. */
bool vrs_tonemap_step_run(const struct vrs_tonemap_step *step, struct vrs_flow *flow, struct vrs_frame_task **tasks, int count);
void vrs_tonemap_step_fini(struct vrs_tonemap_step *step); /* zeroed memory is fine; all frames must be back */

#endif
