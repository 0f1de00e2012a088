/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stages of a job: their queues, pools and workers, and who works on what. */
#ifndef VRS_PIPELINE_STAGE_SETUP_H
#define VRS_PIPELINE_STAGE_SETUP_H

#include "pipeline/job.h"

/* Point the contexts of the stages at each other; before anything of the job is planned. */
void vrs_stage_setup_wire(struct vrs_job *job);
/*
 * Make what the threads work with, once networks, looks and pace are planned, and count the bytes of frames under way (flow.stats.queue_bytes).
 * VRS_ENOMEM, and statuses of vrs_compose_plan_prepare, vrs_tonemap_step_prepare and vrs_worker_init.
 */
enum vrs_status vrs_stage_setup_make(struct vrs_job *job, struct vrs_error *err) VRS_MUST_CHECK;

#endif
