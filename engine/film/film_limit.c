/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --max-frames: the last part takes what the parts before it have left, and is made when they are done.  Where frames come at an uneven rate the
 * parts before the last one may hold more than the clock says; then the part that holds the last wanted frame is made again, and those behind it are
 * left out.
 */
#include "film/film.h"

int64_t vrs_film_frames_left(const struct vrs_film *film, int number)
{
	int64_t left = film->ckpt.plan.max_frames;
	if (left <= 0)
		return INT64_MAX;
	for (int i = 0; i < number; i++)
		left -= film->ckpt.parts[i].frames;
	return left > 0 ? left : 0;
}

enum vrs_status vrs_film_trim(struct vrs_film *film, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < film->ckpt.plan.parts && !status; i++) {
		struct vrs_part_record *part = &film->ckpt.parts[i];
		int64_t left = vrs_film_frames_left(film, i), frames = part->frames;
		if (frames <= left)
			continue;
		film->trims = true;
		status = vrs_film_make_part(film, i, err);
		film->trims = false;
		film->stats.frames_done -= film->stats.frames_done > (uint64_t)frames ? (uint64_t)frames : film->stats.frames_done;
	}
	return status;
}
