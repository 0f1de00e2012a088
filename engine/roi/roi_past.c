/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_past.h"

#include <string.h>

#include "base/assert.h"

void vrs_roi_past_put(struct vrs_roi_past *past, uint64_t seq, int eye, const struct vrs_regions *next)
{
	VRS_ASSERT(eye >= 0 && eye < past->plan->eyes && vrs_sequencer_is_at(past->flow->postprocess, seq));
	past->followed[eye][seq % VRS_FOLLOW_LAG] = *next;
}

/* Number of the frame whose matte tells where to look first. */
static uint64_t first_source(const struct vrs_roi_plan *plan, const struct vrs_frame_task *task)
{
	uint64_t lag = (uint64_t)plan->lag;
	return task->seq - task->loop_seq < lag ? task->loop_seq : task->seq - lag;
}

bool vrs_roi_past_first_view(const struct vrs_roi_past *past, const struct vrs_frame_task *task, int eye, struct vrs_regions *ret_regions,
			     uint64_t *wait_ns)
{
	const struct vrs_roi_plan *plan = past->plan;
	uint64_t source = first_source(plan, task);
	*ret_regions = (struct vrs_regions){.count = 1, .rect = {plan->views[eye]}};
	if (!plan->follows || vrs_frame_task_is_first(task))
		return true;
	if (!vrs_sequencer_wait_past(past->flow->postprocess, source, wait_ns))
		return false;
	*ret_regions = past->followed[eye][source % VRS_FOLLOW_LAG];
	if (vrs_roi_is_wide(plan, task) && !plan->has_states)
		*ret_regions = (struct vrs_regions){.count = 1, .rect = {vrs_roi_past_widen(past, eye, ret_regions)}};
	return true;
}

struct vrs_rect vrs_roi_past_widen(const struct vrs_roi_past *past, int eye, const struct vrs_regions *regions)
{
	struct vrs_rect all = vrs_regions_around(regions, past->plan->format.circle);
	return vrs_follow_widen(&past->plan->follow[eye], &all);
}

bool vrs_roi_past_is_lost(const struct vrs_roi_past *past, const struct vrs_frame_task *task, int eye)
{
	if (vrs_frame_task_is_first(task))
		return true;
	const struct vrs_regions *known = &past->followed[eye][first_source(past->plan, task) % VRS_FOLLOW_LAG];
	return known->count == 1 && memcmp(&known->rect[0], &past->plan->follow[eye].start, sizeof known->rect[0]) == 0;
}
