/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sessions of a job's networks: as many inputs in a call and as many streams as fit into the memory of the device. */
#ifndef VRS_PIPELINE_SESSION_SETUP_H
#define VRS_PIPELINE_SESSION_SETUP_H

#include "pipeline/job.h"

/*
 * Load the job's network, with its eyes and threads planned, and make the session and head of the first worker; on a device also those of the others,
 * since each takes memory there.  With early exit also the same of the small network (roi/cascade.h).  Where the device has too little for all of
 * them, engine.adaptive_batch (default on) lets the batch of both networks be halved, and after it the streams, which is told in one line and stands
 * in job->settings, job->threads and job->info.device_lowered; no picture depends on either.  VRS_ELIMIT: it does not suffice for one input and one
 * stream; statuses of vrs_network_load, vrs_network_need_calibration, vrs_cascade_load, vrs_session_create and vrs_head_create.
 */
enum vrs_status vrs_session_setup(struct vrs_job *job, struct vrs_error *err) VRS_MUST_CHECK;

#endif
