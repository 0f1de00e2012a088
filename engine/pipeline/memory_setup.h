/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory plan of a job: filled in from its settings, its input and its network, and kept within what it may use. */
#ifndef VRS_PIPELINE_MEMORY_SETUP_H
#define VRS_PIPELINE_MEMORY_SETUP_H

#include "pipeline/job.h"

/*
 * Before the decoder opens: lower what the settings leave open until the job fits, and tell it.  The job's settings and threads are those of the plan
 * then.  VRS_ELIMIT: nothing fits; see vrs_memory_fit.  Segments are as the plan of the video has them, and are only described.
 */
enum vrs_status vrs_memory_setup_plan(struct vrs_job *job, const struct vrs_stream_shape *shape, struct vrs_error *err) VRS_MUST_CHECK;
/* With the network loaded, whose sizes are exact now: only queues can still become shorter. Statuses of vrs_memory_setup_plan. */
enum vrs_status vrs_memory_setup_check(struct vrs_job *job, struct vrs_error *err) VRS_MUST_CHECK;
/* What the plan leaves for a decoder of larger pictures (vrs_source_spare). */
uint64_t vrs_memory_setup_spare(const struct vrs_job *job);
/* VRS_ELIMIT for pictures of that shape, which have come in the middle and whose decoder takes more: what they need. */
enum vrs_status vrs_memory_setup_growth(const struct vrs_job *job, const struct vrs_stream_shape *shape, struct vrs_error *err) VRS_MUST_CHECK;

#endif
