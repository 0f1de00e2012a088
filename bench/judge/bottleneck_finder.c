/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/bottleneck_finder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"

struct vrs_bottleneck *vrs_finder_add(struct vrs_finder *f, const char *id)
{
	if (f->count == f->max)
		return NULL;
	struct vrs_bottleneck *b = &f->out[f->count++];
	*b = (struct vrs_bottleneck){.stage = VRS_STAGE_COUNT, .next_stage = VRS_STAGE_COUNT, .fps_bound = NAN};
	vrs_strcpy(b->id, sizeof b->id, id);
	return b;
}

void vrs_finder_say_gain(struct vrs_bottleneck *b, const char *condition)
{
	size_t used = strlen(b->evidence);
	if (isfinite(b->fps_bound))
		(void)snprintf(b->evidence + used, sizeof b->evidence - used, "; at most %.1f FPS %s", b->fps_bound, condition);
}

void vrs_finder_advise(const struct vrs_finder *f, struct vrs_bottleneck *b, const struct vrs_proposal *proposals, int count)
{
	char told[160];
	vrs_advice(f->in->result, f->in->case_result, proposals, count, b->yaml, sizeof b->yaml, told, sizeof told);
	size_t used = strlen(b->evidence);
	if (told[0])
		(void)snprintf(b->evidence + used, sizeof b->evidence - used, "; %s", told);
}
