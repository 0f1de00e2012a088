/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/composer.h"

#include "base/assert.h"

bool vrs_composer_is_apart(const struct vrs_manifest *manifest, int cpus)
{
	return manifest->state_count > 0 && cpus > 1;
}

enum vrs_status vrs_composer_init(struct vrs_composer *composer, struct vrs_arena *arena, struct vrs_flow *flow, const struct vrs_roi_plan *roi,
				  const struct vrs_compose_plan *plan, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	composer->flow = flow;
	composer->roi = roi;
	composer->plan = plan;
	composer->rooms = flow->finished ? 1 + VRS_COMPOSER_AHEAD : 1;
	for (int i = 0; i < composer->rooms && status == VRS_OK; i++)
		status = vrs_finished_init(&composer->finished[i], arena, roi);
	return status != VRS_OK ? status : vrs_compose_tools_init(&composer->tools, arena, plan, err);
}

void vrs_composer_fini(struct vrs_composer *composer)
{
	vrs_compose_tools_fini(&composer->tools);
}

static enum vrs_status compose(struct vrs_composer *composer, const struct vrs_finished *finished, int n, struct vrs_error *err)
{
	const struct vrs_roi_plan *roi = composer->roi;
	struct vrs_matte mattes[VRS_COMPOSITE_MAX_VIEWS] = {0};
	for (int eye = 0; eye < roi->eyes; eye++)
		mattes[eye] = vrs_finished_matte(finished, roi, n, eye);
	return vrs_compose_run(composer->plan, &composer->tools, finished->tasks[n], mattes, &finished->shown[n * roi->eyes], err);
}

static bool compose_and_pass(struct vrs_composer *composer, struct vrs_finished *finished, int n)
{
	struct vrs_flow *flow = composer->flow;
	struct vrs_frame_task *task = finished->tasks[n];
	struct vrs_error err = {0};
	struct vrs_stage_stats stats = {.frames = 1};
	struct vrs_flow_step step = vrs_flow_step_begin(flow, VRS_STAGE_COMPOSE);
	enum vrs_status status = task->preroll ? VRS_OK : compose(composer, finished, n, &err);
	if (status != VRS_OK) {
		vrs_flow_fail(flow, status, &err);
		return false;
	}
	vrs_flow_step_end(flow, VRS_STAGE_COMPOSE, &step, &task, 1, &stats);
	stats = (struct vrs_stage_stats){0};
	bool taken = vrs_stage_queue_push(flow->composed, task->seq, task, &stats.wait_output_ns);
	vrs_flow_account(flow, VRS_STAGE_COMPOSE, &stats);
	if (taken)
		finished->tasks[n] = NULL;
	return taken;
}

static bool compose_all(struct vrs_composer *composer, struct vrs_finished *finished)
{
	for (int n = 0; n < finished->count; n++)
		if (!compose_and_pass(composer, finished, n))
			return false;
	finished->count = 0;
	return true;
}

static void *composer_main(void *arg)
{
	struct vrs_composer *composer = arg;
	struct vrs_flow *flow = composer->flow;
	bool going = true;
	vrs_trace_thread(flow->trace, composer->row, "compose");
	while (going) {
		struct vrs_stage_stats stats = {0};
		void *item;
		going = vrs_stage_queue_pop(flow->finished, &item, 1, &stats.wait_input_ns) == 1;
		vrs_flow_account(flow, VRS_STAGE_COMPOSE, &stats);
		going = going && compose_all(composer, item);
	}
	vrs_stage_queue_close(flow->composed);
	return NULL;
}

bool vrs_composer_start(struct vrs_composer *composer)
{
	if (!composer->flow->finished)
		return true;
	composer->started = pthread_create(&composer->thread, NULL, composer_main, composer) == 0;
	if (composer->started)
		(void)pthread_setname_np(composer->thread, "vrs-compose"); /* only for profilers */
	return composer->started;
}

void vrs_composer_join(struct vrs_composer *composer)
{
	if (composer->started)
		pthread_join(composer->thread, NULL);
	for (int i = 0; i < composer->rooms; i++)
		for (int n = 0; n < composer->roi->room; n++) {
			vrs_frame_task_free(composer->finished[i].tasks[n]);
			composer->finished[i].tasks[n] = NULL;
		}
}

struct vrs_finished *vrs_composer_next(struct vrs_composer *composer)
{
	return &composer->finished[composer->passed % (uint64_t)composer->rooms];
}

struct vrs_finished *vrs_composer_last(struct vrs_composer *composer)
{
	return &composer->finished[(composer->passed + (uint64_t)composer->rooms - 1) % (uint64_t)composer->rooms];
}

bool vrs_composer_pass(struct vrs_composer *composer)
{
	struct vrs_finished *finished = vrs_composer_next(composer);
	struct vrs_stage_stats stats = {0};
	if (finished->count == 0)
		return true;
	if (!composer->flow->finished)
		return compose_all(composer, finished);
	/* room for this one: the thread has begun with the one before it, and is done with the one before that, whose place is the next one */
	bool taken = vrs_stage_queue_push(composer->flow->finished, composer->passed, finished, &stats.wait_output_ns);
	vrs_flow_account(composer->flow, VRS_STAGE_POSTPROCESS, &stats);
	composer->passed += taken;
	VRS_ASSERT(!taken || vrs_composer_next(composer)->count == 0);
	return taken;
}

void vrs_composer_close(struct vrs_composer *composer)
{
	vrs_stage_queue_close(composer->flow->finished ? composer->flow->finished : composer->flow->composed);
}
