/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What parser, help and manual page share: the flags of every program, and what a program accepts as one entry per flag, sections in their order. */
#ifndef VRS_CONFIG_CLI_COMMON_H
#define VRS_CONFIG_CLI_COMMON_H

#include <stdbool.h>
#include <stddef.h>

#include <vrseg/config.h>

#define VRS_MAX_FLAGS 96 /* of a program */

extern const struct vrs_cli_action vrs_cli_common[]; /* ends with flag NULL */

/* The program's own action of that name; NULL: none. */
const struct vrs_cli_action *vrs_cli_find_action(const struct vrs_cli_spec *spec, const char *flag);
/* Is the flag one of vrs_cli_common, and was it given? */
bool vrs_cli_common_given(const char *flag, const bool *given);
/* Does the program have this flag? */
bool vrs_cli_offers(const struct vrs_cli_spec *spec, const struct vrs_cli_action *flag);
/* The flag closest to an unknown one, without dashes; false when none is close. */
bool vrs_cli_closest_flag(const struct vrs_cli_spec *spec, const char *flag, char *buf, size_t size);

/*
 * Read the value of a flag into its field; value NULL for switches.  shown: "--runs" or "-r", as in messages.  VRS_ECONFIG: what the flag wants.
 */
enum vrs_status vrs_flag_store(const struct vrs_cli_action *flag, const char *shown, const char *value, void *flags, struct vrs_error *err);

/* What rules are about: the line that was read, or settings alone (all else NULL). */
struct vrs_rule_facts {
	const struct vrs_settings *settings;
	const struct vrs_config *config;
	const struct vrs_cli_spec *spec;
	const bool *given;         /* for each of spec->actions */
	const void *flags;
	const bool *common_given;  /* for each of vrs_cli_common */
	const char *const *inputs; /* operands */
	int input_count;
};
/* The first rule that the facts break. VRS_ECONFIG. */
enum vrs_status vrs_rules_check(const struct vrs_rule *rules, const struct vrs_rule_facts *facts, struct vrs_error *err);
/* Does this word of a rule name something that exists? */
bool vrs_rule_word_known(const struct vrs_cli_spec *spec, const char *word);
extern const struct vrs_rule vrs_option_rules[]; /* of options, for every job; ends with others NULL */
extern const struct vrs_rule vrs_use_rules[];    /* the same, which values of files and of the environment need not keep */

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
