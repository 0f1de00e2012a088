/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_inference.h"

#include <string.h>

#include "base/assert.h"
#include "roi/cascade.h"
#include "roi/rectilinear_look.h"
#include "roi/reuse.h"
#include "roi/roi_network.h"
#include "roi/roi_regions.h"
#include "roi/roi_search.h"

#define WIDER 0.15      /* of a view's size, more for each further scale */

static size_t places(const struct vrs_roi_plan *plan, int of_input)
{
	return (size_t)plan->room * (size_t)plan->eyes * (size_t)of_input;
}

static enum vrs_status init_set(struct vrs_roi_set *set, const struct vrs_roi_worker *worker, int of_input)
{
	size_t size, count = places(worker->plan, of_input);
	set->of_input = of_input;
	if (of_input == 0)
		return VRS_OK;
	if (!vrs_mul_size(count, worker->plan->look_size, &size))
		return VRS_ELIMIT;
	set->rects = vrs_arena_calloc(worker->arena, count, sizeof *set->rects);
	set->alpha = vrs_arena_calloc(worker->arena, size, sizeof *set->alpha);
	return worker->arena->failed ? VRS_ENOMEM : VRS_OK;
}

/* With one region a look's alpha is the matte's, unless that is smaller. */
static bool looks_are_mattes(const struct vrs_roi_plan *plan)
{
	return plan->regions == 1 && plan->matte_width == plan->shape.matte_width && plan->matte_height == plan->shape.matte_height;
}

static enum vrs_status init_looks(struct vrs_roi_worker *worker)
{
	const struct vrs_roi_plan *plan = worker->plan;
	if (!looks_are_mattes(plan))
		return init_set(&worker->looks, worker, plan->regions);
	worker->looks.of_input = 1;
	worker->looks.rects = worker->batch.views;
	worker->looks.alpha = worker->batch.alpha;
	return VRS_OK;
}

static enum vrs_status init_regions(struct vrs_roi_worker *worker)
{
	const struct vrs_roi_plan *plan = worker->plan;
	int width = plan->shape.matte_width, height = plan->shape.matte_height;
	enum vrs_status status = init_looks(worker);
	size_t most = plan->matte_size > plan->look_size ? plan->matte_size : plan->look_size;
	bool moves = plan->regions > 1 || plan->settings->matte.scales > 1;
	if (status == VRS_OK && moves)
		worker->warps.alpha = vrs_arena_calloc(worker->arena, most, sizeof *worker->warps.alpha);
	if (status == VRS_OK && plan->settings->matte.scales > 1) {
		status = init_set(&worker->wide, worker, plan->regions);
		if (status == VRS_OK)
			status = vrs_roi_warp_init(&worker->warps.wider, worker->arena, width, height, width, height);
	}
	if (status != VRS_OK || looks_are_mattes(plan))
		return status;
	if (plan->regions == 1)
		return vrs_matte_shrink_init(&worker->warps.shrink, worker->arena, plan->matte_width, plan->matte_height, width, height);
	status = vrs_region_finder_create(&worker->finder, worker->arena, width, height);
	return status != VRS_OK ? status : vrs_roi_warp_init(&worker->warps.region, worker->arena, plan->matte_width, plan->matte_height, width, height);
}

static enum vrs_status init_eye(struct vrs_roi_worker *worker, int eye)
{
	const struct vrs_roi_plan *plan = worker->plan;
	enum vrs_status status = vrs_roi_preprocess(&worker->preprocess[eye], worker, eye, &plan->network.manifest, &plan->shape);
	if (status == VRS_OK && plan->excluded[eye])
		status = vrs_exclusion_view_create(&worker->excluded[eye], worker->arena, plan->excluded[eye], plan->shape.matte_width,
						   plan->shape.matte_height);
	return status;
}

/* Rooms for looks, and what they are made with. */
static enum vrs_status init_inference(struct vrs_roi_worker *worker)
{
	const struct vrs_roi_plan *plan = worker->plan;
	size_t inputs = (size_t)plan->room * (size_t)plan->eyes;
	worker->batch.scenes = vrs_arena_calloc(worker->arena, inputs, sizeof *worker->batch.scenes);
	worker->batch.views = vrs_arena_calloc(worker->arena, inputs, sizeof *worker->batch.views);
	worker->batch.now = vrs_arena_calloc(worker->arena, inputs, sizeof *worker->batch.now);
	worker->batch.next = vrs_arena_calloc(worker->arena, inputs, sizeof *worker->batch.next);
	worker->open = vrs_arena_calloc(worker->arena, places(plan, plan->regions), sizeof *worker->open);
	worker->again = vrs_arena_calloc(worker->arena, places(plan, plan->regions), sizeof *worker->again);
	enum vrs_status status = worker->arena->failed ? VRS_ENOMEM : init_regions(worker);
	if (status == VRS_OK)
		status = init_set(&worker->search, worker, vrs_roi_search_views(plan));
	if (status == VRS_OK)
		worker->searched = vrs_arena_calloc(worker->arena, places(plan, worker->search.of_input), sizeof *worker->searched);
	for (int eye = 0; eye < plan->eyes && status == VRS_OK; eye++)
		status = init_eye(worker, eye);
	return status != VRS_OK ? status : vrs_rectilinear_look_create(&worker->camera, worker->arena, plan);
}

/* Luma at matte size, where mattes or the comparison of frames need it. */
static enum vrs_status init_luma(struct vrs_roi_worker *worker, size_t pixels, bool luma)
{
	const struct vrs_roi_plan *plan = worker->plan;
	enum vrs_status status = VRS_OK;
	if (!plan->reuses && plan->regions == 1 && !luma)
		return VRS_OK;
	worker->batch.luma = vrs_arena_calloc(worker->arena, pixels, 1);
	for (int eye = 0; eye < plan->eyes && status == VRS_OK; eye++)
		status = vrs_luma_view_init(&worker->batch.luma_view[eye], worker->arena, &plan->format, &plan->follow[eye].eye,
					    vrs_roi_area(plan, eye), plan->matte_width, plan->matte_height);
	return status;
}

enum vrs_status vrs_roi_worker_init(struct vrs_roi_worker *worker, const struct vrs_roi_worker *first, bool luma, struct vrs_error *err)
{
	const struct vrs_roi_plan *plan = worker->plan;
	size_t inputs = (size_t)plan->room * (size_t)plan->eyes, pixels;
	enum vrs_status status = VRS_OK;
	VRS_ASSERT(plan->eyes > 0 && plan->group > 0 && plan->room >= plan->group);
	if (!worker->session) {
		status = vrs_session_clone(&worker->session, first->session, err);
		if (status == VRS_OK)
			status = vrs_head_create(&worker->head, &plan->network.manifest, worker->session, plan->eyes, err);
	}
	if (status == VRS_OK)
		vrs_session_stop_by(worker->session, &worker->flow->dropped);
	if (status == VRS_OK && !vrs_mul_size(inputs, plan->matte_size, &pixels))
		return vrs_fail(err, VRS_ELIMIT, "a batch of %d mattes of %dx%d is too large", (int)inputs, plan->matte_width, plan->matte_height);
	if (status == VRS_OK) {
		worker->batch.alpha = vrs_arena_calloc(worker->arena, pixels, sizeof *worker->batch.alpha);
		status = init_luma(worker, pixels, luma);
	}
	if (status == VRS_OK)
		status = vrs_reuse_init(worker);
	if (status == VRS_OK)
		status = init_inference(worker);
	return status != VRS_OK ? status : vrs_cascade_look_init(worker, first, err);
}

void vrs_roi_worker_fini(struct vrs_roi_worker *worker)
{
	vrs_head_destroy(worker->head);
	vrs_session_destroy(worker->session);
	vrs_cascade_look_fini(worker);
	vrs_rectilinear_look_fini(worker->camera);
}

/* Batch entry k is the alpha of a place of the set. */
static bool take_alpha(struct vrs_roi_worker *worker, const struct vrs_roi_set *set, int k, int place)
{
	const struct vrs_roi_plan *plan = worker->plan;
	int eye = place / set->of_input % plan->eyes;
	float *alpha = set->alpha + plan->look_size * (size_t)place;
	vrs_head_end(worker->head, k, eye, alpha);
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
		.shape = &plan->shape, .keeps_luma = worker->batch.luma && plan->luma_of_input, .take = take_alpha};
	if (worker->small)
		count = vrs_cascade_look(worker, set, &open, count);
	return count >= 0 && vrs_roi_run_network(worker, &through, set, open, count, NULL) >= 0;
}

/* As vrs_roi_regions_judge where there is one region. */
static int judge_view(struct vrs_roi_worker *worker, int i, bool last, int *open)
{
	const struct vrs_roi_plan *plan = worker->plan;
	struct vrs_regions *now = &worker->batch.now[i], *next = &worker->batch.next[i];
	next->count = 1;
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
	while (k < count) {
		int i = worker->open[k] / plan->regions;
		while (k < count && worker->open[k] / plan->regions == i)
			k++;
		open += plan->regions > 1 ? vrs_roi_regions_judge(worker, i, last, worker->again + open) : judge_view(worker, i, last, worker->again + open);
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
		worker->search.rects[place] = due[k] ? vrs_roi_search_view(plan, eye, due[k]) : worker->batch.now[i].rect[0];
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

/* All places of frames that are looked at, and where; returns their number, -1 when the job is over. */
static int open_places(struct vrs_roi_worker *worker, int frames)
{
	const struct vrs_roi_plan *plan = worker->plan;
	struct vrs_stage_stats waited = {0};
	int count = 0;
	for (int i = 0; i < frames * plan->eyes; i++)
		if (!worker->batch.reuse[i / plan->eyes] &&
		    !vrs_roi_past_first_view(worker->past, worker->batch.tasks[i / plan->eyes], i % plan->eyes, &worker->batch.now[i],
					     &waited.wait_input_ns))
			return -1;
	vrs_flow_account(worker->flow, VRS_STAGE_PREPROCESS, &waited);
	if (!search(worker, frames))
		return -1;
	for (int i = 0; i < frames * plan->eyes; i++)
		for (int r = 0; r < worker->batch.now[i].count && !worker->batch.reuse[i / plan->eyes]; r++) {
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
						plan->regions > 1 ? &worker->batch.scenes[i] : NULL); /* inside the eye always */
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
	if (plan->regions > 1) {
		vrs_roi_regions_merge(worker, i);
		return;
	}
	worker->batch.views[i] = worker->looks.rects[i];
	vrs_matte_shrink_run(&worker->warps.shrink, worker->batch.alpha + plan->matte_size * (size_t)i, worker->looks.alpha + plan->look_size * (size_t)i);
}

bool vrs_roi_inference_run(struct vrs_roi_worker *worker, int frames)
{
	const struct vrs_roi_plan *plan = worker->plan;
	VRS_ASSERT(frames > 0 && frames <= plan->room);
	int count = open_places(worker, frames);
	for (int looks = 1; count > 0; looks++) {
		if (!look_at_all(worker, &worker->looks, worker->open, count))
			return false;
		count = judge(worker, count, looks == VRS_FOLLOW_MOST_LOOKS);
	}
	if (count < 0 || !look_wider(worker, frames))
		return false;
	for (int i = 0; i < frames * plan->eyes && !looks_are_mattes(plan); i++)
		if (!worker->batch.reuse[i / plan->eyes])
			make_matte(worker, i);
	if (worker->batch.luma && !plan->luma_of_input)
		get_luma(worker, frames);
	return true;
}
