/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads frames, thins them out, numbers them, plays the input again for loops. */
#ifndef VRS_PIPELINE_DECODE_STAGE_H
#define VRS_PIPELINE_DECODE_STAGE_H

#include "compose/compose_plan.h"
#include "pipeline/live_stage.h"
#include "pipeline/segment.h"

/* Set before the run by whoever makes the job; during it live.* is the decoder's alone. */
struct vrs_decode_stage {
	struct vrs_flow *flow;
	struct vrs_source *source;            /* owned */
	const struct vrs_settings *settings;
	const struct vrs_segment *segment;    /* NULL: the whole video */
	const struct vrs_compose_plan *compose; /* for pictures of a background video */
	int loops;
	struct vrs_live_input live;
};

void vrs_decode_stage_fini(struct vrs_decode_stage *stage); /* zeroed memory is fine */
/* Thread function; the argument is a struct vrs_decode_stage. */
void *vrs_decode_stage_main(void *stage);

#endif
