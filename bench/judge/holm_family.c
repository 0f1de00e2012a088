/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/holm_family.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/config.h>
#include <vrseg/options.h>

#include "base/mem.h"
#include "bench/plan/case.h"

/* Network, precision and size of input, which the record of a case holds as they came out. */
static bool is_recorded(const struct vrs_option *option)
{
	size_t at = option ? option->offset : SIZE_MAX;
	return at == offsetof(struct vrs_settings, engine.model) || at == offsetof(struct vrs_settings, engine.precision) ||
	       at == offsetof(struct vrs_settings, engine.input_size);
}

/* Does a set every option that decides about mattes to what b sets it to?  What the record says of the network is compared there. */
static bool sets_same_mattes(const struct vrs_case *a, const struct vrs_case *b)
{
	for (int i = 0; i < a->value_count; i++) {
		const struct vrs_option *option = vrs_option_find(a->values[i].key);
		const char *other = vrs_case_get(b, a->values[i].key);
		bool matters = !option || (option->affects & VRS_AFFECTS_MATTE);
		if (matters && !is_recorded(option) && (!other || strcmp(a->values[i].value, other) != 0))
			return false;
	}
	return true;
}

bool vrs_holm_family_same_mattes(const struct vrs_case_result *c, const struct vrs_case_result *base)
{
	struct vrs_case a, b;
	if (c->width != base->width || c->height != base->height)
		return false;
	if (strcmp(c->model, base->model) != 0 || c->precision != base->precision || c->net_width != base->net_width || c->net_height != base->net_height)
		return false;
	return vrs_case_parse(c->id, &a, NULL) == VRS_OK && vrs_case_parse(base->id, &b, NULL) == VRS_OK && sets_same_mattes(&a, &b) &&
	       sets_same_mattes(&b, &a);
}

/* Same clip as base, runs well, mattes as good as the reference's; where these were not compared, those of base. */
static bool is_as_good(const struct vrs_case_result *c, const struct vrs_case_result *base, const void *cookie)
{
	(void)cookie;
	if (c->width != base->width || c->height != base->height || c->fps.n == 0 || !vrs_case_result_same_kind(c, base))
		return false;
	double agreement = vrs_case_result_median(c, offsetof(struct vrs_run, agreement));
	return isnan(agreement) ? vrs_holm_family_same_mattes(c, base) : agreement >= VRS_RECOMMEND_MIN_AGREEMENT;
}

static enum vrs_status add_member(struct vrs_holm_family *f, const struct vrs_case_result *c, enum vrs_headline headline)
{
	struct vrs_comparison *comparison = &f->comparisons[f->count];
	enum vrs_status status = vrs_verdict_cases(f->base, c, headline, VRS_VERDICT_ALPHA, comparison);
	if (status == VRS_ENOMEM) /* without it, the others would be judged as a smaller family */
		return status;
	if (status != VRS_OK) /* a member all the same: it is shown, and proves nothing */
		vrs_comparison_init(comparison);
	int pairs = comparison->pairs;
	f->cases[f->count] = c;
	f->fewest_pairs = f->count == 0 || pairs < f->fewest_pairs ? pairs : f->fewest_pairs;
	f->most_pairs = pairs > f->most_pairs ? pairs : f->most_pairs;
	f->count++;
	return VRS_OK;
}

enum vrs_status vrs_holm_family_judge(struct vrs_holm_family *ret, const struct vrs_result *result, const struct vrs_case_result *base,
				      const struct vrs_holm_rules *rules)
{
	static const struct vrs_holm_rules usual = {.headline = VRS_HEADLINE_FPS, .accept = is_as_good};
	const struct vrs_holm_rules own = rules ? *rules : usual;
	size_t n = (size_t)result->case_count + 1;
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): of pointers, as below */
	*ret = (struct vrs_holm_family){.base = base, .cases = vrs_calloc(n, sizeof *ret->cases), .comparisons = vrs_calloc(n, sizeof *ret->comparisons)};
	struct vrs_comparison **items = vrs_calloc(n, sizeof *items); /* NOLINT(bugprone-sizeof-expression) */
	enum vrs_status status = ret->cases && ret->comparisons && items ? VRS_OK : VRS_ENOMEM;
	for (int i = 0; status == VRS_OK && i < result->case_count; i++)
		if (&result->cases[i] != base && own.accept(&result->cases[i], base, own.cookie))
			status = add_member(ret, &result->cases[i], own.headline);
	for (int i = 0; status == VRS_OK && i < ret->count; i++)
		items[i] = &ret->comparisons[i];
	if (status == VRS_OK)
		status = vrs_verdict_family(items, ret->count);
	vrs_free(items);
	ret->base = status == VRS_OK ? base : NULL;
	return status;
}

void vrs_holm_family_fini(struct vrs_holm_family *family)
{
	vrs_free(family->cases);
	vrs_free(family->comparisons);
}

int vrs_holm_family_find(const struct vrs_holm_family *family, const struct vrs_case_result *c)
{
	for (int i = 0; i < family->count; i++)
		if (family->cases[i] == c)
			return i;
	return -1;
}

int vrs_holm_family_winner(const struct vrs_holm_family *family)
{
	int best = -1;
	for (int i = 0; i < family->count; i++)
		if (vrs_verdict_is_gain(&family->comparisons[i]) && (best < 0 || family->comparisons[i].change < family->comparisons[best].change))
			best = i;
	return best;
}

/* A cost in time as a gain in speed, percent. */
static double gain(double cost)
{
	return 100 * (1 / (1 + cost) - 1);
}

int vrs_holm_family_rounds(const struct vrs_holm_family *family, char ret_among[32])
{
	int rounds = vrs_verdict_family_rounds(family->count);
	ret_among[0] = '\0';
	if (rounds > VRS_VERDICT_MIN_PAIRS)
		snprintf(ret_among, 32, " among %d cases", family->count);
	return rounds;
}

void vrs_holm_family_text(const struct vrs_holm_family *family, int member, char *buf, size_t size)
{
	const struct vrs_comparison *c = &family->comparisons[member];
	char interval[48] = "", among[32], needed[64] = "";
	int rounds = vrs_holm_family_rounds(family, among);
	bool real = vrs_verdict_is_proven(c);
	const char *state = vrs_verdict_is_gain(c) ? "proven" : !real ? "not proven" : c->change < 0 ? "proven, but below the margin" : "slower";
	if (c->pairs == 0) {
		snprintf(buf, size, "not proven: no round in which both ran well and undisturbed, %d are needed%s", rounds, among);
		return;
	}
	if (isfinite(c->low))
		snprintf(interval, sizeof interval, " [%+.1f, %+.1f]", gain(c->high), gain(c->low));
	if (!real && c->pairs < rounds)
		snprintf(needed, sizeof needed, ", %d are needed%s", rounds, among);
	snprintf(buf, size, "%s: %+.1f %%%s speed over %d shared round%s%s", state, gain(c->change), interval, c->pairs, c->pairs == 1 ? "" : "s", needed);
}
