/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/advice_trial.h"

#include <math.h>
#include <string.h>

#include <vrseg/yaml.h>

#include "bench/judge/bottleneck.h"
#include "bench/judge/holm_family.h"
#include "tuner/search_result.h"

/* Add a value as a case, unless one has it; a value that its option does not take is none. */
static int add_case(struct vrs_case ret[VRS_ADVICE_TRIAL_MAX], int count, const struct vrs_yaml_entry *entry)
{
	struct vrs_case next;
	memset(&next, 0, sizeof next);
	if (count == VRS_ADVICE_TRIAL_MAX || vrs_case_set(&next, entry->key, entry->value, NULL) != VRS_OK)
		return count;
	for (int i = 0; i < count; i++)
		if (vrs_case_same_values(&ret[i], &next))
			return count;
	ret[count] = next;
	return count + 1;
}

int vrs_advice_trial_cases(const struct vrs_result *result, const struct vrs_case_result *c, int cpus, struct vrs_case ret[VRS_ADVICE_TRIAL_MAX])
{
	struct vrs_bottleneck_input input;
	struct vrs_bottleneck rules[VRS_BOTTLENECK_MAX];
	int count = 0, n = vrs_bottleneck_input_of_case(result, c, cpus, &input) ? vrs_bottleneck_find(&input, rules, VRS_BOTTLENECK_MAX) : 0;
	for (int i = 0; i < n; i++) {
		struct vrs_yaml yaml;
		if (vrs_yaml_parse(&yaml, rules[i].yaml, strlen(rules[i].yaml), "advice", NULL) == VRS_OK)
			for (int k = 0; k < yaml.count; k++)
				count = add_case(ret, count, &yaml.entries[k]);
		vrs_yaml_fini(&yaml);
	}
	return count;
}

static bool ran(const struct vrs_case_result *c, const struct vrs_case_result *base, const void *cookie)
{
	(void)base;
	(void)cookie;
	return vrs_case_result_ok_runs(c) > 0;
}

static void trial_row(struct vrs_table *t, const struct vrs_result *result, const struct vrs_case_result *c, const struct vrs_objective *objective,
		      const struct vrs_holm_family *family)
{
	const struct vrs_tuned_figures figures = vrs_case_figures(c, &result->cases[0]);
	struct vrs_limits limits = {.missed = 0};
	int member = vrs_holm_family_find(family, c);
	char words[200] = "";
	vrs_table_add_row(t);
	vrs_table_set(t, 0, "%s%s", c->id, c == &result->cases[0] ? " (now)" : "");
	vrs_table_set_number(t, 1, "%.2f", figures.fps.n ? figures.fps.median : NAN);
	vrs_table_set_number(t, 2, "%.4f", figures.quality);
	vrs_table_set_number(t, 3, "%.0f", figures.kbps);
	if (c == &result->cases[0])
		return;
	vrs_objective_check(objective, c, &result->cases[0], &limits);
	if (member >= 0)
		vrs_holm_family_text(family, member, words, sizeof words);
	vrs_table_set(t, 4, "%s%s%s", words, words[0] && limits.why[0] ? "; but " : "", limits.why);
}

void vrs_advice_trial_table(const struct vrs_result *result, const struct vrs_objective *objective, struct vrs_findings *findings)
{
	static const char *const heads[] = {"settings", "FPS", "IoU", "kbit/s", "outcome"};
	struct vrs_holm_family family;
	enum vrs_status status = vrs_holm_family_judge(&family, result, &result->cases[0], &(struct vrs_holm_rules){.accept = ran});
	struct vrs_table *t = vrs_findings_start_table(findings, "tried", "Advice, tried", heads, 5, 1u << 0 | 1u << 4);
	for (int i = 0; status == VRS_OK && i < result->case_count; i++)
		trial_row(t, result, &result->cases[i], objective, &family);
	vrs_holm_family_fini(&family);
	if (status != VRS_OK)
		vrs_findings_fail(findings, status);
}
