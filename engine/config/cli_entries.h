/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program accepts, as the help and the manual page show it: one entry per flag, sections in their order. */
#ifndef VRS_CONFIG_CLI_ENTRIES_H
#define VRS_CONFIG_CLI_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>

#include <vrseg/config.h>

struct vrs_cli_entry {
	const char *section;    /* heading; the entries of a section follow each other */
	const char *flag;       /* without dashes; one character: a short flag alone */
	char letter;            /* 0: none */
	bool negatable;         /* --no-FLAG too */
	const char *value_name; /* NULL: no argument */
	const char *key;        /* of the option; NULL: none */
	const char *brief;      /* for the short help, at most VRS_CLI_BRIEF_WIDTH characters; NULL: not in it */
	char text[800];         /* the help, with range and default */
};

#define VRS_CLI_BRIEF_WIDTH 51

typedef void (*vrs_cli_entry_fn)(void *cookie, const struct vrs_cli_entry *entry);

/* Call fn for each flag of the program.  The entry is valid during the call. */
void vrs_cli_each_entry(const struct vrs_cli_spec *spec, vrs_cli_entry_fn fn, void *cookie);

/* The values of an option as text: its words without those that are refused so far, or its range; "" for free text. */
void vrs_cli_allowed_text(const struct vrs_option *row, char *buf, size_t size);

#endif
