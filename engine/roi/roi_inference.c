/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_inference.h"

#include <string.h>

#include "base/mem.h"
#include "roi/cascade.h"
#include "roi/rectilinear_look.h"
#include "roi/roi_regions.h"
#include "pipeline/stage_step.h"
#include "roi/roi_search.h"

#define WIDER 0.15      /* of a view's size, more for each further scale */

bool vrs_roi_is_wide(const struct vrs_job *job, const struct vrs_frame_task *task)
{
	/* with a stride: the first frame that is seen after so many */
	return job->info.follows && vrs_frame_task_phase(job, task) % VRS_ROI_WIDE_EVERY < (uint64_t)job->settings.matte.stride;
}

static size_t places(const struct vrs_job *job, int of_input)
{
	return (size_t)job->room * (size_t)job->eyes * (size_t)of_input;
}

static enum vrs_status init_set(struct vrs_roi_set *set, const struct vrs_job *job, int of_input)
{
	size_t size, count = places(job, of_input);
	set->of_input = of_input;
	if (of_input == 0)
		return VRS_OK;
	if (!vrs_mul_size(count, job->look_size, &size))
		return VRS_ELIMIT;
	set->rects = vrs_calloc(count, sizeof *set->rects);
	set->alpha = vrs_calloc(size, sizeof *set->alpha);
	return set->rects && set->alpha ? VRS_OK : VRS_ENOMEM;
}

/* With one region a look's alpha is the matte's, unless that is smaller. */
static bool looks_are_mattes(const struct vrs_job *job)
{
	return job->regions == 1 && job->info.matte_width == job->shape.matte_width && job->info.matte_height == job->shape.matte_height;
}

static enum vrs_status init_looks(struct vrs_worker *worker)
{
	const struct vrs_job *job = worker->job;
	if (!looks_are_mattes(job))
		return init_set(&worker->looks, job, job->regions);
	worker->looks.of_input = 1;
	worker->looks.rects = worker->views;
	worker->looks.alpha = worker->alpha;
	return VRS_OK;
}

static enum vrs_status init_regions(struct vrs_worker *worker)
{
	const struct vrs_job *job = worker->job;
	int width = job->shape.matte_width, height = job->shape.matte_height;
	enum vrs_status status = init_looks(worker);
	size_t most = job->matte_size > job->look_size ? job->matte_size : job->look_size;
	bool moves = job->regions > 1 || job->settings.matte.scales > 1;
	if (!status && moves && !(worker->moved_alpha = vrs_calloc(most, sizeof *worker->moved_alpha)))
		return VRS_ENOMEM;
	if (!status && job->settings.matte.scales > 1) {
		status = init_set(&worker->wide, job, job->regions);
		if (!status)
			status = vrs_roi_warp_init(&worker->scaled, width, height);
	}
	if (status || job->regions == 1)
		return status || looks_are_mattes(job) ? status : vrs_matte_shrink_init(&worker->shrink, job->info.matte_width, job->info.matte_height,
											 width, height);
	status = vrs_region_finder_create(&worker->finder, width, height);
	return status ? status : vrs_roi_warp_init_from(&worker->moved, job->info.matte_width, job->info.matte_height, width, height);
}

enum vrs_status vrs_roi_preprocess(struct vrs_preprocess **ret_preprocess, const struct vrs_job *job, int eye, const struct vrs_manifest *manifest,
				     const struct vrs_network_shape *shape)
{
	const struct vrs_rect *most = job->settings.matte.scales > 1 ? &job->follow[eye].eye : vrs_job_area(job, eye);
	struct vrs_preprocess_options options = {.format = job->format, .rect = *most, .eye = job->follow[eye].eye, .width = shape->input_width,
		.height = shape->input_height, .bgr = manifest->bgr};
	memcpy(options.mean, manifest->mean, sizeof options.mean);
	memcpy(options.scale, manifest->scale, sizeof options.scale);
	return vrs_preprocess_create(ret_preprocess, &options);
}

static enum vrs_status init_eye(struct vrs_worker *worker, int eye)
{
	struct vrs_job *job = worker->job;
	enum vrs_status status = vrs_roi_preprocess(&worker->preprocess[eye], job, eye, &job->network.manifest, &job->shape);
	if (!status && job->excluded[eye])
		status = vrs_exclusion_view_create(&worker->excluded[eye], job->excluded[eye], job->shape.matte_width, job->shape.matte_height);
	return status;
}

enum vrs_status vrs_roi_inference_init(struct vrs_worker *worker)
{
	struct vrs_job *job = worker->job;
	size_t inputs = (size_t)job->room * (size_t)job->eyes;
	worker->scenes = vrs_calloc(inputs, sizeof *worker->scenes);
	worker->views = vrs_calloc(inputs, sizeof *worker->views);
	worker->now = vrs_calloc(inputs, sizeof *worker->now);
	worker->next = vrs_calloc(inputs, sizeof *worker->next);
	worker->open = vrs_calloc(places(job, job->regions), sizeof *worker->open);
	worker->again = vrs_calloc(places(job, job->regions), sizeof *worker->again);
	if (!worker->scenes || !worker->views || !worker->now || !worker->next || !worker->open || !worker->again)
		return VRS_ENOMEM;
	enum vrs_status status = init_regions(worker);
	if (!status)
		status = init_set(&worker->survey, job, vrs_roi_search_views(job));
	if (!status && worker->survey.of_input) {
		worker->surveyed = vrs_calloc(places(job, worker->survey.of_input), sizeof *worker->surveyed);
		status = worker->surveyed ? VRS_OK : VRS_ENOMEM;
	}
	for (int eye = 0; eye < job->eyes && !status; eye++)
		status = init_eye(worker, eye);
	return status ? status : vrs_rectilinear_look_create(&worker->flat, job);
}

void vrs_roi_inference_fini(struct vrs_worker *worker)
{
	for (int eye = 0; eye < VRS_MAX_EYES; eye++) {
		vrs_preprocess_destroy(worker->preprocess[eye]);
		vrs_exclusion_view_destroy(worker->excluded[eye]);
	}
	vrs_rectilinear_look_destroy(worker->flat);
	if (worker->looks.alpha != worker->alpha) {
		vrs_free(worker->looks.rects);
		vrs_free(worker->looks.alpha);
	}
	vrs_free(worker->wide.rects);
	vrs_free(worker->wide.alpha);
	vrs_free(worker->survey.rects);
	vrs_free(worker->survey.alpha);
	vrs_free(worker->surveyed);
	vrs_free(worker->moved_alpha);
	vrs_roi_warp_fini(&worker->moved);
	vrs_roi_warp_fini(&worker->scaled);
	vrs_matte_shrink_fini(&worker->shrink);
	vrs_region_finder_destroy(worker->finder);
	vrs_free(worker->scenes);
	vrs_free(worker->views);
	vrs_free(worker->now);
	vrs_free(worker->next);
	vrs_free(worker->open);
	vrs_free(worker->again);
}

/* Does the network's state of this eye start anew with input i of the part? Remembers the scene. */
static bool forgets(struct vrs_worker *worker, int i)
{
	const struct vrs_job *job = worker->job;
	int eye = i % job->eyes;
	if (job->network.manifest.state_count == 0)
		return false;
	bool fresh = !worker->has_past[eye] || vrs_frame_task_is_first(worker->part[i / job->eyes]) || vrs_scene_cut(&worker->past[eye], &worker->scenes[i]);
	worker->past[eye] = worker->scenes[i];
	worker->has_past[eye] = true;
	return fresh;
}

/* Number of the frame whose matte tells where to look first. */
static uint64_t first_source(const struct vrs_frame_task *task)
{
	return task->seq - task->loop_seq < VRS_FOLLOW_LAG ? task->loop_seq : task->seq - VRS_FOLLOW_LAG;
}

bool vrs_roi_first_view(struct vrs_worker *worker, const struct vrs_frame_task *task, int eye, struct vrs_regions *ret_regions, uint64_t *wait_ns)
{
	struct vrs_job *job = worker->job;
	uint64_t source = first_source(task);
	*ret_regions = (struct vrs_regions){.count = 1, .rect = {job->info.views[eye]}};
	if (!job->info.follows || vrs_frame_task_is_first(task))
		return true;
	if (!vrs_sequencer_wait_past(job->turn, source, wait_ns))
		return false;
	*ret_regions = job->followed[eye][source % VRS_FOLLOW_LAG];
	if (vrs_roi_is_wide(job, task)) {
		struct vrs_rect all = vrs_regions_around(ret_regions, job->format.circle);
		*ret_regions = (struct vrs_regions){.count = 1, .rect = {vrs_follow_widen(&job->follow[eye], &all)}};
	}
	return true;
}

/* How a camera looks at a place of the set. */
static struct vrs_rectilinear_aim aim_of(const struct vrs_worker *worker, const struct vrs_roi_set *set, int place)
{
	struct vrs_rectilinear_aim aim = {0};
	if (set == &worker->looks && worker->job->regions == 1)
		memcpy(&aim, worker->now[place].aim, sizeof aim);
	return aim;
}

/* The picture of a place of the set. */
static enum vrs_status fill_input(struct vrs_worker *worker, const struct vrs_roi_network *through, const struct vrs_roi_set *set, int place,
				  float *in)
{
	struct vrs_job *job = worker->job;
	int i = place / set->of_input, eye = i % job->eyes;
	bool first_scale = set == &worker->looks, drawn;
	const struct vrs_rect *part = &set->rects[place];
	const struct vrs_frame *frame = &worker->part[i / job->eyes]->frame;
	uint8_t *luma = through->keeps_luma && first_scale ? worker->luma + job->matte_size * (size_t)i : NULL;
	struct vrs_scene_signature *scene = first_scale ? &worker->scenes[i] : NULL;
	const struct vrs_rectilinear_aim aim = aim_of(worker, set, place);
	enum vrs_status status = vrs_rectilinear_look_draw(worker, frame, eye, part, &aim, in, luma ? NULL : scene, &drawn);
	if (status)
		return status;
	if (drawn && luma) /* mattes are of the part, not of what the network sees */
		return vrs_luma_view_get(&worker->luma_view[eye], frame, part, luma, scene);
	if (drawn)
		return VRS_OK;
	(void)vrs_preprocess_place(through->preprocess[eye], part); /* inside the eye always */
	vrs_preprocess_keep_luma(through->preprocess[eye], luma);
	vrs_preprocess_run(through->preprocess[eye], frame, in, scene);
	return VRS_OK;
}

/* Pictures of `count` open places of the set into the session. */
static enum vrs_status fill_inputs(struct vrs_worker *worker, const struct vrs_roi_network *through, const struct vrs_roi_set *set,
				   const int *open, int count)
{
	struct vrs_job *job = worker->job;
	size_t in_size = (size_t)through->shape->input_width * (size_t)through->shape->input_height * 3;
	float *in = vrs_head_input(through->head);
	for (int k = 0; k < count; k++) {
		int i = open[k] / set->of_input;
		enum vrs_status status = fill_input(worker, through, set, open[k], in + in_size * (size_t)k);
		if (status)
			return status;
		vrs_head_begin(through->head, k, i % job->eyes, forgets(worker, i));
	}
	/* a batch that is not full repeats its last input: defined values, and no effect on the others */
	for (int k = count; k < through->shape->batch; k++)
		memcpy(in + in_size * (size_t)k, in + in_size * (size_t)(count - 1), in_size * sizeof *in);
	return VRS_OK;
}

void vrs_roi_exclude(struct vrs_worker *worker, const struct vrs_roi_set *set, int place, float *alpha)
{
	struct vrs_job *job = worker->job;
	int eye = place / set->of_input % job->eyes;
	if (!worker->excluded[eye])
		return;
	struct vrs_rect part = vrs_job_in_eye(job, eye, &set->rects[place]);
	vrs_exclusion_view_alpha(worker->excluded[eye], &part, alpha);
}

/* Batch entry k is the alpha of a place of the set. */
static bool take_alpha(struct vrs_worker *worker, const struct vrs_roi_set *set, int k, int place)
{
	struct vrs_job *job = worker->job;
	int eye = place / set->of_input % job->eyes;
	float *alpha = set->alpha + job->look_size * (size_t)place;
	vrs_head_end(worker->head, k, eye, alpha);
	const struct vrs_rectilinear_aim aim = aim_of(worker, set, place);
	struct vrs_error err = {0};
	if (vrs_rectilinear_look_back(worker, eye, &set->rects[place], &aim, alpha))
		vrs_job_fail(job, vrs_fail(&err, VRS_ENOMEM, "no memory for a map of a view"), &err);
	vrs_roi_exclude(worker, set, place, alpha);
	return true;
}

/* The open places, at most a batch; left gets those that stay open after the *ret_left that it has. */
static bool look(struct vrs_worker *worker, const struct vrs_roi_network *through, const struct vrs_roi_set *set, const int *open, int count,
		 int *left, int *ret_left)
{
	struct vrs_job *job = worker->job;
	int of_frame = set->of_input * job->eyes, first = open[0] / of_frame, frames = open[count - 1] / of_frame - first + 1;
	struct vrs_frame_task **tasks = worker->part + first;
	struct vrs_stage_step step = vrs_stage_step_begin(job);
	enum vrs_status status = fill_inputs(worker, through, set, open, count);
	vrs_stage_step_end(job, VRS_STAGE_PREPROCESS, &step, tasks, frames, &(struct vrs_stage_stats){0});
	step = vrs_stage_step_begin(job);
	struct vrs_error err = {0};
	status = status ? vrs_fail(&err, status, "no memory for a map of a view") : vrs_session_run(through->session, &err);
	if (status) {
		vrs_job_fail(job, status, &err);
		return false;
	}
	for (int k = 0; k < count; k++)
		if (!through->take(worker, set, k, open[k]))
			left[(*ret_left)++] = open[k];
	vrs_stage_step_end(job, VRS_STAGE_INFERENCE, &step, tasks, frames, &(struct vrs_stage_stats){0});
	return true;
}

int vrs_roi_run_network(struct vrs_worker *worker, const struct vrs_roi_network *through, const struct vrs_roi_set *set, const int *open, int count,
		      int *left)
{
	int batch = through->shape->batch, open_still = 0;
	for (int first = 0; first < count; first += batch)
		if (!look(worker, through, set, open + first, count - first < batch ? count - first : batch, left, &open_still))
			return -1;
	return open_still;
}

/* The small network first where there is one. */
static bool look_at_all(struct vrs_worker *worker, const struct vrs_roi_set *set, const int *open, int count)
{
	const struct vrs_job *job = worker->job;
	const struct vrs_roi_network through = {.session = worker->session, .head = worker->head, .preprocess = worker->preprocess,
		.shape = &job->shape, .keeps_luma = worker->luma && job->luma_of_input, .take = take_alpha};
	if (worker->small)
		count = vrs_cascade_look(worker, set, &open, count);
	return count >= 0 && vrs_roi_run_network(worker, &through, set, open, count, NULL) >= 0;
}

/* As vrs_roi_regions_judge where there is one region. */
static int judge_view(struct vrs_worker *worker, int i, bool last, int *open)
{
	const struct vrs_job *job = worker->job;
	struct vrs_regions *now = &worker->now[i], *next = &worker->next[i];
	next->count = 1;
	const float *alpha = worker->looks.alpha + job->look_size * (size_t)i;
	const struct vrs_rectilinear_aim before = aim_of(worker, &worker->looks, i);
	struct vrs_rectilinear_aim aim;
	enum vrs_follow_verdict verdict = vrs_follow_judge(&job->follow[i % job->eyes], &now->rect[0], alpha, job->shape.matte_width,
							   job->shape.matte_height, &next->rect[0]);
	bool again = vrs_rectilinear_look_aim(worker, i % job->eyes, &now->rect[0], &before, &next->rect[0], alpha, &aim);
	memcpy(next->aim, &aim, sizeof next->aim);
	if ((verdict == VRS_FOLLOW_GOOD && !again) || last)
		return 0;
	*now = *next;
	worker->looks.rects[i] = next->rect[0];
	*open = i;
	return 1;
}

/* Keep what was seen well; returns how many places stay open. */
static int judge(struct vrs_worker *worker, int count, bool last)
{
	const struct vrs_job *job = worker->job;
	int open = 0, k = 0;
	if (!job->info.follows)
		return 0;
	while (k < count) {
		int i = worker->open[k] / job->regions;
		while (k < count && worker->open[k] / job->regions == i)
			k++;
		open += job->regions > 1 ? vrs_roi_regions_judge(worker, i, last, worker->again + open) : judge_view(worker, i, last, worker->again + open);
	}
	memcpy(worker->open, worker->again, (size_t)open * sizeof *worker->open);
	return open;
}

/* Is nobody known in an eye when the frame comes? Its first view is known by now. */
static bool is_lost(const struct vrs_job *job, const struct vrs_frame_task *task, int eye)
{
	if (vrs_frame_task_is_first(task))
		return true;
	const struct vrs_regions *known = &job->followed[eye][first_source(task) % VRS_FOLLOW_LAG];
	return known->count == 1 && memcmp(&known->rect[0], &job->follow[eye].start, sizeof known->rect[0]) == 0;
}

/* The views of a survey that are due in input i, into worker->surveyed from `count` on; returns how many. */
static int survey_places(struct vrs_worker *worker, int i, int count)
{
	const struct vrs_job *job = worker->job;
	const struct vrs_frame_task *task = worker->part[i / job->eyes];
	int eye = i % job->eyes, due[VRS_REGIONS_MAX];
	bool wide = !worker->reuse[i / job->eyes] && (vrs_roi_is_wide(job, task) || (job->info.follows && vrs_frame_task_is_first(task)));
	int views = wide ? vrs_roi_search_due(job, vrs_frame_task_phase(job, task), wide, is_lost(job, task, eye), due) : 0;
	for (int k = 0; k < views; k++) {
		int place = i * worker->survey.of_input + due[k];
		worker->survey.rects[place] = due[k] ? vrs_roi_search_view(job, eye, due[k]) : worker->now[i].rect[0];
		worker->surveyed[count + k] = place;
	}
	return views;
}

/* What the views of a survey show is where its frames are looked at. */
static bool survey(struct vrs_worker *worker, int frames)
{
	const struct vrs_job *job = worker->job;
	int views = worker->survey.of_input, count = 0;
	for (int i = 0; i < frames * job->eyes && views > 0; i++)
		count += survey_places(worker, i, count);
	if (!look_at_all(worker, &worker->survey, worker->surveyed, count))
		return false;
	for (int k = 0, of_input; k < count; k += of_input) {
		int i = worker->surveyed[k] / views;
		for (of_input = 1; k + of_input < count && worker->surveyed[k + of_input] / views == i; of_input++)
			;
		vrs_roi_search_judge(worker, i, worker->surveyed + k, of_input);
	}
	return true;
}

/* All places of frames that are looked at, and where; returns their number, -1 when the job is over. */
static int open_places(struct vrs_worker *worker, int frames)
{
	struct vrs_job *job = worker->job;
	struct vrs_stage_stats waited = {0};
	int count = 0;
	for (int i = 0; i < frames * job->eyes; i++)
		if (!worker->reuse[i / job->eyes] &&
		    !vrs_roi_first_view(worker, worker->part[i / job->eyes], i % job->eyes, &worker->now[i], &waited.wait_input_ns))
			return -1;
	vrs_job_account(job, VRS_STAGE_PREPROCESS, &waited);
	if (!survey(worker, frames))
		return -1;
	for (int i = 0; i < frames * job->eyes; i++)
		for (int r = 0; r < worker->now[i].count && !worker->reuse[i / job->eyes]; r++) {
			worker->looks.rects[i * job->regions + r] = worker->now[i].rect[r];
			worker->open[count++] = i * job->regions + r;
		}
	return count;
}

/* Luma where the mattes lie, for mattes of another size than the network's pictures; and their scenes where views are not comparable. */
static void get_luma(struct vrs_worker *worker, int frames)
{
	const struct vrs_job *job = worker->job;
	for (int i = 0; i < frames * job->eyes; i++)
		if (!worker->reuse[i / job->eyes])
			(void)vrs_luma_view_get(&worker->luma_view[i % job->eyes], &worker->part[i / job->eyes]->frame, &worker->views[i],
						worker->luma + job->matte_size * (size_t)i,
						job->regions > 1 ? &worker->scenes[i] : NULL); /* inside the eye always */
}

/* Each part in wider views too: the mean of all. */
static bool look_wider(struct vrs_worker *worker, int frames)
{
	const struct vrs_job *job = worker->job;
	for (int scale = 1; scale < job->settings.matte.scales; scale++) {
		int count = 0;
		for (int i = 0; i < frames * job->eyes; i++)
			for (int r = 0; r < worker->now[i].count && !worker->reuse[i / job->eyes]; r++) {
				int place = i * job->regions + r;
				worker->wide.rects[place] = vrs_follow_wider(&job->follow[i % job->eyes], &worker->looks.rects[place], 1 + WIDER * scale);
				worker->open[count++] = place;
			}
		if (!look_at_all(worker, &worker->wide, worker->open, count))
			return false;
		for (int k = 0; k < count; k++) {
			int place = worker->open[k];
			float *alpha = worker->looks.alpha + job->look_size * (size_t)place;
			vrs_roi_warp_set(&worker->scaled, &worker->wide.rects[place], &worker->looks.rects[place], job->format.circle);
			vrs_roi_warp_alpha(&worker->scaled, worker->moved_alpha, worker->wide.alpha + job->look_size * (size_t)place, alpha);
			for (size_t p = 0; p < job->look_size; p++)
				alpha[p] += (worker->moved_alpha[p] - alpha[p]) / (float)(scale + 1);
		}
	}
	return true;
}

/* Of the looks at input i. */
static void make_matte(struct vrs_worker *worker, int i)
{
	const struct vrs_job *job = worker->job;
	if (job->regions > 1) {
		vrs_roi_regions_merge(worker, i);
		return;
	}
	worker->views[i] = worker->looks.rects[i];
	vrs_matte_shrink_run(&worker->shrink, worker->alpha + job->matte_size * (size_t)i, worker->looks.alpha + job->look_size * (size_t)i);
}

bool vrs_roi_inference_run(struct vrs_worker *worker, int frames)
{
	struct vrs_job *job = worker->job;
	int count = open_places(worker, frames);
	for (int looks = 1; count > 0; looks++) {
		if (!look_at_all(worker, &worker->looks, worker->open, count))
			return false;
		count = judge(worker, count, looks == VRS_FOLLOW_MOST_LOOKS);
	}
	if (count < 0 || !look_wider(worker, frames))
		return false;
	for (int i = 0; i < frames * job->eyes && !looks_are_mattes(job); i++)
		if (!worker->reuse[i / job->eyes])
			make_matte(worker, i);
	if (worker->luma && !job->luma_of_input)
		get_luma(worker, frames);
	return true;
}
