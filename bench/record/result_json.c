/* SPDX-License-Identifier: GPL-3.0-or-later */
/* results.json: the record as text. The environment is kept as the JSON object that env.json holds. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "bench/record/record_fields.h"
#include "bench/record/result.h"

static cJSON *make_case(const struct vrs_case_result *c)
{
	cJSON *object = cJSON_CreateObject();
	cJSON *runs = object && vrs_fields_write(object, vrs_case_fields, c) ? vrs_json_put_array(object, "runs") : NULL;
	bool ok = runs != NULL;
	for (int i = 0; i < c->run_count && ok; i++) {
		cJSON *run = cJSON_CreateObject();
		ok = run && cJSON_AddItemToArray(runs, run) && vrs_fields_write(run, vrs_run_fields, &c->runs[i]);
	}
	if (!ok) {
		cJSON_Delete(object);
		return NULL;
	}
	return object;
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

char *vrs_result_environment(const struct vrs_result *result)
{
	cJSON *machine = make_environment(result);
	char *text = machine ? vrs_json_print(machine, false) : NULL;
	cJSON_Delete(machine);
	return text;
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

static bool write_comparisons(cJSON *object, const struct vrs_result *result)
{
	cJSON *array = result->comparison_count ? vrs_json_put_array(object, "comparisons") : NULL;
	bool ok = array || !result->comparison_count;
	for (int i = 0; i < result->comparison_count && ok; i++) {
		cJSON *to = cJSON_CreateObject();
		ok = to && cJSON_AddItemToArray(array, to) && vrs_fields_write(to, vrs_comparison_fields, &result->comparisons[i]);
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
		cJSON *object = make_case(&result->cases[i]);
		char *text = object ? vrs_json_print(object, true) : NULL;
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
		  write_comparisons(object, result) && write_profiles(object, result) &&
		  write_profile_run(object, &result->profile_run) &&
		  put_open_object(object, out);
	cJSON_Delete(object);
	return ok && put_cases(result, out);
}

enum vrs_status vrs_result_write(const struct vrs_result *result, const char *path, struct vrs_error *err)
{
	char temp[VRS_PATH_MAX + 32];
	enum vrs_status status = vrs_file_temp_name(path, temp, sizeof temp, err);
	FILE *out = status == VRS_OK ? fopen(temp, "we") : NULL;
	if (status != VRS_OK)
		return status;
	if (!out)
		return vrs_fail(err, VRS_EIO, "cannot write %s: %s", path, strerror(errno));
	errno = 0;
	bool ok = write_result(result, out);
	ok = fflush(out) == 0 && ok;
	int cause = errno ? errno : ENOMEM;
	ok = fclose(out) == 0 && ok;
	if (ok)
		return vrs_file_commit(temp, path, err);
	vrs_file_discard(temp);
	return vrs_fail(err, cause == ENOMEM ? VRS_ENOMEM : VRS_EIO, "cannot write %s: %s", path, strerror(cause));
}

static enum vrs_status read_runs(const cJSON *object, struct vrs_case_result *c, const char *name, int index, struct vrs_error *err)
{
	const cJSON *runs = cJSON_GetObjectItemCaseSensitive(object, "runs"), *item;
	if (!cJSON_IsArray(runs))
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "cases[%d].runs must be an array", index);
	cJSON_ArrayForEach(item, runs) {
		char place[64];
		snprintf(place, sizeof place, "cases[%d].runs[%d].", index, c->run_count);
		if (!cJSON_IsObject(item))
			return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "cases[%d].runs[%d] must be an object", index, c->run_count);
		struct vrs_run *run = vrs_case_result_add_run(c);
		if (!run)
			return vrs_fail_at(err, VRS_ELIMIT, name, 0, 0, "cases[%d] has too many runs (at most %d)", index, VRS_RESULT_MAX_RUNS);
		enum vrs_status status = vrs_fields_read(item, vrs_run_fields, run, name, place, err);
		if (status != VRS_OK)
			return status;
		if (run->status == VRS_RUN_OK && isnan(run->fps))
			return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "%sfps is missing, but the run says ok", place);
	}
	return VRS_OK;
}

/* Before vrbench/1.3 a word and its sentence were one text: "fail: memory grows". record_fields.c reads the word, this the sentence. */
static void read_old_sentence(const cJSON *object, const char *key, char *to, size_t size)
{
	const char *text = vrs_json_string(object, key), *colon = text ? strchr(text, ':') : NULL;
	if (colon)
		(void)snprintf(to, size, "%.*s", (int)size - 1, colon + 1 + strspn(colon + 1, " "));
}

static enum vrs_status read_cases(const cJSON *object, struct vrs_result *result, const char *name, struct vrs_error *err)
{
	const cJSON *cases = cJSON_GetObjectItemCaseSensitive(object, "cases"), *item;
	if (!cJSON_IsArray(cases))
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "cases must be an array");
	cJSON_ArrayForEach(item, cases) {
		int index = result->case_count;
		char place[48];
		snprintf(place, sizeof place, "cases[%d].", index);
		if (!cJSON_IsObject(item))
			return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "cases[%d] must be an object", index);
		struct vrs_case_result *c = vrs_result_add_case(result);
		if (!c)
			return vrs_fail_at(err, VRS_ELIMIT, name, 0, 0, "there are too many cases (at most %d)", VRS_RESULT_MAX_CASES);
		enum vrs_status status = vrs_fields_read(item, vrs_case_fields, c, name, place, err);
		read_old_sentence(item, "soak_verdict", c->soak_note, sizeof c->soak_note);
		read_old_sentence(item, "live_verdict", c->live_note, sizeof c->live_note);
		if (status == VRS_OK)
			status = read_runs(item, c, name, index, err);
		if (status != VRS_OK)
			return status;
	}
	return VRS_OK;
}

static enum vrs_status read_profiles(const cJSON *object, struct vrs_result *result, const char *name, struct vrs_error *err)
{
	const cJSON *profiles = cJSON_GetObjectItemCaseSensitive(object, "profiles"), *item;
	enum vrs_status status = VRS_OK;
	if (profiles && !cJSON_IsArray(profiles))
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "profiles must be an array");
	cJSON_ArrayForEach(item, profiles) {
		char place[48];
		snprintf(place, sizeof place, "profiles[%d].", result->profile_count);
		struct vrs_net_profile *profile = vrs_result_add_profile(result);
		if (!profile)
			return vrs_fail_at(err, VRS_ELIMIT, name, 0, 0, "there are too many profiles (at most %d)", VRS_RESULT_MAX_PROFILES);
		status = cJSON_IsObject(item) ? vrs_net_profile_get(item, profile, name, place, err)
					      : vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "profiles[%d] must be an object", result->profile_count - 1);
		if (status != VRS_OK)
			return status;
	}
	return status;
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

static enum vrs_status read_comparisons(const cJSON *object, struct vrs_result *result, const char *name, struct vrs_error *err)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, "comparisons"), *item;
	enum vrs_status status = VRS_OK;
	if (array && (!cJSON_IsArray(array) || cJSON_GetArraySize(array) > VRS_RESULT_MAX_COMPARISONS))
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "comparisons must be an array of at most %d", VRS_RESULT_MAX_COMPARISONS);
	cJSON_ArrayForEach(item, array) {
		char place[48];
		struct vrs_comparison *to = &result->comparisons[result->comparison_count];
		snprintf(place, sizeof place, "comparisons[%d].", result->comparison_count++);
		vrs_comparison_init(to);
		status = cJSON_IsObject(item) ? vrs_fields_read(item, vrs_comparison_fields, to, name, place, err)
					      : vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "%s must be an object", place);
		if (status != VRS_OK)
			return status;
		read_old_cause(to);
	}
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
		return vrs_fail(err, VRS_ENOMEM, "out of memory");
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
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to read %s", name);
	bool fits = vrs_strcpy(result->machine_json, sizeof result->machine_json, text);
	vrs_json_free_text(text);
	return fits ? VRS_OK : vrs_fail_at(err, VRS_ELIMIT, name, 0, 0, "environment is larger than %zu bytes", sizeof result->machine_json - 1);
}

enum vrs_status vrs_result_parse(struct vrs_result **ret_result, const char *text, size_t length, const char *name, struct vrs_error *err)
{
	cJSON *object;
	struct vrs_result *result = NULL;
	enum vrs_status status = vrs_json_parse(text, length, VRS_RESULT_MAX_BYTES, name, &object, err);
	if (status != VRS_OK)
		return status;
	status = check_schema(object, name, err);
	if (status == VRS_OK && vrs_result_create(&result) != VRS_OK)
		status = vrs_fail(err, VRS_ENOMEM, "there is not enough memory to read %s", name);
	if (status == VRS_OK)
		status = vrs_fields_read(object, vrs_result_fields, result, name, "", err);
	if (status == VRS_OK)
		status = read_environment(object, result, name, err);
	if (status == VRS_OK)
		status = read_cases(object, result, name, err);
	if (status == VRS_OK)
		status = read_profiles(object, result, name, err);
	if (status == VRS_OK)
		status = read_comparisons(object, result, name, err);
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
