/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mattes of a run against the reference's and against exact truth. */
#include <string.h>

#include <vrseg/quality.h>

#include "bench/run/child_run.h"

static enum vrs_status against_reference(struct vrs_child *child, struct vrs_run *run, struct vrs_error *err)
{
	struct vrs_matte_set reference;
	struct vrs_matte_score score;
	enum vrs_status status = vrs_matte_set_read(&reference, child->request->reference_file, err);
	if (status != VRS_OK)
		return status;
	if (vrs_matte_set_compare(&child->mattes, &reference, &score) == VRS_OK) {
		run->agreement = score.iou;
		run->quality_frames = score.frames;
	}
	vrs_matte_set_fini(&reference);
	return VRS_OK;
}

static void put_figures(struct vrs_run *run, const struct vrs_truth_sums *sums, int mattes)
{
	for (int i = 0; i < VRS_QUALITY_FIGURES; i++)
		*vrs_run_quality(run, (enum vrs_quality_figure)i) = vrs_quality_figure(sums, (enum vrs_quality_figure)i);
	run->quality_frames = mattes;
}

static enum vrs_status against_file(struct vrs_child *child, struct vrs_run *run, struct vrs_error *err)
{
	const struct vrs_run_request *request = child->request;
	const struct vrs_job_info *info = vrs_job_info(child->job);
	const struct vrs_truth_file truth = {.path = request->truth_file, .width = request->truth_width, .height = request->truth_height,
					     .frames = request->truth_frames, .loops = request->truth_loops};
	const struct vrs_rect eyes[2] = {vrs_layout_eye(&info->layout, info->width, info->height, 0),
					 vrs_layout_eye(&info->layout, info->width, info->height, info->eyes > 1 ? 1 : 0)};
	struct vrs_truth_sums sums;
	int mattes = 0;
	enum vrs_status status = vrs_matte_set_score(&child->mattes, &truth, eyes, info->eyes, 3, &run->first_mattes, &sums, &mattes, err);
	if (status == VRS_OK && mattes > 0)
		put_figures(run, &sums, mattes);
	return status;
}

/* The coverage of the built-in people, which the engine draws again. */
static enum vrs_status against_synth(struct vrs_child *child, struct vrs_run *run, struct vrs_error *err)
{
	const struct vrs_job_info *info = vrs_job_info(child->job);
	struct vrs_truth *truth = NULL;
	struct vrs_truth_sums sums;
	enum vrs_status status = vrs_truth_open(&truth, child->request->truth_file, child->request->input, child->settings, err);
	if (status == VRS_OK)
		status = vrs_truth_attach(truth, info, child->settings->pipeline.every_nth, err);
	int64_t frames = child->request->truth_frames, loop_frames = child->mattes.loop_frames;
	if (loop_frames > 0 && loop_frames < frames)
		frames = loop_frames;
	int compared = 0;
	int64_t last = -1;
	for (size_t i = 0; i < child->mattes.count && status == VRS_OK; i++) {
		const struct vrs_matte_entry *entry = &child->mattes.entries[i];
		if (entry->index >= frames)
			continue; /* of the next loop */
		if (compared > 0 && entry->index != last && vrs_truth_sums(truth, &sums, NULL) == VRS_OK)
			vrs_matte_prefixes_add(&run->first_mattes, compared, &sums);
		last = entry->index;
		compared++;
		const struct vrs_matte matte = {.width = entry->width, .height = entry->height, .stride = entry->width, .data = entry->data};
		vrs_truth_add(truth, entry->number, entry->eye, &matte, &entry->covers);
	}
	if (status == VRS_OK)
		status = vrs_truth_sums(truth, &sums, err);
	vrs_truth_close(truth);
	if (status == VRS_OK && sums.frame_size[0].score.frames > 0) {
		vrs_matte_prefixes_add(&run->first_mattes, compared, &sums);
		put_figures(run, &sums, compared);
	}
	return status;
}

enum vrs_status vrs_child_quality(struct vrs_child *child, struct vrs_run *run, struct vrs_error *err)
{
	const struct vrs_run_request *request = child->request;
	enum vrs_status status = VRS_OK;
	if (child->matte_status != VRS_OK)
		return vrs_fail(err, child->matte_status, "the mattes of this run cannot be compared: %s", vrs_status_str(child->matte_status));
	if (child->mattes.count == 0)
		return VRS_OK;
	if (request->mattes_file[0])
		status = vrs_matte_set_write(&child->mattes, request->mattes_file, err);
	if (status == VRS_OK && request->reference_file[0])
		status = against_reference(child, run, err);
	if (status == VRS_OK && strcmp(request->truth_file, "synth:") == 0)
		return against_synth(child, run, err);
	return status == VRS_OK && request->truth_file[0] ? against_file(child, run, err) : status;
}
