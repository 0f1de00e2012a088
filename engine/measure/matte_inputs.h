/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The videos of a request, read together: mattes, and what belongs to each frame of them. */
#ifndef VRS_MEASURE_MATTE_INPUTS_H
#define VRS_MEASURE_MATTE_INPUTS_H

#include "measure/matte_meter.h"
#include "measure/matte_video.h"

struct vrs_matte_inputs {
	const struct vrs_matte_request *request;
	struct vrs_matte_video mattes, source, truth;
	bool has_source, has_truth, has_picture; /* has_picture: a source, or mattes beside their own picture */
	int eyes, width, height;                 /* of what is measured */
	int circle;                              /* 0, or the width of an eye whose rows close */
	struct vrs_arena arena;
	struct vrs_matte matte[2], luma[2], truths[2];
};

/* Statuses of vrs_matte_measure. vrs_matte_inputs_close also after a failure. */
enum vrs_status vrs_matte_inputs_open(struct vrs_matte_inputs *inputs, const struct vrs_matte_request *request, struct vrs_error *err) VRS_MUST_CHECK;
/* The next frame of the mattes, and those of the others nearest to its time. VRS_END; VRS_EFORMAT also where the truth ends before. */
enum vrs_status vrs_matte_inputs_read(struct vrs_matte_inputs *inputs, struct vrs_error *err) VRS_MUST_CHECK;
/* Fill matte, luma and truths from them. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_matte_inputs_draw(struct vrs_matte_inputs *inputs) VRS_MUST_CHECK;
void vrs_matte_inputs_close(struct vrs_matte_inputs *inputs);

#endif
