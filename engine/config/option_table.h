/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the option table offers besides the rows: synonyms that carry a value, sections, candidates for "did you mean", values of rows. */
#ifndef VRS_CONFIG_OPTION_TABLE_H
#define VRS_CONFIG_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/options.h>

/*
 * A key (or flag) of the users' documents whose values are not those of the option it stands for.
 * `map` holds "theirs=ours" pairs; "theirs=" alone means that this value leaves the option as it is.
 */
struct vrs_synonym {
	const char *keys;       /* space-separated; NULL ends the list */
	const char *flag;       /* switch without argument that sets the first pair; NULL: none */
	const char *target;     /* canonical key */
	const char *map;
	const char *on_device;  /* the value instead of that of the first pair, with --backend opencl; NULL: the same */
	bool weak;              /* gives way to a value that the same source gives directly */
	const char *flag_help;
	unsigned programs;      /* of the flag */
};

/* A heading of --help and a top-level key of the YAML files: "engine" -> "Engine". */
struct vrs_section {
	const char *name;
	const char *title;
};

const struct vrs_synonym *vrs_synonym_list(void);
/* The synonym that has this key, NULL: none. */
const struct vrs_synonym *vrs_synonym_find(const char *key);
const struct vrs_synonym *vrs_synonym_find_flag(const char *flag, unsigned program);
const struct vrs_section *vrs_section_list(void); /* ends with name NULL */

/* True when the space-separated list holds the word; ret_index (may be NULL) is its position. */
bool vrs_words_have(const char *words, const char *word, int *ret_index);
/* The index-th word into buf; false when there is none. */
bool vrs_words_get(const char *words, int index, char *buf, size_t size);
/* "a, b, c" of "a b c"; `last` stands before the last one: ", " or " or ". */
void vrs_words_join(const char *words, const char *last, char *buf, size_t size);
/* The closest word of the list, written into buf; false when none is close. */
bool vrs_words_closest(const char *words, const char *word, char *buf, size_t size);

/* True for rows whose key begins with "section.". */
bool vrs_option_is_in_section(const struct vrs_option *row, const char *section);
/* Index of a row in the table. */
int vrs_option_index(const struct vrs_option *row);
#define VRS_KEY_MAX 128 /* bytes of a key */
/* All keys in use: those of the rows, then aliases, then synonyms.  False: there is no index-th one. */
bool vrs_option_name(int index, char *buf, size_t size);
/* The known key closest to an unknown one (canonical, or as the documents write it); NULL: none is close. */
const char *vrs_option_closest_key(const char *key);

/* One value of one row. */
struct vrs_option_value {
	bool is_interval;     /* integer rows: "16-32"; number holds the lower end */
	int low, high;
	union {                       /* as the field of the settings holds it */
		bool flag;            /* VRS_OPT_BOOL */
		int number;           /* VRS_OPT_INT, VRS_OPT_ENUM */
		double real;          /* VRS_OPT_DOUBLE */
		int size2[2];
		uint8_t color[3];
		char text[VRS_PATH_MAX]; /* VRS_OPT_STRING */
	};
};

/*
 * Parse text for a row.  On failure VRS_ECONFIG with "LABEL: what is wrong and what is right".
 */
enum vrs_status vrs_option_parse(const struct vrs_option *row, const char *text, const char *label, struct vrs_option_value *ret_value,
				 struct vrs_error *err);
/* Store into the field of a row that has one. */
void vrs_option_store(const struct vrs_option *row, const struct vrs_option_value *value, struct vrs_settings *settings);
/* Read the field of a row that has one. */
void vrs_option_load(const struct vrs_option *row, const struct vrs_settings *settings, struct vrs_option_value *ret_value);
/* Text that vrs_option_parse accepts again. VRS_ELIMIT when buf is too small. */
enum vrs_status vrs_option_print(const struct vrs_option *row, const struct vrs_option_value *value, char *buf, size_t size);
/* "0 to 1024, or auto"; "" for rows without a range. */
void vrs_option_range_text(const struct vrs_option *row, char *buf, size_t size);

#endif
