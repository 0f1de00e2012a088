/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The flags of one program as data: how a value is read, where it goes, and what goes with what.  One parser reads them (vrs_cli_parse in
 * vrseg/config.h), and one function checks the rules.
 */
#ifndef VRSEG_FLAGS_H
#define VRSEG_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/options.h>

#define VRS_FLAG_TEXTS_MAX 64

/* What a flag's value is, and the C type of the field that it goes to. */
enum vrs_flag_type {
	VRS_FLAG_ANSWER,  /* no field: -h, --help, --man, --version and --list-options, which the parser answers itself */
	VRS_FLAG_SWITCH,  /* bool; the flag takes no value */
	VRS_FLAG_TEXT,    /* const char *, into argv; one of `choices` where there are any */
	VRS_FLAG_LIST,    /* the same: a,b,c or FIRST:LAST:STEP or FIRST-LAST*FACTOR; whoever uses it takes it apart */
	VRS_FLAG_NAMES,   /* the same: a,b,c, of names and paths that may hold anything else */
	VRS_FLAG_TEXTS,   /* struct vrs_flag_texts, one more with each use */
	VRS_FLAG_INT,     /* int64_t, min to max */
	VRS_FLAG_NUMBER,  /* double, min to max */
	VRS_FLAG_TIME,    /* double: seconds above 0, written 30, 90s, 2m or 1:30 */
	VRS_FLAG_PERCENT, /* double: a share, from min to max percent, written 2 or 2% */
	VRS_FLAG_BYTES,   /* uint64_t above 0, written 512M or 4G */
	VRS_FLAG_CHOICE,  /* int: place of the word in `choices` */
	VRS_FLAG_CHOICES, /* unsigned: a bit for each word, 1 << place; words are separated by commas, and "none" is 0 */
};

struct vrs_flag_texts {
	int count;
	const char *items[VRS_FLAG_TEXTS_MAX];
};

/* The field of a flag. _Generic has no default, so a field whose C type is not the flag's does not compile. */
#define VRS_FLAG_FIELD(flag_type, structure, member, pointer) \
	.type = (flag_type), .offset = offsetof(structure, member) + 0 * _Generic(&((structure *)0)->member, pointer: 1)
#define VRS_SWITCH_FIELD(structure, member) VRS_FLAG_FIELD(VRS_FLAG_SWITCH, structure, member, bool *)
#define VRS_TEXT_FIELD(structure, member) VRS_FLAG_FIELD(VRS_FLAG_TEXT, structure, member, const char **)
#define VRS_LIST_FIELD(structure, member) VRS_FLAG_FIELD(VRS_FLAG_LIST, structure, member, const char **)
#define VRS_NAMES_FIELD(structure, member) VRS_FLAG_FIELD(VRS_FLAG_NAMES, structure, member, const char **)
#define VRS_TEXTS_FIELD(structure, member) VRS_FLAG_FIELD(VRS_FLAG_TEXTS, structure, member, struct vrs_flag_texts *), .repeatable = true
#define VRS_INT_FIELD(structure, member) VRS_FLAG_FIELD(VRS_FLAG_INT, structure, member, int64_t *)
#define VRS_NUMBER_FIELD(structure, member) VRS_FLAG_FIELD(VRS_FLAG_NUMBER, structure, member, double *)
#define VRS_TIME_FIELD(structure, member) VRS_FLAG_FIELD(VRS_FLAG_TIME, structure, member, double *)
#define VRS_PERCENT_FIELD(structure, member) VRS_FLAG_FIELD(VRS_FLAG_PERCENT, structure, member, double *)
#define VRS_BYTES_FIELD(structure, member) VRS_FLAG_FIELD(VRS_FLAG_BYTES, structure, member, uint64_t *)
#define VRS_CHOICE_FIELD(structure, member) VRS_FLAG_FIELD(VRS_FLAG_CHOICE, structure, member, int *)
#define VRS_CHOICES_FIELD(structure, member) VRS_FLAG_FIELD(VRS_FLAG_CHOICES, structure, member, unsigned *)

/*
 * A flag that belongs to one program (--hardware, --output-dir D); read by the same parser as options and shown by the same --help.
 * It hides an option's flag of the same name.  -h, --help, --man, --version and --list-options need no row: every program has them.
 */
struct vrs_cli_action {
	const char *flag;          /* without dashes; NULL ends the list */
	char letter;               /* 0: none */
	const char *aliases;       /* old names that keep working, separated by blanks; NULL: none */
	const char *value_name;    /* NULL: no value */
	const char *help;          /* one sentence, no final dot */
	bool repeatable;           /* false: a second use is an error */
	const char *group;         /* heading in --help; NULL: "General" */
	const char *brief;         /* puts the flag into -h: at most 51 characters, lower case; NULL: not there */
	enum vrs_flag_type type;
	size_t offset;             /* into the structure that vrs_cli_parse fills */
	enum vrs_file_role file;   /* of texts and names; NAME=FILE names FILE */
	double min, max;           /* whole numbers, numbers and percent */
	const char *choices;       /* words separated by blanks; NULL: none */
	unsigned programs;         /* flags that several programs share: set of enum vrs_program; 0: all */
	bool is_mode;              /* the program does this instead of its usual work: no two such flags go together */
	bool sets_options;         /* of a mode: it takes commands that do */
	unsigned traits;           /* of a mode: only options that have one of these traits (enum vrs_option_trait) go with it, and flags that are no
				      modes and have one of them here, too; 0: all do */
};

/*
 * What goes with what.  Where a word of `when` holds, VRS_EXCLUDES wants no word of `others` to hold, VRS_NEEDS one of them.  Words:
 *   --flag         given on the command line (a flag of the program or of an option)
 *   --flag=list    given with several values (VRS_FLAG_LIST, VRS_FLAG_NAMES)
 *   --flag=V       of an option: given on the command line, and it has the value V
 *   INPUT          an input is given
 *   INPUTS         several are given, or a folder
 *   section.key    the option has another value than its default
 *   section.key=V  the option has the value V
 */
enum vrs_rule_kind { VRS_EXCLUDES, VRS_NEEDS };
struct vrs_rule {
	const char *when;          /* words separated by blanks; NULL: always */
	enum vrs_rule_kind kind;
	const char *others;        /* words separated by blanks */
	const char *because;       /* the reason, no final dot; where `when` is NULL the whole sentence */
};

/* Words of the options that want a video made in one go, as one job, never in segments. */
#define VRS_RULE_ONE_GO "pipeline.segment_frames=none pipeline.live report.profile output.verify_pack"

/* Does a flag's value, a list or names, hold several (a range counts)?  False for NULL and for other types. */
bool vrs_flag_is_list(const struct vrs_cli_action *flag, const char *value);

#endif
