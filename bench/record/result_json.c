/* SPDX-License-Identifier: GPL-3.0-or-later */
/* results.json: the record as text. The environment is kept as the JSON object that env.json holds. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/record/frame_metrics.h"
#include "bench/record/record_fields.h"
#include "bench/record/result.h"

static bool put_records(cJSON *object, const char *key, const struct vrs_field *fields, const void *records, int count, size_t size)
{
	cJSON *array = vrs_json_put_array(object, key);
	bool ok = array != NULL;
	for (int i = 0; i < count && ok; i++) {
		cJSON *to = cJSON_CreateObject();
		ok = to && cJSON_AddItemToArray(array, to) && vrs_fields_write(to, fields, (const char *)records + (size_t)i * size);
	}
	return ok;
}

bool vrs_net_profile_put(cJSON *object, const struct vrs_net_profile *profile)
{
	return vrs_fields_write(object, vrs_profile_fields, profile) &&
	       put_records(object, "ops", vrs_op_fields, profile->ops, profile->op_count, sizeof *profile->ops);
}

/* NULL: out of memory, or there is none. */
static cJSON *make_environment(const struct vrs_result *result)
{
	cJSON *machine = NULL, *ceilings;
	if (!result->machine_json[0] ||
	    vrs_json_parse(result->machine_json, strlen(result->machine_json), sizeof result->machine_json, "environment", &machine, NULL) != VRS_OK)
		return NULL;
	if (isnan(result->ceilings.triad_gbps) && !result->ceilings.reason[0])
		return machine; /* nobody asked, or an older version wrote it */
	ceilings = vrs_json_put_object(machine, "ceilings");
	if (ceilings && vrs_fields_write(ceilings, vrs_ceilings_fields, &result->ceilings))
		return machine;
	cJSON_Delete(machine);
	return NULL;
}

enum vrs_status vrs_result_write_environment(const struct vrs_result *result, const char *path, struct vrs_error *err)
{
	cJSON *machine = make_environment(result);
	char *text = machine ? vrs_json_print(machine, false) : NULL;
	cJSON_Delete(machine);
	if (!text)
		return result->machine_json[0] ? vrs_fail(err, VRS_ENOMEM, "there is not enough memory to describe this machine") : VRS_OK;
	enum vrs_status status = vrs_file_replace(path, text, strlen(text), err);
	vrs_json_free_text(text);
	return status;
}

static bool write_environment(cJSON *object, const struct vrs_result *result)
{
	if (!result->machine_json[0])
		return true;
	cJSON *machine = make_environment(result);
	return machine && cJSON_AddItemToObject(object, "environment", machine);
}

static bool write_profiles(cJSON *object, const struct vrs_result *result)
{
	cJSON *profiles = result->profile_count ? vrs_json_put_array(object, "profiles") : NULL;
	bool ok = profiles || !result->profile_count;
	for (int i = 0; i < result->profile_count && ok; i++) {
		cJSON *to = cJSON_CreateObject();
		ok = to && cJSON_AddItemToArray(profiles, to) && vrs_net_profile_put(to, &result->profiles[i]);
	}
	return ok;
}

/* {"cycles": "perf_event_paranoid is 3; ..."} */
static bool write_unavailable(cJSON *object, const struct vrs_result *result)
{
	cJSON *to = result->unavailable_count ? vrs_json_put_object(object, "unavailable") : NULL;
	bool ok = to || !result->unavailable_count;
	for (int i = 0; i < result->unavailable_count && ok; i++)
		ok = vrs_json_put_string(to, result->unavailable[i].key, result->unavailable[i].reason);
	return ok;
}

/* The text of an object without its closing brace, so that more can follow. False: out of memory, or the disk is full. */
static bool put_open_object(cJSON *object, FILE *out)
{
	char *text = vrs_json_print(object, true);
	size_t length = text ? strlen(text) : 0;
	while (length > 0 && text[length - 1] != '}')
		length--;
	bool ok = length > 1 && fwrite(text, 1, length - 1, out) == length - 1;
	vrs_json_free_text(text);
	return ok;
}

/* Case by case: a large sweep is never a tree in memory. */
static bool put_cases(const struct vrs_result *result, FILE *out)
{
	bool ok = fputs(",\n\t\"cases\":\t[", out) >= 0;
	for (int i = 0; i < result->case_count && ok; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		cJSON *object = cJSON_CreateObject();
		bool whole = object && vrs_fields_write(object, vrs_case_fields, c) &&
			     put_records(object, "runs", vrs_run_fields, c->runs, c->run_count, sizeof *c->runs);
		char *text = whole ? vrs_json_print(object, true) : NULL;
		cJSON_Delete(object);
		ok = text && fprintf(out, "%s%s", i ? ", " : "", text) > 0;
		vrs_json_free_text(text);
	}
	return ok && fputs("]\n}\n", out) >= 0;
}

static bool write_profile_run(cJSON *object, const struct vrs_profile_run *run)
{
	cJSON *to = run->case_id[0] ? vrs_json_put_object(object, "profile_run") : NULL;
	return !run->case_id[0] || (to && vrs_fields_write(to, vrs_profile_run_fields, run));
}

static bool write_result(const struct vrs_result *result, FILE *out)
{
	cJSON *object = cJSON_CreateObject();
	bool ok = object && vrs_json_put_string(object, "schema", VRS_RESULT_SCHEMA_NOW) && vrs_fields_write(object, vrs_result_fields, result) &&
		  write_unavailable(object, result) && write_environment(object, result) &&
		  (!result->comparison_count || put_records(object, "comparisons", vrs_comparison_fields, result->comparisons, result->comparison_count,
							    sizeof *result->comparisons)) &&
		  write_profiles(object, result) &&
		  write_profile_run(object, &result->profile_run) &&
		  put_open_object(object, out);
	cJSON_Delete(object);
	return ok && put_cases(result, out);
}

enum vrs_status vrs_result_write(const struct vrs_result *result, const char *path, struct vrs_error *err)
{
	struct vrs_temp_file temp;
	enum vrs_status status = vrs_temp_file_create(&temp, path, err);
	if (status != VRS_OK)
		return status;
	FILE *out = vrs_temp_file_stream(&temp, "w");
	bool ok = out != NULL;
	if (ok) {
		errno = 0;
		ok = write_result(result, out);
		ok = fflush(out) == 0 && ok;
	}
	int cause = errno ? errno : ENOMEM;
	ok = (!out || fclose(out) == 0) && ok;
	if (ok)
		return vrs_temp_file_commit(&temp, true, err);
	vrs_temp_file_discard(&temp);
	return vrs_fail(err, cause == ENOMEM ? VRS_ENOMEM : vrs_file_write_status(cause), "cannot write %s: %s", path, strerror(cause));
}

enum vrs_status vrs_result_print(const struct vrs_result *result, char **ret_text, size_t *ret_size)
{
	FILE *out = open_memstream(ret_text, ret_size);
	if (!out)
		return VRS_ENOMEM;
	bool ok = write_result(result, out);
	return fclose(out) == 0 && ok ? VRS_OK : VRS_ENOMEM;
}

/* An array of objects, each of which `read` takes into its owner. */
struct list {
	const char *key;
	int max;
	bool required;
	enum vrs_status (*read)(const cJSON *item, void *owner, const char *name, const char *place, struct vrs_error *err);
};

static enum vrs_status read_list(const cJSON *object, const struct list *list, void *owner, const char *name, const char *place,
				 struct vrs_error *err)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, list->key), *item;
	int index = 0;
	if (!array && !list->required)
		return VRS_OK;
	if (!cJSON_IsArray(array))
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "%s%s must be an array", place, list->key);
	if (cJSON_GetArraySize(array) > list->max)
		return vrs_fail_at(err, VRS_ELIMIT, name, 0, 0, "%s%s has more than %d elements", place, list->key, list->max);
	cJSON_ArrayForEach(item, array) {
		char here[96];
		snprintf(here, sizeof here, "%s%s[%d].", place, list->key, index);
		if (!cJSON_IsObject(item))
			return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "%s%s[%d] must be an object", place, list->key, index);
		enum vrs_status status = list->read(item, owner, name, here, err);
		if (status != VRS_OK)
			return status;
		index++;
	}
	return VRS_OK;
}

static enum vrs_status no_memory(const char *name, struct vrs_error *err)
{
	return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to read %s", name);
}

static enum vrs_status read_run(const cJSON *item, void *owner, const char *name, const char *place, struct vrs_error *err)
{
	struct vrs_run *run = vrs_case_result_add_run(owner);
	if (!run)
		return no_memory(name, err);
	enum vrs_status status = vrs_fields_read(item, vrs_run_fields, run, name, place, err);
	if (status == VRS_OK && run->status == VRS_RUN_OK && isnan(run->fps))
		status = vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "%sfps is missing, but the run says ok", place);
	return status;
}

/* Before vrbench/1.3 a word and its sentence were one text: "fail: memory grows". record_fields.c reads the word, this the sentence. */
static void read_old_sentence(const cJSON *object, const char *key, char *to, size_t size)
{
	const char *text = vrs_json_string(object, key), *colon = text ? strchr(text, ':') : NULL;
	if (colon)
		(void)snprintf(to, size, "%.*s", (int)size - 1, colon + 1 + strspn(colon + 1, " "));
}

/* A figure has one source: what the file says of the runs together is made of them anew. */
static enum vrs_status derive_summary(struct vrs_case_result *c, const char *name, struct vrs_error *err)
{
	if (vrs_case_result_estimate(c) != VRS_OK)
		return no_memory(name, err);
	if (c->run_count > 0)
		vrs_live_judge(c);
	return VRS_OK;
}

static enum vrs_status read_case(const cJSON *item, void *owner, const char *name, const char *place, struct vrs_error *err)
{
	static const struct list runs = {"runs", VRS_RESULT_MAX_RUNS, true, read_run};
	struct vrs_case_result *c = vrs_result_add_case(owner);
	if (!c)
		return no_memory(name, err);
	enum vrs_status status = vrs_fields_read(item, vrs_case_fields, c, name, place, err);
	read_old_sentence(item, "soak_verdict", c->soak_note, sizeof c->soak_note);
	read_old_sentence(item, "live_verdict", c->live_note, sizeof c->live_note);
	if (status == VRS_OK)
		status = read_list(item, &runs, c, name, place, err);
	return status == VRS_OK ? derive_summary(c, name, err) : status;
}

/* One case after another: a large sweep is never a tree in memory. */
static enum vrs_status read_cases(struct vrs_json_elements *elements, struct vrs_result *result, const char *name, struct vrs_error *err)
{
	for (int index = 0, runs = 0;; index++) {
		char here[32];
		cJSON *item = NULL;
		enum vrs_status status = vrs_json_elements_next(elements, &item, err);
		if (status != VRS_OK || !item)
			return status;
		snprintf(here, sizeof here, "cases[%d].", index);
		if (index >= VRS_RESULT_MAX_CASES)
			status = vrs_fail_at(err, VRS_ELIMIT, name, 0, 0, "cases has more than %d elements", VRS_RESULT_MAX_CASES);
		else if (!cJSON_IsObject(item))
			status = vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "cases[%d] must be an object", index);
		else
			status = read_case(item, result, name, here, err);
		runs += status == VRS_OK ? result->cases[index].run_count : 0;
		if (runs > VRS_RESULT_MAX_ALL_RUNS) /* a short text each, and more than a kilobyte in memory */
			status = vrs_fail_at(err, VRS_ELIMIT, name, 0, 0, "cases have more than %d runs", VRS_RESULT_MAX_ALL_RUNS);
		vrs_json_elements_free(elements, item);
		if (status != VRS_OK)
			return status;
	}
}

static int by_id(const void *a, const void *b)
{
	const struct vrs_case_result *const *x = a, *const *y = b;
	return strcmp((*x)->id, (*y)->id);
}

/* Cases are found by their ids: of two with one id nobody could say which is meant. */
static enum vrs_status check_ids(const struct vrs_result *result, const char *name, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	const struct vrs_case_result **cases = vrs_calloc((size_t)result->case_count + 1, sizeof *cases);
	if (!cases)
		return no_memory(name, err);
	for (int i = 0; i < result->case_count; i++)
		cases[i] = &result->cases[i];
	qsort(cases, (size_t)result->case_count, sizeof *cases, by_id);
	for (int i = 1; i < result->case_count && status == VRS_OK; i++)
		if (by_id(&cases[i - 1], &cases[i]) == 0)
			status = vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "two cases have the id \"%.255s\"", cases[i]->id);
	vrs_free(cases);
	return status;
}

static enum vrs_status read_op(const cJSON *item, void *owner, const char *name, const char *place, struct vrs_error *err)
{
	struct vrs_net_profile *profile = owner;
	struct vrs_op_row *op = &profile->ops[profile->op_count++];
	vrs_fields_clear(vrs_op_fields, op);
	return vrs_fields_read(item, vrs_op_fields, op, name, place, err);
}

static enum vrs_status read_profile(const cJSON *item, void *owner, const char *name, const char *place, struct vrs_error *err)
{
	static const struct list ops = {"ops", VRS_PROFILE_MAX_OPS, true, read_op};
	struct vrs_net_profile *profile = vrs_result_add_profile(owner);
	int count = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(item, "ops"));
	if (profile)
		profile->ops = vrs_calloc((size_t)(count < ops.max ? count : ops.max) + 1, sizeof *profile->ops);
	if (!profile || !profile->ops)
		return no_memory(name, err);
	enum vrs_status status = vrs_fields_read(item, vrs_profile_fields, profile, name, place, err);
	return status == VRS_OK ? read_list(item, &ops, profile, name, place, err) : status;
}

/* Before vrbench/1.3 the cause stood before its sentence: "holm: not proven among the secondary metrics". */
static void read_old_cause(struct vrs_comparison *c)
{
	char word[24];
	int cause;
	size_t length = strcspn(c->reason, ":");
	(void)snprintf(word, sizeof word, "%.*s", (int)length, c->reason);
	if (c->cause != VRS_CAUSE_NONE || !c->reason[length] || !vrs_name_find(&vrs_cause_names, word, &cause))
		return;
	c->cause = (enum vrs_cause)cause;
	memmove(c->reason, c->reason + length + 2, strlen(c->reason + length + 1));
}

static enum vrs_status read_comparison(const cJSON *item, void *owner, const char *name, const char *place, struct vrs_error *err)
{
	struct vrs_result *result = owner;
	struct vrs_comparison *to = &result->comparisons[result->comparison_count++];
	vrs_comparison_init(to);
	enum vrs_status status = vrs_fields_read(item, vrs_comparison_fields, to, name, place, err);
	read_old_cause(to);
	return status;
}

/* Before 1.4 case_id was called cell. */
static enum vrs_status read_profile_run(const cJSON *object, struct vrs_result *result, const char *name, struct vrs_error *err)
{
	cJSON *run = cJSON_GetObjectItemCaseSensitive(object, "profile_run");
	if (run && !cJSON_IsObject(run))
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "profile_run must be an object");
	const char *cell = run && !cJSON_HasObjectItem(run, "case_id") ? vrs_json_string(run, "cell") : NULL;
	if (cell && !vrs_json_put_string(run, "case_id", cell))
		return no_memory(name, err);
	return run ? vrs_fields_read(run, vrs_profile_run_fields, &result->profile_run, name, "profile_run.", err) : VRS_OK;
}

/* Before 1.3 it was called not_observed. */
static enum vrs_status read_unavailable(const cJSON *object, struct vrs_result *result, const char *name, struct vrs_error *err)
{
	const char *key = cJSON_HasObjectItem(object, "unavailable") ? "unavailable" : "not_observed";
	const cJSON *unavailable = cJSON_GetObjectItemCaseSensitive(object, key), *item;
	if (unavailable && (!cJSON_IsObject(unavailable) || cJSON_GetArraySize(unavailable) > VRS_RESULT_MAX_UNAVAILABLE))
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "%s must be an object of at most %d texts", key, VRS_RESULT_MAX_UNAVAILABLE);
	cJSON_ArrayForEach(item, unavailable) {
		struct vrs_unavailable *to = &result->unavailable[result->unavailable_count++];
		if (!cJSON_IsString(item) || !vrs_strcpy(to->key, sizeof to->key, item->string) ||
		    !vrs_strcpy(to->reason, sizeof to->reason, item->valuestring))
			return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "%s.%.40s must be a text of at most %zu bytes", key, item->string,
					   sizeof to->reason - 1);
	}
	return VRS_OK;
}

/* "vrbench/1" and "vrbench/1.N" are ours to read. */
static enum vrs_status check_schema(const cJSON *object, const char *name, struct vrs_error *err)
{
	const char *schema = vrs_json_string(object, "schema");
	if (!schema)
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "schema is missing: this is not a result of vrbench");
	size_t length = strlen(VRS_RESULT_SCHEMA);
	if (strncmp(schema, VRS_RESULT_SCHEMA, length) == 0 && (schema[length] == 0 || schema[length] == '.'))
		return VRS_OK;
	if (strncmp(schema, "vrbench/", 8) == 0)
		return vrs_fail_at(err, VRS_EUNSUPPORTED, name, 0, 0, "the file has schema %.32s, this program reads " VRS_RESULT_SCHEMA
				   ": use the version of vrseg that wrote it, or a newer one", schema);
	return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "schema is \"%.32s\" instead of \"" VRS_RESULT_SCHEMA "\"", schema);
}

enum vrs_status vrs_result_ceilings_read(const cJSON *environment, struct vrs_result_ceilings *ret_ceilings, const char *name, struct vrs_error *err)
{
	const cJSON *ceilings = cJSON_GetObjectItemCaseSensitive(environment, "ceilings");
	if (!ceilings)
		return VRS_OK;
	if (!cJSON_IsObject(ceilings))
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "environment.ceilings must be an object");
	return vrs_fields_read(ceilings, vrs_ceilings_fields, ret_ceilings, name, "environment.ceilings.", err);
}

static enum vrs_status read_environment(cJSON *object, struct vrs_result *result, const char *name, struct vrs_error *err)
{
	cJSON *environment = cJSON_GetObjectItemCaseSensitive(object, "environment");
	if (!environment)
		return VRS_OK;
	if (!cJSON_IsObject(environment))
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "environment must be an object");
	enum vrs_status status = vrs_result_ceilings_read(environment, &result->ceilings, name, err);
	if (status != VRS_OK)
		return status;
	cJSON_DeleteItemFromObjectCaseSensitive(environment, "ceilings"); /* written anew with the rest */
	char *text = vrs_json_print(environment, false);
	if (!text)
		return no_memory(name, err);
	bool fits = vrs_strcpy(result->machine_json, sizeof result->machine_json, text);
	vrs_json_free_text(text);
	return fits ? VRS_OK : vrs_fail_at(err, VRS_ELIMIT, name, 0, 0, "environment is larger than %zu bytes", sizeof result->machine_json - 1);
}

enum vrs_status vrs_result_parse(struct vrs_result **ret_result, const char *text, size_t length, const char *name, struct vrs_error *err)
{
	static const struct list lists[] = {
		{"profiles", VRS_RESULT_MAX_PROFILES, false, read_profile},
		{"comparisons", VRS_RESULT_MAX_COMPARISONS, false, read_comparison},
	};
	cJSON *object;
	struct vrs_result *result = NULL;
	struct vrs_json_elements cases;
	enum vrs_status status = vrs_json_parse_around(text, length, VRS_RESULT_MAX_BYTES, name, "cases", &object, &cases, err);
	if (status != VRS_OK)
		return status;
	status = check_schema(object, name, err);
	if (status == VRS_OK && vrs_result_create(&result) != VRS_OK)
		status = no_memory(name, err);
	if (status == VRS_OK)
		status = vrs_fields_read(object, vrs_result_fields, result, name, "", err);
	if (status == VRS_OK)
		status = read_environment(object, result, name, err);
	if (status == VRS_OK && !cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(object, "cases")))
		status = vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "cases must be an array");
	if (status == VRS_OK)
		status = read_cases(&cases, result, name, err);
	if (status == VRS_OK)
		status = check_ids(result, name, err);
	for (size_t i = 0; i < sizeof lists / sizeof *lists && status == VRS_OK; i++)
		status = read_list(object, &lists[i], result, name, "", err);
	if (status == VRS_OK)
		status = read_unavailable(object, result, name, err);
	if (status == VRS_OK)
		status = read_profile_run(object, result, name, err);
	cJSON_Delete(object);
	if (status == VRS_OK)
		*ret_result = result;
	else
		vrs_result_destroy(result);
	return status;
}

enum vrs_status vrs_result_read(struct vrs_result **ret_result, const char *path, struct vrs_error *err)
{
	struct vrs_buf text;
	enum vrs_status status = vrs_file_read(path, VRS_RESULT_MAX_BYTES, &text, err);
	if (status != VRS_OK)
		return status;
	status = vrs_result_parse(ret_result, vrs_buf_str(&text), text.len, path, err);
	vrs_buf_fini(&text);
	return status;
}
