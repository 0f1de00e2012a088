/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks a packed video (output mode alpha) when it is written and has no name yet: decodes the file, unpacks the mattes as players do, and compares
 * them with those that the job meant.
 *
 *     vrs_pack_check_create(&check, settings, &err)         before the job is created, which needs the callback
 *     job with on_matte calling vrs_pack_check_add
 *     vrs_pack_check_attach(check, vrs_job_info(job), &err)  before the job runs
 *     vrs_pack_check_run(check, file, &result, &err)         in the callback check_output
 *     vrs_pack_check_close(check)                            there, too, so that nothing is left beside a video that has its name
 *
 * The mattes meant wait in a small lossless video in a hidden folder beside the output, .OUTPUT.mattes.vrseg, which goes away with the check.
 */
#ifndef VRSEG_PACK_CHECK_H
#define VRSEG_PACK_CHECK_H

#include <vrseg/frame.h>
#include <vrseg/options.h>
#include <vrseg/pipeline.h>
#include <vrseg/quality.h>

struct vrs_pack_check;

struct vrs_pack_result {
	uint64_t frames;
	struct vrs_truth_metric iou[2], mad[2]; /* of each eye's unpacked matte against the one that was meant */
	bool passed;
	char reason[200];                       /* of a failure: what is wrong, as far as it can be told */
};

/* The mode of the settings is alpha: the rules of the option table refuse --verify-pack in others. VRS_ECONFIG: the output is no file. */
enum vrs_status vrs_pack_check_create(struct vrs_pack_check **ret_check, const struct vrs_settings *settings, struct vrs_error *err) VRS_MUST_CHECK;
/* Before the first matte. VRS_ENOMEM; VRS_EIO: the mattes cannot be kept in the working folder; statuses of vrs_pack_places. */
enum vrs_status vrs_pack_check_attach(struct vrs_pack_check *check, const struct vrs_job_info *info, struct vrs_error *err) VRS_MUST_CHECK;
/* As the callback on_matte, in its order. A failure is kept for vrs_pack_check_run; later calls do nothing. */
void vrs_pack_check_add(struct vrs_pack_check *check, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers);
/* VRS_OK also where the video did not pass; VRS_ESTOPPED on request; statuses of writing the mattes and of reading the video. */
enum vrs_status vrs_pack_check_run(struct vrs_pack_check *check, const char *file, struct vrs_pack_result *ret_result, struct vrs_error *err)
	VRS_MUST_CHECK;
void vrs_pack_check_close(struct vrs_pack_check *check); /* NULL is fine */

#endif
