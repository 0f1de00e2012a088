/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * HDR videos whose output is SDR (output.tonemap): workers map each frame first, so that everything after the decoder, the network too, sees SDR.
 */
#ifndef VRS_PIPELINE_TONEMAP_STEP_H
#define VRS_PIPELINE_TONEMAP_STEP_H

#include <vrseg/options.h>

#include "video/source.h"

struct vrs_job;
struct vrs_tonemap;
struct vrs_worker;

/* For videos that the settings want mapped; *ret_tonemap is NULL for others. `narrow`: the output holds 8 bits. VRS_ENOMEM. */
enum vrs_status vrs_tonemap_for(struct vrs_tonemap **ret_tonemap, const struct vrs_settings *settings, const struct vrs_source_info *source,
				bool narrow);
/* The source is open: decides, says so once, and job->format becomes what workers get. VRS_ENOMEM. */
enum vrs_status vrs_tonemap_open(struct vrs_job *job);
/* Frames to map into, before the run; adds their bytes. VRS_ENOMEM. */
enum vrs_status vrs_tonemap_prepare(struct vrs_job *job);
/* The first `frames` frames of the worker's group; false: the job has failed. */
bool vrs_tonemap_frames(struct vrs_worker *worker, int frames);

#endif
