/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A case as the flags of a command that measures it. */
#include <stdio.h>
#include <string.h>

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

enum vrs_status vrs_case_command(const char *id, const char *head, const char *operand, char *buf, size_t size)
{
	struct vrs_case c;
	struct vrs_error err;
	char text[32];
	enum vrs_status status = vrs_case_parse(id, &c, &err);
	if (status != VRS_OK)
		return status;
	(void)snprintf(buf, size, "%s", head);
	if (c.width > 0) {
		(void)snprintf(text, sizeof text, "%dx%d", c.width, c.height);
		put_flag(buf, size, "resolution", text);
	}
	for (int i = 0; i < c.value_count; i++) {
		const struct vrs_option *row = vrs_option_find(c.values[i].key);
		bool flag = row && row->flag && row->programs & VRS_PROGRAM_VRBENCH;
		bool is_auto = strcmp(c.values[i].value, "auto") == 0 || (row && row->min_name && strcmp(c.values[i].value, "0") == 0);
		if (flag && !is_auto)
			put_flag(buf, size, row->flag, c.values[i].value);
	}
	if (c.scope != VRS_SCOPE_END_TO_END)
		put_flag(buf, size, "scope", vrs_name_of(&vrs_scope_names, (int)c.scope));
	if (c.live_hz > 0)
		put_flag(buf, size, "mode", vrs_mode_text(c.live_hz, text, sizeof text));
	put_word(buf, size, operand);
	return strlen(buf) + 1 < size ? VRS_OK : VRS_ELIMIT;
}
