/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The finished segment files of a video, and the tail that a stop has left, into its output. */
#include <string.h>

#include "base/mem.h"
#include "base/stop.h"
#include "segments/long_run.h"
#include "pipeline/segment.h"
#include "video/segment_join.h"

static bool add_segment(const struct vrs_long_run *run, int number, const struct vrs_segment_record *record, struct vrs_segment_file *files,
			int *count)
{
	struct vrs_segment_file *file = &files[*count];
	if (record->frames == 0)
		return true;
	file->frames = record->frames;
	file->first_pts = record->first_pts;
	file->end_pts = record->end_pts;
	(*count)++;
	return vrs_segment_file(&run->folder, number, file->path, sizeof file->path);
}

/* Segments from the first one on, as far as there are no gaps; returns their number, -1 when a name is too long. */
static int list_segments(const struct vrs_long_run *run, struct vrs_segment_file *files, bool *ret_whole)
{
	int count = 0, open = vrs_checkpoint_first_open(&run->ckpt);
	bool good = true;
	for (int i = 0; i < open && good; i++)
		good = add_segment(run, i, &run->ckpt.segments[i], files, &count);
	*ret_whole = open == run->ckpt.plan.segments;
	if (good && open == run->tail_segment)
		good = add_segment(run, open, &run->tail, files, &count);
	return good ? count : -1;
}

int64_t vrs_long_run_frames(const struct vrs_long_run *run)
{
	int open = vrs_checkpoint_first_open(&run->ckpt);
	int64_t frames = open == run->tail_segment ? run->tail.frames : 0;
	for (int i = 0; i < open; i++)
		frames += run->ckpt.segments[i].frames;
	return frames;
}

int64_t vrs_long_run_frames_behind(const struct vrs_long_run *run)
{
	int64_t frames = 0;
	for (int i = vrs_checkpoint_first_open(&run->ckpt); i < run->ckpt.plan.segments; i++)
		frames += run->ckpt.segments[i].done ? run->ckpt.segments[i].frames : 0;
	return frames;
}

/* Into the counters: the tail is in the output now, segments behind it are not. */
static void count_joined(struct vrs_long_run *run)
{
	int open = vrs_checkpoint_first_open(&run->ckpt);
	if (open == run->tail_segment)
		vrs_job_stats_add(&run->stats, &run->tail_stats);
	for (int i = open; i < run->ckpt.plan.segments; i++)
		run->stats.frames_aside += run->ckpt.segments[i].is_new ? (uint64_t)run->ckpt.segments[i].frames : 0;
}

/* A damaged segment file is made again by the next run. */
static void forget_segment(struct vrs_long_run *run, const char *path)
{
	char name[VRS_PATH_MAX];
	for (int i = 0; i < run->ckpt.plan.segments; i++) {
		if (!vrs_segment_file(&run->folder, i, name, sizeof name) || strcmp(name, path) != 0)
			continue;
		const struct vrs_segment_record none = {0};
		vrs_long_run_drop_file(run, name); /* which alone tells the next run, should the checkpoint not be written */
		if (vrs_long_run_record(run, i, &none, NULL))
			return;
	}
}

/* A source of the whole video for audio and metadata, and the options that its encoder had, come from a job that makes nothing. */
static enum vrs_status join(struct vrs_long_run *run, const struct vrs_segment_file *files, int count, bool whole, struct vrs_error *err)
{
	const struct vrs_segment segment = {.joins = true, .folder = &run->folder};
	struct vrs_settings settings;
	struct vrs_job *job;
	int bad = -1;
	const struct vrs_job_segment_result none = {0};
	enum vrs_status status;
	do {
		settings = run->settings; /* which vrs_long_run_again changes */
		vrs_long_run_choose_encoder(run, &settings);
		status = vrs_job_create_segment(&job, run->request->input, &settings, &segment, NULL, err);
	} while (vrs_long_run_again(run, status, &none, err));
	if (status != VRS_OK)
		return status;
	status = vrs_long_run_check_files(run, err); /* again: from here on the job watches what it has opened */
	if (status != VRS_OK) {
		vrs_job_destroy(job);
		return status;
	}
	whole = whole && vrs_long_run_frames_left(run, run->ckpt.plan.segments) > 0;
	status = vrs_job_join(job, files, count, whole, &bad, err);
	vrs_job_destroy(job);
	if (bad >= 0) {
		forget_segment(run, files[bad].path);
		return vrs_fail(err, VRS_EFORMAT, "%s is damaged; run the same command again to make it anew and continue", files[bad].path);
	}
	return status;
}

enum vrs_status vrs_long_run_join(struct vrs_long_run *run, struct vrs_error *err)
{
	struct vrs_segment_file *files = vrs_calloc((size_t)run->ckpt.plan.segments + 1, sizeof *files);
	bool whole;
	if (!files)
		return vrs_fail(err, VRS_ENOMEM, "no memory to join %d segments", run->ckpt.plan.segments);
	int count = list_segments(run, files, &whole);
	enum vrs_status status = count < 0 ? vrs_fail(err, VRS_ELIMIT, "the name %s is too long", run->folder.path)
			       : count == 0 ? vrs_fail(err, VRS_EFORMAT, "%s contains no frame that can be decoded", run->request->input) : VRS_OK;
	vrs_stop_hold();
	if (status == VRS_OK)
		status = vrs_long_run_check_files(run, err);
	if (status == VRS_OK)
		status = join(run, files, count, whole, err);
	if (status == VRS_OK)
		count_joined(run);
	vrs_stop_release();
	vrs_free(files);
	return status;
}
