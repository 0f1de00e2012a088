/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user should know about settings that are accepted: said in one place, once, at the level and with the strictness that the user chose. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/log.h>

#include "base/messages.h"
#include "base/str_parse.h"
#include "config/config_object.h"
#include "config/option_table.h"

#define WARNING_MAX 700 /* bytes */

enum vrs_status vrs_config_warn(const struct vrs_settings *settings, const char *id, struct vrs_error *err, const char *fmt, ...)
{
	char text[WARNING_MAX];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args); /* shown only; the end of a long one may be cut */
	va_end(args);
	if (settings->report.strict)
		return vrs_fail(err, VRS_ECONFIG, "%s (an error because of --strict)", text);
	vrs_log_once(id, VRS_LOG_WARNING, "%s", text);
	return VRS_OK;
}

/* "engine.program_cache (animation.enable_tensorrt in my.yaml:7)" */
static void describe(const struct vrs_option *row, const struct vrs_row_state *state, char *buf, size_t size)
{
	bool same = strcmp(row->key, state->label) == 0, placed = state->where[0] && strcmp(state->where, state->label) != 0;

	if (same && !placed)
		(void)vrs_strcpy(buf, size, row->key);
	else
		(void)snprintf(buf, size, "%s (%s%s%s)", row->key, same ? "" : state->label, !same && placed ? " in " : "", placed ? state->where : "");
}

enum vrs_status vrs_config_warn_row(const struct vrs_config *config, const struct vrs_option *row, const struct vrs_row_state *state,
				    const char *text, struct vrs_error *err)
{
	const struct vrs_settings *settings = &config->settings;
	char id[160], what[400];

	describe(row, state, what, sizeof what);
	(void)snprintf(id, sizeof id, "option %s", row->key);
	if (row->state == VRS_OPT_PLANNED)
		return vrs_config_warn(settings, id, err, "%s has no effect yet: %s", what, row->note);
	if (row->state == VRS_OPT_NO_EFFECT)
		return vrs_config_warn(settings, id, err, "%s has no effect here: %s", what, row->note);
	if (config->program == VRS_PROGRAM_VRTUNE || config->program == VRS_PROGRAM_VRANALYZE) /* searches them, and runs no job */
		return VRS_OK;
	if (state->is_interval) {
		(void)snprintf(id, sizeof id, "option %s interval", row->key);
		return vrs_config_warn(settings, id, err, "%s: %s is a range for vrtune to search; %d is used until it has chosen", what, text, state->low);
	}
	if (row->state == VRS_OPT_READY && state->text) {
		(void)snprintf(id, sizeof id, "option %s list", row->key);
		return vrs_config_warn(settings, id, err, "%s: %s is a list for vrtune to search; %.*s is used until it has chosen", what, text,
				       (int)strcspn(text, ","), text);
	}
	return VRS_OK;
}

enum vrs_status vrs_config_warn_backend(const struct vrs_config *config, const char *backend, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	char text[VRS_PATH_MAX], id[160], what[400];
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; backend && status == VRS_OK && i < count; i++) {
		if (!rows[i].backend || strcmp(rows[i].backend, backend) == 0 || config->states[i].source == VRS_SOURCE_DEFAULT)
			continue;
		status = vrs_config_text(config, &rows[i], text, sizeof text);
		if (status != VRS_OK || strcmp(text, rows[i].default_text) == 0)
			continue;
		describe(&rows[i], &config->states[i], what, sizeof what);
		(void)snprintf(id, sizeof id, "option %s backend", rows[i].key);
		status = vrs_config_warn(&config->settings, id, err, "%s has no effect with the backend %s: it is for --backend %s", what, backend,
					 rows[i].backend);
	}
	return status;
}

enum vrs_status vrs_config_open_messages(struct vrs_config *config, struct vrs_error *err)
{
	const struct vrs_settings *settings = &config->settings;
	char text[VRS_PATH_MAX];
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	enum vrs_status status = vrs_messages_open((enum vrs_log_level)settings->report.log_level, settings->report.log_file, err);

	config->holds_warnings = false;
	for (int i = 0; status == VRS_OK && i < count; i++) {
		if (config->states[i].source == VRS_SOURCE_DEFAULT)
			continue;
		status = vrs_config_text(config, &rows[i], text, sizeof text);
		if (status == VRS_OK)
			status = vrs_config_warn_row(config, &rows[i], &config->states[i], text, err);
	}
	return status;
}
