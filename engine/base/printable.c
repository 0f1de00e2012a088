/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/printable.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/secrets.h"

#define MOST_COMMENT 8192

size_t vrs_control_character(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	if (c[0] && (c[0] < 0x20 || c[0] == 0x7f))
		return 1;
	if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
		return 2;
	if (c[0] == 0xe2 && ((c[1] == 0x80 && c[2] >= 0xa8 && c[2] <= 0xae) || (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9)))
		return 3;
	return 0;
}

unsigned vrs_control_point(const char *text, size_t bytes)
{
	const unsigned char *c = (const unsigned char *)text;

	if (bytes == 3)
		return (c[0] & 0x0fu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
	return bytes == 2 ? (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu) : c[0];
}

size_t vrs_utf8_length(const char *text, size_t left)
{
	const uint8_t *s = (const uint8_t *)text;
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

char *vrs_printable(char *dst, size_t size, const char *text)
{
	size_t used = 0, hidden, secret = vrs_secret_find(text, 0, &hidden);
	for (size_t at = 0; text[at];) {
		bool hides = at == secret && hidden > 0;
		size_t control = hides ? 0 : vrs_control_character(text + at), length = hides ? strlen(VRS_SECRET_SHOWN) : control ? 4 * control : 1;
		if (used + length >= size)
			break;
		for (size_t i = 0; i < control; i++)
			(void)snprintf(dst + used + 4 * i, size - used - 4 * i, "\\x%02x", (unsigned)(unsigned char)text[at + i]);
		if (!control)
			memcpy(dst + used, hides ? VRS_SECRET_SHOWN : text + at, length);
		used += length;
		at += hides ? hidden : control ? control : 1;
		if (hides)
			secret = vrs_secret_find(text, at, &hidden);
	}
	dst[used] = '\0';
	return dst;
}

void vrs_print_text(FILE *out, const char *text)
{
	while (*text) {
		size_t control = vrs_control_character(text);
		for (size_t i = 0; i < control; i++)
			(void)fprintf(out, "\\x%02x", (unsigned)(unsigned char)text[i]); /* the caller checks the stream at the end */
		if (!control)
			(void)fputc(*text, out);
		text += control ? control : 1;
	}
}

void vrs_print_utf8(FILE *out, const char *text)
{
	for (size_t left = strlen(text); left > 0;) {
		size_t length = vrs_utf8_length(text, left);
		char one[5] = "";
		if (length > 0)
			vrs_print_text(out, memcpy(one, text, length));
		else
			(void)fprintf(out, "\\x%02x", (unsigned)(unsigned char)*text);
		text += length ? length : 1;
		left -= length ? length : 1;
	}
}

void vrs_print_comment(FILE *out, const char *fmt, ...)
{
	char text[MOST_COMMENT], shown[MOST_COMMENT];
	va_list args;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args); /* a cut comment is still one */
	va_end(args);
	(void)fputs(text[0] ? "# " : "#", out);
	vrs_print_utf8(out, vrs_hide_secrets(shown, sizeof shown, text));
	(void)fputc('\n', out);
}
