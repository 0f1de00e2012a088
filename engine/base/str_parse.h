/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Strict, locale-free parsing: the whole string must match, ranges and finiteness are checked.
 * Each returns false and leaves *ret alone on failure.
 */
#ifndef VRS_BASE_STR_PARSE_H
#define VRS_BASE_STR_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool vrs_parse_int(const char *s, int64_t min, int64_t max, int64_t *ret);
bool vrs_parse_double(const char *s, double min, double max, double *ret); /* no NaN, no infinity, no hex */
bool vrs_parse_bool(const char *s, bool *ret);                             /* true false yes no on off 1 0 */
bool vrs_parse_size2(const char *s, int64_t min, int64_t max, int ret[2]); /* 512x512 or [512, 512] */
bool vrs_parse_color(const char *s, uint8_t ret[3]);                       /* 00FF00, #00ff00 */
bool vrs_parse_bytes(const char *s, uint64_t *ret);                        /* 512, 4K, 2M, 1.5G (powers of 1024) */
bool vrs_parse_duration(const char *s, double *ret_seconds);               /* 90, 90s, 1.5h, 2m, 1:30, 00:01:30.5, 500ms */
/*
 * Expand "a,b,c", "a-b*m" (multiply) and "a:b:s" (step) into integers. Returns their number, -1 when malformed or above max_count.
 */
int vrs_parse_int_list(const char *s, int64_t min, int64_t max, int64_t *ret, int max_count);
/* 16 hexadecimal digits in lower case, as hashes are written (vrs_json_put_hash), and nothing behind them. */
bool vrs_parse_hash(const char *s, uint64_t *ret);
/* Edit distance (insert, delete, replace, swap), for "did you mean". */
int vrs_edit_distance(const char *a, const char *b);
/* The closest of candidates (NULL-terminated) within a third of its length; NULL: none is close. */
const char *vrs_closest(const char *word, const char *const *candidates);
/* Bounded copy, always terminated; false when cut. */
bool vrs_strcpy(char *dst, size_t size, const char *src);

#endif
