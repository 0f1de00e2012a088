/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options of which one alone decides (VRS_OPTION_RATE).  The one of the strongest source does, so that a flag overrides what a profile or a file says
 * by another one; what a case sets over them does before all.
 */
#include <string.h>

#include "base/mem.h"
#include "config/config_object.h"
#include "config/option_table.h"

/* Has a source set a value that asks for something? */
static bool asks(const struct vrs_config *config, const struct vrs_option *row)
{
	const char *nothing = row->min_name ? row->min_name : row->default_text;
	char text[VRS_PATH_MAX];

	if (config->states[vrs_option_index(row)].source == VRS_SOURCE_DEFAULT)
		return false;
	return vrs_config_text(config, row, text, sizeof text) == VRS_OK && strcmp(text, nothing) != 0;
}

/* From row *index on; NULL: there is none. */
static const struct vrs_option *next_asking(const struct vrs_config *config, int *index)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	while (*index < count) {
		const struct vrs_option *row = &rows[(*index)++];

		if ((row->traits & VRS_OPTION_RATE) && asks(config, row))
			return row;
	}
	return NULL;
}

static void drop_weaker(struct vrs_config *config, enum vrs_value_source strongest)
{
	const struct vrs_option *row;

	for (int i = 0; (row = next_asking(config, &i));)
		if (config->states[vrs_option_index(row)].source < strongest)
			vrs_config_unset(config, row);
}

enum vrs_status vrs_config_settle_rivals(struct vrs_config *config, struct vrs_error *err)
{
	const struct vrs_row_state *first = NULL, *twin = NULL;
	const struct vrs_option *row;

	for (int i = 0; (row = next_asking(config, &i));) {
		const struct vrs_row_state *state = &config->states[vrs_option_index(row)];

		if (first && state->source == first->source)
			twin = state;
		if (first && state->source <= first->source)
			continue;
		first = state;
		twin = NULL;
	}
	if (twin && first->source == VRS_SOURCE_FLAG) /* files and the environment serve commands that encode nothing: whoever encodes tells */
		return vrs_fail(err, VRS_ECONFIG, "%s does not go with %s: each decides on size and quality; give one of them", twin->label,
				first->label);
	if (first)
		drop_weaker(config, first->source);
	return VRS_OK;
}

static void drop_others(struct vrs_config *config, const struct vrs_option *stays)
{
	const struct vrs_option *row;

	for (int i = 0; (row = next_asking(config, &i));)
		if (row != stays)
			vrs_config_unset(config, row);
}

enum vrs_status vrs_config_outrank(struct vrs_config *config, const char *key, const char **decides, struct vrs_error *err)
{
	const struct vrs_option *row = vrs_option_find(key);

	if (!row || !(row->traits & VRS_OPTION_RATE) || !asks(config, row))
		return VRS_OK;
	if (*decides && strcmp(*decides, row->key) != 0)
		return vrs_fail(err, VRS_ECONFIG, "%s does not go with %s: each decides on size and quality; give one of them", row->key, *decides);
	*decides = row->key;
	drop_others(config, row);
	return VRS_OK;
}

bool vrs_config_is_outranked(const struct vrs_config *config, const char *key)
{
	const struct vrs_option *row = vrs_option_find(key), *other;

	for (int i = 0; row && (row->traits & VRS_OPTION_RATE) && (other = next_asking(config, &i));)
		if (other != row)
			return true;
	return false;
}
