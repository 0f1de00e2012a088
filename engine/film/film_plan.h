/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a film is cut into parts for checkpoints: spans of time, known before anything is decoded, the same for whoever makes which part. */
#ifndef VRS_FILM_PLAN_H
#define VRS_FILM_PLAN_H

#include "pipeline/job_part.h"
#include "video/media_file.h"

#define VRS_FILM_MAX_PARTS 1000000

struct vrs_film_plan {
	int time_base_num, time_base_den;
	int fps_num, fps_den;
	int64_t frames;      /* of the film as it will be written; an estimate */
	int64_t max_frames;  /* exact limit of them; 0: none */
	int chunk_frames;    /* written frames of a part */
	int every_nth;
	int warm_frames;     /* that go through the network before a part's first frame */
	int tail_frames;     /* and after its last one */
	int parts;
};

/*
 * Cut a film of this clock into parts of chunk_frames written frames (a multiple of the stride, so that the network sees the same frames as without
 * parts); what is left after the last whole part goes with it when it is less than half a part.  tail_frames: that smoothing looks ahead.
 * VRS_EUNSUPPORTED: the clock is not known well enough, or there would be too many parts.
 */
enum vrs_status vrs_film_plan_make(struct vrs_film_plan *ret_plan, const struct vrs_media_clock *clock, const struct vrs_settings *settings,
				   bool has_states, int tail_frames, struct vrs_error *err) VRS_MUST_CHECK;
bool vrs_film_plan_same(const struct vrs_film_plan *a, const struct vrs_film_plan *b);
/* Times of part `number`: borders lie half a frame before a frame, so that rounded time stamps fall on the right side. */
struct vrs_job_part vrs_film_plan_part(const struct vrs_film_plan *plan, int number);
/* Frames of the film before part `number`. */
int64_t vrs_film_plan_before(const struct vrs_film_plan *plan, int number);

#endif
