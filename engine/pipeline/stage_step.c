/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/stage_step.h"

#include "base/clock.h"

struct vrs_stage_step vrs_stage_step_begin(struct vrs_job *job)
{
	return (struct vrs_stage_step){.start_ns = vrs_job_now(job), .cpu_ns = vrs_thread_cpu_ns()};
}

void vrs_stage_step_end(struct vrs_job *job, enum vrs_stage stage, const struct vrs_stage_step *step, struct vrs_frame_task **tasks, int count,
			const struct vrs_stage_stats *extra)
{
	struct vrs_stage_stats stats = *extra;
	uint64_t end = vrs_job_now(job);
	stats.busy_ns = end - step->start_ns;
	stats.cpu_ns = vrs_thread_cpu_ns() - step->cpu_ns;
	for (int i = 0; i < count; i++) {
		if (!tasks[i]->times.end_ns[stage])
			tasks[i]->times.start_ns[stage] = step->start_ns;
		tasks[i]->times.end_ns[stage] = end;
	}
	vrs_job_account_frames(job, stage, &stats, tasks[0]->seq, count);
}
