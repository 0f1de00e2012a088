/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * YAML as a flat list: every value with its dotted key and its place.  Reads configuration files, model manifests, sweeps and targets.
 *
 * A document is one mapping; values are scalars or lists of scalars; nested and dotted keys mean the same ("engine: {threads: 2}" is
 * "engine.threads: 2").  Anchors work on values, not on mappings, so that nothing expands.  Limits: VRS_YAML_MAX_* below.
 */
#ifndef VRSEG_YAML_H
#define VRSEG_YAML_H

#include <stddef.h>

#include <vrseg/status.h>

#define VRS_YAML_MAX_BYTES (256 * 1024)
#define VRS_YAML_MAX_DEPTH 8     /* nested mappings */
#define VRS_YAML_MAX_ENTRIES 1024
#define VRS_YAML_MAX_KEY 200     /* bytes of a dotted key */
#define VRS_YAML_MAX_VALUE 4096  /* bytes of one scalar */
#define VRS_YAML_MAX_ITEMS 256   /* of one list */
#define VRS_YAML_MAX_ANCHORS 64
#define VRS_YAML_MAX_BLANK_LINES 256 /* one after another */
#define VRS_YAML_MAX_REPEATED VRS_YAML_MAX_BYTES /* bytes of values that aliases repeat, of all together */

enum vrs_yaml_kind {
	VRS_YAML_PLAIN,  /* unquoted text: number, word, true */
	VRS_YAML_QUOTED, /* quoted or block text: always a string */
	VRS_YAML_LIST,   /* items; value is "[a, b]" */
	VRS_YAML_NULL,   /* null or ~ */
	VRS_YAML_EMPTY,  /* key without a value, or an empty mapping */
};

struct vrs_yaml_entry {
	char *key;             /* dotted */
	char *value;           /* never NULL; "" for null and empty */
	enum vrs_yaml_kind kind;
	char **items;          /* lists: item_count texts, "[a, b]" for a list in the list; else NULL */
	int item_count;
	int line, column;      /* of the key, 1-based */
};

struct vrs_yaml {
	char name[256];        /* file name for messages */
	struct vrs_yaml_entry *entries;
	int count;
};

/*
 * Parse text of size bytes.  An empty document gives no entries.  VRS_EFORMAT with line and column (syntax, duplicate keys, something else
 * than a mapping at the top), VRS_ELIMIT, VRS_ENOMEM.  Free with vrs_yaml_fini, also after failure.
 */
enum vrs_status vrs_yaml_parse(struct vrs_yaml *ret_yaml, const char *text, size_t size, const char *name, struct vrs_error *err) VRS_MUST_CHECK;
/* Same from a file: also VRS_ENOTFOUND, VRS_EIO. */
enum vrs_status vrs_yaml_read(struct vrs_yaml *ret_yaml, const char *path, struct vrs_error *err) VRS_MUST_CHECK;
void vrs_yaml_fini(struct vrs_yaml *yaml);
/* Entry of a dotted key; NULL: absent. */
const struct vrs_yaml_entry *vrs_yaml_find(const struct vrs_yaml *yaml, const char *key);
/* The place of an entry as an error: vrs_fail_at with the name, line and column of entry. */
enum vrs_status vrs_yaml_fail(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, struct vrs_error *err, enum vrs_status status,
			      const char *fmt, ...) VRS_PRINTF(5, 6);

#endif
