/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Comparison of a video in segments with a truth: each segment is compared where it is made, and its sums lie in the checkpoint until all are
 * added.
 */
#include <inttypes.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/playlist.h"
#include "segments/long_run.h"

#include <vrseg/log.h>

/* A truth that is no single file is known by its name; what a playlist names may be another one in each run. */
static enum vrs_status identify(struct vrs_input_identity *ret_identity, const char *path, const struct vrs_input_identity *known,
				struct vrs_error *err)
{
	enum vrs_status status = vrs_input_identity_read(ret_identity, path, known, err);
	if (status == VRS_EUNSUPPORTED || status == VRS_ENOTFOUND) {
		*ret_identity = (struct vrs_input_identity){.content = vrs_hash_str(VRS_HASH_INIT, path)};
		status = VRS_OK;
	}
	if (vrs_playlist_is(path))
		ret_identity->content = vrs_now_ns();
	ret_identity->content += ret_identity->content == 0; /* 0 stands for none */
	return status;
}

/* Segments that were not compared, or with another truth, are made again. */
static void forget_segments(struct vrs_long_run *run, bool other)
{
	int64_t frames = 0;
	for (int i = 0; i < run->ckpt.plan.segments; i++) {
		struct vrs_segment_record *segment = &run->ckpt.segments[i];
		if (!segment->done || segment->frames == 0 || (!other && run->ckpt.sums[i].eyes > 0))
			continue;
		frames += segment->frames;
		*segment = (struct vrs_segment_record){0};
		run->ckpt.sums[i] = (struct vrs_truth_sums){0};
	}
	if (frames > 0)
		vrs_log(VRS_LOG_INFO, "making %" PRId64 " frames again that were not compared with this truth", frames);
}

enum vrs_status vrs_long_run_truth_begin(struct vrs_long_run *run, const struct vrs_job_info *info, struct vrs_error *err)
{
	const struct vrs_long_truth *wanted = run->request->truth;
	struct vrs_truth *truth;
	if (!wanted)
		return VRS_OK;
	enum vrs_status status = vrs_truth_open(&truth, wanted->file, run->request->input, &run->settings, err);
	if (status != VRS_OK)
		return status;
	status = vrs_truth_attach(truth, info, run->settings.pipeline.every_nth, err);
	vrs_truth_close(truth);
	if (status != VRS_OK)
		return status;
	if (!vrs_checkpoint_compare(&run->ckpt))
		return vrs_fail(err, VRS_ENOMEM, "no memory for the checkpoint");
	struct vrs_input_identity now = {0};
	status = identify(&now, wanted->file, &run->ckpt.truth, err);
	if (status != VRS_OK)
		return status;
	forget_segments(run, !vrs_input_identity_same(&now, &run->ckpt.truth));
	run->ckpt.truth = now;
	return VRS_OK;
}

/* The number of the first frame of a segment is known before it is made only where all segments before it are full. */
static bool is_even(const struct vrs_long_run *run)
{
	int64_t frames = 0;
	for (int i = 0; i < run->ckpt.plan.segments; i++) {
		if (run->ckpt.segments[i].frames > 0 && frames != vrs_segment_plan_before(&run->ckpt.plan, i))
			return false;
		frames += run->ckpt.segments[i].frames;
	}
	return true;
}

void vrs_long_run_truth_end(struct vrs_long_run *run)
{
	struct vrs_long_truth *truth = run->request->truth;
	struct vrs_truth_sums all = {0};
	if (!truth)
		return;
	if (!run->truth_error.status && !is_even(run))
		(void)vrs_fail(&run->truth_error, VRS_EUNSUPPORTED, "the frames of %s come at an uneven rate, so that its segments cannot be compared with a "
			       "truth; --segment-frames none compares it in one go", run->request->input);
	for (int i = 0; i < run->ckpt.plan.segments; i++)
		vrs_truth_sums_add(&all, &run->ckpt.sums[i]);
	truth->error = run->truth_error;
	vrs_truth_sums_result(&all, &truth->result);
}
