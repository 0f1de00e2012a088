/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json_escape.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/printable.h"

#define RAW_BYTE 0xdc00u /* added to a byte that is no UTF-8 */

/* Bytes at text that become the escape of *ret_value; 0: the next *ret_kept bytes are a character that stays. */
static size_t to_escape(const char *text, unsigned *ret_value, size_t *ret_kept)
{
	bool plain = (unsigned char)*text < 0x7f; /* cJSON escapes those below a blank */
	size_t control = plain ? 0 : vrs_control_character(text);

	*ret_kept = plain ? 1 : control ? 0 : vrs_utf8_length(text, strnlen(text, 4));
	*ret_value = control ? vrs_control_point(text, control) : RAW_BYTE + (unsigned char)*text;
	return *ret_kept ? 0 : control ? control : 1;
}

char *vrs_json_escape(char *text)
{
	size_t escapes = 0, used = 0, kept;
	unsigned value;
	char *escaped;

	for (const char *p = text; *p; p += kept) {
		size_t n = to_escape(p, &value, &kept);

		escapes += n > 0;
		p += n;
	}
	if (escapes == 0)
		return text;
	escaped = vrs_alloc(strlen(text) + 5 * escapes + 1);
	for (const char *p = text; escaped && *p; p += kept) {
		size_t n = to_escape(p, &value, &kept);

		if (n)
			used += (size_t)snprintf(escaped + used, 7, "\\u%04x", value);
		p += n;
		memcpy(escaped + used, p, kept);
		used += kept;
	}
	if (escaped)
		escaped[used] = '\0';
	vrs_free(text);
	return escaped;
}

/* The value of the escape \uXXXX at `at`; 0: there is none. */
static unsigned escaped_value(const char *text, size_t at, size_t to)
{
	char digits[5] = "";

	if (to - at < 6 || text[at] != '\\' || text[at + 1] != 'u')
		return 0;
	memcpy(digits, text + at + 2, 4);
	return strspn(digits, "0123456789abcdefABCDEF") == 4 ? (unsigned)strtoul(digits, NULL, 16) : 0;
}

size_t vrs_json_find_raw_byte(const char *text, size_t from, size_t to)
{
	const char *backslash;

	while (from < to && (backslash = memchr(text + from, '\\', to - from))) {
		size_t at = (size_t)(backslash - text);
		unsigned value = escaped_value(text, at, to);
		bool pair = value >= 0xd800 && value < 0xdc00 && escaped_value(text, at + 6, to) >= 0xdc00;

		if (value >= RAW_BYTE + 0x80 && value <= RAW_BYTE + 0xff)
			return at;
		from = at + (pair ? 12 : value ? 6 : 2);
	}
	return to;
}

char *vrs_json_raw_bytes(const char *text, size_t from, size_t to, size_t *ret_len)
{
	char *copy = vrs_alloc(to - from + 1);

	*ret_len = 0;
	for (size_t next; copy && from < to; from = next + 6) {
		next = vrs_json_find_raw_byte(text, from, to);
		memcpy(copy + *ret_len, text + from, next - from);
		*ret_len += next - from;
		if (next == to)
			break;
		copy[(*ret_len)++] = (char)(escaped_value(text, next, to) - RAW_BYTE);
	}
	return copy;
}

size_t vrs_json_raw_place(const char *text, size_t from, size_t to, size_t offset)
{
	for (;;) {
		size_t next = vrs_json_find_raw_byte(text, from, to);

		if (offset <= next - from)
			return from + offset;
		offset -= next - from + 1;
		from = next + 6;
	}
}
