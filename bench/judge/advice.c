/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/advice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/options.h>
#include <vrseg/yaml.h>

#include "base/json.h"
#include "base/str_parse.h"
#include "bench/judge/holm_family.h"
#include "bench/judge/verdict.h"
#include "bench/plan/case.h"

#define MOST_SETTINGS 240 /* bytes of a command that has to be read in a report */

/* What one proposal is, and what became of it. */
struct advice {
	const struct vrs_result *result;
	const struct vrs_case_result *case_result;
	const struct vrs_proposal *proposal;
	char now[192];             /* value of the case; "": not known */
	char note[400];            /* comment behind the value */
	char against[128];         /* why it is dropped; "": it stands */
};

static bool cpu_has(const struct vrs_result *result, const char *feature)
{
	cJSON *machine = NULL;
	size_t length = strlen(feature);
	bool found = false;
	const char *json = result ? result->machine_json : "";
	if (!json[0] || vrs_json_parse(json, strlen(json), sizeof result->machine_json, "environment", &machine, NULL) != VRS_OK)
		return false;
	const cJSON *cpu = cJSON_GetObjectItemCaseSensitive(machine, "cpu");
	const char *text = cpu ? vrs_json_string(cpu, "features") : NULL;
	for (const char *word = text; word && *word && !found; word += strcspn(word, " "), word += strspn(word, " "))
		found = strcspn(word, " ") == length && memcmp(word, feature, length) == 0;
	cJSON_Delete(machine);
	return found;
}

int vrs_advice_precision(const struct vrs_result *result, struct vrs_proposal ret[VRS_ADVICE_PRECISIONS])
{
	int n = 0;
	if (cpu_has(result, "avx512bf16"))
		ret[n++] = (struct vrs_proposal){"engine.precision", "bf16", false};
	ret[n] = (struct vrs_proposal){"engine.precision", "fp16", n > 0};
	return n + 1;
}

/* The number that is the same as the word of an option ("auto") becomes the word. */
static const char *plain_value(const struct vrs_option *row, const char *value)
{
	return vrs_option_is_word_number(row, value) ? row->min_name : value;
}

static bool same_value(const char *key, const char *a, const char *b)
{
	const struct vrs_option *row = vrs_option_find(key);
	return strcmp(plain_value(row, a), plain_value(row, b)) == 0;
}

void vrs_advice_now(const struct vrs_result *result, const struct vrs_case_result *c, const char *key, char *ret, size_t size)
{
	struct vrs_case values;
	struct vrs_yaml yaml;
	const struct vrs_option *row = vrs_option_find(key);
	const char *own = NULL;
	ret[0] = 0;
	if (!result || !c || !row)
		return;
	if (vrs_case_parse(c->id, &values, NULL) == VRS_OK)
		own = vrs_case_get(&values, row->key);
	const char *settings = vrs_case_result_settings(result, c);
	enum vrs_status status = vrs_yaml_parse(&yaml, settings, strlen(settings), "settings", NULL);
	const struct vrs_yaml_entry *entry = status == VRS_OK && !own ? vrs_yaml_find(&yaml, row->key) : NULL;
	vrs_strcpy(ret, size, plain_value(row, own ? own : entry ? entry->value : row->default_text));
	vrs_yaml_fini(&yaml);
}

/* Does every value of a stand in b, but for one key? */
static bool covers(const struct vrs_case *a, const struct vrs_case *b, const char *but)
{
	for (int i = 0; i < a->value_count; i++) {
		const char *key = a->values[i].key, *other = vrs_case_get(b, key);
		if (strcmp(key, but) != 0 && (!other || !same_value(key, a->values[i].value, other)))
			return false;
	}
	return true;
}

/* The measured case that differs from the advised one by this proposal alone; NULL: none, or what was measured is INVALID. */
static const struct vrs_case_result *find_measured(const struct advice *a)
{
	struct vrs_case base, other;
	const char *key = a->proposal->key;
	if (!a->case_result || vrs_case_result_is_invalid(a->case_result) || vrs_case_parse(a->case_result->id, &base, NULL) != VRS_OK)
		return NULL;
	for (int i = 0; i < a->result->case_count; i++) {
		const struct vrs_case_result *c = &a->result->cases[i];
		if (c == a->case_result || c->fps.n == 0 || vrs_case_result_is_invalid(c) || !vrs_case_result_same_kind(c, a->case_result) ||
		    vrs_case_parse(c->id, &other, NULL) != VRS_OK)
			continue;
		const char *value = vrs_case_get(&other, key);
		if (value && same_value(key, value, a->proposal->value) && other.width == base.width && other.height == base.height &&
		    other.side == base.side && covers(&base, &other, key) && covers(&other, &base, key))
			return c;
	}
	return NULL;
}

/* The one comparison of the two that a report knows: of the family where c could take the place of the base, else alone. False: no shared round. */
static bool compare_measured(const struct advice *a, const struct vrs_case_result *c, struct vrs_comparison *ret)
{
	struct vrs_holm_family family;
	enum vrs_status status = vrs_holm_family_judge(&family, a->result, a->case_result, NULL);
	int member = status == VRS_OK ? vrs_holm_family_find(&family, c) : -1;
	if (member >= 0)
		*ret = family.comparisons[member];
	vrs_holm_family_fini(&family);
	return member >= 0 ? ret->pairs > 0 : vrs_verdict_cases(a->case_result, c, VRS_HEADLINE_FPS, VRS_VERDICT_ALPHA, ret) == VRS_OK;
}

static void judge_measured(struct advice *a, const struct vrs_case_result *c)
{
	struct vrs_comparison comparison;
	const char *value = a->proposal->value;
	double agreement = vrs_case_result_median(c, offsetof(struct vrs_run, agreement)), ratio = c->fps.median / a->case_result->fps.median;
	bool paired = compare_measured(a, c, &comparison);
	if (paired && isfinite(comparison.change))
		ratio = 1 / (1 + comparison.change);
	if (!(ratio > 1) || (paired && comparison.verdict == VRS_VERDICT_EQUIVALENT))
		snprintf(a->against, sizeof a->against, "%s was measured: %.2fx the speed", value, ratio);
	else if (agreement < VRS_RECOMMEND_MIN_AGREEMENT)
		snprintf(a->against, sizeof a->against, "%s was measured: its mattes agree only to %.3f IoU", value, agreement);
	else
		snprintf(a->note, sizeof a->note, "measured: %.2fx the speed%s", ratio,
			 paired && vrs_verdict_is_gain(&comparison) ? "" : paired ? ", not proven" : ", in other rounds");
}

/* Does the result have cases of several sizes, so that a command has to say which? */
static bool has_sizes(const struct vrs_result *result)
{
	for (int i = 1; i < result->case_count; i++)
		if (result->cases[i].width != result->cases[0].width || result->cases[i].height != result->cases[0].height)
			return true;
	return false;
}

/*
 * The flag that makes an axis of the key, for the command that measures it, and all settings of the case: without them it would measure another
 * network, or another job.
 */
static void say_command(struct advice *a)
{
	static const char *const axes[][2] = {
		{"engine.precision", "--precision "}, {"engine.threads", "--threads "}, {"engine.streams", "--streams "}, {"engine.batch_size", "--batch-size "},
	};
	char flag[96], settings[MOST_SETTINGS] = "";
	bool complete = !a->case_result || vrs_case_flags(vrs_case_result_settings(a->result, a->case_result), a->case_result->id, a->proposal->key,
							  has_sizes(a->result), settings, sizeof settings) == VRS_OK;
	snprintf(flag, sizeof flag, "--set %s=", a->proposal->key);
	for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
		if (strcmp(axes[i][0], a->proposal->key) == 0)
			vrs_strcpy(flag, sizeof flag, axes[i][1]);
	snprintf(a->note, sizeof a->note, "not measured: vrbench%s %s%.24s%s%.24s VIDEO%s", complete ? settings : "", flag, a->now,
		 a->now[0] ? "," : "", a->proposal->value, complete ? "" : " with the other settings of this case");
}

/* "engine:\n  precision: bf16  # not measured; ..." */
static void put_yaml(const struct advice *a, char *section, size_t section_size, char *yaml, size_t size)
{
	char own[64];
	const char *key = a->proposal->key, *dot = strchr(key, '.');
	size_t used = strlen(yaml);
	snprintf(own, sizeof own, "%.*s", dot ? (int)(dot - key) : 0, key);
	if (strcmp(own, section) != 0) {
		(void)snprintf(yaml + used, size - used, "%s%s:", used ? "\n" : "", own);
		vrs_strcpy(section, section_size, own);
		used = strlen(yaml);
	}
	(void)snprintf(yaml + used, size - used, "\n  %s: %s  # %s", dot ? dot + 1 : key, a->proposal->value, a->note);
}

void vrs_advice(const struct vrs_result *result, const struct vrs_case_result *c, const struct vrs_proposal *proposals, int count, char *yaml,
		size_t yaml_size, char *told, size_t told_size)
{
	char section[64] = "";
	bool dropped = false;
	yaml[0] = told[0] = 0;
	for (int i = 0; i < count; i++) {
		struct advice a = {.result = result, .case_result = result ? c : NULL, .proposal = &proposals[i]};
		if (proposals[i].or_else && !dropped)
			continue;
		vrs_advice_now(result, a.case_result, a.proposal->key, a.now, sizeof a.now);
		dropped = a.now[0] && same_value(a.proposal->key, a.now, a.proposal->value);
		if (dropped)
			continue;
		const struct vrs_case_result *measured = find_measured(&a);
		if (measured)
			judge_measured(&a, measured);
		else
			say_command(&a);
		dropped = a.against[0] != 0;
		size_t used = strlen(told);
		if (dropped)
			(void)snprintf(told + used, told_size - used, "%s%s", used ? "; " : "", a.against);
		else
			put_yaml(&a, section, sizeof section, yaml, yaml_size);
	}
}
