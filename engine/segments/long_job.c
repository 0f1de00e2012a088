/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run over a video in segments: what is there, what is missing, joining, and what is left behind after each way to end. */
#include <vrseg/long_job.h>

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "job/job_content.h"
#include "job/matte_cache.h"
#include "segments/long_run.h"
#include "pipeline/matte_stage.h"
#include "flow/trace.h"

#include <vrseg/config.h>
#include <vrseg/libraries.h>
#include <vrseg/log.h>

#include "vrs_version.h"

static enum vrs_status check_file(const char *file, const struct vrs_segment_record *segment, bool *ret_good, struct vrs_error *err)
{
	struct stat st;
	int64_t hash = 0;
	enum vrs_status status = VRS_OK;
	*ret_good = stat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == segment->bytes;
	if (*ret_good)
		status = vrs_segment_file_hash(file, &hash, err);
	*ret_good = *ret_good && status == VRS_OK && hash == segment->hash;
	return status == VRS_ENOMEM ? status : VRS_OK;
}

/* Segments whose segment files are gone, cannot be read or hold something else are made again. VRS_ENOMEM. */
static enum vrs_status check_files(struct vrs_long_run *run, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < run->ckpt.plan.segments && status == VRS_OK; i++) {
		struct vrs_segment_record *segment = &run->ckpt.segments[i];
		char file[VRS_PATH_MAX];
		bool good = false;
		if (!segment->done || segment->frames == 0)
			continue;
		if (vrs_segment_file(&run->folder, i, file, sizeof file))
			status = check_file(file, segment, &good, err);
		if (good || status != VRS_OK)
			continue;
		vrs_log(VRS_LOG_WARNING, "%s is missing or damaged; making its %" PRId64 " frames again", file, segment->frames);
		vrs_long_run_drop_file(run, file);
		*segment = (struct vrs_segment_record){0};
	}
	return status;
}

/* Segments that were made after a device was lost are kept, as they were in the run that made them. */
static void tell_others(const struct vrs_long_run *run)
{
	int64_t frames = 0;
	for (int i = 0; i < run->ckpt.plan.segments; i++)
		frames += run->ckpt.segments[i].kernels[0] ? run->ckpt.segments[i].frames : 0;
	if (frames > 0)
		vrs_log(VRS_LOG_INFO, "%" PRId64 " of them were made by another device or the CPU, since a device was lost; --no-resume makes them again", frames);
}

/* Take over what a run before has left, if it is of the same job. */
static enum vrs_status take_over(struct vrs_long_run *run, struct vrs_error *err)
{
	struct vrs_checkpoint old;
	struct vrs_error cause = {0};
	char reason[600], place[sizeof cause.file + sizeof cause.text + 32];
	bool found;
	enum vrs_status status = vrs_path_find(run->checkpoint, &found, err);
	if (status != VRS_OK || !found)
		return status;
	status = vrs_checkpoint_read(&old, run->checkpoint, &cause);
	if (vrs_status_may_pass(status)) /* what is done is still there: another run may read it */
		return vrs_fail(err, status, "%s", cause.text[0] ? cause.text : vrs_status_str(status));
	if (status != VRS_OK)
		return vrs_fail(err, VRS_ECONFIG, "%s; --no-resume starts anew", vrs_error_str(&cause, place, sizeof place));
	if (!vrs_checkpoint_matches(&old, &run->ckpt, reason, sizeof reason)) {
		int64_t frames = vrs_checkpoint_frames(&old);
		vrs_checkpoint_fini(&old);
		return vrs_fail(err, VRS_ECONFIG, "%s holds %" PRId64 " frames of an unfinished run that does not fit: %s; use the same options and files "
				"to continue, or --no-resume to start anew", run->folder.path, frames, reason);
	}
	old.input = run->ckpt.input; /* the same content, which may lie elsewhere by now */
	vrs_checkpoint_fini(&run->ckpt);
	run->ckpt = old;
	run->settings.pipeline.encode_threads = (int)old.encoder_threads;
	status = check_files(run, err);
	if (status != VRS_OK)
		return status;
	vrs_log(VRS_LOG_INFO, "continuing an unfinished run: %" PRId64 " of %" PRId64 " frames are done", vrs_checkpoint_frames(&run->ckpt),
		run->ckpt.plan.frames);
	tell_others(run);
	return VRS_OK;
}

/* Is the output still the one that the interrupted run has left? */
static bool has_saved(const struct vrs_checkpoint *ckpt, const char *output)
{
	struct vrs_input_identity now;
	return ckpt->saved.size > 0 && vrs_input_identity_look(&now, output, NULL) == VRS_OK && vrs_input_identity_looks_same(&ckpt->saved, &now);
}

/*
 * An output that an interrupted run of this job has saved may be replaced; what its encoder had counts where memory is planned, and its input need
 * not be read again where nobody has touched it.
 */
static void look_back(struct vrs_long_run *run)
{
	struct vrs_checkpoint old;
	if (!run->settings.pipeline.resume || vrs_checkpoint_read(&old, run->checkpoint, NULL))
		return;
	if (!run->request->settings->pipeline.encode_threads)
		run->settings.pipeline.encode_threads = (int)old.encoder_threads;
	if (has_saved(&old, run->settings.output.file))
		run->settings.output.overwrite = true;
	run->known_input = old.input;
	vrs_checkpoint_fini(&old);
}

/* The files that options name go in by what they hold: another one under the same name makes other pictures. */
static enum vrs_status describe_files(struct vrs_long_run *run, const struct vrs_job *job, struct vrs_error *err)
{
	struct vrs_job_content content;
	char hex[17];
	enum vrs_status status = vrs_job_content_of(job, VRS_AFFECTS_PICTURE, &content, err);
	for (int i = 0; status == VRS_OK && i < content.count; i++) {
		snprintf(hex, sizeof hex, "%016" PRIx64, content.files[i].hash);
		if (!vrs_checkpoint_file(&run->ckpt, content.files[i].key, hex))
			status = vrs_fail(err, VRS_ENOMEM, "no memory for the checkpoint");
	}
	return status;
}

/* What decodes, scales and encodes: segments of two encoders would differ, and not all of them can be joined. */
static bool describe_libraries(struct vrs_long_run *run)
{
	struct vrs_codec_library libraries[VRS_CODEC_LIBRARIES];
	int count = vrs_codec_libraries(libraries);
	bool good = true;
	for (int i = 0; i < count && good; i++)
		good = vrs_checkpoint_option(&run->ckpt, libraries[i].name, libraries[i].build);
	return good;
}

/* What a video is made of besides its input: the options that change its pictures, the files that they name, the layout that was decided. */
static enum vrs_status describe(struct vrs_long_run *run, const struct vrs_job *job, struct vrs_error *err)
{
	char value[VRS_PATH_MAX + 16], layout[VRS_LAYOUT_TEXT];
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	const struct vrs_job_info *info = &run->info;
	struct vrs_settings asked = *run->request->settings;
	/* what auto has become */
	asked.engine.precision = run->settings.engine.precision;
	memcpy(asked.engine.model, run->settings.engine.model, sizeof asked.engine.model);
	bool good = true;
	for (int i = 0; good && i < count; i++)
		if ((rows[i].affects & VRS_AFFECTS_PICTURE) &&
		    vrs_option_text(&rows[i], &asked, value, sizeof value) == VRS_OK)
			good = vrs_checkpoint_option(&run->ckpt, rows[i].key, value);
	vrs_layout_describe(layout, &info->layout);
	snprintf(value, sizeof value, "%s, view %dx%d+%d+%d", layout, info->views[0].width, info->views[0].height, info->views[0].x, info->views[0].y);
	good = good && vrs_checkpoint_option(&run->ckpt, "layout", value) && vrs_checkpoint_option(&run->ckpt, "instruction set", info->kernels) &&
	       vrs_checkpoint_option(&run->ckpt, "version", VRS_VERSION " " VRS_COMMIT) && describe_libraries(run);
	return good ? describe_files(run, job, err) : vrs_fail(err, VRS_ENOMEM, "no memory for the checkpoint");
}

/* What a job over the whole video says about it, into the checkpoint of a run that begins. */
static enum vrs_status begin_checkpoint(struct vrs_long_run *run, const struct vrs_job *job, struct vrs_error *err)
{
	const struct vrs_long_job *request = run->request;
	struct vrs_input_identity identity;
	struct vrs_segment_plan plan;
	enum vrs_status status = vrs_segment_plan_make(&plan, &request->plan->clock, request->settings, run->info.has_states,
						    vrs_matte_stage_latency(request->settings), err);
	if (status == VRS_OK)
		status = vrs_matte_cache_input(&identity, request->input, &run->settings, &run->known_input, err);
	if (status == VRS_OK && vrs_checkpoint_init(&run->ckpt, &identity, &plan))
		status = vrs_fail(err, VRS_ENOMEM, "no memory for the checkpoint");
	run->ckpt.encoder_threads = run->settings.pipeline.encode_threads;
	return status != VRS_OK ? status : describe(run, job, err);
}

/* A job over the whole video finds every mistake before work begins, and tells what will be done; it does not run. */
static enum vrs_status look(struct vrs_long_run *run, struct vrs_error *err)
{
	const struct vrs_long_job *request = run->request;
	struct vrs_job *job;
	vrs_job_stamps_take(&run->stamps, request->input, &run->settings);
	run->settings.output.overwrite |= vrs_work_folder_has_made(&run->folder, run->settings.output.file);
	look_back(run);
	enum vrs_status status = vrs_job_create(&job, request->input, &run->settings, 1, NULL, err);
	if (status != VRS_OK)
		return status;
	run->info = *vrs_job_info(job);
	vrs_job_take_plan(job, &run->settings);
	run->networks = vrs_job_segment_result(job).networks;
	run->pictures = vrs_job_pictures(job);
	status = begin_checkpoint(run, job, err);
	if (status == VRS_OK && run->ckpt.plan.keeps_past && request->settings->pipeline.processes)
		status = vrs_config_warn(request->settings, "recurrent-processes", err, "--processes has no effect: the network %s is recurrent, so that each "
					 "segment needs what the one before has left", run->info.model);
	vrs_job_destroy(job); /* with its hold on the output */
	return status;
}

/* The output is ours from here on; what lies there now counts, not what lay there when we looked. */
static enum vrs_status prepare(struct vrs_long_run *run, struct vrs_error *err)
{
	const struct vrs_long_job *request = run->request;
	enum vrs_status status = vrs_work_folder_open(&run->folder, run->settings.output.file, err);
	if (status != VRS_OK)
		return status;
	run->settings.output.overwrite = request->settings->output.overwrite || vrs_work_folder_has_made(&run->folder, run->settings.output.file);
	look_back(run);
	if (request->on_info)
		request->on_info(request->cookie, &run->info);
	vrs_segment_files_clean(&run->folder);
	if (run->settings.pipeline.resume)
		status = take_over(run, err);
	else
		(void)vrs_segment_files_clear(&run->folder);
	if (status == VRS_OK)
		status = vrs_long_run_truth_begin(run, &run->info, err);
	if (status == VRS_OK)
		status = vrs_long_run_check_space(run, err);
	return status != VRS_OK ? status : vrs_long_run_trace_begin(run, err);
}

static enum vrs_status make_segments(struct vrs_long_run *run, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	vrs_long_run_past_check(run);
	vrs_long_run_count_earlier(run);
	run->stats.frames_total = (uint64_t)run->ckpt.plan.frames;
	if (run->settings.pipeline.processes && vrs_checkpoint_open_segments(&run->ckpt) > 1)
		status = vrs_long_run_make_by_processes(run, err);
	for (int i = 0; i < run->ckpt.plan.segments && status == VRS_OK; i++)
		if (!run->ckpt.segments[i].done)
			status = vrs_long_run_make_segment(run, i, err);
	return status != VRS_OK ? status : vrs_long_run_trim(run, err);
}

/* After a stop: what there is becomes the output, and the segments stay for the next run. */
static enum vrs_status save_stopped(struct vrs_long_run *run, struct vrs_error *err)
{
	struct vrs_error cause = {0};
	char more[80] = "";
	int64_t frames = vrs_long_run_frames(run), behind = vrs_long_run_frames_behind(run);
	if (behind > 0)
		snprintf(more, sizeof more, "; %" PRId64 " frames behind %s are kept", behind, frames > 0 ? "them" : "it");
	enum vrs_status status = frames > 0 ? vrs_long_run_join(run, &cause) : VRS_OK;
	vrs_long_run_drop_tail(run);
	if (status != VRS_OK || frames == 0)
		run->stats.frames_aside = run->stats.frames_done;
	if (frames == 0)
		return vrs_fail(err, VRS_ESTOPPED, "stopped before the first frame%s", behind > 0 ? more : "; nothing was written");
	if (status == VRS_OK)
		status = vrs_input_identity_look(&run->ckpt.saved, run->settings.output.file, &cause);
	if (status == VRS_OK)
		status = vrs_long_run_save(run, &cause);
	if (status == VRS_OK)
		vrs_work_folder_forget_output(&run->folder);
	if (status != VRS_OK)
		return vrs_fail(err, VRS_ESTOPPED, "stopped on request; %s. The finished segments are kept in %s", cause.text, run->folder.path);
	return vrs_fail(err, VRS_ESTOPPED, "stopped on request after %" PRId64 " frames, which are saved%s; run the same command to continue", frames, more);
}

/* Other failures: tell what is kept. */
static enum vrs_status keep_segments(const struct vrs_long_run *run, enum vrs_status status, bool input_broken)
{
	int64_t frames = vrs_checkpoint_frames(&run->ckpt);
	if (frames > 0)
		vrs_log(VRS_LOG_INFO, "%" PRId64 " frames are kept in %s: %s", frames, run->folder.path,
			input_broken ? "the same command with --keep-partial makes a video of what can be read" : "the same command goes on");
	return status;
}

static enum vrs_status finish_run(struct vrs_long_run *run, struct vrs_error *err)
{
	enum vrs_status status = make_segments(run, err);
	if (status == VRS_ESTOPPED)
		return save_stopped(run, err);
	if (status != VRS_OK && !(run->truncated && run->tail_segment == vrs_checkpoint_first_open(&run->ckpt)))
		return keep_segments(run, status, status == VRS_EFORMAT);
	if (status == VRS_OK && run->truth_error.status) { /* before the output is replaced */
		*err = run->truth_error;
		return keep_segments(run, err->status, false);
	}
	struct vrs_error cause = {0}, broken = *err;
	enum vrs_status joined = vrs_long_run_join(run, &cause);
	if (joined) {
		if (err)
			*err = cause;
		return joined == VRS_ECONFIG ? joined : keep_segments(run, joined, false); /* the same command would end like this one */
	}
	run->stats.kept = status != VRS_OK;
	if (status == VRS_OK)
		vrs_long_run_truth_end(run);
	else
		(void)vrs_fail(err, status, "%s; the %" PRId64 " frames before are kept", broken.text, vrs_long_run_frames(run));
	vrs_lease_settle(run->folder.lease); /* a kill between the last file and the folder leaves what the next run cannot tell from another's output */
	bool cleared = vrs_lease_check(run->folder.lease, NULL) == VRS_OK && vrs_segment_files_clear(&run->folder);
	vrs_work_folder_finish(&run->folder, run->settings.output.file, cleared); /* last: by this the next run knows that it is made of them */
	return status;
}

enum vrs_status vrs_long_job_run(const struct vrs_long_job *request, struct vrs_job_stats *ret_stats, struct vrs_error *err)
{
	struct vrs_long_run run = {.request = request, .settings = *request->settings, .tail_segment = -1, .ended_before = INT_MAX,
		.begin_ns = vrs_now_ns(), .begin_cpu_ns = vrs_cpu_ns()};
	struct vrs_error local = {0};
	run.settings.report.trace[0] = '\0'; /* jobs of the video share one */
	enum vrs_status status = vrs_work_folder_name(&run.folder, run.settings.output.file, &local);
	if (status == VRS_OK && vrs_path_join(run.checkpoint, sizeof run.checkpoint, run.folder.path, VRS_CHECKPOINT_NAME) != VRS_OK)
		status = vrs_fail(&local, VRS_ELIMIT, "the name %s is too long", run.folder.path);
	if (status == VRS_OK)
		status = look(&run, &local);
	if (status == VRS_OK)
		status = prepare(&run, &local);
	if (status == VRS_OK)
		status = finish_run(&run, &local);
	if (status == VRS_OK || run.stats.kept)
		vrs_trace_complete(run.trace);
	vrs_trace_destroy(run.trace);
	vrs_work_folder_close(&run.folder);
	vrs_checkpoint_fini(&run.ckpt);
	run.stats.wall_ns = vrs_now_ns() - run.begin_ns;
	*ret_stats = run.stats;
	if (status != VRS_OK && err)
		*err = local;
	return status;
}

bool vrs_long_job_is_unfinished(const char *output)
{
	struct vrs_work_folder folder;
	struct vrs_checkpoint ckpt;
	char path[VRS_PATH_MAX];
	if (vrs_work_folder_name(&folder, output, NULL) || vrs_path_join(path, sizeof path, folder.path, VRS_CHECKPOINT_NAME) ||
	    vrs_checkpoint_read(&ckpt, path, NULL))
		return false;
	bool saved = has_saved(&ckpt, output);
	vrs_checkpoint_fini(&ckpt);
	return saved;
}
