/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Configuration to YAML: sections and dotted keys below them, each value with its source as a comment.  libfyaml's emitter places no
 * comments, so lines are written here; only text values need quoting, and reading the file back is a test.
 */
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "config/config_object.h"
#include "config/option_table.h"

#define COMMENT_COLUMN 40

/* True when YAML reads the text as the same plain word, not as null, a mapping, a comment or the like. */
static bool is_plain(const char *text)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";

	if (!*text || *text == '-' || text[strspn(text, safe)])
		return false;
	return strcmp(text, "null") != 0 && strcmp(text, "Null") != 0 && strcmp(text, "NULL") != 0;
}

/* A control character (base/printable.h) of 1 to 3 bytes of UTF-8, as YAML reads it back. */
static int write_escape(const char *text, size_t bytes, FILE *out)
{
	return fprintf(out, bytes == 3 ? "\\u%04x" : "\\x%02x", vrs_control_point(text, bytes));
}

static int write_value(const struct vrs_option *row, const char *text, FILE *out)
{
	int width = 2;

	if (row->type != VRS_OPT_STRING || is_plain(text))
		return fprintf(out, "%s", text);
	fputc('"', out);
	while (*text) {
		size_t control = vrs_control_character(text);

		if (control) {
			width += write_escape(text, control, out);
			text += control;
			continue;
		}
		if (*text == '"' || *text == '\\') {
			fputc('\\', out);
			width++;
		}
		fputc(*text++, out);
		width++;
	}
	fputc('"', out);
	return width;
}

static void write_row(const struct vrs_config *config, const struct vrs_option *row, const char *text, FILE *out)
{
	const struct vrs_row_state *state = &config->states[vrs_option_index(row)];
	const char *short_key = strchr(row->key, '.') + 1;
	int width = fprintf(out, "  %s: ", short_key);

	width += write_value(row, text, out);
	fprintf(out, "%*s# ", width < COMMENT_COLUMN ? COMMENT_COLUMN - width : 1, "");
	if (row->unit)
		fprintf(out, "%s; ", row->unit);
	fprintf(out, "%s%s", vrs_source_name(state->source), state->where[0] ? " " : "");
	vrs_print_utf8(out, state->where);
	if (row->state == VRS_OPT_PLANNED)
		fputs("; no effect yet", out);
	if (row->state == VRS_OPT_NO_EFFECT)
		fputs("; no effect here", out);
	fputc('\n', out);
}

static bool is_changed(const struct vrs_config *config, const struct vrs_option *row)
{
	return config->states[vrs_option_index(row)].source != VRS_SOURCE_DEFAULT;
}

static bool is_written(const struct vrs_config *config, const struct vrs_option *row, enum vrs_config_extent extent)
{
	if (extent == VRS_WRITE_ALL && row->state == VRS_OPT_READY)
		return true;
	return is_changed(config, row) && (extent != VRS_WRITE_JOB || !(row->traits & VRS_OPTION_PER_RUN));
}

bool vrs_config_is_default(const struct vrs_config *config)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++)
		if (is_changed(config, &rows[i]))
			return false;
	return true;
}

enum vrs_status vrs_config_print(const struct vrs_config *config, FILE *out, enum vrs_config_extent extent)
{
	char text[VRS_PATH_MAX];
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	if (!config || !out)
		return VRS_EINVAL;
	for (const struct vrs_section *section = vrs_section_list(); section->name; section++) {
		bool begun = false;

		for (int i = 0; i < count; i++) {
			enum vrs_status status;

			if (!vrs_option_is_in_section(&rows[i], section->name) || !is_written(config, &rows[i], extent))
				continue;
			status = vrs_config_text(config, &rows[i], text, sizeof text);
			if (status != VRS_OK)
				return status;
			if (!begun)
				fprintf(out, "%s:\n", section->name);
			begun = true;
			write_row(config, &rows[i], text, out);
		}
	}
	return VRS_OK;
}

static enum vrs_status check_utf8(const struct vrs_option *row, const char *text, struct vrs_error *err)
{
	for (size_t left = strlen(text), length; left > 0; text += length, left -= length) {
		length = vrs_utf8_length(text, left);
		if (length == 0)
			return vrs_fail(err, VRS_ECONFIG, "%s: the value is not UTF-8 text (byte 0x%02x), which no file of settings can hold; use a "
					"name in UTF-8", row->key, (unsigned)(unsigned char)*text);
	}
	return VRS_OK;
}

enum vrs_status vrs_config_check_write(const struct vrs_config *config, enum vrs_config_extent extent, struct vrs_error *err)
{
	char text[VRS_PATH_MAX];
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	enum vrs_status status = config ? VRS_OK : vrs_fail(err, VRS_EINVAL, "there are no settings to write");

	for (int i = 0; status == VRS_OK && i < count; i++)
		if (is_written(config, &rows[i], extent) && vrs_config_text(config, &rows[i], text, sizeof text) == VRS_OK)
			status = check_utf8(&rows[i], text, err);
	return status;
}

enum vrs_status vrs_config_write(const struct vrs_config *config, FILE *out, enum vrs_config_extent extent, struct vrs_error *err)
{
	enum vrs_status status = vrs_config_check_write(config, extent, err);

	if (status != VRS_OK)
		return status;
	status = vrs_config_print(config, out, extent);
	if (status == VRS_OK && ferror(out))
		status = VRS_EIO;
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "cannot write the settings: %s", vrs_status_str(status));
}
