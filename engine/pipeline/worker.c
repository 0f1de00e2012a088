/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One stream: takes frames in groups, and does everything between decoding and encoding for them. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "pipeline/job.h"

static enum vrs_status create_steps(struct vrs_worker *worker)
{
	struct vrs_job *job = worker->job;
	const struct vrs_manifest *manifest = &job->network.manifest;
	for (int eye = 0; eye < job->eyes; eye++) {
		struct vrs_preprocess_options options = {.format = job->format, .rect = job->info.views[eye], .width = job->shape.input_width,
			.height = job->shape.input_height, .bgr = manifest->bgr};
		memcpy(options.mean, manifest->mean, sizeof options.mean);
		memcpy(options.scale, manifest->scale, sizeof options.scale);
		enum vrs_status status = vrs_preprocess_create(&worker->preprocess[eye], &options);
		if (status)
			return status;
	}
	struct vrs_composite_options options = {.format = job->format, .mode = (enum vrs_composite_mode)job->settings.output.mode,
		.view_count = job->eyes, .matte_width = job->shape.matte_width, .matte_height = job->shape.matte_height};
	memcpy(options.color, job->settings.output.color, sizeof options.color);
	memcpy(options.views, job->info.views, sizeof options.views);
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
	return worker->group && worker->alpha && worker->scenes && worker->mattes ? VRS_OK : VRS_ENOMEM;
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
	vrs_job_account(job, stage, &stats);
}

/* Does the network's state of this eye start anew with input i of the group? Remembers the scene. */
static bool forgets(struct vrs_worker *worker, int i)
{
	const struct vrs_job *job = worker->job;
	int eye = i % job->eyes;
	if (job->network.manifest.state_count == 0)
		return false;
	bool fresh = !worker->has_past[eye] || worker->group[i / job->eyes]->first_of_loop || vrs_scene_cut(&worker->past[eye], &worker->scenes[i]);
	worker->past[eye] = worker->scenes[i];
	worker->has_past[eye] = true;
	return fresh;
}

/* Inputs [first, first + count) of the group through the network; input i is eye i % eyes of frame i / eyes. */
static bool run_batch(struct vrs_worker *worker, int first, int count)
{
	struct vrs_job *job = worker->job;
	const struct vrs_network_shape *shape = &job->shape;
	size_t in_size = (size_t)shape->input_width * (size_t)shape->input_height * 3;
	struct vrs_work **works = worker->group + first / job->eyes;
	int frames = (first + count - 1) / job->eyes - first / job->eyes + 1;
	float *in = vrs_head_input(worker->head);
	struct step step = step_begin(job);
	for (int i = first; i < first + count; i++) {
		vrs_preprocess_run(worker->preprocess[i % job->eyes], &worker->group[i / job->eyes]->frame, in + in_size * (size_t)(i - first),
				   &worker->scenes[i]);
		vrs_head_begin(worker->head, i - first, i % job->eyes, forgets(worker, i));
	}
	/* a batch that is not full repeats its last input: defined values, and no effect on the others */
	for (int i = count; i < shape->batch; i++)
		memcpy(in + in_size * (size_t)i, in + in_size * (size_t)(count - 1), in_size * sizeof *in);
	step_end(job, VRS_STAGE_PREPROCESS, &step, works, frames, &(struct vrs_stage_stats){0});
	step = step_begin(job);
	struct vrs_error err = {0};
	enum vrs_status status = vrs_session_run(worker->session, &err);
	if (status) {
		vrs_job_fail(job, status, &err);
		return false;
	}
	for (int i = 0; i < count; i++)
		vrs_head_end(worker->head, i, (first + i) % job->eyes, worker->alpha + job->matte_size * (size_t)(first + i));
	step_end(job, VRS_STAGE_INFERENCE, &step, works, frames, &(struct vrs_stage_stats){0});
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
	struct vrs_work *work = worker->group[n];
	struct vrs_stage_stats stats = {.frames = 1};
	if (!vrs_stage_turn_wait(job->turn, work->seq, &stats.wait_input_ns))
		return false;
	struct step step = step_begin(job);
	for (int eye = 0; eye < job->eyes; eye++) {
		int input = n * job->eyes + eye;
		struct vrs_matte matte = matte_of(worker, input);
		if (work->first_of_loop)
			vrs_postprocess_reset(job->post[eye]);
		(void)vrs_postprocess_run(job->post[eye], worker->alpha + job->matte_size * (size_t)input, &worker->scenes[input], &matte);
		if (job->callbacks.on_matte)
			job->callbacks.on_matte(job->callbacks.cookie, (int64_t)work->seq, eye, &matte, &job->info.views[eye]);
	}
	vrs_stage_turn_done(job->turn);
	step_end(job, VRS_STAGE_POSTPROCESS, &step, &work, 1, &stats);
	return true;
}

/* The composed picture replaces the decoded one in work->frame. */
static enum vrs_status compose(struct vrs_worker *worker, int n, struct vrs_error *err)
{
	struct vrs_job *job = worker->job;
	struct vrs_work *work = worker->group[n];
	struct vrs_matte mattes[VRS_COMPOSITE_MAX_VIEWS] = {0};
	for (int eye = 0; eye < job->eyes; eye++)
		mattes[eye] = matte_of(worker, n * job->eyes + eye);
	if (work->frame.writable && !job->prefer_pool && vrs_composite_in_place(worker->composite)) {
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
	vrs_composite_run(worker->composite, &out, &work->frame, mattes, past);
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
	struct vrs_work *work = worker->group[n];
	struct vrs_error err = {0};
	struct vrs_stage_stats stats = {.frames = 1};
	struct step step = step_begin(job);
	enum vrs_status status = compose(worker, n, &err);
	if (status) {
		vrs_job_fail(job, status, &err);
		return false;
	}
	step_end(job, VRS_STAGE_COMPOSE, &step, &work, 1, &stats);
	stats = (struct vrs_stage_stats){0};
	bool taken = vrs_stage_queue_push(job->composed, work->seq, work, &stats.wait_output_ns);
	vrs_job_account(job, VRS_STAGE_COMPOSE, &stats);
	if (taken)
		worker->group[n] = NULL;
	return taken;
}

static bool work_on_group(struct vrs_worker *worker, int frames)
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

void *vrs_worker_main(void *arg)
{
	struct vrs_worker *worker = arg;
	struct vrs_job *job = worker->job;
	bool going = true;
	while (going) {
		struct vrs_stage_stats stats = {0};
		int frames = vrs_stage_queue_pop(job->decoded, (void **)worker->group, job->group, &stats.wait_input_ns);
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
