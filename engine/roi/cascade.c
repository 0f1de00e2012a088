/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/cascade.h"

#include <string.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "matte/confidence.h"
#include "roi/network.h"
#include "roi/roi_network.h"

struct vrs_cascade {
	struct vrs_settings settings;   /* the job's, with the small network in place of the large one */
	struct vrs_network network;
	struct vrs_network_shape shape;
	uint64_t macs;                  /* of a batch */
};

struct vrs_cascade_look {
	struct vrs_preprocess *preprocess[VRS_MAX_EYES];
	struct vrs_roi_warp to_large;      /* from the small network's matte to one of the large one's size */
	float *alpha;                   /* [matte_height * matte_width] of the small one */
	int *rest;                      /* places that are left */
	double confidence;              /* sum over the looks at hand */
};

enum vrs_status vrs_cascade_check(const struct vrs_cascade *cascade, const struct vrs_roi_plan *plan, struct vrs_error *err)
{
	if (!cascade)
		return VRS_OK;
	const struct vrs_manifest *small = &cascade->network.manifest, *large = &plan->network.manifest;
	if (strcmp(small->file, large->file) == 0 && cascade->shape.input_width == plan->shape.input_width &&
	    cascade->shape.input_height == plan->shape.input_height)
		return vrs_fail(err, VRS_ECONFIG, "--early-exit needs two networks, and both are %s at %dx%d; name a smaller one with "
				"--early-exit-model or --early-exit-size, or a larger one with --model or --input-size", large->name,
				plan->shape.input_width, plan->shape.input_height);
	return VRS_OK;
}

void vrs_cascade_describe(const struct vrs_cascade *cascade, struct vrs_job_info *info)
{
	(void)vrs_strcpy(info->early_model, sizeof info->early_model, cascade->network.manifest.name); /* only shown */
	info->early_width = cascade->shape.input_width;
	info->early_height = cascade->shape.input_height;
	info->early_macs = cascade->macs / (uint64_t)cascade->shape.batch;
}

enum vrs_status vrs_cascade_load(struct vrs_cascade **ret_cascade, const struct vrs_roi_plan *plan, int threads, int batch, const char *input,
				  struct vrs_error *err)
{
	*ret_cascade = NULL;
	if (!plan->settings->matte.early_exit)
		return VRS_OK;
	struct vrs_cascade *cascade = vrs_calloc(1, sizeof *cascade);
	if (!cascade)
		return VRS_ENOMEM;
	*ret_cascade = cascade;
	cascade->settings = *plan->settings;
	memcpy(cascade->settings.engine.model, plan->settings->matte.early_exit_model, sizeof cascade->settings.engine.model);
	memcpy(cascade->settings.engine.input_size, plan->settings->matte.early_exit_size, sizeof cascade->settings.engine.input_size);
	enum vrs_status status = vrs_network_load(&cascade->network, &cascade->settings, threads, batch, err);
	cascade->network.options.device = plan->network.options.device;
	cascade->network.options.replace_lost = plan->network.options.replace_lost;
	cascade->network.options.profile = plan->network.options.profile;
	if (status == VRS_OK && cascade->network.manifest.state_count)
		status = vrs_fail(err, VRS_ECONFIG, "the network %s is recurrent; name another small one with --early-exit-model",
				  cascade->network.manifest.name);
	return status != VRS_OK ? status : vrs_network_need_calibration(&cascade->network, &cascade->settings, input, err);
}

void vrs_cascade_destroy(struct vrs_cascade *cascade)
{
	if (!cascade)
		return;
	vrs_network_fini(&cascade->network);
	vrs_free(cascade);
}

uint64_t vrs_cascade_content(const struct vrs_cascade *cascade)
{
	return vrs_network_content(&cascade->network);
}

enum vrs_status vrs_cascade_open(struct vrs_roi_worker *worker, const struct vrs_roi_worker *first, struct vrs_error *err)
{
	struct vrs_cascade *cascade = worker->plan->cascade;
	if (!cascade || worker->small_session)
		return VRS_OK;
	struct vrs_session_options options = cascade->network.options;
	options.device = worker->device;
	enum vrs_status status = first == worker ? vrs_session_create(&worker->small_session, cascade->network.model, &options, err)
						 : vrs_session_clone(&worker->small_session, first->small_session, err);
	if (status == VRS_OK)
		status = vrs_head_create(&worker->small_head, &cascade->network.manifest, worker->small_session, err);
	if (status == VRS_OK && cascade->shape.batch == 0) { /* the first of all */
		cascade->shape = *vrs_head_shape(worker->small_head);
		cascade->macs = vrs_session_info(worker->small_session).macs;
	}
	return status;
}

void vrs_cascade_close(struct vrs_roi_worker *worker)
{
	vrs_head_destroy(worker->small_head);
	vrs_session_destroy(worker->small_session);
	worker->small_head = NULL;
	worker->small_session = NULL;
}

/* Most places that can be open at a time. */
static size_t most_places(const struct vrs_roi_worker *worker)
{
	const struct vrs_roi_plan *plan = worker->plan;
	int of_input = worker->search.of_input > plan->regions ? worker->search.of_input : plan->regions;
	return (size_t)plan->room * (size_t)plan->eyes * (size_t)of_input;
}

static enum vrs_status make_room(struct vrs_cascade_look *small, const struct vrs_roi_worker *worker)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_cascade *cascade = plan->cascade;
	const double scale[2] = {1, 1}, offset[2] = {0, 0};
	int width = cascade->shape.matte_width, height = cascade->shape.matte_height;
	small->alpha = vrs_arena_calloc(worker->arena, (size_t)width * (size_t)height, sizeof *small->alpha); /* the network has it */
	small->rest = vrs_arena_calloc(worker->arena, most_places(worker), sizeof *small->rest);
	enum vrs_status status = vrs_roi_warp_init(&small->to_large, worker->arena, plan->shape.matte_width, plan->shape.matte_height, width, height);
	if (status == VRS_OK)
		vrs_roi_warp_map(&small->to_large, scale, offset, NULL);
	for (int eye = 0; eye < plan->eyes && status == VRS_OK; eye++)
		status = vrs_roi_preprocess(&small->preprocess[eye], worker, eye, &cascade->network.manifest, &cascade->shape);
	return status;
}

enum vrs_status vrs_cascade_look_init(struct vrs_roi_worker *worker, const struct vrs_roi_worker *first, struct vrs_error *err)
{
	const struct vrs_roi_plan *plan = worker->plan;
	if (!plan->cascade)
		return VRS_OK;
	worker->small = vrs_arena_calloc(worker->arena, 1, sizeof *worker->small);
	if (!worker->small)
		return VRS_ENOMEM;
	enum vrs_status status = vrs_cascade_open(worker, first, err);
	if (status == VRS_OK)
		vrs_session_stop_by(worker->small_session, &worker->flow->dropped);
	return status != VRS_OK ? status : make_room(worker->small, worker);
}

/* Batch entry k is the matte of a place of the set: is it good enough? */
static bool take(struct vrs_roi_worker *worker, const struct vrs_roi_set *set, int k, int place)
{
	const struct vrs_roi_plan *plan = worker->plan;
	struct vrs_cascade_look *small = worker->small;
	float *alpha = set->alpha + plan->look_size * (size_t)place;
	vrs_head_matte(worker->small_head, k, small->alpha);
	vrs_roi_warp_alpha(&small->to_large, alpha, small->alpha, alpha);
	vrs_roi_exclude(worker, set, place, alpha);
	double confidence = vrs_matte_confidence(alpha, plan->look_size);
	small->confidence += confidence;
	return confidence >= plan->settings->matte.early_exit_threshold;
}

static void count_looks(struct vrs_roi_worker *worker, int looks, int enough)
{
	struct vrs_job_stats *stats = vrs_flow_lock_stats(worker->flow);
	stats->early_looks += (uint64_t)looks;
	stats->early_enough += (uint64_t)enough;
	stats->early_confidence += worker->small->confidence;
	vrs_flow_unlock_stats(worker->flow);
	worker->small->confidence = 0;
}

int vrs_cascade_look(struct vrs_roi_worker *worker, const struct vrs_roi_set *set, const int **open, int count)
{
	struct vrs_cascade_look *small = worker->small;
	const struct vrs_roi_network through = {.session = worker->small_session, .head = worker->small_head, .preprocess = small->preprocess,
		.shape = &worker->plan->cascade->shape, .take = take};
	int left = vrs_roi_run_network(worker, &through, set, *open, count, small->rest);
	if (left < 0)
		return -1;
	count_looks(worker, count, count - left);
	*open = small->rest;
	return left;
}
