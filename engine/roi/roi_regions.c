/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_regions.h"

#include <string.h>

#include "roi/roi_people.h"

static const float *alpha_at(const struct vrs_roi_worker *worker, int place)
{
	return worker->looks.alpha + worker->plan->look_size * (size_t)place;
}

void vrs_roi_regions_merge(struct vrs_roi_worker *worker, int i)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_regions *now = &worker->batch.now[i];
	float *matte = worker->batch.alpha + plan->matte_size * (size_t)i;
	struct vrs_regions shown = {0};
	int place[VRS_REGIONS_MAX];
	for (int r = 0; r < now->count; r++)
		if (!plan->tracks || vrs_roi_people_is_shown(worker, i, r)) {
			place[shown.count] = i * plan->regions + r;
			shown.rect[shown.count++] = now->rect[r];
		}
	worker->batch.views[i] = vrs_regions_around(shown.count ? &shown : now, plan->format.circle);
	if (plan->pad > 0)
		worker->batch.views[i] = vrs_follow_padded(&plan->follow[i % plan->eyes], &worker->batch.views[i], plan->pad);
	memset(matte, 0, plan->matte_size * sizeof *matte);
	for (int r = 0; r < shown.count; r++) {
		vrs_roi_warp_set(&worker->warps.region, &shown.rect[r], &worker->batch.views[i], plan->format.circle);
		vrs_roi_warp_most(&worker->warps.region, matte, alpha_at(worker, place[r]));
	}
}
