/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON over cJSON: bounded parse with line and column in errors, typed getters, stable numbers (no NaN: refused; integers of more than 15
 * digits as strings, which vrs_json_int reads back).  What is printed is UTF-8: another byte of a name is \udc80 to \udcff, as Python writes it
 * (PEP 383), and is read back as that byte.  Doubles print within one unit in the last place.  The cJSON type shows through for
 * building; only these helpers parse and print.
 */
#ifndef VRS_BASE_JSON_H
#define VRS_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include <vrseg/status.h>

/* Parse text of len bytes (at most max); name is used in messages. VRS_EFORMAT with line and column, VRS_ELIMIT, VRS_ENOMEM. */
enum vrs_status vrs_json_parse(const char *text, size_t len, size_t max, const char *name, cJSON **ret_json, struct vrs_error *err);
/*
 * The same of an object whose member `key` is an array too large for a tree: *ret_json is the object with that array empty, and *ret_elements gives
 * its elements one by one; text must live as long.  The array is checked as its elements are read.
 */
struct vrs_json_elements {
	const char *text, *name;
	size_t at, len;     /* where the next element begins; of text */
	cJSON *tree;        /* the next element where the array is in the tree after all; it is *ret_json's */
	bool in_text, first;
};
enum vrs_status vrs_json_parse_around(const char *text, size_t len, size_t max, const char *name, const char *key, cJSON **ret_json,
				      struct vrs_json_elements *ret_elements, struct vrs_error *err);
/* *ret_element becomes the next element, to be freed with vrs_json_elements_free; NULL after the last one. Statuses of vrs_json_parse. */
enum vrs_status vrs_json_elements_next(struct vrs_json_elements *elements, cJSON **ret_element, struct vrs_error *err);
void vrs_json_elements_free(const struct vrs_json_elements *elements, cJSON *element);
enum vrs_status vrs_json_read_file(const char *path, size_t max, cJSON **ret_json, struct vrs_error *err);
/* Print, control characters (base/printable.h) as \uXXXX; indent false gives one line. Free with vrs_json_free_text. NULL: out of memory. */
char *vrs_json_print(const cJSON *json, bool indent);
void vrs_json_free_text(char *text);
/* Write an object as one line, flush, and delete it; whole false (building it failed): only delete. VRS_ENOMEM, VRS_EIO. */
enum vrs_status vrs_json_put_line(cJSON *object, bool whole, FILE *out);
/* Typed getters; false when absent or of another type (ret untouched). */
bool vrs_json_number(const cJSON *object, const char *key, double *ret);
bool vrs_json_int(const cJSON *object, const char *key, int64_t *ret);
bool vrs_json_bool(const cJSON *object, const char *key, bool *ret);
const char *vrs_json_string(const cJSON *object, const char *key); /* NULL: absent */
/* Builders: add to object; non-finite numbers are left out. Return false on out of memory. */
bool vrs_json_put_number(cJSON *object, const char *key, double value);
bool vrs_json_put_int(cJSON *object, const char *key, int64_t value);
bool vrs_json_put_bool(cJSON *object, const char *key, bool value);
bool vrs_json_put_string(cJSON *object, const char *key, const char *value);
bool vrs_json_put_hash(cJSON *object, const char *key, uint64_t value); /* as a string of 16 hexadecimal digits */
cJSON *vrs_json_put_object(cJSON *object, const char *key);
cJSON *vrs_json_put_array(cJSON *object, const char *key);

#endif
