/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparison of a film in parts with a truth: each part is compared where it is made, and its sums lie in the checkpoint until all are added. */
#include <inttypes.h>

#include "base/hash.h"
#include "film/film.h"

#include <vrseg/log.h>

/* A truth that is no single file is known by its name. */
static struct vrs_input_identity identity_of(const char *path)
{
	struct vrs_input_identity identity;
	if (vrs_input_identity_read(&identity, path, NULL))
		identity = (struct vrs_input_identity){.sample = vrs_hash_str(VRS_HASH_INIT, path)};
	identity.sample += identity.sample == 0; /* 0 stands for none */
	return identity;
}

/* Parts that were not compared, or with another truth, are made again. */
static void forget_parts(struct vrs_film *film, bool other)
{
	int64_t frames = 0;
	for (int i = 0; i < film->ckpt.plan.parts; i++) {
		struct vrs_part_record *part = &film->ckpt.parts[i];
		if (!part->done || part->frames == 0 || (!other && film->ckpt.sums[i].eyes > 0))
			continue;
		frames += part->frames;
		*part = (struct vrs_part_record){0};
		film->ckpt.sums[i] = (struct vrs_truth_sums){0};
	}
	if (frames > 0)
		vrs_log(VRS_LOG_INFO, "%" PRId64 " frames that were not compared with this truth are made again", frames);
}

enum vrs_status vrs_film_truth_begin(struct vrs_film *film, const struct vrs_job_info *info, struct vrs_error *err)
{
	const struct vrs_long_truth *wanted = film->request->truth;
	struct vrs_truth *truth;
	if (!wanted)
		return VRS_OK;
	enum vrs_status status = vrs_truth_open(&truth, wanted->file, film->request->input, &film->settings, err);
	if (status)
		return status;
	status = vrs_truth_attach(truth, info, film->settings.pipeline.every_nth, err);
	vrs_truth_close(truth);
	if (status)
		return status;
	if (!vrs_checkpoint_compare(&film->ckpt))
		return vrs_fail(err, VRS_ENOMEM, "no memory for the checkpoint");
	struct vrs_input_identity now = identity_of(wanted->file);
	forget_parts(film, !vrs_input_identity_same(&now, &film->ckpt.truth));
	film->ckpt.truth = now;
	return VRS_OK;
}

/* The number of the first frame of a part is known before it is made only where all parts before it are full. */
static bool is_even(const struct vrs_film *film)
{
	int64_t frames = 0;
	for (int i = 0; i < film->ckpt.plan.parts; i++) {
		if (film->ckpt.parts[i].frames > 0 && frames != vrs_film_plan_before(&film->ckpt.plan, i))
			return false;
		frames += film->ckpt.parts[i].frames;
	}
	return true;
}

void vrs_film_truth_end(struct vrs_film *film)
{
	struct vrs_long_truth *truth = film->request->truth;
	struct vrs_truth_sums all = {0};
	if (!truth)
		return;
	if (!film->truth_error.status && !is_even(film))
		(void)vrs_fail(&film->truth_error, VRS_EUNSUPPORTED, "the frames of %s come at an uneven rate, so that its parts cannot be compared with a "
			       "truth; --chunk-frames none compares it in one go", film->request->input);
	for (int i = 0; i < film->ckpt.plan.parts; i++)
		vrs_truth_sums_add(&all, &film->ckpt.sums[i]);
	truth->error = film->truth_error;
	vrs_truth_sums_result(&all, &truth->result);
}
