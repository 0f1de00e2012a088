/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input of a job: opened, with the plan of its memory, and where its eyes are. */
#ifndef VRS_PIPELINE_INPUT_SETUP_H
#define VRS_PIPELINE_INPUT_SETUP_H

#include "pipeline/job.h"

/*
 * Open the input (a file, address or generated video), plan the memory of the job once the shape of its pictures is known, and find its layout and
 * whether HDR is converted.  All that stands in job->info of it.  Statuses of vrs_source_open, vrs_memory_setup_plan, vrs_tonemap_step_open and
 * vrs_input_layout.
 */
enum vrs_status vrs_input_setup_open(struct vrs_job *job, const char *input, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Where the eyes of the opened input are, the part of each that the network sees, the network's size and its precision.  VRS_EUNSUPPORTED: the
 * pictures are too small for two eyes; statuses of vrs_roi_settle_size and vrs_precision_settle.
 */
enum vrs_status vrs_input_setup_eyes(struct vrs_job *job, struct vrs_error *err) VRS_MUST_CHECK;

#endif
