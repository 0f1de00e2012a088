/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Status texts from the one list, error context, and the exit codes that statuses end with. */
#include <vrseg/exit_codes.h>
#include <vrseg/status.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/secrets.h"
#include "base/str_parse.h"

#define MOST_TEXT 8192 /* bytes of a sentence before its secrets are hidden: one may end behind the cut */

const char *vrs_status_str(enum vrs_status status)
{
	switch (status) {
#define X(name, value, text) \
	case name: \
		return text;
#include <vrseg/status_list.h>
#undef X
	}
	return "unknown status";
}

const char *vrs_status_name(enum vrs_status status)
{
	switch (status) {
#define X(name, value, text) \
	case name: \
		return #name;
#include <vrseg/status_list.h>
#undef X
	}
	return "VRS_UNKNOWN";
}

/* Formatted aside first: callers wrap an earlier message by passing err->text as an argument. */
static void fill_text(struct vrs_error *err, enum vrs_status status, const char *fmt, va_list args)
{
	char text[MOST_TEXT];

	if (vsnprintf(text, sizeof text, fmt, args) < 0)
		vrs_strcpy(text, sizeof text, vrs_status_str(status));
	vrs_hide_secrets(err->text, sizeof err->text, text);
	err->status = status;
}

enum vrs_status vrs_fail(struct vrs_error *err, enum vrs_status status, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return status;
	bool fresh = err->status == VRS_OK;

	va_start(args, fmt);
	fill_text(err, status, fmt, args);
	va_end(args);
	if (fresh) {
		err->file[0] = '\0';
		err->line = err->column = 0;
	}
	return status;
}

enum vrs_status vrs_fail_at(struct vrs_error *err, enum vrs_status status, const char *file, int line, int column, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return status;
	va_start(args, fmt);
	fill_text(err, status, fmt, args);
	va_end(args);
	if (file != err->file)
		vrs_strcpy(err->file, sizeof err->file, file ? file : "");
	err->line = line;
	err->column = column;
	return status;
}

enum vrs_status vrs_fail_nomem(struct vrs_error *err)
{
	return vrs_fail(err, VRS_ENOMEM, "%s", vrs_status_str(VRS_ENOMEM));
}

const char *vrs_error_str(const struct vrs_error *err, char *buf, unsigned long size)
{
	const char *text = err->text[0] ? err->text : vrs_status_str(err->status);
	char place[sizeof err->file + 32] = "";

	if (size == 0)
		return buf;
	if (err->file[0] && err->line > 0 && err->column > 0)
		snprintf(place, sizeof place, "%s:%d:%d: ", err->file, err->line, err->column);
	else if (err->file[0] && err->line > 0)
		snprintf(place, sizeof place, "%s:%d: ", err->file, err->line);
	else if (err->file[0])
		snprintf(place, sizeof place, "%s: ", err->file);
	else if (err->line > 0)
		snprintf(place, sizeof place, "line %d: ", err->line);
	snprintf(buf, size, "%s%s", place, text);
	return buf;
}

const struct vrs_exit_row *vrs_exit_table(int *ret_count)
{
#define ROW(name, code, programs, meaning) {(code), (programs), (meaning)},
	static const struct vrs_exit_row rows[] = {VRS_EXIT_LIST(ROW)};
#undef ROW
	*ret_count = (int)(sizeof rows / sizeof *rows);
	return rows;
}

int vrs_exit_code(enum vrs_status status)
{
	switch (status) {
	case VRS_OK:
		return VRS_EXIT_OK;
	case VRS_ECONFIG:
	case VRS_EINVAL:
	case VRS_EEXIST:
		return VRS_EXIT_USAGE;
	case VRS_ESTOPPED:
		return VRS_EXIT_STOPPED;
	default:
		return VRS_EXIT_FAILURE;
	}
}
