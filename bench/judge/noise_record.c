/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of a calibration and their text form. Files are in noise_store.c. */
#include "bench/judge/noise_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/judge/interval_goal.h"
#include "bench/judge/verdict.h"
#include "bench/record/record_fields.h"
#include "bench/stats/stats.h"

enum { MIN_PAIRS = 6, MIN_FRAMES = 1000 };

static const struct vrs_field fields[] = {
	VRS_FIELD_ROW(vrs_noise_record, HEX64, fingerprint, 0, 0, true),
	VRS_FIELD_ROW(vrs_noise_record, TEXT, class_name, 0, 0, true),
	VRS_FIELD_ROW(vrs_noise_record, TEXT, tool_version, 0, 0, false),
	VRS_FIELD_ROW(vrs_noise_record, TEXT, created_utc, 0, 0, false),
	VRS_FIELD_ROW(vrs_noise_record, TEXT, id, 0, 0, false),
	VRS_FIELD_ROW(vrs_noise_record, INT64, created, 0, 1e13, true),
	VRS_FIELD_ROW(vrs_noise_record, INT, pairs, 0, 1e6, true),
	VRS_FIELD_ROW(vrs_noise_record, DOUBLE, pair_sd, 0, 10, false),
	VRS_FIELD_ROW(vrs_noise_record, DOUBLE, run_cv, 0, 10, false),
	VRS_FIELD_ROW(vrs_noise_record, DOUBLE, level, 0, 1e9, false),
	VRS_FIELD_ENUM_ROW(vrs_noise_record, verdict, &vrs_verdict_names, false),
	VRS_FIELD_ROW(vrs_noise_record, INT, tests, 0, 1e9, false),
	VRS_FIELD_ROW(vrs_noise_record, INT, alarms, 0, 1e9, false),
	VRS_FIELD_ROW(vrs_noise_record, INT64, frames, 0, 9e14, true),
	VRS_FIELD_ROW(vrs_noise_record, INT64, episodes, 0, 9e14, true),
	VRS_FIELD_ROW(vrs_noise_record, DOUBLE, deff95, 1, 1e6, false),
	VRS_FIELD_ROW(vrs_noise_record, DOUBLE, deff99, 1, 1e6, false),
	VRS_FIELD_ROW(vrs_noise_record, DOUBLE, lag1, -1, 1, false),
	VRS_FIELD_ROW(vrs_noise_record, DOUBLE, clock_mhz, 0, 1e6, false),
	{0},
};

static const struct vrs_field level_fields[] = {
	VRS_FIELD_ROW(vrs_noise_level, TEXT, started_utc, 0, 0, true),
	VRS_FIELD_ROW(vrs_noise_level, INT64, created, 0, 1e13, true),
	VRS_FIELD_ROW(vrs_noise_level, HEX64, subject, 0, 0, true),
	VRS_FIELD_ROW(vrs_noise_level, DOUBLE, level, 1e-9, 1e9, true),
	{0},
};

void vrs_noise_record_init(struct vrs_noise_record *record)
{
	*record = (struct vrs_noise_record){.pair_sd = NAN, .run_cv = NAN, .level = NAN, .deff95 = NAN, .deff99 = NAN, .lag1 = NAN, .clock_mhz = NAN};
}

static const char on_device[] = " on "; /* between what the class is and its device */

void vrs_noise_record_class(const struct vrs_case_result *c, char *buf, size_t size)
{
	char mode[24];
	double pixels = (double)c->width * c->height;
	int millions = 1;
	/* The nearest power of two: 3840x1920 and 3840x2160 are both 8M, 1920x1080 is 2M. */
	while (millions < 1024 && pixels > 1e6 * millions * 1.4142)
		millions *= 2;
	snprintf(buf, size, "%s %s %s %dM%s%s", vrs_name_of(&vrs_scope_names, c->scope), vrs_mode_text(c->live_hz, mode, sizeof mode),
		 c->backend[0] ? c->backend : "cpu", millions, c->device[0] ? on_device : "", c->device);
}

enum vrs_status vrs_noise_record_of_pairs(const struct vrs_case_result *a, const struct vrs_case_result *b, struct vrs_noise_record *record)
{
	size_t room = (size_t)a->run_count + 1;
	double *d = vrs_calloc(3 * room, sizeof *d), *x = d ? d + room : NULL, *y = d ? x + room : NULL, median, spread;
	/* Live, the rate is given: what varies is the latency. */
	int n = d ? vrs_verdict_collect(a, b, a->live_hz > 0 ? vrs_figure_latency_ms : vrs_figure_fps, a->run_count, x, y, NULL) : 0;
	for (int i = 0; i < n; i++)
		d[i] = log(x[i] / y[i]);
	enum vrs_status status = !d ? VRS_ENOMEM : n < MIN_PAIRS ? VRS_EINVAL : vrs_stats_mad(d, n, &record->pair_sd);
	if (status == VRS_OK) {
		memmove(x + n, y, (size_t)n * sizeof *y); /* the level is that of both sides */
		status = vrs_stats_median(x, 2 * n, &median);
	}
	if (status == VRS_OK)
		status = vrs_stats_mad(x, 2 * n, &spread);
	if (status == VRS_OK) {
		record->pairs = n;
		record->level = median;
		record->run_cv = spread / median;
	}
	vrs_free(d);
	return status;
}

enum vrs_status vrs_noise_record_of_frames(const struct vrs_frame_pool *pool, struct vrs_noise_record *record)
{
	double threshold;
	long episodes;
	if (pool->count < MIN_FRAMES)
		return VRS_EINVAL;
	record->frames = pool->count;
	enum vrs_status status = vrs_stats_quantile(pool->interval_ms, (int)pool->count, 0.95, &threshold);
	if (status == VRS_OK)
		status = vrs_stats_episodes(pool->interval_ms, pool->count, pool->run_starts, pool->runs, threshold, &record->deff95, &episodes);
	if (status == VRS_OK)
		status = vrs_stats_quantile(pool->interval_ms, (int)pool->count, 0.99, &threshold);
	if (status == VRS_OK)
		status = vrs_stats_episodes(pool->interval_ms, pool->count, pool->run_starts, pool->runs, threshold, &record->deff99, &episodes);
	if (status == VRS_OK)
		status = vrs_stats_lag1(pool->interval_ms, pool->count, &record->lag1);
	record->episodes = status == VRS_OK ? episodes : 0;
	return status;
}

bool vrs_noise_record_permits(const struct vrs_noise_record *c)
{
	return c->frames >= VRS_NOISE_RECORD_FRAMES && c->episodes >= VRS_NOISE_RECORD_EPISODES && !isnan(c->deff95) && !isnan(c->deff99);
}

/* The level before it that counts and is of the same subject; -1: none. */
static int level_before(const struct vrs_noise_record *c, const bool *counts, int index)
{
	for (int i = index - 1; i >= 0; i--)
		if (counts[i] && c->levels[i].subject == c->levels[index].subject)
			return i;
	return -1;
}

enum vrs_status vrs_noise_record_between(const struct vrs_noise_record *c, time_t now, double *ret_sd, int *ret_freedom, int *ret_invocations)
{
	bool counts[VRS_NOISE_LEVELS_MAX] = {false};
	double squares = 0;
	*ret_sd = NAN;
	*ret_freedom = *ret_invocations = 0;
	for (int i = 0; i < c->level_count; i++) {
		int before = level_before(c, counts, i);
		counts[i] = difftime(now, (time_t)c->levels[i].created) <= VRS_NOISE_LEVELS_DAYS * 86400.0 &&
			    (before < 0 || c->levels[i].created - c->levels[before].created >= VRS_NOISE_LEVELS_APART);
	}
	for (int i = 0; i < c->level_count; i++) {
		double sum = 0;
		int n = 0;
		for (int k = 0; k < c->level_count; k++)
			if (counts[k] && c->levels[k].subject == c->levels[i].subject) {
				sum += log(c->levels[k].level);
				n++;
			}
		*ret_invocations += counts[i];
		*ret_freedom += counts[i] && level_before(c, counts, i) >= 0;
		if (counts[i])
			squares += pow(log(c->levels[i].level) - sum / n, 2);
	}
	if (*ret_freedom < VRS_NOISE_LEVELS_FREEDOM)
		return VRS_ENOTFOUND;
	*ret_sd = sqrt(squares / *ret_freedom);
	return VRS_OK;
}

static enum vrs_status read_levels(const cJSON *object, struct vrs_noise_record *c, const char *name, struct vrs_error *err)
{
	const cJSON *levels = cJSON_GetObjectItemCaseSensitive(object, "levels"), *item;
	if (levels && (!cJSON_IsArray(levels) || cJSON_GetArraySize(levels) > VRS_NOISE_LEVELS_MAX))
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "levels must be an array of at most %d objects", VRS_NOISE_LEVELS_MAX);
	cJSON_ArrayForEach(item, levels) {
		char place[32];
		snprintf(place, sizeof place, "levels[%d].", c->level_count);
		enum vrs_status status = vrs_fields_read(item, level_fields, &c->levels[c->level_count++], name, place, err);
		if (status != VRS_OK)
			return status;
	}
	return VRS_OK;
}

static bool put_levels(cJSON *object, const struct vrs_noise_record *c)
{
	cJSON *levels = c->level_count ? vrs_json_put_array(object, "levels") : NULL;
	bool ok = levels || !c->level_count;
	for (int i = 0; i < c->level_count && ok; i++) {
		cJSON *to = cJSON_CreateObject();
		ok = to && cJSON_AddItemToArray(levels, to) && vrs_fields_write(to, level_fields, &c->levels[i]);
	}
	return ok;
}

enum vrs_status vrs_noise_record_parse(const char *text, size_t length, const char *name, struct vrs_noise_record *ret_record, struct vrs_error *err)
{
	struct vrs_noise_record c;
	cJSON *object;
	vrs_noise_record_init(&c);
	enum vrs_status status = vrs_json_parse(text, length, VRS_NOISE_RECORD_MAX_BYTES, name, &object, err);
	if (status != VRS_OK)
		return status;
	const char *schema = vrs_json_string(object, "schema");
	if (!schema || strcmp(schema, VRS_NOISE_RECORD_SCHEMA) != 0)
		status = vrs_fail_at(err, schema ? VRS_EUNSUPPORTED : VRS_EFORMAT, name, 0, 0, "schema is %.40s instead of " VRS_NOISE_RECORD_SCHEMA,
				     schema ? schema : "missing");
	if (status == VRS_OK)
		status = vrs_fields_read(object, fields, &c, name, "", err);
	if (status == VRS_OK)
		status = read_levels(object, &c, name, err);
	cJSON_Delete(object);
	if (status == VRS_OK && c.alarms > c.tests)
		status = vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "alarms must be at most tests");
	if (status == VRS_OK)
		*ret_record = c;
	return status;
}

enum vrs_status vrs_noise_record_print(const struct vrs_noise_record *record, char **ret_text)
{
	cJSON *object = cJSON_CreateObject();
	bool ok = object && vrs_json_put_string(object, "schema", VRS_NOISE_RECORD_SCHEMA) && vrs_fields_write(object, fields, record) &&
		  put_levels(object, record);
	*ret_text = ok ? vrs_json_print(object, true) : NULL;
	cJSON_Delete(object);
	return *ret_text ? VRS_OK : VRS_ENOMEM;
}

struct newest {
	const char *class_name; /* without a device */
	time_t now;
	struct vrs_noise_record record;
	bool is_found;
};

static void take_newer(const struct vrs_noise_record *record, void *cookie)
{
	struct newest *n = cookie;
	size_t length = strlen(n->class_name);
	bool is_of_class = strncmp(record->class_name, n->class_name, length) == 0 &&
			   strncmp(record->class_name + length, on_device, sizeof on_device - 1) == 0;
	if (!is_of_class || !vrs_noise_record_is_fresh(record, n->now) || (n->is_found && record->created <= n->record.created))
		return;
	n->record = *record;
	n->is_found = true;
}

/* Which device a case runs on is not known before it has run: of the devices of its class the one that was calibrated last. */
static enum vrs_status load_for_plan(uint64_t fingerprint, const char *class_name, time_t now, struct vrs_noise_record *ret, struct vrs_error *err)
{
	struct newest n = {.class_name = class_name, .now = now};
	char folder[VRS_PATH_MAX];
	int foreign, damaged;
	enum vrs_status status = vrs_noise_record_load(fingerprint, class_name, now, ret, err);
	if (status != VRS_ENOTFOUND || vrs_noise_record_each(fingerprint, take_newer, &n, &foreign, &damaged, folder, NULL) != VRS_OK || !n.is_found)
		return status;
	*ret = n.record;
	return VRS_OK;
}

void vrs_noise_record_expect(uint64_t fingerprint, time_t now, const struct vrs_case_result *c, int rounds, double goal, FILE *out)
{
	static const int looks[] = {8, 14, 20};
	struct vrs_noise_record r;
	struct vrs_error why = {.status = VRS_OK};
	char class_name[128];
	vrs_noise_record_class(c, class_name, sizeof class_name);
	if (load_for_plan(fingerprint, class_name, now, &r, &why) != VRS_OK) {
		fprintf(out, "precision to expect: not known; %s\n", why.text);
		return;
	}
	const char *device = strstr(r.class_name, on_device);
	/* See vrs_interval_runs_needed for the rule of thumb. */
	fprintf(out, "precision to expect%s: runs spread by %.1f %%, so that the half width is about %.1f %% after %d rounds", device ? device : "",
		100 * r.run_cv, 100 * 1.25 * 2.1 * r.run_cv / sqrt(rounds), rounds);
	if (goal > 0)
		fprintf(out, " (%.1f %% takes about %d)", 100 * goal, vrs_interval_runs_needed(r.run_cv, goal));
	fprintf(out, "\nminimum detectable effect of an A/B:");
	for (int i = 0; i < 3; i++)
		if (isfinite(vrs_verdict_mde(r.pair_sd, looks[i])))
			fprintf(out, "%s %.1f %% with %d pairs", i ? "," : "", 100 * vrs_verdict_mde(r.pair_sd, looks[i]), looks[i]);
	fputc('\n', out);
}
