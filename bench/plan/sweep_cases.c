/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From axes to cases, and what they will cost. */
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/log.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/plan/sweep.h"

struct cases {
	struct vrs_sweep *sweep;
	const struct vrs_config *base;
	const struct vrs_bench_input *input;
	struct vrs_case own;              /* what the base leaves to auto, and vrs_case_settle decides */
	struct vrs_case *items;
	size_t count, capacity;
	uint64_t *hashes;                 /* of what items run */
	size_t hash_capacity;
	int merged;                       /* times that a case was one of those under another id, and the first such pair */
	char merged_id[VRS_CASE_ID_MAX], merged_with[VRS_CASE_ID_MAX];
	int defaults[VRS_SWEEP_MAX_AXES]; /* index of the default value of each axis */
	int backend_axis, device_axis;    /* devices are those of one value of the other axis; -1: no such pair */
	regex_t filter, skip;
	struct vrs_error *err;
};

/* What a key is without the sweep: numbers instead of "auto". */
static void own_value(const struct cases *cases, const char *key, char *value, size_t size)
{
	const struct vrs_settings *s = vrs_config_settings(cases->base);
	const struct vrs_bench_input *in = cases->input;
	const char *settled = vrs_case_get(&cases->own, key);
	if (strcmp(key, VRS_SWEEP_RESOLUTION) == 0)
		vrs_strcpy(value, size, "own");
	else if (strcmp(key, VRS_SWEEP_SCOPE) == 0)
		vrs_strcpy(value, size, "end_to_end");
	else if (strcmp(key, VRS_SWEEP_MODE) == 0)
		vrs_strcpy(value, size, "offline");
	else if (strcmp(key, "engine.batch_size") == 0)
		snprintf(value, size, "%d", s->engine.batch_size ? s->engine.batch_size : in->batch);
	else if (strcmp(key, "engine.threads") == 0)
		snprintf(value, size, "%d", s->engine.threads ? s->engine.threads : in->threads);
	else if (strcmp(key, "engine.streams") == 0)
		snprintf(value, size, "%d", s->engine.streams ? s->engine.streams : in->streams);
	else if (settled)
		vrs_strcpy(value, size, settled);
	else if (vrs_config_get(cases->base, key, value, size) != VRS_OK)
		value[0] = 0;
}

/* "own" and the size in figures are one value. */
static bool is_own_size(const struct cases *cases, const char *value)
{
	int pair[2];
	return strcmp(value, "own") == 0 || (vrs_parse_size2(value, 1, 32768, pair) && pair[0] == cases->input->width && pair[1] == cases->input->height);
}

/* The value of an axis that is the base's own; where there is none, it is added to built-in values, and -1 says so of others. */
static int own_index(const struct cases *cases, struct vrs_axis *axis)
{
	char own[sizeof axis->values[0]];
	bool sizes = strcmp(axis->key, VRS_SWEEP_RESOLUTION) == 0;
	own_value(cases, axis->key, own, sizeof own);
	for (int v = 0; v < axis->count; v++)
		if (sizes ? is_own_size(cases, axis->values[v]) : strcmp(axis->values[v], own) == 0)
			return v;
	if (!axis->with_own || !own[0] || axis->count == VRS_SWEEP_MAX_VALUES)
		return -1;
	vrs_strcpy(axis->values[axis->count], sizeof axis->values[axis->count], own);
	return axis->count++;
}

static bool has_devices(const struct cases *cases, int backend)
{
	return vrs_backend_has_devices(cases->sweep->axes[cases->backend_axis].values[backend]);
}

/* Index of a backend that has devices, the default one before others; -1: none has. */
static int device_backend(const struct cases *cases)
{
	int own = cases->defaults[cases->backend_axis];
	for (int v = -1; v < cases->sweep->axes[cases->backend_axis].count; v++)
		if (has_devices(cases, v < 0 ? own : v))
			return v < 0 ? own : v;
	return -1;
}

/* Without a backend that has devices all cases keep theirs, and are skipped with the reason. */
static void pair_devices(struct cases *cases)
{
	cases->backend_axis = cases->device_axis = -1;
	for (int a = 0; a < cases->sweep->axis_count; a++) {
		cases->backend_axis = strcmp(cases->sweep->axes[a].key, "engine.backend") == 0 ? a : cases->backend_axis;
		cases->device_axis = strcmp(cases->sweep->axes[a].key, "engine.device") == 0 ? a : cases->device_axis;
	}
	if (cases->backend_axis < 0 || cases->device_axis < 0 || device_backend(cases) < 0)
		cases->device_axis = -1;
}

static void choose_defaults(struct cases *cases)
{
	for (int a = 0; a < cases->sweep->axis_count; a++) {
		int own = own_index(cases, &cases->sweep->axes[a]);
		cases->defaults[a] = own < 0 ? 0 : own;
	}
	pair_devices(cases);
}

/* Of a pair, backends without devices have no value of that axis. */
static bool is_set(const struct cases *cases, int axis, const int *values)
{
	return axis != cases->device_axis || has_devices(cases, values[cases->backend_axis]);
}

static enum vrs_status set_value(const struct cases *cases, struct vrs_case *c, const struct vrs_axis *axis, int value)
{
	int pair[2];
	if (strcmp(axis->key, VRS_SWEEP_SCOPE) == 0)
		return vrs_case_set_scope(c, axis->values[value], cases->err);
	if (strcmp(axis->key, VRS_SWEEP_MODE) == 0)
		return vrs_case_set_mode(c, axis->values[value], cases->err);
	if (strcmp(axis->key, VRS_SWEEP_RESOLUTION) != 0)
		return vrs_case_set(c, axis->key, axis->values[value], cases->err);
	c->width = c->height = 0;
	if (!is_own_size(cases, axis->values[value]) && vrs_parse_size2(axis->values[value], 1, 32768, pair)) {
		c->width = pair[0];
		c->height = pair[1];
	}
	return VRS_OK;
}

static enum vrs_status set_values(const struct cases *cases, const int *values, struct vrs_case *c)
{
	enum vrs_status status = VRS_OK;
	for (int a = 0; a < cases->sweep->axis_count && status == VRS_OK; a++)
		if (is_set(cases, a, values))
			status = set_value(cases, c, &cases->sweep->axes[a], values[a]);
	return status;
}

/* Can backend and network do it? */
static bool is_possible(const struct cases *cases, const int *values)
{
	struct vrs_case c = {.value_count = 0};
	return set_values(cases, values, &c) == VRS_OK && vrs_case_check_network(&c, cases->base, cases->input->eyes, NULL) == VRS_OK;
}

/*
 * Values that do not go together, such as a backend and the default precision: of the two axes the one not kept (a bit each) gives its first
 * value that does.  Where there is none all stay, and the case is skipped with the reason: another network, say, would be no run of the axis.
 */
static void fit(const struct cases *cases, int *values, unsigned kept)
{
	if (is_possible(cases, values))
		return;
	for (int a = 0; a < cases->sweep->axis_count; a++) {
		const char *key = cases->sweep->axes[a].key;
		const int own = values[a];
		bool gives = !(kept >> a & 1) && (strcmp(key, "engine.backend") == 0 || strcmp(key, "engine.precision") == 0);
		for (int v = 0; v < cases->sweep->axes[a].count && gives; v++) {
			values[a] = v;
			if (is_possible(cases, values))
				return;
		}
		values[a] = own;
	}
}

/* The numbers of batch and threads are written out even where no axis holds them, so that ids say what ran. */
static enum vrs_status write_out(const struct cases *cases, struct vrs_case *c)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < count && status == VRS_OK; i++) {
		char own[64];
		if (!rows[i].id_always || vrs_case_get(c, rows[i].key))
			continue;
		own_value(cases, rows[i].key, own, sizeof own);
		status = vrs_case_set(c, rows[i].key, own, cases->err);
	}
	return status;
}

static bool is_wanted(const struct cases *cases, const char *id)
{
	if (cases->sweep->filter && regexec(&cases->filter, id, 0, NULL, 0) != 0)
		return false;
	return !cases->sweep->skip || regexec(&cases->skip, id, 0, NULL, 0) != 0;
}

/* The network alone knows neither clips nor rates: one case stands for all sizes, and none is live. */
static bool is_senseless(const struct vrs_case *c)
{
	return c->scope == VRS_SCOPE_NET_ONLY && (c->width || c->live_hz > 0);
}

/* What the runs of a case do: "auto" and the number that it stands for, or "on" and "true", are the same. */
static enum vrs_status effective_hash(const struct cases *cases, const struct vrs_case *c, uint64_t *ret_hash)
{
	const int64_t kind[] = {c->width, c->height, c->scope};
	struct vrs_config *config;
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	enum vrs_status status = vrs_case_config(c, cases->base, &config, cases->err);
	if (status != VRS_OK)
		return status;
	struct vrs_settings s = *vrs_config_settings(config);
	s.engine.batch_size = s.engine.batch_size ? s.engine.batch_size : cases->input->batch;
	s.engine.threads = s.engine.threads ? s.engine.threads : cases->input->threads;
	s.engine.streams = s.engine.streams ? s.engine.streams : cases->input->streams;
	uint64_t hash = vrs_hash(vrs_hash(VRS_HASH_INIT, kind, sizeof kind), &c->live_hz, sizeof c->live_hz);
	for (int i = 0; i < count; i++) {
		const char *field = (const char *)&s + (rows[i].state == VRS_OPT_READY ? rows[i].offset : 0);
		if (rows[i].state == VRS_OPT_READY)
			hash = rows[i].type == VRS_OPT_STRING ? vrs_hash_str(hash, field) : vrs_hash(hash, field, rows[i].size);
	}
	vrs_config_destroy(config);
	*ret_hash = hash;
	return VRS_OK;
}

static enum vrs_status case_id(const struct cases *cases, const struct vrs_case *c, char id[VRS_CASE_ID_MAX])
{
	return vrs_case_id(c, cases->base, cases->input->width, cases->input->height, id, VRS_CASE_ID_MAX, cases->err);
}

/* Is there a case that runs the same? Where it has another id, it is counted, and the first of those kept. */
static bool is_known(struct cases *cases, uint64_t hash, const char *id)
{
	char known[VRS_CASE_ID_MAX];
	for (size_t i = 0; i < cases->count; i++) {
		if (cases->hashes[i] != hash)
			continue;
		if (case_id(cases, &cases->items[i], known) == VRS_OK && strcmp(known, id) != 0 && cases->merged++ == 0) {
			(void)vrs_strcpy(cases->merged_id, sizeof cases->merged_id, id);
			(void)vrs_strcpy(cases->merged_with, sizeof cases->merged_with, known);
		}
		return true;
	}
	return false;
}

/* One line, however many there are, and however often the sweep is planned. */
static void say_merged(const struct cases *cases)
{
	char note[64];
	if (!cases->merged)
		return;
	snprintf(note, sizeof note, "merged %016" PRIx64, vrs_hash_str((uint64_t)cases->merged, cases->merged_id));
	vrs_log_once(note, VRS_LOG_INFO, cases->merged == 1 ? "%s is not measured by itself: it runs the same configuration as %s"
		     : "cases that run the same configuration are measured once: %s is one with %s, and others likewise", cases->merged_id, cases->merged_with);
}

static enum vrs_status keep_case(struct cases *cases, const struct vrs_case *c, uint64_t hash)
{
	void *items = cases->items;
	void *hashes = cases->hashes;
	enum vrs_status status = vrs_array_grow(&items, &cases->capacity, cases->count + 1, sizeof *cases->items, VRS_SWEEP_MAX_CASES);
	cases->items = items;
	if (status == VRS_OK)
		status = vrs_array_grow(&hashes, &cases->hash_capacity, cases->count + 1, sizeof *cases->hashes, VRS_SWEEP_MAX_CASES);
	cases->hashes = hashes;
	if (status != VRS_OK)
		return vrs_fail(cases->err, status, "the sweep has more than %d cases: use fewer values or --filter", VRS_SWEEP_MAX_CASES);
	cases->hashes[cases->count] = hash;
	cases->items[cases->count++] = *c;
	return VRS_OK;
}

/* Add the case with these value indices, unless one that runs the same is known, or it is filtered out. */
static enum vrs_status add_case(struct cases *cases, const int *values, const char *axis)
{
	struct vrs_case c = {.value_count = 0};
	char id[VRS_CASE_ID_MAX];
	uint64_t hash;
	enum vrs_status status = set_values(cases, values, &c);
	if (status == VRS_OK)
		status = vrs_case_settle(&c, cases->base, cases->input->net_size, cases->err);
	if (status == VRS_OK)
		status = write_out(cases, &c);
	vrs_strcpy(c.axis, sizeof c.axis, axis);
	if (status == VRS_OK)
		status = case_id(cases, &c, id);
	if (status != VRS_OK || is_senseless(&c) || !is_wanted(cases, id))
		return status;
	status = effective_hash(cases, &c, &hash);
	return status != VRS_OK || is_known(cases, hash, id) ? status : keep_case(cases, &c, hash);
}

static enum vrs_status one_at_a_time(struct cases *cases)
{
	int values[VRS_SWEEP_MAX_AXES];
	enum vrs_status status = VRS_OK;
	for (int a = 0; a < cases->sweep->axis_count; a++)
		for (int v = 0; v < cases->sweep->axes[a].count && status == VRS_OK; v++) {
			memcpy(values, cases->defaults, sizeof values);
			values[a] = v;
			if (a == cases->device_axis)
				values[cases->backend_axis] = device_backend(cases);
			fit(cases, values, 1u << a | (a == cases->device_axis ? 1u << cases->backend_axis : 0));
			status = add_case(cases, values, cases->sweep->axes[a].name);
		}
	return status;
}

static enum vrs_status cross(struct cases *cases)
{
	int values[VRS_SWEEP_MAX_AXES], size_axis = -1, precision_axis = -1;
	enum vrs_status status = VRS_OK;
	for (int a = 0; a < cases->sweep->axis_count; a++) {
		size_axis = strcmp(cases->sweep->axes[a].key, VRS_SWEEP_RESOLUTION) == 0 ? a : size_axis;
		precision_axis = strcmp(cases->sweep->axes[a].key, "engine.precision") == 0 ? a : precision_axis;
	}
	if (size_axis < 0 || precision_axis < 0)
		return VRS_OK;
	for (int s = 0; s < cases->sweep->axes[size_axis].count; s++)
		for (int p = 0; p < cases->sweep->axes[precision_axis].count && status == VRS_OK; p++) {
			memcpy(values, cases->defaults, sizeof values);
			values[size_axis] = s;
			values[precision_axis] = p;
			fit(cases, values, 1u << size_axis | 1u << precision_axis);
			status = add_case(cases, values, "resolution x precision");
		}
	return status;
}

/* Count through all combinations like an odometer. */
static enum vrs_status product(struct cases *cases)
{
	int values[VRS_SWEEP_MAX_AXES] = {0};
	enum vrs_status status = VRS_OK;
	while (status == VRS_OK) {
		status = add_case(cases, values, "product");
		int a = cases->sweep->axis_count - 1;
		while (a >= 0 && ++values[a] == cases->sweep->axes[a].count)
			values[a--] = 0;
		if (a < 0)
			break;
	}
	return status;
}

static enum vrs_status compile(regex_t *regex, const char *pattern, const char *flag, struct vrs_error *err)
{
	char why[128];
	int code = pattern ? regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB) : 0;
	if (code == 0)
		return VRS_OK;
	regerror(code, regex, why, sizeof why);
	return vrs_fail(err, VRS_ECONFIG, "%s \"%s\" is not a regular expression: %s", flag, pattern, why);
}

enum vrs_status vrs_sweep_cases(const struct vrs_sweep *sweep, const struct vrs_config *base, const struct vrs_bench_input *input,
				struct vrs_case **ret_cases, int *ret_count, struct vrs_error *err)
{
	struct vrs_sweep own = *sweep; /* with the base's own values */
	struct cases cases = {.sweep = &own, .base = base, .input = input, .err = err};
	enum vrs_status status = compile(&cases.filter, sweep->filter, "--filter", err);
	if (status != VRS_OK)
		return status;
	status = compile(&cases.skip, sweep->skip, "--skip", err);
	if (status == VRS_OK)
		status = vrs_case_settle(&cases.own, base, input->net_size, err);
	if (status == VRS_OK) {
		choose_defaults(&cases);
		status = add_case(&cases, cases.defaults, VRS_AXIS_DEFAULT);
		if (status == VRS_OK)
			status = sweep->mode == VRS_SWEEP_PRODUCT ? product(&cases) : one_at_a_time(&cases);
		if (status == VRS_OK && sweep->mode == VRS_SWEEP_ONE_AT_A_TIME && sweep->cross_precision)
			status = cross(&cases);
		if (sweep->skip)
			regfree(&cases.skip);
	}
	if (sweep->filter)
		regfree(&cases.filter);
	vrs_free(cases.hashes);
	say_merged(&cases);
	if (status == VRS_OK && cases.count == 0)
		status = vrs_fail(err, VRS_ECONFIG, "no case is left after --filter and --skip");
	if (status == VRS_OK) {
		*ret_cases = cases.items;
		*ret_count = (int)cases.count;
	} else {
		vrs_free(cases.items);
	}
	return status;
}

double vrs_sweep_guess_fps(int width, int height, int cpus)
{
	const double most = 500; /* however small the picture, a frame costs something */
	double fps = 22.0 * (3840.0 * 1920.0) / ((double)width * height) * (cpus > 1 ? cpus / 2.0 : 0.5);
	return fps < most ? fps : most;
}

double vrs_sweep_run_seconds(int width, int height, int cpus, const struct vrs_recorder_rules *rules)
{
	const double start_seconds = rules->max_frames > 0 ? 0.15 : 0.6; /* with the analysis of mattes */
	double fps = vrs_sweep_guess_fps(width, height, cpus);
	double warm = rules->warmup_min_seconds + 3 * (fps > 10 ? (fps > 50 ? 1 : 50 / fps) : 10 / fps);
	if (rules->warmup_max_frames > 0 && warm > (double)rules->warmup_max_frames / fps)
		warm = (double)rules->warmup_max_frames / fps;
	double measured = (double)rules->min_frames / fps;
	if (measured < rules->duration_seconds)
		measured = rules->duration_seconds;
	if (measured > 3 * rules->duration_seconds)
		measured = 3 * rules->duration_seconds;
	if (rules->max_frames > 0 && measured > (double)rules->max_frames / fps)
		measured = (double)rules->max_frames / fps;
	return start_seconds + (warm < rules->warmup_max_seconds ? warm : rules->warmup_max_seconds) + measured + 3 / fps;
}
