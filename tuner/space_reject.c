/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/space_reject.h"

#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"

void vrs_knob_add_value(struct vrs_knob *knob, const char *value)
{
	for (int i = 0; i < knob->count; i++)
		if (strcmp(knob->values[i], value) == 0)
			return;
	if (knob->count < VRS_KNOB_MAX_VALUES && strcmp(value, knob->default_value) != 0)
		(void)vrs_strcpy(knob->values[knob->count++], VRS_NAME_MAX, value);
}

void vrs_space_note_rejected(struct vrs_space *space, const char *what, const char *why)
{
	if (space->rejected_count == VRS_SPACE_MAX_REJECTED)
		return;
	struct vrs_rejected *r = &space->rejected[space->rejected_count++];
	(void)vrs_strcpy(r->what, sizeof r->what, what);
	(void)vrs_strcpy(r->why, sizeof r->why, why);
}

/* Is a value of an option rejected when it is set alone? */
static enum vrs_rejection rejection_of(const struct vrs_option *row, const char *value, vrs_rejects_fn rejects, const void *cookie, char *why,
				       size_t size)
{
	struct vrs_case c = {.value_count = 0};
	return vrs_case_set(&c, row->key, value, NULL) == VRS_OK ? rejects(cookie, &c, why, size) : VRS_REJECTION_NONE;
}

/* Of the counts between the largest value that is kept and the smallest that is not, the largest that is kept; 0: none. */
static int largest_kept(const struct vrs_knob *knob, int smallest_rejected, vrs_rejects_fn rejects, const void *cookie)
{
	char word[16], why[8];
	int64_t number, low = 1;
	for (int i = 0; i < knob->count; i++)
		if (vrs_parse_int(knob->values[i], 1, INT32_MAX, &number) && number > low && number < smallest_rejected)
			low = number;
	int kept = (int)low, high = smallest_rejected;
	while (high - kept > 1) {
		int middle = kept + (high - kept) / 2;
		snprintf(word, sizeof word, "%d", middle);
		if (rejection_of(knob->row, word, rejects, cookie, why, sizeof why) != VRS_REJECTION_NONE)
			high = middle;
		else
			kept = middle;
	}
	return kept > (int)low ? kept : 0;
}

void vrs_knob_reject_values(struct vrs_space *space, struct vrs_knob *knob, vrs_rejects_fn rejects, const void *cookie)
{
	int kept = 0, too_large = 0, first = space->rejected_count;
	int64_t number;
	char why[sizeof space->rejected[0].why], what[sizeof space->rejected[0].what];
	for (int i = 0; i < knob->count; i++) {
		enum vrs_rejection rejection = rejection_of(knob->row, knob->values[i], rejects, cookie, why, sizeof why);
		if (rejection == VRS_REJECTION_NONE) {
			if (kept != i)
				memcpy(knob->values[kept], knob->values[i], sizeof knob->values[0]);
			kept++;
			continue;
		}
		struct vrs_rejected *last = space->rejected_count > first ? &space->rejected[space->rejected_count - 1] : NULL;
		size_t used = last ? strlen(last->what) : 0;
		snprintf(what, sizeof what, "%s %s", knob->row->key, knob->values[i]);
		if (last && strcmp(last->why, why) == 0)
			snprintf(last->what + used, sizeof last->what - used, " %s", knob->values[i]);
		else
			vrs_space_note_rejected(space, what, why);
		if (!too_large && rejection == VRS_REJECTION_MEMORY && vrs_parse_int(knob->values[i], 1, INT32_MAX, &number))
			too_large = (int)number;
	}
	knob->count = kept;
	bool may_add = strcmp(knob->row->key, "engine.batch_size") == 0 && !knob->list;
	int largest = may_add && too_large ? largest_kept(knob, too_large, rejects, cookie) : 0;
	if (largest) {
		snprintf(what, sizeof what, "%d", largest);
		vrs_knob_add_value(knob, what);
		knob->ends_at_memory = true;
	}
}

/* Options without a value left are no knobs. */
static void drop_empty(struct vrs_space *space)
{
	int kept = 0;
	for (int k = 0; k < space->count; k++)
		if (space->knobs[k].count > 0)
			space->knobs[kept++] = space->knobs[k];
	space->count = kept;
}

void vrs_space_reject(struct vrs_space *space, vrs_rejects_fn rejects, const void *cookie)
{
	for (int k = 0; k < space->count; k++)
		vrs_knob_reject_values(space, &space->knobs[k], rejects, cookie);
	drop_empty(space);
}

void vrs_space_reject_costs(struct vrs_space *space)
{
	for (int k = 0; k < space->count; k++)
		if (space->knobs[k].row->traits & VRS_OPTION_COSTS_TIME) {
			vrs_space_note_rejected(space, space->knobs[k].row->key, "it takes time to make better mattes: --objective quality tries it");
			space->knobs[k].count = 0;
		}
	drop_empty(space);
}

void vrs_space_thin(struct vrs_space *space, int max)
{
	for (int k = 0; k < space->count; k++) {
		struct vrs_knob *knob = &space->knobs[k];
		if (knob->count <= max || knob->list) /* whoever names values wants to know them */
			continue;
		/* Of a range the user wants to know its end, and of memory, too; the table's largest values seldom win. */
		bool end = knob->is_range || knob->ends_at_memory;
		for (int i = 0; i < max; i++) {
			int from = end ? (i + 1) * knob->count / max - 1 : i * knob->count / max;
			memmove(knob->values[i], knob->values[from], sizeof knob->values[0]);
		}
		knob->count = max;
	}
}
