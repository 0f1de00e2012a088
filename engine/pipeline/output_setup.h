/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output of a job: what its encoder and container are asked for, and room on the disk. */
#ifndef VRS_PIPELINE_OUTPUT_SETUP_H
#define VRS_PIPELINE_OUTPUT_SETUP_H

#include "pipeline/job.h"

/*
 * Open the output, once the composition is planned.  Segments that are joined later, and jobs that are only planned, get the request alone
 * (job->sink_options).  Statuses of vrs_encoder_request and vrs_sink_open.
 */
enum vrs_status vrs_output_setup_open(struct vrs_job *job, struct vrs_error *err) VRS_MUST_CHECK;
/* Is there room for it?  Counts the frames to come too.  Segments are looked at together, by whoever makes them.  Statuses of vrs_disk_check. */
enum vrs_status vrs_output_setup_check_space(struct vrs_job *job, struct vrs_error *err) VRS_MUST_CHECK;

#endif
