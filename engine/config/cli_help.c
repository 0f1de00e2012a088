/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -h, --help, --version and --list-options, all from the table.  Help fits 80 columns: flags left, sentences wrapped right. */
#include <stdio.h>
#include <string.h>

#include <vrseg/exit_codes.h>

#include "base/str_parse.h"
#include "config/cli_common.h"
#include "config/option_table.h"
#include "vrs_version.h"

#define WIDTH 79
#define FLAG_WIDTH 28 /* column where the sentences begin */
#define MAX_FLAGS 192

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

/* Prints entries with a heading before each section. */
struct printer {
	FILE *out;
	const char *section; /* that of the entry before; NULL at the beginning */
	bool brief;          /* only entries of the short help, in its words */
	bool own;            /* without the options of the job */
};

static void print_entry(void *cookie, const struct vrs_cli_entry *entry)
{
	struct printer *printer = cookie;
	FILE *out = printer->out;
	char left[128];
	int len;

	if ((printer->brief && !entry->brief) || (printer->own && entry->key))
		return;
	if (!printer->section || strcmp(printer->section, entry->section) != 0)
		fprintf(out, "\n%s:\n", entry->section);
	printer->section = entry->section;
	if (!entry->flag[1])
		len = snprintf(left, sizeof left, "  -%s", entry->flag);
	else
		len = snprintf(left, sizeof left, "  %c%c%c --%s%s", entry->letter ? '-' : ' ', entry->letter ? entry->letter : ' ',
			       entry->letter ? ',' : ' ', entry->negatable && !printer->brief ? "[no-]" : "", entry->flag);
	if (entry->value_name && len > 0 && (size_t)len < sizeof left)
		len += snprintf(left + len, sizeof left - (size_t)len, " %s", entry->value_name);
	if (len < FLAG_WIDTH - 1)
		fprintf(out, "%-*s", FLAG_WIDTH, left);
	else
		fprintf(out, "%s\n%*s", left, FLAG_WIDTH, "");
	wrap(out, printer->brief ? entry->brief : entry->text, FLAG_WIDTH, FLAG_WIDTH);
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

/* "compare" of "vranalyze compare". */
static const char *command_name(const struct vrs_cli_spec *command)
{
	const char *space = strrchr(command->program, ' ');
	return space ? space + 1 : command->program;
}

static void print_commands(FILE *out, const struct vrs_cli_spec *spec)
{
	if (!spec->command)
		return;
	fputs("\nCommands:\n", out);
	for (int i = 0; spec->command(i); i++) {
		fprintf(out, "  %-*s", FLAG_WIDTH - 2, command_name(spec->command(i)));
		wrap(out, spec->command(i)->summary, FLAG_WIDTH, FLAG_WIDTH);
	}
}

/* -h: usage and the most used flags, one screen. */
static void print_short_help(const struct vrs_cli_spec *spec, FILE *out)
{
	struct printer printer = {.out = out, .brief = true, .own = !(spec->program_bit & VRS_PROGRAM_VRSEG)};

	print_usage(out, spec);
	print_commands(out, spec);
	vrs_cli_each_entry(spec, print_entry, &printer);
	char line[160];
	(void)snprintf(line, sizeof line, "%s --help shows every option; %s --man | man -l - the manual.", spec->program, spec->program);
	fputc('\n', out);
	wrap(out, line, 0, 0);
}

/* one paragraph, wrapped by print_help */
static void print_help(const struct vrs_cli_spec *spec, FILE *out)
{
	struct printer printer = {.out = out};

	print_usage(out, spec);
	if (spec->intro && *spec->intro) {
		fputc('\n', out);
		wrap(out, spec->intro, 0, 0);
	}
	if (spec->examples && *spec->examples) {
		size_t len = strlen(spec->examples);

		fprintf(out, "\nExamples:\n%s%s", spec->examples, spec->examples[len - 1] == '\n' ? "" : "\n");
	}
	print_commands(out, spec);
	vrs_cli_each_entry(spec, print_entry, &printer);
	print_exit_codes(out, spec);
	fputc('\n', out);
	wrap(out,
	     "Every option can also be set in a YAML file (-c FILE) and in the environment: --log-level debug, report.log_level: debug and "
	     "VRSEG_REPORT_LOG_LEVEL=debug mean the same. Flags win over the environment, the environment over files, files over hardware "
	     "profiles, and those over profiles.",
	     0, 0);
}

static void print_version(const struct vrs_cli_spec *spec, FILE *out)
{
	fprintf(out, "%s %s (commit %s)\n", spec->program, VRS_VERSION, VRS_COMMIT);
	fprintf(out, "built with %s, %s%s%s\n", VRS_COMPILER, VRS_BUILD_TYPE, VRS_SANITIZE[0] ? ", sanitizers " : "", VRS_SANITIZE);
	fputs("License GPL-3.0-or-later; there is no warranty, to the extent permitted by law.\n", out);
}

static const char *type_name(enum vrs_option_type type)
{
	static const char *const names[] = {"true, false", "integer", "number", "word", "text", "WIDTHxHEIGHT", "RRGGBB"};

	return (size_t)type < sizeof names / sizeof names[0] ? names[type] : "";
}

static void list_row(const struct vrs_option *row, FILE *out)
{
	char allowed[200];

	vrs_cli_allowed_text(row, allowed, sizeof allowed);
	if (!allowed[0])
		(void)vrs_strcpy(allowed, sizeof allowed, type_name(row->type));
	fprintf(out, "%s\n", row->key);
	fprintf(out, "    %s\n", row->help);
	fprintf(out, "    values: %s; default: %s\n", allowed, *row->default_text ? row->default_text : "(none)");
	if (row->flag)
		fprintf(out, "    flag: --%s%s\n", row->type == VRS_OPT_BOOL ? "[no-]" : "", row->flag);
	if (row->aliases)
		fprintf(out, "    also: %s\n", row->aliases);
	if (row->flag_aliases)
		fprintf(out, "    former flags: %s\n", row->flag_aliases);
	if (row->backend)
		fprintf(out, "    only of --backend %s\n", row->backend);
	if (row->state == VRS_OPT_PLANNED)
		fprintf(out, "    no effect yet: %s\n", row->note);
	if (row->state == VRS_OPT_NO_EFFECT)
		fprintf(out, "    no effect here: %s\n", row->note);
}

/* Table of all options with keys, defaults, ranges and states (--list-options). */
static void list_options(FILE *out)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++)
		list_row(&rows[i], out);
	for (const struct vrs_synonym *s = vrs_synonym_list(); s->keys; s++)
		fprintf(out, "%s\n    stands for %s (%s)\n", s->keys, s->target, s->map);
}

/* Names of flags, to find the closest of. */
struct flag_names {
	char names[MAX_FLAGS][80];
	int count;
};

static void collect_flag(void *cookie, const struct vrs_cli_entry *entry)
{
	struct flag_names *flags = cookie;

	if (!entry->flag[1])
		return;
	if (flags->count < MAX_FLAGS)
		(void)vrs_strcpy(flags->names[flags->count++], sizeof flags->names[0], entry->flag);
	if (entry->negatable && flags->count < MAX_FLAGS)
		(void)snprintf(flags->names[flags->count++], sizeof flags->names[0], "no-%.70s", entry->flag);
}

bool vrs_cli_closest_flag(const struct vrs_cli_spec *spec, const char *flag, char *buf, size_t size)
{
	struct flag_names flags = {.count = 0};
	const char *candidates[MAX_FLAGS + 1] = {NULL}, *closest;

	vrs_cli_each_entry(spec, collect_flag, &flags);
	for (int i = 0; i < flags.count; i++)
		candidates[i] = flags.names[i];
	closest = vrs_closest(flag, candidates);
	return closest && vrs_strcpy(buf, size, closest);
}

enum vrs_status vrs_cli_answer(const struct vrs_cli_spec *spec, const char *flag, FILE *out)
{
	if (strcmp(flag, "h") == 0)
		print_short_help(spec, out);
	else if (strcmp(flag, "help") == 0)
		print_help(spec, out);
	else if (strcmp(flag, "man") == 0)
		vrs_cli_man(spec, out);
	else if (strcmp(flag, "version") == 0)
		print_version(spec, out);
	else if (strcmp(flag, "list-options") == 0)
		list_options(out);
	else
		return VRS_OK;
	return VRS_END;
}
