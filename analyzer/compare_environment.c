/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What differs around two results, field by field: machine, build, input, settings. */
#include <stdio.h>
#include <string.h>

#include <vrseg/yaml.h>

#include "analyzer/compare.h"
#include "analyzer/summary_parts.h"
#include "base/json.h"
#include "base/str_parse.h"

static void add_row(struct vrs_table *t, const char *field, const char *a, const char *b)
{
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", field);
	vrs_table_set(t, 1, "%s", a && a[0] ? a : "not recorded");
	vrs_table_set(t, 2, "%s", b && b[0] ? b : "not recorded");
}

/* A value as text; "": there is none. */
static void value_text(const cJSON *item, char *buf, size_t size)
{
	char *text = item && !cJSON_IsString(item) ? vrs_json_print(item, false) : NULL;
	snprintf(buf, size, "%s", cJSON_IsString(item) ? item->valuestring : text ? text : "");
	vrs_json_free_text(text);
}

/* Rows for all that is below both; depth is limited by cJSON. */
static void compare_items(const cJSON *a, const cJSON *b, const char *path, struct vrs_table *t)
{
	char below[160], x[200], y[200];
	const cJSON *item;
	const char *dot = strrchr(path, '.');
	if (vrs_environment_is_moment(dot ? dot + 1 : path))
		return;
	if (!(cJSON_IsObject(a) && cJSON_IsObject(b)) && !(cJSON_IsArray(a) && cJSON_IsArray(b))) {
		value_text(a, x, sizeof x);
		value_text(b, y, sizeof y);
		if (strcmp(x, y) != 0)
			add_row(t, path, x, y);
		return;
	}
	int index = 0;
	cJSON_ArrayForEach(item, a) {
		const cJSON *other = item->string ? cJSON_GetObjectItemCaseSensitive(b, item->string) : cJSON_GetArrayItem(b, index);
		if (item->string)
			snprintf(below, sizeof below, "%s%s%s", path, path[0] ? "." : "", item->string);
		else
			snprintf(below, sizeof below, "%s[%d]", path, index);
		compare_items(item, other, below, t);
		index++;
	}
	index = 0;
	cJSON_ArrayForEach(item, b) {
		bool known = item->string ? cJSON_HasObjectItem(a, item->string) : index < cJSON_GetArraySize(a);
		if (item->string)
			snprintf(below, sizeof below, "%s%s%s", path, path[0] ? "." : "", item->string);
		else
			snprintf(below, sizeof below, "%s[%d]", path, index);
		if (!known)
			compare_items(NULL, item, below, t);
		index++;
	}
}

static enum vrs_status parse_machine(const struct vrs_result *result, cJSON **ret)
{
	*ret = NULL;
	enum vrs_status status = !result->machine_json[0] ? VRS_OK
		: vrs_json_parse(result->machine_json, strlen(result->machine_json), sizeof result->machine_json, "environment", ret, NULL);
	return status == VRS_ENOMEM ? status : VRS_OK;
}

/* Settings by their keys; what cannot be read is compared as a whole. */
static enum vrs_status compare_settings(const char *a, const char *b, struct vrs_table *t)
{
	struct vrs_yaml x, y;
	enum vrs_status first = vrs_yaml_parse(&x, a, strlen(a), "A", NULL), second = vrs_yaml_parse(&y, b, strlen(b), "B", NULL);
	bool readable = first == VRS_OK && second == VRS_OK;
	if (!readable && strcmp(a, b) != 0)
		add_row(t, "settings", a, b);
	for (int i = 0; readable && i < x.count; i++) {
		const struct vrs_yaml_entry *other = vrs_yaml_find(&y, x.entries[i].key);
		if (!other || strcmp(other->value, x.entries[i].value) != 0)
			add_row(t, x.entries[i].key, x.entries[i].value, other ? other->value : "the default");
	}
	for (int i = 0; readable && i < y.count; i++)
		if (!vrs_yaml_find(&x, y.entries[i].key))
			add_row(t, y.entries[i].key, "the default", y.entries[i].value);
	vrs_yaml_fini(&x);
	vrs_yaml_fini(&y);
	return first == VRS_ENOMEM || second == VRS_ENOMEM ? VRS_ENOMEM : VRS_OK;
}

static void compare_hashes(const char *field, uint64_t a, uint64_t b, struct vrs_table *t)
{
	char x[24] = "", y[24] = "";
	if (a)
		snprintf(x, sizeof x, "%016llx", (unsigned long long)a);
	if (b)
		snprintf(y, sizeof y, "%016llx", (unsigned long long)b);
	if (a != b)
		add_row(t, field, x, y);
}

static void compare_texts(const char *field, const char *a, const char *b, struct vrs_table *t)
{
	if (strcmp(a, b) != 0)
		add_row(t, field, a, b);
}

enum vrs_status vrs_compare_environment(const struct vrs_compare_side *a, const struct vrs_compare_side *b, struct vrs_findings *findings)
{
	char id[48], title[96], head_a[8], head_b[8];
	cJSON *x = NULL, *y = NULL;
	const struct vrs_result *p = a->result, *q = b->result;
	snprintf(id, sizeof id, "environment-%c", b->letter | 0x20);
	snprintf(title, sizeof title, "What else differs between %c and %c", a->letter, b->letter);
	snprintf(head_a, sizeof head_a, "%c", a->letter);
	snprintf(head_b, sizeof head_b, "%c", b->letter);
	const char *const heads[] = {"field", head_a, head_b};
	struct vrs_table *t = vrs_findings_start_table(findings, id, title, heads, 3, ~0u);
	snprintf(t->caption, sizeof t->caption, "Fields of results.json and of its environment; all others are the same.");
	compare_texts("tool_version", p->tool_version, q->tool_version, t);
	compare_texts("input", p->input, q->input, t);
	compare_hashes("input_hash", p->input_hash, q->input_hash, t);
	compare_hashes("fingerprint", p->fingerprint, q->fingerprint, t);
	compare_texts("quick", p->quick ? "yes" : "no", q->quick ? "yes" : "no", t);
	enum vrs_status status = compare_settings(p->base_config, q->base_config, t);
	if (status == VRS_OK)
		status = parse_machine(p, &x);
	if (status == VRS_OK)
		status = parse_machine(q, &y);
	if (status == VRS_OK && (x || y)) {
		cJSON_DeleteItemFromObjectCaseSensitive(x, "fingerprint"); /* said already */
		cJSON_DeleteItemFromObjectCaseSensitive(y, "fingerprint");
		compare_items(x, y, "", t);
	}
	cJSON_Delete(x);
	cJSON_Delete(y);
	return status;
}
