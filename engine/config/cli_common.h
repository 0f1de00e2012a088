/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What parser and help share: the flags of every program, and flag names for "did you mean". */
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

#endif
