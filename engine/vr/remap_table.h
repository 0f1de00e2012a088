/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of a map: shared by those who make (remap_build.c) and draw (remap_draw.c). */
#ifndef VRS_VR_REMAP_TABLE_H
#define VRS_VR_REMAP_TABLE_H

#include "vr/remap.h"

/* Kinds of runs beside curves, in `exact`: the number of the run's positions, with a mark where they cross a seam. */
#define VRS_REMAP_ON_CURVE (-1)
#define VRS_REMAP_SEAM 0x40000000
#define VRS_REMAP_ALL 0xffffffffu /* every sample of a run is shown */

struct vrs_remap_positions {
	int32_t u[VRS_REMAP_RUN], v[VRS_REMAP_RUN];
};

struct vrs_remap_place;

struct vrs_remap {
	struct vrs_remap_options options;
	bool wraps;                     /* the source is all around */
	int runs;                       /* of a row */
	struct vrs_remap_curve *curves; /* [height][runs] */
	uint32_t *inside;               /* [height][runs] */
	int32_t *exact;                 /* [height][runs] */
	int (*span)[2];                 /* [height] runs that show something */
	struct vrs_remap_positions *positions;
	int32_t position_count, position_room;
	struct vrs_remap_place *places; /* [4 * runs + 1] of the row that is being made */
};

#endif
