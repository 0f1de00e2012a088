/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A case as the flags of a command that measures it. */
#include <stdio.h>
#include <string.h>

#include <vrseg/options.h>
#include <vrseg/yaml.h>

#include "bench/plan/case.h"

/* A word of a shell, in single quotes where it needs them; a quote in it ends them for a moment. */
static void put_word(char *buf, size_t size, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
	size_t used = strlen(buf);
	if (word[0] && strspn(word, plain) == strlen(word)) {
		(void)snprintf(buf + used, size - used, " %s", word);
		return;
	}
	(void)snprintf(buf + used, size - used, " '");
	for (const char *c = word; *c; c++) {
		used = strlen(buf);
		(void)snprintf(buf + used, size - used, *c == '\'' ? "'\\''" : (unsigned char)*c < ' ' || *c == 127 ? " " : "%c", *c);
	}
	used = strlen(buf);
	(void)snprintf(buf + used, size - used, "'");
}

static void put_flag(char *buf, size_t size, const char *flag, const char *value)
{
	size_t used = strlen(buf);
	(void)snprintf(buf + used, size - used, " --%s", flag);
	put_word(buf, size, value);
}

static void put_option(char *buf, size_t size, const char *key, const char *value)
{
	const struct vrs_option *row = vrs_option_find(key);
	size_t used = strlen(buf);
	if (!row || !row->flag || !(row->programs & VRS_PROGRAM_VRBENCH))
		return;
	if (row->type == VRS_OPT_BOOL)
		(void)snprintf(buf + used, size - used, " --%s%s", strcmp(value, "true") == 0 ? "" : "no-", row->flag);
	else
		put_flag(buf, size, row->flag, value);
}

static void put_values(char *buf, size_t size, const struct vrs_case *c, const char *but)
{
	char text[32];
	for (int i = 0; i < c->value_count; i++) {
		const struct vrs_option *row = vrs_option_find(c->values[i].key);
		bool is_auto = strcmp(c->values[i].value, "auto") == 0 || vrs_option_is_word_number(row, c->values[i].value);
		if (!is_auto && (!but || strcmp(c->values[i].key, but) != 0))
			put_option(buf, size, c->values[i].key, c->values[i].value);
	}
	if (c->scope != VRS_SCOPE_END_TO_END)
		put_flag(buf, size, "scope", vrs_name_of(&vrs_scope_names, (int)c->scope));
	if (c->live_hz > 0)
		put_flag(buf, size, "mode", vrs_mode_text(c->live_hz, text, sizeof text));
}

static void put_size(char *buf, size_t size, const struct vrs_case *c)
{
	char text[32];
	if (c->width <= 0)
		return;
	(void)snprintf(text, sizeof text, "%dx%d", c->width, c->height);
	put_flag(buf, size, "resolution", text);
}

enum vrs_status vrs_case_command(const char *id, const char *head, const char *operand, char *buf, size_t size)
{
	struct vrs_case c;
	struct vrs_error err;
	enum vrs_status status = vrs_case_parse(id, &c, &err);
	if (status != VRS_OK)
		return status;
	(void)snprintf(buf, size, "%s", head);
	put_size(buf, size, &c);
	put_values(buf, size, &c, NULL);
	put_word(buf, size, operand);
	return strlen(buf) + 1 < size ? VRS_OK : VRS_ELIMIT;
}

enum vrs_status vrs_case_flags(const char *base_config, const char *id, const char *but, bool with_size, char *buf, size_t size)
{
	struct vrs_case c;
	struct vrs_yaml yaml;
	struct vrs_error err;
	enum vrs_status status = vrs_case_parse(id, &c, &err);
	if (status != VRS_OK)
		return status;
	status = vrs_yaml_parse(&yaml, base_config, strlen(base_config), "base_config", NULL);
	if (status != VRS_OK) {
		vrs_yaml_fini(&yaml); /* of what was read before the error */
		return status;
	}
	buf[0] = 0;
	for (int i = 0; i < yaml.count; i++)
		if (strcmp(yaml.entries[i].key, but) != 0 && !vrs_case_get(&c, yaml.entries[i].key))
			put_option(buf, size, yaml.entries[i].key, yaml.entries[i].value);
	vrs_yaml_fini(&yaml);
	if (with_size)
		put_size(buf, size, &c);
	put_values(buf, size, &c, but);
	return strlen(buf) + 1 < size ? VRS_OK : VRS_ELIMIT;
}
