/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/recommend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/printable.h"
#include "base/str_parse.h"
#include "bench/judge/holm_family.h"
#include "bench/plan/case.h"
#include "bench/plan/default_values.h"

static double agreement_of(const struct vrs_case_result *c)
{
	return vrs_case_result_median(c, offsetof(struct vrs_run, agreement));
}

static const struct vrs_case_result *fastest(const struct vrs_holm_family *family)
{
	const struct vrs_case_result *best = family->base;
	for (int i = 0; i < family->count; i++)
		if (family->cases[i]->fps.median > best->fps.median)
			best = family->cases[i];
	return best;
}

static void explain(struct vrs_result *result, const struct vrs_holm_family *family, int best)
{
	const struct vrs_case_result *seen = fastest(family), *base = family->base;
	char *text = result->recommendation;
	size_t size = sizeof result->recommendation;
	if (best >= 0) {
		const struct vrs_comparison *c = &family->comparisons[best];
		snprintf(text, size, "%s: %.1f FPS against %.1f FPS of the default, %+.1f %% speed over %d shared rounds (p %.4f, Holm over %d cases)",
			 family->cases[best]->id, family->cases[best]->fps.median, base->fps.median, 100 * (1 / (1 + c->change) - 1), c->pairs, c->holm_p, family->count);
	} else if (vrs_case_result_is_invalid(base)) {
		snprintf(text, size, "the default stays: the machine was disturbed while it was measured, so that nothing is proven; measure again on a "
				     "quiet machine");
	} else if (family->count == 0) {
		snprintf(text, size, "the default stays: nothing else was measured on the same clip with mattes as good");
	} else if (seen == base) {
		snprintf(text, size, "the default stays: no other case was faster on the same clip");
	} else {
		snprintf(text, size, "the default stays: %s looked best with %.1f FPS against %.1f FPS, but %s", seen->id, seen->fps.median,
			 base->fps.median,
			 family->fewest_pairs < VRS_VERDICT_MIN_PAIRS ? "fewer than 8 shared rounds prove nothing (--runs 8 or more)"
								 : "the difference is not proven or below 2 %");
	}
}

static enum vrs_status judge_family(struct vrs_result *result, const struct vrs_case_result *base)
{
	struct vrs_holm_family family;
	enum vrs_status status = vrs_holm_family_judge(&family, result, base, NULL);
	if (status == VRS_OK) {
		int best = vrs_holm_family_winner(&family);
		vrs_strcpy(result->recommended_case, sizeof result->recommended_case, best >= 0 ? family.cases[best]->id : base->id);
		explain(result, &family, best);
	}
	vrs_holm_family_fini(&family);
	return status;
}

enum vrs_status vrs_recommend(struct vrs_result *result)
{
	const struct vrs_case_result *base = vrs_result_find_case(result, result->default_case);
	result->recommended_case[0] = 0;
	if (!base || base->fps.n == 0) {
		snprintf(result->recommendation, sizeof result->recommendation, "nothing can be recommended: the default case has no good run");
		return VRS_OK;
	}
	return judge_family(result, base);
}

/* Where a case's rate lies: interval, or range with few runs. */
static void rate_text(const struct vrs_case_result *c, char *buf, size_t size)
{
	if (c->fps.has_interval)
		snprintf(buf, size, "%.1f FPS [%.1f, %.1f] (n=%d)", c->fps.median, c->fps.low, c->fps.high, c->fps.n);
	else
		snprintf(buf, size, "%.1f FPS (%.1f .. %.1f) (n=%d)", c->fps.median, c->fps.min, c->fps.max, c->fps.n);
	if (vrs_case_result_is_invalid(c))
		vrs_strcpy(buf + strlen(buf), size - strlen(buf), " INVALID");
}

/* Of the size, and the batch where that counts; of the headline: end to end, as fast as it goes, or whatever the default case is. */
static bool is_of_row(const struct vrs_case_result *c, const struct vrs_case_result *first, const struct vrs_case_result *base, bool by_batch)
{
	return c->width == first->width && c->height == first->height && (!by_batch || c->batch == first->batch) &&
	       (!base || vrs_case_result_same_kind(c, base));
}

static bool is_better(const struct vrs_case_result *c, const struct vrs_case_result *best)
{
	double agreement = agreement_of(c);
	if (c->fps.n == 0 || (!isnan(agreement) && agreement < VRS_RECOMMEND_MIN_AGREEMENT))
		return false;
	return !best || c->fps.median > best->fps.median;
}

/* The case of that size with the default's values; NULL: none. */
static const struct vrs_case_result *default_of_size(const struct vrs_result *result, int width, int height)
{
	const struct vrs_case_result *base = vrs_result_find_case(result, result->default_case);
	const char *values = base ? strchr(base->id, '/') : NULL;
	for (int i = 0; i < result->case_count && values; i++) {
		const struct vrs_case_result *c = &result->cases[i];
		const char *own = strchr(c->id, '/');
		if (c->width == width && c->height == height && own && strcmp(own, values) == 0 && c->fps.n > 0)
			return c;
	}
	return NULL;
}

/* How sure it is that this case is faster than the default at its size. kept: the family of the last call. */
static enum vrs_status against_default(const struct vrs_result *result, const struct vrs_case_result *best, struct vrs_holm_family *kept, char *buf,
				       size_t size)
{
	const struct vrs_case_result *base = default_of_size(result, best->width, best->height);
	enum vrs_status status = VRS_OK;
	if (!base || base == best) {
		vrs_strcpy(buf, size, base ? "is the default" : "the default has no good run at this size");
		return VRS_OK;
	}
	if (kept->base != base) {
		vrs_holm_family_fini(kept);
		status = vrs_holm_family_judge(kept, result, base, NULL);
	}
	int member = status == VRS_OK ? vrs_holm_family_find(kept, best) : -1;
	if (member >= 0)
		vrs_holm_family_text(kept, member, buf, size);
	else
		vrs_strcpy(buf, size, "not proven: its mattes were not compared");
	return status;
}

static enum vrs_status best_row(const struct vrs_result *result, int index, bool by_batch, struct vrs_holm_family *kept,
				struct vrs_recommend_row *ret)
{
	const struct vrs_case_result *first = &result->cases[index], *best = NULL, *base = vrs_result_find_case(result, result->default_case);
	*ret = (struct vrs_recommend_row){.best = NULL};
	for (int k = 0; k < result->case_count; k++) {
		const struct vrs_case_result *c = &result->cases[k];
		if (!is_of_row(c, first, base, by_batch))
			continue;
		if (k < index)
			return VRS_OK;
		if (is_better(c, best))
			best = c;
	}
	*ret = (struct vrs_recommend_row){.width = first->width, .height = first->height, .best = best};
	if (best)
		return against_default(result, best, kept, ret->against, sizeof ret->against);
	vrs_strcpy(ret->against, sizeof ret->against, vrs_case_result_is_skipped(first) ? first->skipped : "no good run");
	return VRS_OK;
}

enum vrs_status vrs_recommend_best(const struct vrs_result *result, int index, struct vrs_holm_family *kept, struct vrs_recommend_row *ret_row)
{
	return best_row(result, index, false, kept, ret_row);
}

enum vrs_status vrs_recommend_best_batch(const struct vrs_result *result, int index, struct vrs_holm_family *kept, struct vrs_recommend_row *ret_row)
{
	return best_row(result, index, true, kept, ret_row);
}

/* The rows as comments of the file; figures can be followed to their case in results.json. */
static enum vrs_status write_best(const struct vrs_result *result, FILE *out)
{
	struct vrs_holm_family kept = {.base = NULL};
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < result->case_count && status == VRS_OK; i++) {
		struct vrs_recommend_row row;
		char rate[96];
		status = vrs_recommend_best(result, i, &kept, &row);
		if (status != VRS_OK || row.width == 0)
			continue;
		if (!row.best) {
			vrs_print_comment(out, "  %dx%d: %s", row.width, row.height, row.against);
			continue;
		}
		rate_text(row.best, rate, sizeof rate);
		vrs_print_comment(out, "  %dx%d: %s", row.width, row.height, row.best->id);
		vrs_print_comment(out, "    %s; against the default's values: %s", rate, row.against);
	}
	vrs_holm_family_fini(&kept);
	return status == VRS_OK && ferror(out) ? VRS_EIO : status;
}

/* Does c differ from base in this one value and nothing else? */
static bool is_alone(const struct vrs_case_result *c, const struct vrs_case *base, const struct vrs_case_value *value)
{
	struct vrs_case own;
	if (vrs_case_parse(c->id, &own, NULL) != VRS_OK)
		return false;
	for (int i = 0; i < own.value_count; i++) {
		const char *other = vrs_case_get(base, own.values[i].key);
		bool same = other && strcmp(other, own.values[i].value) == 0;
		if (strcmp(own.values[i].key, value->key) == 0 ? strcmp(own.values[i].value, value->value) != 0 : !same)
			return false;
	}
	for (int i = 0; i < base->value_count; i++)
		if (!vrs_case_get(&own, base->values[i].key))
			return false;
	return vrs_case_get(&own, value->key) != NULL;
}

/* A value of the recommended case, and the case that shows what it does alone. */
static void write_value(const struct vrs_holm_family *family, const struct vrs_case *base, const struct vrs_case_value *value, FILE *out)
{
	const char *before = vrs_case_get(base, value->key);
	char text[192];
	vrs_print_comment(out, "  %s: %s%s%s", value->key, value->value, before ? ", the default case had " : "", before ? before : "");
	for (int i = 0; i < family->count; i++)
		if (is_alone(family->cases[i], base, value)) {
			vrs_holm_family_text(family, i, text, sizeof text);
			vrs_print_comment(out, "    alone %s; case %s", text, family->cases[i]->id);
			return;
		}
	vrs_print_comment(out, "    alone: not measured");
}

/* What the values stand on: both cases with their intervals, the comparison, and each value that differs. */
static enum vrs_status write_evidence(const struct vrs_result *result, const struct vrs_case_result *c, FILE *out, struct vrs_error *err)
{
	char mode[24];
	const struct vrs_case_result *base = vrs_result_find_case(result, result->default_case);
	struct vrs_holm_family family;
	struct vrs_case values, base_values;
	char rate[96], text[192];
	rate_text(c, rate, sizeof rate);
	vrs_print_comment(out, "%s", "");
	vrs_print_comment(out, "Evidence (cases of results.json; [a, b]: 95 %% interval of the median; (a .. b): range of fewer than six runs):");
	vrs_print_comment(out, "  %s%s", c->id, c == base ? " (the default)" : "");
	vrs_print_comment(out, "    %s, scope=%s input=%s mode=%s", rate, vrs_name_of(&vrs_scope_names, c->scope),
			  vrs_name_of(&vrs_input_kind_names, c->input_kind), vrs_mode_text(c->live_hz, mode, sizeof mode));
	vrs_print_comment(out, "    clip: %s (%s)", result->input, c->clip);
	if (!base || c == base)
		return VRS_OK;
	rate_text(base, rate, sizeof rate);
	vrs_print_comment(out, "  %s (the default)", base->id);
	vrs_print_comment(out, "    %s", rate);
	enum vrs_status status = vrs_case_parse(c->id, &values, err);
	if (status == VRS_OK)
		status = vrs_case_parse(base->id, &base_values, err);
	if (status != VRS_OK)
		return status;
	status = vrs_holm_family_judge(&family, result, base, NULL);
	int member = status == VRS_OK ? vrs_holm_family_find(&family, c) : -1;
	if (member >= 0) {
		vrs_holm_family_text(&family, member, text, sizeof text);
		vrs_print_comment(out, "%s", text);
		vrs_print_comment(out, "%s", "");
		vrs_print_comment(out, "Values that differ from the default case:");
	}
	for (int i = 0; i < values.value_count && member >= 0; i++) {
		const char *before = vrs_case_get(&base_values, values.values[i].key);
		if (!before || strcmp(before, values.values[i].value) != 0)
			write_value(&family, &base_values, &values.values[i], out);
	}
	vrs_holm_family_fini(&family);
	return status;
}

/* The default case, with auto where it wrote out the values that auto gives. */
static enum vrs_status write_default(const struct vrs_result *result, const struct vrs_config *base, const struct vrs_bench_input *input, FILE *out,
				     struct vrs_error *err)
{
	struct vrs_config *config;
	enum vrs_status status = vrs_config_copy(&config, base);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot copy the configuration: %s", vrs_status_str(status));
	status = vrs_default_values_apply(config, result, input, err);
	if (status == VRS_OK)
		status = vrs_config_write(config, out, VRS_WRITE_JOB);
	vrs_config_destroy(config);
	return status;
}

static enum vrs_status write_yaml(const struct vrs_result *result, const struct vrs_config *base, const struct vrs_bench_input *input, FILE *out,
				  struct vrs_error *err)
{
	const struct vrs_case_result *c = vrs_result_find_case(result, result->recommended_case);
	struct vrs_config *config = NULL;
	bool is_default = strcmp(result->recommended_case, result->default_case) == 0;
	vrs_print_comment(out, "Written by vrbench %s, %s. Use it with: vrseg -c recommended.yaml", result->tool_version, result->finished_utc);
	vrs_print_comment(out, "%s", result->recommendation);
	enum vrs_status status = c ? write_evidence(result, c, out, err) : VRS_OK;
	if (status == VRS_OK) {
		vrs_print_comment(out, "%s", "");
		vrs_print_comment(out, "Best measured case of each resolution:");
	}
	if (status == VRS_OK)
		status = write_best(result, out);
	fputc('\n', out);
	if (status == VRS_OK && (is_default || !c))
		return write_default(result, base, input, out, err);
	struct vrs_case values;
	if (status == VRS_OK)
		status = vrs_case_parse(c->id, &values, err);
	values.width = values.height = 0;
	if (status == VRS_OK)
		status = vrs_case_config(&values, base, &config, err);
	if (status == VRS_OK)
		status = vrs_config_write(config, out, VRS_WRITE_JOB);
	vrs_config_destroy(config);
	return status;
}

enum vrs_status vrs_recommend_write(const struct vrs_result *result, const struct vrs_config *base, const struct vrs_bench_input *input,
				    const char *path, struct vrs_error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to write %s", path);
	enum vrs_status status = write_yaml(result, base, input, out, err);
	if (fclose(out) != 0 && status == VRS_OK)
		status = vrs_fail(err, VRS_ENOMEM, "there is not enough memory to write %s", path);
	if (status == VRS_OK)
		status = vrs_file_replace(path, text, size, err);
	free(text); /* libc: of open_memstream */
	return status;
}
