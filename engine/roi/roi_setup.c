/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_setup.h"

#include <vrseg/config.h>

#include "base/assert.h"
#include "roi/cascade.h"
#include "roi/rectilinear_look.h"
#include "roi/reuse.h"
#include "roi/roi_arrivals.h"
#include "roi/roi_network.h"
#include "roi/roi_search.h"
#include "roi/roi_states.h"

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

static enum vrs_status init_looks(struct vrs_roi_worker *worker)
{
	const struct vrs_roi_plan *plan = worker->plan;
	if (!vrs_roi_looks_are_mattes(plan))
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
	bool moves = vrs_roi_merges(plan) || plan->settings->matte.scales > 1;
	if (status == VRS_OK && moves)
		worker->warps.alpha = vrs_arena_calloc(worker->arena, most, sizeof *worker->warps.alpha);
	if (status == VRS_OK && plan->settings->matte.scales > 1) {
		status = init_set(&worker->wide, worker, plan->regions);
		if (status == VRS_OK)
			status = vrs_roi_warp_init(&worker->warps.wider, worker->arena, width, height, width, height);
	}
	if (status != VRS_OK || vrs_roi_looks_are_mattes(plan))
		return status;
	if (!vrs_roi_merges(plan))
		return vrs_matte_shrink_init(&worker->warps.shrink, worker->arena, plan->matte_width, plan->matte_height, width, height);
	if (plan->regions > 1)
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
	worker->batch.people = vrs_arena_calloc(worker->arena, (size_t)plan->room, sizeof *worker->batch.people);
	worker->open = vrs_arena_calloc(worker->arena, places(plan, plan->regions), sizeof *worker->open);
	worker->again = vrs_arena_calloc(worker->arena, places(plan, plan->regions), sizeof *worker->again);
	enum vrs_status status = worker->arena->failed ? VRS_ENOMEM : init_regions(worker);
	if (status == VRS_OK)
		status = init_set(&worker->search, worker, vrs_roi_search_views(plan));
	if (status == VRS_OK && plan->has_states && plan->follows && !plan->tracks)
		status = init_set(&worker->newcomers, worker, 1);
	if (status == VRS_OK)
		worker->searched = vrs_arena_calloc(worker->arena, places(plan, worker->search.of_input + worker->newcomers.of_input),
						    sizeof *worker->searched);
	for (int eye = 0; eye < plan->eyes && status == VRS_OK; eye++)
		status = init_eye(worker, eye);
	if (status == VRS_OK && plan->tracks)
		status = vrs_roi_arrivals_init(worker);
	return status != VRS_OK ? status : vrs_rectilinear_look_create(&worker->camera, worker->arena, plan);
}

/* Luma at matte size, where mattes or the comparison of frames need it. */
static enum vrs_status init_luma(struct vrs_roi_worker *worker, size_t pixels, bool luma)
{
	const struct vrs_roi_plan *plan = worker->plan;
	enum vrs_status status = VRS_OK;
	/* looks that are parts of a matte compare no scenes themselves, which only smoothing needs */
	bool scenes = vrs_roi_merges(plan) && vrs_settings_smooth(plan->settings);
	if (!plan->reuses && !scenes && !luma)
		return VRS_OK;
	worker->batch.luma = vrs_arena_calloc(worker->arena, pixels, 1);
	for (int eye = 0; eye < plan->eyes && status == VRS_OK; eye++)
		status = vrs_luma_view_init(&worker->batch.luma_view[eye], worker->arena, &plan->format, &plan->follow[eye].eye,
					    vrs_roi_area(plan, eye), plan->matte_width, plan->matte_height);
	return status;
}

enum vrs_status vrs_roi_worker_open(struct vrs_roi_worker *worker, const struct vrs_roi_worker *first, struct vrs_error *err)
{
	const struct vrs_network *network = &worker->plan->network;
	struct vrs_session_options options = network->options;
	options.device = worker->device;
	enum vrs_status status = first == worker ? vrs_session_create(&worker->session, network->model, &options, err)
						 : vrs_session_clone(&worker->session, first->session, err);
	return status != VRS_OK ? status : vrs_head_create(&worker->head, &network->manifest, worker->session, err);
}

enum vrs_status vrs_roi_worker_init(struct vrs_roi_worker *worker, const struct vrs_roi_worker *first, bool luma, struct vrs_error *err)
{
	const struct vrs_roi_plan *plan = worker->plan;
	size_t inputs = (size_t)plan->room * (size_t)plan->eyes, pixels;
	enum vrs_status status = VRS_OK;
	VRS_ASSERT(plan->eyes > 0 && plan->group > 0 && plan->room >= plan->group);
	if (!worker->session)
		status = vrs_roi_worker_open(worker, first, err);
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
	if (status == VRS_OK)
		status = vrs_roi_states_create(&worker->states, worker);
	return status != VRS_OK ? status : vrs_cascade_look_init(worker, first, err);
}

void vrs_roi_worker_fini(struct vrs_roi_worker *worker)
{
	vrs_head_destroy(worker->head);
	vrs_session_destroy(worker->session);
	vrs_cascade_close(worker);
	vrs_rectilinear_look_fini(worker->camera);
}
