/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --man: the manual page of a program, in the man macros of troff, from the tables that --help reads.
 */
#include <stdio.h>
#include <string.h>

#include <vrseg/exit_codes.h>

#include "config/cli_common.h"
#include "vrs_version.h"

/* A variable or a folder, and what it is for. */
struct named_text {
	const char *name, *text;
	unsigned programs; /* set of enum vrs_program */
};

#define JOB (VRS_PROGRAM_VRSEG | VRS_PROGRAM_VRBENCH | VRS_PROGRAM_VRTUNE)
#define ALL (JOB | VRS_PROGRAM_VRANALYZE)

static const struct named_text variables[] = {
	{"VRSEG_SECTION_KEY", "Sets the option section.key: VRSEG_ENGINE_THREADS=2 is --threads 2. Flags override the environment, and the environment "
			      "overrides configuration files. An unknown variable is an error.", ALL},
	{"VRSEG_CPU", "Limits the instruction sets that kernels use: ref, avx2 or avx512, then features to leave out (avx512,-avx512vnni).", JOB},
	{"VRSEG_ROOT", "Reads /proc and /sys below this folder.", JOB},
	{"XDG_CACHE_HOME", "Parent of the cache folder vrseg, instead of ~/.cache.", JOB},
	{"XDG_STATE_HOME", "Parent of the state folder vrseg, instead of ~/.local/state.", VRS_PROGRAM_VRBENCH},
	{"XDG_DATA_HOME", "Parent of a data folder vrseg that is searched first, instead of ~/.local/share.", ALL},
};

static const struct named_text files[] = {
	{"PREFIX/share/vrseg/models", "Networks and their manifests, for --model.", JOB},
	{"PREFIX/share/vrseg/profiles", "Settings for --profile.", JOB},
	{"PREFIX/share/vrseg/hardware", "Settings for --hardware-profile.", JOB},
	{"PREFIX/share/vrseg/sweeps", "Axes for --sweep.", VRS_PROGRAM_VRBENCH},
	{"PREFIX/share/vrseg/targets", "Targets for --targets.", VRS_PROGRAM_VRANALYZE},
	{"~/.cache/vrseg", "Calibrations of networks, cached mattes and plans, clips for measuring. It may be deleted at any time.", JOB},
	{"~/.local/state/vrseg/calibration", "What vrbench --calibrate has learnt about the noise of this machine.", VRS_PROGRAM_VRBENCH},
};

/* Text for troff: backslashes and hyphens stand for themselves, and a control character at the start of a line is none. */
static void put_text(FILE *out, const char *text, bool line_start)
{
	for (; *text; text++) {
		if (line_start && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		line_start = *text == '\n';
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else if (*text == '~')
			fputs("\\(ti", out);
		else if (*text == '^')
			fputs("\\(ha", out);
		else if (*text == '\'')
			fputs("\\(aq", out);
		else
			fputc(*text, out);
	}
}

static void put_line(FILE *out, const char *text)
{
	put_text(out, text, true);
	fputc('\n', out);
}

/* Lines as they are; not empty. */
static void put_verbatim(FILE *out, const char *lines)
{
	fputs(".nf\n", out);
	put_text(out, lines, true);
	fputs(lines[strlen(lines) - 1] == '\n' ? ".fi\n" : "\n.fi\n", out);
}

struct page {
	FILE *out;
	const char *section; /* of the entry before; NULL at the beginning */
};

static void put_entry(void *cookie, const struct vrs_cli_entry *entry)
{
	struct page *page = cookie;
	FILE *out = page->out;

	if (!page->section || strcmp(page->section, entry->section) != 0) {
		fputs(".SS ", out);
		put_line(out, entry->section);
	}
	page->section = entry->section;
	fputs(".TP\n", out);
	if (entry->letter)
		fprintf(out, "\\fB\\-%c\\fR", entry->letter);
	if (entry->flag[1]) {
		fprintf(out, "%s\\fB\\-\\-%s", entry->letter ? ", " : "", entry->negatable ? "[no\\-]" : "");
		put_text(out, entry->flag, false);
		fputs("\\fR", out);
	}
	if (entry->value_name) {
		fputs(" \\fI", out);
		put_text(out, entry->value_name, false);
		fputs("\\fR", out);
	}
	fputc('\n', out);
	put_text(out, entry->text, true);
	fputs(".\n", out);
	if (!entry->key)
		return;
	fputs(".br\nKey: \\fB", out);
	put_text(out, entry->key, false);
	fputs("\\fR.\n", out);
}

static void put_table(FILE *out, const char *heading, const struct named_text *rows, size_t count, unsigned program)
{
	fprintf(out, ".SH %s\n", heading);
	for (size_t i = 0; i < count; i++) {
		if (!(rows[i].programs & program))
			continue;
		fputs(".TP\n.B ", out);
		put_line(out, rows[i].name);
		put_line(out, rows[i].text);
	}
}

static void put_exit_codes(FILE *out, unsigned program)
{
	int count;
	const struct vrs_exit_row *rows = vrs_exit_table(&count);

	fputs(".SH EXIT STATUS\n", out);
	for (int i = 0; i < count; i++) {
		if (!(rows[i].programs & program))
			continue;
		fprintf(out, ".TP\n.B %d\n", rows[i].code);
		put_line(out, rows[i].meaning);
	}
}

static void put_see_also(FILE *out, const char *program)
{
	static const char *const programs[] = {"vrseg", "vrbench", "vrtune", "vranalyze"};

	fputs(".SH SEE ALSO\n", out);
	for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
		if (strcmp(programs[i], program) != 0)
			fprintf(out, ".BR %s (1),\n", programs[i]);
	fputs(".BR ffmpeg (1)\n", out);
}

/* The page of "vranalyze compare" is vranalyze-compare. */
static void put_page_name(FILE *out, const char *program, bool capitals)
{
	for (const char *c = program; *c; c++)
		if (*c == ' ')
			fputs(capitals ? "-" : "\\-", out);
		else
			fputc(capitals ? *c - 'a' + 'A' : *c, out);
}

static void put_commands(FILE *out, const struct vrs_cli_spec *spec)
{
	if (!spec->command)
		return;
	fputs(".SH COMMANDS\n", out);
	for (int i = 0; spec->command(i); i++) {
		fputs(".TP\n.BR ", out);
		put_page_name(out, spec->command(i)->program, false);
		fputs(" (1)\n", out);
		put_line(out, spec->command(i)->summary);
	}
}

void vrs_cli_man(const struct vrs_cli_spec *spec, FILE *out)
{
	struct page page = {.out = out};

	fputs(".TH ", out);
	put_page_name(out, spec->program, true);
	fprintf(out, " 1 \"\" \"vrseg %s\" \"User Commands\"\n.nh\n.ad l\n.SH NAME\n", VRS_VERSION);
	put_page_name(out, spec->program, false);
	fputs(" \\- ", out);
	put_line(out, spec->summary);
	fputs(".SH SYNOPSIS\n", out);
	put_verbatim(out, spec->usage);
	fputs(".SH DESCRIPTION\n", out);
	put_line(out, spec->intro);
	put_commands(out, spec);
	fputs(".SH OPTIONS\n", out);
	vrs_cli_each_entry(spec, put_entry, &page);
	put_table(out, "ENVIRONMENT", variables, sizeof variables / sizeof variables[0], spec->program_bit);
	put_table(out, "FILES", files, sizeof files / sizeof files[0], spec->program_bit);
	put_exit_codes(out, spec->program_bit);
	if (spec->examples && *spec->examples) {
		fputs(".SH EXAMPLES\n", out);
		put_verbatim(out, spec->examples);
	}
	put_see_also(out, spec->program);
}
