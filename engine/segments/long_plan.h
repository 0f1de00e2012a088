/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was found out about a video before any of it is made. */
#ifndef VRS_SEGMENTS_LONG_PLAN_H
#define VRS_SEGMENTS_LONG_PLAN_H

#include <vrseg/long_job.h>

#include "video/media_file.h"

struct vrs_long_plan {
	struct vrs_media_clock clock;
};

#endif
