/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/run/technique_cases.h"

#include <string.h>

#include "base/str_parse.h"

/* The value as the configuration writes it: "on" and "true" are one. */
static enum vrs_status canonical(const struct vrs_config *base, const struct vrs_case_value *value, char *text, size_t size, struct vrs_error *err)
{
	struct vrs_config *config = NULL;
	enum vrs_status status = vrs_config_copy(&config, base);
	if (status == VRS_OK)
		status = vrs_config_set(config, value->key, value->value, VRS_SOURCE_FLAG, "technique", err);
	if (status == VRS_OK)
		status = vrs_config_get(config, value->key, text, size);
	vrs_config_destroy(config);
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "%s cannot be set to %s: %s", value->key, value->value, vrs_status_str(status));
}

static enum vrs_status make_case(const struct vrs_technique *t, const struct vrs_technique_side *side, const struct vrs_technique_common *common,
				 const struct vrs_config *base, struct vrs_case *c, struct vrs_error *err)
{
	char mode[24];
	enum vrs_status status = VRS_OK;
	*c = (struct vrs_case){.width = common->width, .height = common->height, .scope = common->scope, .live_hz = t->live_hz};
	for (int i = 0; i < side->count && status == VRS_OK; i++) {
		char text[sizeof side->values[i].value], own[sizeof text];
		status = canonical(base, &side->values[i], text, sizeof text, err);
		if (status == VRS_OK)
			status = vrs_config_get(base, side->values[i].key, own, sizeof own);
		if (status == VRS_OK && strcmp(text, own) != 0)
			status = vrs_case_set(c, side->values[i].key, text, err);
	}
	vrs_strcpy(c->axis, sizeof c->axis, c->value_count ? t->name : t->live_hz > 0 ? vrs_mode_text(t->live_hz, mode, sizeof mode) : "default");
	return status;
}

static enum vrs_status add_side(const struct vrs_technique *t, const struct vrs_technique_side *side, const struct vrs_technique_common *common,
				struct vrs_runner *runner, bool resume, int *index, struct vrs_error *err)
{
	struct vrs_case c;
	int before = vrs_runner_count(runner);
	enum vrs_status status = make_case(t, side, common, vrs_runner_base(runner), &c, err);
	if (status == VRS_OK)
		status = vrs_runner_add(runner, &c, index, err);
	if (status == VRS_OK && resume && *index >= before)
		status = vrs_fail(err, VRS_ECONFIG, "the file of techniques has changed since the measurement began (%s): start anew in another folder",
				  t->name);
	return status;
}

/* Why this clip or this measurement cannot show a technique; "": it can. */
static void find_unfit(const struct vrs_technique *t, const struct vrs_technique_common *common, const struct vrs_bench_input *input, char *buf,
		       size_t size)
{
	bool net_only = common->scope == VRS_SCOPE_NET_ONLY, live = t->live_hz > 0;
	buf[0] = 0;
	if (t->eyes > input->eyes)
		snprintf(buf, size, "needs a stereo clip, and this one has %d eye", input->eyes);
	else if (net_only && (live || t->goal == VRS_TECHNIQUE_QUALITY))
		snprintf(buf, size, "the network alone has neither a clock nor mattes");
}

/* The base configuration comes first where some pair has it for a side: it is what the others are compared with. */
static enum vrs_status add_base(const struct vrs_technique_list *list, const struct vrs_technique_common *common, struct vrs_runner *runner,
				bool resume, struct vrs_error *err)
{
	for (int i = 0; i < list->count; i++) {
		const struct vrs_technique *t = &list->items[i];
		const struct vrs_technique_side *sides[] = {&t->off, &t->on};
		for (int s = 0; s < 2 && t->kind == VRS_TECHNIQUE_PAIR && !(t->live_hz > 0); s++) {
			struct vrs_case c;
			int index;
			enum vrs_status status = make_case(t, sides[s], common, vrs_runner_base(runner), &c, err);
			if (status != VRS_OK)
				return status;
			if (c.value_count == 0)
				return add_side(t, sides[s], common, runner, resume, &index, err);
		}
	}
	return VRS_OK;
}

enum vrs_status vrs_technique_add_cases(const struct vrs_technique_list *list, const struct vrs_technique_common *common, struct vrs_runner *runner,
					bool resume, struct vrs_technique_cases *cases, struct vrs_error *err)
{
	enum vrs_status status = add_base(list, common, runner, resume, err);
	for (int i = 0; i < list->count && status == VRS_OK; i++) {
		const struct vrs_technique *t = &list->items[i];
		cases[i] = (struct vrs_technique_cases){.off = -1, .on = -1};
		if (t->kind != VRS_TECHNIQUE_PAIR)
			continue;
		find_unfit(t, common, vrs_runner_input(runner), cases[i].unfit, sizeof cases[i].unfit);
		if (cases[i].unfit[0])
			continue;
		status = add_side(t, &t->off, common, runner, resume, &cases[i].off, err);
		if (status == VRS_OK)
			status = add_side(t, &t->on, common, runner, resume, &cases[i].on, err);
		if (status == VRS_OK && cases[i].off == cases[i].on)
			status = vrs_fail(err, VRS_ECONFIG, "off and on of %s are the same configuration", t->name);
	}
	return status;
}

void vrs_technique_print_list(const struct vrs_technique_list *list, const struct vrs_technique_cases *cases, struct vrs_runner *runner, FILE *out)
{
	const struct vrs_result *result = vrs_runner_result(runner);
	for (int i = 0; i < list->count; i++) {
		const struct vrs_technique *t = &list->items[i];
		if (t->kind != VRS_TECHNIQUE_PAIR)
			fprintf(out, "%-23s %s: %s\n", t->name, vrs_technique_kind_name(t->kind), t->reason);
		else if (cases[i].unfit[0])
			fprintf(out, "%-23s not measured: %s\n", t->name, cases[i].unfit);
		else
			fprintf(out, "%-23s off %s\n%-23s on  %s\n", t->name, result->cases[cases[i].off].id, "", result->cases[cases[i].on].id);
	}
}
