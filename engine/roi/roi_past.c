/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_past.h"

#include <string.h>

#include "base/assert.h"

void vrs_roi_past_put(struct vrs_roi_past *past, uint64_t seq, int eye, const struct vrs_regions *next)
{
	VRS_ASSERT(eye >= 0 && eye < past->plan->eyes && vrs_sequencer_is_at(past->flow->postprocess, seq));
	past->followed[eye][seq % VRS_FOLLOW_LAG] = *next;
}

/* Number of the frame whose matte tells where to look first; with a past, those before number 0 count on from the largest number. */
static uint64_t first_source(const struct vrs_roi_plan *plan, const struct vrs_frame_task *task)
{
	uint64_t lag = (uint64_t)plan->lag;
	return task->seq - task->loop_seq < lag && !task->has_past ? task->loop_seq : task->seq - lag;
}

/* False when the job is over. */
static bool wait_for(const struct vrs_roi_past *past, const struct vrs_frame_task *task, uint64_t source, uint64_t *wait_ns)
{
	return source > task->seq || vrs_sequencer_wait_past(past->flow->postprocess, source, wait_ns);
}

void vrs_roi_past_put_people(struct vrs_roi_past *past, const struct vrs_frame_task *task, const struct vrs_people *frame)
{
	const struct vrs_roi_plan *plan = past->plan;
	const struct vrs_people_eyes eyes = {plan->eyes, plan->follow};
	VRS_ASSERT(vrs_sequencer_is_at(past->flow->postprocess, task->seq));
	if (vrs_frame_task_is_first(task))
		past->people = (struct vrs_people){0};
	if (frame)
		vrs_people_merge(&eyes, &past->people, frame, plan->regions);
	past->known[task->seq % VRS_FOLLOW_LAG] = past->people;
}

bool vrs_roi_past_people(const struct vrs_roi_past *past, const struct vrs_frame_task *task, struct vrs_people *ret_people, uint64_t *wait_ns)
{
	uint64_t source = first_source(past->plan, task);
	*ret_people = (struct vrs_people){0};
	if (vrs_frame_task_is_first(task))
		return true;
	if (!wait_for(past, task, source, wait_ns))
		return false;
	*ret_people = past->known[source % VRS_FOLLOW_LAG];
	return true;
}

/* The views of those people in an eye; the start view when there are none. */
static struct vrs_regions regions_of(const struct vrs_people *people, int eye, const struct vrs_rect *start)
{
	struct vrs_regions regions = {.count = people->count ? people->count : 1, .rect = {*start}};
	for (int r = 0; r < people->count; r++)
		regions.rect[r] = people->person[r].view[eye];
	return regions;
}

bool vrs_roi_past_first_view(const struct vrs_roi_past *past, const struct vrs_frame_task *task, int eye, struct vrs_regions *ret_regions,
			     uint64_t *wait_ns)
{
	const struct vrs_roi_plan *plan = past->plan;
	uint64_t source = first_source(plan, task);
	*ret_regions = (struct vrs_regions){.count = 1, .rect = {plan->views[eye]}};
	if (!plan->follows || vrs_frame_task_is_first(task))
		return true;
	if (plan->tracks) {
		struct vrs_people people;
		bool known = vrs_roi_past_people(past, task, &people, wait_ns);
		*ret_regions = regions_of(&people, eye, &plan->follow[eye].start);
		return known;
	}
	if (!wait_for(past, task, source, wait_ns))
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

bool vrs_roi_past_archive(struct vrs_roi_past *past, struct vrs_archive *archive, uint64_t next_seq)
{
	const struct vrs_roi_plan *plan = past->plan;
	const struct vrs_people_eyes eyes = {plan->eyes, plan->follow};
	uint64_t last = (next_seq - 1) % VRS_FOLLOW_LAG;
	bool good = true;
	VRS_ASSERT(plan->lag == 1);
	if (plan->tracks) {
		good = vrs_people_archive(&eyes, &past->people, archive, plan->regions);
		past->known[last] = past->people;
	}
	for (int e = 0; good && plan->follows && !plan->tracks && e < plan->eyes; e++)
		good = vrs_regions_archive(&past->followed[e][last], archive, &plan->follow[e].eye, plan->format.circle, plan->regions);
	return good;
}
