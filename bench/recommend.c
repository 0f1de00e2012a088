/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/recommend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/case.h"
#include "bench/verdict.h"

static double agreement_of(const struct vrs_case_result *c)
{
	return vrs_case_result_median(c, offsetof(struct vrs_run, agreement));
}

/* Same clip as the default, runs well, mattes as good as the reference's. */
static bool is_candidate(const struct vrs_case_result *c, const struct vrs_case_result *base)
{
	double agreement = agreement_of(c);
	if (c == base || c->width != base->width || c->height != base->height || c->fps.n == 0 ||
	    !vrs_case_result_same_kind(c, base))
		return false;
	return isnan(agreement) ? strcmp(c->precision, base->precision) == 0 && c->net_width == base->net_width && c->net_height == base->net_height
				: agreement >= VRS_RECOMMEND_MIN_AGREEMENT;
}

struct contest {
	const struct vrs_case_result *base;
	const struct vrs_case_result **cells;
	struct vrs_comparison *comparisons;
	double *p;
	bool *proven;
	int count, fewest_pairs;
};

static void compare_cell(struct contest *k, const struct vrs_case_result *c)
{
	double a[VRS_STATS_MAX_PAIRS], b[VRS_STATS_MAX_PAIRS];
	struct vrs_verdict_options options = vrs_verdict_options_default();
	struct vrs_comparison *comparison = &k->comparisons[k->count];
	options.larger_is_better = true;
	options.alpha = 0.05;
	options.pair_sd = vrs_verdict_pair_sd(k->base, c);
	int n = vrs_verdict_collect(k->base, c, offsetof(struct vrs_run, fps), a, b, VRS_STATS_MAX_PAIRS);
	if (vrs_verdict_pairs(a, b, n, &options, comparison) != VRS_OK)
		return;
	k->cells[k->count] = c;
	k->p[k->count] = isfinite(comparison->p) ? comparison->p : 1;
	if (k->count == 0 || n < k->fewest_pairs)
		k->fewest_pairs = n;
	k->count++;
}

/* The proven cell with the largest gain; -1: none. */
static int winner(const struct contest *k)
{
	int best = -1;
	for (int i = 0; i < k->count; i++) {
		const struct vrs_comparison *c = &k->comparisons[i];
		bool good = k->proven[i] && c->pairs >= VRS_VERDICT_MIN_PAIRS && c->change <= -c->margin / (1 + c->margin);
		if (good && (best < 0 || c->change < k->comparisons[best].change))
			best = i;
	}
	return best;
}

static const struct vrs_case_result *fastest(const struct contest *k)
{
	const struct vrs_case_result *best = k->base;
	for (int i = 0; i < k->count; i++)
		if (k->cells[i]->fps.median > best->fps.median)
			best = k->cells[i];
	return best;
}

static void explain(struct vrs_result *result, const struct contest *k, int best)
{
	const struct vrs_case_result *seen = fastest(k);
	char *text = result->recommendation;
	size_t size = sizeof result->recommendation;
	if (best >= 0) {
		const struct vrs_comparison *c = &k->comparisons[best];
		snprintf(text, size, "%s: %.1f FPS against %.1f FPS of the default, %+.1f %% speed over %d shared rounds (p %.4f, Holm over %d cells)",
			 k->cells[best]->id, k->cells[best]->fps.median, k->base->fps.median, 100 * (1 / (1 + c->change) - 1), c->pairs, c->p, k->count);
	} else if (k->count == 0) {
		snprintf(text, size, "the default stays: nothing else was measured on the same clip with mattes as good");
	} else if (seen == k->base) {
		snprintf(text, size, "the default stays: no other cell was faster on the same clip");
	} else {
		snprintf(text, size, "the default stays: %s looked best with %.1f FPS against %.1f FPS, but %s", seen->id, seen->fps.median,
			 k->base->fps.median,
			 k->fewest_pairs < VRS_VERDICT_MIN_PAIRS ? "fewer than 8 shared rounds prove nothing (--runs 8 or more)"
								 : "the difference is not proven or below 2 %");
	}
}

static enum vrs_status hold_contest(struct vrs_result *result, const struct vrs_case_result *base)
{
	size_t n = (size_t)result->case_count + 1;
	struct contest k = {.base = base, .cells = vrs_calloc(n, sizeof *k.cells), .comparisons = vrs_calloc(n, sizeof *k.comparisons),
			    .p = vrs_calloc(n, sizeof *k.p), .proven = vrs_calloc(n, sizeof *k.proven)};
	enum vrs_status status = k.cells && k.comparisons && k.p && k.proven ? VRS_OK : VRS_ENOMEM;
	for (int i = 0; i < result->case_count && status == VRS_OK; i++)
		if (is_candidate(&result->cases[i], base))
			compare_cell(&k, &result->cases[i]);
	if (status == VRS_OK && k.count > 0)
		status = vrs_stats_holm(k.p, k.count, 0.05, k.proven);
	if (status == VRS_OK) {
		int best = winner(&k);
		vrs_strcpy(result->recommended_case, sizeof result->recommended_case, best >= 0 ? k.cells[best]->id : base->id);
		explain(result, &k, best);
	}
	vrs_free(k.cells);
	vrs_free(k.comparisons);
	vrs_free(k.p);
	vrs_free(k.proven);
	return status;
}

enum vrs_status vrs_recommend(struct vrs_result *result)
{
	const struct vrs_case_result *base = vrs_result_find_case(result, result->default_case);
	result->recommended_case[0] = 0;
	if (!base || base->fps.n == 0) {
		snprintf(result->recommendation, sizeof result->recommendation, "nothing can be recommended: the default cell has no good run");
		return VRS_OK;
	}
	return hold_contest(result, base);
}

/* Where a cell's rate lies: interval, or range with few runs. */
static void rate_text(const struct vrs_case_result *c, char *buf, size_t size)
{
	if (c->fps.has_interval)
		snprintf(buf, size, "%.1f FPS [%.1f, %.1f] (n=%d)", c->fps.median, c->fps.low, c->fps.high, c->fps.n);
	else
		snprintf(buf, size, "%.1f FPS (n=%d<6: %.1f..%.1f)", c->fps.median, c->fps.n, c->fps.min, c->fps.max);
}

/* The headline counts: end to end, as fast as it goes, or whatever the default cell is. */
static bool is_of_table(const struct vrs_result *result, const struct vrs_case_result *c)
{
	const struct vrs_case_result *base = vrs_result_find_case(result, result->default_case);
	return !base || vrs_case_result_same_kind(c, base);
}

static bool is_better(const struct vrs_case_result *c, const struct vrs_case_result *best)
{
	double agreement = agreement_of(c);
	if (c->fps.n == 0 || (!isnan(agreement) && agreement < VRS_RECOMMEND_MIN_AGREEMENT))
		return false;
	return !best || c->fps.median > best->fps.median;
}

enum vrs_status vrs_recommend_table(const struct vrs_result *result, const char *prefix, FILE *out)
{
	fprintf(out, "%s%-11s %6s %-9s %7s %-9s  %s\n", prefix, "resolution", "batch", "precision", "threads", "input", "best measured");
	for (int i = 0; i < result->case_count; i++) {
		const struct vrs_case_result *first = &result->cases[i], *best = NULL;
		bool seen = false;
		for (int k = 0; k < result->case_count; k++) {
			const struct vrs_case_result *c = &result->cases[k];
			if (c->width != first->width || c->height != first->height || !is_of_table(result, c))
				continue;
			seen |= k < i;
			if (is_better(c, best))
				best = c;
		}
		char size[24], input[24], rate[96];
		snprintf(size, sizeof size, "%dx%d", first->width, first->height);
		if (seen)
			continue;
		if (!best) {
			fprintf(out, "%s%-11s %s\n", prefix, size, first->skipped[0] ? first->skipped : "no good run");
			continue;
		}
		snprintf(input, sizeof input, "%dx%d", best->net_width, best->net_height);
		rate_text(best, rate, sizeof rate);
		fprintf(out, "%s%-11s %6d %-9s %7d %-9s  %s\n", prefix, size, best->batch, best->precision, best->threads, input, rate);
	}
	return ferror(out) ? VRS_EIO : VRS_OK;
}

static enum vrs_status write_yaml(const struct vrs_result *result, const struct vrs_config *base, FILE *out, struct vrs_error *err)
{
	const struct vrs_case_result *c = vrs_result_find_case(result, result->recommended_case);
	struct vrs_config *config = NULL;
	char rate[96];
	bool is_default = strcmp(result->recommended_case, result->default_case) == 0;
	fprintf(out, "# Written by vrbench %s, %s. Use it with: vrseg -c recommended.yaml\n", result->tool_version, result->finished_utc);
	fprintf(out, "# %s\n", result->recommendation);
	if (c) {
		rate_text(c, rate, sizeof rate);
		fprintf(out, "# %s, scope=%s input=%s mode=%s\n# clip: %s (%s)\n", rate, c->scope, c->input_kind, c->mode, result->input, c->clip);
	}
	fprintf(out, "#\n# Best measured cell of each resolution (not proven against its neighbours):\n");
	enum vrs_status status = vrs_recommend_table(result, "#   ", out);
	fputc('\n', out);
	if (status == VRS_OK && (is_default || !c)) /* what the default cell wrote out are the values that auto gives */
		return vrs_config_write(base, out, true);
	struct vrs_case values;
	if (status == VRS_OK)
		status = vrs_case_parse(c->id, &values, err);
	values.width = values.height = 0;
	if (status == VRS_OK)
		status = vrs_case_config(&values, base, &config, err);
	if (status == VRS_OK)
		status = vrs_config_write(config, out, true);
	vrs_config_destroy(config);
	return status;
}

enum vrs_status vrs_recommend_write(const struct vrs_result *result, const struct vrs_config *base, const char *path, struct vrs_error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory to write %s", path);
	enum vrs_status status = write_yaml(result, base, out, err);
	if (fclose(out) != 0 && status == VRS_OK)
		status = vrs_fail(err, VRS_ENOMEM, "there is not enough memory to write %s", path);
	if (status == VRS_OK)
		status = vrs_file_replace(path, text, size, err);
	free(text); /* libc: of open_memstream */
	return status;
}
