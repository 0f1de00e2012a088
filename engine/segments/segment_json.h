/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of structs, and sums of comparisons with a truth, as JSON: for checkpoints, and for what worker processes are told and report. */
#ifndef VRS_SEGMENTS_SEGMENT_JSON_H
#define VRS_SEGMENTS_SEGMENT_JSON_H

#include <vrseg/quality.h>

#include "base/json.h"

/* A number of a struct under the name of its member. */
struct vrs_json_field {
	const char *key; /* NULL ends a table */
	enum { VRS_JSON_COUNT, VRS_JSON_NUMBER, VRS_JSON_SMALL, VRS_JSON_REAL, VRS_JSON_FLAG } type; /* uint64_t, int64_t, int, double, bool */
	size_t offset;
	int64_t min, max; /* of whole numbers, when they are read */
};

/* _Generic has no default, so a member of another type does not compile. */
#define VRS_JSON_FIELD(structure, member, min, max) \
	{#member, _Generic(((structure *)0)->member, uint64_t: VRS_JSON_COUNT, int64_t: VRS_JSON_NUMBER, int: VRS_JSON_SMALL, \
			   unsigned /* an enum */: VRS_JSON_SMALL, double: VRS_JSON_REAL, bool: VRS_JSON_FLAG), offsetof(structure, member), min, max}

/* All members into an object. False: out of memory, also where object is NULL. */
bool vrs_json_fields_put(cJSON *object, const struct vrs_json_field *fields, const void *from);
/* False: one is missing, of another type or out of range. */
bool vrs_json_fields_take(const cJSON *object, const struct vrs_json_field *fields, void *to);
/* As an array under `key`; sums of nothing are left out. False: out of memory. */
bool vrs_json_truth_put(cJSON *object, const char *key, const struct vrs_truth_sums *sums);
/* False: there are none, or they are damaged; *ret_sums is zeroed then. */
bool vrs_json_truth_take(const cJSON *object, const char *key, struct vrs_truth_sums *ret_sums);

#endif
