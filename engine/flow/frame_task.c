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

const char *vrs_stage_name(enum vrs_stage stage)
{
	static const char *const names[VRS_STAGE_COUNT] = {"decode", "preprocess", "inference", "postprocess", "compose", "encode"};
	return stage >= 0 && stage < VRS_STAGE_COUNT ? names[stage] : "unknown";
}
