/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_newcomers.h"

#include <string.h>

#include "roi/roi_search.h"

#define KNOWN 0.75 /* share of a part with people that one region of known people covers: it is them */

int vrs_roi_newcomers_open(struct vrs_roi_worker *worker, int *ret_places)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_frame_task *task = worker->batch.tasks[0];
	bool searched = plan->format.circle && vrs_roi_search_views(plan) > 0; /* all around, each time */
	int count = 0;
	if (worker->newcomers.of_input == 0 || searched || worker->batch.reuse[0] || vrs_frame_task_is_first(task) || !vrs_roi_is_wide(plan, task))
		return 0;
	for (int eye = 0; eye < plan->eyes; eye++) {
		const struct vrs_regions *now = &worker->batch.now[eye];
		struct vrs_rect *view = &worker->newcomers.rects[eye];
		*view = vrs_roi_past_widen(worker->past, eye, now);
		if (now->count > 1 || memcmp(view, &now->rect[0], sizeof *view) != 0)
			ret_places[count++] = eye;
	}
	return count;
}

/* The part around the people that an eye's look shows, if any. */
static void find(struct vrs_roi_worker *worker, int eye, struct vrs_regions *ret)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_follow *follow = &plan->follow[eye];
	const struct vrs_rect *view = &worker->newcomers.rects[eye];
	const float *alpha = worker->newcomers.alpha + plan->look_size * (size_t)eye;
	int width = plan->shape.matte_width, height = plan->shape.matte_height;
	struct vrs_follow_extent people;
	*ret = (struct vrs_regions){0};
	if (vrs_follow_find(alpha, width, height, vrs_follow_is_whole_circle(follow, view), &people))
		(void)vrs_follow_around(follow, view, &people, width, height, &ret->rect[ret->count++]);
}

static bool is_known(const struct vrs_regions *regions, const struct vrs_rect *part, int circle)
{
	for (int r = 0; r < regions->count; r++)
		if (vrs_region_share(part, &regions->rect[r], circle) >= KNOWN)
			return true;
	return false;
}

void vrs_roi_newcomers_judge(struct vrs_roi_worker *worker, int eye)
{
	const struct vrs_roi_plan *plan = worker->plan;
	struct vrs_regions found, *now = &worker->batch.now[eye];
	int known = now->count;
	find(worker, eye, &found);
	for (int r = 0; r < found.count; r++) {
		if (now->count == VRS_REGIONS_MAX || is_known(now, &found.rect[r], plan->format.circle))
			continue;
		now->who[now->count] = 0;
		now->rect[now->count++] = found.rect[r];
	}
	if (now->count > known) {
		memset(now->aim, 0, sizeof now->aim);
		(void)vrs_regions_join(now, plan->regions, plan->format.circle);
	}
}
