/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_network.h"

#include <string.h>

#include "base/assert.h"
#include "roi/rectilinear_look.h"

enum vrs_status vrs_roi_preprocess(struct vrs_preprocess **ret_preprocess, const struct vrs_roi_worker *worker, int eye,
				   const struct vrs_manifest *manifest, const struct vrs_network_shape *shape)
{
	const struct vrs_roi_plan *plan = worker->plan;
	const struct vrs_rect *most = plan->settings->matte.scales > 1 ? &plan->follow[eye].eye : vrs_roi_area(plan, eye);
	struct vrs_preprocess_options options = {.format = plan->format, .rect = *most, .eye = plan->follow[eye].eye, .width = shape->input_width,
		.height = shape->input_height, .bgr = manifest->bgr};
	memcpy(options.mean, manifest->mean, sizeof options.mean);
	memcpy(options.scale, manifest->scale, sizeof options.scale);
	return vrs_preprocess_create(ret_preprocess, worker->arena, &options);
}

struct vrs_rectilinear_aim vrs_roi_aim_of(const struct vrs_roi_worker *worker, const struct vrs_roi_set *set, int place)
{
	struct vrs_rectilinear_aim aim = {0};
	if (set == &worker->looks && worker->plan->regions == 1)
		memcpy(&aim, worker->batch.now[place].aim, sizeof aim);
	return aim;
}

/* The picture of a place of the set. */
static enum vrs_status fill_input(struct vrs_roi_worker *worker, const struct vrs_roi_network *through, const struct vrs_roi_set *set, int place,
				  float *in)
{
	const struct vrs_roi_plan *plan = worker->plan;
	int i = place / set->of_input, eye = i % plan->eyes;
	bool first_scale = set == &worker->looks, drawn;
	const struct vrs_rect *part = &set->rects[place];
	const struct vrs_frame *frame = &worker->batch.tasks[i / plan->eyes]->frame;
	uint8_t *luma = through->keeps_luma && first_scale ? worker->batch.luma + plan->matte_size * (size_t)i : NULL;
	struct vrs_scene_signature *scene = first_scale ? &worker->batch.scenes[i] : NULL;
	const struct vrs_rectilinear_aim aim = vrs_roi_aim_of(worker, set, place);
	enum vrs_status status = vrs_rectilinear_look_draw(worker->camera, frame, eye, part, &aim, through->preprocess[eye], in,
							   luma ? NULL : scene, &drawn);
	if (status != VRS_OK)
		return status;
	if (drawn && luma) /* mattes are of the part, not of what the network sees */
		return vrs_luma_view_get(&worker->batch.luma_view[eye], frame, part, luma, scene);
	if (drawn)
		return VRS_OK;
	(void)vrs_preprocess_place(through->preprocess[eye], part); /* inside the eye always */
	vrs_preprocess_keep_luma(through->preprocess[eye], luma);
	vrs_preprocess_run(through->preprocess[eye], frame, in, scene);
	return VRS_OK;
}

struct vrs_roi_look vrs_roi_look_at(const struct vrs_roi_worker *worker, const struct vrs_roi_set *set, int place)
{
	return (struct vrs_roi_look){.rect = set->rects[place], .aim = vrs_roi_aim_of(worker, set, place)};
}

/* Regions of frames have a past, and so have their wider views; searches have none. */
static void load_states(struct vrs_roi_worker *worker, struct vrs_roi_states *states, const struct vrs_roi_set *set, int k, int place)
{
	bool has_past = set == &worker->looks || set == &worker->wide;
	const struct vrs_roi_look look = vrs_roi_look_at(worker, set, place);
	vrs_roi_states_load(states, k, place / set->of_input, has_past ? place % set->of_input : -1, &look);
}

/* Pictures of `count` open places of the set into the session. */
static enum vrs_status fill_inputs(struct vrs_roi_worker *worker, const struct vrs_roi_network *through, const struct vrs_roi_set *set,
				   const int *open, int count)
{
	size_t in_size = (size_t)through->shape->input_width * (size_t)through->shape->input_height * 3;
	float *in = vrs_head_input(through->head);
	for (int k = 0; k < count; k++) {
		enum vrs_status status = fill_input(worker, through, set, open[k], in + in_size * (size_t)k);
		if (status != VRS_OK)
			return status;
		if (through->states)
			load_states(worker, through->states, set, k, open[k]);
	}
	/* a batch that is not full repeats its last input: defined values, and no effect on the others */
	for (int k = count; k < through->shape->batch; k++)
		memcpy(in + in_size * (size_t)k, in + in_size * (size_t)(count - 1), in_size * sizeof *in);
	return VRS_OK;
}

void vrs_roi_exclude(struct vrs_roi_worker *worker, const struct vrs_roi_set *set, int place, float *alpha)
{
	const struct vrs_roi_plan *plan = worker->plan;
	int eye = place / set->of_input % plan->eyes;
	if (!worker->excluded[eye])
		return;
	struct vrs_rect part = vrs_roi_in_eye(plan, eye, &set->rects[place]);
	vrs_exclusion_view_alpha(worker->excluded[eye], &part, alpha);
}

void vrs_roi_network_lost(struct vrs_roi_worker *worker, struct vrs_error *err)
{
	worker->device_lost = true;
	vrs_roi_devices_blame(&worker->plan->devices, worker->device, err);
}

/* What a device did for the frames, where it tells. */
static void account_device(struct vrs_roi_worker *worker, const struct vrs_session *session, const struct vrs_frame_task *first, int frames)
{
	struct vrs_device_span spans[VRS_DEVICE_QUEUES];
	if (vrs_session_device_spans(session, spans))
		vrs_flow_account_device(worker->flow, spans, first->seq, frames);
}

/* The open places, at most a batch; left gets those that stay open after the *ret_left that it has. */
static bool look(struct vrs_roi_worker *worker, const struct vrs_roi_network *through, const struct vrs_roi_set *set, const int *open, int count,
		 int *left, int *ret_left)
{
	int of_frame = set->of_input * worker->plan->eyes, first = open[0] / of_frame, frames = open[count - 1] / of_frame - first + 1;
	struct vrs_frame_task **tasks = worker->batch.tasks + first;
	struct vrs_flow_step step = vrs_flow_step_begin(worker->flow, VRS_STAGE_PREPROCESS);
	enum vrs_status status = fill_inputs(worker, through, set, open, count);
	vrs_flow_step_end(worker->flow, VRS_STAGE_PREPROCESS, &step, tasks, frames, &(struct vrs_stage_stats){0});
	step = vrs_flow_step_begin(worker->flow, VRS_STAGE_INFERENCE);
	struct vrs_error err = {0};
	status = status != VRS_OK ? vrs_fail(&err, status, "no memory for a map of a view") : vrs_session_run(through->session, &err);
	if (status != VRS_OK) {
		if (status == VRS_EDEVICE)
			vrs_roi_network_lost(worker, &err);
		vrs_flow_fail(worker->flow, status, &err);
		return false;
	}
	account_device(worker, through->session, tasks[0], frames);
	for (int k = 0; k < count; k++)
		if (!through->take(worker, set, k, open[k]))
			left[(*ret_left)++] = open[k];
	vrs_flow_step_end(worker->flow, VRS_STAGE_INFERENCE, &step, tasks, frames, &(struct vrs_stage_stats){0});
	return true;
}

int vrs_roi_run_network(struct vrs_roi_worker *worker, const struct vrs_roi_network *through, const struct vrs_roi_set *set, const int *open,
			int count, int *left)
{
	int batch = through->shape->batch, open_still = 0;
	VRS_ASSERT(batch > 0 && count >= 0);
	for (int first = 0; first < count; first += batch)
		if (!look(worker, through, set, open + first, count - first < batch ? count - first : batch, left, &open_still))
			return -1;
	return open_still;
}
