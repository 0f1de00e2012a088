/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/child.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vrseg/pipeline.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/frames_file.h"
#include "bench/slow_pace.h"
#include "bench/stats.h"

/* One run in progress. on_frame and on_matte come from threads of the job, one at a time for each kind. */
struct child_run {
	const struct vrs_run_request *request;
	struct vrs_job *job;
	struct vrs_recorder recorder;
	struct vrs_matte_set mattes;
	enum vrs_status matte_status;
	struct vrs_job_stats start, end;   /* counters at both ends of the measured part */
	struct vrs_slow_pace pace;
};

bool vrs_child_requested(int argc, char **argv)
{
	return argc >= 2 && strcmp(argv[1], VRS_RUN_CASE_FLAG) == 0;
}

static void on_frame(void *cookie, const struct vrs_frame_times *times)
{
	struct child_run *run = cookie;
	switch (vrs_recorder_frame(&run->recorder, times)) {
	case VRS_RECORDER_START:
		vrs_job_stats(run->job, &run->start);
		break;
	case VRS_RECORDER_ENOUGH:
		vrs_job_stats(run->job, &run->end);
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
	struct child_run *run = cookie;
	if (index < run->request->quality_frames && run->matte_status == VRS_OK)
		run->matte_status = vrs_matte_set_add(&run->mattes, index, eye, matte, covers);
}

static void take_info(const struct vrs_job_info *from, struct vrs_run_info *to)
{
	*to = (struct vrs_run_info){.width = from->width, .height = from->height, .eyes = from->eyes, .batch = from->batch, .threads = from->threads,
				    .streams = from->streams, .net_width = from->net_width, .net_height = from->net_height, .fps = from->fps};
	vrs_strcpy(to->layout, sizeof to->layout, vrs_stereo_name(from->layout.stereo));
	vrs_strcpy(to->projection, sizeof to->projection, vrs_projection_name(from->layout.projection));
	vrs_strcpy(to->backend, sizeof to->backend, from->backend);
	vrs_strcpy(to->isa, sizeof to->isa, from->isa);
	vrs_strcpy(to->model, sizeof to->model, from->model);
	vrs_strcpy(to->codec, sizeof to->codec, from->codec);
}

static double quantile_or_nan(const double *values, int n, double p)
{
	double value;
	bool supported = n >= (p < 1 ? vrs_stats_quantile_min_n(p, 0.95) : 1) && vrs_stats_quantile(values, n, p, &value) == VRS_OK;
	return supported ? value : NAN;
}

static double median_or_nan(const double *values, int n)
{
	double value;
	return vrs_stats_median(values, n, &value) == VRS_OK ? value : NAN;
}

/* frames[0] ends the warm-up; n measured frames follow. */
static enum vrs_status frame_metrics(const struct vrs_frame_times *frames, size_t n, struct vrs_run *run)
{
	double *ms = vrs_realloc_array(NULL, n, sizeof *ms);
	if (!ms)
		return VRS_ENOMEM;
	for (size_t i = 0; i < n; i++)
		ms[i] = 1e-6 * (double)(frames[i + 1].end_ns[VRS_STAGE_ENCODE] - frames[i].end_ns[VRS_STAGE_ENCODE]);
	run->frames = (int64_t)n;
	run->wall_seconds = 1e-9 * (double)(frames[n].end_ns[VRS_STAGE_ENCODE] - frames[0].end_ns[VRS_STAGE_ENCODE]);
	run->fps = run->wall_seconds > 0 ? (double)n / run->wall_seconds : NAN;
	run->frame_mean_ms = 1e3 * run->wall_seconds / (double)n;
	run->frame_median_ms = median_or_nan(ms, (int)n);
	run->frame_p90_ms = quantile_or_nan(ms, (int)n, 0.90);
	run->frame_p95_ms = quantile_or_nan(ms, (int)n, 0.95);
	run->frame_p99_ms = quantile_or_nan(ms, (int)n, 0.99);
	run->frame_max_ms = quantile_or_nan(ms, (int)n, 1);
	for (size_t i = 0; i < n; i++)
		ms[i] = 1e-6 * (double)(frames[i + 1].end_ns[VRS_STAGE_ENCODE] - frames[i + 1].start_ns[VRS_STAGE_DECODE]);
	run->latency_median_ms = median_or_nan(ms, (int)n);
	run->latency_p95_ms = quantile_or_nan(ms, (int)n, 0.95);
	run->latency_p99_ms = quantile_or_nan(ms, (int)n, 0.99);
	vrs_free(ms);
	return VRS_OK;
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
}

static enum vrs_status collect_metrics(const struct child_run *child, struct vrs_run_reply *reply, struct vrs_error *err)
{
	const struct vrs_frame_times *frames = NULL;
	struct vrs_run *run = &reply->run;
	size_t n = vrs_recorder_measured(&child->recorder, &frames);
	if (child->recorder.failed)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory for the times of %zu frames", child->recorder.count);
	if (!child->recorder.done || n == 0)
		return vrs_fail(err, VRS_EINTERNAL, "the job ended after %zu frames, before the measurement was complete", child->recorder.count);
	enum vrs_status status = frame_metrics(frames, n, run);
	if (status != VRS_OK)
		return vrs_fail(err, status, "there is not enough memory for the metrics of %zu frames", n);
	stage_metrics(&child->start, &child->end, run);
	run->first_frame_ms = child->recorder.first_frame_ms;
	run->warmup_seconds = 1e-9 * (double)frames[0].end_ns[VRS_STAGE_ENCODE];
	run->warmup_settled = child->recorder.settled;
	run->queue_bytes = (int64_t)child->end.queue_bytes;
	run->peak_rss_bytes = child->end.peak_rss_bytes ? (int64_t)child->end.peak_rss_bytes : -1;
	if (reply->info.eyes > 0 && reply->info.batch > 0)
		run->net_ms = run->stage_busy_ms[VRS_STAGE_INFERENCE] * reply->info.batch / reply->info.eyes;
	if (child->request->frames_file[0])
		status = vrs_frames_write(child->request->frames_file, frames, n + 1, err);
	return status;
}

/* Quality after the clock has stopped. What cannot be compared stays absent; the speed is measured all the same. */
static enum vrs_status collect_quality(struct child_run *child, struct vrs_run *run, struct vrs_error *err)
{
	const struct vrs_run_request *request = child->request;
	const struct vrs_job_info *info = vrs_job_info(child->job);
	struct vrs_matte_score score;
	enum vrs_status status = VRS_OK;
	if (child->mattes.count == 0)
		return VRS_OK;
	if (request->mattes_file[0])
		status = vrs_matte_set_write(&child->mattes, request->mattes_file, err);
	if (status == VRS_OK && request->reference_file[0]) {
		struct vrs_matte_set reference;
		status = vrs_matte_set_read(&reference, request->reference_file, err);
		if (status == VRS_OK && vrs_matte_set_compare(&child->mattes, &reference, &score) == VRS_OK) {
			run->agreement = score.iou;
			run->quality_frames = score.frames;
		}
		if (status == VRS_OK)
			vrs_matte_set_fini(&reference);
	}
	if (status == VRS_OK && request->truth_file[0]) {
		const struct vrs_truth_file truth = {request->truth_file, request->truth_width, request->truth_height, request->truth_frames};
		const struct vrs_rect eyes[2] = {vrs_layout_eye(&info->layout, info->width, info->height, 0),
						 vrs_layout_eye(&info->layout, info->width, info->height, info->eyes > 1 ? 1 : 0)};
		status = vrs_matte_set_score(&child->mattes, &truth, eyes, 3, &score, err);
		if (status == VRS_OK && score.frames > 0) {
			run->iou = score.iou;
			run->mad = score.mad;
			run->boundary_f = score.boundary_f;
			run->quality_frames = score.frames;
		}
	}
	return status;
}

static enum vrs_status run_job(struct child_run *child, const struct vrs_config *config, struct vrs_run_reply *reply, struct vrs_error *err)
{
	const struct vrs_run_request *request = child->request;
	struct vrs_settings settings = *vrs_config_settings(config);
	struct vrs_job_callbacks callbacks = {.cookie = child, .on_frame = on_frame};
	if (request->quality_frames > 0)
		callbacks.on_matte = on_matte;
	vrs_strcpy(settings.output.file, sizeof settings.output.file, request->output);
	settings.output.overwrite = true;
	settings.cache.enabled = false;   /* what is measured must run */
	settings.output.audio = false;    /* a looped clip has no sensible sound */
	settings.pipeline.max_frames = 0; /* the recorder decides when there are enough */
	uint64_t start = vrs_now_ns();
	enum vrs_status status = vrs_job_create(&child->job, request->input, &settings, 0, &callbacks, err);
	if (status != VRS_OK)
		return status;
	reply->run.load_ms = 1e-6 * (double)(vrs_now_ns() - start);
	take_info(vrs_job_info(child->job), &reply->info);
	if (request->probe)
		return VRS_OK;
	vrs_recorder_init(&child->recorder, &request->rules);
	vrs_matte_set_init(&child->mattes, reply->info.width, reply->info.height);
	const struct vrs_job_info *info = vrs_job_info(child->job);
	if (vrs_layout_is_whole_turn(&info->layout))
		child->mattes.circle = vrs_layout_eye(&info->layout, info->width, info->height, 0).width;
	status = vrs_job_run(child->job, err);
	if (status == VRS_ESTOPPED && child->recorder.done)
		status = VRS_OK;
	if (status == VRS_OK)
		status = collect_metrics(child, reply, err);
	if (status == VRS_OK)
		status = collect_quality(child, &reply->run, err);
	return status;
}

void vrs_child_run(const struct vrs_run_request *request, const struct vrs_config *config, struct vrs_run_reply *reply)
{
	struct child_run child = {.request = request, .matte_status = VRS_OK};
	struct vrs_error err = {.status = VRS_OK};
	*reply = (struct vrs_run_reply){.status = VRS_OK};
	vrs_run_init(&reply->run);
	vrs_utc_text(reply->run.started_utc, sizeof reply->run.started_utc);
	reply->status = run_job(&child, config, reply, &err);
	reply->run.status = reply->status == VRS_OK ? VRS_RUN_OK : VRS_RUN_FAILED;
	if (reply->status != VRS_OK) {
		if (err.status == VRS_OK)
			(void)vrs_fail(&err, reply->status, "%s", vrs_status_str(reply->status));
		(void)vrs_error_str(&err, reply->error, sizeof reply->error);
	}
	vrs_job_destroy(child.job);
	vrs_recorder_fini(&child.recorder);
	vrs_matte_set_fini(&child.mattes);
	if (!request->probe && request->output[0] && !strchr(request->output, ':'))
		(void)unlink(request->output); /* the video itself is of no interest */
}

/* All of a stream, bounded. */
static enum vrs_status read_all(FILE *in, struct vrs_buf *buf)
{
	char block[4096];
	size_t n;
	enum vrs_status status = VRS_OK;
	vrs_buf_init(buf, VRS_RUN_TEXT_MAX);
	while (status == VRS_OK && (n = fread(block, 1, sizeof block, in)) > 0)
		status = vrs_buf_append(buf, block, n);
	return status == VRS_OK && ferror(in) ? VRS_EIO : status;
}

int vrs_child_main(FILE *in, FILE *out)
{
	struct vrs_run_request request;
	struct vrs_run_reply reply = {.status = VRS_OK};
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_config *config = NULL;
	struct vrs_buf text;
	vrs_run_init(&reply.run);
	enum vrs_status status = read_all(in, &text);
	if (status == VRS_OK)
		status = vrs_config_create(&config);
	if (status == VRS_OK)
		status = vrs_run_request_read(vrs_buf_str(&text), text.len, &request, config, &err);
	if (status == VRS_OK) {
		vrs_child_run(&request, config, &reply);
		status = reply.status;
	} else {
		reply.status = status;
		(void)vrs_error_str(&err, reply.error, sizeof reply.error);
	}
	vrs_config_destroy(config);
	vrs_buf_fini(&text);
	enum vrs_status written = vrs_run_reply_write(&reply, out);
	return vrs_exit_code(status != VRS_OK ? status : written);
}
