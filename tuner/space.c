/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/space.h"

#include <stdio.h>
#include <string.h>

#include <vrseg/network_run.h>

#include "base/str_parse.h"
#include "bench/plan/case.h"
#include "tuner/device_space.h"
#include "tuner/space_reject.h"

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

/* What a search of runs cannot judge, however it is set. */
static const struct {
	const char *key, *why;
} unsearched[] = {
	{"pipeline.processes", "a run is shorter than the segments that processes share"},
	{"pipeline.process_count", "a run is shorter than the segments that processes share"},
	{"pipeline.segment_frames", "a run is shorter than a segment"},
};

static const char *why_unsearched(const struct vrs_option *row)
{
	for (size_t i = 0; i < sizeof unsearched / sizeof *unsearched; i++)
		if (strcmp(unsearched[i].key, row->key) == 0)
			return unsearched[i].why;
	return NULL;
}

/* May --only name it? */
static bool may_be_named(const struct vrs_option *row)
{
	return row->state == VRS_OPT_READY && (row->tunable || why_unsearched(row));
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
			known = may_be_named(&table[i]) && names_row(p, length, &table[i]);
		if (!known)
			return refuse_word(p, length, err);
		p += length + (p[length] != '\0');
	}
	return VRS_OK;
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

bool vrs_space_prefer(struct vrs_space *space, int k, const char *value)
{
	struct vrs_knob *knob = &space->knobs[k];
	int at = 0;
	if (strcmp(value, knob->default_value) == 0 || strcmp(value, knob->row->default_text) == 0 || strlen(value) >= VRS_NAME_MAX)
		return false;
	while (at < knob->count && strcmp(knob->values[at], value) != 0)
		at++;
	bool is_new = at == knob->count;
	if (is_new && (knob->list || !fits(knob, value, space->cpus)))
		return false;
	if (is_new && at == VRS_KNOB_MAX_VALUES)
		at--; /* the last value gives way */
	else
		knob->count += is_new;
	memmove(knob->values[1], knob->values[0], (size_t)at * sizeof knob->values[0]);
	(void)vrs_strcpy(knob->values[0], VRS_NAME_MAX, value);
	(void)vrs_strcpy(knob->start, sizeof knob->start, value);
	return true;
}

static bool needs_calibration(const struct vrs_knob *knob, const char *word)
{
	return strcmp(knob->row->key, "engine.precision") == 0 && (strcmp(word, "int8") == 0 || strcmp(word, "mixed") == 0);
}

/* At the size that the network gets, which may not be its own. */
static bool is_calibrated(const struct vrs_config *base, const struct vrs_bench_input *input)
{
	struct vrs_settings settings = *vrs_config_settings(base);
	if (settings.engine.input_size[0] == 0)
		memcpy(settings.engine.input_size, input->net_size, sizeof settings.engine.input_size);
	return vrs_precision_is_calibrated(&settings);
}

/* Take the values away that need a calibrated network. False: there are none. */
static bool drop_calibrated(struct vrs_knob *knob)
{
	int kept = 0, count = knob->count;
	for (int i = 0; i < count; i++) {
		if (needs_calibration(knob, knob->values[i]))
			continue;
		if (kept != i)
			memcpy(knob->values[kept], knob->values[i], sizeof knob->values[0]);
		kept++;
	}
	knob->count = kept;
	return kept < count;
}

static void fill_values(struct vrs_knob *knob, int cpus)
{
	char word[VRS_NAME_MAX];
	for (const char *p = knob->list ? knob->list : knob->row->tunable; *p;) {
		size_t length = strcspn(p, " ,");
		if (length && length < sizeof word) {
			memcpy(word, p, length);
			word[length] = '\0';
			if (knob->list || fits(knob, word, cpus))
				vrs_knob_add_value(knob, word);
		}
		p += length + (p[length] != '\0');
	}
	/* The user's own ends count even where the table has no such value; the low one is what the search starts from. */
	if (knob->is_range) {
		snprintf(word, sizeof word, "%d", knob->high);
		vrs_knob_add_value(knob, word);
	}
}

/* What the search starts from; auto as this machine takes it, so that no candidate is the default again. */
static enum vrs_status find_default(const struct vrs_config *base, const int net_size[2], struct vrs_knob *knob, struct vrs_error *err)
{
	struct vrs_case own = {.value_count = 0};
	enum vrs_status status = vrs_case_settle(&own, base, net_size, err);
	const char *settled = vrs_case_get(&own, knob->row->key);
	if (knob->is_range)
		snprintf(knob->default_value, sizeof knob->default_value, "%d", knob->low);
	else if (knob->list)
		snprintf(knob->default_value, sizeof knob->default_value, "%.*s", (int)strcspn(knob->list, ","), knob->list);
	else if (strcmp(knob->row->key, "pipeline.prefetch") == 0 && vrs_config_settings(base)->pipeline.prefetch == 0)
		snprintf(knob->default_value, sizeof knob->default_value, "%d", vrs_config_settings(base)->pipeline.queue_size); /* auto */
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

/* Of the ways to ask an encoder for quality only one counts, and of those to refine. */
static const char *overrules(const struct vrs_option *row, const struct vrs_settings *settings)
{
	if (strcmp(row->key, "matte.refine") == 0)
		return settings->matte.refine_full && settings->output.mode == VRS_MODE_ALPHA ? "matte.refine_full" : NULL;
	if (strcmp(row->key, "output.crf") != 0)
		return NULL;
	return settings->output.lossless ? "output.lossless" : strcmp(settings->output.bitrate, "auto") != 0 ? "output.bitrate"
	     : settings->output.quality >= 0 ? "output.quality" : NULL;
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

/* What the network cannot have: a recurrent one takes frames one after another, and inputs have sizes that it can divide. */
static enum vrs_rejection network_rejects(const void *cookie, const struct vrs_case *c, char *why, size_t size)
{
	struct vrs_error err = {.status = VRS_OK};
	if (vrs_case_check_network(c, cookie, STEREO, &err) != VRS_ECONFIG)
		return VRS_REJECTION_NONE;
	(void)vrs_strcpy(why, size, err.text);
	return VRS_REJECTION_OTHER;
}

/* The table names more encoders than an FFmpeg may have. */
static enum vrs_rejection ffmpeg_rejects(const void *cookie, const struct vrs_case *c, char *why, size_t size)
{
	const char *encoder = vrs_case_get(c, "output.encoder");
	(void)cookie;
	if (!encoder || vrs_job_has_encoder(encoder, NULL))
		return VRS_REJECTION_NONE;
	(void)vrs_strcpy(why, size, "the FFmpeg of this build has no such encoder");
	return VRS_REJECTION_OTHER;
}

/* An option that cannot move here is fixed, without effect, or out of reach of runs. */
static bool cannot_move(struct vrs_space *space, const struct vrs_config *base, const struct vrs_bench_input *input, const struct vrs_option *row)
{
	char why[64];
	const char *other = overrules(row, vrs_config_settings(base)), *never = why_unsearched(row);
	if (!never)
		never = vrs_device_space_against(row, base, input, why, sizeof why);
	if (other) {
		snprintf(why, sizeof why, "%s decides", other);
		vrs_space_note_rejected(space, row->key, why);
	} else if (never) {
		vrs_space_note_rejected(space, row->key, never);
	} else if (vrs_config_is_fixed(base, row->key)) {
		note_fixed(space, row, vrs_config_source(base, row->key));
	}
	return other || never || vrs_config_is_fixed(base, row->key);
}

/* A knob of a row with its values. */
static enum vrs_status make_knob(struct vrs_space *space, const struct vrs_config *base, const struct vrs_bench_input *input,
				 const struct vrs_option *row, bool calibrated, struct vrs_error *err)
{
	struct vrs_knob next = {.row = row};
	next.is_range = vrs_config_interval(base, row->key, &next.low, &next.high);
	next.list = vrs_config_list(base, row->key);
	enum vrs_status status = find_default(base, input->net_size, &next, err);
	if (status != VRS_OK)
		return status;
	fill_values(&next, space->cpus);
	vrs_knob_reject_values(space, &next, network_rejects, base);
	vrs_knob_reject_values(space, &next, ffmpeg_rejects, NULL);
	if (!calibrated && drop_calibrated(&next)) {
		space->lacks_calibration = true;
		vrs_space_note_rejected(space, "engine.precision int8 mixed", "the network is not calibrated (vrseg --calibrate)");
	}
	if (next.count > 0)
		space->knobs[space->count++] = next;
	return VRS_OK;
}

enum vrs_status vrs_space_build(struct vrs_space *ret_space, const struct vrs_config *base, const struct vrs_bench_input *input, const char *only,
				struct vrs_error *err)
{
	struct vrs_space space = {.cpus = input->cpus};
	int rows;
	const struct vrs_option *table = vrs_option_table(&rows);
	bool calibrated = is_calibrated(base, input);
	enum vrs_status status = vrs_space_check_only(only, err);
	for (int i = 0; status == VRS_OK && i < rows; i++) {
		const struct vrs_option *row = &table[i];
		if (!may_be_named(row) || !is_listed(only, row) || cannot_move(&space, base, input, row))
			continue;
		if (space.count == VRS_SPACE_MAX_KNOBS)
			return vrs_fail(err, VRS_EINTERNAL, "more than %d options are tunable", VRS_SPACE_MAX_KNOBS);
		status = make_knob(&space, base, input, row, calibrated, err);
	}
	if (status == VRS_OK)
		*ret_space = space;
	return status;
}
