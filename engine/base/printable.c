/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/printable.h"

#include <stdarg.h>

#define MOST_COMMENT 8192

size_t vrs_control_character(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	if (c[0] && (c[0] < 0x20 || c[0] == 0x7f))
		return 1;
	if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
		return 2;
	if (c[0] == 0xe2 && ((c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae) || (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9)))
		return 3;
	return 0;
}

char *vrs_printable(char *dst, size_t size, const char *text)
{
	size_t used = 0;
	while (*text) {
		size_t control = vrs_control_character(text), length = control ? 4 * control : 1;
		if (used + length >= size)
			break;
		for (size_t i = 0; i < control; i++)
			(void)snprintf(dst + used + 4 * i, size - used - 4 * i, "\\x%02x", (unsigned)(unsigned char)text[i]);
		if (!control)
			dst[used] = *text;
		used += length;
		text += control ? control : 1;
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

void vrs_print_comment(FILE *out, const char *fmt, ...)
{
	char text[MOST_COMMENT];
	va_list args;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args); /* a cut comment is still one */
	va_end(args);
	(void)fputs(text[0] ? "# " : "#", out);
	vrs_print_text(out, text);
	(void)fputc('\n', out);
}
