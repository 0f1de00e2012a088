/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_inference.h"

#include <string.h>

#include "base/assert.h"
#include "roi/cascade.h"
#include "roi/rectilinear_look.h"
#include "roi/reuse.h"
#include "roi/roi_arrivals.h"
#include "roi/roi_network.h"
#include "roi/roi_newcomers.h"
#include "roi/roi_people.h"
#include "roi/roi_regions.h"
#include "roi/roi_search.h"
#include "roi/roi_states.h"

#define WIDER 0.15      /* of a view's size, more for each further scale */

/* Batch entry k is the alpha of a place of the set. */
static bool take_alpha(struct vrs_roi_worker *worker, const struct vrs_roi_set *set, int k, int place)
{
	const struct vrs_roi_plan *plan = worker->plan;
	int eye = place / set->of_input % plan->eyes;
	float *alpha = set->alpha + plan->look_size * (size_t)place;
	vrs_head_matte(worker->head, k, alpha);
	if (set == &worker->looks) {
		const struct vrs_roi_look look = vrs_roi_look_at(worker, set, place);
		vrs_roi_states_hold(worker->states, k, place / set->of_input, place % set->of_input, &look);
	}
	const struct vrs_rectilinear_aim aim = vrs_roi_aim_of(worker, set, place);
	struct vrs_error err = {0};
	if (vrs_rectilinear_look_back(worker->camera, eye, &set->rects[place], &aim, alpha))
		vrs_flow_fail(worker->flow, vrs_fail(&err, VRS_ENOMEM, "no memory for a map of a view"), &err);
	vrs_roi_exclude(worker, set, place, alpha);
	return true;
}

/* The small network first where there is one. */
static bool look_at_all(struct vrs_roi_worker *worker, const struct vrs_roi_set *set, const int *open, int count)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_roi_network through = {.session = worker->session, .head = worker->head, .preprocess = worker->preprocess,
		.shape = &plan->shape, .states = worker->states, .keeps_luma = worker->batch.luma && plan->luma_of_input, .take = take_alpha};
	for (int k = 0; k < count && set == &worker->looks; k++)
		vrs_roi_states_open(worker->states, open[k] / set->of_input, open[k] % set->of_input);
	if (worker->small)
		count = vrs_cascade_look(worker, set, &open, count);
	return count >= 0 && vrs_roi_run_network(worker, &through, set, open, count, NULL) >= 0;
}

/* As vrs_roi_people_judge where there is one region. */
static int judge_view(struct vrs_roi_worker *worker, int i, bool last, int *open)
{
	const struct vrs_roi_plan *plan = worker->plan;
	struct vrs_regions *now = &worker->batch.now[i], *next = &worker->batch.next[i];
	next->count = 1;
	next->who[0] = now->who[0];
	const float *alpha = worker->looks.alpha + plan->look_size * (size_t)i;
	const struct vrs_rectilinear_aim before = vrs_roi_aim_of(worker, &worker->looks, i);
	struct vrs_rectilinear_aim aim;
	enum vrs_follow_verdict verdict = vrs_follow_judge(&plan->follow[i % plan->eyes], &now->rect[0], alpha, plan->shape.matte_width,
							   plan->shape.matte_height, &next->rect[0]);
	bool again = vrs_rectilinear_look_aim(worker->camera, i % plan->eyes, &now->rect[0], &before, &next->rect[0], alpha, &aim);
	memcpy(next->aim, &aim, sizeof next->aim);
	if ((verdict == VRS_FOLLOW_GOOD && !again) || last)
		return 0;
	*now = *next;
	worker->looks.rects[i] = next->rect[0];
	*open = i;
	return 1;
}

/* Keep what was seen well; returns how many places stay open. */
static int judge(struct vrs_roi_worker *worker, int count, bool last)
{
	const struct vrs_roi_plan *plan = worker->plan;
	int open = 0, k = 0;
	if (!plan->follows)
		return 0;
	int together = plan->tracks ? plan->regions * plan->eyes : 1; /* places of a frame, or of an eye */
	while (k < count) {
		int i = worker->open[k] / together;
		while (k < count && worker->open[k] / together == i)
			k++;
		open += plan->tracks ? vrs_roi_people_judge(worker, i, last, worker->again + open) : judge_view(worker, i, last, worker->again + open);
	}
	memcpy(worker->open, worker->again, (size_t)open * sizeof *worker->open);
	return open;
}

/* The views of a search that are due in input i, into worker->searched from `count` on; returns how many. */
static int search_places(struct vrs_roi_worker *worker, int i, int count)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_frame_task *task = worker->batch.tasks[i / plan->eyes];
	int eye = i % plan->eyes, due[VRS_REGIONS_MAX];
	bool wide = !worker->batch.reuse[i / plan->eyes] && (vrs_roi_is_wide(plan, task) || (plan->follows && vrs_frame_task_is_first(task)));
	int views = wide ? vrs_roi_search_due(plan, vrs_frame_task_phase(task), wide, vrs_roi_past_is_lost(worker->past, task, eye), due) : 0;
	for (int k = 0; k < views; k++) {
		int place = i * worker->search.of_input + due[k];
		worker->search.rects[place] = due[k] ? vrs_roi_search_view(plan, eye, due[k]) : vrs_roi_past_widen(worker->past, eye, &worker->batch.now[i]);
		worker->searched[count + k] = place;
	}
	return views;
}

/* What the views of a search show is where its frames are looked at. */
static bool search(struct vrs_roi_worker *worker, int frames)
{
	const struct vrs_roi_plan *plan = worker->plan;
	int views = worker->search.of_input, count = 0;
	for (int i = 0; i < frames * plan->eyes && views > 0; i++)
		count += search_places(worker, i, count);
	if (!look_at_all(worker, &worker->search, worker->searched, count))
		return false;
	for (int k = 0, of_input; k < count; k += of_input) {
		int i = worker->searched[k] / views;
		for (of_input = 1; k + of_input < count && worker->searched[k + of_input] / views == i; of_input++)
			;
		vrs_roi_search_judge(plan, &worker->search, worker->searched + k, of_input, i % plan->eyes, &worker->batch.now[i]);
	}
	return true;
}

static bool look_for_newcomers(struct vrs_roi_worker *worker)
{
	int count = vrs_roi_newcomers_open(worker, worker->searched);
	if (!look_at_all(worker, &worker->newcomers, worker->searched, count))
		return false;
	for (int k = 0; k < count; k++)
		vrs_roi_newcomers_judge(worker, worker->searched[k]);
	return true;
}

/* Who is known in the frames, and newcomers whom a search of one of their eyes shows. */
static bool meet_people(struct vrs_roi_worker *worker, int frames, uint64_t *wait_ns)
{
	for (int n = 0; n < frames; n++)
		if (!worker->batch.reuse[n] && !vrs_roi_people_begin(worker, n, wait_ns))
			return false;
	for (int n = 0; n < frames; n++) {
		int count = worker->batch.reuse[n] ? 0 : vrs_roi_arrivals_open(worker, n, worker->searched);
		if (!look_at_all(worker, &worker->search, worker->searched, count))
			return false;
		if (count > 0)
			vrs_roi_arrivals_judge(worker, n, worker->searched, count);
	}
	return true;
}

/* The frame of a batch that is looked at, the only one with a recurrent network, begins or ends. */
static void begin_states(struct vrs_roi_worker *worker)
{
	if (!worker->states || worker->batch.reuse[0])
		return;
	vrs_roi_states_begin(worker->states, worker->batch.tasks[0]);
	for (int eye = 0; eye < worker->plan->eyes; eye++)
		vrs_roi_states_assign(worker->states, eye, &worker->batch.now[eye]);
}

static void end_states(struct vrs_roi_worker *worker)
{
	if (worker->states && !worker->batch.reuse[0])
		vrs_roi_states_end(worker->states, worker->batch.tasks[0], worker->batch.now);
}

static bool first_views(struct vrs_roi_worker *worker, int frames, uint64_t *wait_ns)
{
	const struct vrs_roi_plan *plan = worker->plan;
	for (int i = 0; i < frames * plan->eyes; i++)
		if (!worker->batch.reuse[i / plan->eyes] &&
		    !vrs_roi_past_first_view(worker->past, worker->batch.tasks[i / plan->eyes], i % plan->eyes, &worker->batch.now[i], wait_ns))
			return false;
	return true;
}

/* Is whoever has region r of input i in the view of somebody else, so that nobody looks there? */
static bool shares_view(const struct vrs_roi_worker *worker, int i, int r)
{
	return worker->plan->tracks && worker->batch.people[i / worker->plan->eyes].person[r].gone;
}

/* All places of frames that are looked at, and where; returns their number, -1 when the job is over. */
static int open_places(struct vrs_roi_worker *worker, int frames)
{
	const struct vrs_roi_plan *plan = worker->plan;
	struct vrs_stage_stats waited = {0};
	int count = 0;
	bool going = plan->tracks ? meet_people(worker, frames, &waited.wait_input_ns) : first_views(worker, frames, &waited.wait_input_ns);
	vrs_flow_account(worker->flow, VRS_STAGE_PREPROCESS, &waited);
	if (!going || (!plan->tracks && (!look_for_newcomers(worker) || !search(worker, frames))))
		return -1;
	begin_states(worker);
	for (int i = 0; i < frames * plan->eyes; i++)
		for (int r = 0; r < worker->batch.now[i].count && !worker->batch.reuse[i / plan->eyes]; r++) {
			if (shares_view(worker, i, r))
				continue;
			worker->looks.rects[i * plan->regions + r] = worker->batch.now[i].rect[r];
			worker->open[count++] = i * plan->regions + r;
		}
	return count;
}

/* Luma where the mattes lie, for mattes of another size than the network's pictures; and their scenes where views are not comparable. */
static void get_luma(struct vrs_roi_worker *worker, int frames)
{
	const struct vrs_roi_plan *plan = worker->plan;
	for (int i = 0; i < frames * plan->eyes; i++)
		if (!worker->batch.reuse[i / plan->eyes])
			(void)vrs_luma_view_get(&worker->batch.luma_view[i % plan->eyes], &worker->batch.tasks[i / plan->eyes]->frame, &worker->batch.views[i],
						worker->batch.luma + plan->matte_size * (size_t)i,
						vrs_roi_merges(plan) ? &worker->batch.scenes[i] : NULL); /* inside the eye always */
}

/* Each part in wider views too: the mean of all. */
static bool look_wider(struct vrs_roi_worker *worker, int frames)
{
	const struct vrs_roi_plan *plan = worker->plan;
	for (int scale = 1; scale < plan->settings->matte.scales; scale++) {
		int count = 0;
		for (int i = 0; i < frames * plan->eyes; i++)
			for (int r = 0; r < worker->batch.now[i].count && !worker->batch.reuse[i / plan->eyes]; r++) {
				int place = i * plan->regions + r;
				if (shares_view(worker, i, r))
					continue;
				worker->wide.rects[place] = vrs_follow_wider(&plan->follow[i % plan->eyes], &worker->looks.rects[place], 1 + WIDER * scale);
				worker->open[count++] = place;
			}
		if (!look_at_all(worker, &worker->wide, worker->open, count))
			return false;
		for (int k = 0; k < count; k++) {
			int place = worker->open[k];
			float *alpha = worker->looks.alpha + plan->look_size * (size_t)place;
			vrs_roi_warp_set(&worker->warps.wider, &worker->wide.rects[place], &worker->looks.rects[place], plan->format.circle);
			vrs_roi_warp_alpha(&worker->warps.wider, worker->warps.alpha, worker->wide.alpha + plan->look_size * (size_t)place, alpha);
			for (size_t p = 0; p < plan->look_size; p++)
				alpha[p] += (worker->warps.alpha[p] - alpha[p]) / (float)(scale + 1);
		}
	}
	return true;
}

/* Of the looks at input i. */
static void make_matte(struct vrs_roi_worker *worker, int i)
{
	const struct vrs_roi_plan *plan = worker->plan;
	if (vrs_roi_merges(plan)) {
		vrs_roi_regions_merge(worker, i);
		return;
	}
	worker->batch.views[i] = worker->looks.rects[i];
	vrs_matte_shrink_run(&worker->warps.shrink, worker->batch.alpha + plan->matte_size * (size_t)i, worker->looks.alpha + plan->look_size * (size_t)i);
}

bool vrs_roi_inference_run(struct vrs_roi_worker *worker, int frames)
{
	const struct vrs_roi_plan *plan = worker->plan;
	VRS_ASSERT(frames > 0 && frames <= plan->room && (frames == 1 || !plan->has_states));
	int count = open_places(worker, frames);
	for (int looks = 1; count > 0; looks++) {
		if (!look_at_all(worker, &worker->looks, worker->open, count))
			return false;
		count = judge(worker, count, looks == VRS_FOLLOW_MOST_LOOKS);
	}
	if (count < 0 || !look_wider(worker, frames))
		return false;
	for (int n = 0; n < frames && plan->tracks; n++)
		if (!worker->batch.reuse[n])
			vrs_roi_people_end(worker, n);
	end_states(worker);
	for (int i = 0; i < frames * plan->eyes && !vrs_roi_looks_are_mattes(plan); i++)
		if (!worker->batch.reuse[i / plan->eyes])
			make_matte(worker, i);
	if (worker->batch.luma && !plan->luma_of_input)
		get_luma(worker, frames);
	return true;
}
