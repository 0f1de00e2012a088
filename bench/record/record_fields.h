/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records as tables: one row per member gives its JSON key, type and range, and the same row writes it, reads it and checks it.
 */
#ifndef VRS_BENCH_RECORD_FIELDS_H
#define VRS_BENCH_RECORD_FIELDS_H

#include <stddef.h>

#include "base/json.h"
#include "base/names.h"

enum vrs_field_kind {
	VRS_FIELD_DOUBLE,   /* NaN: absent */
	VRS_FIELD_INT,
	VRS_FIELD_INT64,    /* -1: absent */
	VRS_FIELD_BOOL,
	VRS_FIELD_TEXT,     /* char[size]; "": absent */
	VRS_FIELD_HEX64,    /* uint64_t as 16 hex digits */
	VRS_FIELD_STAGES,   /* double[VRS_STAGE_COUNT] as an object keyed by stage name; all NaN: absent */
	VRS_FIELD_ESTIMATE, /* struct vrs_estimate; n = 0: absent */
	VRS_FIELD_ENUM,     /* an enum by its name in `names`; a name that is "": absent */
	VRS_FIELD_MODE,     /* double: frames a second of a live case as "live@HZ", 0 as "offline" */
	VRS_FIELD_PREFIXES, /* struct vrs_matte_prefixes; count 0: absent */
};

struct vrs_field {
	const char *key;
	enum vrs_field_kind kind;
	size_t offset, size; /* size: of texts */
	double min, max;    /* of numbers; min of open enums: smaller values mean "not known" and are not written */
	bool required;
	const struct vrs_names *names; /* of enums */
	bool open;          /* of enums: a word that this version does not know is read as absent, not refused */
};

/* One row: the member `name` of struct TYPE under its own name, or under another key. kind: DOUBLE, INT, ... */
#define VRS_FIELD_ROW(type, kind, name, min, max, required) VRS_FIELD_ROW_AS(#name, type, kind, name, min, max, required)
#define VRS_FIELD_ROW_AS(key, type, kind, name, min, max, required) \
	{key, VRS_FIELD_##kind, offsetof(struct type, name), sizeof(((struct type *)0)->name), min, max, required, NULL, false}
#define VRS_FIELD_ENUM_ROW(type, name, table, required) \
	{#name, VRS_FIELD_ENUM, offsetof(struct type, name), sizeof(((struct type *)0)->name), 0, 0, required, table, false}
/* The same for values from `first` on, where a file may hold words of other versions. */
#define VRS_FIELD_OPEN_ENUM_ROW(type, name, table, first) \
	{#name, VRS_FIELD_ENUM, offsetof(struct type, name), sizeof(((struct type *)0)->name), first, 0, false, table, true}

extern const struct vrs_field vrs_run_fields[], vrs_case_fields[], vrs_result_fields[], vrs_profile_fields[], vrs_op_fields[],
	vrs_comparison_fields[], vrs_profile_run_fields[], vrs_rules_fields[], vrs_ceilings_fields[]; /* end: key NULL */

/* Every value absent: numbers are NaN, INT64 -1; the others stay as they are, and are zero in a zeroed record. */
void vrs_fields_clear(const struct vrs_field *fields, void *record);
/* Add every present member of record to object. False: out of memory. */
bool vrs_fields_write(cJSON *object, const struct vrs_field *fields, const void *record);
/*
 * Read every row; the record must hold its "absent" values. place ("cases[3].runs[1].") and name (the file) are used in messages.
 * VRS_EFORMAT names the key.
 */
enum vrs_status vrs_fields_read(const cJSON *object, const struct vrs_field *fields, void *record, const char *name, const char *place,
				struct vrs_error *err);

struct vrs_result_ceilings;
/* "ceilings" of an environment (env.json), where it has them. Statuses as vrs_fields_read. */
enum vrs_status vrs_result_ceilings_read(const cJSON *environment, struct vrs_result_ceilings *ret_ceilings, const char *name, struct vrs_error *err);

struct vrs_net_profile;
/* A profile with its operations, into object. False: out of memory. */
bool vrs_net_profile_put(cJSON *object, const struct vrs_net_profile *profile);

#endif
