/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs of a network that are the same for every picture: "input.constants: {NAME: VALUE}" of a manifest. */
#include <float.h>
#include <string.h>

#include "base/str_parse.h"
#include "config/manifest_fields.h"

#define KEY "input.constants"

bool vrs_manifest_is_constant(const struct vrs_yaml_entry *entry)
{
	return strncmp(entry->key, KEY, sizeof KEY - 1) == 0 && (entry->key[sizeof KEY - 1] == '.' || entry->key[sizeof KEY - 1] == '\0');
}

enum vrs_status vrs_manifest_read_constant(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, struct vrs_manifest *manifest,
					   struct vrs_error *err)
{
	const char *name = entry->key + sizeof KEY;
	bool list = entry->kind == VRS_YAML_LIST;
	int count = list ? entry->item_count : 1;
	struct vrs_manifest_constant *constant = &manifest->constants[manifest->constant_count];

	if (!entry->key[sizeof KEY - 1] || !*name)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, KEY ": a value for each name is expected, as in {downsample_ratio: 0.25}");
	if (manifest->constant_count == VRS_MANIFEST_MAX_CONSTANTS)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, KEY ": more than %d names", VRS_MANIFEST_MAX_CONSTANTS);
	if (!vrs_strcpy(constant->name, sizeof constant->name, name))
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, KEY ": the name \"%.60s...\" is too long", name);
	if (count < 1 || count > VRS_MANIFEST_MAX_VALUES)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: 1 to %d numbers are expected", entry->key, VRS_MANIFEST_MAX_VALUES);
	for (int i = 0; i < count; i++) {
		const char *text = list ? entry->items[i] : entry->value;

		if (!vrs_parse_double(text, -(double)FLT_MAX, (double)FLT_MAX, &constant->values[i]))
			return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: \"%.60s\" is not a number", entry->key, text);
	}
	constant->count = count;
	manifest->constant_count++;
	return VRS_OK;
}
