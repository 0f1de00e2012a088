/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_arrivals.h"

#include "base/assert.h"
#include "roi/roi_parts.h"
#include "roi/roi_people.h"
#include "roi/roi_search.h"

#define GLANCE 128          /* pixels each way that an eye is glanced at with */
#define GLANCE_EVERY 5      /* frames, where they do not wait for the one before; more than VRS_FOLLOW_LAG, so that a glance knows the last one */
#define CHANGED 3.0         /* of 255: a person a twelfth as high as the eye changes a cell's luma by more */
#define MOST_CHANGED 3      /* views that are searched because they changed, of GLANCE_EVERY frames */
#define IN_TURN 30          /* frames from one view that is searched in turn to the next */
#define KNOWN 0.6           /* share of somebody's view that a truncated part covers: it is them */
#define LEAST_HEIGHT 0.06   /* of the eye's: less is no person that a search shows */

enum vrs_status vrs_roi_arrivals_init(struct vrs_roi_worker *worker)
{
	const struct vrs_roi_plan *plan = worker->plan;
	enum vrs_status status = VRS_OK;
	worker->glances = vrs_arena_calloc(worker->arena, (size_t)plan->eyes, sizeof *worker->glances);
	worker->glance_luma = vrs_arena_calloc(worker->arena, (size_t)GLANCE * GLANCE, 1);
	if (worker->arena->failed)
		return VRS_ENOMEM;
	for (int e = 0; e < plan->eyes && status == VRS_OK; e++)
		status = vrs_luma_view_init(&worker->glances[e], worker->arena, &plan->format, &plan->follow[e].eye, &plan->follow[e].eye, GLANCE,
					    GLANCE);
	return status;
}

/* At an eye of frame n, beside those who are known. */
static void glance(struct vrs_roi_worker *worker, int n, int eye)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_rect *whole = &plan->follow[eye].eye;
	struct vrs_people *people = &worker->batch.people[n];
	struct vrs_rect views[VRS_REGIONS_MAX];
	struct vrs_scene_signature signature;
	int count = vrs_roi_parts_is_anyone(worker, &people->person[0]) ? 0 : people->count;
	for (int p = 0; p < count; p++)
		views[p] = people->person[p].view[eye];
	(void)vrs_luma_view_get(&worker->glances[eye], &worker->batch.tasks[n]->frame, whole, worker->glance_luma, &signature); /* inside the picture */
	vrs_glance_take(&people->glance[eye], &signature, whole, views, count, plan->format.circle);
	people->glanced[eye] = true;
}

/* View k of a search. */
static struct vrs_rect search_view(const struct vrs_roi_plan *plan, int eye, int k)
{
	return k ? vrs_roi_search_view(plan, eye, k) : plan->follow[eye].start;
}

/* The view whose part of the eye changed most, and enough; -1: none. */
static int most_changed(const struct vrs_roi_worker *worker, const struct vrs_people *people, int eye)
{
	const struct vrs_roi_plan *plan = worker->plan;
	int best = -1;
	double most = CHANGED;
	for (int k = 1; k < vrs_roi_search_small(plan); k++) {
		struct vrs_rect view = search_view(plan, eye, k);
		double change = vrs_glance_change(&people->glance[eye], &plan->follow[eye].eye, &view, plan->format.circle);
		if (change <= most)
			continue;
		most = change;
		best = k;
	}
	return best;
}

/* Frames from one glance to the next. */
static uint64_t glance_every(const struct vrs_roi_plan *plan)
{
	return plan->lag == 1 ? (uint64_t)plan->settings->matte.stride : GLANCE_EVERY;
}

/* The view that a glance of that number searches in turn, as a bit; none where the picture stands still. */
static uint32_t choose_in_turn(const struct vrs_roi_worker *worker, struct vrs_people *people, int eye, uint64_t glances)
{
	const struct vrs_roi_plan *plan = worker->plan;
	int from = vrs_roi_parts_is_anyone(worker, &people->person[0]) ? 1 : 0; /* the start view is looked at anyway */
	uint64_t eyes = (uint64_t)plan->eyes, apart = IN_TURN / glance_every(plan) > eyes ? IN_TURN / glance_every(plan) : eyes;
	int k = from + (int)(glances / apart % (uint64_t)(worker->search.of_input - from));
	const struct vrs_rect view = search_view(plan, eye, k);
	bool moves = vrs_glance_motion(&people->glance[eye], &plan->follow[eye].eye, &view, plan->format.circle) > VRS_GLANCE_STILL;
	return glances % apart < eyes && moves ? UINT32_C(1) << k : 0;
}

/* After the first search, one by one: those for people who are small in others. */
static uint32_t choose_small(const struct vrs_roi_worker *worker, uint64_t glances)
{
	uint64_t small = (uint64_t)vrs_roi_search_small(worker->plan), views = (uint64_t)worker->search.of_input;
	return glances > 0 && glances <= views - small ? UINT32_C(1) << (small + glances - 1) : 0;
}

/* Views that a glance of that number searches, as bits: those that changed most, as many as may be by now, and one in turn. */
static uint32_t choose_views(const struct vrs_roi_worker *worker, struct vrs_people *people, int eye, uint64_t glances)
{
	const struct vrs_roi_plan *plan = worker->plan;
	uint32_t bits = choose_in_turn(worker, people, eye, glances);
	int paid = people->search_debt - MOST_CHANGED * (int)glance_every(plan);
	bits |= choose_small(worker, glances);
	for (people->search_debt = paid > 0 ? paid : 0; people->search_debt <= (MOST_CHANGED - 1) * GLANCE_EVERY; people->search_debt += GLANCE_EVERY) {
		int k = most_changed(worker, people, eye);
		if (k < 0)
			break;
		bits |= UINT32_C(1) << k;
		struct vrs_rect view = search_view(plan, eye, k);
		vrs_glance_searched(&people->glance[eye], &plan->follow[eye].eye, &view, plan->format.circle);
	}
	return bits;
}

/* All views; the start view only where it is not looked at anyway. */
static uint32_t choose_all(const struct vrs_roi_worker *worker, struct vrs_people *people, int eye)
{
	const struct vrs_follow *follow = &worker->plan->follow[eye];
	vrs_glance_searched(&people->glance[eye], &follow->eye, &follow->eye, follow->circle);
	uint32_t all = (UINT32_C(1) << vrs_roi_search_small(worker->plan)) - 1;
	return vrs_roi_parts_is_anyone(worker, &people->person[0]) ? all & ~UINT32_C(1) : all;
}

static bool all_are_missing(const struct vrs_people *people)
{
	for (int p = 0; p < people->count; p++)
		if (people->person[p].missing != 1)
			return false;
	return true;
}

int vrs_roi_arrivals_open(struct vrs_roi_worker *worker, int n, int *ret_places)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_frame_task *task = worker->batch.tasks[n];
	struct vrs_people *people = &worker->batch.people[n];
	uint64_t phase = vrs_frame_task_phase(task), every = glance_every(plan), glances = phase / every;
	int eye = (int)(glances % (uint64_t)plan->eyes), views = worker->search.of_input, count = 0;
	bool first = vrs_frame_task_is_first(task), all = first || all_are_missing(people);
	VRS_ASSERT(views <= VRS_REGIONS_MAX);
	if (views == 0 || (!all && phase % every >= (uint64_t)plan->settings->matte.stride)) /* with a stride: the next one that is seen */
		return 0;
	for (int e = 0; e < plan->eyes; e++)
		if (e == eye || first)
			glance(worker, n, e);
	uint32_t chosen = all ? choose_all(worker, people, eye) : choose_views(worker, people, eye, glances);
	for (int k = 0; k < views; k++) {
		int place = (n * plan->eyes + eye) * views + k;
		if (!(chosen >> k & 1))
			continue;
		worker->search.rects[place] = search_view(plan, eye, k);
		ret_places[count++] = place;
	}
	return count;
}

/* Is the view of somebody in the part, which is truncated, so that it is a guess? */
static bool holds_known(const struct vrs_roi_worker *worker, int n, int eye, const struct vrs_rect *part)
{
	const struct vrs_people *people = &worker->batch.people[n];
	for (int p = 0; p < people->count; p++)
		if (vrs_region_share(&people->person[p].view[eye], part, worker->plan->format.circle) >= KNOWN)
			return true;
	return false;
}

/* Might the part, in the view of somebody who is known, be somebody else: whole, and far smaller? */
static bool may_be_apart(const struct vrs_roi_worker *worker, int n, int eye, const struct vrs_regions *parts, int r)
{
	const struct vrs_people *people = &worker->batch.people[n];
	const struct vrs_rect *part = &parts->rect[r];
	for (int p = 0; p < people->count; p++) {
		const struct vrs_rect *view = &people->person[p].view[eye];
		if (vrs_region_share(part, view, worker->plan->format.circle) >= KNOWN &&
		    (double)part->width * part->height > VRS_ROI_FAR_SMALLER * view->width * view->height)
			return false;
	}
	return !parts->truncated[r];
}

/* Parts of an eye with newcomers, in one view of a search. */
static void find(struct vrs_roi_worker *worker, int n, int eye, int place, struct vrs_regions *found)
{
	const struct vrs_roi_plan *plan = worker->plan;
	bool is_small = place % worker->search.of_input >= vrs_roi_search_small(plan);
	struct vrs_regions parts;
	vrs_region_find(worker->finder, &plan->follow[eye], &worker->search.rects[place], worker->search.alpha + plan->look_size * (size_t)place,
			VRS_REGIONS_MAX, &parts);
	for (int r = 0; r < parts.count; r++) {
		const struct vrs_rect *part = &parts.rect[r];
		if (part->height < LEAST_HEIGHT * plan->follow[eye].eye.height ||
		    (vrs_roi_parts_is_known(worker, n, eye, part) && !(is_small && may_be_apart(worker, n, eye, &parts, r))) ||
		    (parts.truncated[r] && holds_known(worker, n, eye, part)))
			continue;
		if (found->count == VRS_REGIONS_MAX)
			(void)vrs_regions_join(found, VRS_REGIONS_MAX - 1, plan->format.circle);
		found->rect[found->count++] = *part;
	}
}

void vrs_roi_arrivals_judge(struct vrs_roi_worker *worker, int n, const int *places, int count)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_people_eyes eyes = vrs_roi_people_eyes(worker);
	struct vrs_people *people = &worker->batch.people[n];
	struct vrs_regions found = {0};
	bool fresh[VRS_REGIONS_MAX] = {false}, joined[VRS_REGIONS_MAX] = {false};
	VRS_ASSERT(count > 0);
	int eye = places[0] / worker->search.of_input % plan->eyes;
	for (int k = 0; k < count; k++)
		find(worker, n, eye, places[k], &found);
	(void)vrs_regions_join(&found, VRS_REGIONS_MAX, plan->format.circle);
	bool apart[VRS_REGIONS_MAX];
	for (int r = 0; r < found.count; r++) /* before newcomers are among those who are known */
		apart[r] = vrs_roi_parts_is_known(worker, n, eye, &found.rect[r]);
	for (int r = 0; r < found.count; r++) {
		struct vrs_person newcomer = {.apart = apart[r]};
		vrs_person_place(&eyes, &people->disparity, &newcomer, eye, &found.rect[r]);
		(void)vrs_roi_people_add(worker, people, &newcomer);
	}
	/* nobody's start views would share those of all whom they hold */
	vrs_roi_people_fit(worker, people, vrs_roi_parts_is_anyone(worker, &people->person[0]) ? 1 : 0, fresh, joined);
	vrs_roi_people_to_regions(worker, n);
}
