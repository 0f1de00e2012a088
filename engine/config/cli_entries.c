/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/cli_common.h"

#include <stdio.h>
#include <string.h>

#include "config/option_table.h"

#define GENERAL "General"

struct listing {
	const struct vrs_cli_spec *spec;
	vrs_cli_entry_fn fn;
	void *cookie;
};

void vrs_cli_allowed_text(const struct vrs_option *row, char *buf, size_t size)
{
	if (row->choices)
		vrs_words_join(row->choices, ", ", buf, size);
	else
		vrs_option_range_text(row, buf, size);
}

static void list_action(const struct listing *l, const struct vrs_cli_action *action)
{
	struct vrs_cli_entry entry = {
		.section = action->group ? action->group : GENERAL, .flag = action->flag, .letter = action->letter,
		.value_name = action->value_name, .brief = action->brief,
	};

	(void)snprintf(entry.text, sizeof entry.text, "%s%s", action->help,
		       action->repeatable && action->value_name ? " (may be repeated)" : "");
	l->fn(l->cookie, &entry);
}

static void list_row(const struct listing *l, const struct vrs_option *row, const char *section)
{
	struct vrs_cli_entry entry = {
		.section = section, .flag = row->flag, .letter = row->letter, .negatable = row->type == VRS_OPT_BOOL,
		.value_name = row->value_name, .key = row->key, .brief = row->brief,
	};
	char allowed[200];

	vrs_cli_allowed_text(row, allowed, sizeof allowed);
	if (entry.negatable)
		(void)snprintf(entry.text, sizeof entry.text, "%s (default %s)", row->help,
			       strcmp(row->default_text, "true") == 0 ? "on" : "off");
	else if (*row->default_text)
		(void)snprintf(entry.text, sizeof entry.text, "%s (%s%sdefault %s)", row->help, allowed, allowed[0] ? "; " : "",
			       row->default_text);
	else
		(void)snprintf(entry.text, sizeof entry.text, "%s", row->help);
	l->fn(l->cookie, &entry);
}

static void list_synonym(const struct listing *l, const struct vrs_synonym *synonym, const char *section)
{
	struct vrs_cli_entry entry = {.section = section, .flag = synonym->flag};

	(void)snprintf(entry.text, sizeof entry.text, "%s", synonym->flag_help);
	l->fn(l->cookie, &entry);
}

static void list_section(const struct listing *l, const struct vrs_section *section)
{
	unsigned program = l->spec->program_bit;
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++) {
		if (!vrs_option_is_in_section(&rows[i], section->name))
			continue;
		if (rows[i].flag && (rows[i].programs & program) && !vrs_cli_find_action(l->spec, rows[i].flag))
			list_row(l, &rows[i], section->title);
		for (const struct vrs_synonym *s = vrs_synonym_list(); s->keys; s++)
			if (s->flag && (s->programs & program) && strcmp(s->target, rows[i].key) == 0)
				list_synonym(l, s, section->title);
	}
}

static bool same_group(const char *a, const char *b)
{
	return strcmp(a ? a : GENERAL, b ? b : GENERAL) == 0;
}

/* The program's own flags of one group; those that every program has come last in the general one. */
static void list_group(const struct listing *l, const char *group)
{
	for (const struct vrs_cli_action *a = l->spec->actions; a && a->flag; a++)
		if (vrs_cli_offers(l->spec, a) && same_group(a->group, group))
			list_action(l, a);
	if (!same_group(group, NULL))
		return;
	for (const struct vrs_cli_action *a = vrs_cli_common; a->flag; a++)
		if (vrs_cli_offers(l->spec, a) && !vrs_cli_find_action(l->spec, a->flag))
			list_action(l, a);
}

/* Groups in the order in which the program's actions name them, without the general one. */
static void list_groups(const struct listing *l)
{
	for (const struct vrs_cli_action *a = l->spec->actions; a && a->flag; a++) {
		bool listed = same_group(a->group, NULL);

		for (const struct vrs_cli_action *b = l->spec->actions; b < a; b++)
			listed = listed || same_group(a->group, b->group);
		if (!listed)
			list_group(l, a->group);
	}
}

void vrs_cli_each_entry(const struct vrs_cli_spec *spec, vrs_cli_entry_fn fn, void *cookie)
{
	const struct listing l = {.spec = spec, .fn = fn, .cookie = cookie};
	bool job_first = spec->program_bit & VRS_PROGRAM_VRSEG; /* elsewhere: what to measure or tune before the options of the job */

	if (!job_first)
		list_groups(&l);
	for (const struct vrs_section *s = vrs_section_list(); s->name; s++)
		list_section(&l, s);
	if (job_first)
		list_groups(&l);
	list_group(&l, NULL);
}
