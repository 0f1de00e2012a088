/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/night_gate.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "bench/judge/verdict.h"

static bool is_slower(const struct vrs_comparison *c)
{
	return c->verdict == VRS_VERDICT_SLOWER && c->gate;
}

/* Holm over one invocation, without mattes.  Returns the members in ret_family. */
static enum vrs_status judge_family(struct vrs_night_item *items, int count, bool second, int *ret_family)
{
	struct vrs_comparison **members = vrs_calloc((size_t)count + 1, sizeof *members); /* NOLINT(bugprone-sizeof-expression): of pointers */
	int n = 0;
	if (!members)
		return VRS_ENOMEM;
	for (int i = 0; i < count; i++) {
		struct vrs_comparison *c = second ? items[i].second : items[i].first;
		if (c && items[i].role != VRS_NIGHT_QUALITY)
			members[n++] = c;
	}
	enum vrs_status status = vrs_verdict_family(members, n);
	vrs_free(members);
	*ret_family = n;
	return status;
}

static void mark(struct vrs_night_item *items, int count, struct vrs_night_verdict *v)
{
	for (int i = 0; i < count; i++) {
		struct vrs_night_item *item = &items[i];
		bool quality = item->role == VRS_NIGHT_QUALITY;
		item->suspect = !quality && is_slower(item->first);
		item->regressed = quality ? item->first->verdict == VRS_VERDICT_SLOWER : item->suspect && item->second && is_slower(item->second);
		v->suspects += item->suspect;
		v->regressed += item->regressed;
	}
}

/* The item of that kind with the largest change for the worse; -1: none. */
static int find_largest(const struct vrs_night_item *items, int count, double change,
			bool (*accept)(const struct vrs_night_item *item, double change))
{
	int found = -1;
	for (int i = 0; i < count; i++)
		if (accept(&items[i], change) && (found < 0 || items[i].first->change > items[found].first->change || isnan(items[found].first->change)))
			found = i;
	return found;
}

static bool slowed(const struct vrs_night_item *item, double change)
{
	(void)change;
	return item->regressed && item->role != VRS_NIGHT_QUALITY;
}

static bool worse_matte(const struct vrs_night_item *item, double change)
{
	(void)change;
	return item->regressed && item->role == VRS_NIGHT_QUALITY;
}

static bool unconfirmed(const struct vrs_night_item *item, double change)
{
	(void)change;
	return item->suspect && !item->second;
}

static bool second_invalid(const struct vrs_night_item *item, double change)
{
	(void)change;
	return item->suspect && item->second && item->second->verdict == VRS_VERDICT_INVALID;
}

static bool second_undecided(const struct vrs_night_item *item, double change)
{
	(void)change;
	return item->suspect && item->second && item->second->verdict == VRS_VERDICT_INCONCLUSIVE;
}

static bool invalid(const struct vrs_night_item *item, double change)
{
	(void)change;
	return item->role == VRS_NIGHT_HEADLINE && item->first->verdict == VRS_VERDICT_INVALID;
}

static bool undecided(const struct vrs_night_item *item, double change)
{
	const struct vrs_comparison *c = item->first;
	return item->role == VRS_NIGHT_HEADLINE && c->verdict == VRS_VERDICT_INCONCLUSIVE && !(c->high < fmax(change, c->margin));
}

static bool other_mattes(const struct vrs_night_item *item, double change)
{
	(void)change;
	return item->role == VRS_NIGHT_QUALITY && item->first->verdict == VRS_VERDICT_INCONCLUSIVE;
}

static bool faster(const struct vrs_night_item *item, double change)
{
	(void)change;
	return item->role == VRS_NIGHT_HEADLINE && vrs_verdict_is_gain(item->first);
}

/* In order of precedence: the first row that some item fits is the verdict. */
static const struct outcome {
	bool (*accept)(const struct vrs_night_item *item, double change);
	enum vrs_verdict verdict;
	int exit_code;
	const char *text;   /* behind it the metric and the case */
} outcomes[] = {
	{slowed, VRS_VERDICT_SLOWER, VRS_EXIT_REGRESSION, "two invocations agree that it became worse: "},
	{worse_matte, VRS_VERDICT_SLOWER, VRS_EXIT_REGRESSION, "the matte became worse: "},
	{unconfirmed, VRS_VERDICT_INCONCLUSIVE, VRS_EXIT_INCONCLUSIVE, "one invocation says that it became worse, and no second one has measured it: "},
	{second_invalid, VRS_VERDICT_INVALID, VRS_EXIT_INVALID, "it seems to have become worse, and the second invocation was disturbed or failed: "},
	{second_undecided, VRS_VERDICT_INCONCLUSIVE, VRS_EXIT_INCONCLUSIVE, "the second invocation could not tell whether it became worse: "},
	{invalid, VRS_VERDICT_INVALID, VRS_EXIT_INVALID, "it was disturbed or failed: "},
	{undecided, VRS_VERDICT_INCONCLUSIVE, VRS_EXIT_INCONCLUSIVE, "more rounds have to tell whether it became worse: "},
	{other_mattes, VRS_VERDICT_INCONCLUSIVE, VRS_EXIT_INCONCLUSIVE, "its mattes cannot be compared: "},
	{faster, VRS_VERDICT_FASTER, VRS_EXIT_OK, "proven by its margin or more, and nothing became worse: "},
};

static void explain(const struct vrs_night_item *item, const char *text, struct vrs_night_verdict *v)
{
	const struct vrs_comparison *c = item->regressed && item->second ? item->second : item->first;
	char change[64] = "";
	if (item->role == VRS_NIGHT_QUALITY && isfinite(c->a) && isfinite(c->b))
		(void)snprintf(change, sizeof change, " from %.4f to %.4f", c->a, c->b);
	else if (isfinite(c->change))
		(void)snprintf(change, sizeof change, " %+.1f %%", 100 * c->change);
	(void)snprintf(v->reason, sizeof v->reason, "%s%s%s of %.160s", text, c->metric, change, item->case_id);
}

enum vrs_status vrs_night_gate(struct vrs_night_item *items, int count, double change, struct vrs_night_verdict *ret)
{
	struct vrs_night_verdict v = {.verdict = VRS_VERDICT_EQUIVALENT, .exit_code = VRS_EXIT_OK, .decisive = -1};
	int members;
	enum vrs_status status = judge_family(items, count, false, &v.family);
	if (status == VRS_OK)
		status = judge_family(items, count, true, &members);
	if (status != VRS_OK)
		return status;
	change = change > 0 ? change : VRS_NIGHT_CHANGE;
	mark(items, count, &v);
	(void)snprintf(v.reason, sizeof v.reason, "%s", v.suspects == 0 ? "nothing became worse by its margin or more"
								: "a second invocation does not confirm what the first one called slower");
	for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes && v.decisive < 0; i++) {
		const struct outcome *o = &outcomes[i];
		v.decisive = find_largest(items, count, change, o->accept);
		if (v.decisive < 0)
			continue;
		v.verdict = o->verdict;
		v.exit_code = o->exit_code;
		v.confirm = o->accept == unconfirmed;
		explain(&items[v.decisive], o->text, &v);
	}
	*ret = v;
	return VRS_OK;
}

/* As simulated (tests/unit/bench/test_night_simulation.c): what the margin and the error of the centre leave of `change` grows with the rounds. */
int vrs_night_gate_rounds(double pair_sd, int family, double change)
{
	enum { QUIET = 14, NOISY = 24, SPARE = 3 }; /* beyond the rounds with which Holm can prove one of the family at all */
	double share = (pair_sd > 0 ? pair_sd : 0.01) / (change > 0 ? change : VRS_NIGHT_CHANGE);
	double rounds = share <= 0.25 ? QUIET : fmax(NOISY, ceil(80 * share * share));
	return (int)fmin(fmax(rounds, vrs_verdict_family_rounds(family) + SPARE), VRS_STATS_MAX_PAIRS);
}
