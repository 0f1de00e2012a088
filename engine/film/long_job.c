/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run over a film in parts: what is there, what is missing, joining, and what is left behind after each way to end. */
#include <vrseg/long_job.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "film/film.h"
#include "film/long_plan.h"
#include "pipeline/matte_stage.h"
#include "pipeline/trace.h"

#include <vrseg/log.h>

/* Parts whose pieces are gone or have another size are made again. */
static void check_pieces(struct vrs_film *film)
{
	for (int i = 0; i < film->ckpt.plan.parts; i++) {
		struct vrs_part_record *part = &film->ckpt.parts[i];
		char piece[VRS_PATH_MAX];
		struct stat st;
		if (!part->done || part->frames == 0)
			continue;
		if (!vrs_work_folder_piece(&film->folder, i, piece, sizeof piece) || stat(piece, &st) != 0 || st.st_size != part->bytes) {
			vrs_log(VRS_LOG_WARNING, "%s is gone or damaged; these %" PRId64 " frames are made again", piece, part->frames);
			*part = (struct vrs_part_record){0};
		}
	}
}

/* Take over what a run before has left, if it is of the same job. */
static enum vrs_status take_over(struct vrs_film *film, struct vrs_error *err)
{
	struct vrs_checkpoint old;
	struct vrs_error cause = {0};
	char reason[600];
	if (!vrs_path_exists(film->folder.checkpoint))
		return VRS_OK;
	enum vrs_status status = vrs_checkpoint_read(&old, film->folder.checkpoint, &cause);
	if (status)
		return vrs_fail(err, VRS_ECONFIG, "%s; --no-resume starts anew", cause.text);
	if (!vrs_checkpoint_matches(&old, &film->ckpt, reason, sizeof reason)) {
		int64_t frames = vrs_checkpoint_frames(&old);
		vrs_checkpoint_fini(&old);
		return vrs_fail(err, VRS_ECONFIG, "%s holds %" PRId64 " frames of an unfinished run that does not fit: %s; use the same options to go on, or "
				"--no-resume to start anew", film->folder.path, frames, reason);
	}
	vrs_checkpoint_fini(&film->ckpt);
	film->ckpt = old;
	check_pieces(film);
	vrs_log(VRS_LOG_INFO, "going on with an unfinished run: %" PRId64 " of %" PRId64 " frames are done", vrs_checkpoint_frames(&film->ckpt),
		film->ckpt.plan.frames);
	return VRS_OK;
}

/* An output that an interrupted run of this job has saved may be replaced. */
static void allow_saved(struct vrs_film *film)
{
	struct vrs_checkpoint old;
	struct vrs_input_identity now;
	if (!film->settings.pipeline.resume || vrs_checkpoint_read(&old, film->folder.checkpoint, NULL))
		return;
	if (old.saved.size > 0 && vrs_input_identity_read(&now, film->settings.output.file, NULL) == VRS_OK &&
	    vrs_input_identity_same(&old.saved, &now))
		film->settings.output.overwrite = true;
	vrs_checkpoint_fini(&old);
}

/* What a job over the whole film says about it, into the checkpoint of a run that begins. */
static enum vrs_status begin_checkpoint(struct vrs_film *film, struct vrs_error *err)
{
	const struct vrs_long_job *request = film->request;
	struct vrs_input_identity identity;
	struct vrs_film_plan plan;
	enum vrs_status status = vrs_film_plan_make(&plan, &request->plan->clock, request->settings, film->info.has_states,
						    vrs_matte_stage_latency(request->settings), err);
	if (!status)
		status = vrs_input_identity_read(&identity, request->input, err);
	if (!status && vrs_checkpoint_init(&film->ckpt, &identity, &plan))
		status = vrs_fail(err, VRS_ENOMEM, "no memory for the checkpoint");
	return status ? status : vrs_film_describe(film, &film->info, err);
}

/* A job over the whole film finds every mistake before work begins, and tells what will be done; it does not run. */
static enum vrs_status prepare(struct vrs_film *film, struct vrs_error *err)
{
	const struct vrs_long_job *request = film->request;
	struct vrs_job *job;
	enum vrs_status status = vrs_job_create(&job, request->input, &film->settings, 1, NULL, err);
	if (status)
		return status;
	film->info = *vrs_job_info(job);
	vrs_job_destroy(job);
	status = begin_checkpoint(film, err);
	if (!status && request->on_info)
		request->on_info(request->cookie, &film->info);
	if (!status && film->settings.pipeline.resume)
		status = take_over(film, err);
	else if (!status)
		vrs_work_folder_clear(&film->folder);
	if (!status)
		status = vrs_film_truth_begin(film, &film->info, err);
	if (!status)
		status = vrs_film_check_space(film, err);
	return status ? status : vrs_film_trace_begin(film, err);
}

static enum vrs_status make_parts(struct vrs_film *film, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	if (film->settings.pipeline.processes && vrs_checkpoint_open_parts(&film->ckpt) > 1)
		status = vrs_film_make_parts_apart(film, err);
	for (int i = 0; i < film->ckpt.plan.parts && !status; i++)
		if (!film->ckpt.parts[i].done)
			status = vrs_film_make_part(film, i, err);
	return status ? status : vrs_film_trim(film, err);
}

/* After a stop: what there is becomes the output, and the parts stay for the next run. */
static enum vrs_status save_stopped(struct vrs_film *film, struct vrs_error *err)
{
	struct vrs_error cause = {0};
	char tail[VRS_PATH_MAX];
	int64_t frames = vrs_checkpoint_frames(&film->ckpt) + film->tail.frames;
	if (frames == 0)
		return vrs_fail(err, VRS_ESTOPPED, "stopped before the first frame; nothing was written");
	enum vrs_status status = vrs_film_join(film, &cause);
	if (!status)
		status = vrs_input_identity_read(&film->ckpt.saved, film->settings.output.file, &cause);
	if (!status)
		status = vrs_checkpoint_write(&film->ckpt, film->folder.checkpoint, &cause);
	if (film->tail_part >= 0 && vrs_work_folder_piece(&film->folder, film->tail_part, tail, sizeof tail))
		unlink(tail);
	if (status)
		return vrs_fail(err, VRS_ESTOPPED, "stopped on request; %s. The finished parts are kept in %s", cause.text, film->folder.path);
	return vrs_fail(err, VRS_ESTOPPED, "stopped on request after %" PRId64 " frames, which are saved; the same command goes on", frames);
}

/* Other failures: tell what is kept. */
static enum vrs_status keep_parts(const struct vrs_film *film, enum vrs_status status, bool input_broken)
{
	int64_t frames = vrs_checkpoint_frames(&film->ckpt);
	if (frames > 0)
		vrs_log(VRS_LOG_INFO, "%" PRId64 " frames are kept in %s: %s", frames, film->folder.path,
			input_broken ? "the same command with --keep-partial makes a film of what can be read" : "the same command goes on");
	return status;
}

static enum vrs_status run_film(struct vrs_film *film, struct vrs_error *err)
{
	enum vrs_status status = make_parts(film, err);
	if (status == VRS_ESTOPPED)
		return save_stopped(film, err);
	if (status && !film->cut_short)
		return keep_parts(film, status, status == VRS_EFORMAT);
	struct vrs_error cause = {0};
	enum vrs_status joined = vrs_film_join(film, &cause);
	if (joined) {
		if (err)
			*err = cause;
		return keep_parts(film, joined, false);
	}
	vrs_film_truth_end(film);
	vrs_work_folder_close(&film->folder, true);
	return status;
}

enum vrs_status vrs_long_job_run(const struct vrs_long_job *request, struct vrs_job_stats *ret_stats, struct vrs_error *err)
{
	struct vrs_film film = {.request = request, .settings = *request->settings, .tail_part = -1, .begin_ns = vrs_now_ns(),
		.begin_cpu_ns = vrs_cpu_ns(), .folder = {.lock = -1}};
	struct vrs_error local = {0};
	film.settings.report.trace[0] = '\0'; /* jobs of the film share one */
	enum vrs_status status = vrs_work_folder_open(&film.folder, film.settings.output.file, &local);
	if (!status) {
		allow_saved(&film);
		status = prepare(&film, &local);
	}
	if (!status)
		status = run_film(&film, &local);
	vrs_trace_destroy(film.trace);
	vrs_work_folder_close(&film.folder, false);
	vrs_checkpoint_fini(&film.ckpt);
	film.stats.wall_ns = vrs_now_ns() - film.begin_ns;
	*ret_stats = film.stats;
	if (status && err)
		*err = local;
	return status;
}
