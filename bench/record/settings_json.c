/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/settings_json.h"

enum vrs_status vrs_config_to_json(const struct vrs_config *config, cJSON *object)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	for (int i = 0; i < count; i++) {
		char value[VRS_PATH_MAX];
		if (rows[i].state != VRS_OPT_READY || vrs_config_source(config, rows[i].key) == VRS_SOURCE_DEFAULT)
			continue;
		enum vrs_status status = vrs_config_get(config, rows[i].key, value, sizeof value);
		if (status != VRS_OK)
			return status;
		if (!vrs_json_put_string(object, rows[i].key, value))
			return VRS_ENOMEM;
	}
	return VRS_OK;
}

enum vrs_status vrs_config_from_json(const cJSON *object, struct vrs_config *config, const char *name, struct vrs_error *err)
{
	const cJSON *item;
	if (!cJSON_IsObject(object))
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "settings must be an object");
	cJSON_ArrayForEach(item, object) {
		if (!cJSON_IsString(item))
			return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "settings.%s must be a text", item->string);
		struct vrs_error why = {.status = VRS_OK};
		/* An empty text is a value too, but only of text options. */
		enum vrs_status status = vrs_config_set(config, item->string, item->valuestring, VRS_SOURCE_FLAG, NULL, &why);
		if (status != VRS_OK)
			return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "settings.%s: %s", item->string, why.text);
	}
	return VRS_OK;
}
