/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/bottleneck_finder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
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

double vrs_finder_bound(const struct vrs_finder *f, enum vrs_stage stage, double left)
{
	double own = isfinite(f->busy[stage]) ? f->busy[stage] * f->in->frame_ms : f->in->frame_ms;
	double next = left > 0 ? left * own : 0;
	for (int s = 0; s < VRS_STAGE_COUNT; s++)
		if (s != (int)stage && f->busy[s] * f->in->frame_ms > next)
			next = f->busy[s] * f->in->frame_ms;
	if (f->in->cpus > 0 && isfinite(f->in->cpu_ms) && isfinite(f->in->busy_ms[stage]))
		next = fmax(next, fmax(0, f->in->cpu_ms - f->in->busy_ms[stage]) / f->in->cpus);
	return next > 0 ? 1e3 / next : NAN;
}

const char *vrs_finder_number(int number, char ret[12])
{
	(void)snprintf(ret, 12, "%d", number);
	return ret;
}

/* Is it in the YAML of a rule before b? */
static bool stands_above(const struct vrs_finder *f, const struct vrs_bottleneck *b, const struct vrs_proposal *proposal)
{
	char line[VRS_NAME_MAX];
	const char *dot = strchr(proposal->key, '.');
	snprintf(line, sizeof line, " %s: %s ", dot ? dot + 1 : proposal->key, proposal->value);
	for (const struct vrs_bottleneck *other = f->out; other < b; other++)
		if (strstr(other->yaml, line))
			return true;
	return false;
}

/* A recurrent network runs in one stream, and a batch holds no more than what is of one frame (vrs_network_constrain). */
static bool is_possible(const struct vrs_finder *f, const struct vrs_proposal *p)
{
	int64_t most = strcmp(p->key, "engine.streams") == 0 ? 1 : strcmp(p->key, "engine.batch_size") == 0 ? f->in->eyes : INT64_MAX;
	int64_t value;
	return !f->in->recurrent || !vrs_parse_int(p->value, 0, INT64_MAX, &value) || value <= most;
}

/* What an earlier rule proposes stands there alone. */
void vrs_finder_advise(const struct vrs_finder *f, struct vrs_bottleneck *b, const struct vrs_proposal *proposals, int count)
{
	char told[160];
	int n = 0;
	bool above = false, repeats = false;
	struct vrs_proposal own[VRS_BOTTLENECK_MAX];
	VRS_ASSERT(count <= VRS_BOTTLENECK_MAX);
	for (int i = 0; i < count; i++) {
		if (!is_possible(f, &proposals[i]))
			continue;
		repeats = stands_above(f, b, &proposals[i]) || (repeats && proposals[i].or_else);
		above = above || repeats;
		if (!repeats)
			own[n++] = proposals[i];
	}
	vrs_advice(f->in->result, f->in->case_result, own, n, b->yaml, sizeof b->yaml, told, sizeof told);
	size_t used = strlen(b->evidence);
	if (told[0])
		(void)snprintf(b->evidence + used, sizeof b->evidence - used, "; %s", told);
	used = strlen(b->evidence);
	if (above && !b->yaml[0])
		(void)snprintf(b->evidence + used, sizeof b->evidence - used, "; what is to try above helps here, too");
}
