/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/space.h"

#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"

/* Does a word of `only` name the row, by its key, an alias or the last part of its key? */
static bool names_row(const char *word, size_t length, const struct vrs_option *row)
{
	const char *last = strrchr(row->key, '.');
	if (strlen(row->key) == length && strncmp(row->key, word, length) == 0)
		return true;
	if (last && strlen(last + 1) == length && strncmp(last + 1, word, length) == 0)
		return true;
	char name[VRS_NAME_MAX];
	if (length >= sizeof(name))
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
			snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "", last ? last + 1 : table[i].key);
	}
	return vrs_fail(err, VRS_ECONFIG, "\"%.*s\" cannot be tuned; --only takes %s", (int)length, word, names);
}

static enum vrs_status check_only(const char *only, struct vrs_error *err)
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

/* Counts of workers: more than the machine has CPUs only adds waiting. */
static bool is_worker_count(const struct vrs_option *row)
{
	return strcmp(row->key, "engine.threads") == 0 || strcmp(row->key, "engine.streams") == 0 || strcmp(row->key, "pipeline.decode_threads") == 0;
}

static void add_value(struct vrs_knob *knob, const char *value)
{
	for (int i = 0; i < knob->count; i++)
		if (strcmp(knob->values[i], value) == 0)
			return;
	if (knob->count < VRS_KNOB_MAX_VALUES && strcmp(value, knob->default_value) != 0)
		(void)vrs_strcpy(knob->values[knob->count++], VRS_NAME_MAX, value);
}

static void fill_values(struct vrs_knob *knob, const struct vrs_config *base, int cpus)
{
	int low, high;
	bool interval = vrs_config_interval(base, knob->row->key, &low, &high);
	char word[VRS_NAME_MAX];
	for (const char *p = knob->row->tunable; *p;) {
		size_t length = strcspn(p, " ");
		int64_t number;
		if (length && length < sizeof(word)) {
			memcpy(word, p, length);
			word[length] = '\0';
			bool is_number = vrs_parse_int(word, INT32_MIN, INT32_MAX, &number);
			bool fits = !is_number || ((!is_worker_count(knob->row) || number <= cpus) && (!interval || (number >= low && number <= high)));
			if (fits)
				add_value(knob, word);
		}
		p += length + (p[length] == ' ');
	}
	/* The user's own ends count even where the table has no such value. */
	if (interval) {
		snprintf(word, sizeof(word), "%d", high);
		add_value(knob, word);
	}
}

static void note_fixed(struct vrs_space *space, const struct vrs_option *row, enum vrs_value_source source)
{
	size_t used = strlen(space->fixed);
	snprintf(space->fixed + used, sizeof(space->fixed) - used, "%s%s (%s)", used ? ", " : "", row->key, vrs_source_name(source));
}

enum vrs_status vrs_space_build(struct vrs_space *ret_space, const struct vrs_config *base, int cpus, const char *only, struct vrs_error *err)
{
	struct vrs_space space = { .cpus = cpus };
	int rows, low, high;
	const struct vrs_option *table = vrs_option_table(&rows);
	enum vrs_status status = check_only(only, err);
	for (int i = 0; !status && i < rows; i++) {
		const struct vrs_option *row = &table[i];
		if (!row->tunable || row->state != VRS_OPT_READY || !is_listed(only, row))
			continue;
		enum vrs_value_source source = vrs_config_source(base, row->key);
		if (source > VRS_SOURCE_PROFILE && !vrs_config_interval(base, row->key, &low, &high)) {
			note_fixed(&space, row, source);
			continue;
		}
		if (space.count == VRS_SPACE_MAX_KNOBS)
			return vrs_fail(err, VRS_EINTERNAL, "more than %d options are tunable", VRS_SPACE_MAX_KNOBS);
		struct vrs_knob *knob = &space.knobs[space.count];
		knob->row = row;
		status = vrs_config_get(base, row->key, knob->default_value, sizeof(knob->default_value));
		if (!status)
			fill_values(knob, base, cpus);
		space.count += knob->count > 0;
		if (knob->count == 0)
			memset(knob, 0, sizeof(*knob));
	}
	if (!status)
		*ret_space = space;
	return status;
}

void vrs_space_thin(struct vrs_space *space, int max)
{
	for (int k = 0; k < space->count; k++) {
		struct vrs_knob *knob = &space->knobs[k];
		if (knob->count <= max)
			continue;
		for (int i = 0; i < max; i++)
			memmove(knob->values[i], knob->values[i * knob->count / max], sizeof(knob->values[0]));
		knob->count = max;
	}
}
