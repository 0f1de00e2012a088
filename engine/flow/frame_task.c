/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/frame_task.h"

#include "base/assert.h"
#include "base/mem.h"

bool vrs_frame_task_is_first(const struct vrs_frame_task *task)
{
	return task->seq == task->loop_seq && !task->has_past;
}

uint64_t vrs_frame_task_phase(const struct vrs_frame_task *task)
{
	VRS_ASSERT(task->seq >= task->loop_seq);
	return task->seq - task->loop_seq + task->unseen;
}

void vrs_frame_task_free(struct vrs_frame_task *task)
{
	if (!task)
		return;
	vrs_frame_unref(&task->frame);
	vrs_frame_unref(&task->behind);
	vrs_free(task);
}

/* From a quarter of a millisecond, a small stage, to what the pictures of a slow machine take. */
const double vrs_time_bounds[VRS_TIME_BUCKETS - 1] = {0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5};

const char *vrs_stage_name(enum vrs_stage stage)
{
	static const char *const names[VRS_STAGE_COUNT] = {"decode", "preprocess", "inference", "postprocess", "compose", "encode"};
	return stage >= 0 && stage < VRS_STAGE_COUNT ? names[stage] : "unknown";
}
