/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints from untrusted files: no input harms; what is taken lies inside its limits, matches itself, and is written and read back the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scratch.h"
#include "segments/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A run that goes on writes the checkpoint again. */
static void write_back(const struct vrs_checkpoint *ckpt)
{
	struct vrs_checkpoint again;
	char path[256], reason[64];

	if (vrs_checkpoint_write(ckpt, scratch_path(path, sizeof path, "checkpoint.json"), NULL) != VRS_OK ||
	    vrs_checkpoint_read(&again, path, NULL) != VRS_OK || !vrs_checkpoint_matches(ckpt, &again, reason, sizeof reason) ||
	    !vrs_checkpoint_matches(&again, ckpt, reason, sizeof reason))
		abort();
	if (vrs_checkpoint_frames(&again) != vrs_checkpoint_frames(ckpt) || vrs_checkpoint_open_segments(&again) != vrs_checkpoint_open_segments(ckpt))
		abort();
	if ((again.sums == NULL) != (ckpt->sums == NULL))
		abort();
	for (int i = 0; i < ckpt->plan.segments; i++)
		if (again.segments[i].first_pts != ckpt->segments[i].first_pts || again.segments[i].bytes != ckpt->segments[i].bytes)
			abort();
	vrs_checkpoint_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vrs_checkpoint ckpt;
	char reason[64];

	if (vrs_checkpoint_parse(&ckpt, (const char *)data, size, "fuzz", NULL) != VRS_OK)
		return 0;
	if (ckpt.plan.segments < 1 || ckpt.plan.segments > VRS_MAX_SEGMENTS || vrs_checkpoint_frames(&ckpt) < 0)
		abort();
	if (!vrs_checkpoint_matches(&ckpt, &ckpt, reason, sizeof reason))
		abort();
	for (int i = 0; i < ckpt.plan.segments; i++)
		if (ckpt.segments[i].done && ckpt.segments[i].frames < 0)
			abort();
	(void)vrs_segment_plan_at(&ckpt.plan, ckpt.plan.segments - 1);
	write_back(&ckpt);
	vrs_checkpoint_fini(&ckpt);
	return 0;
}
