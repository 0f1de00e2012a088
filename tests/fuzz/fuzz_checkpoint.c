/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints from untrusted files: no input harms; what is taken lies inside its limits and matches itself. */
#include <stdint.h>
#include <stdlib.h>

#include "film/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vrs_checkpoint ckpt;
	char reason[64];

	if (vrs_checkpoint_parse(&ckpt, (const char *)data, size, "fuzz", NULL) != VRS_OK)
		return 0;
	if (ckpt.plan.parts < 1 || ckpt.plan.parts > VRS_FILM_MAX_PARTS || vrs_checkpoint_frames(&ckpt) < 0)
		abort();
	if (!vrs_checkpoint_matches(&ckpt, &ckpt, reason, sizeof reason))
		abort();
	for (int i = 0; i < ckpt.plan.parts; i++)
		if (ckpt.parts[i].done && ckpt.parts[i].frames < 0)
			abort();
	(void)vrs_film_plan_part(&ckpt.plan, ckpt.plan.parts - 1);
	vrs_checkpoint_fini(&ckpt);
	return 0;
}
