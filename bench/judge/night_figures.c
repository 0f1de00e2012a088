/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/night_figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"
#include "bench/judge/comparison.h"
#include "bench/plan/case.h"

enum { SCRATCH_METRICS = VRS_RESULT_MAX_COMPARISONS };

/* A figure of the matte that is judged. */
struct quality_metric {
	const char *name;
	size_t offset;          /* in struct vrs_run */
	double margin;
	bool rises;
};

/* The i-th of them; false: there are no more. */
static bool get_quality(int i, struct quality_metric *ret)
{
	int n = 0;
	for (int k = 0; k < VRS_QUALITY_FIGURES; k++) {
		const struct vrs_quality_figure_info *info = vrs_quality_figure_info((enum vrs_quality_figure)k);
		if (!(info->margin > 0) || n++ != i)
			continue;
		*ret = (struct quality_metric){info->key, vrs_run_quality_offset((enum vrs_quality_figure)k), info->margin, info->more_is_better};
		return true;
	}
	*ret = (struct quality_metric){VRS_NIGHT_AGREEMENT, offsetof(struct vrs_run, agreement), vrs_quality_figure_info(VRS_FIGURE_IOU)->margin, true};
	return i == n;
}

static bool find_quality(const char *metric, struct quality_metric *ret)
{
	for (int i = 0; get_quality(i, ret); i++)
		if (strcmp(ret->name, metric) == 0)
			return true;
	return false;
}

bool vrs_night_metric_is_quality(const char *metric)
{
	struct quality_metric q;
	return find_quality(metric, &q);
}

bool vrs_night_metric_rises(const char *metric)
{
	struct quality_metric q;
	return find_quality(metric, &q) ? q.rises : vrs_compare_rises(metric);
}

double vrs_night_quality_margin(const char *metric)
{
	struct quality_metric q;
	return find_quality(metric, &q) ? q.margin : NAN;
}

/* Changes are costs: of what should rise, the ratio is the inverse. */
double vrs_night_metric_ratio(const struct vrs_comparison *m, double *ret_low, double *ret_high)
{
	bool rises = vrs_night_metric_rises(m->metric);
	*ret_low = rises ? 1 / (1 + m->high) : 1 + m->low;
	*ret_high = rises ? 1 / (1 + m->low) : 1 + m->high;
	if (vrs_night_metric_is_quality(m->metric) || !isfinite(m->change)) {
		*ret_low = *ret_high = NAN;
		return m->a > 0 && m->b > 0 && m->verdict != VRS_VERDICT_INCONCLUSIVE ? m->b / m->a : NAN; /* of the same frames */
	}
	return rises ? 1 / (1 + m->change) : 1 + m->change;
}

void vrs_night_quality_judge(struct vrs_comparison *m, double a, double b)
{
	struct quality_metric q;
	if (!find_quality(m->metric, &q))
		return;
	double worse = q.rises ? a - b : b - a;
	m->a = a;
	m->b = b;
	m->margin = q.margin;
	m->pairs = 1;
	m->change = a > 0 ? worse / a : NAN;
	m->verdict = worse > q.margin ? VRS_VERDICT_SLOWER : worse < -q.margin ? VRS_VERDICT_FASTER : VRS_VERDICT_EQUIVALENT;
}

static void add_quality(const struct vrs_case_result *a, const struct vrs_case_result *b, struct vrs_night_figures *c)
{
	struct quality_metric q;
	for (int i = 0; get_quality(i, &q) && c->metric_count < VRS_NIGHT_MAX_METRICS; i++) {
		double x = a ? vrs_case_result_median(a, q.offset) : NAN, y = vrs_case_result_median(b, q.offset);
		struct vrs_comparison *m = &c->metrics[c->metric_count];
		if (!isfinite(y) && (!isfinite(x) || vrs_case_result_ok_runs(b) == 0)) /* that it did not run is said already */
			continue;
		vrs_comparison_init(m);
		vrs_strcpy(m->metric, sizeof m->metric, q.name);
		m->b = y;
		m->verdict = VRS_VERDICT_INCONCLUSIVE;
		c->metric_count++;
		if (!isfinite(y)) { /* what the baseline shows, this build has lost */
			m->a = x;
			m->pairs = 1;
			(void)snprintf(m->reason, sizeof m->reason, "the baseline's mattes were compared, and those of this build were not");
		} else if (isfinite(x) && vrs_case_result_same_mattes(a, b)) {
			vrs_night_quality_judge(m, x, y);
		} else if (isfinite(x)) {
			m->a = x;
			m->pairs = 1; /* the gate is to say that it does not know */
			vrs_compare_other_mattes(a, b, m->reason, sizeof m->reason);
		}
	}
}

static enum vrs_status compare(struct vrs_result *result, const struct vrs_case_result *a, const struct vrs_case_result *b, double margin,
			       struct vrs_night_figures *c, struct vrs_error *err)
{
	struct vrs_comparison headline;
	struct vrs_compare_options options = {.margin = margin, .why = c->note, .alpha = VRS_VERDICT_ALPHA, .alone = true};
	options.invalid = vrs_compare_hindrance(a, b, c->note, sizeof c->note);
	struct vrs_compare_details *details = vrs_calloc(1, sizeof *details);
	enum vrs_status status = details ? vrs_compare(result, a, b, &options, &headline, details) : VRS_ENOMEM;
	vrs_free(details);
	if (status != VRS_OK)
		return vrs_fail(err, status, "the runs of %s cannot be compared: %s", c->id, vrs_status_str(status));
	for (int i = 0; i < result->comparison_count; i++) {
		struct vrs_comparison *m = &c->metrics[c->metric_count++];
		*m = result->comparisons[i];
		if (options.invalid != VRS_CAUSE_NONE) {
			m->verdict = VRS_VERDICT_INVALID;
			m->cause = options.invalid;
		}
	}
	result->comparison_count = 0;
	return VRS_OK;
}

static enum vrs_status fill(struct vrs_result *result, const struct vrs_case_result *a, const struct vrs_case_result *b, double margin,
			    struct vrs_night_figures *c, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	if (a)
		status = compare(result, a, b, margin, c, err);
	else
		c->metric_count = vrs_compare_figures(b, c->metrics, SCRATCH_METRICS);
	if (status == VRS_OK)
		add_quality(a, b, c);
	int mattes = a ? vrs_case_result_mattes(a) : 0; /* of the side whose figure a later night is held against */
	mattes = mattes ? mattes : vrs_case_result_mattes(b);
	c->mattes = mattes ? mattes : -1;
	if (!c->note[0] && c->metric_count == 0)
		snprintf(c->note, sizeof c->note, "%.250s", vrs_case_result_is_skipped(b) ? b->skipped : b->run_count ? b->runs[b->run_count - 1].reason
												      : "no run was made");
	return status;
}

/* The id without its side; *ret_side: 'A', 'B', or 0. */
static void split_side(const char *id, char *ret_id, size_t size, char *ret_side)
{
	const char *side = strstr(id, "/side="); /* a '/' inside a value is written %2F */
	*ret_side = side ? side[6] : 0;
	int head = side ? (int)(side - id) : (int)strlen(id);
	(void)snprintf(ret_id, size, "%.*s%s", head, id, side && side[6] ? side + 7 : "");
}

/* Side A of the case `id`; NULL: there is none. */
static const struct vrs_case_result *find_a(const struct vrs_result *result, const char *id)
{
	char other[VRS_CASE_ID_MAX], side;
	for (int i = 0; i < result->case_count; i++) {
		split_side(result->cases[i].id, other, sizeof other, &side);
		if (side == 'A' && strcmp(other, id) == 0)
			return &result->cases[i];
	}
	return NULL;
}

/* Side A of case number i, whose options may be others than B's: then it is the one before. */
static const struct vrs_case_result *partner(const struct vrs_result *result, int i, const char *id)
{
	const struct vrs_case_result *a = find_a(result, id);
	char other[VRS_CASE_ID_MAX], side = 0;
	if (a || i == 0)
		return a;
	split_side(result->cases[i - 1].id, other, sizeof other, &side);
	return side == 'A' ? &result->cases[i - 1] : NULL;
}

enum vrs_status vrs_night_figures_take(struct vrs_night_record *night, struct vrs_arena *arena, struct vrs_result *result,
				       const struct vrs_night_input *input, double margin, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	struct vrs_night_figures *cases = vrs_night_record_make_cases(arena, night->case_count + result->case_count);
	if (!cases)
		return vrs_fail(err, VRS_ELIMIT, "a night has at most %d cases, or there is too little memory", VRS_NIGHT_MAX_CASES);
	if (night->case_count > 0)
		memcpy(cases, night->cases, (size_t)night->case_count * sizeof *cases);
	night->cases = cases;
	for (int i = 0; i < result->case_count && status == VRS_OK; i++) {
		struct vrs_night_figures *c = &cases[night->case_count];
		char side;
		split_side(result->cases[i].id, c->id, sizeof c->id, &side);
		if (side == 'A')
			continue;
		const struct vrs_case_result *a = side ? partner(result, i, c->id) : NULL;
		if (side && !a)
			return vrs_fail(err, VRS_EFORMAT, "the result has side %c of the case \"%.200s\" and not side A", side, c->id);
		vrs_strcpy(c->input, sizeof c->input, input->name);
		c->input_hash = input->hash;
		vrs_strcpy(c->device, sizeof c->device, result->cases[i].device);
		vrs_strcpy(c->driver, sizeof c->driver, result->cases[i].driver);
		c->metrics = vrs_night_record_make_metrics(arena, VRS_NIGHT_MAX_METRICS);
		status = c->metrics ? fill(result, a, &result->cases[i], margin, c, err) : vrs_fail_nomem(err);
		night->case_count++;
	}
	return status;
}
