/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine that a result was measured on, field by field. */
#include <stdio.h>
#include <string.h>

#include "analyzer/summary_parts.h"
#include "base/json.h"

bool vrs_environment_is_moment(const char *key)
{
	static const char *const keys[] = {"sensors", "not_observable", "available_bytes", "swap_used_bytes"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

/* Values below an item by their paths; depth is limited by cJSON. */
static void add_items(const cJSON *item, const char *path, struct vrs_table *t)
{
	char below[160];
	const cJSON *child;
	int index = 0;
	if (cJSON_IsArray(item) || cJSON_IsObject(item)) {
		cJSON_ArrayForEach(child, item) {
			if (child->string && vrs_environment_is_moment(child->string))
				continue;
			if (child->string)
				snprintf(below, sizeof below, "%s%s%s", path, path[0] ? "." : "", child->string);
			else
				snprintf(below, sizeof below, "%s[%d]", path, index);
			add_items(child, below, t);
			index++;
		}
		return;
	}
	char *text = cJSON_IsString(item) ? NULL : vrs_json_print(item, false);
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s", path);
	vrs_table_set(t, 1, "%s", cJSON_IsString(item) ? item->valuestring : text ? text : "");
	vrs_json_free_text(text);
}

void vrs_environment_table(const struct vrs_result *result, struct vrs_findings *findings)
{
	static const char *const heads[] = {"field", "value"};
	cJSON *machine = NULL;
	struct vrs_table *t = vrs_findings_start_table(findings, "environment", "Environment", heads, 2, ~0u);
	if (result->machine_json[0] &&
	    vrs_json_parse(result->machine_json, strlen(result->machine_json), sizeof result->machine_json, "environment", &machine, NULL) == VRS_OK)
		add_items(machine, "", t);
	cJSON_Delete(machine);
	snprintf(t->caption, sizeof t->caption, "As env.json has it, but for what changes from one moment to the next.");
}
