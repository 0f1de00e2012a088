/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of one step of a worker. */
#ifndef VRS_PIPELINE_STAGE_STEP_H
#define VRS_PIPELINE_STAGE_STEP_H

#include "pipeline/job.h"

struct vrs_stage_step {
	uint64_t start_ns, cpu_ns;
};

struct vrs_stage_step vrs_stage_step_begin(struct vrs_job *job);
/* Account the step with what `extra` says, and write its times into the frames that it worked on; later parts of a step extend the earlier ones. */
void vrs_stage_step_end(struct vrs_job *job, enum vrs_stage stage, const struct vrs_stage_step *step, struct vrs_frame_task **tasks, int count,
			const struct vrs_stage_stats *extra);

#endif
