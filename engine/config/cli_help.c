/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --help, --version and --list-options, all from the table.  Help fits 80 columns: flags left, sentences wrapped right. */
#include <stdio.h>
#include <string.h>

#include <vrseg/exit_codes.h>

#include "base/str_parse.h"
#include "config/cli_common.h"
#include "config/option_table.h"
#include "config/option_value.h"
#include "vrs_version.h"

#define WIDTH 79
#define FLAG_WIDTH 28 /* column where the sentences begin */

/* Length of the next piece that stays on one line: up to a blank outside brackets ("[--json FILE]" is one piece). */
static int piece_length(const char *text)
{
	int depth = 0, len = 0;

	for (; text[len] && (text[len] != ' ' || depth > 0); len++)
		depth += (text[len] == '[') - (text[len] == ']');
	return len;
}

/*
 * Print text wrapped at blanks, from column `column` on; following lines are indented.
 */
static void wrap(FILE *out, const char *text, int column, int indent)
{
	bool first = true;

	while (*text) {
		int len = piece_length(text);

		if (!first && column + 1 + len > WIDTH) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
		} else if (!first) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", len, text);
		column += len;
		text += len;
		text += strspn(text, " ");
		first = false;
	}
	fputc('\n', out);
}

static void print_entry(FILE *out, char letter, const char *flag, const char *value_name, const char *text)
{
	char left[128];
	int len;

	if (letter)
		len = snprintf(left, sizeof left, "  -%c, --%s", letter, flag);
	else
		len = snprintf(left, sizeof left, "      --%s", flag);
	if (value_name && len > 0 && (size_t)len < sizeof left)
		len += snprintf(left + len, sizeof left - (size_t)len, " %s", value_name);
	if (len < FLAG_WIDTH - 1)
		fprintf(out, "%-*s", FLAG_WIDTH, left);
	else
		fprintf(out, "%s\n%*s", left, FLAG_WIDTH, "");
	wrap(out, text, FLAG_WIDTH, FLAG_WIDTH);
}

static void print_action(FILE *out, const struct vrs_cli_action *action)
{
	char text[512];

	(void)snprintf(text, sizeof text, "%s%s", action->help, action->repeatable && action->value_name ? " (may be repeated)" : "");
	print_entry(out, action->letter, action->flag, action->value_name, text);
}

/* What may be given: range, or words; without the words that are refused so far. */
static void allowed_text(const struct vrs_option *row, char *buf, size_t size)
{
	char word[64];
	size_t len = 0;

	vrs_option_range_text(row, buf, size);
	if (!row->choices)
		return;
	buf[0] = '\0';
	for (int i = 0; vrs_words_get(row->choices, i, word, sizeof word); i++) {
		if (vrs_words_have(row->planned_values, word, NULL))
			continue;
		(void)snprintf(buf + len, size - len, "%s%s", len ? ", " : "", word);
		len = strlen(buf);
	}
}

static void print_row(FILE *out, const struct vrs_option *row)
{
	char allowed[200], text[600], flag[64];

	if (row->type == VRS_OPT_BOOL) {
		(void)snprintf(flag, sizeof flag, "[no-]%s", row->flag);
		(void)snprintf(text, sizeof text, "%s (default %s)", row->help, strcmp(row->default_text, "true") == 0 ? "on" : "off");
		print_entry(out, row->letter, flag, NULL, text);
		return;
	}
	allowed_text(row, allowed, sizeof allowed);
	if (*row->default_text)
		(void)snprintf(text, sizeof text, "%s (%s%sdefault %s)", row->help, allowed, allowed[0] ? "; " : "", row->default_text);
	else
		(void)snprintf(text, sizeof text, "%s", row->help);
	print_entry(out, row->letter, row->flag, row->value_name, text);
}

static bool same_group(const char *a, const char *b)
{
	return strcmp(a ? a : "General", b ? b : "General") == 0;
}

/* Actions of one group. */
static void print_group(FILE *out, const struct vrs_cli_spec *spec, const char *group)
{
	fprintf(out, "\n%s:\n", group ? group : "General");
	for (const struct vrs_cli_action *a = spec->actions; a && a->flag; a++)
		if (same_group(a->group, group))
			print_action(out, a);
	if (!same_group(group, NULL))
		return;
	for (const struct vrs_cli_action *a = vrs_cli_common; a->flag; a++)
		if (!vrs_cli_find_action(spec, a->flag))
			print_action(out, a);
}

/* Groups in the order in which the program's actions name them, without General. */
static void print_groups(FILE *out, const struct vrs_cli_spec *spec)
{
	for (const struct vrs_cli_action *a = spec->actions; a && a->flag; a++) {
		bool printed = same_group(a->group, NULL);

		for (const struct vrs_cli_action *b = spec->actions; b < a; b++)
			printed = printed || same_group(a->group, b->group);
		if (!printed)
			print_group(out, spec, a->group);
	}
}

/* The heading before the first entry of a section. */
static void begin_section(FILE *out, const struct vrs_section *section, bool *begun)
{
	if (!*begun)
		fprintf(out, "\n%s:\n", section->title);
	*begun = true;
}

static void print_section(FILE *out, const struct vrs_cli_spec *spec, const struct vrs_section *section)
{
	bool begun = false;
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++) {
		if (!vrs_option_is_in_section(&rows[i], section->name))
			continue;
		if (rows[i].flag && (rows[i].programs & spec->program_bit) && !vrs_cli_find_action(spec, rows[i].flag)) {
			begin_section(out, section, &begun);
			print_row(out, &rows[i]);
		}
		for (const struct vrs_synonym *s = vrs_synonym_list(); s->keys; s++) {
			if (!s->flag || !(s->programs & spec->program_bit) || strcmp(s->target, rows[i].key) != 0)
				continue;
			begin_section(out, section, &begun);
			print_entry(out, 0, s->flag, NULL, s->flag_help);
		}
	}
}

static void print_usage(FILE *out, const struct vrs_cli_spec *spec)
{
	const char *lead = "usage: ", *usage = spec->usage;
	int indent = (int)(strlen(lead) + strlen(spec->program)) + 1;

	while (*usage) {
		int len = (int)strcspn(usage, "\n");
		char line[512];

		(void)snprintf(line, sizeof line, "%.*s", len, usage);
		fputs(lead, out);
		wrap(out, line, (int)strlen(lead), indent);
		usage += len + (usage[len] == '\n');
		lead = "       ";
	}
}

static void print_exit_codes(FILE *out, const struct vrs_cli_spec *spec)
{
	int count;
	const struct vrs_exit_row *rows = vrs_exit_table(&count);
	fprintf(out, "\nExit codes:\n");
	for (int i = 0; i < count; i++) {
		if (!(rows[i].programs & spec->program_bit))
			continue;
		fprintf(out, "  %3d  ", rows[i].code);
		wrap(out, rows[i].meaning, 7, 7);
	}
}

void vrs_cli_help(const struct vrs_cli_spec *spec, FILE *out)
{
	print_usage(out, spec);
	if (spec->intro && *spec->intro) {
		fputc('\n', out);
		wrap(out, spec->intro, 0, 0);
	}
	if (spec->examples && *spec->examples) {
		size_t len = strlen(spec->examples);

		fprintf(out, "\nExamples:\n%s%s", spec->examples, spec->examples[len - 1] == '\n' ? "" : "\n");
	}
	if (!(spec->program_bit & VRS_PROGRAM_VRSEG)) /* what to measure or tune comes before the options of the job */
		print_groups(out, spec);
	for (const struct vrs_section *s = vrs_section_list(); s->name; s++)
		print_section(out, spec, s);
	if (spec->program_bit & VRS_PROGRAM_VRSEG)
		print_groups(out, spec);
	print_group(out, spec, NULL);
	print_exit_codes(out, spec);
	fputc('\n', out);
	wrap(out,
	     "Every option can also be set in a YAML file (-c FILE) and in the environment: --log-level debug, report.log_level: debug and "
	     "VRSEG_REPORT_LOG_LEVEL=debug mean the same. Flags win over the environment, the environment over files, files over hardware "
	     "profiles, and those over profiles.",
	     0, 0);
}

void vrs_cli_version(const struct vrs_cli_spec *spec, FILE *out)
{
	fprintf(out, "%s %s (commit %s)\n", spec->program, VRS_VERSION, VRS_COMMIT);
	fprintf(out, "built with %s, %s%s%s\n", VRS_COMPILER, VRS_BUILD_TYPE, VRS_SANITIZE[0] ? ", sanitizers " : "", VRS_SANITIZE);
	fputs("License GPL-3.0-or-later; there is no warranty, to the extent permitted by law.\n", out);
}

static const char *type_name(enum vrs_option_type type)
{
	static const char *const names[] = { "true, false", "integer", "number", "word", "text", "WIDTHxHEIGHT", "RRGGBB" };

	return (size_t)type < sizeof names / sizeof names[0] ? names[type] : "";
}

static void list_row(const struct vrs_option *row, FILE *out)
{
	char allowed[200];

	allowed_text(row, allowed, sizeof allowed);
	if (!allowed[0])
		(void)vrs_strcpy(allowed, sizeof allowed, type_name(row->type));
	fprintf(out, "%s\n", row->key);
	fprintf(out, "    %s\n", row->help);
	fprintf(out, "    values: %s; default: %s\n", allowed, *row->default_text ? row->default_text : "(none)");
	if (row->flag)
		fprintf(out, "    flag: --%s%s\n", row->type == VRS_OPT_BOOL ? "[no-]" : "", row->flag);
	if (row->aliases)
		fprintf(out, "    also: %s\n", row->aliases);
	if (row->planned_values)
		fprintf(out, "    not built yet: %s\n", row->planned_values);
	if (row->state == VRS_OPT_PLANNED)
		fprintf(out, "    no effect yet: %s\n", row->note);
	if (row->state == VRS_OPT_NO_EFFECT)
		fprintf(out, "    no effect here: %s\n", row->note);
}

void vrs_cli_list_options(FILE *out)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++)
		list_row(&rows[i], out);
	for (const struct vrs_synonym *s = vrs_synonym_list(); s->keys; s++)
		fprintf(out, "%s\n    stands for %s (%s)\n", s->keys, s->target, s->map);
}

/* Every flag of a program as text; returns their number. */
static int collect_flags(const struct vrs_cli_spec *spec, char flags[][80], int max)
{
	int n = 0, count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (const struct vrs_cli_action *a = spec->actions; a && a->flag && n < max; a++)
		(void)vrs_strcpy(flags[n++], sizeof flags[0], a->flag);
	for (const struct vrs_cli_action *a = vrs_cli_common; a->flag && n < max; a++)
		(void)vrs_strcpy(flags[n++], sizeof flags[0], a->flag);
	for (int i = 0; i < count && n < max; i++) {
		if (!rows[i].flag || !(rows[i].programs & spec->program_bit))
			continue;
		(void)vrs_strcpy(flags[n++], sizeof flags[0], rows[i].flag);
		if (rows[i].type == VRS_OPT_BOOL && n < max)
			(void)snprintf(flags[n++], sizeof flags[0], "no-%.70s", rows[i].flag);
	}
	for (const struct vrs_synonym *s = vrs_synonym_list(); s->keys && n < max; s++)
		if (s->flag && (s->programs & spec->program_bit))
			(void)vrs_strcpy(flags[n++], sizeof flags[0], s->flag);
	return n;
}

bool vrs_cli_closest_flag(const struct vrs_cli_spec *spec, const char *flag, char *buf, size_t size)
{
	enum { MAX_FLAGS = 192 };
	char flags[MAX_FLAGS][80];
	const char *candidates[MAX_FLAGS + 1], *closest;
	int count = collect_flags(spec, flags, MAX_FLAGS);

	for (int i = 0; i < count; i++)
		candidates[i] = flags[i];
	candidates[count] = NULL;
	closest = vrs_closest(flag, candidates);
	return closest && vrs_strcpy(buf, size, closest);
}

enum vrs_status vrs_cli_answer(const struct vrs_cli_spec *spec, const char *flag, FILE *out)
{
	if (strcmp(flag, "help") == 0)
		vrs_cli_help(spec, out);
	else if (strcmp(flag, "version") == 0)
		vrs_cli_version(spec, out);
	else if (strcmp(flag, "list-options") == 0)
		vrs_cli_list_options(out);
	else
		return VRS_OK;
	return VRS_END;
}
