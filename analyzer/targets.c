/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/targets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/yaml.h>

#include "analyzer/dataset.h"
#include "analyzer/figures/figures.h"
#include "analyzer/summary_parts.h"
#include "base/file.h"
#include "base/json.h"
#include "base/latency.h"
#include "base/str_parse.h"

#define LATENCY_KEY "latency.max_ms"

/* What a target is judged on. */
struct subject {
	const struct vrs_result *result;
	const struct vrs_case_result *case_result; /* the default case, or the first good one */
	int cpus;
	double memory_bytes;
};

/* A value, and why there is none. */
struct reading {
	double value;
	char note[96];
	bool offline;             /* a latency that is held against nothing */
	bool disturbed;           /* noise gates say that the value is no basis for decisions */
};

static bool is_stereo(const struct vrs_case_result *c)
{
	return c->layout == VRS_STEREO_SBS || c->layout == VRS_STEREO_TB;
}

static struct reading fps_of(const struct subject *s, int width, int height, int batch, bool stereo)
{
	struct reading r = {.value = NAN};
	for (int i = 0; i < s->result->case_count; i++) {
		const struct vrs_case_result *c = &s->result->cases[i];
		/* Live cases run at the rate that they are given. */
		if (vrs_case_result_ok_runs(c) == 0 || !vrs_case_result_same_kind(c, s->case_result) || (width && (c->width != width || c->height != height)) ||
		    (batch && c->batch != batch) || (stereo && (c != s->case_result || !is_stereo(c))))
			continue;
		/* The lower end decides: a target is met when it is met beyond noise. */
		double low = c->fps.has_interval ? c->fps.low : c->fps.min;
		if (!(low <= r.value)) {
			r.value = low;
			r.disturbed = vrs_case_result_is_invalid(c);
			snprintf(r.note, sizeof r.note, "%.90s", c->id);
		}
	}
	if (!isfinite(r.value))
		snprintf(r.note, sizeof r.note, "%s", stereo ? "no stereo video was measured" : "no such case was measured");
	return r;
}

static struct reading fps_reading(const struct subject *s, const char *name)
{
	if (strcmp(name, "1080p_batch_1") == 0)
		return fps_of(s, 1920, 1080, 1, false);
	if (strcmp(name, "1080p_batch_4") == 0)
		return fps_of(s, 1920, 1080, 4, false);
	if (strcmp(name, "4k") == 0)
		return fps_of(s, 3840, 2160, 0, false);
	return fps_of(s, 0, 0, 0, true); /* vr, vr_stereo */
}

static struct reading percentile(double value, const char *note)
{
	struct reading r = {.value = value};
	if (!isfinite(value))
		snprintf(r.note, sizeof r.note, "not enough frames%s%s%s", note[0] ? " (" : "", note, note[0] ? ")" : "");
	else
		snprintf(r.note, sizeof r.note, "%.90s", note);
	return r;
}

static struct reading median_of(const struct subject *s, size_t offset, double factor, const char *absent)
{
	struct reading r = {.value = vrs_case_result_median(s->case_result, offset) * factor};
	if (!isfinite(r.value))
		snprintf(r.note, sizeof r.note, "%s", absent);
	return r;
}

static struct reading device_reading(const struct subject *s, const char *name)
{
	struct reading r = {.value = NAN};
	if (strcmp(name, "max_temperature_c") == 0)
		return median_of(s, offsetof(struct vrs_run, temperature_c), 1, "no temperature can be read here");
	if (strcmp(name, "max_memory_percent") == 0) {
		if (s->case_result->peak_rss.n && s->memory_bytes > 0)
			r.value = 100 * s->case_result->peak_rss.max / s->memory_bytes;
		else
			snprintf(r.note, sizeof r.note, "memory was not recorded");
		return r;
	}
	r.value = 100 * vrs_figure_cpu_share(s->case_result, s->cpus);
	snprintf(r.note, sizeof r.note, isfinite(r.value) ? "of %d CPUs" : "CPU time was not recorded", s->cpus);
	return r;
}

/* Of the judged case where it is live, else of a live case of the same size. */
static struct reading latency_reading(const struct subject *s)
{
	const struct vrs_case_result *c = s->case_result;
	for (int i = 0; i < s->result->case_count && !(c->live_hz > 0); i++) {
		const struct vrs_case_result *other = &s->result->cases[i];
		if (other->live_hz > 0 && other->width == c->width && other->height == c->height && vrs_case_result_ok_runs(other) > 0)
			c = other;
	}
	const struct vrs_latency_reading latency = {.live = c->live_hz > 0, .p99_ms = vrs_case_result_median(c, offsetof(struct vrs_run, latency_p99_ms)),
						    .max_ms = NAN};
	const char *figure;
	struct reading r = {.disturbed = vrs_case_result_is_invalid(c)};
	enum vrs_latency_state state = vrs_latency_judge(&latency, INFINITY, &r.value, &figure);
	r.offline = state == VRS_LATENCY_OFFLINE;
	if (r.offline || state == VRS_LATENCY_TOO_FEW)
		snprintf(r.note, sizeof r.note, "%s", r.offline ? "no live case" : "not enough frames for a P99");
	else
		snprintf(r.note, sizeof r.note, "%.90s", c->id);
	return r;
}

/* One known target: where its value comes from. */
static bool read_target(const struct subject *s, const char *key, struct reading *ret, bool *ret_at_least, const char **ret_unit)
{
	const struct vrs_case_result *c = s->case_result;
	static const char *const fps_keys[] = {"fps.vr", "fps.1080p_batch_1", "fps.1080p_batch_4", "fps.4k", "fps.vr_stereo", NULL};
	static const char *const device_keys[] = {"device.min_utilization_percent", "device.max_memory_percent", "device.max_temperature_c", NULL};
	static const char *const device_units[] = {"%", "%", "C"};
	for (int i = 0; fps_keys[i]; i++)
		if (strcmp(key, fps_keys[i]) == 0)
			return *ret = fps_reading(s, key + 4), *ret_at_least = true, *ret_unit = "FPS", true;
	for (int i = 0; device_keys[i]; i++)
		if (strcmp(key, device_keys[i]) == 0)
			return *ret = device_reading(s, key + 7), ret->disturbed = vrs_case_result_is_invalid(c), *ret_at_least = i == 0,
			       *ret_unit = device_units[i], true;
	*ret_at_least = false;
	*ret_unit = "ms";
	if (strcmp(key, "frame_time.p50_ms") == 0)
		*ret = percentile(c->p50_ms, c->p50_note);
	else if (strcmp(key, "frame_time.p95_ms") == 0)
		*ret = percentile(c->p95_ms, c->p95_note);
	else if (strcmp(key, "frame_time.p99_ms") == 0)
		*ret = percentile(c->p99_ms, c->p99_note);
	else if (strcmp(key, LATENCY_KEY) == 0)
		*ret = latency_reading(s);
	else
		return false;
	ret->disturbed = strcmp(key, LATENCY_KEY) == 0 ? ret->disturbed : vrs_case_result_is_invalid(c);
	return true;
}

/* The table, and how many targets are missed or cannot be judged. */
struct judged {
	struct vrs_table *table;
	int failed, invalid, known;
};

static void add_row(struct judged *j, const char *name, const struct reading *r, double target, bool at_least, const char *unit)
{
	char value[24];
	struct vrs_table *t = j->table;
	bool known = isfinite(r->value), met = at_least ? r->value >= target : r->value <= target;
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", name);
	vrs_table_set(t, 1, "%s %g %s", at_least ? "at least" : "at most", target, unit);
	if (known)
		vrs_table_set(t, 2, "%s %s", vrs_short_number(r->value, value, sizeof value), unit);
	vrs_table_set(t, 3, "%s", r->offline ? "not judged" : !known ? "not known" : r->disturbed ? "invalid" : met ? "pass" : "fail");
	vrs_table_set(t, 4, "%s", r->note);
	j->known += known;
	j->failed += known && !r->disturbed && !met;
	j->invalid += known && r->disturbed;
}

static enum vrs_status file_rows(const struct subject *s, const struct vrs_yaml *yaml, struct judged *j, struct vrs_error *err)
{
	for (int i = 0; i < yaml->count; i++) {
		const struct vrs_yaml_entry *e = &yaml->entries[i];
		struct reading r;
		bool at_least;
		const char *unit;
		double target;
		if (!read_target(s, e->key, &r, &at_least, &unit))
			return vrs_yaml_fail(yaml, e, err, VRS_ECONFIG, "there is no target %s; configs/targets/default.yaml names all", e->key);
		if (!vrs_parse_double(e->value, 0, 1e9, &target))
			return vrs_yaml_fail(yaml, e, err, VRS_ECONFIG, "%s wants a number, not \"%s\"", e->key, e->value);
		add_row(j, e->key, &r, target, at_least, unit);
	}
	return VRS_OK;
}

/* target.fps and target.max_latency_ms that the measured configuration itself names. */
static enum vrs_status own_rows(const struct subject *s, struct judged *j)
{
	struct vrs_yaml yaml;
	double target;
	const char *settings = s->case_result ? vrs_case_result_settings(s->result, s->case_result) : s->result->base_config;
	enum vrs_status status = vrs_yaml_parse(&yaml, settings, strlen(settings), "settings", NULL);
	if (status != VRS_OK) {
		vrs_yaml_fini(&yaml);
		return status == VRS_ENOMEM ? status : VRS_OK; /* a result of another version: its tables still stand */
	}
	const struct vrs_yaml_entry *fps = vrs_yaml_find(&yaml, "target.fps"), *latency = vrs_yaml_find(&yaml, "target.max_latency_ms");
	if (fps && vrs_parse_double(fps->value, 0, 1e9, &target) && target > 0) {
		const struct vrs_case_result *c = s->case_result;
		struct reading r = {.value = c->fps.has_interval ? c->fps.low : c->fps.min, .disturbed = vrs_case_result_is_invalid(c)};
		add_row(j, "target.fps", &r, target, true, "FPS");
	}
	if (latency && vrs_parse_double(latency->value, 0, 1e9, &target) && target > 0) {
		struct reading r = latency_reading(s);
		add_row(j, "target.max_latency_ms", &r, target, false, "ms");
	}
	vrs_yaml_fini(&yaml);
	return VRS_OK;
}

static void find_subject(const struct vrs_result *result, struct subject *s)
{
	char cpu[96];
	cJSON *machine = NULL;
	memset(s, 0, sizeof *s);
	s->result = result;
	s->case_result = vrs_default_case(result);
	for (int i = 0; i < result->case_count && (!s->case_result || vrs_case_result_ok_runs(s->case_result) == 0); i++)
		s->case_result = &result->cases[i];
	vrs_dataset_cpu(result, cpu, sizeof cpu, &s->cpus);
	if (vrs_json_parse(result->machine_json, strlen(result->machine_json), sizeof result->machine_json, "environment", &machine, NULL) == VRS_OK) {
		const cJSON *memory = cJSON_GetObjectItemCaseSensitive(machine, "memory");
		double limit;
		if (memory)
			(void)vrs_json_number(memory, "total_bytes", &s->memory_bytes);
		if (memory && vrs_json_number(memory, "cgroup_limit_bytes", &limit) && limit > 0 && limit < s->memory_bytes)
			s->memory_bytes = limit;
	}
	cJSON_Delete(machine);
}

enum vrs_status vrs_target_table(const struct vrs_result *result, const char *path, struct vrs_findings *findings, int *ret_failed, int *ret_invalid,
				 struct vrs_error *err)
{
	static const char *const heads[] = {"target", "goal", "value", "status", "note"};
	char installed[VRS_PATH_MAX];
	struct subject s;
	struct vrs_yaml yaml;
	find_subject(result, &s);
	*ret_failed = 0;
	*ret_invalid = 1; /* where nothing can be judged, nothing is met */
	if (!s.case_result || vrs_case_result_ok_runs(s.case_result) == 0) {
		vrs_findings_add_note(findings, VRS_NOTE_WARNING, "no-targets", "No target can be judged: no case has a run that went well.");
		return VRS_OK;
	}
	enum vrs_status status = path ? VRS_OK : vrs_data_file("targets/default.yaml", installed, sizeof installed, err);
	if (status != VRS_OK)
		return status;
	struct judged j = {.table = vrs_findings_start_table(findings, "targets", "Targets", heads, 5, ~(1u << 1 | 1u << 2))};
	snprintf(j.table->caption, sizeof j.table->caption, "Judged on %.160s unless the note names another case; FPS by the lower end of its interval. "
						 "Latency is the P99 of a live case, from a frame's intended start to the output; " VRS_LATENCY_NOT_LIVE ".%s",
		 s.case_result->id, vrs_case_result_is_invalid(s.case_result) ? " invalid: the machine was disturbed while it was measured." : "");
	status = vrs_yaml_read(&yaml, path ? path : installed, err);
	if (status == VRS_OK)
		status = own_rows(&s, &j);
	if (status == VRS_OK)
		status = file_rows(&s, &yaml, &j, err);
	vrs_yaml_fini(&yaml);
	*ret_failed = j.failed;
	*ret_invalid = j.known > 0 ? j.invalid : 1;
	if (status == VRS_OK)
		status = vrs_findings_finish(findings);
	return status == VRS_ENOMEM ? vrs_fail(err, status, "out of memory") : status;
}
