/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/modes/techniques_mode.h"

#include <stdlib.h>
#include <string.h>

#include <vrseg/log.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/printable.h"
#include "base/str_parse.h"
#include "bench/judge/verdict.h"
#include "bench/modes/bench_progress.h"
#include "bench/modes/sweep_plan.h"
#include "bench/plan/sweep.h"

enum vrs_status vrs_techniques_request_make(struct vrs_techniques_request *ret_request, const char *file, const char *filter, const char *skip,
					    struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	struct vrs_techniques_request *r = ret_request;
	enum vrs_status status = vrs_sweep_find(file ? file : VRS_TECHNIQUE_DEFAULT_FILE, path, err);
	if (status != VRS_OK)
		return status;
	char *real = realpath(path, NULL);
	bool fits = vrs_strcpy(r->file, sizeof r->file, real ? real : path) && vrs_strcpy(r->filter, sizeof r->filter, filter ? filter : "") &&
		    vrs_strcpy(r->skip, sizeof r->skip, skip ? skip : "");
	free(real); /* libc: of realpath */
	return fits ? VRS_OK : vrs_fail(err, VRS_ECONFIG, "the file of techniques, --filter or --skip is too long");
}

/* The value as the configuration writes it: "on" and "true" are one.  *ret_same: the base has it, and it counts there. */
static enum vrs_status canonical(const struct vrs_config *base, const struct vrs_case_value *value, char *text, size_t size, bool *ret_same,
				 struct vrs_error *err)
{
	char own[sizeof value->value];
	const char *rate = NULL;
	struct vrs_config *config = NULL;
	enum vrs_status status = vrs_config_copy(&config, base);
	if (status == VRS_OK)
		status = vrs_config_set(config, value->key, value->value, VRS_SOURCE_FLAG, "technique", err);
	if (status == VRS_OK)
		status = vrs_config_outrank(config, value->key, &rate, err);
	if (status == VRS_OK)
		status = vrs_config_get(config, value->key, text, size);
	if (status == VRS_OK)
		status = vrs_config_get(base, value->key, own, sizeof own);
	if (status == VRS_OK)
		*ret_same = strcmp(text, own) == 0 && vrs_config_is_outranked(base, value->key) == vrs_config_is_outranked(config, value->key);
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
		char text[sizeof side->values[i].value];
		bool same = false;
		status = canonical(base, &side->values[i], text, sizeof text, &same, err);
		if (status == VRS_OK && !same)
			status = vrs_case_set(c, side->values[i].key, text, err);
	}
	vrs_strcpy(c->axis, sizeof c->axis, c->value_count ? t->name : t->live_hz > 0 ? vrs_mode_text(t->live_hz, mode, sizeof mode) : VRS_AXIS_DEFAULT);
	return status;
}

static enum vrs_status add_side(const struct vrs_technique *t, const struct vrs_technique_side *side, const struct vrs_technique_common *common,
				struct vrs_runner *runner, bool resume, int *index, struct vrs_error *err)
{
	struct vrs_case c;
	int before = vrs_runner_result(runner)->case_count;
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

/* A pair on a backend or device that is not here: its cases would only be skipped. */
static void find_unavailable(const struct vrs_technique *t, const struct vrs_technique_common *common, const struct vrs_runner *runner, char *buf,
			     size_t size)
{
	const struct vrs_technique_side *sides[] = {&t->off, &t->on};
	for (int s = 0; s < 2 && !buf[0]; s++) {
		struct vrs_case c;
		struct vrs_error err = {.status = VRS_OK};
		char why[256];
		if (make_case(t, sides[s], common, vrs_runner_base(runner), &c, &err) == VRS_OK && vrs_case_get(&c, "engine.backend") &&
		    vrs_runner_rejects(runner, &c, why, sizeof why) != VRS_REJECTION_NONE)
			(void)vrs_strcpy(buf, size, why);
	}
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

/* The cases of all pairs; what equals the base configuration is left out of a case, so that pairs share its runs. With resume they are there. */
static enum vrs_status add_cases(const struct vrs_technique_list *list, const struct vrs_technique_common *common, struct vrs_runner *runner,
				 bool resume, struct vrs_technique_cases *cases, struct vrs_error *err)
{
	enum vrs_status status = add_base(list, common, runner, resume, err);
	for (int i = 0; i < list->count && status == VRS_OK; i++) {
		const struct vrs_technique *t = &list->items[i];
		cases[i] = (struct vrs_technique_cases){.off = -1, .on = -1};
		if (t->kind != VRS_TECHNIQUE_PAIR)
			continue;
		find_unfit(t, common, vrs_runner_input(runner), cases[i].unfit, sizeof cases[i].unfit);
		if (!cases[i].unfit[0])
			find_unavailable(t, common, runner, cases[i].unfit, sizeof cases[i].unfit);
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

static enum vrs_status find_size(const char *resolution, struct vrs_technique_common *common, struct vrs_error *err)
{
	struct vrs_sweep sweep = {.axis_count = 0};
	int pair[2];
	enum vrs_status status = resolution ? vrs_sweep_set(&sweep, VRS_SWEEP_RESOLUTION, resolution, err) : VRS_OK;
	if (status != VRS_OK || !resolution)
		return status;
	if (vrs_parse_size2(sweep.axes[0].values[0], 1, 32768, pair)) {
		common->width = pair[0];
		common->height = pair[1];
	}
	return VRS_OK;
}

enum vrs_status vrs_techniques_open(struct vrs_techniques *ret, struct vrs_runner *runner, const char *resolution, bool resume, bool list_only,
				    struct vrs_error *err)
{
	const struct vrs_run_plan *plan = vrs_runner_plan(runner);
	const struct vrs_techniques_request *r = &plan->techniques;
	struct vrs_technique_common common = {.scope = plan->scope};
	struct vrs_result *result = vrs_runner_result(runner);
	ret->list = NULL;
	if (resume && result->case_count > 0) { /* the size that was asked for is in the cases */
		common.width = result->cases[0].width;
		common.height = result->cases[0].height;
	}
	enum vrs_status status = find_size(resolution, &common, err);
	if (status == VRS_OK)
		status = vrs_technique_list_load(&ret->list, r->file, r->filter[0] ? r->filter : NULL, r->skip[0] ? r->skip : NULL, err);
	if (status == VRS_OK)
		status = add_cases(ret->list, &common, runner, resume, ret->cases, err);
	if (status == VRS_OK && result->case_count == 0 && !list_only)
		status = vrs_fail(err, VRS_ECONFIG, "none of these techniques can be measured here (--list says why)");
	if (status == VRS_OK && result->case_count > 0 && vrs_case_result_is_default(&result->cases[0]))
		vrs_strcpy(result->default_case, sizeof result->default_case, result->cases[0].id);
	if (status != VRS_OK)
		vrs_techniques_fini(ret);
	return status;
}

void vrs_techniques_fini(struct vrs_techniques *techniques)
{
	vrs_free(techniques->list);
	techniques->list = NULL;
}

/* Names and reasons come from a file. */
static void put_reason(FILE *out, const char *name, const char *what, const char *reason)
{
	fprintf(out, "%-23s %s: ", name, what);
	vrs_print_text(out, reason);
	fputc('\n', out);
}

void vrs_techniques_print_list(const struct vrs_techniques *techniques, const struct vrs_runner *runner, FILE *out)
{
	const struct vrs_technique_list *list = techniques->list;
	const struct vrs_technique_cases *cases = techniques->cases;
	const struct vrs_result *result = vrs_runner_result(runner);
	for (int i = 0; i < list->count; i++) {
		const struct vrs_technique *t = &list->items[i];
		if (t->kind != VRS_TECHNIQUE_PAIR)
			put_reason(out, t->name, vrs_technique_kind_name(t->kind), t->reason);
		else if (cases[i].unfit[0])
			put_reason(out, t->name, "not measured", cases[i].unfit);
		else
			fprintf(out, "%-23s off %s\n%-23s on  %s\n", t->name, result->cases[cases[i].off].id, "", result->cases[cases[i].on].id);
	}
}

enum vrs_status vrs_techniques_print_plan(const struct vrs_techniques *techniques, struct vrs_runner *runner, int rounds, double budget, FILE *out,
					  struct vrs_error *err)
{
	int pairs = 0;
	char text[32];
	double seconds = vrs_sweep_plan_round_seconds(runner);
	for (int i = 0; i < techniques->list->count; i++)
		pairs += techniques->cases[i].off >= 0;
	int need = vrs_verdict_family_rounds(pairs);
	enum vrs_status status = vrs_sweep_plan_print(runner, rounds, 0, out, err);
	if (status != VRS_OK)
		return status;
	fprintf(out, "%d of %d techniques have a pair that is measured here, %d cases stand for both sides of all\n", pairs, techniques->list->count,
		vrs_runner_result(runner)->case_count);
	if (rounds < need)
		fprintf(out, "%d rounds can prove nothing about %d techniques together: at least %d are needed (--runs %d)\n", rounds, pairs, need, need + 2);
	vrs_bench_time_text(budget, text, sizeof text);
	if (budget > 0 && seconds > 0)
		fprintf(out, "the budget of %s holds about %.0f of the %d rounds\n", text, budget / seconds < rounds ? budget / seconds : rounds, rounds);
	return VRS_OK;
}

enum vrs_status vrs_techniques_measure(struct vrs_runner *runner, int rounds, double budget, bool resume, bool *ret_complete, struct vrs_error *err)
{
	enum vrs_status status = budget > 0 || resume ? VRS_OK : vrs_sweep_plan_check(runner, rounds, err);
	vrs_runner_limit(runner, budget > 0 ? 1e-9 * (double)vrs_now_ns() + budget : 0, false);
	if (status == VRS_OK)
		status = vrs_runner_measure(runner, NULL, 0, 1, rounds, err);
	int left_out = vrs_runner_limit(runner, 0, false);
	if (left_out > 0)
		vrs_log(VRS_LOG_WARNING, "%d runs did not fit the budget: continue with --resume DIR", left_out);
	*ret_complete = status == VRS_OK && left_out == 0;
	return status;
}
