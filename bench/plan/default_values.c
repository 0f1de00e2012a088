/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/plan/default_values.h"

#include <stdio.h>
#include <string.h>

static bool is_auto(const char *key, const char *value)
{
	const struct vrs_option *row = vrs_option_find(key);
	return strcmp(value, "auto") == 0 || vrs_option_is_word_number(row, value);
}

static enum vrs_status set_number(struct vrs_case *c, const char *key, int own, int of_auto, struct vrs_error *err)
{
	char text[16];
	snprintf(text, sizeof text, "%d", own ? own : of_auto);
	return vrs_case_set(c, key, text, err);
}

/* The base's values on this input, where auto is a number or a precision. */
static enum vrs_status find_own(const struct vrs_config *base, const struct vrs_bench_input *input, struct vrs_case *ret, struct vrs_error *err)
{
	const struct vrs_settings *s = vrs_config_settings(base);
	*ret = (struct vrs_case){.value_count = 0};
	enum vrs_status status = vrs_case_settle(ret, base, input->net_size, err);
	if (status == VRS_OK)
		status = set_number(ret, "engine.batch_size", s->engine.batch_size, input->batch, err);
	if (status == VRS_OK)
		status = set_number(ret, "engine.threads", s->engine.threads, input->threads, err);
	return status == VRS_OK ? set_number(ret, "engine.streams", s->engine.streams, input->streams, err) : status;
}

enum vrs_status vrs_default_values_own_id(const struct vrs_config *base, const struct vrs_bench_input *input, char ret_id[VRS_CASE_ID_MAX],
					  struct vrs_error *err)
{
	struct vrs_case own;
	enum vrs_status status = find_own(base, input, &own, err);
	return status == VRS_OK ? vrs_case_id(&own, base, input->width, input->height, ret_id, VRS_CASE_ID_MAX, err) : status;
}

/* own: what the base comes to by itself; of what it does not say, auto is not known. */
static enum vrs_status apply(struct vrs_config *base, const struct vrs_case *c, const struct vrs_case *own, const char *origin, struct vrs_error *err)
{
	char before[VRS_PATH_MAX];
	const char *rate = NULL;
	enum vrs_status status = VRS_OK;
	for (int i = 0; status == VRS_OK && i < c->value_count; i++) {
		const struct vrs_case_value *value = &c->values[i];
		const char *of_auto = vrs_case_get(own, value->key);
		bool known = vrs_config_get(base, value->key, before, sizeof before) == VRS_OK;
		if (known && strcmp(before, value->value) == 0 && !vrs_config_is_outranked(base, value->key))
			continue;
		if (known && is_auto(value->key, before) && of_auto && strcmp(of_auto, value->value) == 0)
			continue;
		status = vrs_config_set(base, value->key, value->value, VRS_SOURCE_FLAG, origin, err); /* over any source */
		if (status == VRS_OK)
			status = vrs_config_outrank(base, value->key, &rate, err);
	}
	return status;
}

/* The same as the record says it. */
static enum vrs_status recorded_own(const struct vrs_result *result, struct vrs_case *ret, struct vrs_error *err)
{
	*ret = (struct vrs_case){.value_count = 0};
	return result->own_case[0] ? vrs_case_parse(result->own_case, ret, err) : VRS_OK;
}

enum vrs_status vrs_default_values_apply(struct vrs_config *base, const struct vrs_result *result, const struct vrs_bench_input *input,
					 struct vrs_error *err)
{
	struct vrs_case c, own;
	if (!vrs_result_find_case(result, result->default_case))
		return VRS_OK;
	enum vrs_status status = vrs_case_parse(result->default_case, &c, err);
	if (status != VRS_OK || c.side) /* a side's base is another one */
		return status;
	status = input ? find_own(base, input, &own, err) : recorded_own(result, &own, err);
	return status == VRS_OK ? apply(base, &c, &own, "the default case", err) : status;
}

enum vrs_status vrs_side_values_apply(struct vrs_config *base, const struct vrs_result *result, const struct vrs_case *c, struct vrs_error *err)
{
	char origin[16];
	struct vrs_case own;
	snprintf(origin, sizeof origin, "side %c", c->side);
	enum vrs_status status = recorded_own(result, &own, err);
	return status == VRS_OK ? apply(base, c, &own, origin, err) : status;
}
