/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/escape.h"

#include <string.h>

static enum vrs_status put_char(struct vrs_buf *out, char c)
{
	if ((unsigned char)c < 0x20 || c == 0x7f)
		c = ' ';
	return vrs_buf_append(out, &c, 1);
}

enum vrs_status vrs_escape_html(struct vrs_buf *out, const char *text)
{
	for (; *text; text++) {
		const char *entity = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '"' ? "&quot;"
				   : *text == '\'' ? "&#39;" : NULL;
		/* Line breaks mean something inside <pre> and are blanks elsewhere. */
		enum vrs_status status = entity ? vrs_buf_puts(out, entity) : *text == '\n' ? vrs_buf_puts(out, "\n") : put_char(out, *text);
		if (status != VRS_OK)
			return status;
	}
	return VRS_OK;
}

enum vrs_status vrs_escape_markdown(struct vrs_buf *out, const char *text)
{
	for (; *text; text++) {
		enum vrs_status status = VRS_OK;
		if (*text == '<' || *text == '>' || *text == '&')
			status = vrs_buf_puts(out, *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&amp;");
		else {
			if (strchr("\\|`*_[]", *text))
				status = vrs_buf_puts(out, "\\");
			if (status == VRS_OK)
				status = put_char(out, *text);
		}
		if (status != VRS_OK)
			return status;
	}
	return VRS_OK;
}

int vrs_text_width(const char *text)
{
	int width = 0;
	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}
