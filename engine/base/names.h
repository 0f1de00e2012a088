/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the values of an enum: one table writes, reads and shows them. Values count from 0. */
#ifndef VRS_BASE_NAMES_H
#define VRS_BASE_NAMES_H

#include <stdbool.h>

struct vrs_names {
	int count;
	const char *const *names;    /* names[value]; "": a value that is not written, such as "none" */
};

/* A table of an array of names. */
#define VRS_NAMES(array) {(int)(sizeof array / sizeof *(array)), (array)}

/* "" for a value outside the table; never NULL. */
const char *vrs_name_of(const struct vrs_names *table, int value);
/* The value with this name, compared as a whole. False: there is none. */
bool vrs_name_find(const struct vrs_names *table, const char *name, int *ret_value);
/* "end_to_end, pipeline_no_io or net_only", for messages; names that are "" are left out. */
void vrs_names_join(const struct vrs_names *table, char *buf, unsigned long size);

#endif
