/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command that settles what two invocations leave open.  Another build is named by its program, another configuration by its result; side B is
 * the command itself, so all settings of B are on it.
 */
#include <stdio.h>
#include <string.h>

#include <vrseg/options.h>
#include <vrseg/yaml.h>

#include "analyzer/compare.h"
#include "base/buf.h"
#include "base/str_parse.h"
#include "bench/plan/case.h"

/* " word", quoted where a shell would take it apart. */
static enum vrs_status put_word(struct vrs_buf *out, const char *word)
{
	bool plain = word[0] && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:@%+-") == strlen(word);
	enum vrs_status status = vrs_buf_puts(out, plain ? " " : " '");
	for (const char *p = word; *p && status == VRS_OK; p++)
		status = *p == '\'' ? vrs_buf_puts(out, "'\\''") : vrs_buf_append(out, p, 1);
	return status == VRS_OK && !plain ? vrs_buf_puts(out, "'") : status;
}

/* VRS_ENOTFOUND: the option has no flag, or belongs to a later version. */
static enum vrs_status put_option(struct vrs_buf *out, const char *key, const char *value)
{
	const struct vrs_option *row = vrs_option_find(key);
	char word[96];
	if (!row || !row->flag)
		return VRS_ENOTFOUND;
	bool is_switch = row->type == VRS_OPT_BOOL;
	snprintf(word, sizeof word, "--%s%s", is_switch && strcmp(value, "true") != 0 ? "no-" : "", row->flag);
	enum vrs_status status = put_word(out, word);
	return status == VRS_OK && !is_switch ? put_word(out, value) : status;
}

static enum vrs_status put_flag(struct vrs_buf *out, const char *flag, const char *value)
{
	enum vrs_status status = put_word(out, flag);
	return status == VRS_OK ? put_word(out, value) : status;
}

/* Settings that the case starts from, then its own. */
static enum vrs_status put_settings(struct vrs_buf *out, const char *base, const struct vrs_case *own)
{
	struct vrs_yaml yaml;
	char word[48];
	enum vrs_status status = vrs_yaml_parse(&yaml, base, strlen(base), "settings", NULL);
	for (int i = 0; status == VRS_OK && i < yaml.count; i++)
		if (!vrs_case_get(own, yaml.entries[i].key))
			status = put_option(out, yaml.entries[i].key, yaml.entries[i].value);
	vrs_yaml_fini(&yaml);
	for (int i = 0; status == VRS_OK && i < own->value_count; i++)
		status = put_option(out, own->values[i].key, own->values[i].value);
	if (status == VRS_OK && own->scope != VRS_SCOPE_END_TO_END)
		status = put_flag(out, "--scope", vrs_name_of(&vrs_scope_names, own->scope));
	if (status == VRS_OK && own->live_hz > 0)
		status = put_flag(out, "--mode", vrs_mode_text(own->live_hz, word, sizeof word));
	return status;
}

/* The program that A was measured with, as far as its command line says. */
static void program_of(const struct vrs_result *result, char *buf, size_t size)
{
	size_t length = strcspn(result->command, " ");
	if (length < size && memchr(result->command, '/', length))
		snprintf(buf, size, "%.*s", (int)length, result->command);
	else
		snprintf(buf, size, "PATH/OF/THE/VRBENCH/OF/A");
}

void vrs_compare_command(const struct vrs_compare_side *a, const struct vrs_compare_side *b, const struct vrs_case_result *c, char *buf, size_t size)
{
	struct vrs_buf out;
	struct vrs_case own;
	char program[VRS_PATH_MAX], size_text[32];
	bool other_build = strcmp(a->result->tool_version, b->result->tool_version) != 0;
	vrs_buf_init(&out, size - 1);
	buf[0] = 0;
	enum vrs_status status = vrs_case_parse(c->id, &own, NULL);
	if (status == VRS_OK)
		status = vrs_buf_puts(&out, "vrbench --versus");
	program_of(a->result, program, sizeof program);
	if (status == VRS_OK)
		status = put_word(&out, other_build ? program : a->path);
	if (status == VRS_OK && !other_build)
		status = vrs_buf_puts(&out, " --case");
	if (status == VRS_OK && !other_build)
		status = put_word(&out, c->id);
	snprintf(size_text, sizeof size_text, "%dx%d", c->width, c->height);
	if (status == VRS_OK && other_build && c->width > 0)
		status = put_flag(&out, "--resolution", size_text);
	if (status == VRS_OK)
		status = put_settings(&out, vrs_case_result_settings(b->result, c), &own);
	if (status == VRS_OK && strcmp(b->result->input, "synthetic") != 0)
		status = put_word(&out, b->result->input);
	if (status == VRS_OK)
		(void)vrs_strcpy(buf, size, vrs_buf_str(&out));
	else /* too long, or the id of a later version */
		snprintf(buf, size, "vrbench --versus %s -c CONFIGURATION_OF_%c VIDEO", other_build ? "VRBENCH_OF_A" : "RESULT_A", b->letter);
	vrs_buf_fini(&out);
}
