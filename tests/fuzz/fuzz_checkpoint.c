/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints from untrusted files: no input harms; what is taken lies inside its limits and matches itself. */
#include <stdint.h>
#include <stdlib.h>

#include "segments/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
	vrs_checkpoint_fini(&ckpt);
	return 0;
}
