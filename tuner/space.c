/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/space.h"

#include <stdio.h>
#include <string.h>

#include <vrseg/network_run.h>

#include "base/str_parse.h"
#include "bench/plan/case.h"

#define STEREO 2 /* eyes: of a mono video a few more values cannot be had, which their runs tell */

/* Does a word of `only` name the row, by its key, an alias or the last part of its key? */
static bool names_row(const char *word, size_t length, const struct vrs_option *row)
{
	const char *last = strrchr(row->key, '.');
	if (strlen(row->key) == length && strncmp(row->key, word, length) == 0)
		return true;
	if (last && strlen(last + 1) == length && strncmp(last + 1, word, length) == 0)
		return true;
	char name[VRS_NAME_MAX];
	if (length >= sizeof name)
		return false;
	memcpy(name, word, length);
	name[length] = '\0';
	return vrs_option_find(name) == row;
}

static bool is_listed(const char *only, const struct vrs_option *row)
{
	if (!only)
		return true;
	for (const char *p = only; *p;) {
		size_t length = strcspn(p, " ,");
		if (length && names_row(p, length, row))
			return true;
		p += length + (p[length] != '\0');
	}
	return false;
}

/* "engine.threads" is typed as "threads". */
static enum vrs_status refuse_word(const char *word, size_t length, struct vrs_error *err)
{
	int rows;
	char names[400] = "";
	const struct vrs_option *table = vrs_option_table(&rows);
	for (int i = 0; i < rows; i++) {
		const char *last = strrchr(table[i].key, '.');
		size_t used = strlen(names);
		if (table[i].tunable && table[i].state == VRS_OPT_READY)
			snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", last ? last + 1 : table[i].key);
	}
	return vrs_fail(err, VRS_ECONFIG, "\"%.*s\" cannot be tuned; --only takes %s", (int)length, word, names);
}

enum vrs_status vrs_space_check_only(const char *only, struct vrs_error *err)
{
	int rows;
	const struct vrs_option *table = vrs_option_table(&rows);
	for (const char *p = only; p && *p;) {
		size_t length = strcspn(p, " ,");
		bool known = length == 0;
		for (int i = 0; i < rows && !known; i++)
			known = table[i].tunable && table[i].state == VRS_OPT_READY && names_row(p, length, &table[i]);
		if (!known)
			return refuse_word(p, length, err);
		p += length + (p[length] != '\0');
	}
	return VRS_OK;
}

static void add_value(struct vrs_knob *knob, const char *value)
{
	for (int i = 0; i < knob->count; i++)
		if (strcmp(knob->values[i], value) == 0)
			return;
	if (knob->count < VRS_KNOB_MAX_VALUES && strcmp(value, knob->default_value) != 0)
		(void)vrs_strcpy(knob->values[knob->count++], VRS_NAME_MAX, value);
}

/* A value of the table: inside the range that the user gave, and no more workers than there are CPUs, since these only add waiting. */
static bool fits(const struct vrs_knob *knob, const char *word, int cpus)
{
	int64_t number;
	if (!vrs_parse_int(word, INT32_MIN, INT32_MAX, &number))
		return !knob->is_range;
	if ((knob->row->traits & VRS_OPTION_WORKERS) && number > cpus)
		return false;
	return !knob->is_range || (number >= knob->low && number <= knob->high);
}

static bool needs_calibration(const struct vrs_knob *knob, const char *word)
{
	return strcmp(knob->row->key, "engine.precision") == 0 && (strcmp(word, "int8") == 0 || strcmp(word, "mixed") == 0);
}

static void fill_values(struct vrs_knob *knob, int cpus, bool calibrated)
{
	char word[VRS_NAME_MAX];
	for (const char *p = knob->list ? knob->list : knob->row->tunable; *p;) {
		size_t length = strcspn(p, " ,");
		if (length && length < sizeof word) {
			memcpy(word, p, length);
			word[length] = '\0';
			if ((knob->list || fits(knob, word, cpus)) && (calibrated || !needs_calibration(knob, word)))
				add_value(knob, word);
		}
		p += length + (p[length] != '\0');
	}
	/* The user's own ends count even where the table has no such value; the low one is what the search starts from. */
	if (knob->is_range) {
		snprintf(word, sizeof word, "%d", knob->high);
		add_value(knob, word);
	}
}

/* What the search starts from; auto as this machine takes it, so that no candidate is the default again. */
static enum vrs_status find_default(const struct vrs_config *base, struct vrs_knob *knob, struct vrs_error *err)
{
	struct vrs_case own = {.value_count = 0};
	enum vrs_status status = vrs_case_settle(&own, base, err);
	const char *settled = vrs_case_get(&own, knob->row->key);
	if (knob->is_range)
		snprintf(knob->default_value, sizeof knob->default_value, "%d", knob->low);
	else if (knob->list)
		snprintf(knob->default_value, sizeof knob->default_value, "%.*s", (int)strcspn(knob->list, ","), knob->list);
	else if (settled)
		(void)vrs_strcpy(knob->default_value, sizeof knob->default_value, settled);
	else if (status == VRS_OK)
		status = vrs_config_get(base, knob->row->key, knob->default_value, sizeof knob->default_value);
	return status;
}

static void note_fixed(struct vrs_space *space, const struct vrs_option *row, enum vrs_value_source source)
{
	size_t used = strlen(space->fixed);
	snprintf(space->fixed + used, sizeof space->fixed - used, "%s%s (%s)", used ? ", " : "", row->key, vrs_source_name(source));
}

/* Of the ways to ask an encoder for quality only one counts. */
static const char *overrules(const struct vrs_option *row, const struct vrs_settings *settings)
{
	if (strcmp(row->key, "output.crf") != 0)
		return NULL;
	return settings->output.lossless ? "output.lossless" : strcmp(settings->output.bitrate, "auto") != 0 ? "output.bitrate"
	     : settings->output.quality >= 0 ? "output.quality" : NULL;
}

static void note_moot(struct vrs_space *space, const char *what, const char *why)
{
	size_t used = strlen(space->moot);
	snprintf(space->moot + used, sizeof space->moot - used, "%s%.160s (%.200s)", used ? ", " : "", what, why); /* shown only */
}

unsigned vrs_knob_stages(const struct vrs_option *row)
{
	unsigned stages = 0;
	for (const char *p = row->stages; p && *p;) {
		size_t length = strcspn(p, " ");
		for (int i = 0; i < VRS_STAGE_COUNT; i++) {
			const char *name = vrs_stage_name((enum vrs_stage)i);
			if (strlen(name) == length && strncmp(p, name, length) == 0)
				stages |= 1u << i;
		}
		p += length + (p[length] == ' ');
	}
	return row->stages ? stages : (1u << VRS_STAGE_COUNT) - 1;
}

/* Values that the network cannot have are not tried, and the first reason is noted: a recurrent one takes frames one after another. */
static void drop_impossible(struct vrs_space *space, const struct vrs_config *base, struct vrs_knob *knob)
{
	char dropped[160];
	struct vrs_error why = {.status = VRS_OK};
	int kept = 0;
	(void)vrs_strcpy(dropped, sizeof dropped, knob->row->key);
	for (int i = 0; i < knob->count; i++) {
		struct vrs_case c = {.value_count = 0};
		struct vrs_error *reason = why.status ? NULL : &why;
		if (vrs_case_set(&c, knob->row->key, knob->values[i], NULL) == VRS_OK && vrs_case_check_network(&c, base, STEREO, reason) == VRS_ECONFIG) {
			size_t used = strlen(dropped);
			snprintf(dropped + used, sizeof dropped - used, " %s", knob->values[i]);
			continue;
		}
		if (kept != i)
			memcpy(knob->values[kept], knob->values[i], sizeof knob->values[0]);
		kept++;
	}
	if (kept < knob->count)
		note_moot(space, dropped, why.text);
	knob->count = kept;
}

enum vrs_status vrs_space_build(struct vrs_space *ret_space, const struct vrs_config *base, int cpus, const char *only, struct vrs_error *err)
{
	struct vrs_space space = {.cpus = cpus};
	int rows;
	const struct vrs_option *table = vrs_option_table(&rows);
	bool calibrated = vrs_precision_is_calibrated(vrs_config_settings(base));
	enum vrs_status status = vrs_space_check_only(only, err);
	for (int i = 0; status == VRS_OK && i < rows; i++) {
		const struct vrs_option *row = &table[i];
		if (!row->tunable || row->state != VRS_OPT_READY || !is_listed(only, row))
			continue;
		const char *other = overrules(row, vrs_config_settings(base));
		if (other) {
			char why[64];
			snprintf(why, sizeof why, "%s decides", other);
			note_moot(&space, row->key, why);
			continue;
		}
		struct vrs_knob next = {.row = row};
		next.is_range = vrs_config_interval(base, row->key, &next.low, &next.high);
		next.list = vrs_config_list(base, row->key);
		if (vrs_config_is_fixed(base, row->key)) {
			note_fixed(&space, row, vrs_config_source(base, row->key));
			continue;
		}
		if (space.count == VRS_SPACE_MAX_KNOBS)
			return vrs_fail(err, VRS_EINTERNAL, "more than %d options are tunable", VRS_SPACE_MAX_KNOBS);
		status = find_default(base, &next, err);
		if (status == VRS_OK) {
			fill_values(&next, cpus, calibrated);
			drop_impossible(&space, base, &next);
		}
		if (status == VRS_OK && !calibrated && needs_calibration(&next, "int8"))
			note_moot(&space, "int8 and mixed", "vrseg --calibrate VIDEO comes first");
		if (next.count > 0)
			space.knobs[space.count++] = next;
	}
	if (status == VRS_OK)
		*ret_space = space;
	return status;
}

void vrs_space_thin(struct vrs_space *space, int max)
{
	for (int k = 0; k < space->count; k++) {
		struct vrs_knob *knob = &space->knobs[k];
		if (knob->count <= max || knob->list) /* whoever names values wants to know them */
			continue;
		/* Of a range the user wants to know its end; the table's largest values seldom win. */
		for (int i = 0; i < max; i++) {
			int from = knob->is_range ? (i + 1) * knob->count / max - 1 : i * knob->count / max;
			memmove(knob->values[i], knob->values[from], sizeof knob->values[0]);
		}
		knob->count = max;
	}
}
