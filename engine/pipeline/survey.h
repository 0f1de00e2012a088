/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where to look first in a picture of 360 degrees: people are small in one view of the whole circle, and half as wide as they are high.  Where frames
 * are looked at widely (vrs_looks_are_wide) the circle is looked at in square views too that overlap by half, and what they all show is where the
 * frame is looked at.
 */
#ifndef VRS_PIPELINE_SURVEY_H
#define VRS_PIPELINE_SURVEY_H

#include "pipeline/job.h"

/* Views of an eye: first the whole circle, then the square ones. 0: eyes of this job are no circles, or nobody is followed. */
int vrs_survey_views(const struct vrs_job *job);
/* Square view k of an eye, from 1 on. */
struct vrs_rect vrs_survey_square(const struct vrs_job *job, int eye, int k);
/* Where the people are that the views of input i show, into worker->now[i]; that stays as it is when there are none. */
void vrs_survey_judge(struct vrs_worker *worker, int i);

#endif
