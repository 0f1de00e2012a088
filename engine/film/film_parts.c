/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One part of a film: a job of its own whose output is the piece. */
#include <sys/stat.h>

#include "film/film.h"
#include "pipeline/disk_space.h"
#include "video/sink.h"

#include <vrseg/log.h>

/* By the size of the parts that are there, else by experience. */
enum vrs_status vrs_film_check_space(const struct vrs_film *film, struct vrs_error *err)
{
	const struct vrs_film_plan *plan = &film->ckpt.plan;
	double frames = (double)vrs_checkpoint_frames(&film->ckpt), bytes = 0;
	for (int i = 0; i < plan->parts; i++)
		bytes += (double)film->ckpt.parts[i].bytes;
	double whole = frames > 0 ? bytes / frames * (double)plan->frames : vrs_disk_estimate(&film->settings, &film->info, (double)plan->frames);
	return vrs_disk_check(film->settings.output.file, whole - bytes / 2, 2, frames > 0, err); /* twice the film, less what is there */
}

enum vrs_status vrs_film_record(struct vrs_film *film, int number, const struct vrs_part_record *record, struct vrs_error *err)
{
	bool first = vrs_checkpoint_frames(&film->ckpt) == 0;
	film->ckpt.parts[number] = *record;
	enum vrs_status status = vrs_checkpoint_write(&film->ckpt, film->folder.checkpoint, err);
	return !status && first && record->frames > 0 ? vrs_film_check_space(film, err) : status; /* now it is known how large parts are */
}

int64_t vrs_film_piece_bytes(const struct vrs_film *film, int number)
{
	char piece[VRS_PATH_MAX];
	struct stat st;
	return vrs_work_folder_piece(&film->folder, number, piece, sizeof piece) && stat(piece, &st) == 0 ? st.st_size : 0;
}

enum vrs_status vrs_film_part_settings(const struct vrs_film *film, int number, struct vrs_settings *ret, struct vrs_error *err)
{
	*ret = film->settings;
	ret->output.overwrite = true;
	if (!vrs_work_folder_piece(&film->folder, number, ret->output.file, sizeof ret->output.file))
		return vrs_fail(err, VRS_ELIMIT, "the name %s is too long", film->folder.path);
	vrs_sink_encoder_for(ret->output.encoder, film->settings.output.file, film->settings.output.encoder, ret->output.mode == VRS_MODE_CUTOUT);
	int64_t left = film->trims || number + 1 == film->ckpt.plan.parts ? vrs_film_frames_left(film, number) : INT64_MAX;
	ret->pipeline.max_frames = left < INT32_MAX ? (int)left : 0;
	return VRS_OK;
}

struct vrs_part_record vrs_film_take(struct vrs_film *film, int number, const struct vrs_part_outcome *outcome)
{
	film->cut_short |= outcome->result.cut_short;
	if (film->ckpt.sums)
		film->ckpt.sums[number] = outcome->truth;
	if (outcome->truth_error.status && !film->truth_error.status)
		film->truth_error = outcome->truth_error;
	return (struct vrs_part_record){.done = true, .frames = (int64_t)outcome->result.frames, .first_pts = outcome->result.first_pts,
		.end_pts = outcome->result.end_pts, .bytes = vrs_film_piece_bytes(film, number)};
}

/* Runs a job over the part; ret_record is filled where frames were written. */
static enum vrs_status run_part(struct vrs_film *film, int number, const struct vrs_settings *settings, struct vrs_part_record *ret_record,
				struct vrs_error *err)
{
	const struct vrs_long_job *request = film->request;
	struct vrs_job_stats before = film->stats;
	struct vrs_part_outcome outcome;
	struct vrs_part_order order = {.input = request->input, .settings = settings, .part = vrs_film_plan_part(&film->ckpt.plan, number),
		.number = number, .truth = request->truth ? request->truth->file : NULL, .cookie = request->cookie, .on_job = request->on_job,
		.on_frame = request->on_frame};
	order.part.before = &before;
	order.part.begin_ns = film->begin_ns;
	order.part.begin_cpu_ns = film->begin_cpu_ns;
	order.part.trace = film->trace;
	*ret_record = (struct vrs_part_record){.done = true};
	if (vrs_film_frames_left(film, number) == 0) {
		if (film->ckpt.sums)
			film->ckpt.sums[number] = (struct vrs_truth_sums){0};
		return VRS_OK;
	}
	enum vrs_status status = vrs_part_make(&order, &outcome, err);
	if (status == VRS_END) /* the film is shorter than its container says */
		return VRS_OK;
	if (!status || status == VRS_ESTOPPED || outcome.result.cut_short)
		film->stats = outcome.stats;
	*ret_record = vrs_film_take(film, number, &outcome);
	return status;
}

enum vrs_status vrs_film_make_part(struct vrs_film *film, int number, struct vrs_error *err)
{
	struct vrs_settings settings;
	struct vrs_part_record record;
	enum vrs_status status;
	do
		status = vrs_film_part_settings(film, number, &settings, err) ? VRS_ELIMIT : run_part(film, number, &settings, &record, err);
	while (status == VRS_ENOMEM && vrs_step_down(&film->settings, &film->info));
	if (status == VRS_ESTOPPED) {
		film->tail = record;
		film->tail_part = number;
		return status;
	}
	if (status && !film->cut_short)
		return status;
	enum vrs_status recorded = vrs_film_record(film, number, &record, status ? NULL : err);
	return status ? status : recorded;
}
