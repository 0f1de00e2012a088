/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured process: one job of the pipeline, told what to do on standard input, answering with one JSON line. */
#include <string.h>
#include <unistd.h>

#include <vrseg/network_run.h>
#include <vrseg/pipeline.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "bench/record/frame_metrics.h"
#include "bench/run/ceilings.h"
#include "bench/run/child_run.h"
#include "bench/run/runner.h"

bool vrs_runner_is_child(int argc, char **argv)
{
	return argc >= 2 && strcmp(argv[1], VRS_RUN_CASE_FLAG) == 0;
}

static void end_of_measurement(struct vrs_child *run)
{
	vrs_sampler_measure(run->sampler, false);
	vrs_run_usage_read(&run->events, &run->end_usage);
	vrs_job_stats(run->job, &run->end);
}

static void on_frame(void *cookie, const struct vrs_frame_times *times)
{
	struct vrs_child *run = cookie;
	uint64_t end_ns = times->end_ns[VRS_STAGE_ENCODE];
	if (run->soak && run->recorder.measuring && !run->recorder.done)
		vrs_soak_writer_frame(run->soak, end_ns - run->last_end_ns);
	run->last_end_ns = end_ns;
	switch (vrs_recorder_frame(&run->recorder, times)) {
	case VRS_RECORDER_START:
		vrs_job_stats(run->job, &run->start);
		vrs_run_usage_read(&run->events, &run->start_usage);
		vrs_sampler_measure(run->sampler, true);
		if (run->soak)
			vrs_soak_writer_begin(run->soak);
		break;
	case VRS_RECORDER_ENOUGH:
		if (run->soak)
			vrs_soak_writer_end(run->soak);
		end_of_measurement(run);
		vrs_job_stop(run->job);
		break;
	case VRS_RECORDER_GO_ON:
		break;
	}
	if (run->request->slowdown > 0)
		vrs_slow_pace_frame(&run->pace, run->request->slowdown);
}

static void on_matte(void *cookie, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	struct vrs_child *run = cookie;
	if (index < run->request->quality_frames && run->matte_status == VRS_OK)
		run->matte_status = vrs_matte_set_add(&run->mattes, index, eye, matte, covers);
}

static void take_info(const struct vrs_job *job, double share, struct vrs_run_info *to)
{
	const struct vrs_job_info *from = vrs_job_info(job);
	struct vrs_job_stats stats;
	vrs_job_stats(job, &stats);
	*to = (struct vrs_run_info){.width = from->width, .height = from->height, .eyes = from->eyes, .batch = from->batch, .threads = from->threads,
				    .streams = from->streams, .net_width = from->net_width, .net_height = from->net_height, .fps = from->fps,
				    .references = from->memory_work.references,
				    .frame_bytes = (int64_t)from->memory_work.frame_bytes, .weight_bytes = (int64_t)from->memory_work.weight_bytes,
				    .input_bytes = (int64_t)from->memory_work.input_bytes, .state_bytes = (int64_t)from->memory_work.state_bytes,
				    .frames = (int64_t)stats.frames_total, .layout = from->layout.stereo};
	vrs_strcpy(to->projection, sizeof to->projection, vrs_projection_name(from->layout.projection));
	vrs_strcpy(to->backend, sizeof to->backend, from->backend);
	vrs_strcpy(to->isa, sizeof to->isa, from->isa);
	vrs_strcpy(to->model, sizeof to->model, from->model);
	vrs_strcpy(to->device, sizeof to->device, from->device);
	vrs_strcpy(to->driver, sizeof to->driver, from->driver);
	to->device_bytes = (int64_t)from->device_bytes;
	to->device_limit_bytes = vrs_run_device_limit(from->device_memory_bytes, share);
}

/* As long as a frame lasts, unless a goal is set. */
static double deadline_ms(const struct vrs_child *child)
{
	double goal = child->settings->target.max_latency_ms, hz = child->request->live_hz;
	return goal > 0 ? goal : hz > 0 ? 1000 / hz : 0;
}

/* Counters between the two snapshots, for each frame that the stage has finished in between. */
static void stage_metrics(const struct vrs_job_stats *start, const struct vrs_job_stats *end, struct vrs_run *run)
{
	for (int s = 0; s < VRS_STAGE_COUNT; s++) {
		const struct vrs_stage_stats *a = &start->stage[s], *b = &end->stage[s];
		if (b->frames <= a->frames)
			continue;
		double scale = 1e-6 / (double)(b->frames - a->frames);
		run->stage_busy_ms[s] = scale * (double)(b->busy_ns - a->busy_ns);
		run->stage_cpu_ms[s] = scale * (double)(b->cpu_ns - a->cpu_ns);
		run->stage_wait_in_ms[s] = scale * (double)(b->wait_input_ns - a->wait_input_ns);
		run->stage_wait_out_ms[s] = scale * (double)(b->wait_output_ns - a->wait_output_ns);
	}
	run->cpu_seconds = 1e-9 * (double)(end->cpu_ns - start->cpu_ns);
	if (end->eyes_compared > start->eyes_compared)
		run->eye_agreement = (end->eyes_sum - start->eyes_sum) / (double)(end->eyes_compared - start->eyes_compared);
}

/* What the frames between the two snapshots cost by plan, and how fast that went while the stages worked. */
static void work_metrics(const struct vrs_child *child, struct vrs_run *run)
{
	const struct vrs_job_stats *a = &child->start, *b = &child->end;
	struct vrs_job_stats part = {.frames_done = b->frames_done - a->frames_done, .frames_reused = b->frames_reused - a->frames_reused,
				     .early_looks = b->early_looks - a->early_looks, .early_enough = b->early_enough - a->early_enough};
	struct vrs_frame_work work = vrs_job_frame_work(&part, vrs_job_info(child->job));
	double net_ms = run->stage_busy_ms[VRS_STAGE_INFERENCE], moved = 0, moving_ms = 0;
	for (int s = VRS_STAGE_PREPROCESS; s <= VRS_STAGE_COMPOSE; s++) /* the others are FFmpeg's */
		if (work.bytes[s] > 0 && run->stage_busy_ms[s] > 0) {
			moved += work.bytes[s];
			moving_ms += run->stage_busy_ms[s];
		}
	if (work.gflop > 0 && net_ms > 0) {
		run->net_gflop_per_frame = work.gflop;
		run->net_gflops = 1e3 * work.gflop / net_ms;
	}
	if (moved > 0) {
		run->moved_bytes_per_frame = moved;
		run->moved_gbps = 1e-6 * moved / moving_ms;
	}
}

static enum vrs_status frame_metrics(struct vrs_child *child, struct vrs_run *run, struct vrs_error *err)
{
	const struct vrs_live_goal goal = {child->request->live_hz, deadline_ms(child)};
	struct vrs_frames_reader reader;
	enum vrs_status status = vrs_frames_reader_of_writer(&reader, &child->writer, err);
	if (status != VRS_OK)
		return status;
	status = vrs_frame_metrics(&reader, &goal, run, err);
	vrs_frames_reader_close(&reader);
	return status == VRS_OK ? vrs_frames_writer_commit(&child->writer, err) : status;
}

static enum vrs_status collect_metrics(struct vrs_child *child, struct vrs_run_reply *reply, struct vrs_error *err)
{
	struct vrs_run *run = &reply->run;
	if (!child->recorder.done)
		return vrs_fail(err, VRS_EINTERNAL, "the job ended after %lld frames, before the measurement was complete",
				(long long)child->recorder.count);
	stage_metrics(&child->start, &child->end, run);
	work_metrics(child, run);
	run->first_frame_ms = child->recorder.first_frame_ms;
	run->warmup_seconds = child->recorder.start_seconds;
	run->warmup_settled = child->recorder.settled;
	run->queue_bytes = (int64_t)child->end.queue_bytes;
	run->peak_rss_bytes = child->end.peak_rss_bytes ? (int64_t)child->end.peak_rss_bytes : -1;
	if (reply->info.eyes > 0 && reply->info.batch > 0)
		run->net_ms = run->stage_busy_ms[VRS_STAGE_INFERENCE] * reply->info.batch / reply->info.eyes;
	enum vrs_status status = frame_metrics(child, run, err);
	vrs_run_usage_put(&child->start_usage, &child->end_usage, child->events.user_only, run);
	return status;
}

/* What is measured is one job as it is: nothing from caches, no sound, and no end but the recorder's. */
static void prepare_settings(const struct vrs_run_request *request, struct vrs_settings *settings)
{
	vrs_strcpy(settings->output.file, sizeof settings->output.file, request->output);
	settings->output.overwrite = true;
	settings->cache.enabled = false;
	settings->output.audio = false; /* a looped clip has no sensible sound */
	settings->pipeline.max_frames = 0;
	settings->report.strict = false; /* the parent has judged the cases, and said what there is to say */
	settings->pipeline.live = request->live_hz > 0 && !request->probe;
	settings->pipeline.live_fps = settings->pipeline.live ? request->live_hz : 0;
	if (request->probe)
		settings->pipeline.every_nth = 1; /* the reply tells how many frames the input has */
	if (!settings->pipeline.live)
		settings->pipeline.late_frames = VRS_LATE_REUSE; /* as it is by default: nothing is late */
}

/* A case with another batch or number of streams than it asks for would measure something else. */
static enum vrs_status check_memory(const struct vrs_settings *settings, const struct vrs_job_info *info, struct vrs_error *err)
{
	if (!info->device_lowered[0] || (!settings->engine.batch_size && !settings->engine.streams))
		return VRS_OK;
	return vrs_fail(err, VRS_ENOMEM, "memory of the device does not suffice: %s", info->device_lowered);
}

static int64_t loop_frames(const struct vrs_job *job)
{
	struct vrs_job_stats stats;
	vrs_job_stats(job, &stats);
	return (int64_t)stats.loop_frames;
}

static enum vrs_status run_job(struct vrs_child *child, struct vrs_run_reply *reply, struct vrs_error *err)
{
	const struct vrs_run_request *request = child->request;
	struct vrs_job_callbacks callbacks = {.cookie = child, .on_frame = on_frame};
	if (request->quality_frames > 0)
		callbacks.on_matte = on_matte;
	uint64_t start = vrs_now_ns();
	int loops = request->probe ? 1 : 0; /* without end a job has no number of frames */
	enum vrs_status status = vrs_job_create(&child->job, request->input, child->settings, loops, &callbacks, err);
	if (status != VRS_OK)
		return status;
	reply->run.load_ms = 1e-6 * (double)(vrs_now_ns() - start);
	const struct vrs_job_info *info = vrs_job_info(child->job);
	take_info(child->job, child->settings->engine.max_memory_fraction, &reply->info);
	if (request->probe)
		return VRS_OK;
	status = check_memory(child->settings, info, err);
	if (status == VRS_OK)
		status = vrs_frames_writer_open(&child->writer, request->frames_file, err);
	if (status != VRS_OK)
		return status;
	vrs_recorder_init(&child->recorder, &request->rules, &child->writer);
	vrs_matte_set_init(&child->mattes, info->width, info->height);
	if (vrs_layout_is_whole_turn(&info->layout))
		child->mattes.circle = vrs_layout_eye(&info->layout, info->width, info->height, 0).width;
	if (request->soak_file[0]) {
		vrs_stop_install(); /* a long run that is stopped ends with what it has */
		vrs_stop_hold(); /* as long as the process lives */
		status = vrs_soak_writer_create(&child->soak, request->soak_file, vrs_soak_window_seconds(request->rules.duration_seconds), err);
		if (status != VRS_OK)
			return status;
	}
	child->sampler = vrs_sampler_start(request->frames_file);
	status = vrs_job_run(child->job, err);
	vrs_stop_flush_begin(); /* millions of frame times are read back and summed up */
	vrs_soak_writer_destroy(child->soak);
	if (status == VRS_ESTOPPED && child->soak && !child->recorder.done && vrs_recorder_end(&child->recorder))
		end_of_measurement(child);
	if (status == VRS_ESTOPPED && child->recorder.done)
		status = VRS_OK;
	if (status == VRS_OK)
		status = collect_metrics(child, reply, err);
	vrs_sampler_stop(child->sampler, &reply->run, status == VRS_OK);
	vrs_matte_set_place(&child->mattes, child->settings->pipeline.every_nth, loop_frames(child->job));
	if (status == VRS_OK)
		status = vrs_child_quality(child, &reply->run, err);
	return status == VRS_OK ? vrs_child_output(child, &reply->run, err) : status;
}

/* Memory for the arrays goes with the process. */
static enum vrs_status measure_ceilings(struct vrs_result_ceilings *ret, struct vrs_error *err)
{
	struct vrs_peaks peaks;
	enum vrs_status status = vrs_ceilings_probe(0, &peaks, err);
	if (status != VRS_OK)
		return status;
	*ret = (struct vrs_result_ceilings){.threads = peaks.best.threads, .fma_gflops_1 = peaks.best.fma_gflops_1,
					    .fma_gflops_all = peaks.best.fma_gflops_all, .triad_gbps = peaks.best.triad_gbps,
					    .leaves_cache = peaks.best.leaves_cache, .probed_fma_gflops_1 = peaks.probed_fma_gflops_1,
					    .probed_triad_gbps = peaks.probed_triad_gbps};
	vrs_strcpy(ret->isa, sizeof ret->isa, peaks.best.isa);
	vrs_strcpy(ret->note, sizeof ret->note, peaks.note);
	return VRS_OK;
}

/* The work itself: reply->status says how the job ended. */
static void run_request(const struct vrs_run_request *request, const struct vrs_config *config, struct vrs_run_reply *reply)
{
	struct vrs_settings settings = *vrs_config_settings(config);
	struct vrs_child *child = vrs_calloc(1, sizeof *child);
	struct vrs_error err = {.status = VRS_OK};
	*reply = (struct vrs_run_reply){.status = VRS_OK};
	vrs_run_init(&reply->run);
	vrs_result_ceilings_init(&reply->ceilings);
	vrs_utc_text(reply->run.started_utc, sizeof reply->run.started_utc);
	prepare_settings(request, &settings);
	if (child)
		vrs_perf_events_open(&child->events);
	if (!child) {
		reply->status = VRS_ENOMEM;
	} else if (request->ceilings) {
		reply->status = measure_ceilings(&reply->ceilings, &err);
	} else if (request->calibrate) {
		struct vrs_calibration_report report;
		reply->status = vrs_calibrate_input(&settings, request->input, &report, &err);
	} else if (request->net_only) {
		reply->status = vrs_child_net(request, &settings, reply, &err);
	} else {
		child->request = request;
		child->settings = &settings;
		reply->status = run_job(child, reply, &err);
	}
	reply->run.status = reply->status == VRS_OK ? VRS_RUN_OK : VRS_RUN_FAILED;
	if (reply->status != VRS_OK) {
		if (err.status == VRS_OK)
			(void)vrs_fail(&err, reply->status, "%s", vrs_status_str(reply->status));
		(void)vrs_error_str(&err, reply->error, sizeof reply->error);
	}
	if (child) {
		vrs_job_destroy(child->job);
		vrs_perf_events_close(&child->events);
		vrs_frames_writer_discard(&child->writer);
		vrs_matte_set_fini(&child->mattes);
	}
	vrs_free(child);
	if (!request->probe && request->output[0] && strcmp(request->output, "null:") != 0)
		(void)unlink(request->output); /* the video itself is of no interest */
}

int vrs_runner_child_main(FILE *in, FILE *out)
{
	static char text[VRS_RUN_TEXT_MAX];
	struct vrs_run_request request;
	struct vrs_run_reply reply = {.status = VRS_OK};
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_config *config = NULL;
	vrs_run_init(&reply.run);
	vrs_result_ceilings_init(&reply.ceilings);
	size_t length = fread(text, 1, sizeof text, in);
	enum vrs_status status = ferror(in) ? VRS_EIO : vrs_config_create(&config);
	if (status == VRS_OK)
		status = vrs_run_request_read(text, length, &request, config, &err);
	if (status == VRS_OK) {
		run_request(&request, config, &reply);
		status = reply.status;
	} else {
		reply.status = status;
		(void)vrs_error_str(&err, reply.error, sizeof reply.error);
	}
	vrs_config_destroy(config);
	enum vrs_status written = vrs_run_reply_write(&reply, out);
	return vrs_exit_code(status != VRS_OK ? status : written);
}
