/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One stream: takes frames in groups, and does everything between decoding and encoding for them.
 *
 * Where a job follows people, a frame looks where they were VRS_FOLLOW_LAG frames before, whatever the number of streams and the batch size are: the
 * pictures depend on neither.  A frame waits for that one, so no more frames than that are before their postprocess at a time.  The first frames
 * of a film look where its first frame found them.  A frame whose matte shows that this was the wrong place (vrs_follow_judge) is looked at again.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "pipeline/job.h"
#include "pipeline/live_stage.h"

#define NEWCOMERS 30    /* frames from one wider look to the next */

static enum vrs_status create_steps(struct vrs_worker *worker)
{
	struct vrs_job *job = worker->job;
	const struct vrs_manifest *manifest = &job->network.manifest;
	for (int eye = 0; eye < job->eyes; eye++) {
		struct vrs_preprocess_options options = {.format = job->format, .rect = *vrs_job_area(job, eye), .width = job->shape.input_width,
			.height = job->shape.input_height, .bgr = manifest->bgr};
		memcpy(options.mean, manifest->mean, sizeof options.mean);
		memcpy(options.scale, manifest->scale, sizeof options.scale);
		enum vrs_status status = vrs_preprocess_create(&worker->preprocess[eye], &options);
		if (status)
			return status;
	}
	if (job->pack)
		return VRS_OK;
	struct vrs_composite_options options;
	vrs_job_composite_options(job, &options);
	return vrs_composite_create(&worker->composite, &options);
}

enum vrs_status vrs_worker_init(struct vrs_worker *worker, struct vrs_job *job, int number, struct vrs_error *err)
{
	worker->job = job;
	worker->number = number;
	size_t inputs = (size_t)job->group * (size_t)job->eyes, pixels;
	enum vrs_status status = VRS_OK;
	if (!worker->session) { /* the first worker's session came before, to learn the shapes; all share its weights */
		status = vrs_session_clone(&worker->session, job->workers[0].session, err);
		if (!status)
			status = vrs_head_create(&worker->head, &job->network.manifest, worker->session, job->eyes, err);
	}
	if (!status)
		status = create_steps(worker);
	if (status)
		return status;
	if (!vrs_mul_size(inputs, job->matte_size, &pixels))
		return vrs_fail(err, VRS_ELIMIT, "a batch of %d mattes of %dx%d is too large", (int)inputs, job->shape.matte_width,
				job->shape.matte_height);
	worker->group = vrs_calloc((size_t)job->group, sizeof(struct vrs_work *));
	worker->alpha = vrs_calloc(pixels, sizeof *worker->alpha);
	worker->scenes = vrs_calloc(inputs, sizeof *worker->scenes);
	worker->mattes = vrs_calloc(pixels, 1);
	worker->views = vrs_calloc(inputs, sizeof *worker->views);
	worker->next_views = vrs_calloc(inputs, sizeof *worker->next_views);
	worker->open = vrs_calloc((size_t)job->shape.batch, sizeof *worker->open);
	return worker->group && worker->alpha && worker->scenes && worker->mattes && worker->views && worker->next_views && worker->open ? VRS_OK :
	       VRS_ENOMEM;
}

void vrs_worker_fini(struct vrs_worker *worker)
{
	vrs_head_destroy(worker->head);
	vrs_session_destroy(worker->session);
	for (int eye = 0; eye < VRS_MAX_EYES; eye++)
		vrs_preprocess_destroy(worker->preprocess[eye]);
	vrs_composite_destroy(worker->composite);
	vrs_free(worker->group);
	vrs_free(worker->alpha);
	vrs_free(worker->scenes);
	vrs_free(worker->mattes);
	vrs_free(worker->views);
	vrs_free(worker->next_views);
	vrs_free(worker->open);
	memset(worker, 0, sizeof *worker);
}

/* Times of one step of a worker. */
struct step {
	uint64_t start_ns, cpu_ns;
};

static struct step step_begin(struct vrs_job *job)
{
	return (struct step){.start_ns = vrs_job_now(job), .cpu_ns = vrs_thread_cpu_ns()};
}

/* Account the step, and write its times into the frames that it worked on; later parts of a step extend the earlier ones. */
static void step_end(struct vrs_job *job, enum vrs_stage stage, const struct step *step, struct vrs_work **works, int count,
		     const struct vrs_stage_stats *extra)
{
	struct vrs_stage_stats stats = *extra;
	uint64_t end = vrs_job_now(job);
	stats.busy_ns = end - step->start_ns;
	stats.cpu_ns = vrs_thread_cpu_ns() - step->cpu_ns;
	for (int i = 0; i < count; i++) {
		if (!works[i]->times.end_ns[stage])
			works[i]->times.start_ns[stage] = step->start_ns;
		works[i]->times.end_ns[stage] = end;
	}
	vrs_job_account_frames(job, stage, &stats, works[0]->seq, count);
}

static bool first_of_loop(const struct vrs_work *work)
{
	return work->seq == work->loop_seq;
}

/* Does the network's state of this eye start anew with input i of the group? Remembers the scene. */
static bool forgets(struct vrs_worker *worker, int i)
{
	const struct vrs_job *job = worker->job;
	int eye = i % job->eyes;
	if (job->network.manifest.state_count == 0)
		return false;
	bool fresh = !worker->has_past[eye] || first_of_loop(worker->part[i / job->eyes]) || vrs_scene_cut(&worker->past[eye], &worker->scenes[i]);
	worker->past[eye] = worker->scenes[i];
	worker->has_past[eye] = true;
	return fresh;
}

/* Where input i of the part is looked at first; false when the job is over. */
static bool first_view(struct vrs_worker *worker, int i, uint64_t *wait_ns)
{
	struct vrs_job *job = worker->job;
	int eye = i % job->eyes;
	const struct vrs_work *work = worker->part[i / job->eyes];
	uint64_t place = work->seq - work->loop_seq, source = place < VRS_FOLLOW_LAG ? work->loop_seq : work->seq - VRS_FOLLOW_LAG;
	worker->views[i] = job->info.views[eye];
	if (!job->info.follows || first_of_loop(work))
		return true;
	if (!vrs_stage_turn_wait_past(job->turn, source, wait_ns))
		return false;
	worker->views[i] = job->followed[eye][source % VRS_FOLLOW_LAG];
	if (place % NEWCOMERS == 0)
		worker->views[i] = vrs_follow_widen(&job->follow[eye], &worker->views[i]);
	return true;
}

/* Pictures of the open inputs into the session; input i is eye i % eyes of frame i / eyes. */
static void fill_inputs(struct vrs_worker *worker, int count)
{
	struct vrs_job *job = worker->job;
	size_t in_size = (size_t)job->shape.input_width * (size_t)job->shape.input_height * 3;
	float *in = vrs_head_input(worker->head);
	for (int k = 0; k < count; k++) {
		int i = worker->open[k], eye = i % job->eyes;
		(void)vrs_preprocess_place(worker->preprocess[eye], &worker->views[i]); /* inside the eye always */
		vrs_preprocess_run(worker->preprocess[eye], &worker->part[i / job->eyes]->frame, in + in_size * (size_t)k, &worker->scenes[i]);
		vrs_head_begin(worker->head, k, eye, forgets(worker, i));
	}
	/* a batch that is not full repeats its last input: defined values, and no effect on the others */
	for (int k = count; k < job->shape.batch; k++)
		memcpy(in + in_size * (size_t)k, in + in_size * (size_t)(count - 1), in_size * sizeof *in);
}

/* Keep what was seen well; returns how many inputs stay open. */
static int judge(struct vrs_worker *worker, int count, bool last)
{
	const struct vrs_job *job = worker->job;
	int open = 0;
	for (int k = 0; k < count; k++) {
		int i = worker->open[k];
		if (!job->info.follows)
			continue;
		enum vrs_follow_verdict verdict = vrs_follow_judge(&job->follow[i % job->eyes], &worker->views[i],
								   worker->alpha + job->matte_size * (size_t)i, job->shape.matte_width,
								   job->shape.matte_height, &worker->next_views[i]);
		if (verdict == VRS_FOLLOW_GOOD || last)
			continue;
		worker->views[i] = worker->next_views[i];
		worker->open[open++] = i;
	}
	return open;
}

/* The open inputs through the network. */
static bool look(struct vrs_worker *worker, int count, struct vrs_work **works, int frames)
{
	struct vrs_job *job = worker->job;
	struct step step = step_begin(job);
	fill_inputs(worker, count);
	step_end(job, VRS_STAGE_PREPROCESS, &step, works, frames, &(struct vrs_stage_stats){0});
	step = step_begin(job);
	struct vrs_error err = {0};
	enum vrs_status status = vrs_session_run(worker->session, &err);
	if (status) {
		vrs_job_fail(job, status, &err);
		return false;
	}
	for (int k = 0; k < count; k++)
		vrs_head_end(worker->head, k, worker->open[k] % job->eyes, worker->alpha + job->matte_size * (size_t)worker->open[k]);
	step_end(job, VRS_STAGE_INFERENCE, &step, works, frames, &(struct vrs_stage_stats){0});
	return true;
}

/* Inputs [first, first + count) of the part, until each was seen well. */
static bool run_batch(struct vrs_worker *worker, int first, int count)
{
	struct vrs_job *job = worker->job;
	struct vrs_work **works = worker->part + first / job->eyes;
	int frames = (first + count - 1) / job->eyes - first / job->eyes + 1;
	struct vrs_stage_stats waited = {0};
	for (int k = 0; k < count; k++) {
		worker->open[k] = first + k;
		if (!first_view(worker, first + k, &waited.wait_input_ns))
			return false;
	}
	vrs_job_account(job, VRS_STAGE_PREPROCESS, &waited);
	for (int looks = 1; count > 0; looks++) {
		if (!look(worker, count, works, frames))
			return false;
		count = judge(worker, count, looks == VRS_FOLLOW_MOST_LOOKS);
	}
	return true;
}

static struct vrs_matte matte_of(const struct vrs_worker *worker, int input)
{
	const struct vrs_job *job = worker->job;
	return (struct vrs_matte){.width = job->shape.matte_width, .height = job->shape.matte_height, .stride = job->shape.matte_width,
		.data = worker->mattes + job->matte_size * (size_t)input};
}

/* In frame order: the past of each eye meets its next matte. */
static bool postprocess(struct vrs_worker *worker, int n)
{
	struct vrs_job *job = worker->job;
	struct vrs_work *work = worker->part[n];
	struct vrs_stage_stats stats = {.frames = 1};
	if (!vrs_stage_turn_wait(job->turn, work->seq, &stats.wait_input_ns))
		return false;
	struct step step = step_begin(job);
	for (int eye = 0; eye < job->eyes; eye++) {
		int input = n * job->eyes + eye;
		struct vrs_matte matte = matte_of(worker, input);
		if (first_of_loop(work))
			vrs_postprocess_reset(job->post[eye]);
		(void)vrs_postprocess_run(job->post[eye], worker->alpha + job->matte_size * (size_t)input, &worker->views[input], &worker->scenes[input],
					  &matte);
		if (job->info.follows)
			job->followed[eye][work->seq % VRS_FOLLOW_LAG] = worker->next_views[input];
		if (job->callbacks.on_matte && !work->warm)
			job->callbacks.on_matte(job->callbacks.cookie, (int64_t)work->seq, eye, &matte, &worker->views[input]);
	}
	vrs_stage_turn_done(job->turn);
	step_end(job, VRS_STAGE_POSTPROCESS, &step, &work, 1, &stats);
	return true;
}

/* The composed picture replaces the decoded one in work->frame. */
static enum vrs_status compose(struct vrs_worker *worker, int n, struct vrs_error *err)
{
	struct vrs_job *job = worker->job;
	struct vrs_work *work = worker->part[n];
	struct vrs_matte mattes[VRS_COMPOSITE_MAX_VIEWS] = {0};
	for (int eye = 0; eye < job->eyes; eye++) {
		mattes[eye] = matte_of(worker, n * job->eyes + eye);
		if (!job->pack)
			(void)vrs_composite_place(worker->composite, eye, &worker->views[n * job->eyes + eye]); /* inside the eye always */
	}
	if (work->behind.data[0])
		vrs_composite_behind(worker->composite, &work->behind);
	if (!job->pack && work->frame.writable && !job->prefer_pool && vrs_composite_in_place(worker->composite)) {
		vrs_composite_run(worker->composite, &work->frame, &work->frame, mattes, NULL);
		work->frame.format = vrs_composite_format(&work->frame.format);
		return VRS_OK;
	}
	struct vrs_frame out;
	struct vrs_composite_past *past;
	enum vrs_status status = vrs_frame_pool_get(job->pool, &out, &past);
	if (status)
		return vrs_fail(err, status, status == VRS_ELIMIT ? "the encoder keeps more than %d frames" : "no memory for a frame beyond %d",
				vrs_frame_pool_size(job->pool));
	if (job->pack)
		vrs_alpha_pack_run(job->pack, &out, &work->frame, mattes, &worker->views[n * job->eyes]);
	else
		vrs_composite_run(worker->composite, &out, &work->frame, mattes, vrs_composite_is_moving(worker->composite) ? NULL : past);
	vrs_frame_unref(&work->behind);
	out.pts = work->frame.pts;
	out.duration = work->frame.duration;
	out.index = work->frame.index;
	vrs_frame_unref(&work->frame);
	work->frame = out;
	return VRS_OK;
}

static bool compose_and_pass(struct vrs_worker *worker, int n)
{
	struct vrs_job *job = worker->job;
	struct vrs_work *work = worker->part[n];
	struct vrs_error err = {0};
	struct vrs_stage_stats stats = {.frames = 1};
	struct step step = step_begin(job);
	enum vrs_status status = work->warm ? VRS_OK : compose(worker, n, &err);
	if (status) {
		vrs_job_fail(job, status, &err);
		return false;
	}
	step_end(job, VRS_STAGE_COMPOSE, &step, &work, 1, &stats);
	stats = (struct vrs_stage_stats){0};
	bool taken = vrs_stage_queue_push(job->composed, work->seq, work, &stats.wait_output_ns);
	vrs_job_account(job, VRS_STAGE_COMPOSE, &stats);
	if (taken)
		worker->part[n] = NULL;
	return taken;
}

static bool work_on_part(struct vrs_worker *worker, int frames)
{
	const struct vrs_job *job = worker->job;
	int inputs = frames * job->eyes;
	for (int first = 0; first < inputs; first += job->shape.batch) {
		int left = inputs - first;
		if (!run_batch(worker, first, left < job->shape.batch ? left : job->shape.batch))
			return false;
	}
	for (int n = 0; n < frames; n++)
		if (!postprocess(worker, n))
			return false;
	for (int n = 0; n < frames; n++)
		if (!compose_and_pass(worker, n))
			return false;
	return true;
}

/* Frames that may be looked at before any of them was seen: a group, but where people are followed no frame on which another one depends. */
static int part_length(const struct vrs_worker *worker, struct vrs_work **works, int frames)
{
	int count = 1;
	if (!worker->job->info.follows)
		return frames;
	while (count < frames && count < VRS_FOLLOW_LAG && !first_of_loop(works[count - 1]))
		count++;
	return count;
}

static bool work_on_group(struct vrs_worker *worker, int frames)
{
	for (int from = 0, count; from < frames; from += count) {
		worker->part = worker->group + from;
		count = part_length(worker, worker->part, frames - from);
		if (!work_on_part(worker, count))
			return false;
	}
	return true;
}

void *vrs_worker_main(void *arg)
{
	struct vrs_worker *worker = arg;
	struct vrs_job *job = worker->job;
	bool going = true;
	char name[32];
	snprintf(name, sizeof name, "worker %d", worker->number + 1);
	vrs_job_trace_row(job, worker->number + 2, name);
	while (going) {
		struct vrs_stage_stats stats = {0};
		int frames = vrs_job_take(job, worker->group, &stats.wait_input_ns);
		stats.frames = (uint64_t)frames;
		vrs_job_account(job, VRS_STAGE_PREPROCESS, &stats);
		stats.wait_input_ns = 0;
		vrs_job_account(job, VRS_STAGE_INFERENCE, &stats);
		going = frames > 0 && work_on_group(worker, frames);
		for (int n = 0; n < frames; n++) {
			vrs_work_free(worker->group[n]);
			worker->group[n] = NULL;
		}
	}
	/* the last one out ends the stage */
	if (atomic_fetch_sub(&job->workers_left, 1) == 1)
		vrs_stage_queue_close(job->composed);
	return NULL;
}
