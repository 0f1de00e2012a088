/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_regions.h"

#include <string.h>

#include "roi/roi_states.h"

static const float *alpha_at(const struct vrs_roi_worker *worker, int place)
{
	return worker->looks.alpha + worker->plan->look_size * (size_t)place;
}

/* The people in region r of input i. */
static bool find(const struct vrs_roi_worker *worker, int i, int r, struct vrs_follow_extent *ret_people)
{
	const struct vrs_roi_plan *plan = worker->plan;
	bool whole = vrs_follow_is_whole_circle(&plan->follow[i % plan->eyes], &worker->batch.now[i].rect[r]);
	return vrs_follow_find(alpha_at(worker, i * plan->regions + r), plan->shape.matte_width, plan->shape.matte_height, whole, ret_people);
}

/* All regions of input i are looked at anew. */
static int open_all(struct vrs_roi_worker *worker, int i, const struct vrs_regions *regions, int *open)
{
	int first = i * worker->plan->regions;
	worker->batch.now[i] = *regions;
	vrs_roi_states_assign(worker->states, i % worker->plan->eyes, &worker->batch.now[i]);
	for (int r = 0; r < regions->count; r++) {
		worker->looks.rects[first + r] = regions->rect[r];
		open[r] = first + r;
	}
	return regions->count;
}

/* One look at all: who stands apart? */
static int judge_one(struct vrs_roi_worker *worker, int i, bool last, int *open)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_follow *follow = &plan->follow[i % plan->eyes];
	int place = i * plan->regions;
	struct vrs_regions *next = &worker->batch.next[i];
	vrs_region_find(worker->finder, follow, &worker->batch.now[i].rect[0], alpha_at(worker, place), plan->regions, next);
	if (next->count > 1)
		return last ? 0 : open_all(worker, i, next, open);
	next->count = 1;
	next->who[0] = worker->batch.now[i].who[0];
	enum vrs_follow_verdict verdict = vrs_follow_judge(follow, &worker->batch.now[i].rect[0], alpha_at(worker, place), plan->shape.matte_width,
							   plan->shape.matte_height, &next->rect[0]);
	return verdict == VRS_FOLLOW_GOOD || last ? 0 : open_all(worker, i, next, open);
}

int vrs_roi_regions_judge(struct vrs_roi_worker *worker, int i, bool last, int *open)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_follow *follow = &plan->follow[i % plan->eyes];
	struct vrs_regions *now = &worker->batch.now[i], *next = &worker->batch.next[i];
	int first = i * plan->regions, count = 0, again[VRS_REGIONS_MAX], again_count = 0;
	if (now->count == 1)
		return judge_one(worker, i, last, open);
	for (int r = 0; r < now->count; r++) {
		struct vrs_follow_extent people;
		const float *alpha = alpha_at(worker, first + r);
		if (!find(worker, i, r, &people))
			continue; /* they left, or are in another region */
		if (vrs_follow_judge(follow, &now->rect[r], alpha, plan->shape.matte_width, plan->shape.matte_height, &next->rect[count]) ==
		    VRS_FOLLOW_AGAIN)
			again[again_count++] = r;
		next->who[count] = now->who[r];
		count++;
	}
	next->count = count;
	if (count == 0)
		*next = (struct vrs_regions){.count = 1, .rect = {follow->start}};
	bool anew = count == 0 || vrs_regions_join(next, plan->regions, follow->circle);
	if (last)
		return 0;
	if (anew)
		return open_all(worker, i, next, open);
	for (int k = 0, kept = 0, r = 0; k < again_count; r++) {
		struct vrs_follow_extent people;
		if (!find(worker, i, r, &people))
			continue;
		if (again[k] == r) {
			now->rect[r] = worker->looks.rects[first + r] = next->rect[kept];
			open[k++] = first + r;
		}
		kept++;
	}
	return again_count;
}

void vrs_roi_regions_merge(struct vrs_roi_worker *worker, int i)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_regions *now = &worker->batch.now[i];
	int first = i * plan->regions;
	float *matte = worker->batch.alpha + plan->matte_size * (size_t)i;
	struct vrs_regions shown = {0};
	for (int r = 0; r < now->count; r++) {
		struct vrs_follow_extent people;
		if (now->count == 1 || find(worker, i, r, &people))
			shown.rect[shown.count++] = now->rect[r];
	}
	worker->batch.views[i] = vrs_regions_around(shown.count ? &shown : now, plan->format.circle);
	memset(matte, 0, plan->matte_size * sizeof *matte);
	for (int r = 0; r < now->count; r++) {
		vrs_roi_warp_set(&worker->warps.region, &now->rect[r], &worker->batch.views[i], plan->format.circle);
		memset(worker->warps.alpha, 0, plan->matte_size * sizeof *worker->warps.alpha);
		vrs_roi_warp_alpha(&worker->warps.region, worker->warps.alpha, alpha_at(worker, first + r), worker->warps.alpha);
		for (size_t k = 0; k < plan->matte_size; k++)
			matte[k] = worker->warps.alpha[k] > matte[k] ? worker->warps.alpha[k] : matte[k];
	}
}
