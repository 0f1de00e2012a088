/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --verify-pack: the packed video is read again after the job, and its mattes are compared with those that were meant. */
#include <stdio.h>

#include "modes/program.h"

#include <vrseg/pack_check.h>

enum vrs_status vrs_pack_verify_begin(struct vrs_program_state *program, struct vrs_error *err)
{
	return program->settings.output.verify_pack ? vrs_pack_check_create(&program->check, &program->settings, err) : VRS_OK;
}

static void print_eye(FILE *out, const char *eye, const struct vrs_truth_metric *iou, const struct vrs_truth_metric *mad)
{
	fprintf(out, "packed matte, %-5s eye: IoU %.4f, worst %.4f in frame %lld; mean difference %.4f, worst %.4f in frame %lld\n", eye, iou->mean,
		iou->worst, (long long)iou->worst_frame, mad->mean, mad->worst, (long long)mad->worst_frame);
}

enum vrs_status vrs_pack_verify_end(struct vrs_program_state *program, enum vrs_status job_status, struct vrs_error *err)
{
	struct vrs_pack_result result;
	enum vrs_status status = job_status;
	if (!program->check)
		return job_status;
	if (status == VRS_OK)
		status = vrs_pack_check_run(program->check, &result, err);
	vrs_pack_check_close(program->check);
	program->check = NULL;
	if (status != VRS_OK)
		return status;
	print_eye(program->results, "left", &result.iou[0], &result.mad[0]);
	print_eye(program->results, "right", &result.iou[1], &result.mad[1]);
	fprintf(program->results, "packing of %llu frames: %s\n", (unsigned long long)result.frames, result.passed ? "PASS" : "FAIL");
	return result.passed ? VRS_OK : vrs_fail(err, VRS_EIO, "%s did not pass --verify-pack: %s", program->settings.output.file, result.reason);
}
