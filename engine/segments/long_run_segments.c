/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One segment of a video: a job of its own whose output is the segment file. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str_parse.h"
#include "segments/long_run.h"
#include "job/disk_space.h"
#include "video/sink.h"

#include <vrseg/log.h>

/* By the size of the segments that are there, else by experience. */
enum vrs_status vrs_long_run_check_space(const struct vrs_long_run *run, struct vrs_error *err)
{
	const struct vrs_segment_plan *plan = &run->ckpt.plan;
	double frames = (double)vrs_checkpoint_frames(&run->ckpt), bytes = 0;
	for (int i = 0; i < plan->segments; i++)
		bytes += (double)run->ckpt.segments[i].bytes;
	double whole = frames > 0 ? bytes / frames * (double)plan->frames : vrs_disk_estimate(&run->settings, &run->info, (double)plan->frames);
	return vrs_disk_check(run->settings.output.file, whole - bytes / 2, 2, frames > 0, err); /* twice the video, less what is there */
}

void vrs_long_run_count_earlier(struct vrs_long_run *run)
{
	run->stats.frames_earlier = 0;
	for (int i = 0; i < run->ckpt.plan.segments; i++) {
		const struct vrs_segment_record *segment = &run->ckpt.segments[i];
		run->stats.frames_earlier += segment->done && !segment->is_new ? (uint64_t)segment->frames : 0;
	}
}

enum vrs_status vrs_long_run_check_files(const struct vrs_long_run *run, struct vrs_error *err)
{
	if (run->other_networks)
		return vrs_fail(err, VRS_EIO, "the network %s was changed or replaced while it was in use; run the command again with --no-resume",
				run->settings.engine.model);
	return vrs_job_stamps_check(&run->stamps, &run->settings, err);
}

enum vrs_status vrs_long_run_save(const struct vrs_long_run *run, struct vrs_error *err)
{
	enum vrs_status status = vrs_lease_check(run->folder.lease, err);
	return status == VRS_OK ? vrs_checkpoint_write(&run->ckpt, run->checkpoint, err) : status;
}

void vrs_long_run_drop_file(const struct vrs_long_run *run, const char *path)
{
	if (vrs_lease_check(run->folder.lease, NULL) == VRS_OK)
		(void)remove(path); /* an empty folder, too: somebody's mistake */
}

enum vrs_status vrs_long_run_record(struct vrs_long_run *run, int number, const struct vrs_segment_record *record, struct vrs_error *err)
{
	bool first = vrs_checkpoint_frames(&run->ckpt) == 0;
	enum vrs_status status = vrs_lease_check(run->folder.lease, err);
	if (status == VRS_OK)
		status = vrs_long_run_check_files(run, err);
	if (status != VRS_OK)
		return status;
	run->ckpt.segments[number] = *record;
	status = vrs_long_run_save(run, err);
	if (status == VRS_OK)
		vrs_long_run_past_clean(run, number);
	return status == VRS_OK && first && record->frames > 0 ? vrs_long_run_check_space(run, err) : status; /* now it is known how large segments are */
}

int64_t vrs_long_run_frames_left(const struct vrs_long_run *run, int number)
{
	int64_t left = run->ckpt.plan.max_frames;
	if (left <= 0)
		return INT64_MAX;
	for (int i = 0; i < number; i++)
		left -= run->ckpt.segments[i].frames;
	return left > 0 ? left : 0;
}

/* Size and hash of the segment file, zeros where there is none.  One that cannot be read has a hash that no file has: it is made again. */
static void note_file(const struct vrs_long_run *run, int number, struct vrs_segment_record *record)
{
	char file[VRS_PATH_MAX];
	struct stat st;
	if (!vrs_segment_file(&run->folder, number, file, sizeof file) || stat(file, &st) != 0)
		return;
	record->bytes = st.st_size;
	(void)!vrs_segment_file_hash(file, &record->hash, NULL);
}

void vrs_long_run_choose_encoder(const struct vrs_long_run *run, struct vrs_settings *ret)
{
	const struct vrs_settings *asked = &run->settings;
	vrs_sink_encoder_for(ret->output.encoder, asked->output.file, asked->output.encoder, asked->output.mode == VRS_MODE_CUTOUT);
}

enum vrs_status vrs_long_run_segment_settings(const struct vrs_long_run *run, int number, struct vrs_settings *ret, struct vrs_error *err)
{
	*ret = run->settings;
	ret->output.overwrite = true;
	if (!vrs_segment_file(&run->folder, number, ret->output.file, sizeof ret->output.file))
		return vrs_fail(err, VRS_ELIMIT, "the name %s is too long", run->folder.path);
	vrs_long_run_choose_encoder(run, ret);
	const struct vrs_segment_plan *plan = &run->ckpt.plan;
	int64_t left = vrs_long_run_frames_left(run, number);
	if (!run->trims && number + 1 < plan->segments && (!plan->keeps_past || left / 2 >= plan->segment_frames))
		left = INT64_MAX;
	ret->pipeline.max_frames = left < INT32_MAX ? (int)left : 0;
	return VRS_OK;
}

static void drop_file(const struct vrs_long_run *run, int number)
{
	char file[VRS_PATH_MAX];
	if (vrs_segment_file(&run->folder, number, file, sizeof file))
		vrs_long_run_drop_file(run, file);
}

void vrs_long_run_drop_tail(struct vrs_long_run *run)
{
	if (run->tail_segment >= 0)
		drop_file(run, run->tail_segment);
	run->tail_segment = -1;
}

void vrs_long_run_keep_tail(struct vrs_long_run *run, int number, const struct vrs_segment_record *record, const struct vrs_job_stats *stats,
			    bool truncated)
{
	if (run->tail_segment >= 0 && run->tail_segment < number) {
		drop_file(run, number); /* this process was further ahead, where one would not have come to */
		return;
	}
	vrs_long_run_drop_tail(run);
	run->tail = *record;
	run->tail_stats = stats ? *stats : (struct vrs_job_stats){0};
	run->tail_segment = number;
	run->truncated = truncated;
}

struct vrs_segment_record vrs_long_run_take(struct vrs_long_run *run, int number, const struct vrs_segment_outcome *outcome)
{
	run->other_networks |= outcome->result.frames > 0 && outcome->result.networks != run->networks;
	if (run->ckpt.sums)
		run->ckpt.sums[number] = outcome->truth;
	if (outcome->truth_error.status && !run->truth_error.status)
		run->truth_error = outcome->truth_error;
	struct vrs_segment_record record = {.done = true, .is_new = true, .frames = (int64_t)outcome->result.frames, .first_pts = outcome->result.first_pts,
		.end_pts = outcome->result.end_pts, .past_bytes = outcome->result.past_bytes, .past_hash = outcome->result.past_hash};
	note_file(run, number, &record);
	if (strcmp(outcome->result.kernels, run->info.kernels) != 0)
		(void)vrs_strcpy(record.kernels, sizeof record.kernels, outcome->result.kernels); /* of the same size */
	return record;
}

/* Runs a job over the segment; the record is filled where frames were written. */
static enum vrs_status run_segment(struct vrs_long_run *run, int number, const struct vrs_settings *settings, struct vrs_segment_outcome *ret_outcome,
				struct vrs_segment_record *ret_record, struct vrs_error *err)
{
	const struct vrs_long_job *request = run->request;
	struct vrs_job_stats before = run->stats;
	struct vrs_long_past past;
	struct vrs_segment_order order = {.input = request->input, .settings = settings, .segment = vrs_segment_plan_at(&run->ckpt.plan, number),
		.number = number, .truth = request->truth ? request->truth->file : NULL, .cookie = request->cookie, .on_job = request->on_job,
		.on_frame = request->on_frame};
	order.segment.video = run->settings.output.file;
	order.segment.pictures = run->pictures;
	order.segment.video_first_us = llround(run->info.first_seconds * 1e6);
	order.segment.before = &before;
	order.segment.begin_ns = run->begin_ns;
	order.segment.begin_cpu_ns = run->begin_cpu_ns;
	order.segment.trace = run->trace;
	order.segment.folder = &run->folder;
	int64_t left = vrs_long_run_frames_left(run, number);
	if (left < INT64_MAX && (run->trims || number >= vrs_segment_plan_unbound(&run->ckpt.plan)))
		order.segment.frames_left = left;
	*ret_record = (struct vrs_segment_record){.done = true};
	if (left == 0 || number > run->ended_before) {
		if (run->ckpt.sums)
			run->ckpt.sums[number] = (struct vrs_truth_sums){0};
		return VRS_OK;
	}
	enum vrs_status status = vrs_long_run_past_set(run, number, &past, &order.segment, err);
	if (status != VRS_OK)
		return status;
	status = vrs_segment_run(&order, ret_outcome, err);
	if (status == VRS_END) { /* the video is shorter than its container says */
		run->ended_before = number;
		return VRS_OK;
	}
	if (status == VRS_OK || status == VRS_ESTOPPED || ret_outcome->result.truncated)
		run->stats = ret_outcome->stats;
	if (status == VRS_OK)
		vrs_long_run_leave(run, &ret_outcome->result);
	*ret_record = vrs_long_run_take(run, number, ret_outcome);
	return status;
}

static bool halve(int *value)
{
	if (*value < 2)
		return false;
	*value /= 2;
	return true;
}

/* The pictures do not depend on batches, streams and queues. */
bool vrs_step_down(struct vrs_settings *settings, const struct vrs_job_info *info, const struct vrs_error *why)
{
	int batch = settings->engine.batch_size ? settings->engine.batch_size : info->batch;
	int streams = settings->engine.streams ? settings->engine.streams : info->streams ? info->streams : 2;
	int queue = settings->pipeline.queue_size;
	if (!settings->engine.adaptive_batch)
		return false;
	bool smaller = halve(&batch);
	smaller = halve(&streams) || smaller;
	smaller = halve(&queue) || smaller;
	if (!smaller)
		return false;
	settings->engine.batch_size = batch;
	settings->engine.streams = streams;
	settings->pipeline.queue_size = queue;
	vrs_log_once("step-down", VRS_LOG_WARNING, "%s; trying again with half of batch, streams and queue (now %d frame%s in a queue)",
		     why->text[0] ? why->text : vrs_status_str(VRS_ENOMEM), queue, queue == 1 ? "" : "s");
	return true;
}

void vrs_long_run_leave(struct vrs_long_run *run, const struct vrs_job_segment_result *result)
{
	const struct vrs_long_job *request = run->request;
	if (result->lost_device && request->on_device_lost)
		request->on_device_lost(request->cookie, result->devices_left);
	if (result->lost_device)
		vrs_device_leave(&run->settings, result->devices_left);
}

/* The pictures of a segment may depend on the device, which is why it is made from its beginning. */
bool vrs_long_run_again(struct vrs_long_run *run, enum vrs_status status, const struct vrs_job_segment_result *result, const struct vrs_error *why)
{
	const struct vrs_long_job *request = run->request;
	if (status == VRS_ENOMEM)
		return vrs_step_down(&run->settings, &run->info, why);
	if (status != VRS_EDEVICE)
		return false;
	if (request->on_device_lost)
		request->on_device_lost(request->cookie, result->devices_left);
	return vrs_device_down(&run->settings, &run->info, result->devices_left, why);
}

enum vrs_status vrs_long_run_make_segment(struct vrs_long_run *run, int number, struct vrs_error *err)
{
	struct vrs_settings settings;
	struct vrs_segment_record record = {0};
	struct vrs_segment_outcome outcome;
	enum vrs_status status;
	do {
		outcome = (struct vrs_segment_outcome){0};
		status = vrs_long_run_segment_settings(run, number, &settings, err);
		if (status == VRS_OK)
			status = run_segment(run, number, &settings, &outcome, &record, err);
	} while (vrs_long_run_again(run, status, &outcome.result, err));
	if (status == VRS_ESTOPPED || outcome.result.truncated)
		vrs_long_run_keep_tail(run, number, &record, NULL, outcome.result.truncated);
	return status == VRS_OK ? vrs_long_run_record(run, number, &record, err) : status;
}

/* Does the segment hold no frame behind the last wanted one, and has it looked at none? */
static bool is_within(const struct vrs_long_run *run, int number, int64_t left)
{
	int64_t frames = run->ckpt.segments[number].frames;
	if (frames > 0 && number < vrs_segment_plan_unbound(&run->ckpt.plan))
		frames += run->ckpt.plan.tail_frames;
	return frames <= left;
}

/* Of the segments that are done, as the counters have them. */
static uint64_t new_frames(const struct vrs_long_run *run)
{
	return (uint64_t)vrs_checkpoint_frames(&run->ckpt) - run->stats.frames_earlier;
}

/*
 * --max-frames: the last segment takes what the segments before it have left, and is made when they are done.  Where frames come at an uneven rate
 * the segments before the last one may hold more than the clock says; then the segment that holds the last wanted frame is made again, and those
 * behind it are left out.
 */
enum vrs_status vrs_long_run_trim(struct vrs_long_run *run, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < run->ckpt.plan.segments && status == VRS_OK; i++) {
		struct vrs_segment_record *segment = &run->ckpt.segments[i];
		if (is_within(run, i, vrs_long_run_frames_left(run, i)))
			continue;
		uint64_t counted = new_frames(run);
		run->trims = true;
		*segment = (struct vrs_segment_record){0};
		vrs_long_run_past_check(run);
		vrs_long_run_count_earlier(run);
		counted -= new_frames(run);
		for (int k = 0; k <= i && status == VRS_OK; k++)
			if (!run->ckpt.segments[k].done)
				status = vrs_long_run_make_segment(run, k, err);
		run->trims = false;
		run->stats.frames_done -= run->stats.frames_done > counted ? counted : run->stats.frames_done;
	}
	return status;
}
