/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/plan/default_values.h"

#include <stdio.h>
#include <string.h>

static bool is_auto(const char *key, const char *value)
{
	const struct vrs_option *row = vrs_option_find(key);
	return strcmp(value, "auto") == 0 || vrs_option_is_word_number(row, value);
}

/* Do other cases have other values of the option? */
static bool is_varied(const struct vrs_result *result, const struct vrs_case_value *value)
{
	for (int i = 0; i < result->case_count; i++) {
		struct vrs_case c;
		const char *other = vrs_case_parse(result->cases[i].id, &c, NULL) == VRS_OK ? vrs_case_get(&c, value->key) : NULL;
		if (other && strcmp(other, value->value) != 0)
			return true;
	}
	return false;
}

/* Is the value what auto comes to on this input and machine? */
static bool is_of_auto(const struct vrs_case_value *value, const struct vrs_case *settled, const struct vrs_bench_input *input)
{
	const char *other = vrs_case_get(settled, value->key);
	char text[16] = "";
	if (strcmp(value->key, "engine.batch_size") == 0)
		snprintf(text, sizeof text, "%d", input->batch);
	else if (strcmp(value->key, "engine.threads") == 0)
		snprintf(text, sizeof text, "%d", input->threads);
	else if (strcmp(value->key, "engine.streams") == 0)
		snprintf(text, sizeof text, "%d", input->streams);
	return strcmp(other ? other : text, value->value) == 0;
}

static enum vrs_status apply(struct vrs_config *base, const struct vrs_result *result, const struct vrs_case *c, const struct vrs_bench_input *input,
			     const char *origin, struct vrs_error *err)
{
	char own[VRS_PATH_MAX];
	const char *rate = NULL;
	struct vrs_case settled = {.value_count = 0};
	enum vrs_status status = input ? vrs_case_settle(&settled, base, input->net_size, err) : VRS_OK;
	for (int i = 0; status == VRS_OK && i < c->value_count; i++) {
		const struct vrs_case_value *value = &c->values[i];
		bool known = vrs_config_get(base, value->key, own, sizeof own) == VRS_OK;
		if (known && strcmp(own, value->value) == 0 && !vrs_config_is_outranked(base, value->key))
			continue;
		if (known && is_auto(value->key, own) && (input ? is_of_auto(value, &settled, input) : !is_varied(result, value)))
			continue;
		status = vrs_config_set(base, value->key, value->value, VRS_SOURCE_FLAG, origin, err); /* over any source */
		if (status == VRS_OK)
			status = vrs_config_outrank(base, value->key, &rate, err);
	}
	return status;
}

enum vrs_status vrs_default_values_apply(struct vrs_config *base, const struct vrs_result *result, const struct vrs_bench_input *input,
					 struct vrs_error *err)
{
	struct vrs_case c;
	if (!vrs_result_find_case(result, result->default_case))
		return VRS_OK;
	enum vrs_status status = vrs_case_parse(result->default_case, &c, err);
	if (status != VRS_OK || c.side) /* a side's base is another one */
		return status;
	return apply(base, result, &c, input, "the default case", err);
}

enum vrs_status vrs_side_values_apply(struct vrs_config *base, const struct vrs_result *result, const struct vrs_case *c, struct vrs_error *err)
{
	char origin[16];
	snprintf(origin, sizeof origin, "side %c", c->side);
	return apply(base, result, c, NULL, origin, err);
}
