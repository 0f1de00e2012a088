/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UTF-8 by the table of the Unicode Standard (3-7, well-formed byte sequences): no overlong forms, no surrogates, nothing above 10FFFF. */
#include "config/yaml_text.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the well-formed character at s (left bytes remain); 0: malformed. */
static size_t character_length(const uint8_t *s, size_t left)
{
	uint8_t low = 0x80, high = 0xbf; /* range of the second byte */

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	size_t len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (left < len)
		return 0;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

static bool is_control(uint8_t c)
{
	return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

enum vrs_status vrs_yaml_check_text(const char *text, size_t size, const char *name, struct vrs_error *err)
{
	const uint8_t *s = (const uint8_t *)text;
	int line = 1, column = 1;

	for (size_t i = 0; i < size;) {
		size_t len = character_length(s + i, size - i);

		if (!len)
			return vrs_fail_at(err, VRS_EFORMAT, name, line, column, "the file is not UTF-8 text (byte 0x%02x)", s[i]);
		if (is_control(s[i]))
			return vrs_fail_at(err, VRS_EFORMAT, name, line, column, "the file holds the control character 0x%02x", s[i]);
		if (s[i] == '%' && column == 1)
			return vrs_fail_at(err, VRS_EFORMAT, name, line, column, "lines that begin with %% (directives) are not used in this file");
		column++;
		if (s[i] == '\n' || (s[i] == '\r' && (i + 1 == size || s[i + 1] != '\n'))) {
			line++;
			column = 1;
		}
		i += len;
	}
	return VRS_OK;
}
