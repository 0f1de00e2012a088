/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/memory_step.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"
#include "tuner/screening.h"
#include "tuner/space_reject.h"

#define FINE_ENOUGH 8 /* a value that is larger by an eighth at most is not worth a run, which may be slow */

/* Levels of a knob: the largest that ran, 0: the default; and the smallest above it that ran out of memory.  False: none did. */
static bool find_edge(const struct vrs_search_state *s, int k, int *ret_ran, int *ret_out)
{
	double most = vrs_grid_position(&s->grid, k, 0), least = INFINITY;
	int count = s->space->knobs[k].row->traits & VRS_OPTION_TAKES_MEMORY ? s->space->knobs[k].count : 0;
	*ret_ran = *ret_out = 0;
	for (int level = 1; level <= count; level++) {
		double at = vrs_grid_position(&s->grid, k, level);
		if (s->fates[k][level] == VRS_FATE_RAN && isfinite(at) && !(at <= most)) { /* most: NaN for auto */
			most = at;
			*ret_ran = level;
		}
	}
	for (int level = 1; level <= count; level++) {
		double at = vrs_grid_position(&s->grid, k, level);
		if (s->fates[k][level] == VRS_FATE_RAN_OUT && !(at <= most) && at < least) {
			least = at;
			*ret_out = level;
		}
	}
	return *ret_out > 0;
}

static bool is_too_large(const struct vrs_search_state *s, int k, int level)
{
	int ran, out;
	return level && find_edge(s, k, &ran, &out) && vrs_grid_position(&s->grid, k, level) >= vrs_grid_position(&s->grid, k, out);
}

void vrs_memory_step_close(struct vrs_search_state *s, struct vrs_proposal *proposal)
{
	int kept = 0;
	for (int k = 0; k < s->space->count; k++)
		for (int level = 1; level <= s->space->knobs[k].count; level++)
			s->grid.closed[k][level] = s->grid.closed[k][level] || is_too_large(s, k, level);
	for (int i = 0; proposal && i < proposal->count; i++) {
		bool fits = true;
		for (int k = 0; k < s->space->count; k++)
			fits = fits && !is_too_large(s, k, proposal->points[i].level[k]);
		if (fits)
			proposal->points[kept++] = proposal->points[i];
	}
	if (proposal)
		proposal->count = kept;
}

static bool number_of(const struct vrs_knob *knob, int level, int64_t *ret)
{
	return vrs_parse_int(level ? knob->values[level - 1] : knob->default_value, 1, INT32_MAX, ret);
}

/* The level of the number halfway from what ran to what ran out; 0: there is none, or no room for it. */
static int halfway(struct vrs_knob *knob, int ran, int out)
{
	char word[16];
	int64_t low, high;
	if (!number_of(knob, ran, &low))
		low = 1; /* auto */
	if (knob->list || !number_of(knob, out, &high) || high - low < 2 || FINE_ENOUGH * (high - low) <= low)
		return 0;
	snprintf(word, sizeof word, "%d", (int)(low + (high - low) / 2));
	vrs_knob_add_value(knob, word);
	for (int level = 1; level <= knob->count; level++)
		if (strcmp(knob->values[level - 1], word) == 0)
			return level;
	return 0;
}

static enum vrs_status bisect(struct vrs_search_state *s, int k, struct vrs_error *err)
{
	struct vrs_knob *knob = &s->space->knobs[k];
	double budget = s->options->budget_seconds;
	enum vrs_status status = VRS_OK;
	int ran, out, level;
	while (status == VRS_OK && find_edge(s, k, &ran, &out) && !(budget > 0 && s->seconds > budget) && (level = halfway(knob, ran, out))) {
		struct vrs_proposal proposal = {.rounds = 1, .count = 1, .points = {vrs_point_single(k, level)}};
		snprintf(proposal.why, sizeof proposal.why, "the largest %s that memory holds", knob->row->key);
		s->fates[k][level] = VRS_FATE_NOT_KNOWN;
		status = vrs_search_phase(s, VRS_PHASE_SCREEN, &proposal, NULL, NULL, err);
		if (s->fates[k][level] == VRS_FATE_NOT_KNOWN) /* it failed for another reason */
			break;
	}
	return status;
}

enum vrs_status vrs_memory_step_bisect(struct vrs_search_state *s, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	char what[96], why[96];
	int ran, out;
	for (int k = 0; status == VRS_OK && k < s->space->count; k++) {
		if (!find_edge(s, k, &ran, &out))
			continue;
		status = bisect(s, k, err);
		if (!find_edge(s, k, &ran, &out))
			continue;
		const struct vrs_knob *knob = &s->space->knobs[k];
		snprintf(what, sizeof what, "%s %s and more", knob->row->key, knob->values[out - 1]);
		snprintf(why, sizeof why, "a run with %s ran out of memory", knob->values[out - 1]);
		vrs_space_note_rejected(s->space, what, why);
	}
	vrs_memory_step_close(s, NULL);
	return status;
}
