/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The environment: VRSEG_ENGINE_THREADS is engine.threads.  A variable nobody knows is a mistake, and said to be one. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str_parse.h"
#include "config/config_object.h"
#include "config/option_table.h"

#define PREFIX "VRSEG_"

/* Read elsewhere: kernel mask, network archives of the set-up script, root of recorded machines, the program that runs vrtune. */
static const char reserved[] = "CPU MODEL_ARCHIVE RVM_ARCHIVE ROOT CALLER";

/* "engine.threads" -> "ENGINE_THREADS" */
static void env_name(const char *key, char *buf, size_t size)
{
	size_t i = 0;

	for (; key[i] && i + 1 < size; i++)
		buf[i] = key[i] == '.' ? '_' : (char)toupper((unsigned char)key[i]);
	buf[i] = '\0';
}

/* The key whose variable this is, written into buf. */
static bool find_key(const char *name, char *buf, size_t size)
{
	char candidate[VRS_KEY_MAX];

	for (int i = 0; vrs_option_name(i, buf, size); i++) {
		env_name(buf, candidate, sizeof candidate);
		if (strcmp(candidate, name) == 0)
			return true;
	}
	return false;
}

static enum vrs_status fail_unknown(const char *name, struct vrs_error *err)
{
	char candidate[128], best[128] = "";
	int count, distance, best_distance = (int)strlen(name) / 3 + 1;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++) {
		env_name(rows[i].key, candidate, sizeof candidate);
		distance = vrs_edit_distance(name, candidate);
		if (distance < best_distance) {
			best_distance = distance;
			(void)vrs_strcpy(best, sizeof best, candidate);
		}
	}
	if (best[0])
		return vrs_fail(err, VRS_ECONFIG, "unknown environment variable " PREFIX "%.100s; did you mean " PREFIX "%s?", name, best);
	return vrs_fail(err, VRS_ECONFIG, "unknown environment variable " PREFIX "%.100s; --list-options shows all keys", name);
}

/* Two variables for one option come in any order, so that none of them is the last one. */
static enum vrs_status assign(struct vrs_config *config, const struct vrs_assignment *a, struct vrs_error *err)
{
	const struct vrs_option *row = vrs_option_find(a->key);
	const struct vrs_row_state *state = row ? &config->states[vrs_option_index(row)] : NULL;
	char before[VRS_PATH_MAX], after[VRS_PATH_MAX], other[VRS_WHERE_MAX] = "";
	bool was_weak = state && state->weak;

	if (state && state->source == VRS_SOURCE_ENV && vrs_config_text(config, row, before, sizeof before) == VRS_OK)
		(void)vrs_strcpy(other, sizeof other, state->label); /* same size */
	enum vrs_status status = vrs_config_assign(config, a, err);
	if (status != VRS_OK || !other[0] || state->weak != was_weak || vrs_config_text(config, row, after, sizeof after) != VRS_OK)
		return status;
	if (strcmp(before, after) == 0)
		return VRS_OK;
	return vrs_fail(err, VRS_ECONFIG, "%s does not go with %s: both set %s", a->label, other, row->key);
}

static enum vrs_status load_one(struct vrs_config *config, const char *entry, struct vrs_error *err)
{
	const char *equals = strchr(entry, '=');
	char name[128], key[128], shown[160];
	struct vrs_assignment a = {.key = key, .source = VRS_SOURCE_ENV, .label = shown, .where = shown};

	if (!equals)
		return VRS_OK;
	if ((size_t)(equals - entry) >= sizeof name)
		return vrs_fail(err, VRS_ECONFIG, "unknown environment variable " PREFIX "%.60s...; --list-options shows all keys", entry);
	memcpy(name, entry, (size_t)(equals - entry));
	name[equals - entry] = '\0';
	if (vrs_words_have(reserved, name, NULL))
		return VRS_OK;
	if (!find_key(name, key, sizeof key))
		return fail_unknown(name, err);
	(void)snprintf(shown, sizeof shown, PREFIX "%s", name);
	a.value = equals + 1;
	return assign(config, &a, err);
}

enum vrs_status vrs_config_load_env(struct vrs_config *config, struct vrs_error *err)
{
	for (char **entry = environ; entry && *entry; entry++) {
		enum vrs_status status;

		if (strncmp(*entry, PREFIX, strlen(PREFIX)) != 0)
			continue;
		status = load_one(config, *entry + strlen(PREFIX), err);
		if (status != VRS_OK)
			return status;
	}
	return VRS_OK;
}
