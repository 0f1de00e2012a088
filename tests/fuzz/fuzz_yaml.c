/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * YAML from untrusted files: no input harms, errors have a place inside the text, limits hold, a configuration that loads writes and loads again
 * to the same text, and nothing of ours is left allocated.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/config.h>
#include <vrseg/yaml.h>

#include "base/mem.h"
#include "libfyaml_leak.h"
#include "quiet.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const struct vrs_error *err, const uint8_t *data, size_t size)
{
	int lines = 2; /* libfyaml may report the end of the last line as the line after it */

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n' || data[i] == '\r' || data[i] == 0x85 || data[i] == 0xe2;
	require(err->status != VRS_OK && err->text[0]);
	require(err->line >= 0 && err->line <= lines && err->column >= 0);
}

static void check_entries(const struct vrs_yaml *yaml)
{
	require(yaml->count >= 0 && yaml->count <= VRS_YAML_MAX_ENTRIES);
	for (int i = 0; i < yaml->count; i++) {
		const struct vrs_yaml_entry *entry = &yaml->entries[i];

		require(entry->key[0] && strlen(entry->key) <= VRS_YAML_MAX_KEY && entry->line > 0 && entry->column > 0);
		require(vrs_yaml_find(yaml, entry->key) == entry);
		require(entry->item_count <= VRS_YAML_MAX_ITEMS && (entry->kind == VRS_YAML_LIST) == (entry->items != NULL));
		if (entry->kind == VRS_YAML_NULL || entry->kind == VRS_YAML_EMPTY)
			require(!entry->value[0]);
	}
}

static char *print(const struct vrs_config *config)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	require(out && vrs_config_write(config, out, VRS_WRITE_ALL, NULL) == VRS_OK);
	require(fclose(out) == 0);
	return text;
}

/* Without the comments, which name other places. */
static void cut_comments(char *text)
{
	char *to = text;

	for (char *line = text; *line;) {
		size_t len = strcspn(line, "\n"), kept = len;
		const char *comment = NULL;

		for (size_t i = 0; i + 2 < len; i++)
			if (line[i] == ' ' && line[i + 1] == '#' && line[i + 2] == ' ')
				comment = line + i;
		if (comment)
			kept = (size_t)(comment - line);
		memmove(to, line, kept);
		to += kept;
		*to++ = '\n';
		line += len + (line[len] == '\n');
	}
	*to = '\0';
}

static void check_round_trip(const struct vrs_config *config)
{
	struct vrs_config *again = NULL;
	char *first = print(config), *second;

	require(vrs_config_create(&again) == VRS_OK);
	require(vrs_config_load_text(again, first, strlen(first), "again", VRS_SOURCE_FILE, NULL) == VRS_OK);
	second = print(again);
	cut_comments(first);
	cut_comments(second);
	require(strcmp(first, second) == 0);
	free(first);
	free(second);
	vrs_config_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t live = vrs_mem_stats().live_bytes;
	struct vrs_error err = {0};
	struct vrs_config *config = NULL;
	struct vrs_yaml yaml;

	be_silent();
	if (vrs_yaml_parse(&yaml, (const char *)data, size, "fuzz", &err) != VRS_OK)
		check_error(&err, data, size);
	check_entries(&yaml);
	vrs_yaml_fini(&yaml);
	memset(&err, 0, sizeof err);
	require(vrs_config_create(&config) == VRS_OK);
	if (vrs_config_load_text(config, (const char *)data, size, "fuzz", VRS_SOURCE_FILE, &err) != VRS_OK)
		check_error(&err, data, size);
	else
		check_round_trip(config);
	vrs_config_destroy(config);
	require(vrs_mem_stats().live_bytes == live);
	return 0;
}
