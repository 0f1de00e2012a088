/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of struct vrs_config, shared by the loaders and the writer. */
#ifndef VRS_CONFIG_CONFIG_OBJECT_H
#define VRS_CONFIG_CONFIG_OBJECT_H

#include <vrseg/config.h>

#include "config/option_table.h"

#define VRS_WHERE_MAX 160

/* What is known about the value of one row. */
struct vrs_row_state {
	enum vrs_value_source source;
	bool weak;                  /* set through a weak synonym: a direct value of the same source replaces it */
	bool prevails;              /* a weaker source has a value, which this one keeps out */
	bool is_interval;
	int low, high;
	char *text;                 /* rows without a field: the value; others: a list for the tuner, "a,b,c"; NULL: none */
	char label[VRS_WHERE_MAX];  /* the key or flag as the user wrote it */
	char where[VRS_WHERE_MAX];
};

/* A name of a file that a flag or operand gave; texts are not copied and last as long as argv. */
enum vrs_file_form { VRS_FILE_NAME, VRS_FILE_LIST /* a,b,c */, VRS_FILE_BEHIND_EQUALS /* NAME=FILE */ };
struct vrs_file_use {
	const char *flag;         /* without dashes; NULL: an operand */
	const char *text;
	enum vrs_file_role role;
	enum vrs_file_form form;
};

struct vrs_config {
	struct vrs_settings settings;
	struct vrs_row_state *states; /* one per row */
	unsigned program;             /* enum vrs_program whose command line was read; 0: none */
	struct vrs_file_use *files;   /* that the command line names besides options */
	int file_count;
	bool holds_warnings;          /* a command line is being read: vrs_config_open_messages says them when all sources are known */
};

/* One "key = value" of any source. */
struct vrs_assignment {
	const char *key;          /* canonical, alias or synonym */
	const char *value;
	enum vrs_value_source source;
	const char *label;        /* begins messages: the key or flag as the user wrote it */
	const char *where;        /* remembered: "my.yaml:3"; "" : not known */
};

/* Check and store; see vrs_config_set. */
enum vrs_status vrs_config_assign(struct vrs_config *config, const struct vrs_assignment *assignment, struct vrs_error *err);
/* Text of a row's value; planned rows that are not set give their default. */
/* When all sources are known: values of synonyms that mean another one on a device (struct vrs_synonym). The statuses of vrs_config_assign. */
enum vrs_status vrs_config_settle_synonyms(struct vrs_config *config, struct vrs_error *err) VRS_MUST_CHECK;
enum vrs_status vrs_config_text(const struct vrs_config *config, const struct vrs_option *row, char *buf, size_t size);
/* The default into the field of a row. */
void vrs_settings_reset(struct vrs_settings *settings, const struct vrs_option *row);
/* Remember a file for vrs_config_check_files. VRS_ENOMEM. */
enum vrs_status vrs_config_add_file(struct vrs_config *config, const struct vrs_file_use *use, struct vrs_error *err);
/* Say what there is to say about the value `text` of a row. VRS_OK; VRS_ECONFIG with --strict. */
enum vrs_status vrs_config_warn_row(const struct vrs_config *config, const struct vrs_option *row, const struct vrs_row_state *state,
				    const char *text, struct vrs_error *err);

#endif
