/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/escape.h"

#include <stdbool.h>
#include <string.h>

#include "base/printable.h"

enum vrs_status vrs_escape_char(struct vrs_buf *out, const char **text, const char *backslash)
{
	const char *from = *text;
	size_t control = vrs_control_character(from), length = control ? control : vrs_utf8_length(from, strnlen(from, 4));
	*text += length ? length : 1;
	if (length == 0)
		return vrs_buf_printf(out, "%sx%02x", backslash, (unsigned)(unsigned char)*from);
	return vrs_buf_append(out, control ? " " : from, control ? 1 : length);
}

enum vrs_status vrs_escape_html(struct vrs_buf *out, const char *text)
{
	enum vrs_status status = VRS_OK;
	while (*text && status == VRS_OK) {
		const char *entity = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '"' ? "&quot;"
				   : *text == '\'' ? "&#39;" : *text == '\n' ? "\n" : NULL; /* line breaks mean something inside <pre> */
		status = entity ? vrs_buf_puts(out, entity) : vrs_escape_char(out, &text, "\\");
		text += entity ? 1 : 0;
	}
	return status;
}

enum vrs_status vrs_escape_markdown(struct vrs_buf *out, const char *text)
{
	enum vrs_status status = VRS_OK;
	while (*text && status == VRS_OK) {
		const char *entity = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : NULL;
		if (!entity && strchr("\\|`*_[]", *text))
			status = vrs_buf_puts(out, "\\");
		if (status == VRS_OK)
			status = entity ? vrs_buf_puts(out, entity) : vrs_escape_char(out, &text, "\\\\");
		text += entity ? 1 : 0;
	}
	return status;
}

const char *vrs_markdown_fence(const char *text, char *buf, size_t buf_size)
{
	size_t longest = 2;
	for (; *text; text += *text ? 1 : 0) {
		size_t run = strspn(text, "`");
		longest = run > longest ? run : longest;
		text += run;
	}
	size_t length = longest + 1 < buf_size ? longest + 1 : buf_size - 1;
	memset(buf, '`', length);
	buf[length] = '\0';
	return buf;
}

enum vrs_status vrs_escape_text(struct vrs_buf *out, const char *text)
{
	enum vrs_status status = VRS_OK;
	while (*text && status == VRS_OK) {
		bool line_break = *text == '\n';
		status = line_break ? vrs_buf_append(out, text, 1) : vrs_escape_char(out, &text, "\\");
		text += line_break ? 1 : 0;
	}
	return status;
}

int vrs_text_width(const char *text)
{
	int width = 0;
	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}
