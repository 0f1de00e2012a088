/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Configuration files: every YAML value becomes one assignment, with the place of its key in messages. */
#include <stdio.h>
#include <string.h>

#include <vrseg/yaml.h>

#include "base/str_parse.h"
#include "config/config_object.h"
#include "config/option_table.h"

/* True when some key or alias begins with "name.": an empty section is no mistake. */
static bool is_section(const char *name)
{
	size_t len = strlen(name);
	char key[VRS_KEY_MAX];

	for (int i = 0; vrs_option_name(i, key, sizeof key); i++)
		if (strncmp(key, name, len) == 0 && key[len] == '.')
			return true;
	return false;
}

/* What a shorthand such as use_fp16 asks for; false: nothing, or it is none. */
static bool shorthand_value(const struct vrs_yaml_entry *entry, char *buf, size_t size)
{
	const struct vrs_synonym *synonym = vrs_synonym_find(entry->key);
	bool on;

	if (!synonym || !synonym->weak || !vrs_parse_bool(entry->value, &on) || !on || !vrs_words_get(synonym->map, 0, buf, size))
		return false;
	const char *value = strchr(buf, '=') + 1;
	memmove(buf, value, strlen(value) + 1);
	return true;
}

/* As it is printed: 02 is 2, and 256x256 is [256, 256].  False: it is no single value of the option. */
static bool plain_value(const struct vrs_option *row, const struct vrs_yaml_entry *entry, char *buf, size_t size)
{
	struct vrs_option_value value;

	return vrs_option_parse(row, entry->value, entry->key, &value, NULL) == VRS_OK && vrs_option_print(row, &value, buf, size) == VRS_OK;
}

/* Do the two entries of a file ask for different values of the option? */
static bool differ(const struct vrs_option *row, const struct vrs_yaml_entry *a, const struct vrs_yaml_entry *b)
{
	char first[VRS_PATH_MAX], second[VRS_PATH_MAX];
	bool is_plain = !vrs_synonym_find(a->key) && !vrs_synonym_find(b->key);

	if (is_plain && plain_value(row, a, first, sizeof first) && plain_value(row, b, second, sizeof second))
		return strcmp(first, second) != 0;
	if (is_plain)
		return strcmp(a->value, b->value) != 0;
	return shorthand_value(a, first, sizeof first) && shorthand_value(b, second, sizeof second) && strcmp(first, second) != 0;
}

/*
 * Two names of one option in one file: fine when they agree, a mistake when not ("gpu.precision: fp16" and "engine.precision: fp32").
 * Shorthands that give way (use_fp16) conflict with each other alone, and null values never do.
 */
static enum vrs_status check_twins(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, struct vrs_error *err)
{
	const struct vrs_option *row = vrs_option_find(entry->key);

	if (!row || entry->kind == VRS_YAML_NULL)
		return VRS_OK;
	for (const struct vrs_yaml_entry *other = yaml->entries; other < entry; other++) {
		if (vrs_option_find(other->key) != row || other->kind == VRS_YAML_NULL)
			continue;
		if (differ(row, entry, other))
			return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s and %s (line %d) both mean %s, but differ; keep one", entry->key,
					     other->key, other->line, row->key);
	}
	return VRS_OK;
}

static enum vrs_status load_entry(struct vrs_config *config, const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry,
				  enum vrs_value_source source, struct vrs_error *err)
{
	const struct vrs_option *row = vrs_option_find(entry->key);
	struct vrs_error why = {.status = VRS_OK};
	char where[VRS_WHERE_MAX];
	struct vrs_assignment a = {.key = entry->key, .value = entry->value, .source = source, .label = entry->key, .where = where};
	enum vrs_status status = check_twins(yaml, entry, err);

	if (status != VRS_OK)
		return status;
	if (entry->kind == VRS_YAML_EMPTY && !row && is_section(entry->key))
		return VRS_OK;
	if (row && entry->kind == VRS_YAML_NULL)
		return VRS_OK; /* null: not set here */
	if (row && entry->kind == VRS_YAML_EMPTY)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: the value is missing; write one or remove the line", entry->key);
	if (row && entry->kind == VRS_YAML_LIST && row->type != VRS_OPT_SIZE2 && !row->tunable)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: one value is expected, not a list", entry->key);
	(void)snprintf(where, sizeof where, "%.140s:%d", yaml->name, entry->line);
	status = vrs_config_assign(config, &a, &why);
	if (status != VRS_OK)
		return vrs_yaml_fail(yaml, entry, err, status, "%s", why.text);
	return VRS_OK;
}

/* All values or none: a file with a mistake leaves the configuration as it was. */
static enum vrs_status load_yaml(struct vrs_config *config, const struct vrs_yaml *yaml, enum vrs_value_source source, struct vrs_error *err)
{
	struct vrs_config *copy = NULL, swap;
	enum vrs_status status = vrs_config_copy(&copy, config);

	if (status != VRS_OK)
		return vrs_fail(err, status, "out of memory while loading %s", yaml->name);
	for (int i = 0; status == VRS_OK && i < yaml->count; i++)
		status = load_entry(copy, yaml, &yaml->entries[i], source, err);
	if (status == VRS_OK) {
		swap = *config;
		*config = *copy;
		*copy = swap;
	}
	vrs_config_destroy(copy);
	return status;
}

/* What was read, if it was.  Damaged YAML is a configuration mistake here, not a damaged media file. */
static enum vrs_status load_read(struct vrs_config *config, struct vrs_yaml *yaml, enum vrs_status status, enum vrs_value_source source,
				 struct vrs_error *err)
{
	if (status == VRS_OK)
		status = load_yaml(config, yaml, source, err);
	vrs_yaml_fini(yaml);
	if (status != VRS_EFORMAT && status != VRS_ELIMIT && status != VRS_ENOTFOUND)
		return status;
	if (err)
		err->status = VRS_ECONFIG;
	return VRS_ECONFIG;
}

enum vrs_status vrs_config_load_text(struct vrs_config *config, const char *text, size_t size, const char *name, enum vrs_value_source source,
				     struct vrs_error *err)
{
	struct vrs_yaml yaml;

	if (!config)
		return vrs_fail(err, VRS_EINVAL, "vrs_config_load_text needs a configuration");
	return load_read(config, &yaml, vrs_yaml_parse(&yaml, text, size, name, err), source, err);
}

enum vrs_status vrs_config_load_file(struct vrs_config *config, const char *path, enum vrs_value_source source, struct vrs_error *err)
{
	struct vrs_yaml yaml;

	if (!config || !path)
		return vrs_fail(err, VRS_EINVAL, "vrs_config_load_file needs a configuration and a path");
	return load_read(config, &yaml, vrs_yaml_read(&yaml, path, err), source, err);
}
